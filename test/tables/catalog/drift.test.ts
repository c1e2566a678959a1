import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

/** What psql does behind Rowhouse's back, and what Rowhouse's own changes make of it. */
const app = await startApp()
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const psql = async (text: string) => {
  await app.deps.db.sql.unsafe(text)
  await app.deps.catalog.refresh()
}
const columnsOf = async (table: string) => (await json(app.call(`/api/v1/tables/${table}`, { as: 'viewer' }))).columns

test('a table that psql dropped or renamed frees its name', async () => {
  for (const name of ['one', 'two', 'three']) await admin('', 'POST', { name, columns: [{ name: 'a', type: 'text' }] })
  await psql('drop table data.one; alter table data.two rename to second')
  expect((await admin('', 'POST', { name: 'one', columns: [{ name: 'b', type: 'email' }] })).status).toBe(201)
  expect((await admin('/three', 'PATCH', { name: 'two' })).status).toBe(200)
  expect((await columnsOf('one')).map(({ type }: { type: string }) => type)).toEqual(['bigint', 'email'])
  expect((await columnsOf('second')).map(({ name }: { name: string }) => name)).toEqual(['id', 'a'])
})

test('a column that psql dropped or renamed frees its name', async () => {
  await admin('', 'POST', { name: 'odd', columns: ['a', 'b', 'c'].map((name) => ({ name, type: 'text' })) })
  await psql('alter table data.odd drop column a, add column extra int; alter table data.odd rename b to d')
  expect((await admin('/odd/columns', 'POST', { name: 'a', type: 'integer' })).status).toBe(201)
  expect((await admin('/odd/columns/c', 'PATCH', { name: 'b' })).status).toBe(200)
  expect((await admin('/odd/columns/d', 'PATCH', { type: 'email' })).status).toBe(200)
  expect((await admin('/odd/columns/extra', 'PATCH', { name: 'more', options: { min: 1 } })).status).toBe(200)
  const columns = await columnsOf('odd')
  expect(columns.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`).sort()).toEqual(
    ['id bigint', 'a integer', 'b text', 'd email', 'more integer'].sort(),
  )
  await expectProblem(await app.call('/api/v1/tables/odd/records', { as: 'editor', body: { more: 0 } }), 422, 'validation_failed')
})

test('a table between that psql dropped takes its column along, and the name is free', async () => {
  await admin('', 'POST', { name: 'friends', columns: [{ name: 'of', type: 'manyLinks', options: { table: 'friends' } }] })
  await psql('drop table data.friends_of')
  expect(await columnsOf('friends')).toHaveLength(1)
  expect((await admin('/friends/columns', 'POST', { name: 'of', type: 'manyLinks', options: { table: 'friends' } })).status).toBe(201)
  const record = await json(app.call('/api/v1/tables/friends/records', { as: 'editor', body: { of: [] } }))
  expect(record).toEqual({ id: 1, of: [] })
  expect((await admin('/friends_of', 'PATCH', { name: 'x' })).status).toBe(409)
})

test('constraints that psql dropped or made are no obstacle', async () => {
  await admin('', 'POST', {
    name: 'rules',
    columns: [
      { name: 'a', type: 'select', options: { choices: ['x'] }, unique: true },
      { name: 'b', type: 'integer' },
    ],
  })
  await psql('alter table data.rules drop constraint a_choices; create unique index on data.rules (b)')
  expect((await admin('/rules/columns/a', 'PATCH', { name: 'z' })).status).toBe(200)
  expect((await admin('/rules/columns/z', 'PATCH', { options: { choices: ['y'] } })).status).toBe(200)
  expect((await admin('/rules/columns/z', 'PATCH', { unique: false })).status).toBe(200)
  const { errors } = await expectProblem(await admin('/rules/columns/b', 'PATCH', { unique: false }), 409, 'conflict')
  expect(errors![0]!.path).toBe('/unique')
  await psql('alter table data.rules add constraint b_range check (b > 0)')
  expect((await admin('/rules/columns/b', 'PATCH', { options: { min: 5 } })).status).toBe(200)
})
