import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

/** PostgreSQL finds the titles of a writer in an index, and the numbers only in the table, where they are scattered. */
const app = await startApp()
const { db, catalog } = app.deps
await db.sql.unsafe(`create table data.writers (id int primary key, name text);
  create table data.works (id int primary key, writer int references data.writers, title text not null, number int, price int, unique (writer, title));
  insert into data.writers select n, 'writer ' || n from generate_series(1, 100) n;
  insert into data.works select n, n % 100 + 1, md5(n::text), n, n % 2 from generate_series(1, 2000) n`)
await db.sql.unsafe('vacuum analyze data.works')
await catalog.refresh()

const works = await db.query<{ title: string; number: number }>('select title, number from data.works where writer = 1')
const titles = new Map(works.map(({ title, number }) => [number, title]))

const spread = 'id=eq.1&select=name,...works(titles:title,numbers:number)'

test.each([
  `/api/v1/tables/writers/records?${spread}`,
  `/api/v1/tables/writers/records?${spread}&works.order=price`,
  `/rest/v1/writers?${spread}`,
  `/rest/v1/writers?${spread}&works.order=price.desc`,
])('the arrays of a spread are in one order: %s', async (path) => {
  const body = await json(app.call(path, { as: 'viewer' }))
  const [writer] = body.records ?? body
  expect(writer.numbers.toSorted()).toEqual([...titles.keys()].toSorted())
  expect(writer.titles).toEqual(writer.numbers.map((number: number) => titles.get(number)))
})
