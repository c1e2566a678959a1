import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'

const app = await startApp()
const tables = (path: string, method: string, body?: object) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const records = (table: string, rest = '') => `/api/v1/tables/${table}/records${rest}`
const create = async (table: string, body: object) => (await json(app.call(records(table), { as: 'admin', body }))).id as number
const members = { name: 'members', type: 'manyLinks', options: { table: 'people' } }

expect((await tables('', 'POST', { name: 'people', columns: [{ name: 'name', type: 'text' }] })).status).toBe(201)
const [ada, bob] = [await create('people', { name: 'Ada' }), await create('people', { name: 'Bob' })]

type Change = { changes: { name: string; old: number[]; new: number[] }[] }
/** How the links of a record have changed, the last change first. */
const linksOf = async (table: string, id: number) => {
  const { changes } = await json(app.call(records(table, `/${id}/history`), { as: 'admin' }))
  return changes.flatMap(({ changes: values }: Change) =>
    values.filter(({ name }) => name === 'members').map((value) => [value.old, value.new]),
  )
}

test('a table that is made again under its name has no links of the deleted one in its history', async () => {
  const make = async () => expect((await tables('', 'POST', { name: 'clubs', columns: [members] })).status).toBe(201)
  await make()
  const before = await create('clubs', { members: [ada] })
  expect((await tables('/clubs?confirm=clubs', 'DELETE')).status).toBe(204)
  await make()
  const after = await create('clubs', { members: [bob] })
  expect(after).toBe(before)
  await app.call(records('clubs', `/${after}`), { as: 'admin', method: 'PATCH', body: { members: [ada, bob] } })
  expect(await linksOf('clubs', after)).toEqual([
    [[], [ada]],
    [[], [bob]],
  ])
})

test('a list that is made again under its name gets no links of the deleted one', async () => {
  expect((await tables('', 'POST', { name: 'teams', columns: [members] })).status).toBe(201)
  const [left, gone] = [await create('teams', { members: [ada] }), await create('teams', { members: [ada, bob] })]
  await app.call(records('teams', `/${gone}`), { as: 'admin', method: 'DELETE', headers: { 'x-request-id': 'gone' } })
  expect((await tables('/teams/columns/members?confirm=members', 'DELETE')).status).toBe(204)
  expect((await tables('/teams/columns', 'POST', members)).status).toBe(201)
  expect(await linksOf('teams', left)).toEqual([])
  await expectProblem(await app.call('/api/v1/changes/gone/undo', { as: 'admin', method: 'POST' }), 409, 'conflict')
  const [{ id }] = (await json(tables('/teams/trash', 'GET'))).records
  expect((await tables(`/teams/trash/${id}/restore`, 'POST')).status).toBe(201)
  expect(await json(app.call(records('teams', `/${gone}`), { as: 'admin' }))).toMatchObject({ id: gone, members: [] })
  await app.call(records('teams', `/${left}`), { as: 'admin', method: 'PATCH', body: { members: [bob] } })
  expect(await linksOf('teams', left)).toEqual([[[], [bob]]])
})

test('an undo of a change of links alone leaves a table that was made again under its name', async () => {
  const make = async () => expect((await tables('', 'POST', { name: 'crews', columns: [members] })).status).toBe(201)
  const change = async (id: number, links: number[], requestId: string) => {
    const headers = { 'x-request-id': requestId }
    const answer = await app.call(records('crews', `/${id}`), { as: 'admin', method: 'PATCH', body: { members: links }, headers })
    expect(answer.status).toBe(200)
  }
  const undo = (requestId: string) => app.call(`/api/v1/changes/${requestId}/undo`, { as: 'admin', method: 'POST' })
  const present = async (id: number) => (await json(app.call(records('crews', `/${id}`), { as: 'admin' }))).members
  await make()
  const before = await create('crews', { members: [ada] })
  await change(before, [], 'emptied')
  expect((await tables('/crews?confirm=crews', 'DELETE')).status).toBe(204)
  await make()
  const after = await create('crews', { members: [] })
  expect(after).toBe(before)
  await expectProblem(await undo('emptied'), 409, 'conflict')
  expect(await present(after)).toEqual([])
  await change(after, [bob], 'filled')
  expect((await undo('filled')).status).toBe(200)
  expect(await present(after)).toEqual([])
})
