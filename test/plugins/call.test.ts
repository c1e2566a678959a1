import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { json, startApp } from '../support/app'
import { makePerson } from '../support/people'
import { endpoints, pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'
import { signInAs } from '../support/session'

const text = endpoints(
  `{ method: 'GET', path: '/open', public: true, allow: () => true, handle: (call) => ({ actor: call.actor }) }`,
  `{ method: 'GET', path: '/closed', public: false, allow: () => true, handle: ({ actor }) => actor }`,
  `{ method: 'POST', path: '/closed', public: false, body: t.Object({ n: t.Integer() }), allow: () => true, handle: ({ body }) => body }`,
  `{ method: 'GET', path: '/require', public: true, allow: async ({ auth }) => (await auth.require()) && true, handle: ({ actor }) => actor.user.email }`,
  `{ method: 'POST', path: '/require', public: true, allow: async ({ auth }) => (await auth.require()) && true, handle: ({ actor }) => actor.user.email }`,
  `{ method: 'GET', path: '/optional', public: true, allow: async ({ auth }) => (await auth.optional(), true), handle: ({ actor }) => actor?.user.email ?? 'nobody' }`,
  `{ method: 'POST', path: '/optional', public: true, allow: async ({ auth }) => (await auth.optional(), true), handle: ({ actor }) => actor?.user.email ?? 'nobody' }`,
  `{ method: 'GET', path: '/verdict/:kind', public: true, query: t.Object({ who: t.Optional(t.Literal('ask')) }),
     allow: async ({ auth, params, query }) => {
       if (query.who) await auth.optional()
       return { true: true, false: false, reason: 'Not on Mondays.', empty: '', one: 1, nothing: undefined, object: {} }[params.kind]
     }, handle: () => 'in' }`,
  `{ method: 'POST', path: '/echo/:id', public: true, params: t.Object({ id: t.Integer({ minimum: 1 }) }),
     query: t.Object({ q: t.Optional(t.String()), tags: t.Optional(t.Array(t.String())), on: t.Boolean({ default: false }) }),
     body: t.Object({ n: t.Integer(), name: t.Optional(t.String({ maxLength: 5 })), id: t.Optional(t.Nullable(t.String({ format: 'uuid' }))) }),
     response: t.Object({ params: t.Any(), query: t.Any(), body: t.Any() }),
     allow: () => true, handle: ({ params, query, body }) => ({ params, query, body }) }`,
  `{ method: 'POST', path: '/deep', public: true, allow: () => true, handle: ({ body }) => body,
     body: t.Object({ user: t.Object({ name: t.String() }), lines: t.Optional(t.Array(t.Object({ n: t.Integer() }))), by: t.Optional(t.Nullable(t.Object({ id: t.Integer() }))),
       free: t.Optional(t.Object({ a: t.Integer() }, { additionalProperties: true })), exact: t.Optional(t.Object({ a: t.Integer() }, { additionalProperties: false })),
       maybe: t.Optional(t.Array(t.Nullable(t.Object({ n: t.Integer() })))), each: t.Optional(t.Record(t.String(), t.Object({ n: t.Integer() }))),
       to: t.Optional(t.Nullable(t.Object({ city: t.String(), country: t.String({ default: 'DE' }) }))), codes: t.Optional(t.Record(t.String({ pattern: '^[a-z]+$' }), t.Integer())) }) }`,
  `{ method: 'GET', path: '/numbers', public: true, allow: () => true, handle: ({ query }) => query,
     query: t.Object({ i: t.Optional(t.Integer()), n: t.Optional(t.Number()), s: t.Optional(t.Nullable(t.String())), list: t.Optional(t.Array(t.Integer())) }) }`,
  `{ method: 'POST', path: '/seen', public: true, allow: () => true, handle: async (call) => ({ headers: Object.fromEntries(call.headers), query: call.query, text: await call.text(), path: call.path }) }`,
  `{ method: 'POST', path: '/hook', public: true, credentials: 'own', allow: () => true, handle: async (call) => ({ headers: Object.fromEntries(call.headers), query: call.query, text: await call.text() }) }`,
  `{ method: 'GET', path: '/hook-asks', public: true, credentials: 'own', allow: async ({ auth }) => (await auth.optional(), true), handle: () => 1 }`,
  `{ method: 'GET', path: '/a-b/c1', public: true, allow: () => true, handle: () => 1 }`,
  `{ method: 'GET', path: '/a/b-c2', public: true, allow: () => true, handle: () => 1 }`,
  `{ method: 'GET', path: '/files/*', public: true, allow: () => true, handle: ({ params }) => params }`,
)
const documentation = readFileSync(resolve(import.meta.dir, '../../docs/plugins.md'), 'utf8')
const [, firstExample = ''] = /## An endpoint\n\n```ts\n([^`]+)```/.exec(documentation)!
const plugins = pluginsWith({
  'try/plugin.ts': text,
  'warehouse/plugin.ts': firstExample,
  'warehousekey/plugin.ts': firstExample,
  'warehousekey/settings.toml': 'key = "of-the-screen"',
})
const app = await startApp({}, { plugins })
const at = (path: string) => `/api/v1/custom/try${path}`
const cookie = await signInAs(app, 'editor')
const someToken = 'A'.repeat(43)

test('there is no problem with the plugin', async () => {
  expect((await json(app.call('/api/v1/plugins', { as: 'admin' }))).plugins[0]).toMatchObject({ state: 'loaded', problems: [] })
})

describe('an endpoint that is not public', () => {
  test('is behind the same door as all routes', async () => {
    await expectProblem(await app.call(at('/closed')), 401, 'unauthenticated')
    await expectProblem(await app.call(at('/closed'), { headers: { authorization: `Bearer ${someToken}`, cookie } }), 401, 'invalid_token')
    await expectProblem(await app.call(at('/closed'), { headers: { cookie: `service_session=${someToken}` } }), 401, 'invalid_session')
    await expectProblem(await app.call(at(`/closed?token=${someToken}&token=x`)), 400, 'invalid_request')
    const wild = await app.call(at('/closed'), { method: 'POST', body: '{' })
    await expectProblem(wild, 401, 'unauthenticated')
  })

  test('knows who is calling, and not by what', async () => {
    const { user } = await json(app.call('/auth/me', { as: 'viewer' }))
    const shown = { id: user.id, email: user.email, name: user.name, role: 'viewer' }
    const token = { id: expect.any(String), name: 'test', scope: 'full', tables: null }
    expect(await json(app.call(at('/closed'), { as: 'viewer' }))).toEqual({ user: shown, via: 'bearer', token })
    expect(await json(app.call(at(`/closed?token=${app.tokens.viewer}`)))).toEqual({ user: shown, via: 'query', token })
    expect(await json(app.call(at('/closed'), { headers: { cookie } }))).toMatchObject({ via: 'cookie', token: null })
  })

  test('refuses other sites and narrow tokens', async () => {
    const body = { n: 1 }
    await expectProblem(await app.call(at('/closed'), { body, headers: { cookie, 'sec-fetch-site': 'cross-site' } }), 403, 'csrf_rejected')
    const { token } = await json(app.call('/auth/tokens', { as: 'editor', body: { name: 'narrow', scope: 'read' } }))
    const headers = { authorization: `Bearer ${token}` }
    await expectProblem(await app.call(at('/closed'), { body, headers }), 403, 'insufficient_scope')
    expect((await app.call(at('/closed'), { headers })).status).toBe(200)
    expect(await json(app.call(at('/closed'), { body, as: 'viewer' }))).toEqual({ n: 1 })
  })
})

describe('a public endpoint', () => {
  test('that does not ask is not disturbed by any credential', async () => {
    for (const headers of [
      {} as Record<string, string>,
      { authorization: `Bearer ${someToken}` },
      { cookie: 'service_session=x' },
      { cookie },
    ])
      expect(await json(app.call(at('/open'), { headers }))).toEqual({ actor: null })
    expect(await json(app.call(at('/open?token=x&token=y')))).toEqual({ actor: null })
  })

  test('that requires a login answers as every route does', async () => {
    await expectProblem(await app.call(at('/require')), 401, 'unauthenticated')
    await expectProblem(await app.call(at('/require'), { headers: { authorization: 'Bearer', cookie } }), 401, 'invalid_token')
    const stale = await app.call(at('/require'), { headers: { cookie: 'service_session=x' } })
    expect(stale.headers.get('set-cookie')).toContain('service_session=; Max-Age=0')
    await expectProblem(stale, 401, 'invalid_session')
    expect(await json(app.call(at('/require'), { headers: { cookie } }))).toBe('editor@example.org')
  })

  test('that asks takes a stale cookie for a stranger, and a bad token for an error', async () => {
    const optional = (headers: Record<string, string>, search = '') => app.call(at(`/optional${search}`), { headers })
    expect(await json(optional({}))).toBe('nobody')
    expect(await json(optional({ cookie: 'service_session=x' }))).toBe('nobody')
    expect(await json(optional({ cookie }))).toBe('editor@example.org')
    await expectProblem(await optional({ authorization: `Bearer ${someToken}`, cookie }), 401, 'invalid_token')
    await expectProblem(await optional({ cookie }, `?token=${someToken}`), 401, 'invalid_token')
    await expectProblem(await optional({}, `?token=x&token=x`), 400, 'invalid_request')
  })

  test.each(['/require', '/optional'])('%s refuses what another site sends in a user’s name, and the audit log has it', async (path) => {
    const count = async () =>
      (await json(app.call('/api/v1/audit?kind=csrf_rejected', { as: 'admin' }))).entries.reduce(
        (sum: number, entry: { count: number }) => sum + entry.count,
        0,
      )
    const before = await count()
    const headers = { cookie, 'sec-fetch-site': 'cross-site' }
    await expectProblem(await app.call(at(path), { method: 'POST', headers }), 403, 'csrf_rejected')
    expect(await count()).toBe(before + 1)
    expect((await app.call(at(path), { method: 'POST', headers: { cookie } })).status).toBe(200)
  })

  test('a narrow token is refused when it is asked for', async () => {
    const { token } = await json(app.call('/auth/tokens', { as: 'editor', body: { name: 'narrow', scope: 'read' } }))
    await expectProblem(await app.call(at(`/optional?token=${token}`), { method: 'POST' }), 403, 'insufficient_scope')
    expect(await json(app.call(at(`/optional?token=${token}`)))).toBe('editor@example.org')
  })

  test('hears of a disabled user with the next call', async () => {
    const { user, token } = await makePerson(app)
    const ask = () => app.call(at('/require'), { headers: { authorization: `Bearer ${token}` } })
    expect((await ask()).status).toBe(200)
    await app.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'PATCH', body: { disabled: true } })
    await expectProblem(await ask(), 401, 'invalid_token')
  })
})

