import { beforeAll, describe, expect, test } from 'bun:test'
import { createToken } from '../../src/auth/accounts/tokens'
import { createUser } from '../../src/users/service'
import { json, password, startApp } from '../support/app'
import { makeForm, submit } from '../support/forms'
import { makeLink, openAsJson } from '../support/links'
import { until } from '../support/processes'

const app = await startApp()
const { db, passwords } = app.deps

const { user: grace } = await createUser(db, passwords, { email: 'grace@example.org', name: 'grace', role: 'editor', password }, null)
const { token } = await createToken(db, { user: grace, via: 'cookie', catalogVersion: 0 }, { name: 'test' }, null)

const admin = (path: string, method = 'GET', body?: unknown, headers: Record<string, string> = {}) =>
  app.call(path, { as: 'admin', method, body, headers })
const asGrace = (path: string) => fetch(app.url + path, { headers: { authorization: `Bearer ${token}` } })
const titles = async (table: string) =>
  (await json(asGrace(`/api/v1/tables/${encodeURIComponent(table)}/records`))).records?.map(({ title }: { title: string }) => title)

async function rename(path: string, name: string) {
  const answer = await admin(`/api/v1/tables/${path}`, 'PATCH', { name })
  expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
}

async function save(...rules: object[]): Promise<string> {
  const saved = await admin('/api/v1/access', 'PUT', { rules })
  expect([saved.status, await json(saved)]).toMatchObject([200, { problems: [] }])
  return saved.headers.get('etag')!
}

const document = async () => {
  const answer = await admin('/api/v1/access')
  return { etag: answer.headers.get('etag')!, ...(await json(answer)) }
}
const make = async (name: string, columns: object[], rows: object[] = []) => {
  const made = await json(admin('/api/v1/tables', 'POST', { name, columns }))
  if (rows.length > 0) expect((await admin(`/api/v1/tables/${made.id}/records`, 'POST', rows)).status).toBe(201)
  return made as { id: string }
}
const text = (name: string) => ({ name, type: 'text' })
const open = { group: 'everyone', read: 'all' }

let count = 0

/** Projects with a lead, and tasks that link to them: of grace is `a`. Each test has its own. */
async function world() {
  const [projects, tasks, people] = [`projects ${count}`, `tasks ${count}`, `people ${count++}`]
  const members = await make(
    people,
    [text('title'), { name: 'account', type: 'user' }],
    [
      { title: 'Grace', account: grace.id },
      { title: 'Bob', account: null },
    ],
  )
  const { id } = await make(
    projects,
    [text('title'), { name: 'lead', type: 'user' }, { name: 'crew', type: 'manyLinks', options: { table: members.id } }],
    [
      { title: 'of grace', lead: grace.id, crew: [1] },
      { title: 'of nobody', lead: null, crew: [2] },
    ],
  )
  const task = [text('title'), text('owner'), { name: 'project', type: 'link', options: { table: id } }]
  await make(tasks, task, [
    { title: 'a', owner: 'owner', project: 1 },
    { title: 'b', owner: 'other', project: 2 },
  ])
  return { projects, tasks, people }
}

