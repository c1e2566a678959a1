import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'

const app = await startApp()
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'deals',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'owner', type: 'text' },
      { name: 'margin', type: 'integer' },
    ],
  },
})
const { users } = await json(app.call('/api/v1/users', { as: 'admin' }))
const editor = users.find(({ email }: { email: string }) => email === 'editor@example.org').id as string

const etag = (await app.call('/api/v1/access', { as: 'admin' })).headers.get('etag')!
const line = { group: 'everyone', table: 'deals', read: 'owner=eq.@me', create: 'all', update: 'owner=eq.@me', delete: 'owner=eq.@me' }
const rules = [{ ...line, columns: { read: ['id', 'title', 'owner'], write: ['title', 'owner'] } }]
expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules }, headers: { 'if-match': etag } })).status).toBe(200)

const records = '/api/v1/tables/deals/records'
const create = async (body: object) => (await json(app.call(records, { as: 'admin', body }))).id as number
const change = (as: 'admin' | 'editor', id: number, body: object, request: string) =>
  app.call(`${records}/${id}`, { as, method: 'PATCH', body, headers: { 'x-request-id': request } })
const remove = (as: 'admin' | 'editor', id: number) => app.call(`${records}/${id}`, { as, method: 'DELETE' })
const history = (id: number) => app.call(`${records}/${id}/history`, { as: 'editor' })
const undo = (request: string) => app.call(`/api/v1/changes/${request}/undo`, { as: 'editor', method: 'POST' })

const own = await create({ title: 'mine', owner: editor, margin: 1 })
const others = await create({ title: 'theirs', owner: 'somebody', margin: 2 })

describe('under rules of access, the history', () => {
  test('of a record that the caller may not read is not there', async () => {
    expect((await history(own)).status).toBe(200)
    await expectProblem(await history(others), 404, 'not_found')
    await expectProblem(await app.call(`${records}/${others}/history/1/restore`, { as: 'editor', method: 'POST' }), 404, 'not_found')
  })

  test('leaves out columns that are hidden today', async () => {
    await change('admin', own, { margin: 7, title: 'mine, dearer' }, 'by-admin')
    const { changes } = await json(history(own))
    const names = changes.map(({ changes: values }: { changes: { name: string }[] }) => values.map(({ name }) => name))
    expect(names).toEqual([['title'], ['id', 'title', 'owner']])
    expect(JSON.stringify(changes)).not.toContain('margin')
    const { requests } = await json(app.call('/api/v1/tables/deals/history', { as: 'editor' }))
    expect(requests).toEqual([])
    const dropped = await app.call('/api/v1/tables/deals/columns/margin?confirm=margin', { as: 'admin', method: 'DELETE' })
    expect(dropped.status).toBeLessThan(300)
    expect(await (await history(own)).text()).not.toContain('margin')
  })

  test('is restored within the rules', async () => {
    const { changes } = await json(history(own))
    await change('editor', own, { title: 'changed' }, 'own-change')
    const back = await app.call(`${records}/${own}/history/${changes.at(-1).id}/restore`, { as: 'editor', method: 'POST' })
    expect([back.status, (await back.json()).title]).toEqual([200, 'mine'])
  })
})

