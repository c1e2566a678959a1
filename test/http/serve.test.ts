import { describe, expect, test } from 'bun:test'
import { createHandler, dialects } from '../../src/app'
import { createDeps } from '../../src/commands/bootstrap'
import { serve } from '../../src/http/server/serve'
import { createEvents } from '../../src/ops/log/events'
import { readConfig } from '../../src/ops/settings/config'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'
import { head, sendRaw } from '../support/raw'

const app = await startApp()

describe('X-Request-Id', () => {
  const idOf = async (sent: string) => (await app.call('/healthz', { headers: { 'x-request-id': sent } })).headers.get('x-request-id')

  test.each(['abc-123', 'A.b_c:d', '01a1fc35-bbff-72ba-845e-a57f7e5953d7', 'x'.repeat(100)])('keeps %s', async (id) => {
    expect(await idOf(id)).toBe(id)
  })

  test.each(['a b', '<script>', 'a,b', 'x'.repeat(101), 'é', '"', '$(x)'])('makes its own instead of %s', async (sent) => {
    expect(await idOf(sent)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  })

  test('is another one each time', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await app.call('/healthz')).headers.get('x-request-id')))
    expect(new Set(ids).size).toBe(50)
  })
})

describe('what is told of a request', () => {
  test('holds its path without the query, so no token', async () => {
    const secret = 'T'.repeat(43)
    const headers = { 'x-request-id': 'told' }
    for (const path of [`/api/v1/tables?token=${secret}`, `/nowhere?to%6ben=${secret}`, `/auth/me?a=1&token=${secret}`]) {
      await app.call(path, { headers: { ...headers, authorization: `Bearer ${secret}`, cookie: `service_session=${secret}` } })
    }
    const told = app.events.filter((event) => event.kind === 'request_done' && event.requestId === 'told')
    expect(told.map((event) => (event.kind === 'request_done' ? [event.path, event.status] : null))).toEqual([
      ['/api/v1/tables', 401],
      ['/nowhere', 404],
      ['/auth/me', 401],
    ])
    expect(JSON.stringify(app.events)).not.toContain(secret)
  })
})

