import { beforeAll, expect, test } from 'bun:test'
import { startApp } from '../support/app'

/** What the errors of an import tell a caller under access rules. */
const app = await startApp()
const { db } = app.deps

const made = async (path: string, body: object) => expect((await app.call(path, { as: 'admin', body })).status).toBe(201)
const all = { group: 'everyone', read: 'all', create: 'all', update: 'all', delete: 'all' }
const save = async (...rules: object[]) =>
  expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)

/** The problems of a file that is refused, without the values of its cells. */
async function problemsOf(file: string, query = 'links=keys') {
  const path = `/api/v1/tables/books/import?${query}`
  const answer = await app.call(path, { as: 'editor', method: 'POST', body: file, headers: { 'content-type': 'text/csv' } })
  const body = await answer.text()
  return { status: answer.status, body, problems: JSON.stringify(JSON.parse(body).errors).replaceAll(/\d+/g, 'n') }
}

beforeAll(async () => {
  await made('/api/v1/tables', { name: 'authors', columns: [{ name: 'name', type: 'text' }] })
  await made('/api/v1/tables', {
    name: 'books',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'price', type: 'integer', options: { min: 1 }, default: 5 },
      { name: 'author', type: 'link', options: { table: 'authors' } },
    ],
  })
  await app.call('/api/v1/tables/authors/records', { as: 'admin', body: [{ name: 'Austen' }, { name: 'Zola' }] })
})

/** Its first price is refused, and then all faults of the file are searched for. */
const file = (author: number) => `title,author,price\ny,,0\nx,${author},5\n`

test.each(['links=keys', ''])('a link to a hidden record is refused as one to no record (%s)', async (query) => {
  await save({ ...all, table: 'authors', read: 'name=eq.Austen' })
  const [hidden, missing] = [await problemsOf(file(2), query), await problemsOf(file(99), query)]
  expect([hidden.status, hidden.problems]).toEqual([422, missing.problems])
  expect(hidden.problems).toContain('author')
})

test('a closed table is not named', async () => {
  await save({ ...all, table: 'authors', group: 'role:viewer' })
  const { status, body } = await problemsOf(file(99))
  expect([status, body.includes('authors')]).toEqual([422, false])
})

test('a hidden column is not named where its default does not fit its rule', async () => {
  await save({ ...all, table: 'books', columns: { read: ['title'], write: ['title'] } })
  await db.query('alter table data.books alter price set default 0')
  const { status, body } = await problemsOf('title\nx\n')
  expect([status, body.includes('price')]).toEqual([422, false])
  await db.query('alter table data.books alter price set default 5')
})

test('a key that may not be written is said to be that, and not to be missing', async () => {
  await save({ ...all, table: 'books', columns: { write: ['title'] } })
  const { status, body } = await problemsOf('id,title\n1,New\n', 'mode=upsert')
  expect([status, JSON.parse(body).message]).toEqual([403, 'You may not write "id".'])
  const missing = await problemsOf('title\nNew\n', 'mode=upsert')
  expect([missing.status, missing.problems]).toEqual([422, expect.stringContaining('is needed to find the records')])
})
