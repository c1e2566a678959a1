import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
type Body = Record<string, unknown>
const admin = (path: string, body: Body) => app.call(`/api/v1/tables${path}`, { as: 'admin', body })

await admin('', { name: 'authors', columns: [{ name: 'name', type: 'text' }] })
await admin('', {
  name: 'books',
  columns: [
    { name: 'author', type: 'link', options: { table: 'authors' } },
    { name: 'title', type: 'text' },
    { name: 'state', type: 'select', options: { choices: ['sold', 'lent'] } },
    { name: 'price', type: 'integer' },
  ],
})
await admin('/authors/records', { name: 'Austen' })
const books = [{ title: 'Emma', state: 'sold', price: 5 }, { title: 'Sanditon', state: 'lent', price: 7 }, { title: '' }, {}]
for (const book of books) await admin('/books/records', { author: 1, ...book })

const add = (name: string, filter: Body[]) => admin('/authors/columns', { name, type: 'count', options: { link: 'books author', filter } })
const { columns } = await json(app.call('/api/v1/tables/books', { as: 'admin' }))
await admin('/authors/columns', {
  name: 'books author',
  type: 'reverseLinks',
  options: { table: 'books', column: columns.find(({ name }: Body) => name === 'author').id },
})

test.each<[string, Body, number]>([
  ['equal', { column: 'state', operator: 'eq', value: 'sold' }, 1],
  ['not equal, or empty', { column: 'state', operator: 'eq', value: 'sold', not: true }, 3],
  ['unequal', { column: 'state', operator: 'neq', value: 'sold' }, 1],
  ['in none', { column: 'state', operator: 'in', value: ['sold', 'lent'], not: true }, 2],
  ['not like', { column: 'title', operator: 'ilike', value: '*emma*', not: true }, 3],
  ['blank', { column: 'title', operator: 'neq', value: '', not: true }, 2],
  ['not less', { column: 'price', operator: 'lt', value: '7', not: true }, 3],
  ['not empty', { column: 'price', operator: 'is', value: 'null', not: true }, 2],
  ['false is false', { column: 'state', operator: 'eq', value: 'sold', not: false }, 1],
])('%s', async (name, condition, count) => {
  expect((await add(name, [condition])).status).toBe(201)
  const { records } = await json(app.call('/api/v1/tables/authors/records', { as: 'viewer' }))
  expect(records[0][name]).toBe(count)
})

test('a list of no values is refused', async () => {
  const { errors } = await expectProblem(await add('none', [{ column: 'state', operator: 'in', value: [] }]), 422, 'validation_failed')
  expect(errors?.[0]?.path).toStartWith('/options/filter/0/value')
})
