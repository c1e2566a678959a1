import { beforeEach, describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

/** Rules along the links of the records themselves, which a write changes after the records. */
const app = await startApp()
const made = async (path: string, body: object) => {
  const answer = await app.call(path, { as: 'admin', body })
  expect(answer.status).toBe(201)
  return answer.json()
}
await made('/api/v1/tables', { name: 'teams', columns: [{ name: 'name', type: 'text' }] })
const columns = [
  { name: 'title', type: 'text' },
  { name: 'teams', type: 'manyLinks', options: { table: 'teams' } },
]
await made('/api/v1/tables', { name: 'tasks', columns })
for (const name of ['A', 'B']) await made('/api/v1/tables/teams/records', { name })

const tasks = '/api/v1/tables/tasks/records'
const send = (path: string, method: string, body: object) => app.call(path, { as: 'editor', method, body })
const upload = (mode: string, body: string) =>
  app.call(`/api/v1/tables/tasks/import?mode=${mode}`, { as: 'editor', method: 'POST', body, headers: { 'content-type': 'text/csv' } })
const stored = async () => (await json(app.call(`${tasks}?select=title,teams&order=id`, { as: 'admin' }))).records

async function save(more: object) {
  const rule = { group: 'everyone', table: 'tasks', read: 'all', create: 'all', update: 'all', delete: 'all', ...more }
  expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules: [rule] } })).status).toBe(200)
}

beforeEach(async () => {
  await app.deps.db.query('truncate data.tasks, data.tasks_teams restart identity')
  await made(tasks, { title: 'old', teams: [1] })
})

test('a record is created with the links that its rule asks for', async () => {
  await save({ create: 'teams(name)=eq.A' })
  expect((await send(tasks, 'POST', { title: 'x', teams: [1] })).status).toBe(201)
  expect((await send(tasks, 'POST', { title: 'x', teams: [2] })).status).toBe(403)
  expect((await send(tasks, 'POST', { title: 'x' })).status).toBe(403)
  expect((await send(tasks, 'POST', [{ title: 'y', teams: [1] }, { title: 'y' }])).status).toBe(403)
  await save({ create: 'teams(name)=not.eq.A' })
  expect((await send(tasks, 'POST', { title: 'x', teams: [1] })).status).toBe(403)
  expect((await send(tasks, 'POST', { title: 'z', teams: [2] })).status).toBe(201)
  expect((await stored()).map(({ title }: { title: string }) => title)).toEqual(['old', 'x', 'z'])
})

describe.each([
  ['PUT', (id: number, teams: number[]) => send(`${tasks}/${id}`, 'PUT', { title: 'put', teams })],
  [
    'an upsert',
    (id: number, teams: number[]) =>
      app.call('/rest/v1/tasks', { as: 'editor', body: { id, title: 'put', teams }, headers: { prefer: 'resolution=merge-duplicates' } }),
  ],
])('%s with links to many', (_name, put) => {
  test('creates no record with links that the rule for new records forbids', async () => {
    await save({ create: 'teams(name)=not.eq.A' })
    expect((await put(7, [1])).status).toBe(403)
    expect(await stored()).toEqual([{ title: 'old', teams: [1] }])
    expect((await put(7, [2])).status).toBe(201)
    expect((await put(1, [1, 2])).status).toBe(200)
    expect(await stored()).toEqual([
      { title: 'put', teams: [1, 2] },
      { title: 'put', teams: [2] },
    ])
  })

  test('changes no record to links that the rule for changes forbids, and creates such records', async () => {
    await save({ update: 'teams(name)=not.eq.B' })
    expect((await put(1, [1, 2])).status).toBe(403)
    expect(await stored()).toEqual([{ title: 'old', teams: [1] }])
    expect((await put(7, [2])).status).toBe(201)
    expect((await stored())[1]).toEqual({ title: 'put', teams: [2] })
  })
})

test('an upsert of several records with links says that a rule forbids one of them', async () => {
  await save({ update: 'title=neq.old' })
  const body = [1, 7].map((id) => ({ id, title: 'put', teams: [2] }))
  const answer = await app.call('/rest/v1/tasks', { as: 'editor', body, headers: { prefer: 'resolution=merge-duplicates' } })
  expect([answer.status, (await answer.json()).message]).toEqual([403, 'You may not change this record in this way.'])
  expect(await stored()).toEqual([{ title: 'old', teams: [1] }])
})

test('links that the rule for changes follows are not written from their other side', async () => {
  await made('/api/v1/tables/teams/columns', { name: 'tasks', type: 'reverseLinks', options: { table: 'tasks', column: 'teams' } })
  const team = (body: object) => send('/api/v1/tables/teams/records/2', 'PATCH', body)
  const rest = (body: object) => app.call('/rest/v1/teams?id=eq.2', { as: 'editor', method: 'PATCH', body })
  await save({ update: 'teams(name)=eq.B' })
  expect((await send(`${tasks}/1`, 'PATCH', { teams: [2] })).status).toBe(403)
  expect((await team({ tasks: [1] })).status).toBe(403)
  expect((await rest({ tasks: [1] })).status).toBe(403)
  expect((await send('/api/v1/tables/teams/records', 'POST', { name: 'C', tasks: [1] })).status).toBe(403)
  expect((await team({ name: 'B' })).status).toBe(200)
  expect(await stored()).toEqual([{ title: 'old', teams: [1] }])
  for (const rule of [{ create: 'teams(name)=eq.B' }, { update: 'title=eq.old' }]) {
    await save(rule)
    expect((await team({ tasks: [1] })).status).toBe(200)
    expect(await stored()).toEqual([{ title: 'old', teams: [1, 2] }])
    expect((await team({ tasks: [] })).status).toBe(200)
  }
})

describe('a file with links to many', () => {
  test('is judged with the links that it writes', async () => {
    await save({ read: 'teams(name)=eq.A', update: 'teams(name)=eq.A' })
    expect((await send(`${tasks}/1`, 'PATCH', { teams: [2] })).status).toBe(403)
    expect((await upload('upsert', 'id,teams\n1,[2]\n')).status).toBe(403)
    expect(await stored()).toEqual([{ title: 'old', teams: [1] }])
    expect((await upload('upsert', 'id,teams\n1,"[1,2]"\n')).status).toBe(200)
    expect(await stored()).toEqual([{ title: 'old', teams: [1, 2] }])
  })

  test.each([
    ['insert', 'title,teams\nnew,'],
    ['upsert', 'id,title,teams\n,new,'],
  ])('creates no record by %s that its links forbid', async (mode, text) => {
    await save({ create: 'teams(name)=not.eq.B' })
    expect((await upload(mode, `${text}[2]\n`)).status).toBe(403)
    expect((await upload(mode, `${text}[1]\n`)).status).toBe(200)
    expect(await stored()).toEqual([
      { title: 'old', teams: [1] },
      { title: 'new', teams: [1] },
    ])
  })

  test('creates records without a key that could not be changed afterwards', async () => {
    await save({ update: 'teams(name)=eq.A' })
    expect((await upload('upsert', 'id,title,teams\n,new,[2]\n')).status).toBe(200)
    expect((await stored())[1]).toEqual({ title: 'new', teams: [2] })
  })
})
