import { beforeAll, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp()

const save = async (...rules: object[]) =>
  expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)

beforeAll(async () => {
  const columns = [
    { name: 'customer', type: 'text' },
    { name: 'seller', type: 'user' },
    { name: 'made', type: 'createdBy' },
  ]
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'orders', columns } })).status).toBe(201)
})

/** The hint of a record that is refused. */
async function hintFor(body: object, path = '/api/v1/tables/orders/records', language = 'en'): Promise<unknown> {
  const answer = await app.call(path, { as: 'editor', body, headers: { 'accept-language': language } })
  const { message, hint } = await json(answer)
  expect([answer.status, message]).toEqual([403, expect.stringMatching(/such a record|solchen Datensatz/)])
  return hint
}

const own = { group: 'everyone', table: 'orders', read: 'seller=eq.@me', create: 'seller=eq.@me', update: 'seller=eq.@me' }
const body = { customer: 'Ann' }

test('a column that has to name the writer is said, in their language and on both record routes', async () => {
  await save(own)
  expect(await hintFor(body)).toBe('"seller" must be your own user.')
  expect(await hintFor(body, '/api/v1/tables/orders/records', 'de')).toBe('"seller" muss Ihr eigener Benutzer sein.')
  expect(await hintFor(body, '/rest/v1/orders')).toBe('"seller" must be your own user.')
  await save({ ...own, columns: { read: ['customer', 'seller'], write: ['customer', 'seller'] } })
  expect(await hintFor(body)).toBe('"seller" must be your own user.')
  await save(own, { group: 'role:editor', table: 'orders', read: 'all' })
  expect(await hintFor(body)).toBe('"seller" must be your own user.')
})

test.each([
  ['other filters', { create: 'customer=eq.Bob' }],
  ['more than one', { create: 'seller=eq.@me&customer=eq.Bob' }],
  ['an alternative', { create: 'or=(seller.eq.@me,customer.eq.Bob)' }],
  ['the opposite', { create: 'seller=neq.@me' }],
  ['different columns for adding and changing', { create: 'seller=eq.@me', update: 'made=eq.@me' }],
  ['a column that the writer may not read', { read: 'all', columns: { read: ['customer'], write: ['customer', 'seller'] } }],
  ['a column that the writer may not write', { columns: { read: ['customer', 'seller'], write: ['customer'] } }],
])('nothing is said of %s', async (_, line) => {
  await save({ ...own, ...line })
  const seller = 'create' in line && line.create.includes('neq') ? (await json(app.call('/auth/me', { as: 'editor' }))).user.id : undefined
  expect(await hintFor({ ...body, ...(seller ? { seller } : {}) })).toBeUndefined()
})

test('nothing is said where lines for other columns decide', async () => {
  const writing = (column: string, more: object) => ({ ...own, ...more, columns: { write: [column] } })
  await save(writing('seller', {}), writing('customer', { create: 'customer=eq.Bob', update: 'none' }))
  expect(await hintFor(body)).toBeUndefined()
})
