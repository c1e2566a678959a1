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
    { name: 'due', type: 'date' },
    { name: 'at', type: 'dateTime' },
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

test.each([
  ['due', 'lt', 'today'],
  ['due', 'in', ['2026-01-31', ' Tomorrow']],
  ['at', 'gte', 'NOW'],
  ['at', 'gte', 'yesterday 10:00'],
])('a word of time is refused: %s %s %j', async (column, operator, value) => {
  const { errors } = await expectProblem(await add('late', [{ column, operator, value }]), 422, 'validation_failed')
  expect(errors).toEqual([{ path: '/options/filter/0/value', message: expect.stringContaining('TODAY()') }])
})

test('such words are texts elsewhere, and a column that has one keeps its values and gets a new name', async () => {
  expect((await add('texts', [{ column: 'title', operator: 'neq', value: 'today' }])).status).toBe(201)
  const { id } = await json(add('old', [{ column: 'due', operator: 'lt', value: '2026-01-31' }]))
  const word = `jsonb_set(options, '{filter,0,value}', '"today"')`
  await app.deps.db.query(`update rowhouse.columns set options = ${word} where id = $1`, [id])
  await app.deps.catalog.refresh()
  const renamed = await app.call('/api/v1/tables/authors/columns/old', { as: 'admin', method: 'PATCH', body: { name: 'older' } })
  expect(renamed.status).toBe(200)
  const { records } = await json(app.call('/api/v1/tables/authors/records?select=older,texts', { as: 'viewer' }))
  expect(records).toEqual([{ older: 0, texts: 3 }])
})
