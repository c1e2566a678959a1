import { beforeEach, describe, expect, test } from 'bun:test'
import { networkOf } from '../../../src/auth/network'
import { password, startApp } from '../../support/app'
import { behindProxy, guess, guessInTurn } from '../../support/guess'

const app = await startApp(behindProxy)
const exposed = await startApp()
const email = 'editor@example.org'
const home = '198.51.100.9'
const body = (address: string) => JSON.stringify({ email: address, password })

beforeEach(async () => {
  for (const { deps } of [app, exposed]) await deps.db.query('truncate rowhouse.auth_throttle, rowhouse.auth_known_addresses')
})

describe('five wrong guesses, and then the right password with', () => {
  const same: [string, { path?: string; body?: string; headers?: Record<string, string> }][] = [
    ['nothing new', {}],
    ['capitals', { body: body('EDITOR@Example.ORG') }],
    ['spaces around the address', { body: body('  editor@example.org\t\n') }],
    ['other white space around it', { body: body('\u00a0editor@example.org\u2003\ufeff') }],
    ['an escape in the JSON', { body: `{"email":"\\u0065ditor@example.org","password":"${password}"}` }],
    ['the address twice', { body: `{"email":"other@example.org","email":"${email}","password":"${password}"}` }],
    ['the fields in another order', { body: `{"password":"${password}", "email":"${email}"}` }],
    ['the other path', { path: '/api/v1/auth/login' }],
    ['a slash behind the path', { path: '/auth/login/' }],
    ['noise in the query', { path: '/auth/login?email=other@example.org&x=1' }],
    ['a token in the query', { path: `/auth/login?token=${app.tokens.viewer}` }],
    ['a fragment', { path: '/auth/login#x' }],
    ['another agent', { headers: { 'user-agent': 'somebody else', 'accept-language': 'de' } }],
    ['a cookie', { headers: { cookie: `service_session=${'A'.repeat(43)}` } }],
    ['a token', { headers: { authorization: `Bearer ${app.tokens.viewer}` } }],
    ['another request id', { headers: { 'x-request-id': 'another' } }],
    ['another JSON type', { headers: { 'content-type': 'application/json; charset=utf-8' } }],
    ['an address that the caller put in front', { headers: { 'x-forwarded-for': `6.6.6.6, ${home}` } }],
    ['a private address in front', { headers: { 'x-forwarded-for': `127.0.0.1, 10.0.0.1, ${home}` } }],
    ['the trusted proxy itself behind it', { headers: { 'x-forwarded-for': `${home}, 127.0.0.1` } }],
    ['X-Real-IP', { headers: { 'x-real-ip': '6.6.6.6' } }],
    ['Forwarded', { headers: { forwarded: 'for=6.6.6.6' } }],
    ['the caller’s address in IPv6', { headers: { 'x-forwarded-for': `::ffff:${home}` } }],
    ['the same in capitals', { headers: { 'x-forwarded-for': `::FFFF:${home}` } }],
    ['the same in hexadecimal', { headers: { 'x-forwarded-for': '::ffff:c633:6409' } }],
    ['the same in full', { headers: { 'x-forwarded-for': '0:0:0:0:0:ffff:c633:6409' } }],
  ]

  test.each(same)('%s: 429', async (_what, { path = '/auth/login', body: text = body(email), headers }) => {
    expect(await guessInTurn(app, email, 5, { from: home })).toEqual([401, 401, 401, 401, 401])
    const response = await app.call(path, { body: text, headers: { 'x-forwarded-for': home, ...headers } })
    expect(response.status).toBe(429)
  })

  test.each([
    ['a field that nobody asked for', '/auth/login', `{"email":"${email}","password":"${password}","tenant":"x"}`, 422],
    ['__proto__', '/auth/login', `{"__proto__":{"email":"x@y"},"email":"${email}","password":"${password}"}`, 422],
    ['another spelling of the path', '/auth/%6Cogin', body(email), 404],
    ['a doubled slash', '//auth/login', body(email), 429],
    ['capitals in the path', '/AUTH/LOGIN', body(email), 404],
  ])('%s: not let in', async (_what, path, text, status) => {
    await guessInTurn(app, email, 5, { from: home })
    const response = await fetch(app.url + path, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json', 'x-forwarded-for': home },
    })
    expect([response.status, response.headers.get('set-cookie')]).toEqual([status, null])
  })
})

describe('an address in IPv6', () => {
  const caller = '2001:db8:1:2::1'
  test.each([
    ['the same', caller, 429],
    ['another of the same /64', '2001:db8:1:2:ffff:ffff:ffff:ffff', 429],
    ['the same /64 in full and in capitals', '2001:0DB8:0001:0002:0000:0000:0000:0009', 429],
    ['the next /64', '2001:db8:1:3::1', 401],
    ['a /64 that begins alike', '2001:db8:1:20::1', 401],
    ['one with zeros in front of its /64', '2001:db8::1:2', 401],
    ['IPv4', '198.51.100.77', 401],
  ])('is known by its /64: %s', async (_what, other, status) => {
    await guessInTurn(app, email, 5, { from: caller })
    expect((await guess(app, email, { from: other })).status).toBe(status)
  })

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['', ''],
  ])('%s is of the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

test.each(['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip'])(
  'without a trusted proxy, %s makes nobody another',
  async (name) => {
    const statuses: number[] = []
    for (let n = 1; n <= 6; n++) {
      const value = name === 'forwarded' ? `for=192.0.2.${n}` : `192.0.2.${n}`
      statuses.push((await guess(exposed, email, { headers: { [name]: value } })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  },
)
