import { describe, expect, test } from 'bun:test'
import { json, password, startApp } from '../../support/app'
import { signInAs } from '../../support/session'

const app = await startApp()
const own = app.url
const cookie = await signInAs(app, 'admin')
let made = 0

/** What a browser says of the origin, and whether the request may be carried out. */
const cases: [string, Record<string, string>, boolean][] = [
  ['a page of ours', { 'sec-fetch-site': 'same-origin', origin: own }, true],
  ['a page of ours behind a proxy that changes the host', { 'sec-fetch-site': 'same-origin', origin: 'https://tables.example.org' }, true],
  ['the address bar', { 'sec-fetch-site': 'none' }, true],
  ['no browser', {}, true],
  ['an old browser on a page of ours', { origin: own }, true],
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
  ['another site that claims our origin', { 'sec-fetch-site': 'cross-site', origin: own }, false],
  ['another host of this site', { 'sec-fetch-site': 'same-site', origin: own }, false],
  ['a value that nobody knows', { 'sec-fetch-site': 'same-origin, cross-site' }, false],
  ['an old browser on another site', { origin: 'https://evil.example' }, false],
  ['an old browser in a sandbox', { origin: 'null' }, false],
  ['an old browser, our host with another scheme', { origin: own.replace('http:', 'https:') }, false],
  ['an old browser, our host with another port', { origin: 'http://127.0.0.1:1' }, false],
  ['an old browser, a host that begins like ours', { origin: `${own}.evil.example` }, false],
  ['another site with a forwarded host', { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' }, false],
]

async function shown(response: Promise<Response>) {
  const answer = await response
  return answer.status === 403 ? `403 ${(await json(answer)).code}` : String(answer.status)
}

describe.each(cases)('from %s', (_from, headers, isAllowed) => {
  const refused = '403 csrf_rejected'
  const table = () => ({ name: `t${made++}`, columns: [] })

  test('a write with the cookie', async () => {
    expect(await shown(app.call('/api/v1/tables', { body: table(), headers: { cookie, ...headers } }))).toBe(isAllowed ? '201' : refused)
  })

  test('a deletion with the cookie', async () => {
    const path = `/auth/tokens/${Bun.randomUUIDv7()}`
    expect(await shown(app.call(path, { method: 'DELETE', headers: { cookie, ...headers } }))).toBe(isAllowed ? '404' : refused)
  })

  test('a bad body with the cookie: the origin is judged first', async () => {
    expect(await shown(app.call('/api/v1/tables', { body: '{', headers: { cookie, ...headers } }))).toBe(isAllowed ? '400' : refused)
  })

  test('signing in', async () => {
    const response = await app.call('/auth/login', { body: { email: 'viewer@example.org', password }, headers })
    expect(response.headers.has('set-cookie')).toBe(isAllowed)
    expect(await shown(Promise.resolve(response))).toBe(isAllowed ? '200' : refused)
  })

  test('setting up', async () => {
    const body = { email: 'x@example.org', password }
    expect(await shown(app.call('/auth/setup', { body, headers }))).toBe(isAllowed ? '409' : refused)
  })

  test('signing out', async () => {
    const session = await signInAs(app, 'viewer')
    expect(await shown(app.call('/auth/logout', { method: 'POST', headers: { cookie: session, ...headers } }))).toBe(
      isAllowed ? '204' : refused,
    )
  })

  test('reading with the cookie is allowed everywhere: it changes nothing', async () => {
    expect((await app.call('/api/v1/tables', { headers: { cookie, ...headers } })).status).toBe(200)
  })

  test('a write with a token in the header is allowed everywhere: no browser adds it', async () => {
    expect((await app.call('/api/v1/tables', { as: 'admin', body: table(), headers: { cookie, ...headers } })).status).toBe(201)
  })

  test('a write with a token in the address is allowed everywhere', async () => {
    const path = `/api/v1/tables?token=${app.tokens.admin}`
    expect((await app.call(path, { body: table(), headers: { cookie, ...headers } })).status).toBe(201)
  })
})

test('an invalid token in the address does not open the door for the cookie', async () => {
  const headers = { cookie, 'sec-fetch-site': 'cross-site' }
  expect((await app.call('/api/v1/tables?token=x', { body: { name: 'stolen', columns: [] }, headers })).status).toBe(401)
})

test('what was refused keeps its session and has changed nothing', async () => {
  const headers = { cookie, 'sec-fetch-site': 'cross-site' }
  const response = await app.call('/api/v1/tables', { body: { name: 'stolen', columns: [] }, headers })
  expect(response.headers.has('set-cookie')).toBe(false)
  expect((await app.call('/auth/me', { headers: { cookie } })).status).toBe(200)
  expect((await app.call('/api/v1/tables/stolen', { as: 'admin' })).status).toBe(404)
})

test('with PUBLIC_URL, its origin is ours and the Host header’s is not', async () => {
  const published = await startApp({ PUBLIC_URL: 'https://tables.example.org' })
  const attempt = (origin: string) =>
    published.call('/auth/login', { body: { email: 'viewer@example.org', password }, headers: { origin } })
  expect((await attempt('https://tables.example.org')).status).toBe(200)
  expect((await attempt(published.url)).status).toBe(403)
})

test('no answer invites other sites to read it', async () => {
  const response = await app.call('/api/v1/tables', { as: 'admin', headers: { origin: 'https://evil.example' } })
  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
})