describe('under rules of access, the trash', () => {
  test('has the deleted records that the caller could read', async () => {
    const [mine, theirs] = [await create({ title: 'gone', owner: editor }), await create({ title: 'hidden', owner: 'somebody' })]
    for (const id of [mine, theirs]) await remove('admin', id)
    const { records: found } = await json(app.call('/api/v1/tables/deals/trash', { as: 'editor' }))
    expect(found.map(({ pk }: { pk: string }) => pk)).toEqual([String(mine)])
    const { records: all } = await json(app.call('/api/v1/tables/deals/trash', { as: 'admin' }))
    const hidden = all.find(({ pk }: { pk: string }) => pk === String(theirs))
    await expectProblem(
      await app.call(`/api/v1/tables/deals/trash/${hidden.id}/restore`, { as: 'editor', method: 'POST' }),
      404,
      'not_found',
    )
    expect((await history(mine)).status).toBe(200)
    await expectProblem(await history(theirs), 404, 'not_found')
    const restored = await app.call(`/api/v1/tables/deals/trash/${found[0].id}/restore`, { as: 'editor', method: 'POST' })
    expect(restored.status).toBe(201)
  })

  test.each([
    ['counts links', 'or=(owner.eq.@me,member_count.eq.0)'],
    ['excludes links', 'members(name)=not.eq.Ada'],
  ])('has no records under a rule that %s, which were deleted with them', async (_what, read) => {
    const made = async (path: string, body: object) => {
      const answer = await app.call(path, { as: 'admin', body })
      expect(answer.status).toBe(201)
      return answer.json()
    }
    const table = `tasks ${Bun.randomUUIDv7()}`
    const path = `/api/v1/tables/${encodeURIComponent(table)}`
    const people = await made('/api/v1/tables', { name: `people ${Bun.randomUUIDv7()}`, columns: [{ name: 'name', type: 'text' }] })
    const { id: member } = await made(`/api/v1/tables/${people.id}/records`, { name: 'Ada' })
    const columns = [
      { name: 'title', type: 'text' },
      { name: 'owner', type: 'user' },
      { name: 'members', type: 'manyLinks', options: { table: people.id } },
    ]
    await made('/api/v1/tables', { name: table, columns })
    await made(`${path}/columns`, { name: 'member_count', type: 'count', options: { link: 'members' } })
    const open = { group: 'everyone', table, read, create: 'all', update: 'all', delete: 'all' }
    expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules: [...rules, open] } })).status).toBe(200)
    const { id } = await made(`${path}/records`, { title: 'secret', members: [member] })
    const asEditor = (rest: string) => app.call(path + rest, { as: 'editor' })
    await expectProblem(await asEditor(`/records/${id}`), 404, 'not_found')
    const { cursor } = await json(asEditor('/changes?wait=0'))
    expect((await app.call(`${path}/records/${id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
    expect((await json(asEditor('/trash'))).records).toEqual([])
    await expectProblem(await asEditor(`/records/${id}/history`), 404, 'not_found')
    expect((await json(asEditor(`/changes?wait=0&after=${encodeURIComponent(cursor)}`))).changes).toEqual([])
    const { records: all } = await json(app.call(`${path}/trash`, { as: 'admin' }))
    const restore = await app.call(`${path}/trash/${all[0].id}/restore`, { as: 'editor', method: 'POST' })
    await expectProblem(restore, 404, 'not_found')
  })
})

describe('under rules of access, undo', () => {
  test('of what others did is refused where a rule narrows the table', async () => {
    await change('admin', own, { title: 'by an administrator' }, 'others-change')
    await expectProblem(await undo('others-change'), 403, 'forbidden')
  })

  test('does what the caller may do by hand, and else nothing', async () => {
    await change('editor', own, { title: 'x' }, 'mine-1')
    expect(await json(undo('mine-1'))).toMatchObject({ updated: 1 })
    // Given away: it is no record of theirs any more.
    const given = await create({ title: 'given', owner: editor })
    await change('editor', given, { title: 'given 2' }, 'mine-2')
    await change('admin', given, { owner: 'somebody' }, 'given-away')
    const { details } = await expectProblem(await undo('mine-2'), 409, 'conflict')
    expect(details).toEqual({ count: 1, changedSince: [] })
  })

  test('of what others did is possible where the lines leave the tables open, with links in history and trash', async () => {
    const made = async (path: string, body: object) => {
      const answer = await app.call(`/api/v1/tables${path}`, { as: 'admin', body })
      expect(answer.status).toBe(201)
      return answer.json()
    }
    await made('', { name: 'labels', columns: [{ name: 'name', type: 'text' }] })
    await made('', { name: 'issues', columns: [{ name: 'labels', type: 'manyLinks', options: { table: 'labels' } }] })
    for (const name of ['red', 'blue']) await made('/labels/records', { name })
    await made('/issues/records', { labels: [1] })
    const open = { group: 'everyone', table: '*', read: 'all', create: 'all', update: 'all', delete: 'all' }
    expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules: [...rules, open] } })).status).toBe(200)
    const issue = '/api/v1/tables/issues/records/1'
    const headers = { 'x-request-id': 'relabelled' }
    expect((await app.call(issue, { as: 'admin', method: 'PATCH', body: { labels: [2] }, headers })).status).toBe(200)
    const { changes } = await json(app.call(`${issue}/history`, { as: 'editor' }))
    expect(changes[0].changes).toEqual([expect.objectContaining({ name: 'labels', old: [1], new: [2] })])
    expect((await undo('relabelled')).status).toBe(200)
    expect((await json(app.call(issue, { as: 'editor' }))).labels).toEqual([1])
    expect((await app.call(issue, { as: 'editor', method: 'DELETE' })).status).toBe(204)
    const { records: found } = await json(app.call('/api/v1/tables/issues/trash', { as: 'editor' }))
    const restored = await app.call(`/api/v1/tables/issues/trash/${found[0].id}/restore`, { as: 'editor', method: 'POST' })
    expect([restored.status, (await restored.json()).labels]).toEqual([201, [1]])
  })
})
