import { expect, test } from 'bun:test'
import { maintainIndexes } from '../../../src/tables/definitions/schema-lock'
import { json, startApp } from '../../support/app'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
const { sql } = app.deps.db
type Body = Record<string, unknown>
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const add = async (table: string, name: string, type: string, options: Body) =>
  expect((await admin(`/${table}/columns`, 'POST', { name, type, options })).status).toBe(201)
const drop = async (table: string, name: string) =>
  expect((await admin(`/${table}/columns/${name}?confirm=${name}`, 'DELETE')).status).toBe(204)

/** The indexes of a table except its key, without the random names. */
const indexesOf = async (table: string, schema = 'data') =>
  (
    await sql<{ text: string }[]>`select regexp_replace(pg_get_indexdef(i.indexrelid), '^.*(rollups)?.* USING ', '') as text
      from pg_index i where i.indrelid = ${`${schema}.${table}`}::regclass and not i.indisprimary order by 1`
  ).map(({ text }) => text)
const namesOf = async (table: string) =>
  (
    await sql`select indexrelid::regclass::text as name from pg_index where indrelid = ${`data.${table}`}::regclass and not indisprimary`
  ).map(({ name }) => name)

async function makeTables(name: string, link: Body = {}): Promise<[string, string]> {
  const [owners, lines] = [`${name} owners`, `${name}_lines`]
  expect((await admin('', 'POST', { name: owners, columns: [{ name: 'name', type: 'text' }] })).status).toBe(201)
  const columns = [
    { name: 'owner', type: 'link', options: { table: owners }, ...link },
    { name: 'amount', type: 'decimal' },
    { name: 'quantity', type: 'integer' },
    { name: 'due "date"', type: 'date' },
    { name: 'paid', type: 'boolean' },
    { name: 'note', type: 'text' },
  ]
  expect((await admin('', 'POST', { name: lines, columns })).status).toBe(201)
  await add(owners, 'lines', 'reverseLinks', { table: lines, column: 'owner' })
  return [owners, lines]
}

const rollup = (owners: string, name: string, column: string, fn = 'sum', more: Body = {}) =>
  add(owners, name, 'rollup', { link: 'lines', column, function: fn, ...more })

test('the index of a link includes what rollups read, in place of the plain one', async () => {
  const [owners, lines] = await makeTables('made')
  expect(await indexesOf(lines)).toEqual(['btree (owner)'])
  await rollup(owners, 'total', 'amount')
  expect(await indexesOf(lines)).toEqual(['btree (owner) INCLUDE (amount)'])
  const [before] = await namesOf(lines)
  await rollup(owners, 'again', 'amount', 'avg')
  await rollup(owners, 'notes', 'note', 'list')
  await add(owners, 'number', 'count', { link: 'lines' })
  expect(await namesOf(lines)).toEqual([before])
  await rollup(owners, 'first', 'due "date"', 'min', { filter: [{ column: 'paid', operator: 'is', value: 'true' }] })
  expect(await indexesOf(lines)).toEqual(['btree (owner) INCLUDE (amount, "due ""date""", paid)'])
  await drop(owners, 'first')
  expect(await indexesOf(lines)).toEqual(['btree (owner) INCLUDE (amount)'])
  await drop(owners, 'total')
  await drop(owners, 'again')
  expect(await indexesOf(lines)).toEqual(['btree (owner)'])
  await drop(lines, 'amount')
  expect(await indexesOf(lines)).toEqual(['btree (owner)'])
})

test('it follows another column of a rollup, renames and other types', async () => {
  const [owners, lines] = await makeTables('changed')
  await rollup(owners, 'total', 'amount', 'max')
  const { columns } = await json(admin(`/${owners}`, 'GET'))
  const { options } = columns.find(({ name }: Body) => name === 'total')
  expect((await admin(`/${owners}/columns/total`, 'PATCH', { options: { ...options, column: 'quantity' } })).status).toBe(200)
  expect(await indexesOf(lines)).toEqual(['btree (owner) INCLUDE (quantity)'])
  expect((await admin(`/${lines}/columns/quantity`, 'PATCH', { name: 'pieces' })).status).toBe(200)
  expect((await admin(`/${lines}/columns/owner`, 'PATCH', { name: 'belongs to' })).status).toBe(200)
  expect((await admin(`/${lines}`, 'PATCH', { name: 'changed rows' })).status).toBe(200)
  expect(await indexesOf('"changed rows"')).toEqual(['btree ("belongs to") INCLUDE (pieces)'])
  expect((await admin('/changed rows/columns/pieces', 'PATCH', { type: 'bigint' })).status).toBe(200)
  expect(await indexesOf('"changed rows"')).toEqual(['btree ("belongs to") INCLUDE (pieces)'])
  expect((await admin('/changed rows/columns/pieces', 'PATCH', { type: 'text' })).status).toBe(200)
  expect(await indexesOf('"changed rows"')).toEqual(['btree ("belongs to")'])
  const long = { 'belongs to': null, pieces: Array.from({ length: 9000 }, (_, index) => (index * index) % 7919).join('') }
  expect((await app.call('/api/v1/tables/changed rows/records', { as: 'editor', body: long })).status).toBe(201)
})

