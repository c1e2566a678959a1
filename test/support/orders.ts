import { expect } from 'bun:test'
import { json, startApp } from './app'

export type Body = Record<string, unknown>
export const tables = '/api/v1/tables'

/** Customers and their orders, linked both ways, with rollups, a count and a lookup, for formulas to read. */
export async function startOrders() {
  const app = await startApp()
  const admin = (path: string, method: string, body?: unknown) => app.call(`${tables}${path}`, { as: 'admin', method, body })
  const add = (table: string, name: string, options: Body, type = 'formula') => admin(`/${table}/columns`, 'POST', { name, type, options })
  const formula = (table: string, name: string, text: string) => add(table, name, { formula: text })
  const change = (table: string, name: string, body: Body) => admin(`/${table}/columns/${encodeURIComponent(name)}`, 'PATCH', body)
  const drop = (table: string, name: string) =>
    admin(`/${table}/columns/${encodeURIComponent(name)}?confirm=${encodeURIComponent(name)}`, 'DELETE')
  const list = (table: string, rest = '?order=id') => json(app.call(`${tables}/${table}/records${rest}`, { as: 'viewer' }))
  const values = async (table: string, name: string, rest = '&order=id') =>
    (await list(table, `?select=${encodeURIComponent(`"${name}"`)}${rest}`)).records.map((record: Body) => record[name])
  async function made(request: Promise<Response>) {
    const response = await request
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 201 })
  }

  const day = (fromNow: number) => new Date(Date.now() + fromNow * 86_400_000).toISOString().slice(0, 10)
  await admin('', 'POST', {
    name: 'customers',
    columns: [
      { name: 'Name', type: 'text' },
      { name: 'Discount', type: 'decimal' },
    ],
  })
  await admin('', 'POST', {
    name: 'orders',
    columns: [
      { name: 'Net', type: 'decimal', options: { precision: 12, scale: 2 } },
      { name: 'Amount', type: 'integer' },
      { name: 'Due', type: 'date' },
      { name: 'Customer', type: 'link', options: { table: 'customers' } },
    ],
  })
  await made(add('customers', 'Orders', { table: 'orders', column: 'Customer' }, 'reverseLinks'))
  await made(add('customers', 'Total', { link: 'Orders', column: 'Net', function: 'sum' }, 'rollup'))
  await made(add('customers', 'Number', { link: 'Orders' }, 'count'))
  await made(add('customers', 'Average', { link: 'Orders', column: 'Net', function: 'avg' }, 'rollup'))
  await made(add('orders', 'Client', { link: 'Customer', column: 'Name' }, 'lookup'))
  await json(app.call(`${tables}/customers/records`, { as: 'editor', body: [{ Name: 'Ada', Discount: 0.1 }, { Name: 'Bo' }, {}] }))
  await json(
    app.call(`${tables}/orders/records`, {
      as: 'editor',
      body: [
        { Net: 100, Amount: 2, Due: day(-1), Customer: 1 },
        { Net: 50.5, Amount: 1, Due: day(1), Customer: 1 },
        { Net: 10, Amount: 3, Due: day(0), Customer: 2 },
        {},
      ],
    }),
  )
  return { app, admin, add, formula, change, drop, list, values, made, day }
}
