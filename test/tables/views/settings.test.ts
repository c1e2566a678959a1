import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const view = (as?: 'admin' | 'editor' | 'viewer', body?: unknown, table = 'books') =>
  app.call(`/api/v1/tables/${table}/view`, { as, ...(body === undefined ? {} : { method: 'PUT', body }) })
const { id } = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [{ name: 'title', type: 'text' }] } }))

test('every user has a view of their own, also who may only read', async () => {
  expect(await json(view('viewer'))).toEqual({})
  const settings = { columns: [{ id: 'x', width: 200 }], sort: null, note: '<b>"ü🦊\\' }
  const kept = await view('viewer', settings)
  expect({ status: kept.status, body: await kept.json() }).toEqual({ status: 200, body: settings })
  expect(await json(view('viewer'))).toEqual(settings)
  expect(await json(view('editor'))).toEqual({})
  await view('viewer', { other: true }, id)
  expect(await json(view('viewer'))).toEqual({ other: true })
  expect((await view()).status).toBe(401)
})

test.each([
  ['[]', 422],
  ['"x"', 422],
  ['null', 422],
  ['{', 400],
  ['{"a":"\\u0000"}', 422],
  ['{"a":"\\ud800"}', 422],
  [`{"a":"${'x'.repeat(64 * 1024)}"}`, 413],
])('refuses %.20s', async (body, status) => {
  expect((await view('viewer', body)).status).toBe(status)
})

test('64 KB fit', async () => {
  expect((await view('viewer', { a: 'x'.repeat(64 * 1024 - 8) })).status).toBe(200)
})

test('it goes with the table, and with the user', async () => {
  await expectProblem(await view('viewer', {}, 'nowhere'), 404, 'not_found')
  const count = async () => (await app.deps.db.query('select 1 from rowhouse.table_views')).length
  const { user } = await json(app.call('/api/v1/auth/me', { as: 'viewer' }))
  await view('editor', { a: 1 })
  expect(await count()).toBe(2)
  expect((await app.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
  expect(await count()).toBe(1)
  await app.call('/api/v1/tables/books?confirm=books', { as: 'admin', method: 'DELETE' })
  expect(await count()).toBe(0)
})
