import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createApp } from '../../src/app'
import { startApp } from '../support/app'
import { signInAs } from '../support/session'

const app = await startApp()
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'books',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'price', type: 'decimal', options: { precision: 6, scale: 2 } },
      { name: 'count', type: 'integer' },
      { name: 'on', type: 'date' },
      { name: 'at', type: 'dateTime' },
      { name: 'extra', type: 'json' },
      { name: 'ref', type: 'uuid' },
    ],
  },
})
await app.call('/api/v1/tables/books/records', { as: 'admin', body: { title: 'x' } })
const cookie = await signInAs(app, 'editor')

const routes = createApp(app.deps).routes.map(({ method, path }) => ({ method, path }))
/** Where a body can be nearly right in most ways comes up more often than the many others. */
const routesOfRecords = routes.filter(({ path }) => path.includes('/records'))

/** What a path's parameters are in three of four requests, so that most of them get past the look-up. */
const named: Record<string, string> = { ':tableId': 'books', ':pk': '1' }

const oneOf = (words: string) => fc.constantFrom(...words.split(' '))

const segment = fc
  .oneof(
    oneOf(`books 1 records title __proto__ constructor .. %00 % %ff %2f , ' " 😀 -1`),
    fc.string({ maxLength: 12 }),
    fc.string({ unit: 'binary' }),
  )
  .map((text) => (text.startsWith('%') ? text : encodeURIComponent(text.toWellFormed())))
const reached = fc
  .tuple(
    fc.oneof(fc.constantFrom(...routes), fc.constantFrom(...routesOfRecords)),
    fc.array(segment, { minLength: 2, maxLength: 2 }),
    fc.nat({ max: 3 }),
  )
  .map(([route, parts, luck]) => ({ ...route, path: route.path.replace(/:\w+/g, (name) => (luck && named[name]) || parts.pop() || '1') }))
const method = oneOf('GET POST PATCH DELETE PUT HEAD OPTIONS')
const anywhere = fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`)
const target = fc.oneof({ weight: 8, arbitrary: reached }, { weight: 1, arbitrary: fc.record({ method, path: anywhere }) })

const parameter = fc.tuple(oneOf('limit cursor token a __proto__'), segment).map(([name, value]) => `${name}=${value}`)
const query = fc.array(parameter, { maxLength: 2 }).map((list) => (list.length ? `?${list.join('&')}` : ''))

const oddText = oneOf('\0 \ud800 NaN Infinity 1e131072 1e-16384 9223372036854775808 -0 . +1 0x1 ١ {} 1,2 2026-02-29 9999-12-31 0000-01-01')
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  oddText,
  fc.constantFrom<unknown>('', ' ', 1e308, -1e-308, 1e21, 7, null, '2026-01-01T00:00:00+14:59'),
)
const record = fc.dictionary(oneOf('title price count on at extra ref id'), value, { maxKeys: 4 })
const column = fc.record(
  {
    name: fc.oneof(fc.string({ minLength: 1, maxLength: 64 }), oneOf('a b id xmin __proto__ select')),
    type: oneOf('text integer bigint decimal boolean date dateTime json uuid nothing'),
    default: value,
    options: fc.record({ precision: fc.nat({ max: 1001 }), scale: fc.nat({ max: 30 }) }, { requiredKeys: [] }),
    unique: fc.boolean(),
  },
  { requiredKeys: ['name', 'type'] },
)
const table = fc.record(
  { name: fc.string({ minLength: 1, maxLength: 70 }), columns: fc.array(column, { maxLength: 3 }), primaryKey: value },
  { requiredKeys: ['name', 'columns'] },
)
const body = fc.oneof(
  record,
  fc.array(record, { maxLength: 4 }),
  table,
  fc.dictionary(oneOf('name email password code scope tables expiresAt'), value),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ maxLength: 20 }),
  fc.constant(undefined),
)

const as = fc.constantFrom(...(['admin', 'admin', 'editor', 'editor', 'viewer', undefined] as const))
const odd = fc.record(
  {
    'if-match': fc.constantFrom('*', '"1"', 'W/"1"', '"', '1', '"99999999999999999999"', '"4294967296"', '"x"', ',', ''),
    'if-none-match': fc.constantFrom('*', '"1"', '"', ''),
    'content-type': fc.constantFrom('application/json', 'text/plain', 'multipart/form-data; boundary=x', '', 'application/json; charset=x'),
    'content-encoding': fc.constantFrom('gzip', 'identity'),
    cookie: fc.constantFrom(cookie, 'service_session={"a":1}', '__proto__=1'),
    authorization: fc.constantFrom('Bearer', 'Basic x'),
  },
  { requiredKeys: [] },
)
const headers = fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: odd })

/** These answer in PostgREST's own shape. */
const isPostgrest = (path: string) => /^\/rest\/v1(\/|$)/.test(new URL(`http://localhost${path}`).pathname)

