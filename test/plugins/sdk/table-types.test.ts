import { expect, test } from 'bun:test'
import { tableTypes } from '../../../src/plugins/sdk/table-types'
import { startApp } from '../../support/app'

const app = await startApp()
const make = async (path: string, body: object) => expect((await app.call(`/api/v1/tables${path}`, { as: 'admin', body })).status).toBe(201)

await make('', {
  name: 'companies',
  columns: [
    { name: 'name', type: 'text', required: true },
    { name: 'state', type: 'select', options: { choices: ['new', 'old'] } },
  ],
})
await make('', {
  name: 'orders',
  columns: [
    { name: 'company', type: 'link', options: { table: 'companies' } },
    { name: 'amount', type: 'integer' },
    { name: 'sellers', type: 'manyLinks', options: { table: 'companies' } },
  ],
})
const add = (table: string, name: string, type: string, options: object) => make(`/${table}/columns`, { name, type, options })
await add('companies', 'orders', 'reverseLinks', { table: 'orders', column: 'company' })
await add('companies', 'order count', 'count', { link: 'orders' })
await add('companies', 'largest', 'rollup', { link: 'orders', column: 'amount', function: 'max' })
await add('companies', 'amounts', 'lookup', { link: 'orders', column: 'amount' })
await add('orders', 'company name', 'lookup', { link: 'company', column: 'name' })
await add('orders', 'company state', 'lookup', { link: 'company', column: 'state' })
await add('orders', 'seller states', 'lookup', { link: 'sellers', column: 'state' })
await add('orders', 'twice', 'formula', { formula: '{amount} * 2' })

test('computed columns have the types of their values', async () => {
  const { list } = await app.deps.catalog.refresh()
  const types = Object.fromEntries([...tableTypes(list).matchAll(/^ {6}"(.+)": (.+)$/gm)].map(([, name, type]) => [name, type]))
  expect(types).toMatchObject({
    orders: '(number | string)[]',
    'order count': 'number | string',
    largest: 'number | null',
    amounts: 'number[] | null',
    'company name': 'string | null',
    'company state': '"new" | "old" | null',
    'seller states': '("new" | "old")[] | null',
    twice: expect.stringMatching(/^number/),
    name: 'string',
    amount: 'number | null',
    sellers: '(number | string)[]',
  })
})