test('a page of records reads the sums from the index alone', async () => {
  const [owners, lines] = await makeTables('read')
  await rollup(owners, 'total', 'amount')
  await sql.unsafe(`insert into data."${owners}" (name) select 'x' from generate_series(1, 100)`)
  await sql.unsafe(
    `insert into data.${lines} (owner, amount, note) select 1 + n % 100, n, repeat('x', 100) from generate_series(1, 5000) n`,
  )
  await sql.unsafe(`vacuum analyze data.${lines}`)
  const reads = async () => Number((await sql`select sum(idx_tup_fetch) as n from pg_stat_user_indexes where relname = ${lines}`)[0]!.n)
  const plan = await sql.unsafe(`explain select sum(x.amount) from data.${lines} x where x.owner = 7`)
  expect(JSON.stringify(plan)).toContain('Index Only Scan')
  expect(await reads()).toBe(0)
  const { records } = await json(app.call(`/api/v1/tables/${owners}/records?select=id,total&order=id&limit=2`, { as: 'viewer' }))
  expect(records).toEqual([
    { id: 1, total: 127500 },
    { id: 2, total: 122550 },
  ])
})

test('an index made by hand that includes as much stays, and takes its place', async () => {
  const [owners, lines] = await makeTables('by_hand')
  await rollup(owners, 'total', 'amount')
  await sql.unsafe(`create index by_hand on data.${lines} (owner) include (amount, quantity)`)
  await rollup(owners, 'pieces', 'quantity')
  expect(await namesOf(lines)).toEqual(['data.by_hand'])
  await drop(owners, 'total')
  await drop(owners, 'pieces')
  expect(await namesOf(lines)).toEqual(['data.by_hand'])
})

test('what psql has dropped with a column is built again', async () => {
  const [owners, lines] = await makeTables('dropped')
  await rollup(owners, 'total', 'amount')
  await rollup(owners, 'pieces', 'quantity')
  await sql.unsafe(`alter table data.${lines} drop column amount`)
  expect(await indexesOf(lines)).toEqual([])
  await maintainIndexes(app.deps)
  expect(await indexesOf(lines)).toEqual(['btree (owner) INCLUDE (quantity)'])
  const version = async () => (await sql`select version::text as version from rowhouse.catalog_version`)[0]!.version
  const before = await version()
  await maintainIndexes(app.deps)
  expect(await version()).toBe(before)
})

test('unique links, many columns and tables that Rowhouse did not make keep their indexes', async () => {
  const [unique, one] = await makeTables('one', { unique: true })
  await rollup(unique, 'total', 'amount')
  expect(await indexesOf(one)).toEqual(['btree (owner)'])
  const [owners, lines] = await makeTables('many')
  for (let each = 0; each < 9; each++) {
    expect((await admin(`/${lines}/columns`, 'POST', { name: `n${each}`, type: 'integer' })).status).toBe(201)
    await rollup(owners, `sum${each}`, `n${each}`)
  }
  expect(await indexesOf(lines)).toEqual(['btree (owner)'])
  await sql.unsafe(
    `create schema if not exists crm; create table crm.lines (id bigint primary key, owner bigint references data."${owners}", amount int)`,
  )
  await app.deps.catalog.refresh()
  await add(owners, 'crm lines', 'reverseLinks', { table: 'crm.lines', column: 'owner' })
  await add(owners, 'crm total', 'rollup', { link: 'crm lines', column: 'amount', function: 'sum' })
  expect(await indexesOf('lines', 'crm')).toEqual([])
})

test('a rollup is made while somebody writes to the table, and gets its index later', async () => {
  const [owners, lines] = await makeTables('busy')
  const writer = await sql.reserve()
  await writer.unsafe(`begin; lock table data.${lines} in row exclusive mode`)
  await rollup(owners, 'total', 'amount')
  expect(await indexesOf(lines)).toEqual(['btree (owner)'])
  await writer.unsafe('rollback')
  writer.release()
  await maintainIndexes(app.deps)
  expect(await indexesOf(lines)).toEqual(['btree (owner) INCLUDE (amount)'])
})
