import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

/** What each kind of token may do; the owner is an admin, so only the token is in the way. */
const app = await startApp()

const table = async (name: string): Promise<string> =>
  (await json(app.call('/api/v1/tables', { as: 'admin', body: { name, columns: [{ name: 'title', type: 'text' }] } }))).id
const [books, films] = [await table('books'), await table('films')]
const token = async (body: object): Promise<string> =>
  (await json(app.call('/auth/tokens', { as: 'admin', body: { name: 'test', ...body } }))).token

const tokens = {
  full: await token({}),
  write: await token({ scope: 'write' }),
  read: await token({ scope: 'read' }),
  'full, books only': await token({ tables: [books] }),
  'write, books only': await token({ scope: 'write', tables: [books] }),
  'read, books only': await token({ scope: 'read', tables: [books] }),
}
type Kind = keyof typeof tokens

const all = Object.keys(tokens) as Kind[]
const writers: Kind[] = ['full', 'write']
const bookWriters: Kind[] = [...writers, 'full, books only', 'write, books only']
const record = (name: string) => `/api/v1/tables/${name}/records`

const requests: [string, string, object | undefined, readonly Kind[]][] = [
  ['GET', '/auth/me', undefined, all],
  ['GET', '/api/v1/tables', undefined, all],
  ['GET', `/api/v1/tables/${books}`, undefined, all],
  ['GET', '/api/v1/tables/films', undefined, ['full', 'write', 'read']],
  ['GET', record('books'), undefined, all],
  ['HEAD', record('books'), undefined, all],
  ['GET', record(films), undefined, ['full', 'write', 'read']],
  ['POST', record('books'), { title: 'x' }, bookWriters],
  ['PATCH', `${record('books')}/1`, { title: 'y' }, bookWriters],
  ['DELETE', `${record('books')}/1`, undefined, bookWriters],
  ['POST', record('films'), { title: 'x' }, writers],
  ['PATCH', `${record(films)}/1`, { title: 'y' }, writers],
  ['DELETE', `${record(films)}/1`, undefined, writers],
  ['POST', '/api/v1/tables', { name: 'x', columns: [{ name: 'Bad', type: 'nothing' }] }, ['full']],
  ['GET', '/auth/tokens', undefined, ['full']],
  ['POST', '/auth/tokens', { name: '' }, ['full']],
  ['DELETE', `/auth/tokens/${Bun.randomUUIDv7()}`, undefined, ['full']],
]

describe.each(requests)('%s %s', (method, path, body, allowed) => {
  test.each(all)('with a token of the kind %s', async (kind) => {
    const byHeader = await app.call(path, { method, body, headers: { authorization: `Bearer ${tokens[kind]}` } })
    const byQuery = await app.call(`${path}?token=${tokens[kind]}`, { method, body })
    for (const response of [byHeader, byQuery]) {
      if (allowed.includes(kind)) {
        expect([200, 201, 204, 404, 422]).toContain(response.status)
      } else {
        expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 403, code: 'insufficient_scope' })
        expect(response.headers.get('www-authenticate')).toBe('Bearer realm="service", error="insufficient_scope"')
      }
    }
  })
})

test('a token that is held to tables lists only those', async () => {
  const { tables } = await json(app.call('/api/v1/tables', { headers: { authorization: `Bearer ${tokens['read, books only']}` } }))
  expect(tables.map((each: { name: string }) => each.name)).toEqual(['books'])
})

test('a token never lifts its owner’s role', async () => {
  const { token } = await json(app.call('/auth/tokens', { as: 'viewer', body: { name: 'full', scope: 'full' } }))
  const headers = { authorization: `Bearer ${token}` }
  expect((await json(app.call(record('books'), { body: { title: 'x' }, headers }))).code).toBe('forbidden')
  expect((await json(app.call('/api/v1/tables', { body: { name: 'x', columns: [] }, headers }))).code).toBe('forbidden')
  expect((await app.call(record('books'), { headers })).status).toBe(200)
})

test('/auth/me shows what the token may do', async () => {
  const { token } = await json(app.call('/auth/me', { headers: { authorization: `Bearer ${tokens['read, books only']}` } }))
  expect(token).toEqual({ id: expect.any(String), name: 'test', scope: 'read', tables: [books], expiresAt: null })
})
