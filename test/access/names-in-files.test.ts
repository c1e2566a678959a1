import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp()
const made = async (path: string, body: object) => expect((await app.call(`/api/v1/tables${path}`, { as: 'admin', body })).status).toBe(201)

test('a name from a column that is visible in some records is in exports, and is found by imports', async () => {
  const { users } = await json(app.call('/api/v1/users', { as: 'admin' }))
  const owner = users.find(({ email }: { email: string }) => email === 'editor@example.org').id as string
  const firms = [
    { name: 'name', type: 'text' },
    { name: 'owner', type: 'user' },
  ]
  await made('', { name: 'firms', columns: firms })
  await made('', { name: 'contacts', columns: [{ name: 'firm', type: 'link', options: { table: 'firms' } }] })
  await made('/contacts/columns', { name: 'firm_name', type: 'lookup', options: { link: 'firm', column: 'name' } })
  const displayed = await app.call('/api/v1/tables/contacts', { as: 'admin', method: 'PATCH', body: { displayColumn: 'firm_name' } })
  expect(displayed.status).toBe(200)
  await made('', { name: 'orders', columns: [{ name: 'contact', type: 'link', options: { table: 'contacts' } }] })
  await made('/firms/records', { name: 'Acme', owner })
  await made('/firms/records', { name: 'Secret' })
  for (const firm of [1, 2]) await made('/contacts/records', { firm })
  for (const contact of [1, 2]) await made('/orders/records', { contact })
  const line = { group: 'everyone', table: 'firms' }
  const rules = [
    { ...line, read: 'all', columns: { read: ['id'] } },
    { ...line, read: 'owner=eq.@me' },
  ]
  expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)
  const file = await app.call('/api/v1/tables/orders/export.csv?for=people', { as: 'editor' })
  const text = await file.text()
  expect([file.status, text.includes('Acme'), text.includes('Secret')]).toEqual([200, true, false])
  const upload = (body: string) =>
    app.call('/api/v1/tables/orders/import', { as: 'editor', method: 'POST', body, headers: { 'content-type': 'text/csv' } })
  const named = await upload('contact\nAcme\n')
  expect([named.status, (await named.json()).inserted]).toEqual([200, 1])
  expect((await upload('contact\nSecret\n')).status).toBe(422)
})
