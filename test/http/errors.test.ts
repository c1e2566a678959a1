import { describe, expect, test } from 'bun:test'
import { createApp } from '../../src/app'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'
import { until } from '../support/processes'

const app = await startApp()
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [{ name: 'title', type: 'text' }] } })

describe('every failure has the same body', () => {
  const asAdmin = { as: 'admin' } as const
  test.each([
    ['an unknown address', '/nowhere', {}, 404, 'not_found'],
    ['an unknown address below the API, signed in', '/api/v1/nowhere', asAdmin, 404, 'not_found'],
    ['a method that the address does not know', '/healthz', { method: 'DELETE' }, 405, 'method_not_allowed'],
    ['a method that nobody knows', '/healthz', { method: 'PROPFIND' }, 405, 'method_not_allowed'],
    ['no credential', '/api/v1/tables', {}, 401, 'unauthenticated'],
    ['a bad token', '/api/v1/tables?token=x', {}, 401, 'invalid_token'],
    ['a token twice', '/api/v1/tables?token=x&token=y', {}, 400, 'invalid_request'],
    ['a dead session', '/auth/me', { headers: { cookie: 'service_session=x' } }, 401, 'invalid_session'],
    ['too low a role', '/api/v1/tables', { as: 'viewer', body: {} }, 403, 'forbidden'],
    ['an unknown table', '/api/v1/tables/films', asAdmin, 404, 'not_found'],
    ['an unknown record', '/api/v1/tables/books/records/9', asAdmin, 404, 'not_found'],
    ['a body that is not JSON', '/api/v1/tables', { ...asAdmin, body: '{' }, 400, 'malformed_json'],
    [
      'a body of another type',
      '/api/v1/tables',
      { ...asAdmin, body: '{}', headers: { 'content-type': 'text/xml' } },
      415,
      'unsupported_media_type',
    ],
    ['a body of a wrong shape', '/api/v1/tables', { ...asAdmin, body: {} }, 422, 'validation_failed'],
    ['a name that is taken', '/api/v1/tables', { ...asAdmin, body: { name: 'books', columns: [] } }, 409, 'conflict'],
    ['a query that cannot be read', '/api/v1/tables/books/records?limit=many', asAdmin, 400, 'invalid_request'],
    ['a query parameter that is not known', '/api/v1/tables/books/records?nonsense=1', asAdmin, 400, 'invalid_request'],
    ['too large a body', '/api/v1/tables', { ...asAdmin, body: `"${'x'.repeat(2 ** 20)}"` }, 413, 'payload_too_large'],
    ['a second set-up', '/auth/setup', { body: { email: 'a@example.org', password: 'long enough' } }, 409, 'setup_done'],
    ['a failed login', '/auth/login', { body: { email: 'a@example.org', password: 'x' } }, 401, 'invalid_credentials'],
  ] as const)('%s', async (_what, path, call, status, code) => {
    await expectProblem(await app.call(path, call), status, code)
  })
})

test('the prefix urn:uuid: does not belong to an id, and is never a 500', async () => {
  const id = 'urn:uuid:01920000-0000-7000-8000-000000000000'
  const paths = ['auth/tokens', 'auth/sessions', 'api/v1/users', 'api/v1/groups', 'api/v1/links', 'api/v1/tables/books/views']
  for (const path of paths) await expectProblem(await app.call(`/${path}/${id}`, { as: 'admin', method: 'DELETE' }), 404, 'not_found')
  for (const query of ['links?cursor=', 'audit?actor='])
    await expectProblem(await app.call(`/api/v1/${query}${id}`, { as: 'admin' }), 400, 'invalid_request')
  const body = { name: 'readers', members: [id] }
  const { errors } = await expectProblem(await app.call('/api/v1/groups', { as: 'admin', body }), 422, 'validation_failed')
  expect(errors!.map(({ path }) => path)).toEqual(['/members/0'])
})

test('a near miss of a table’s name gets a hint', async () => {
  const { hint } = await expectProblem(await app.call('/api/v1/tables/boks', { as: 'viewer' }), 404, 'not_found')
  expect(hint).toBe('Did you mean "books"?')
})

test('a bad body names every wrong place', async () => {
  const body = {
    name: 'x',
    columns: [
      { name: 'a', type: 'texxt' },
      { name: 1, type: 'text' },
    ],
  }
  const { errors } = await expectProblem(await app.call('/api/v1/tables', { as: 'admin', body }), 422, 'validation_failed')
  expect(errors!.map(({ path }) => path)).toEqual(expect.arrayContaining(['/columns/0/type', '/columns/1/name']))
})

const routes = createApp(app.deps).routes
const pathOf = (path: string) => path.replace(/:\w+/g, '1')
const patterns = [...new Set(routes.map(({ path }) => path))]

describe.each(patterns.map((path) => [path]))('%s', (path) => {
  const isHere = (pattern: string) => new RegExp(`^${pattern.replace(/[.*]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`).test(pathOf(path))
  const methods = new Set(routes.filter((route) => isHere(route.path)).map(({ method }) => method))
  const allow = [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ')

  test('OPTIONS lists its methods, without a credential and without a word to other sites', async () => {
    const response = await app.call(pathOf(path), {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example' },
    })
    expect({ status: response.status, allow: response.headers.get('allow'), body: await response.text() }).toEqual({
      status: 204,
      allow,
      body: '',
    })
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })

  test('another method answers 405 with the same list', async () => {
    const other = ['PUT', 'PATCH', 'DELETE', 'POST', 'PROPFIND'].find((method) => !methods.has(method))!
    const response = await app.call(pathOf(path), { method: other, as: 'admin' })
    if (path.startsWith('/rest/v1'))
      expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 405, code: 'PGRST117' })
    else await expectProblem(response, 405, 'method_not_allowed')
    expect(response.headers.get('allow')).toBe(allow)
  })
})