describe('a rule goes on to mean the same', () => {
  test('where its table gets another name, and says so in history and audit log', async () => {
    const { tasks } = await world()
    const etag = await save({ ...open, table: tasks, read: 'owner=eq.owner' })
    await rename(tasks, `${tasks} "new"`)
    const { rules, problems, etag: now } = await document()
    expect([rules[0].table, rules[0].read, problems]).toEqual([`${tasks} "new"`, 'owner=eq.owner', []])
    expect(now).not.toBe(etag)
    expect((await admin('/api/v1/access', 'PUT', { rules: [] }, { 'if-match': etag })).status).toBe(412)
    expect(await titles(`${tasks} "new"`)).toEqual(['a'])
    const [change] = (await json(admin('/api/v1/access/changes'))).changes
    expect(change.renamed).toEqual({ from: tasks, to: `${tasks} "new"` })
    const [entry] = (await json(admin('/api/v1/audit?kind=access_changed'))).entries
    expect([entry.subjectId, entry.actorId]).toEqual([change.id, change.userId])
  })

  test('where a column does: its name is changed, and values that are spelt alike stay', async () => {
    const { tasks } = await world()
    const read = 'or=(owner.eq.owner,and(owner.eq."a,owner",title.in.(owner,"x,y")))'
    await save({ ...open, table: tasks, read, update: 'owner=in.(owner,me)&owner=not.is.null' })
    await rename(`${tasks}/columns/owner`, 'or, "not"')
    const [rule] = (await document()).rules
    const name = '"or, \\"not\\""'
    expect(rule.read).toBe(`or=(${name}.eq.owner,and(${name}.eq."a,owner",title.in.(owner,"x,y")))`)
    expect(await titles(tasks)).toEqual(['a'])
    await rename(`${tasks}/columns/${encodeURIComponent('or, "not"')}`, 'limit')
    expect(await titles(tasks)).toEqual(['a'])
    await rename(`${tasks}/columns/limit`, 'owner')
    expect((await document()).rules[0].read).toBe(read)
    expect((await document()).problems).toEqual([])
  })

  test('whatever variables and codes it has', async () => {
    const { tasks } = await world()
    const variables = ['owner=eq.@me', 'owner=in.@me.groups', 'or=(owner.eq.@me.email,owner.in.@me.groups)', 'owner=eq(any).@me.groups']
    for (const read of [...variables, 'owner=eq.%40me', 'owner=eq.a%26b%25c', 'owner=eq.a b', 'owner=in.("",a)']) {
      await save({ ...open, table: tasks, read })
      await rename(`${tasks}/columns/owner`, 'a=b&c')
      expect([read, (await document()).rules[0].read, (await document()).problems]).toEqual([
        read,
        read.replaceAll('owner', read.startsWith('or=') ? '"a=b%26c"' : '"a%3Db%26c"'),
        [],
      ])
      await rename(`${tasks}/columns/${encodeURIComponent('a=b&c')}`, 'owner')
      expect((await document()).rules[0].read).toBe(read)
    }
  })

  test('along links, by each of the names that a link has', async () => {
    const { tasks, projects, people } = await world()
    const byTable = `"${projects}".lead=eq.@me`
    await save({ ...open, table: tasks, read: byTable }, { ...open, table: projects, read: 'crew.account=eq.@me' })
    const isSame = async (task: string, project: string) => {
      const { rules, problems } = await document()
      expect(problems).toEqual([])
      expect(rules.map(({ read }: { read: string }) => read)).toEqual([task, project])
      expect([await titles(tasks), await titles(rules[1].table)]).toEqual([['a'], ['of grace']])
    }
    await isSame(byTable, 'crew.account=eq.@me')
    await rename(`${projects}/columns/lead`, 'head of it')
    await isSame(`"${projects}"."head of it"=eq.@me`, 'crew.account=eq.@me')
    await rename(projects, 'plans')
    await isSame(`plans."head of it"=eq.@me`, 'crew.account=eq.@me')
    await rename('plans/columns/crew', 'team')
    await isSame(`plans."head of it"=eq.@me`, 'team.account=eq.@me')
    await rename(`${people}/columns/account`, 'login')
    await isSame(`plans."head of it"=eq.@me`, 'team.login=eq.@me')
    await save({ ...open, table: tasks, read: 'project."head of it"=eq.@me' }, { ...open, table: 'plans', read: 'team.login=eq.@me' })
    await rename(`${tasks}/columns/project`, 'plan')
    await isSame('plan."head of it"=eq.@me', 'team.login=eq.@me')
    await rename('plans', projects)
  })

  test('where another table takes the name by which it follows a link', async () => {
    const { tasks, projects } = await world()
    await save({ ...open, table: tasks, read: 'project.lead=eq.@me' })
    const notes = `notes ${tasks}`
    await make(notes, [
      text('title'),
      { name: 'task', type: 'link', options: { table: (await json(admin(`/api/v1/tables/${tasks}`))).id } },
    ])
    await rename(notes, 'project')
    const { rules, problems } = await document()
    expect([rules[0].read, problems]).toEqual([`"${projects}".lead=eq.@me`, []])
    expect(await titles(tasks)).toEqual(['a'])
    await rename('project', notes)
  })

  test('in the lists of its columns', async () => {
    const { tasks } = await world()
    const etag = await save({ ...open, table: tasks, columns: { read: ['id', 'title'], write: ['owner'] } })
    await rename(`${tasks}/columns/title`, 'heading')
    const { rules, etag: now } = await document()
    expect(rules[0].columns).toEqual({ read: ['id', 'heading'], write: ['owner'] })
    expect(now).not.toBe(etag)
    expect(Object.keys((await json(asGrace(`/api/v1/tables/${encodeURIComponent(tasks)}/records`))).records[0])).toEqual(['id', 'heading'])
  })

  test('for all tables: the one that differs gets a line of its own, and no other gains anything', async () => {
    const [one, other] = [await world(), await world()]
    await save({ ...open, table: '*', read: 'owner=eq.owner' }, { ...open, table: one.projects }, { ...open, table: other.projects })
    await rename(`${one.tasks}/columns/owner`, 'keeper')
    const { rules, problems } = await document()
    expect(problems).toEqual([])
    expect(rules.map(({ table, read }: { table: string; read: string }) => [table, read]).slice(0, 2)).toEqual([
      ['*', 'owner=eq.owner'],
      [one.tasks, 'keeper=eq.owner'],
    ])
    expect([await titles(one.tasks), await titles(other.tasks)]).toEqual([['a'], ['a']])
    await save({ ...open, table: '*', read: 'keeper=eq.owner' })
    await rename(`${one.tasks}/columns/keeper`, 'warden')
    expect((await document()).rules.map(({ read }: { read: string }) => read)).toEqual(['warden=eq.owner'])
    expect([await titles(one.tasks), await titles(other.tasks)]).toEqual([['a'], undefined])
  })

  test('for a group that gets another name', async () => {
    const { tasks } = await world()
    const group = await json(admin('/api/v1/groups', 'POST', { name: 'sales', members: [grace.id] }))
    const etag = await save({ group: 'sales', table: tasks, read: 'owner=eq.owner' })
    expect((await admin(`/api/v1/groups/${group.id}`, 'PATCH', { name: 'selling' })).status).toBe(200)
    const now = await document()
    expect([now.rules[0].group, now.problems, now.etag === etag]).toEqual(['selling', [], false])
    expect((await json(admin('/api/v1/access/changes'))).changes[0].renamed).toEqual({ from: 'sales', to: 'selling' })
    expect(await titles(tasks)).toEqual(['a'])
    const why = await json(admin(`/api/v1/access/explain?user=grace@example.org&table=${encodeURIComponent(tasks)}&action=read`))
    expect(why.lines[0].group).toBe('selling')
  })
})

