import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { readPeer } from '../../src/http/request/peer'
import type { Event } from '../../src/ops/log/events'
import { readConfig } from '../../src/ops/settings/config'
import { password, startApp } from '../support/app'
import { inThisDatabase } from '../support/locks'
import { until } from '../support/processes'

const behind = (trusted: string) => readConfig({ TRUSTED_PROXIES: trusted })

describe('the caller’s address', () => {
  test.each([
    ['without proxies, what is forwarded is not believed', '', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a stranger’s word is not believed', '10.0.0.0/8', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a proxy’s word is', '10.0.0.0/8', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['the last address counts, since the caller writes the first', '10.0.0.0/8', '10.1.2.3', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['proxies of ours are passed over from the right', '10.0.0.0/8', '10.1.2.3', '6.6.6.6, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['a proxy that forwards nothing is the caller', '10.0.0.0/8', '10.1.2.3', '', '10.1.2.3'],
    ['nonsense is not an address', '10.0.0.0/8', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['nonsense at the end hides nothing before it', '10.0.0.0/8', '10.1.2.3', '198.51.100.1, <script>', '10.1.2.3'],
    ['a port is no part of an address', '10.0.0.0/8', '10.1.2.3', '198.51.100.1:4711, 10.9.9.9:80', '198.51.100.1'],
    ['a port of IPv6 is none either', 'fd00::/8,::1', '::1', '[2001:db8::1]:4711, [fd00::5]', '2001:db8::1'],
    ['IPv4 in IPv6 is IPv4', '10.0.0.0/8', '::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['IPv6 works too', 'fd00::/8,::1', '::1', '2001:db8::1, fd00::5', '2001:db8::1'],
  ])('%s', (_what, trusted, socket, forwarded, expected) => {
    const headers = new Headers(forwarded ? { 'x-forwarded-for': forwarded } : {})
    expect(readPeer(headers, () => socket, behind(trusted)).address).toBe(expected)
  })
})

describe('the address that browsers use', () => {
  test.each([
    ['the Host header', {}, { host: 'a.example:8090' }, '127.0.0.1', 'http://a.example:8090'],
    [
      'a stranger’s X-Forwarded-Proto and -Host are ignored',
      {},
      { host: 'a.example', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'b.example' },
      '127.0.0.1',
      'http://a.example',
    ],
    [
      'a proxy’s X-Forwarded-Proto counts',
      { TRUSTED_PROXIES: '127.0.0.1' },
      { host: 'a.example', 'x-forwarded-proto': 'https' },
      '127.0.0.1',
      'https://a.example',
    ],
    [
      'a proxy’s X-Forwarded-Host counts',
      { TRUSTED_PROXIES: '127.0.0.1' },
      { host: 'inside', 'x-forwarded-host': 'b.example' },
      '127.0.0.1',
      'http://b.example',
    ],
    [
      'the last of several counts',
      { TRUSTED_PROXIES: '127.0.0.1' },
      { host: 'a.example', 'x-forwarded-proto': 'https, http' },
      '127.0.0.1',
      'http://a.example',
    ],
    [
      'another protocol is none',
      { TRUSTED_PROXIES: '127.0.0.1' },
      { host: 'a.example', 'x-forwarded-proto': 'gopher' },
      '127.0.0.1',
      'http://a.example',
    ],
    [
      'PUBLIC_URL goes before all',
      { PUBLIC_URL: 'https://tables.example.org', TRUSTED_PROXIES: '127.0.0.1' },
      { host: 'x', 'x-forwarded-host': 'y' },
      '127.0.0.1',
      'https://tables.example.org',
    ],
  ])('%s', (_what, environment, headers, socket, expected) => {
    const { origin, isHttps } = readPeer(new Headers(headers as Record<string, string>), () => socket, readConfig(environment))
    expect({ origin, isHttps }).toEqual({ origin: expected, isHttps: expected.startsWith('https:') })
  })
})

describe('the cookie is marked Secure', () => {
  test.each([
    ['not on plain http, so that sign-in works in a local network', {}, {}, false],
    ['not on a stranger’s word', {}, { 'x-forwarded-proto': 'https' }, false],
    ['behind a trusted proxy with https', { TRUSTED_PROXIES: '127.0.0.1' }, { 'x-forwarded-proto': 'https' }, true],
    ['not behind a trusted proxy with http', { TRUSTED_PROXIES: '127.0.0.1' }, { 'x-forwarded-proto': 'http' }, false],
    ['with an https PUBLIC_URL', { PUBLIC_URL: 'https://tables.example.org' }, {}, true],
  ])('%s', async (_what, environment, headers, isSecure) => {
    const app = await startApp(environment as unknown as Record<string, string>)
    const response = await app.call('/auth/login', {
      body: { email: 'viewer@example.org', password },
      headers: headers as unknown as Record<string, string>,
    })
    const end = isSecure ? '; HttpOnly; SameSite=Lax; Secure' : '; HttpOnly; SameSite=Lax'
    expect(response.headers.getSetCookie()[0]).toEndWith(end)
    const cleared = await app.call('/auth/me', {
      headers: { cookie: 'service_session=x', ...(headers as unknown as Record<string, string>) },
    })
    expect(cleared.headers.get('set-cookie')).toBe(`service_session=; Max-Age=0; Path=/${end}`)
  })
})

const addressOf = (event: Event | undefined) => (event?.kind === 'request_done' ? event.details.address : null)

test('the log shows the caller behind a trusted proxy', async () => {
  const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' }, { users: false })
  await app.call('/healthz', { headers: { 'x-forwarded-for': '198.51.100.7' } })
  expect(addressOf(app.events.find((event) => event.kind === 'request_done'))).toBe('198.51.100.7')
})

test.each([
  ['', '/api/v1/tables/books/records', '127.0.0.1'],
  ['127.0.0.1', '/api/v1/tables/books/records', '198.51.100.7'],
  // The short way of reads by key.
  ['127.0.0.1', '/api/v1/tables/books/records/1', '198.51.100.7'],
])('is known of a sender that has gone meanwhile (behind "%s", %s)', async (proxies, path, address) => {
  const app = await startApp(proxies ? { TRUSTED_PROXIES: proxies } : {})
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [] } })
  const told = () => app.events.find((event) => event.kind === 'request_done' && event.requestId === 'gone')
  await app.deps.db.transaction(async ({ query }) => {
    await query('lock table data.books')
    const { hostname, port } = new URL(app.url)
    const socket = connect(Number(port), hostname)
    const lines = [
      `GET ${path} HTTP/1.1`,
      'Host: x',
      'X-Request-Id: gone',
      'X-Forwarded-For: 198.51.100.7',
      `Authorization: Bearer ${app.tokens.viewer}`,
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    const waiting = `select from pg_locks where not granted and ${inThisDatabase}`
    await until('the request waits', async () => (await query(waiting)).length > 0)
    socket.destroy()
    await Bun.sleep(100)
  })
  await until('the request is reported', () => told() !== undefined)
  expect(addressOf(told())).toBe(address)
})

describe('X-Forwarded-For of a proxy that is not named', () => {
  const warnings = ({ events }: { events: Event[] }) =>
    events.flatMap((event) => (event.kind === 'warning' && event.message.includes('TRUSTED_PROXIES') ? [event.message] : []))
  const forwarded = { headers: { 'x-forwarded-for': '198.51.100.7' } }

  test.each([
    ['where none is', {}],
    ['where another one is', { TRUSTED_PROXIES: '192.0.2.0/24' }],
  ])('is a warning, once, that says what to set, %s', async (_what, environment) => {
    const app = await startApp(environment as Record<string, string>, { users: false })
    await app.call('/healthz')
    expect(warnings(app)).toEqual([])
    for (let time = 0; time < 3; time++) await app.call('/healthz', forwarded)
    expect(warnings(app)).toEqual([expect.stringMatching(/set TRUSTED_PROXIES=127\.0\.0\.1$/)])
  })

  test('of one that is named is none', async () => {
    const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' }, { users: false })
    await app.call('/healthz', forwarded)
    expect(warnings(app)).toEqual([])
  })
})
