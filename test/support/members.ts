import { json, type startApp } from './app'

type App = Awaited<ReturnType<typeof startApp>>

/** Creates a table with columns, a column, or records. */
type Create = (path: string, body: object) => Promise<{ id: string }>

/** Payments that link to members and have no naming text. */
export async function makePayments(create: Create, members: { id: string }) {
  const payments = await create('', {
    name: 'payments',
    columns: [
      { name: 'member', type: 'link', options: { table: members.id } },
      { name: 'paid on', type: 'date' },
      { name: 'amount', type: 'currency', options: { currency: 'EUR' } },
      { name: 'purpose', type: 'select', options: { choices: ['Fee', 'Gift'] } },
    ],
  })
  await create('/members/columns', { name: 'payments', type: 'reverseLinks', options: { table: payments.id, column: 'member' } })
  return payments
}

/** A member and their payment. @returns the key of the member */
export async function makeMembers(app: App): Promise<{ member: number }> {
  const create = (path: string, body: object) => json(app.call(`/api/v1/tables${path}`, { as: 'admin', body }))
  const members = await create('', {
    name: 'members',
    columns: [
      { name: 'name', type: 'text' },
      { name: 'joined', type: 'date' },
      { name: 'fee', type: 'currency', options: { currency: 'EUR' } },
      { name: 'section', type: 'select', options: { choices: ['Chess', { value: 'Tennis', color: 'crimson' }] } },
      { name: 'active', type: 'boolean' },
    ],
  })
  await makePayments(create, members)
  await create('/members/columns', {
    name: 'paid',
    type: 'rollup',
    options: { link: 'payments', column: 'amount', function: 'sum' },
  })
  const { id } = await create('/members/records', { name: 'Anna Bauer', joined: '2010-10-01', fee: 1500, section: 'Chess', active: true })
  await create('/payments/records', { member: id, 'paid on': '2025-10-03', amount: 75, purpose: 'Gift' })
  return { member: id }
}
