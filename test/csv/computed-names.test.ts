import { beforeAll, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { upload } from '../support/csv'
import { expectProblem } from '../support/problem'

/** Links to records whose names are looked up: orders by the name of their customer, payments for orders. */
const app = await startApp()
const admin = (path: string, body: object, method = 'POST') => app.call(`/api/v1${path}`, { as: 'admin', method, body })
const make = async (path: string, body: object, method?: string) => expect((await admin(path, body, method)).status).toBeLessThan(300)

beforeAll(async () => {
  await make('/tables', { name: 'customers', columns: [{ name: 'name', type: 'text' }] })
  await make('/tables/customers/records', [{ name: 'Ada' }, { name: 'Grace' }, { name: 'Grace' }])
  await make('/tables', { name: 'orders', columns: [{ name: 'customer', type: 'link', options: { table: 'customers' } }] })
  await make('/tables/orders/columns', { name: 'customer name', type: 'lookup', options: { link: 'customer', column: 'name' } })
  await make('/tables/orders', { displayColumn: 'customer name' }, 'PATCH')
  await make('/tables/orders/records', [{ customer: 1 }, { customer: 2 }, { customer: 3 }, { customer: null }])
  const columns = [
    { name: 'order', type: 'link', options: { table: 'orders' } },
    { name: 'all', type: 'manyLinks', options: { table: 'orders' } },
  ]
  await make('/tables', { name: 'payments', columns })
  await make('/tables/payments/records', [{ order: 1, all: [1, 2] }, { order: 2 }, { order: 4 }])
})

const payments = async (as: 'viewer' | 'editor' = 'viewer') =>
  (await app.call('/api/v1/tables/payments/export.csv?select=order,all&order=id&for=people', { as })).text()

test('an export has their names, and the key of a record without one', async () => {
  expect(await payments()).toBe('order,all\nAda,"Ada, Grace"\nGrace,\n4,\n')
})

test('an import finds them by these names, and creates none', async () => {
  const take = (file: string, query = '') => upload(app, 'payments', file, { as: 'editor', query })
  expect(await json(take('order\nAda\n4\n'))).toMatchObject({ inserted: 2 })
  const { records } = await json(app.call('/api/v1/tables/payments/records?select=order&order=id.desc&limit=2', { as: 'viewer' }))
  expect(records).toEqual([{ order: 4 }, { order: 1 }])
  for (const query of ['', '?createLinked=true']) {
    const { errors } = await expectProblem(await take('order\nGrace\nLinus\n', query), 422, 'validation_failed')
    expect(errors).toMatchObject([
      { line: 2, column: 'order' },
      { line: 3, column: 'order' },
    ])
  }
})

test('a link becomes text by these names', async () => {
  await make('/tables', { name: 'visits', columns: [{ name: 'order', type: 'link', options: { table: 'orders' } }] })
  await make('/tables/visits/records', [{ order: 1 }, { order: 4 }])
  await make('/tables/visits/columns/order', { type: 'text' }, 'PATCH')
  const { records } = await json(app.call('/api/v1/tables/visits/records?select=order&order=id', { as: 'viewer' }))
  expect(records).toEqual([{ order: 'Ada' }, { order: '4' }])
})

test('the export has no name that comes from a record which the caller may not read', async () => {
  const rules = [{ group: 'everyone', table: 'customers', read: 'name=eq.Ada' }]
  await make('/access', { rules }, 'PUT')
  expect(await payments()).toBe('order,all\nAda,"Ada, 2"\n2,\n4,\nAda,\n4,\n')
  await make('/access', { rules: [{ group: 'everyone', table: 'customers', create: 'all' }] }, 'PUT')
  expect(await payments()).not.toContain('Ada')
})
