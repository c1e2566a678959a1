import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { bearer, makePerson } from '../../support/people'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const { db } = app.deps
const path = '/api/v1/groups'
const create = (body: object) => app.call(path, { as: 'admin', body })
const patch = (id: string, body: object) => app.call(`${path}/${id}`, { as: 'admin', method: 'PATCH', body })
const remove = (id: string) => app.call(`${path}/${id}`, { as: 'admin', method: 'DELETE' })
const read = (id: string) => json(app.call(`${path}/${id}`, { as: 'admin' }))
const member = (id: string, userId: string, method: string) => app.call(`${path}/${id}/members/${userId}`, { as: 'admin', method })
const groupsOf = async (userId: string) => (await json(app.call(`/api/v1/users/${userId}`, { as: 'admin' }))).groups
const setRules = (rules: object[]) => db.query('update rowhouse.access_document set rules = $1::jsonb', [JSON.stringify(rules)])
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

let count = 0
const newGroup = async (members: string[] = []) => json(create({ name: `group ${count++}`, members }))
const newUsers = async (number: number): Promise<string[]> => {
  const ids: string[] = []
  for (let index = 0; index < number; index++) ids.push((await makePerson(app)).user.id)
  return ids
}

describe('a group', () => {
  test('is made, listed by name, read, and shown at its members', async () => {
    const [one, two] = (await newUsers(2)) as [string, string]
    const response = await create({ name: '  Sales ', members: [two, one, two.toUpperCase()] })
    expect(response.status).toBe(201)
    const group = await json(response)
    expect(group).toEqual({ id: expect.any(String), name: 'Sales', members: [one, two], createdAt: time })
    await create({ name: 'Marketing', members: [one] })
    expect(await read(group.id)).toEqual(group)
    const { groups } = await json(app.call(path, { as: 'admin' }))
    expect(groups.map(({ name }: { name: string }) => name)).toEqual(['Marketing', 'Sales'])
    expect(groups[1]).toEqual(group)
    expect(await groupsOf(one)).toEqual(['Marketing', 'Sales'])
    const { users } = await json(app.call('/api/v1/users', { as: 'admin' }))
    const shown = new Map(users.map(({ id, groups: names }: { id: string; groups: string[] }) => [id, names]))
    expect([shown.get(one), shown.get(two)]).toEqual([['Marketing', 'Sales'], ['Sales']])
  })

  test('is one of a list in pages, which go on behind one that is renamed or deleted meanwhile', async () => {
    const names = ['p 1', 'p 2', 'P 3', 'p ä', 'p'.repeat(100)]
    const made = await Promise.all(names.map(async (name) => json(create({ name }))))
    const page = async (query: string) => json(app.call(`${path}${query}`, { as: 'admin' }))
    const whole = await page('')
    expect(whole.nextCursor).toBe(null)
    const listed: string[] = []
    let cursor: string | null = ''
    for (let count = 0; cursor !== null; count++) {
      const { groups, nextCursor }: { groups: { id: string; name: string }[]; nextCursor: string | null } = await page(
        `?limit=2${cursor && `&cursor=${cursor}`}`,
      )
      expect(groups.length).toBe(nextCursor === null ? ((whole.groups.length + 1) % 2) + 1 : 2)
      listed.push(...groups.map(({ name }) => name))
      if (count === 0) await remove(groups.at(-1)!.id)
      cursor = nextCursor
    }
    expect(listed).toEqual(whole.groups.map(({ name }: { name: string }) => name))
    for (const wrong of ['%', 'AA', 'a b', 'AA=='])
      await expectProblem(await app.call(`${path}?cursor=${encodeURIComponent(wrong)}`, { as: 'admin' }), 400, 'invalid_request')
    for (const query of ['?limit=0', '?limit=1001', '?cursor=', '?page=2'])
      expect((await app.call(path + query, { as: 'admin' })).status).toBeGreaterThanOrEqual(400)
    for (const { id } of made) await remove(id)
  })

  test('tells the audit log who came and who went', async () => {
    const ids = (await newUsers(3)) as [string, string, string]
    const [one, two, three] = ids
    const logged = async () => (await json(app.call('/api/v1/audit?limit=1', { as: 'admin' }))).entries[0]
    const change = (added: string[], removed: string[]) => ({ added, removed, addedCount: added.length, removedCount: removed.length })
    const group = await newGroup([one, two])
    expect(await logged()).toMatchObject({ kind: 'group_created', subjectId: group.id, members: change([one, two], []) })
    await patch(group.id, { members: [two, three] })
    expect(await logged()).toMatchObject({ kind: 'group_changed', subjectId: group.id, members: change([three], [one]) })
    await patch(group.id, { name: `other ${group.name}` })
    expect(Object.keys(await logged())).not.toContain('members')
    await member(group.id, one, 'PUT')
    expect((await logged()).members).toEqual(change([one], []))
    await member(group.id, two, 'DELETE')
    expect((await logged()).members).toEqual(change([], [two]))
    const before = await logged()
    await member(group.id, two, 'DELETE')
    expect(await logged()).toEqual(before)
    await remove(group.id)
    expect(await logged()).toMatchObject({ kind: 'group_deleted', members: change([], [one, three]) })
  })

  test('without members is made, and those who are in none have an empty list', async () => {
    const [id] = (await newUsers(1)) as [string]
    expect((await newGroup()).members).toEqual([])
    expect(await groupsOf(id)).toEqual([])
  })

  test('is shown to its members at /auth/me', async () => {
    const { user, token } = await makePerson(app)
    const group = await newGroup([user.id])
    expect((await json(app.call('/auth/me', { headers: bearer(token) }))).user).toMatchObject({ kind: 'person', groups: [group.name] })
    await member(group.id, user.id, 'DELETE')
    expect((await json(app.call('/api/v1/auth/me', { headers: bearer(token) }))).user.groups).toEqual([])
  })

  test('takes another name, and another set of members, each for itself', async () => {
    const [one, two, three] = (await newUsers(3)) as [string, string, string]
    const group = await newGroup([one, two])
    expect(await json(patch(group.id, { name: 'Renamed' }))).toEqual({ ...group, name: 'Renamed' })
    expect(await json(patch(group.id, { members: [two, three] }))).toEqual({ ...group, name: 'Renamed', members: [two, three] })
    expect(await json(patch(group.id, { name: 'Renamed', members: [] }))).toEqual({ ...group, name: 'Renamed', members: [] })
    expect(await groupsOf(two)).toEqual([])
  })

  test('takes single members and lets them go, also when nothing changes', async () => {
    const [one] = (await newUsers(1)) as [string]
    const group = await newGroup()
    for (const [method, members] of [
      ['PUT', [one]],
      ['PUT', [one]],
      ['DELETE', []],
      ['DELETE', []],
    ] as const) {
      expect((await member(group.id, one, method)).status).toBe(204)
      expect((await read(group.id)).members).toEqual([...members])
    }
    await expectProblem(await member(group.id, Bun.randomUUIDv7(), 'PUT'), 404, 'not_found')
  })

  test('is deleted, and its members stay', async () => {
    const [one] = (await newUsers(1)) as [string]
    const group = await newGroup([one])
    expect((await remove(group.id)).status).toBe(204)
    expect(await groupsOf(one)).toEqual([])
    await expectProblem(await remove(group.id), 404, 'not_found')
  })

  test('loses a member who is deleted', async () => {
    const [one, two] = (await newUsers(2)) as [string, string]
    const group = await newGroup([one, two])
    expect((await app.call(`/api/v1/users/${one}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
    expect((await read(group.id)).members).toEqual([two])
  })

  test('that the access document names is not deleted, and may be renamed', async () => {
    const group = await newGroup()
    const rule = { group: group.name, groupId: group.id, read: 'all', create: 'none', update: 'none', delete: 'none' }
    await setRules([
      { ...rule, table: 'orders' },
      { ...rule, table: '*' },
      { ...rule, table: 'orders' },
      { group: 'everyone', table: 'people' },
    ])
    for (const id of [group.id, group.id.toUpperCase()]) {
      const { message } = await expectProblem(await remove(id), 409, 'conflict')
      expect(message).toBe('The access document has rules for this group, on orders, *. Remove them first.')
      const name = `Under another name, ${id}`
      expect((await patch(id, { name })).status).toBe(200)
      const { changes } = await json(app.call('/api/v1/access/changes', { as: 'admin' }))
      expect(changes[0]).toMatchObject({ renamed: { to: name } })
    }
    await setRules([{ group: 'everyone', table: 'people' }])
    expect((await remove(group.id)).status).toBe(204)
    await setRules([])
  })

  test('raises the version of the catalogue once with each change', async () => {
    const version = async () => Number((await db.query<{ version: string }>('select version from rowhouse.catalog_version'))[0]!.version)
    const members = await newUsers(3)
    const before = await version()
    const group = await newGroup(members)
    await patch(group.id, { members: [] })
    await member(group.id, members[0]!, 'PUT')
    await remove(group.id)
    expect(await version()).toBe(before + 4)
  })
})

describe('refused is', () => {
  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name of spaces', { name: ' \u00a0 ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a name with a line break', { name: 'a\nb' }],
    ['a name with a NUL', { name: 'a\0' }],
    ['a name with a control character of C1', { name: 'a\u0085b' }],
    ['a name with a separator of lines', { name: 'a\u2028b' }],
    ['a name with half a character', { name: 'a\ud800' }],
    ['the name everyone', { name: ' everyone ' }],
    ['the name everyone in capitals', { name: 'Everyone' }],
    ['the name of a role', { name: 'role:editor' }],
    ['the name of a role in capitals', { name: ' ROLE:x' }],
    ['a word of the rules', { name: '@me' }],
    ['a name that is a number', { name: 1 }],
    ['an id of one’s own', { name: 'own', id: Bun.randomUUIDv7() }],
    ['members that are no ids', { name: 'own', members: ['ada'] }],
    ['members that are no list', { name: 'own', members: {} }],
    ['too many members', { name: 'own', members: Array(10_001).fill('00000000-0000-7000-8000-000000000000') }],
  ])('%s', async (_what, body) => {
    const group = await newGroup()
    await expectProblem(await create(body), 422, 'validation_failed')
    if (Object.keys(body).length > 0) await expectProblem(await patch(group.id, body), 422, 'validation_failed')
    expect(await read(group.id)).toEqual(group)
  })

  test('an id that is no user’s, with its place, and nothing is done', async () => {
    const [one] = (await newUsers(1)) as [string]
    const group = await newGroup([one])
    const members = [one, Bun.randomUUIDv7(), one, Bun.randomUUIDv7()]
    for (const response of [
      await create({ name: 'with strangers', members }),
      await patch(group.id, { name: 'with strangers', members }),
    ]) {
      const { errors } = await expectProblem(response, 422, 'validation_failed')
      expect(errors!.map((problem) => problem.path)).toEqual(['/members/1', '/members/3'])
    }
    expect(await read(group.id)).toEqual(group)
  })

  test('a name that another group has', async () => {
    const [one, two] = [await newGroup(), await newGroup()]
    await expectProblem(await create({ name: ` ${one.name} ` }), 409, 'conflict')
    await expectProblem(await patch(two.id, { name: one.name }), 409, 'conflict')
    expect((await patch(one.id, { name: one.name })).status).toBe(200)
  })

  test('an id that is no group’s', async () => {
    const [one] = (await newUsers(1)) as [string]
    for (const id of [Bun.randomUUIDv7(), 'x', '%00', 'Sales']) {
      for (const response of [
        app.call(`${path}/${id}`, { as: 'admin' }),
        patch(id, { name: 'x' }),
        remove(id),
        member(id, one, 'PUT'),
        member(id, one, 'DELETE'),
      ])
        await expectProblem(await response, 404, 'not_found')
    }
  })

  test('one group more than a thousand, and one member more than ten thousand', async () => {
    const full = await startApp()
    await full.deps.db.query(
      `insert into rowhouse.groups (id, name) select rowhouse.uuid_v7(), 'group ' || n from generate_series(1, 999) n`,
    )
    const answers = await Promise.all([1, 2, 3].map((n) => full.call(path, { as: 'admin', body: { name: `last ${n}` } })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const group = (await full.deps.db.query<{ id: string }>('select id from rowhouse.groups limit 1'))[0]!.id
    await full.deps.db.query(`insert into rowhouse.users (id, email, name, role)
      select rowhouse.uuid_v7(), 'many' || n || '@example.org', 'x', 'viewer' from generate_series(1, 10001) n`)
    const ids = (await full.deps.db.query<{ id: string }>(`select id from rowhouse.users where name = 'x' order by id`)).map(({ id }) => id)
    const members = ids.slice(0, 10_000)
    expect((await full.call(`${path}/${group}`, { as: 'admin', method: 'PATCH', body: { members } })).status).toBe(200)
    const more = (id: string) => full.call(`${path}/${group}/members/${id}`, { as: 'admin', method: 'PUT' })
    await expectProblem(await more(ids[10_000]!), 409, 'conflict')
    expect((await more(ids[0]!)).status).toBe(204)
    expect((await json(full.call(`${path}/${group}`, { as: 'admin' }))).members).toEqual(members)
  })
})

describe('groups are for administrators', () => {
  const calls = (id: string, userId: string): [string, string, object?][] => [
    ['GET', path],
    ['POST', path, { name: 'mine' }],
    ['GET', `${path}/${id}`],
    ['PATCH', `${path}/${id}`, { name: 'mine' }],
    ['DELETE', `${path}/${id}`],
    ['PUT', `${path}/${id}/members/${userId}`],
    ['DELETE', `${path}/${id}/members/${userId}`],
  ]

  test('and for their tokens of full scope that reach all tables', async () => {
    const { user } = await makePerson(app)
    const group = await newGroup([user.id])
    await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'orders', columns: [{ name: 'title', type: 'text' }] } }))
    const token = async (more: object) => (await json(app.call('/auth/tokens', { as: 'admin', body: { name: 'narrow', ...more } }))).token
    const credentials: [object, number][] = [
      [{}, 401],
      [bearer(app.tokens.viewer), 403],
      [bearer(app.tokens.editor), 403],
      [bearer(await token({ scope: 'read' })), 403],
      [bearer(await token({ scope: 'write' })), 403],
      [bearer(await token({ scope: 'full', tables: ['orders'] })), 403],
    ]
    for (const [headers, status] of credentials)
      for (const [method, url, body] of calls(group.id, user.id))
        expect({ method, url, status: (await app.call(url, { method, body, headers: headers as Record<string, string> })).status }).toEqual(
          {
            method,
            url,
            status,
          },
        )
    expect(await read(group.id)).toEqual(group)
  })

  test('whose changes are in the audit log, and no attempt that changed nothing', async () => {
    const [one] = (await newUsers(1)) as [string]
    const start = new Date().toISOString()
    const group = await newGroup()
    await member(group.id, one, 'DELETE')
    await member(group.id, one, 'PUT')
    await member(group.id, one, 'PUT')
    await member(group.id, one, 'DELETE')
    await patch(group.id, { name: 'everyone' })
    await patch(group.id, { members: [one] })
    await remove(group.id)
    const { entries } = await json(app.call(`/api/v1/audit?from=${start}`, { as: 'admin' }))
    const mine = entries.filter(({ subjectId }: { subjectId: string }) => subjectId === group.id)
    const admin = (await json(app.call('/auth/me', { as: 'admin' }))).user.id
    expect(mine.map(({ kind, actorId, result }: Record<string, string>) => [kind, actorId, result]).reverse()).toEqual(
      ['group_created', 'group_changed', 'group_changed', 'group_changed', 'group_deleted'].map((kind) => [kind, admin, 'ok']),
    )
    expect((await json(app.call('/api/v1/audit?kind=group_deleted', { as: 'admin' }))).entries.length).toBeGreaterThan(0)
  })
})
