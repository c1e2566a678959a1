import { describe, expect, test } from 'bun:test'
import { createApp } from '../../src/app'
import { readConfig } from '../../src/ops/settings/config'
import { password, startApp, type TestApp } from '../support/app'
import { expectProblem } from '../support/problem'

const shop = 'https://shop.example'
const app = await startApp({ ROWHOUSE_CORS_ORIGINS: `${shop}, http://127.0.0.1:3000` })
const closed = await startApp()
const open = await startApp({ ROWHOUSE_CORS_ORIGINS: '*' })
for (const each of [app, closed, open]) {
  await each.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [{ name: 'title', type: 'text' }] } })
  await each.call('/api/v1/tables/books/records', { as: 'editor', body: { title: 'Emma' } })
}

const corsOf = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))
const variesByOrigin = ({ headers }: Response) => /(^|, )Origin(,|$)/.test(headers.get('vary') ?? '')
const login = async ({ call }: TestApp) =>
  (await call('/auth/login', { body: { email: 'editor@example.org', password } })).headers.getSetCookie()[0]!.split(';')[0]!

describe('a caller with a token, from an origin of the settings', () => {
  const exposed = [
    'ETag',
    'Location',
    'Content-Range',
    'X-Request-Id',
    'Retry-After',
    'Link',
    'Preference-Applied',
    'Content-Disposition',
    'Dry-Run',
    'Feed-Cursor',
    'Feed-Reset',
    'Idempotent-Replayed',
  ]

  test.each([
    ['a record, on the short way', 'GET', '/api/v1/tables/books/records/1', 200],
    ['records', 'GET', '/api/v1/tables/books/records?select=title', 200],
    ['HEAD', 'HEAD', '/api/v1/tables/books/records', 200],
    ['rows', 'GET', '/rest/v1/books?select=*&limit=1', 200],
    ['one row, on the short way', 'GET', '/rest/v1/books?id=eq.1', 200],
    ['a health check', 'GET', '/healthz', 200],
    ['what is not there', 'GET', '/api/v1/tables/books/records/99', 404],
    ['an unknown address', 'GET', '/api/v1/nowhere', 404],
    ['a wrong method', 'PUT', '/api/v1/tables/books/records', 405],
    ['a body that does not fit', 'POST', '/api/v1/tables/books/records', 422],
    ['what needs a session', 'POST', '/auth/logout', 403],
    ['an unknown table of PostgREST', 'GET', '/rest/v1/nothing', 404],
    ['too many parameters', 'GET', `/api/v1/tables?${'a&'.repeat(1001)}`, 400],
  ])('reads the answer and its headers: %s', async (_what, method, path, status) => {
    const response = await app.call(path, { as: 'editor', method, headers: { origin: shop } })
    expect(response.status).toBe(status)
    expect(corsOf(response)).toEqual({
      'access-control-allow-origin': shop,
      'access-control-expose-headers': expect.stringContaining('X-Request-Id'),
    })
    for (const name of exposed) expect(response.headers.get('access-control-expose-headers')).toContain(name)
    expect(variesByOrigin(response)).toBe(true)
  })

  test('reads why a token is refused, in the header and in the address', async () => {
    const headers = { origin: shop }
    const inHeader = await app.call('/api/v1/tables', { headers: { ...headers, authorization: 'Bearer wrong' } })
    const inAddress = await app.call('/api/v1/tables?token=wrong', { headers })
    for (const response of [inHeader, inAddress]) {
      expect(corsOf(response)).toMatchObject({ 'access-control-allow-origin': shop })
      await expectProblem(response, 401, 'invalid_token')
    }
  })

  test('may have it in the address, or come from any of the origins', async () => {
    const response = await app.call(`/api/v1/tables?token=${app.tokens.viewer}`, { headers: { origin: 'http://127.0.0.1:3000' } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, 'http://127.0.0.1:3000'])
  })

  test('writes, and reads where the record is', async () => {
    const response = await app.call('/api/v1/tables/books/records', {
      as: 'editor',
      body: { title: 'Persuasion' },
      headers: { origin: shop },
    })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([201, shop])
    expect(response.headers.get('location')).toStartWith('/api/v1/tables/')
  })
})

