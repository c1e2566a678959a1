import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'

/** A record of an upsert without a key is a new one each time, and the answer counts such records. */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop' })
await app.deps.db.sql.unsafe(`create schema shop;
  create table shop.parts (id uuid primary key default gen_random_uuid(), code text unique, title text);
  create table shop.cards (id int generated always as identity primary key, number serial, code text unique, title text)`)
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

test.each([
  ['books', 'data.books', 'id', 'isbn'],
  ['parts', 'shop.parts', 'id', 'code'],
  ['cards', 'shop.cards', 'number', 'code'],
])('an existing record of %s keeps its own', async (table, rows, key, on) => {
  const stored = async () =>
    app.deps.db.query<{ key: string; title: string }>(
      `select ${key}::text as key, title from ${rows} where ${on} in ('x', 'y') order by ${on}`,
    )
  const send = (body: string) => json(upload(app, table, body, { query: `?mode=upsert&on=${on}` }))
  expect(await send(`${on},title\nx,Emma\ny,Evelyn\n`)).toMatchObject({ inserted: 2 })
  const [first, second] = await stored()
  expect(await send(`${key},${on},title\n,x,Persuasion\n${second!.key},y,Sanditon\n,z,Cecilia\n`)).toMatchObject({
    inserted: 1,
    updated: 2,
  })
  expect(await stored()).toEqual([
    { key: first!.key, title: 'Persuasion' },
    { key: second!.key, title: 'Sanditon' },
  ])
})
