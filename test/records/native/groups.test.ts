import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

const app = await startApp()
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'visits', columns: [{ name: 'city', type: 'text' }] } })
const cities = Array.from({ length: 50 }, (_, number) => `city ${String(number).padStart(2, '0')}`)
const visits = Array.from({ length: 100 }, (_, number) => ({ city: cities[(number * 7) % 50] }))
await app.call('/api/v1/tables/visits/records', { as: 'editor', body: visits })

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