test('OPTIONS of an unknown address is a 404, and a bad credential changes nothing', async () => {
  await expectProblem(await app.call('/nowhere', { method: 'OPTIONS' }), 404, 'not_found')
  expect((await app.call('/api/v1/tables?token=x', { method: 'OPTIONS', headers: { authorization: 'Bearer x' } })).status).toBe(204)
})

describe('HEAD is GET without the body', () => {
  test.each([
    ['/healthz', undefined],
    ['/version', undefined],
    ['/api/v1/tables', 'viewer'],
    ['/api/v1/tables/books', 'viewer'],
    ['/api/v1/tables/books/records', 'viewer'],
    ['/api/v1/tables', undefined],
    ['/api/v1/tables/films', 'viewer'],
    ['/nowhere', undefined],
  ] as const)('of %s as %s', async (path, as) => {
    const [get, headOnly] = [await app.call(path, { as }), await app.call(path, { as, method: 'HEAD' })]
    const shown = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)))
    expect(headOnly.status).toBe(get.status)
    expect(shown(headOnly)).toEqual(shown(get))
    expect(await headOnly.text()).toBe('')
  })

  test('needs a credential where GET does', async () => {
    expect((await app.call('/api/v1/tables/books/records/1', { method: 'HEAD' })).status).toBe(401)
  })
})

describe('when the service itself is at fault', () => {
  test('the answer is a 500 that says nothing of the inside, and the log has the rest', async () => {
    const broken = await startApp()
    await broken.deps.db.query('drop table rowhouse.catalog_version')
    const response = await broken.call('/api/v1/tables', { as: 'admin' })
    const text = await response.clone().text()
    const { requestId, ...body } = await expectProblem(response, 500, 'internal')
    expect(body).toEqual({
      type: 'urn:rowhouse:error:internal',
      title: 'Internal Server Error',
      status: 500,
      code: 'internal',
      message: 'Something went wrong on our side.',
    } as typeof body)
    expect(text).not.toMatch(/catalog_version|relation|42P01|\.ts|at /)
    const told = broken.events.find((event) => event.kind === 'request_failed')
    expect(told).toMatchObject({ requestId, method: 'GET', path: '/api/v1/tables' })
  })

  test('a query that takes too long is a 503 that says when to come again', async () => {
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'slow', columns: [] } })
    await app.deps.db.query('drop table data.slow')
    await app.deps.db.query('create view data.slow as select 1::bigint as id from pg_sleep(600)')
    const hasty = await startApp({ ROWHOUSE_QUERY_TIMEOUT: '300ms' }, { beside: app })
    const response = await hasty.call('/api/v1/tables/slow/records', { as: 'viewer' })
    await expectProblem(response, 503, 'query_timeout')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    await until('the next query is in time', async () => (await hasty.call('/api/v1/tables', { as: 'viewer' })).status === 200)
  })

  test('a lost connection is a 503 at most, and the service is back in a moment', async () => {
    const { call, deps } = app
    const requests = Array.from({ length: 30 }, () => call('/api/v1/tables', { as: 'viewer' }))
    await deps.db.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    for (const response of await Promise.all(requests)) {
      if (response.status === 200) continue
      expect(response.headers.get('retry-after')).not.toBeNull()
      await expectProblem(response, 503, 'unavailable')
    }
    // A connection of the pool may notice only at its next use that it was ended.
    await until('requests are served again', async () => (await call('/auth/me', { as: 'viewer' })).status === 200)
  })
})

test('messages are in the language that the caller prefers', async () => {
  const de = { 'accept-language': 'de-AT, en;q=0.5' }
  const body = { title: 1 }
  const response = await app.call('/api/v1/tables/books/records', { as: 'editor', method: 'POST', body, headers: de })
  expect(response.headers.get('content-language')).toBe('de')
  expect(response.headers.get('vary')).toContain('Accept-Language')
  expect(await response.json()).toMatchObject({
    code: 'validation_failed',
    message: 'Einige Werte sind nicht zulässig.',
    errors: [{ path: '/title', message: 'muss eine Zeichenkette sein' }],
  })

  const file = 'title,pages\na,1\nb,many\n'
  await app.call('/api/v1/tables', {
    as: 'admin',
    body: {
      name: 'counted',
      columns: [
        { name: 'title', type: 'text' },
        { name: 'pages', type: 'integer' },
      ],
    },
  })
  const imported = (query: string) =>
    app.call(`/api/v1/tables/counted/import?${query}`, {
      as: 'editor',
      method: 'POST',
      body: file,
      headers: { ...de, 'content-type': 'text/csv' },
    })
  const message = 'muss eine ganze Zahl von -2147483648 bis 2147483647 sein: "many"'
  expect(await json(imported(''))).toMatchObject({
    message: 'Die Datei hat einen Fehler; es wurde nichts importiert.',
    errors: [{ line: 3, message }],
  })
  expect(await json(imported('invalidLines=skip'))).toMatchObject({ inserted: 1, skipped: 1, problems: [{ line: 3, message }] })
})

test('a preview of a column’s change is in that language', async () => {
  const { id } = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'texts', columns: [{ name: 'size', type: 'text' }] } }))
  await app.call(`/api/v1/tables/${id}/records`, { as: 'editor', body: { size: 'many' } })
  const preview = app.call(`/api/v1/tables/${id}/columns/size?dryRun=true`, {
    ...{ as: 'admin', method: 'PATCH', body: { type: 'integer' } },
    headers: { 'accept-language': 'de' },
  })
  expect(await json(preview)).toMatchObject({
    failing: 1,
    rows: [{ value: 'many', message: 'muss eine ganze Zahl sein, die nicht zu groß ist' }],
  })
})
