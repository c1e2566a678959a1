import { describe, expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { endpoints, pluginsWith } from '../support/plugins'

const site = 'https://shop.example'
const whole = `allow: () => true, handle: ({ method }) => ({ method })`
const allowing = `allow: () => true, handle: () => new Response('x', { headers: {
  'access-control-allow-origin': '${site}', 'access-control-allow-credentials': 'true' } })`
const plugins = pluginsWith({
  'shop/plugin.ts': endpoints(
    `{ method: 'GET', path: '/stock/:sku', public: true, cors: ['${site}', 'http://localhost:3000'], ${whole} }`,
    `{ method: 'POST', path: '/stock/:sku', public: true, ${whole} }`,
    `{ method: 'POST', path: '/', public: true, cors: ['*'], body: t.Object({ a: t.Integer() }), ${whole} }`,
    `{ method: 'GET', path: '/mine', public: false, cors: ['${site}'], ${whole} }`,
    `{ method: 'GET', path: '/headers', public: true, cors: ['${site}'], allow: () => true,
       handle: () => new Response('x', { headers: { 'x-stock': '7', 'access-control-expose-headers': 'X-Stock', vary: 'Accept' } }) }`,
    `{ method: 'GET', path: '/broken', public: true, cors: ['${site}'], allow: () => true, handle: () => { throw new Error('x') } }`,
    `{ method: 'GET', path: '/asked', public: true, cors: ['${site}'], allow: async ({ auth }) => (await auth.require()) && true, handle: () => 1 }`,
    `{ method: 'GET', path: '/allowing', public: true, cors: ['${site}'], ${allowing} }`,
  ),
  'other/plugin.ts': endpoints(
    `{ method: 'GET', path: '/stock/:sku', public: true, ${whole} }`,
    `{ method: 'GET', path: '/allowing', public: true, ${allowing} }`,
  ),
})
const app = await startApp({}, { plugins })
const listed = await startApp({ ROWHOUSE_CORS_ORIGINS: 'https://office.example' }, { plugins })

const base = '/api/v1/custom/shop'
const corsOf = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))
const readableBy = ({ headers }: Response) => headers.get('access-control-allow-origin')
const preflight = (path: string, method: string, origin = site, to = app) =>
  to.call(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
  })

describe('pages of an origin that the endpoint names', () => {
  test.each(['GET', 'HEAD'])('read its answer without a token: %s', async (method) => {
    const response = await app.call(`${base}/stock/7`, { method, headers: { origin: site } })
    expect([response.status, readableBy(response), response.headers.get('vary')]).toEqual([200, site, expect.stringContaining('Origin')])
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
  })

  test.each([
    ['a mistake of the plugin', '/broken', 500],
    ['a login that is missing', '/mine', 401],
    ['a login that the plugin asks for', '/asked', 401],
  ])('read what went wrong: %s', async (_what, path, status) => {
    const response = await app.call(base + path, { headers: { origin: site } })
    expect([response.status, readableBy(response)]).toEqual([status, site])
  })

  test('are asked for no login by a preflight, which is answered for that method alone', async () => {
    const response = await preflight(`${base}/mine`, 'GET')
    expect(response.status).toBe(204)
    expect(corsOf(response)).toEqual({
      'access-control-allow-origin': site,
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '600',
    })
    expect(readableBy(await preflight(`${base}/stock/7`, 'HEAD'))).toBe(site)
    expect(corsOf(await preflight(`${base}/stock/7`, 'POST'))).toEqual({})
  })

  test('use a token, too', async () => {
    const response = await app.call(`${base}/mine`, { as: 'viewer', headers: { origin: site } })
    expect([response.status, readableBy(response)]).toEqual([200, site])
  })

  test('read the headers that the plugin shows them', async () => {
    const { headers } = await app.call(`${base}/headers`, { headers: { origin: site } })
    expect(headers.get('access-control-expose-headers')).toMatch(/^X-Stock, .*X-Request-Id/)
    expect(headers.get('vary')).toBe('Accept, Origin')
  })

  test('send no cookie, even if the plugin would let them', async () => {
    const { headers } = await app.call(`${base}/allowing`, { headers: { origin: site } })
    expect([headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]).toEqual([site, null])
  })
})

test('any page reads what is for all', async () => {
  const response = await app.call(base, { body: { a: 1 }, headers: { origin: 'null' } })
  expect([response.status, readableBy(response)]).toEqual([200, '*'])
  expect(readableBy(await app.call(`${base}/`, { body: { a: 'x' }, headers: { origin: 'https://any.example' } }))).toBe('*')
  expect(readableBy(await preflight(base, 'POST', 'https://any.example'))).toBe('*')
})

describe('nobody reads', () => {
  test.each([
    ['another origin', `${base}/stock/7`, 'https://other.example'],
    ['an endpoint that names none', `${base.replace('shop', 'other')}/stock/7`, site],
    ['an endpoint that names none, but sets the headers itself', `${base.replace('shop', 'other')}/allowing`, site],
    ['an endpoint that names others, but sets the headers itself', `${base}/allowing`, 'https://other.example'],
    ['an address without an endpoint', `${base}/nothing`, site],
    ['the rest of the API', '/api/v1/tables', site],
  ])('%s, and its preflight tells nothing', async (_what, path, origin) => {
    const as = path === '/api/v1/tables' ? 'viewer' : undefined
    expect(corsOf(await app.call(path, { as, headers: { origin } }))).toEqual({})
    const answers = await Promise.all([preflight(path, 'GET', origin), preflight('/nowhere', 'GET', origin)])
    const [asked, unknown] = answers.map(({ status, headers }) => [
      status,
      [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
    ])
    expect(asked).toEqual(unknown!)
  })

  test('what comes with a cookie', async () => {
    for (const cookie of ['service_session=x', 'theme=dark'])
      for (const path of ['/stock/7', '/allowing'])
        expect(corsOf(await app.call(base + path, { headers: { origin: site, cookie } }))).toEqual({})
  })
})

test('the origins of the settings count beside those of an endpoint, for callers with a token', async () => {
  const office = 'https://office.example'
  const call = (path: string, origin: string, as?: 'viewer') => listed.call(base + path, { as, headers: { origin } })
  expect(readableBy(await call('/stock/7', office))).toBeNull()
  expect(readableBy(await call('/stock/7', office, 'viewer'))).toBe(office)
  expect(readableBy(await call('/stock/7', site))).toBe(site)
  expect(readableBy(await preflight(`${base}/stock/7`, 'GET', office, listed))).toBe(office)
})
