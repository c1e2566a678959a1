import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { startApp } from '../support/app'
import { endpoints, pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'

const verdict = (path: string, allow: string) => `{ method: 'GET', path: '${path}', public: true, allow: ${allow}, handle: () => 'in' }`
const answering = (path: string, handle: string, isPublic = true) =>
  `{ method: 'GET', path: '${path}', public: ${isPublic}, allow: () => true, handle: ${handle} }`

const plugins = pluginsWith({
  'try/plugin.ts': endpoints(
    verdict('/promise-of-one', 'async () => 1'),
    verdict('/promise-of-object', 'async () => ({ ok: true })'),
    verdict('/boxed', '() => new Boolean(true)'),
    verdict('/promise-of-promise', 'async () => ({ then: undefined })'),
    verdict('/thenable', '() => ({ then: (done) => done("Not you.") })'),
    verdict('/hangs', '() => new Promise(() => {})'),
    verdict('/rejects', 'async () => { throw new Error("no") }'),
    verdict('/true', 'async () => true'),
    answering('/path/*', '({ params, path, query }) => ({ params, path, query })'),
    answering('/secret', '() => 1', false),
    answering('/lies', '() => new Response("0123456789", { headers: { "content-length": "4", "transfer-encoding": "chunked" } })'),
    answering(
      '/half',
      '() => new Response(new ReadableStream({ async start(c) { c.enqueue(new Uint8Array(3)); await Bun.sleep(20); c.error(new Error("half")) } }))',
    ),
    answering(
      '/log',
      '({ log, query, headers, path }) => { log.info("seen", { query, headers: Object.fromEntries(headers), path }); return 1 }',
    ),
  ),
  'try-more/plugin.ts': endpoints(answering('/*', '() => "more"')),
  'wild/plugin.ts': endpoints(answering('/*', '() => "wild"'), answering('/:a', '() => "named"'), answering('/fixed', '() => "fixed"')),
})
const app = await startApp({}, { plugins })
const get = (path: string, method = 'GET') => app.call(`/api/v1/custom${path}`, { method })

/** As it is written, which `fetch` would not send. */
const raw = (path: string): Promise<string> =>
  new Promise((done) => {
    let text = ''
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => done(text))
    socket.end(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  })

describe('allow', () => {
  test.each(['promise-of-one', 'promise-of-object', 'boxed', 'promise-of-promise', 'thenable'])('%s is not true', async (kind) => {
    await expectProblem(await get(`/try/${kind}`), 401, 'unauthenticated')
  })

  test('that never answers is given up, and one that throws lets nobody in', async () => {
    const hurried = await startApp({ ROWHOUSE_PLUGIN_TIMEOUT: '700ms' }, { plugins })
    await expectProblem(await hurried.call('/api/v1/custom/try/hangs'), 503, 'unavailable')
    await expectProblem(await get('/try/rejects'), 500, 'internal')
    expect(await (await get('/try/true')).json()).toBe('in')
  })
})

describe('a path', () => {
  test.each([
    ['/try/path/..%2f..%2f..%2fauth/me', '"*":"..%2f'],
    ['/try/path/%2e%2e%2fsecret', '"*":"%2e%2e%2fsecret"'],
    ['/try-more/secret', '"more"'],
    ['/wild/a/b', '"wild"'],
    ['/wild/a', '"named"'],
    ['/wild/fixed', '"fixed"'],
  ])('%s reaches the endpoint that was declared for it', async (path, seen) => {
    const answer = await raw(`/api/v1/custom${path}`)
    expect(answer).toStartWith('HTTP/1.1 200')
    expect(answer).toContain(seen)
  })

  test.each([
    '//try/secret',
    '/try//secret',
    '/TRY/secret',
    '/try/SECRET',
    '/try/%73ecret',
    '/try/path/../secret',
    '/try/path/%2e%2e/secret',
    '/try-more/../try/secret',
    '/__proto__',
    '/constructor/prototype',
  ])('%s opens nothing', async (path) => {
    expect(await raw(`/api/v1/custom${path}`)).toMatch(/^HTTP\/1.1 (400|401|404) /)
  })

  test('is asked about without being called', async () => {
    expect((await get('/try/secret', 'HEAD')).status).toBe(401)
    const options = await get('/try/secret', 'OPTIONS')
    expect([options.status, options.headers.get('allow'), await options.text()]).toEqual([204, 'GET, HEAD, OPTIONS', ''])
    const head = await get('/try/true', 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

test('the length of an answer is its own, and one that breaks off has no good end', async () => {
  const lies = await raw('/api/v1/custom/try/lies')
  expect(lies).toContain('Content-Length: 10')
  expect(lies.toLowerCase()).not.toContain('transfer-encoding')
  expect(await raw('/api/v1/custom/try/half')).not.toEndWith('0\r\n\r\n')
})

test('a token in the address reaches neither the plugin nor the log', async () => {
  const headers = { referer: `${app.url}/x?token=${app.tokens.admin}` }
  for (const path of [`log?token=${app.tokens.admin}`, `log?to%6ben=${app.tokens.admin}`, `nothing?token=${app.tokens.admin}`])
    await app.call(`/api/v1/custom/try/${path}`, { headers })
  expect(app.events).toContainEqual(expect.objectContaining({ kind: 'plugin_log', message: 'seen' }))
  expect(JSON.stringify(app.events)).not.toContain(app.tokens.admin)
})
