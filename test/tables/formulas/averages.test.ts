import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

const app = await startApp()
type Body = Record<string, unknown>
const admin = async (path: string, body: Body | Body[]) => {
  const answer = await app.call(`/api/v1/tables${path}`, { as: 'admin', body })
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 201 })
}
const add = (table: string, name: string, type: string, options: Body) => admin(`/${table}/columns`, { name, type, options })
const first = async (table: string, select: string) =>
  (await json(app.call(`/api/v1/tables/${table}/records?order=id&limit=1&select=${select}`, { as: 'viewer' }))).records[0]
const idOf = async (table: string, name: string) =>
  (await json(app.call(`/api/v1/tables/${table}`, { as: 'admin' }))).columns.find((column: Body) => column.name === name).id

test('the rounding error of an average shows in no formula, whatever the type of its numbers is', async () => {
  const types = ['integer', 'decimal', 'currency', 'percent', 'duration']
  await admin('', { name: 'baskets', columns: [{ name: 'name', type: 'text' }] })
  const columns = types.map((type) => ({ name: type, type }))
  await admin('', { name: 'items', columns: [{ name: 'basket', type: 'link', options: { table: 'baskets' } }, ...columns] })
  await add('baskets', 'items', 'reverseLinks', { table: 'items', column: await idOf('items', 'basket') })
  await admin('/baskets/records', { name: 'one' })
  const rows = [3, 3, 4].map((number) => ({ basket: 1, ...Object.fromEntries(types.map((type) => [type, number])) }))
  await admin('/items/records', rows)
  for (const type of types) {
    await add('baskets', `mean ${type}`, 'rollup', { link: 'items', column: type, function: 'avg' })
    await add('baskets', `thrice ${type}`, 'formula', { formula: `INT({mean ${type}} * 3)` })
    await add('items', `mean ${type}`, 'lookup', { link: 'basket', column: `mean ${type}` })
    await add('items', `thrice ${type}`, 'formula', { formula: `INT({mean ${type}} * 3)` })
  }
  const thrice = types.map((type) => `thrice ${type}`)
  for (const table of ['baskets', 'items'])
    expect(await first(table, thrice.map((name) => `"${name}"`).join())).toEqual(Object.fromEntries(thrice.map((name) => [name, 10])))
})

test('numbers of type real keep all of their digits in rollups and formulas', async () => {
  await admin('', { name: 'crates', columns: [{ name: 'name', type: 'text' }] })
  const columns = [
    { name: 'crate', type: 'link', options: { table: 'crates' } },
    { name: 'weight', type: 'float' },
  ]
  await admin('', { name: 'parts', columns })
  await app.deps.db.sql.unsafe('alter table data.parts drop constraint weight_range, alter weight type real')
  await app.deps.catalog.refresh()
  await admin('/crates/records', [{ name: 'a' }, { name: 'b' }])
  await app.deps.db.sql.unsafe(`insert into data.parts (crate, weight) values (1, 123456.78), (1, 0.25), (2, 'NaN'), (2, 'Infinity')`)
  await add('crates', 'parts', 'reverseLinks', { table: 'parts', column: await idOf('parts', 'crate') })
  await add('parts', 'double', 'formula', { formula: 'weight * 2' })
  await add('crates', 'total', 'rollup', { link: 'parts', column: 'weight', function: 'sum' })
  await add('crates', 'mean', 'rollup', { link: 'parts', column: 'weight', function: 'avg' })
  await add('crates', 'weights', 'lookup', { link: 'parts', column: 'weight' })
  await add('crates', 'largest', 'formula', { formula: 'MAX(weights) + SUM(weights)' })
  expect(await first('crates', 'total,mean,largest')).toEqual({ total: 123457.03, mean: 61728.515, largest: 246913.81 })
  expect(await first('parts', 'double')).toEqual({ double: 246913.56 })
  const { records } = await json(app.call('/api/v1/tables/crates/records?order=id&offset=1&select=total', { as: 'viewer' }))
  expect(records).toEqual([{ total: 'NaN' }])
})
