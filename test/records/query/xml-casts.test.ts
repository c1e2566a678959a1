import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop' })
const { sql } = app.deps.db
await sql.unsafe(`create schema shop`)
await sql.unsafe(`create domain shop.page as xml`)
await sql.unsafe(`create domain shop.label as text`)
await sql.unsafe(`create table shop.docs (id int primary key, title text, body xml, page shop.page, label shop.label)`)
await sql.unsafe(`insert into shop.docs values (1, '<a/>', '<b/>', '<c/>')`)
await app.deps.catalog.refresh()

const ask = (path: string) => app.call(path, { as: 'viewer', headers: { 'accept-profile': 'shop' } })

test.each(['xml', 'XML', 'xml[]', 'page', 'shop.page', 'pg_catalog.xml'])(
  'no text of a caller gets into libxml2 by a cast: ::%s',
  async (type) => {
    const cast = encodeURIComponent(type)
    for (const select of [`title::${cast}`, `title.max()::${cast}`, `count()::${cast}`]) {
      for (const path of [`/rest/v1/docs?select=${select}`, `/api/v1/tables/shop.docs/records?select=${select}`]) {
        const response = await ask(path)
        expect({ path, status: response.status }).toEqual({ path, status: 400 })
        expect(await response.text()).toMatch(/There is no type|cannot be read at position/)
      }
    }
  },
)

test('a column of XML is read as before', async () => {
  expect(await json(ask('/rest/v1/docs?select=body,page,text:body::text'))).toEqual([{ body: '<b/>', page: '<c/>', text: '<b/>' }])
})

test.each(['point', 'tsquery', 'jsonpath', 'pg_lsn', 'text[]', 'shop.label'])('there is no cast to %s', async (type) => {
  const response = await ask(`/rest/v1/docs?select=title::${encodeURIComponent(type)}`)
  expect(response.status).toBe(400)
  expect(await response.text()).toMatch(/There is no type|cannot be read at position/)
})

test.each(['label', 'text', 'varchar', 'bytea', 'tsvector'])('a cast names a type without its schema: %s', async (type) => {
  expect((await ask(`/rest/v1/docs?select=title::${type}`)).status).toBe(200)
})
