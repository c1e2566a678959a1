import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

const app = await startApp()

test('a lookup, a count and a rollup through one link stand in one record', async () => {
  const make = async (name: string, columns: object[]) => {
    const response = await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
    expect([response.status, response.status === 201 || (await response.json())]).toEqual([201, true])
  }
  await make('clients', [
    { name: 'name', type: 'text' },
    { name: 'discount', type: 'integer' },
  ])
  await make('orders', [{ name: 'client', type: 'link', options: { table: 'clients' } }])
  for (const column of [
    { name: 'clients', type: 'count', options: { link: 'client' } },
    { name: 'name', type: 'lookup', options: { link: 'client', column: 'name' } },
    { name: 'discount', type: 'rollup', options: { link: 'client', column: 'discount', function: 'sum' } },
  ])
    expect((await app.call('/api/v1/tables/orders/columns', { as: 'admin', body: column })).status).toBe(201)
  await app.call('/api/v1/tables/clients/records', { as: 'editor', body: { name: 'Ada', discount: 5 } })
  const made = await app.call('/api/v1/tables/orders/records', { as: 'editor', body: [{ client: 1 }, { client: null }] })
  const expected = [
    { id: 1, client: 1, clients: 1, name: 'Ada', discount: 5 },
    { id: 2, client: null, clients: 0, name: null, discount: 0 },
  ]
  expect([made.status, await made.json()]).toEqual([201, expected])
  expect((await json(app.call('/api/v1/tables/orders/records', { as: 'viewer' }))).records).toEqual(expected)
  expect(await json(app.call('/rest/v1/orders?order=id', { as: 'viewer' }))).toEqual(expected)
})
