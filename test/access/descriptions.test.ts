import { beforeAll, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { makePerson } from '../support/people'

/** How tables are described to callers whose access is narrowed, and named in the document. */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'ext' })
const { token } = await makePerson(app)

const send = (path: string) => fetch(app.url + path, { headers: { authorization: `Bearer ${token}` } })
const records = async (table: string, query = '') => (await json(send(`/api/v1/tables/${table}/records${query}`))).records
const made = async (path: string, body: object) => expect((await app.call(path, { as: 'admin', body })).status).toBe(201)
async function save(...rules: object[]) {
  const answer = await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })
  expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
}
const line = (table: string, more: object = {}) => ({
  ...{ group: 'everyone', table, read: 'all', create: 'all', update: 'all', delete: 'all' },
  ...more,
})

beforeAll(() => made('/api/v1/tables', { name: 'books', columns: [{ name: 'title', type: 'text' }] }))

test('a count that filters by a hidden column is described without its filter', async () => {
  const columns = [
    { name: 'secret', type: 'text' },
    { name: 'shelf', type: 'link', options: { table: 'shelves' } },
  ]
  await made('/api/v1/tables', { name: 'shelves', columns: [{ name: 'name', type: 'text' }] })
  await made('/api/v1/tables', { name: 'boxes', columns })
  await made('/api/v1/tables/shelves/columns', { name: 'boxes', type: 'reverseLinks', options: { table: 'boxes', column: 'shelf' } })
  const options = { link: 'boxes', filter: [{ column: 'secret', operator: 'eq', value: 'poison' }] }
  await made('/api/v1/tables/shelves/columns', { name: 'risky', type: 'count', options })
  await save(line('boxes', { columns: { read: ['shelf'], write: ['shelf'] } }))
  const table = await json(send('/api/v1/tables/shelves'))
  const risky = table.columns.find(({ name }: { name: string }) => name === 'risky')
  expect(risky.options).toEqual({ problem: 'A column that it reads cannot be read.' })
})

test('a filter that psql made unreadable leaves a count without values, for members as for others', async () => {
  const columns = [
    { name: 'part', type: 'text' },
    { name: 'whole', type: 'link', options: { table: 'wholes' } },
  ]
  await made('/api/v1/tables', { name: 'wholes', columns: [{ name: 'name', type: 'text' }] })
  await made('/api/v1/tables', { name: 'parts', columns })
  await made('/api/v1/tables/wholes/columns', { name: 'parts', type: 'reverseLinks', options: { table: 'parts', column: 'whole' } })
  const options = { link: 'parts', filter: [{ column: 'part', operator: 'eq', value: 'one' }] }
  await made('/api/v1/tables/wholes/columns', { name: 'ones', type: 'count', options })
  await made('/api/v1/tables/wholes/records', { name: 'all' })
  await save(line('books'))
  expect(await records('wholes', '?select=ones')).toEqual([{ ones: 0 }])
  await app.deps.db.sql.unsafe('alter table data.parts alter part type integer using null')
  await app.deps.catalog.refresh()
  expect(await records('wholes', '?select=ones')).toEqual([{ ones: null }])
  const described = await json(send('/api/v1/tables/wholes'))
  const { problem, ...others } = described.columns.find(({ name }: { name: string }) => name === 'ones').options
  expect(problem).toContain('was made for another type of the column')
  expect(Object.keys(others).sort()).toEqual(['filter', 'link'])
})

test('the document names tables so that they mean the same when it is saved again', async () => {
  await app.deps.db.sql.unsafe(`
    create schema ext;
    create table ext.books (id int primary key);
    create table data."ext.books" (id int primary key);`)
  const tables = (await json(app.call('/api/v1/tables', { as: 'admin' }))).tables as { id: string; schema: string; name: string }[]
  const named = tables.filter(({ schema, name }) => schema === 'ext' || name.endsWith('books'))
  expect(named).toHaveLength(3)
  await save(...named.map(({ id }) => line(id, { create: 'none' })))
  const { rules } = await json(app.call('/api/v1/access', { as: 'admin' }))
  const ids = async (references: string[]) =>
    Promise.all(references.map(async (name) => (await json(app.call(`/api/v1/tables/${name}`, { as: 'admin' }))).id as string))
  expect(await ids(rules.map(({ table }: { table: string }) => table))).toEqual(named.map(({ id }) => id))
  await save(...rules)
  expect((await json(app.call('/api/v1/access', { as: 'admin' }))).rules).toEqual(rules)
})
