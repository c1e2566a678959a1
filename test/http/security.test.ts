import { describe, expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { signInAs } from '../support/session'

const app = await startApp()
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [{ name: 'title', type: 'text' }] } })
await app.call('/api/v1/tables/books/records', { as: 'admin', body: { title: 'x' } })
const cookie = await signInAs(app, 'viewer')
const etag = (await app.call('/api/v1/tables/books/records/1', { as: 'viewer' })).headers.get('etag')!

const record = '/api/v1/tables/books/records/1'
const kinds: [string, number, string, Parameters<typeof app.call>[1]][] = [
  ['an open answer', 200, '/healthz', {}],
  ['an answer by header', 200, '/api/v1/tables', { as: 'viewer' }],
  ['an answer by query', 200, `/api/v1/tables?token=${app.tokens.viewer}`, {}],
  ['an answer by cookie', 200, '/api/v1/tables', { headers: { cookie } }],
  ['records', 200, '/api/v1/tables/books/records', { as: 'viewer' }],
  ['a record', 200, record, { as: 'viewer' }],
  ['something made', 201, '/api/v1/tables/books/records', { as: 'editor', body: {} }],
  ['a secret made', 201, '/auth/tokens', { as: 'editor', body: { name: 'x' } }],
  ['nothing new', 304, record, { as: 'viewer', headers: { 'if-none-match': etag } }],
  ['an answer without a body', 204, '/api/v1/tables', { method: 'OPTIONS' }],
  ['HEAD', 200, '/healthz', { method: 'HEAD' }],
  ['a bad query', 400, '/api/v1/tables/books/records?limit=x', { as: 'viewer' }],
  ['a bad body', 400, '/auth/login', { body: '{' }],
  ['no credential', 401, '/api/v1/tables', {}],
  ['a failed login', 401, '/auth/login', { body: { email: 'x', password: 'x' } }],
  ['too low a role', 403, '/api/v1/tables', { as: 'viewer', body: {} }],
  ['another site', 403, '/auth/login', { body: {}, headers: { 'sec-fetch-site': 'cross-site' } }],
  ['nothing there', 404, '/nowhere', {}],
  ['a wrong method', 405, '/healthz', { method: 'DELETE' }],
  ['a stale version', 412, record, { as: 'editor', method: 'PATCH', body: {}, headers: { 'if-match': '"1"' } }],
  ['too large', 413, '/auth/login', { body: 'x'.repeat(2 ** 20 + 1) }],
  ['a wrong type', 415, '/auth/login', { body: 'x', headers: { 'content-type': 'text/plain' } }],
  ['a wrong shape', 422, '/auth/login', { body: {} }],
]

describe.each(kinds)('%s (%d)', (what, status, path, call) => {
  test('has the headers that protect it', async () => {
    const response = await app.call(path, call)
    const get = (name: string) => response.headers.get(name)
    expect(response.status).toBe(status)
    expect(get('x-content-type-options')).toBe('nosniff')
    expect(get('referrer-policy')).toBe('no-referrer')
    expect(get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    const isVersioned = what === 'a record' || what === 'nothing new' || (status === 201 && path.endsWith('/records'))
    expect(get('cache-control')).toBe(isVersioned ? 'private, no-cache' : 'private, no-store')
    expect(get('vary')!.split(', ')).toEqual(expect.arrayContaining(['Authorization', 'Cookie']))
    expect(get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(get('strict-transport-security')).toBeNull()
    for (const name of ['server', 'x-powered-by', 'access-control-allow-origin', 'location']) {
      if (name !== 'location' || status !== 201) expect(get(name)).toBeNull()
    }
  })
})

test('over https, browsers are told to stay there', async () => {
  const behind = await startApp({ PUBLIC_URL: 'https://tables.example.org' })
  for (const path of ['/healthz', '/nowhere', '/api/v1/tables']) {
    expect((await behind.call(path)).headers.get('strict-transport-security')).toBe('max-age=31536000')
  }
})

test('a page of the web UI runs nothing that is not ours', async () => {
  const policy = (await app.call('/')).headers.get('content-security-policy')!
  for (const part of ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
    expect(policy).toContain(part)
  expect(policy).not.toMatch(/unsafe-|https?:|\*/)
})

test('a matching ETag is no way around a revoked token', async () => {
  const made = (await (await app.call('/auth/tokens', { as: 'viewer', body: { name: 'x' } })).json()) as { id: string; token: string }
  const headers = { authorization: `Bearer ${made.token}`, 'if-none-match': etag }
  expect((await app.call(record, { headers })).status).toBe(304)
  await app.call(`/auth/tokens/${made.id}`, { method: 'DELETE', as: 'viewer' })
  expect((await app.call(record, { headers })).status).toBe(401)
})
