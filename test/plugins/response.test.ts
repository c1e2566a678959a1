import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { endpoints, pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'
import { until } from '../support/processes'

const open = (path: string, handle: string, more = '') =>
  `{ method: 'GET', path: '${path}', public: true, ${more} allow: () => true, handle: ${handle} }`

const text = endpoints(
  open('/value', '() => ({ a: [1, null, "ü"] })'),
  open('/nothing', '() => undefined'),
  open('/string', '() => "text"'),
  open('/response', '() => new Response("<p>hi", { status: 202, headers: { "content-type": "text/html", "x-own": "1" } })'),
  open('/teapot', '() => new Response("I am a teapöt", { status: 418 })'),
  open('/binary', '() => new Response(new Uint8Array([255, 0, 1]))'),
  open('/streamed', '() => new Response(new Blob(["abc"]).stream(), { headers: { "content-type": "text/css" } })'),
  open('/redirect', '() => Response.redirect("https://example.org/", 303)'),
  open('/same', '(() => { const one = Response.json(1); return () => one })()'),
  open('/stream', 'async function* () { yield "a"; await Bun.sleep(5); yield new TextEncoder().encode("b") }'),
  open('/readable', '() => new Blob(["abc"]).stream()'),
  open('/broken-stream', 'async function* () { yield "a"; throw new Error("halfway") }'),
  open('/odd-stream', 'async function* () { yield "a"; yield 7 }'),
  open(
    '/endless',
    'async function* ({ log, signal }) { try { for (;;) { yield "a"; await Bun.sleep(20) } } finally { log.info("ended", { isGone: signal.aborted }) } }',
  ),
  open(
    '/cancelled',
    '({ log }) => new Response(new ReadableStream({ pull: () => Bun.sleep(20), cancel: () => log.info("cancelled") }), { headers: { "content-type": "text/css" } })',
  ),
  open('/throws', '() => { throw new Error("the key is key-of-the-plugin") }'),
  open('/throws-text', '() => { throw "text" }'),
  open('/throws-longer', '() => { throw new Error("the key is key-of-the-plugin-and-more") }'),
  open('/unreachable', '() => { throw Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) }'),
  open('/reads', '({ asSystem }) => asSystem().records("books").list()'),
  open('/rejects', '() => Promise.reject(new Error("later"))'),
  open('/circular', '() => { const a = {}; a.a = a; return a }'),
  open('/function', '() => () => 1'),
  open('/fits', '() => ({ at: new Date(0) })', 'response: t.Object({ at: t.String() }),'),
  open('/misfits', '() => ({ at: 1 })', 'response: t.Object({ at: t.String() }),'),
  open('/failure', '() => { throw failure("not_found", "There is no such article.") }'),
  open('/no-failure', '() => { throw failure("constructor", "There is no such code.") }'),
  open(
    '/slow',
    '({ signal, log }) => new Promise((_, fail) => signal.addEventListener("abort", () => { log.info("given up"); fail(signal.reason) }))',
  ),
  open('/blocks', '() => { const end = Date.now() + 700; while (Date.now() < end); return 1 }'),
  open('/later', '() => { setTimeout(() => Promise.reject(new Error("unawaited")), 1); return 1 }'),
  open(
    '/log',
    '({ log, settings }) => { log.warn("with " + settings.key, { settings, big: 1n }); log.info("seen", { key: settings.key }); return 1 }',
  ),
  open(
    '/cookies',
    `() => {
    const headers = new Headers()
    for (const cookie of ['mine=1', 'service_session=stolen; Path=/', ' service_session =stolen', '=service_session=stolen', 'service_session', 'SERVICE_SESSION=x', 'not_service_session=1'])
      headers.append('set-cookie', cookie)
    return new Response(null, { headers })
  }`,
  ),
  `{ method: 'GET', path: '/allow-throws', public: true, allow: () => { throw new Error('no') }, handle: () => 1 }`,
)
const plugins = pluginsWith({
  'try/plugin.ts': text,
  'try/settings.toml': 'key = "key-of-the-plugin"\nlonger = "key-of-the-plugin-and-more"',
})
const app = await startApp({}, { plugins })
const get = (path: string) => app.call(`/api/v1/custom/try${path}`)
const told = (kind: string) => app.events.filter((event) => event.kind === kind)

describe('an answer is', () => {
  test.each([
    ['/value', 200, 'application/json', '{"a":[1,null,"ü"]}'],
    ['/nothing', 204, null, ''],
    ['/string', 200, 'application/json', '"text"'],
    ['/response', 202, 'text/html', '<p>hi'],
    ['/teapot', 418, 'text/plain;charset=utf-8', 'I am a teapöt'],
    ['/streamed', 200, 'text/css', 'abc'],
    ['/redirect', 303, null, ''],
    ['/stream', 200, 'application/octet-stream', 'ab'],
    ['/readable', 200, 'application/octet-stream', 'abc'],
    ['/fits', 200, 'application/json', '{"at":"1970-01-01T00:00:00.000Z"}'],
  ])('%s: %i %s', async (path, status, type, body) => {
    const response = await get(path)
    expect({ status: response.status, type: response.headers.get('content-type'), body: await response.text() }).toEqual({
      status,
      type,
      body,
    })
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.has('x-request-id')).toBe(true)
  })

  test('bytes of no known type, with their length', async () => {
    const response = await get('/binary')
    expect([response.headers.get('content-type'), response.headers.get('content-length')]).toEqual(['application/octet-stream', '3'])
    expect((await get('/teapot')).headers.get('content-length')).toBe('14')
  })

  test('a failure of the service’s own kind', async () => {
    expect((await expectProblem(await get('/failure'), 404, 'not_found')).message).toBe('There is no such article.')
    await expectProblem(await get('/no-failure'), 500, 'internal')
  })

  test('never a session of ours, however it is spelt', async () => {
    const response = await get('/cookies')
    expect(response.headers.getSetCookie()).toEqual(['mine=1', 'not_service_session=1'])
    expect(told('plugin_warned')).toContainEqual(expect.objectContaining({ plugin: 'try', path: '/cookies' }))
  })
})