describe('a strange address is a 4xx, never a crash', () => {
  test.each([
    '//api/v1/tables',
    '//evil.example/healthz',
    '/api/v1//tables',
    '///',
    '/api/v1/tables/../../healthz',
    '/api/v1/tables/..%2f..%2fetc%2fpasswd',
    '/api/v1/tables/%00',
    '/api/v1/tables/%E0%A4%A',
    '/api/v1/tables/%',
    '/api/v1/tables/books/records/%00',
    '/api/v1/tables/books/records/%E0%A4%A/',
    '/api/v1/%74ables/x',
    '/api/v1/tables/\\..\\..',
    '/api/v1/tables/__proto__',
    '/api/v1/tables/constructor/records/toString',
    `/api/v1/tables/${'x'.repeat(8000)}`,
    '/assets/..%2f..%2fpackage.json',
    '/assets/__proto__',
    '/api/v1/tables/*',
    '/api/v1/tables/;x=1',
    '/?token',
    '/nowhere?%',
    '/api/v1/tables/x?%E0%A4%A=%',
  ])('%s', async (path) => {
    for (const headers of [[], [['Authorization', `Bearer ${app.tokens.admin}`]]] as [string, string][][]) {
      const { status, headers: got, body } = await sendRaw(app.url, head('GET', path, headers))
      expect(status).toBeLessThan(500)
      if (status >= 400) expect(JSON.parse(body).requestId).toBe(got.get('x-request-id'))
      expect(got.has('location')).toBe(false)
    }
  })

  test.each(['evil"<>.example', '', 'a b', '[::1', '[::1]x', '[1.2.3.4]', 'x:99999999', 'x:', 'ü.example', 'a@b', 'a/b', 'a\r\nHost: b'])(
    'the Host header "%s" is refused at every address',
    async (host) => {
      for (const path of ['/healthz', '/nowhere?x=/y', '/api/v1/tables', '//x']) {
        const { status, headers, body } = await sendRaw(app.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
        expect({ status, code: JSON.parse(body).code }).toEqual({ status: 400, code: 'invalid_request' })
        expect(JSON.parse(body).requestId).toBe(headers.get('x-request-id'))
      }
    },
  )

  test.each(['256.256.256.256', '1.2.3.4.5.6', '1.2.3.4.5.6:80', 'xn--a', 'XN--A.example', 'a.xn--0', '0x100000000', 'a.256'])(
    'the Host header "%s", which no URL can hold, is refused at every address',
    async (host) => {
      const credentials = [`Cookie: service_session=${'A'.repeat(43)}`, `Authorization: Bearer ${app.tokens.admin}`]
      for (const path of ['/', '/tables/x', '/api/v1/audit', '/swagger', '/rest/v1/', '/auth/me', '/nowhere']) {
        for (const credential of credentials) {
          const { status, body } = await sendRaw(app.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${credential}\r\n\r\n`)
          const code = path.startsWith('/rest/v1') ? 'PGRST100' : 'invalid_request'
          expect({ path, status, code: JSON.parse(body).code }).toEqual({ path, status: 400, code })
        }
      }
      expect(app.events.map(({ kind }) => kind)).not.toContain('request_failed')
    },
  )

  test('without any Host, as HTTP/1.0 allows, every page is served', async () => {
    for (const path of ['/', '/tables/x', '/api/v1/audit?limit=1']) {
      const session = `Cookie: service_session=${'A'.repeat(43)}`
      const headers = path.startsWith('/api') ? `Authorization: Bearer ${app.tokens.admin}` : session
      expect({ path, status: (await sendRaw(app.url, `GET ${path} HTTP/1.0\r\nAccept: text/html\r\n${headers}\r\n\r\n`)).status }).toEqual({
        path,
        status: 200,
      })
    }
  })

  test('an address of another server in the request line', async () => {
    const { status } = await sendRaw(app.url, 'GET http://evil.example/nowhere HTTP/1.1\r\nHost: evil.example\r\n\r\n')
    expect(status).toBe(404)
  })

  test('a thousand query parameters, and ten thousand', async () => {
    for (const count of [1000, 3000]) {
      const query = Array.from({ length: count }, (_, index) => `p${index}=`).join('&')
      const response = await app.call(`/api/v1/tables/books/records?${query}`, { as: 'viewer' })
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.status).toBeLessThan(500)
    }
  })
})

describe('more than a thousand query parameters are refused', () => {
  const query = (count: number) => Array.from({ length: count }, (_, index) => `${index}`).join('&')

  test.each([
    ['GET', '/'],
    ['GET', '/healthz'],
    ['GET', '/api/v1/tables'],
    ['GET', '/api/v1/tables/books'],
    ['GET', '/api/v1/tables/books/records'],
    ['POST', '/api/v1/tables/books/records'],
    ['POST', '/api/v1/batch'],
    ['GET', '/auth/me'],
    ['POST', '/auth/login'],
    ['GET', '/rest/v1/'],
    ['GET', '/rest/v1/books'],
    ['POST', '/rest/v1/rpc/nothing'],
    ['GET', '/nowhere'],
  ])('%s %s', async (method, path) => {
    const send = (count: number) =>
      app.call(`${path}?&&${query(count)}&`, { as: 'viewer', method, ...(method === 'POST' ? { body: {} } : {}) })
    const { message } = (await json(send(1001))) as { message: string }
    expect(message).toBe('The query has more than 1000 parameters.')
    expect((await send(1001)).status).toBe(400)
    const contentType = path.startsWith('/rest/v1/') ? 'application/json; charset=utf-8' : 'application/problem+json'
    expect((await send(1001)).headers.get('content-type')).toBe(contentType)
    expect(await (await send(1000)).text()).not.toContain('The query has more than')
  })
})

describe('every host that can be written is answered alike', () => {
  const hosts = ['a', 'ab', 'app', 'app:80', 'a:8090', 'a_b', 'localhost', '127.0.0.1:8090', '[::1]', '[::1]:8090', 'Tables.Example.org']
  const ask = (host: string | null, method: string, path: string, body = '') =>
    sendRaw(
      app.url,
      [
        `${method} ${path} HTTP/1.${host === null ? 0 : 1}`,
        ...(host === null ? [] : [`Host: ${host}`]),
        `Authorization: Bearer ${app.tokens.admin}`,
        ...(body ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
        '',
        body,
      ].join('\r\n'),
    )

  test.each([...hosts, null])('%p', async (host) => {
    expect(await ask(host, 'GET', '/healthz')).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    expect(await ask(host, 'GET', '/api/v1/tables?a=/b')).toMatchObject({ status: 200 })
    expect(await ask(host, 'GET', '/nowhere')).toMatchObject({ status: 404 })
    const wrong = await ask(host, 'DELETE', '/healthz')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(await ask(host, 'OPTIONS', '/healthz')).toMatchObject({ status: 204 })
    const name = `t${hosts.indexOf(host ?? '')}`.replace('-1', 'none')
    expect(await ask(host, 'POST', '/api/v1/tables', JSON.stringify({ name, columns: [] }))).toMatchObject({ status: 201 })
    expect(await ask(host, 'GET', `/api/v1/tables/${name}/records/7`)).toMatchObject({ status: 404 })
  })

  test('with a body in pieces', async () => {
    const head = ['Host: a', `Authorization: Bearer ${app.tokens.admin}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked']
    const pieces = ['{"name":', '"pieces",', '"columns":[]}'].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
    const text = `POST /api/v1/tables HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${pieces.join('')}0\r\n\r\n`
    expect((await sendRaw(app.url, text)).status).toBe(201)
  })

  test('and a body that is not allowed is not waited for', async () => {
    const text = 'POST /api/v1/tables HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 3000\r\n\r\n'
    expect((await sendRaw(app.url, text)).status).toBe(401)
  })

  test('and one that names none is refused in the words of the path', async () => {
    const refuse = async (path: string) =>
      (await sendRaw(app.url, `GET ${path} HTTP/1.1\r\nHost: a b\r\nAuthorization: Bearer ${app.tokens.admin}\r\n\r\n`)).body
    expect(JSON.parse(await refuse('/rest/v1/books'))).toMatchObject({ code: 'PGRST100', message: 'The header Host names no host.' })
    expect(JSON.parse(await refuse('/api/v1/tables'))).toMatchObject({ code: 'invalid_request' })
  })

  test('in what is told too', async () => {
    for (const host of ['a', 'app', 'a b']) {
      await sendRaw(app.url, `GET /told/x?y=/z HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: host-told\r\n\r\n`)
    }
    const told = app.events.flatMap((event) => (event.kind === 'request_done' && event.requestId === 'host-told' ? [event.path] : []))
    expect(told).toEqual(['/told/x', '/told/x', '/told/x'])
  })
})

describe('on its own', () => {
  const config = readConfig({ HOST: '127.0.0.1', PORT: '0' })
  const nowhere = { socketPath: '/nonexistent/socket', user: 'x', database: 'x' }

  test('it shares its port with nobody', async () => {
    const first = serve(() => new Response(), config, createEvents(), [])
    const again = { ...config, port: Number(new URL(first.url).port) }
    expect(() => serve(() => new Response(), again, createEvents(), [])).toThrow(expect.objectContaining({ code: 'EADDRINUSE' }))
    await first.stop(0)
  })

  test('until it is prepared, only the health checks answer; from then on everything does, to the end', async () => {
    const events = createEvents()
    let isServing = false
    const deps = createDeps(config, events, nowhere, () => isServing)
    const server = serve(createHandler(deps), config, events, dialects)
    const statusOf = async (path: string) => (await fetch(server.url + path)).status
    for (const root of ['', '/api/v1']) {
      for (const [path, status] of [
        ['/healthz', 200],
        ['/version', 200],
        ['/readyz', 503],
      ] as const) {
        expect(await statusOf(root + path)).toBe(status)
      }
    }
    for (const path of ['/', '/auth/me', '/api/v1/tables', '/nowhere', '/swagger', '/healthz/x', '/auth/setup']) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const response = await fetch(server.url + path, { method })
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(response.headers.get('x-content-type-options')).toBe('nosniff')
        await expectProblem(response, 503, 'unavailable')
      }
    }
    // A person who opens a page sees a sentence, and the page asks again by itself.
    const opened = await fetch(`${server.url}/tables/x?token=y`, { headers: { accept: 'text/html', 'accept-language': 'de' } })
    expect([opened.status, opened.headers.get('retry-after')]).toEqual([503, '1'])
    const html = await opened.text()
    expect([html.includes('Der Dienst startet.'), html.includes('http-equiv="refresh"'), html.includes('token')]).toEqual([
      true,
      true,
      false,
    ])
    await expectProblem(await fetch(`${server.url}/api/v1/tables`, { headers: { accept: 'text/html' } }), 503, 'unavailable')
    isServing = true
    expect([await statusOf('/nowhere'), await statusOf('/auth/me')]).toEqual([404, 401])
    isServing = false
    expect([await statusOf('/nowhere'), await statusOf('/readyz')]).toEqual([404, 503])
    await server.stop(0)
    await deps.db.close()
  })

  test('a log that fails changes no answer', async () => {
    const events = createEvents()
    const told: string[] = []
    events.subscribe(() => {
      throw new Error('The disk of the log is full.')
    })
    events.subscribe(({ kind }) => void told.push(kind))
    const server = serve(() => new Response('fine'), config, events, [])
    const response = await fetch(server.url)
    expect([response.status, await response.text(), told]).toEqual([200, 'fine', ['request_done']])
    await server.stop(0)
  })

  test('a mistake of ours around a route has the envelope and the headers of every answer', async () => {
    const server = serve((() => undefined) as never, { ...config, publicUrl: 'https://tables.example.org' }, createEvents(), [])
    const response = await fetch(server.url)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('strict-transport-security')).not.toBeNull()
    await expectProblem(response, 500, 'internal')
    await server.stop(0)
  })
})

describe('without a database', () => {
  const config = readConfig({ HOST: '127.0.0.1', PORT: '0', DATABASE_CONNECT_TIMEOUT: '1s' })
  const events = createEvents()
  const deps = createDeps(config, events, { socketPath: '/nonexistent/socket', user: 'x', database: 'x' }, () => true)

  test('the service lives, says that it is not ready, and asks callers to come again', async () => {
    const server = serve(createHandler(deps), config, events, dialects)
    expect(await json(fetch(`${server.url}/healthz`))).toEqual({ status: 'ok' })
    expect((await fetch(`${server.url}/version`)).status).toBe(200)
    const ready = await fetch(`${server.url}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toEqual({
      status: 'unavailable',
      checks: {
        database: 'unavailable',
        storage: 'unavailable',
        serving: true,
        failedPlugins: 0,
        backup: 'off',
        backupAgeSeconds: null,
        walArchive: 'off',
        walArchiveLagSeconds: null,
      },
    })
    const response = await fetch(`${server.url}/auth/me`, { headers: { authorization: `Bearer ${'A'.repeat(43)}` } })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    await expectProblem(response, 503, 'unavailable')
    // A malformed token needs no database to be refused.
    expect((await fetch(`${server.url}/auth/me`, { headers: { authorization: 'Bearer x' } })).status).toBe(401)
    await server.stop(0)
    await deps.db.close()
  })
})

test('/readyz says when the service is ready, and nothing of the inside', async () => {
  for (const root of ['', '/api/v1']) {
    expect(await json(app.call(`${root}/readyz`))).toEqual({
      status: 'ok',
      checks: {
        database: 'ok',
        storage: 'ok',
        serving: true,
        failedPlugins: 0,
        backup: 'off',
        backupAgeSeconds: null,
        walArchive: 'off',
        walArchiveLagSeconds: null,
      },
    })
  }
})