/** Events that come one day are not waited for. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  await response.body!.cancel()
  return ''
}

test('bad input of any kind is a 4xx in the envelope, never a 500', async () => {
  const seen = new Set<number>()
  const property = fc.asyncProperty(target, query, body, as, headers, async (to, search, content, caller, more) => {
    const hasBody = to.method !== 'GET' && to.method !== 'HEAD'
    // Share links answer people with a page, unless JSON is asked for.
    const ofLink: Record<string, string> = /^\/s\//.test(to.path) ? { accept: 'application/json' } : {}
    const call = { method: to.method, body: hasBody ? content : undefined, as: caller, headers: { ...ofLink, ...more } }
    const response = await app.call(to.path + search, call)
    const text = await textOf(response)
    seen.add(response.status)
    expect(response.status).toBeLessThan(500)
    if (response.status < 400 || to.method === 'HEAD') return
    // The page of a form is for people alone; programs send to /api/v1/forms.
    if (/^\/f\//.test(to.path)) return expect(response.headers.get('content-type')).toMatch(/^(text\/html|application\/problem\+json)/)
    if (isPostgrest(to.path)) return expect(Object.keys(JSON.parse(text)).sort()).toEqual(['code', 'details', 'hint', 'message'])
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(JSON.parse(text).requestId).toBe(response.headers.get('x-request-id')!)
  })
  await fc.assert(property, { numRuns: 3000 })
  expect(app.events.filter(({ kind }) => kind === 'request_failed')).toEqual([])
  // It got everywhere, not only to the door.
  for (const status of [200, 201, 400, 401, 403, 404, 405, 422]) expect(seen).toContain(status)
})

describe('a failing answer never repeats what was sent', () => {
  const secret = 'zebra7secret'
  /** PostgREST's message about an unknown table or function holds its name, which is a name and no value. */
  const filled = (path: string) => path.replace(/:\w+/g, isPostgrest(path) ? 'unknown' : secret)
  const bodies: (undefined | string | object)[] = [
    undefined,
    secret,
    `{"${secret}"`,
    { title: [secret], price: secret, count: secret, on: secret, at: secret, ref: secret, id: secret },
    [{ title: { a: secret } }, { count: secret }],
    { name: secret, columns: [{ name: secret, type: secret }], primaryKey: secret },
    { name: 'x', columns: [{ name: 'a', type: 'integer', default: secret, options: { a: secret } }], primaryKey: [secret] },
    { name: [secret], scope: secret, tables: [secret], expiresAt: secret },
    { email: secret, password: [secret], code: secret },
    { email: `${secret}@example.org`, password: `${secret}!`, code: secret },
  ]
  const places: [string, string][] = [
    ...routes.map(({ method, path }): [string, string] => [method, filled(path)]),
    ...['POST', 'PATCH'].map((method): [string, string] => [method, `/api/v1/tables/books/records${method === 'POST' ? '' : '/1'}`]),
    ['GET', `/api/v1/tables/books/records?limit=${secret}&cursor=${secret}`],
    ['GET', `/api/v1/tables/books/records?cursor=${Buffer.from(`["${secret}"]`).toString('base64url')}`],
    ['GET', `/api/v1/tables/books/records/${secret}`],
    ['GET', `/auth/me?token=${secret}`],
    ['GET', `/auth/me?token=${secret}&token=${secret}`],
    ['PUT', `/${secret}`],
  ]

  test.each(places)('%s %s', async (method, path) => {
    const headers = {
      'if-match': `"${secret}`,
      'if-none-match': secret,
      'accept-language': secret,
      'x-forwarded-for': secret,
      'user-agent': secret,
    }
    const credentials: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${secret}` },
      { cookie: `service_session=${secret}` },
      { authorization: `Bearer ${app.tokens.admin}` },
    ]
    for (const body of method === 'GET' ? [undefined] : bodies) {
      for (const credential of credentials) {
        const response = await app.call(path, { method, body, headers: { ...headers, ...credential } })
        if (response.status < 400) continue
        const answer = JSON.stringify([...response.headers]) + (await response.text())
        expect(answer.toLowerCase()).not.toContain(secret)
      }
    }
  })

  test('nor does anything that is told to the log', () => {
    const told = app.events.map((event) => (event.kind === 'request_done' ? { ...event, path: '' } : event))
    expect(JSON.stringify(told)).not.toContain(secret)
  })
})