describe('a mistake in a plugin is a 500 of this call, and a line in the log', () => {
  test.each([
    ['/throws', 'the key is [redacted]'],
    ['/throws-longer', 'the key is [redacted]'],
    ['/throws-text', 'not an Error'],
    ['/rejects', 'later'],
    ['/unreachable', 'connect'],
    ['/circular', ''],
    ['/function', 'not JSON'],
    ['/misfits', 'does not fit'],
    ['/allow-throws', 'no'],
  ])('%s', async (path, message) => {
    const { requestId, ...problem } = await expectProblem(await get(path), 500, 'internal')
    expect(JSON.stringify(problem)).not.toContain('key')
    expect(told('plugin_failed')).toContainEqual(
      expect.objectContaining({
        plugin: 'try',
        path,
        requestId,
        error: expect.objectContaining({ message: expect.stringContaining(message) }),
      }),
    )
    expect((await get('/value')).status).toBe(200)
  })

  test('an answer that is given twice was read the first time', async () => {
    await (await get('/same')).text()
    await expectProblem(await get('/same'), 500, 'internal')
  })

  test.each(['/broken-stream', '/odd-stream'])('%s: a stream that breaks off is no whole answer', async (path) => {
    const body = get(path).then((response) => response.text())
    expect(await body.catch(() => 'broken')).toBe('broken')
    expect(told('plugin_failed')).toContainEqual(expect.objectContaining({ path }))
  })
})

test('a database that is away is no mistake of a plugin', async () => {
  const target = { socketPath: '/nonexistent/socket', user: 'x', database: 'x' }
  const { call, events } = await startApp({}, { plugins, target, users: false })
  await expectProblem(await call('/api/v1/custom/try/reads'), 503, 'unavailable')
  expect(events.filter((event) => event.kind === 'plugin_failed')).toEqual([])
})

test('a call that takes too long is given up, and hears of it', async () => {
  const { call, events } = await startApp({ ROWHOUSE_PLUGIN_TIMEOUT: '800ms' }, { plugins })
  const response = await call('/api/v1/custom/try/slow')
  expect(response.headers.get('retry-after')).toBe('5')
  await expectProblem(response, 503, 'unavailable')
  const told = (kind: string) => events.filter((event) => event.kind === kind)
  expect(told('plugin_warned')).toContainEqual(expect.objectContaining({ path: '/slow', message: expect.stringContaining('800 ms') }))
  expect(told('plugin_log')).toContainEqual(expect.objectContaining({ message: 'given up' }))
})

test('a caller who leaves ends the stream, which is no mistake', async () => {
  const reader = (await get('/endless')).body!.getReader()
  await reader.read()
  await reader.cancel()
  const ends = () => told('plugin_log').filter((event) => 'message' in event && event.message === 'ended')
  await until('the stream has ended', () => ends().length > 0)
  expect(ends()).toEqual([expect.objectContaining({ fields: { isGone: true } })])
  expect(told('plugin_failed').filter((event) => 'path' in event && event.path === '/endless')).toEqual([])
})

test.each([
  ['/endless', 'application/octet-stream'],
  ['/cancelled', 'text/css'],
])('a HEAD of %s is answered without the stream', async (path, type) => {
  const { status, headers } = await app.call(`/api/v1/custom/try${path}`, { method: 'HEAD' })
  expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([200, type, null])
})

test('a HEAD cancels the stream that it does not read', async () => {
  await app.call('/api/v1/custom/try/cancelled', { method: 'HEAD' })
  expect(told('plugin_log')).toContainEqual(expect.objectContaining({ message: 'cancelled' }))
})

test('a loop that does not await blocks the instance, and the log names the plugin', async () => {
  expect(await json(get('/blocks'))).toBe(1)
  expect(told('plugin_warned')).toContainEqual(expect.objectContaining({ path: '/blocks', message: expect.stringContaining('blocked') }))
})

test('what a plugin logs has its name, and no value of its settings', async () => {
  await get('/log')
  expect(told('plugin_log')).toContainEqual(
    expect.objectContaining({ plugin: 'try', level: 'warn', message: 'with [redacted]', fields: { fields: 'cannot be shown' } }),
  )
  expect(told('plugin_log')).toContainEqual(expect.objectContaining({ message: 'seen', fields: { key: '[redacted]' } }))
  expect(JSON.stringify(told('plugin_log'))).not.toContain('key-of-the-plugin')
})
