import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

/** A record of an upsert without a key is a new one each time, and the answer counts such records. */
const app = await startApp()
const columns = [
  { name: 'isbn', type: 'text', unique: true },
  { name: 'title', type: 'text' },
]
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns } })
const upsert = (body: string, query: string) =>
  json(app.call(`/api/v1/tables/books/import?mode=upsert${query}`, { as: 'editor', body, headers: { 'content-type': 'text/csv' } }))

test('of chosen columns', async () => {
  const file = 'isbn,title\n1,Emma\n,Persuasion\n,Lady Susan\n'
  expect(await upsert(file, '&on=isbn')).toMatchObject({ inserted: 3, updated: 0, withoutKey: 2 })
  expect(await upsert(file, '&on=isbn&dryRun=true')).toMatchObject({ inserted: 2, updated: 1, withoutKey: 2 })
  expect(await upsert(file, '&on=isbn')).toMatchObject({ inserted: 2, updated: 1, withoutKey: 2 })
  expect(await upsert('isbn,title\n1,Emma\n2,Sanditon\n', '&on=isbn')).not.toHaveProperty('withoutKey')
})

test('of the key that the database counts', async () => {
  expect(await upsert('id,title\n1,Emma\n,Evelyn\n', '')).toMatchObject({ inserted: 1, updated: 1, withoutKey: 1 })
})