test('a rename that no rule names leaves the document as it is', async () => {
  const { tasks, projects } = await world()
  const etag = await save({ ...open, table: tasks, read: 'owner=eq.project' })
  await rename(`${projects}/columns/title`, 'heading')
  await rename(`${tasks}/columns/title`, 'owner of it')
  expect((await document()).etag).toBe(etag)
})

test('a rename past the service closes the table, and the document says so', async () => {
  const { tasks } = await world()
  await save({ ...open, table: tasks, read: 'owner=eq.owner' })
  await db.sql.unsafe(`alter table data."${tasks}" rename column owner to keeper`)
  expect((await document()).problems).toMatchObject([{ rule: 0 }])
  expect((await asGrace(`/api/v1/tables/${encodeURIComponent(tasks)}/records`)).status).toBe(403)
})

describe('a rename while the document is being saved', () => {
  const waiting = async () =>
    (await db.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`).length

  test('comes first: the document that was read before is refused, and nothing is lost', async () => {
    const { tasks } = await world()
    const etag = await save({ ...open, table: tasks, read: 'owner=eq.owner' })
    // Both wait for the table's lock: the rename for itself, the document for the rename.
    const held = await db.sql.reserve()
    await held.unsafe(`begin; select * from data."${tasks}"`)
    const renamed = admin(`/api/v1/tables/${encodeURIComponent(tasks)}/columns/owner`, 'PATCH', { name: 'keeper' })
    await until('the rename waits', async () => (await waiting()) > 0)
    const saved = admin('/api/v1/access', 'PUT', { rules: [{ ...open, table: tasks, read: 'owner=eq.other' }] }, { 'if-match': etag })
    await held.unsafe('rollback')
    held.release()
    const [status, put] = [(await renamed).status, await saved]
    expect(status).toBe(200)
    // Whichever was first, its rule is there by the new name.
    const { rules, problems } = await document()
    expect(problems).toEqual([])
    expect(rules[0].read).toBe(put.status === 200 ? 'keeper=eq.other' : 'keeper=eq.owner')
    expect([200, 412]).toContain(put.status)
  })

  test('loses no save and no name, in whatever order they come', async () => {
    const { tasks } = await world()
    await save({ ...open, table: tasks, read: 'owner=eq.owner' })
    for (let round = 0; round < 8; round++) {
      const { etag, rules } = await document()
      const [from, to] = round % 2 === 0 ? ['owner', 'keeper'] : ['keeper', 'owner']
      const read = rules[0].read.replace(/\.[^.]*$/, `.v${round}`)
      const [put, renamed] = await Promise.all([
        admin('/api/v1/access', 'PUT', { rules: [{ ...open, table: tasks, read }] }, { 'if-match': etag }),
        admin(`/api/v1/tables/${encodeURIComponent(tasks)}/columns/${from}`, 'PATCH', { name: to }),
      ])
      expect(renamed.status).toBe(200)
      expect([200, 412]).toContain(put.status)
      const now = await document()
      expect(now.problems).toEqual([])
      expect(now.rules[0].read).toBe(put.status === 200 ? `${to}=eq.v${round}` : rules[0].read.replace(from!, to!))
    }
  })
})

beforeAll(async () => {
  await admin('/api/v1/access', 'PUT', { rules: [] })
})

test('share links and the conditions of forms follow', async () => {
  await save()
  const { tasks, projects } = await world()
  const query = `select=heading:title,owner,"${projects}"(title)&owner=eq.owner&order=owner.desc,"${projects}"(title)&or=(title.eq.a,owner.eq.x)&limit=5`
  const link = await makeLink(app, { table: tasks, query }, 'admin')
  const before = await openAsJson(app, link.path)
  await rename(`${tasks}/columns/owner`, 'the keeper')
  await rename(projects, `new ${projects}`)
  await rename(`${encodeURIComponent(`new ${projects}`)}/columns/title`, 'name')
  const after = await openAsJson(app, link.path)
  expect(JSON.stringify(before)).toContain('of grace')
  expect(
    JSON.stringify(after).replaceAll(`new ${projects}`, projects).replaceAll('the keeper', 'owner').replaceAll('"name"', '"title"'),
  ).toBe(JSON.stringify(before))
  const shown = [{ column: 'the keeper' }, { column: 'title', shownIf: '"the keeper"=eq.a&"the keeper"=not.in.(b,c)' }]
  const name = await makeForm(app, tasks, shown)
  await rename(`${tasks}/columns/${encodeURIComponent('the keeper')}`, 'owner')
  const form = await json(admin(`/api/v1/form-definitions/${name}`))
  expect([form.problems, form.fields[1].shownIf]).toEqual([[], 'owner=eq.a&owner=not.in.(b,c)'])
  expect((await submit(app, name, { owner: 'a', title: 'shown' })).status).toBe(200)
})

test('a form that is saved during a rename has the new names, or is refused', async () => {
  await save()
  const { tasks } = await world()
  const name = await makeForm(app, tasks, [{ column: 'title' }])
  for (let round = 0; round < 12; round++) {
    const [from, to] = round % 2 === 0 ? ['owner', 'keeper'] : ['keeper', 'owner']
    const fields = [{ column: from }, { column: 'title', shownIf: `${from}=eq.v${round}` }]
    const [patched, renamed] = await Promise.all([
      admin(`/api/v1/form-definitions/${name}`, 'PATCH', { fields }),
      admin(`/api/v1/tables/${encodeURIComponent(tasks)}/columns/${from}`, 'PATCH', { name: to }),
    ])
    expect(renamed.status).toBe(200)
    expect([200, 422]).toContain(patched.status)
    const form = await json(admin(`/api/v1/form-definitions/${name}`))
    expect(form.problems).toEqual([])
    if (patched.status === 200) expect(form.fields[1].shownIf).toBe(`${to}=eq.v${round}`)
  }
})
