import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp()
const columns = [{ name: 'title', type: 'text', required: true }]
const made = async (name: string) => (await json(app.call('/api/v1/tables', { as: 'admin', body: { name, columns } }))).id as string
const [books] = [await made('books'), await made('films')]
const natural = { name: 'places', primaryKey: ['code'], columns: [{ name: 'code', type: 'text', required: true }] }
await app.call('/api/v1/tables', { as: 'admin', body: natural })
await app.call('/api/v1/tables/books/records', { as: 'admin', body: [{ title: 'Emma' }, { title: 'Persuasion' }] })
await app.call('/api/v1/tables/places/records', { as: 'admin', body: [{ code: 'a.b-c' }, { code: 'ä b' }] })
const narrow = await json(app.call('/auth/tokens', { as: 'admin', body: { name: 'narrow', scope: 'read', tables: ['films'] } }))

const tokens: Record<string, string> = { ...app.tokens, narrow: narrow.token, unknown: 'A'.repeat(43), broken: 'x' }
const paths = [
  '/api/v1/tables/books/records/1',
  `/api/v1/tables/${books}/records/2`,
  '/api/v1/tables/data.books/records/1',
  '/api/v1/tables/places/records/a.b-c',
  '/api/v1/tables/places/records/%C3%A4%20b',
  '/api/v1/tables/places/records/..',
  '/api/v1/tables/books/records/3',
  '/api/v1/tables/books/records/9999999999999999999999',
  '/api/v1/tables/books/records/x',
  '/api/v1/tables/books/records/1/',
  '/api/v1/tables/boks/records/1',
  '/api/v1/tables/__proto__/records/1',
  '/rest/v1/books?id=eq.1',
  '/rest/v1/books?id=eq.3',
  '/rest/v1/books?id=eq.x',
  '/rest/v1/books?id=eq.9999999999999999999999',
  '/rest/v1/books?title=eq.Emma',
  '/rest/v1/books?titel=eq.Emma',
  '/rest/v1/books?limit=eq.1',
  '/rest/v1/books?token=eq.1',
  '/rest/v1/places?code=eq.a.b-c',
  '/rest/v1/boks?id=eq.1',
  '/rest/v1/rpc?id=eq.1',
]
const ways: Record<string, string>[] = [
  { accept: 'application/vnd.pgrst.object+json' },
  { accept: 'text/csv' },
  { accept: 'image/png' },
  { prefer: 'count=exact' },
  { prefer: 'handling=strict, nonsense' },
  { range: '0-0' },
  { range: '1-5' },
  { 'accept-profile': 'data' },
  { 'accept-profile': 'public' },
]

/** What a caller can tell answers apart by. */
async function told(path: string, token: string, more: Record<string, string>) {
  const response = await fetch(app.url + path, { headers: { authorization: `Bearer ${token}`, ...more } })
  const headers = Object.fromEntries(response.headers)
  for (const name of ['date', 'x-request-id']) delete headers[name]
  const body = (await response.text()).replace(/"requestId":"[^"]*"/, '')
  return { status: response.status, headers, body }
}

describe('the short way answers as the long one does', () => {
  for (const [name, token] of Object.entries(tokens)) {
    test.each(paths)(`${name}: %s`, async (path) => {
      // A cookie of somebody else's is nothing to us, but takes a request the long way.
      expect(await told(path, token, {})).toEqual(await told(path, token, { cookie: 'other=1' }))
    })
  }
  test.each(ways)('%p', async (way) => {
    for (const path of ['/rest/v1/books?id=eq.1', '/rest/v1/books?id=eq.3'])
      expect(await told(path, app.tokens.viewer, way)).toEqual(await told(path, app.tokens.viewer, { ...way, cookie: 'other=1' }))
  })
})

test('and at once when a token is revoked, and when a table is', async () => {
  const { id, token } = await json(app.call('/auth/tokens', { as: 'admin', body: { name: 'short' } }))
  const path = '/api/v1/tables/books/records/1'
  for (let time = 0; time < 3; time++) expect((await told(path, token, {})).status).toBe(200)
  await app.call(`/auth/tokens/${id}`, { as: 'admin', method: 'DELETE' })
  expect((await told(path, token, {})).status).toBe(401)
  await app.call('/api/v1/tables/books/columns/title', { as: 'admin', method: 'PATCH', body: { name: 'name' } })
  expect(JSON.parse((await told(path, app.tokens.viewer, {})).body)).toMatchObject({ name: 'Emma' })
  await app.call('/api/v1/tables/books?confirm=books', { as: 'admin', method: 'DELETE' })
  expect((await told(path, app.tokens.viewer, {})).status).toBe(404)
})

test('what many ask for at the same moment is read once, and each gets it', async () => {
  const { db } = app.deps
  await made('popular')
  await app.call('/api/v1/tables/popular/records', { as: 'admin', body: [{ title: 'Emma' }, { title: 'Persuasion' }] })
  const { query } = db
  const asked: string[][] = []
  db.query = (text, parameters = [], options) => {
    const [first] = parameters
    if (text.includes('unnest') && first?.startsWith('{')) asked.push(first.slice(1, -1).split(','))
    return query(text, parameters, options)
  }
  try {
    const headers = { authorization: `Bearer ${app.tokens.viewer}` }
    const keys = Array.from({ length: 60 }, (_, index) => 1 + (index % 2))
    const records = await Promise.all(keys.map((key) => json(fetch(`${app.url}/api/v1/tables/popular/records/${key}`, { headers }))))
    expect(records.map(({ id }) => id)).toEqual(keys)
  } finally {
    Object.assign(db, { query })
  }
  expect(asked.length).toBeGreaterThan(0)
  for (const keys of asked) expect(new Set(keys).size).toBe(keys.length)
})
