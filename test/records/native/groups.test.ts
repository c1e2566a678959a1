import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

const app = await startApp()
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'visits', columns: [{ name: 'city', type: 'text' }] } })
const cities = Array.from({ length: 50 }, (_, number) => `city ${String(number).padStart(2, '0')}`)
const visits = Array.from({ length: 100 }, (_, number) => ({ city: cities[(number * 7) % 50] }))
await app.call('/api/v1/tables/visits/records', { as: 'editor', body: visits })
await app.deps.db.sql.unsafe(`create table data.towns (id int primary key, name text);
  create table data.trips (id int primary key, town_id int references data.towns, km int);
  insert into data.towns values (1, 'Cologne'), (2, 'Bonn');
  insert into data.trips values (1, 1, 3), (2, 2, 1), (3, 2, 2), (4, null, 4)`)
await app.deps.catalog.refresh()

test.each([
  '/api/v1/tables/visits/records?select=city,count()&order=count.desc',
  '/api/v1/tables/visits/records?select=city,count()',
  '/api/v1/tables/visits/records?select=count(),city',
  '/rest/v1/visits?select=city,count()&order=count.desc',
])('pages have each group once, also where many are equal in the order: %s', async (path) => {
  const found: string[] = []
  for (let offset = 0; offset < 50; offset += 10) {
    const body = await json(app.call(`${path}&limit=10&offset=${offset}`, { as: 'viewer' }))
    found.push(...(body.records ?? body).map(({ city }: { city: string }) => city))
  }
  expect(found).toEqual(cities)
})

test.each(['/api/v1/tables/trips/records', '/rest/v1/trips'])('are ordered by a column that is spread into them: %s', async (path) => {
  const groups = async (query: string) => {
    const response = await app.call(`${path}?select=...towns(town:name),km.sum()&${query}`, { as: 'viewer' })
    const body = await json(response)
    return response.status === 200 ? (body.records ?? body) : response.status
  }
  const [one, other, none] = [
    { town: 'Bonn', sum: 3 },
    { town: 'Cologne', sum: 3 },
    { town: null, sum: 4 },
  ]
  expect(await groups('order=towns(name)')).toEqual([one, other, none])
  expect(await groups('order=towns(name).desc.nullslast')).toEqual([other, one, none])
  expect(await groups('order=sum.desc,towns(name).desc')).toEqual([none, other, one])
  expect(await groups('order=towns(id)')).toBe(400)
  expect(await groups('order=town')).toEqual([one, other, none])
})