describe('no page of another site reads an answer', () => {
  const tables = '/api/v1/tables'
  test.each([
    ['of another origin', 'https://other.example'],
    ['of an origin that begins alike', `${shop}.evil.example`],
    ['of another port', `${shop}:8443`],
    ['of another scheme', 'http://shop.example'],
    ['in other capitals', 'https://SHOP.example'],
    ['of an opaque origin', 'null'],
    ['of an empty one', ''],
  ])('%s', async (_what, origin) => {
    const response = await app.call(tables, { as: 'editor', headers: { origin } })
    expect([response.status, corsOf(response), variesByOrigin(response)]).toEqual([200, {}, true])
  })

  test('without a token', async () => {
    for (const path of ['/healthz', tables, '/auth/setup-status', '/'])
      for (const authorization of [undefined, 'Basic dXNlcjpwYXNz']) {
        const response = await app.call(path, { headers: { origin: shop, ...(authorization ? { authorization } : {}) } })
        expect(corsOf(response)).toEqual({})
      }
  })

  test('with a cookie, also beside a token, and the rules against other sites stay', async () => {
    const cookie = await login(app)
    const read = await app.call(tables, { headers: { origin: shop, cookie } })
    expect([read.status, corsOf(read)]).toEqual([200, {}])
    for (const path of [tables, `${tables}?token=${app.tokens.viewer}`]) {
      const beside = await app.call(path, { as: 'editor', headers: { origin: shop, cookie } })
      expect([beside.status, corsOf(beside)]).toEqual([200, {}])
    }
    const written = await app.call(`${tables}/books/records`, { body: { title: 'x' }, headers: { origin: shop, cookie } })
    expect(corsOf(written)).toEqual({})
    await expectProblem(written, 403, 'csrf_rejected')
    const signIn = { body: { email: 'editor@example.org', password }, headers: { origin: shop } }
    await expectProblem(await app.call('/auth/login', signIn), 403, 'csrf_rejected')
  })

  test('and the service’s own page needs nothing', async () => {
    const response = await app.call(tables, { as: 'editor', headers: { origin: app.url } })
    expect([response.status, corsOf(response)]).toEqual([200, {}])
  })

  test('where the settings name no origin, as ever', async () => {
    const response = await closed.call(tables, { as: 'editor', headers: { origin: shop } })
    expect([corsOf(response), variesByOrigin(response)]).toEqual([{}, false])
  })
})

test('the settings may name all origins', async () => {
  const response = await open.call('/api/v1/tables', { as: 'editor', headers: { origin: 'null' } })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(corsOf(await open.call('/api/v1/tables', { headers: { origin: shop, cookie: await login(open) } }))).toEqual({})
})

describe('a preflight', () => {
  const ask = (to: TestApp, path: string, headers: Record<string, string> = {}) =>
    to.call(path, {
      method: 'OPTIONS',
      headers: {
        origin: shop,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'apikey,authorization,content-type,prefer',
        ...headers,
      },
    })
  const seen = async (response: Response) => ({
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))),
    body: await response.text(),
  })
  const paths = [...new Set(createApp(app.deps).routes.map(({ path }) => path.replace(/:\w+/g, '1')))]

  test('is answered without a credential', async () => {
    const response = await ask(app, '/rest/v1/books')
    expect(response.status).toBe(204)
    expect(corsOf(response)).toEqual({
      'access-control-allow-origin': shop,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'apikey,authorization,content-type,prefer',
      'access-control-max-age': '600',
    })
    expect(response.headers.get('vary')).toContain('Origin')
  })

  test.each([
    ['an origin of the settings', app, shop],
    ['another one', app, 'https://other.example'],
    ['one where there are none', closed, shop],
  ] as const)('tells nothing of the service: the same answer at every address, known or not, to %s', async (_who, to, origin) => {
    const unknown = await seen(await ask(to, '/nowhere/at/all', { origin }))
    expect(unknown).toMatchObject({ status: 204, body: '' })
    expect('access-control-allow-origin' in unknown.headers).toBe(to === app && origin === shop)
    for (const path of [...paths, '/api/v1/custom/x', '/api/v1/tables/books/records/1'])
      expect({ path, ...(await seen(await ask(to, path, { origin }))) }).toEqual({ path, ...unknown })
    const bad = { origin, authorization: 'Bearer wrong', cookie: 'service_session=wrong' }
    expect(await seen(await ask(to, '/api/v1/tables?token=x', bad))).toEqual(unknown)
  })

  test('gets no header back that is none', async () => {
    const response = await ask(app, '/api/v1/tables', { 'access-control-request-headers': 'a b: <x>' })
    expect(response.headers.has('access-control-allow-headers')).toBe(false)
  })
})

describe('the setting ROWHOUSE_CORS_ORIGINS', () => {
  test.each([
    'https://shop.example/',
    'https://shop.example/path',
    'https://SHOP.example',
    'https://shop.example:443',
    'https://bücher.example',
    'https://*.example',
    'shop.example',
    'null',
    'https://shop.example,*',
    'https://user@shop.example',
  ])('refuses %s', (value) => {
    expect(() => readConfig({ ROWHOUSE_CORS_ORIGINS: value })).toThrow('origins separated by commas')
  })

  test.each(['https://shop.example,http://[::1]:8080', 'https://xn--bcher-kva.example', 'capacitor://localhost', '*', ''])(
    'takes %p',
    (value) => {
      expect(readConfig({ ROWHOUSE_CORS_ORIGINS: value }).corsOrigins).toEqual(value.split(',').filter(Boolean))
    },
  )
})