describe('allow', () => {
  test.each(['false', 'empty', 'one', 'nothing', 'object'])('%s lets nobody in', async (kind) => {
    const stranger = await app.call(at(`/verdict/${kind}`), { as: 'admin' })
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer realm="service"')
    await expectProblem(stranger, 401, 'unauthenticated')
    await expectProblem(await app.call(at(`/verdict/${kind}?who=ask`)), 401, 'unauthenticated')
    await expectProblem(await app.call(at(`/verdict/${kind}?who=ask`), { as: 'admin' }), 403, 'forbidden')
  })

  test('true lets in, and a text is the reason', async () => {
    expect(await json(app.call(at('/verdict/true')))).toBe('in')
    const { message } = await expectProblem(await app.call(at('/verdict/reason?who=ask'), { as: 'admin' }), 403, 'forbidden')
    expect(message).toBe('Not on Mondays.')
  })
})

describe('what comes in', () => {
  test('is checked, converted and cut to what was declared', async () => {
    const body = { n: 1, name: 'a', isAdmin: true }
    expect(await json(app.call(at('/echo/7?q=1&tags=a&tags=b&tags=c&on=true&more=1&token=x'), { body }))).toEqual({
      params: { id: 7 },
      query: { q: '1', tags: ['a', 'b', 'c'], on: true },
      body: { n: 1, name: 'a' },
    })
    expect(await json(app.call(at('/echo/7?tags=a'), { body: { n: 1, id: null } }))).toMatchObject({ query: { tags: ['a'], on: false } })
  })

  test('members that no schema names are left out at every depth', async () => {
    const body = {
      user: { name: 'a', role: 'admin' },
      lines: [{ n: 1, price: 0 }],
      by: { id: 1, role: 'admin' },
      free: { a: 1, b: 2 },
      maybe: [null, { n: 1, role: 'admin' }],
      each: { a: { n: 1, role: 'admin' }, 'line\nbreak': { role: 'admin' } },
      to: { city: 'X', role: 'admin' },
      codes: { a: 1, ROLE: { role: 'admin' } },
      ...JSON.parse('{"__proto__": {"role": "admin"}, "constructor": 1}'),
    }
    expect(await json(app.call(at('/deep'), { body }))).toEqual({
      user: { name: 'a' },
      lines: [{ n: 1 }],
      by: { id: 1 },
      free: { a: 1, b: 2 },
      maybe: [null, { n: 1 }],
      each: { a: { n: 1 } },
      to: { city: 'X', country: 'DE' },
      codes: { a: 1 },
    })
    const refused = await app.call(at('/deep'), { body: { user: { name: 'a' }, exact: { a: 1, b: 2 } } })
    await expectProblem(refused, 422, 'validation_failed')
  })

  test('numbers in an address are taken as they are written, or not at all', async () => {
    const seen = await json(app.call(at('/numbers?i=-7&n=1.5e3&s=null&list=1&list=2')))
    expect(seen).toEqual({ i: -7, n: 1500, s: 'null', list: [1, 2] })
    for (const search of ['i=1.9', 'i=1e3', 'i=0x10', 'i=9007199254740993', 'i=', 'n=0x10', 'n=1,5', 'list=1&list=1.5', 'list=9e9'])
      await expectProblem(await app.call(at(`/numbers?${search}`)), 422, 'validation_failed')
  })

  test.each([
    ['/echo/x', { n: 1 }, 'id'],
    ['/echo/0', { n: 1 }, 'id'],
    ['/echo/1?on=maybe', { n: 1 }, 'on'],
    ['/echo/1?q=a&q=b', { n: 1 }, 'q'],
    ['/echo/1', { n: '1' }, '/n'],
    ['/echo/1', { n: 1, name: 'secret-value' }, '/name'],
    ['/echo/1', { n: 1, id: 'secret-value' }, '/id'],
    ['/echo/1', [], ''],
    ['/echo/1', {}, '/n'],
  ])('%s %j is 422, with its place and without its value', async (path, body, place) => {
    const problem = await expectProblem(await app.call(at(path), { body }), 422, 'validation_failed')
    expect(problem.errors!.map((each) => each.path)).toContain(place)
    expect(JSON.stringify(problem)).not.toContain('secret-value')
  })

  test('bodies are held to JSON and its limits', async () => {
    const send = (body: string, type = 'application/json') => app.call(at('/echo/1'), { body, headers: { 'content-type': type } })
    await expectProblem(await send('{'), 400, 'malformed_json')
    await expectProblem(await send('n=1', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type')
    await expectProblem(await send(JSON.stringify({ n: 1, name: 'x'.repeat(10 * 2 ** 20) })), 413, 'payload_too_large')
    await expectProblem(await app.call(at('/echo/1'), { method: 'POST' }), 422, 'validation_failed')
    await expectProblem(await app.call(at('/echo/%ff'), { body: { n: 1 } }), 404, 'not_found')
    expect(await json(app.call(at('/files/a/b%2fc')))).toEqual({ '*': expect.any(String) })
  })

  test('never holds a credential', async () => {
    const headers = { authorization: `Bearer ${app.tokens.admin}`, cookie: `a=b; ${cookie}`, 'proxy-authorization': 'x', 'x-key': 'kept' }
    const referer = `https://example.org/page?token=${app.tokens.admin}`
    const seen = await (
      await app.call(at(`/seen?to%6ben=${app.tokens.admin}&a=1`), { body: 'raw', headers: { ...headers, referer } })
    ).text()
    expect(seen).not.toContain(app.tokens.admin)
    expect(seen).not.toContain(cookie.split('=')[1]!)
    expect(JSON.parse(seen)).toMatchObject({ query: { a: '1' }, text: 'raw', path: at('/seen'), headers: { 'x-key': 'kept' } })
    expect(Object.keys(JSON.parse(seen).headers)).not.toContain('authorization')
  })

  test('with credentials of its own holds the header and the query as they were sent, and no cookie', async () => {
    const headers = { authorization: 'Bearer theirs', cookie }
    const seen = await json(app.call(at('/hook?token=theirs&a=1'), { body: 'raw', headers }))
    expect(seen).toMatchObject({ query: { token: 'theirs', a: '1' }, text: 'raw', headers: { authorization: 'Bearer theirs' } })
    expect(JSON.stringify(seen)).not.toContain('service_session')
    await expectProblem(await app.call(at('/hook-asks'), { as: 'admin' }), 500, 'internal')
  })
})

test('the first example of docs/plugins.md opens to its key, and without one in the settings to users only', async () => {
  const stock = (plugin: string, as?: 'viewer' | 'editor') => app.call(`/api/v1/custom/${plugin.replace('?', '/stock/4711?')}`, { as })
  const answer = { sku: '4711', pieces: 7 }
  expect(await json(stock('warehousekey?key=of-the-screen'))).toEqual(answer)
  for (const plugin of ['warehousekey?', 'warehousekey?key=other', 'warehouse?', 'warehouse?key=undefined'])
    await expectProblem(await stock(plugin), 401, 'unauthenticated')
  await expectProblem(await stock('warehouse?', 'viewer'), 403, 'forbidden')
  expect(await json(stock('warehouse?', 'editor'))).toEqual(answer)
})

test('unknown plugins and paths are 404, other methods 405', async () => {
  await expectProblem(await app.call('/api/v1/custom/nobody/a'), 404, 'not_found')
  await expectProblem(await app.call(at('/nothing')), 404, 'not_found')
  const response = await app.call(at('/open'), { method: 'DELETE' })
  expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  await expectProblem(response, 405, 'method_not_allowed')
  expect((await app.call(at('/open'), { method: 'HEAD' })).status).toBe(200)
})

test('/swagger/json shows them with their schemas', async () => {
  const { paths } = await json(app.call('/swagger/json', { as: 'viewer' }))
  const echo = paths['/api/v1/custom/try/echo/{id}'].post
  const ids = Object.values(paths as Record<string, Record<string, { operationId: string }>>).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
  // Public: with a credential, the plugin may answer with more.
  expect(echo.security).toEqual([{}, { bearer: [] }, { query: [] }, { session: [] }])
  expect(echo.parameters).toContainEqual(expect.objectContaining({ name: 'id', in: 'path', schema: { type: 'integer', minimum: 1 } }))
  expect(echo.requestBody.content['application/json'].schema.properties.n).toEqual({ type: 'integer' })
  expect(paths['/api/v1/custom/try/closed'].get).toMatchObject({ 'x-needs': { area: 'data' }, responses: { 401: expect.anything() } })
})
