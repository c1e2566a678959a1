import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'
import { head, sendRaw } from '../support/raw'

const limit = 4096
const app = await startApp({ ROWHOUSE_MAX_BODY_BYTES: String(limit) })
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns: [{ name: 'value', type: 'json' }] } })

const records = '/api/v1/tables/notes/records'
const post = (body: string, headers: Record<string, string> = {}) => app.call(records, { as: 'editor', body, headers })
const ofSize = (bytes: number) => JSON.stringify({ value: 'x'.repeat(bytes - 12) })
const bearer: [string, string] = ['Authorization', `Bearer ${app.tokens.editor}`]
const jsonType: [string, string] = ['Content-Type', 'application/json']

const chunked = (text: string, size: number) =>
  `${(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`
const sendChunked = (body: string) =>
  sendRaw(app.url, head('POST', records, [bearer, jsonType, ['Transfer-Encoding', 'chunked']]) + chunked(body, 1000))

describe('the size of a body', () => {
  test('may be the limit itself', async () => {
    expect(Buffer.byteLength(ofSize(limit))).toBe(limit)
    expect((await post(ofSize(limit))).status).toBe(201)
    expect((await sendChunked(ofSize(limit))).status).toBe(201)
  })

  test.each([limit + 1, limit * 2, limit * 100])('of %d bytes is refused by its length', async (bytes) => {
    const { details } = await expectProblem(await post(ofSize(bytes)), 413, 'payload_too_large')
    expect(details).toEqual({ limitBytes: limit })
  })

  test.each([limit + 1, limit * 2, limit * 100])('of %d bytes without a length is refused while it is read', async (bytes) => {
    const { status, body } = await sendChunked(ofSize(bytes))
    expect({ status, code: JSON.parse(body).code }).toEqual({ status: 413, code: 'payload_too_large' })
  })

  test('is judged before the body has come', async () => {
    const { status } = await sendRaw(app.url, head('POST', records, [bearer, jsonType, ['Content-Length', '50000000']]))
    expect(status).toBe(413)
  })

  test('leaves nothing behind', async () => {
    const { records: all } = await json(app.call(records, { as: 'viewer' }))
    expect(all).toHaveLength(2)
  })
})

const roomy = await startApp()
await roomy.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns: [] } })

describe('a chunked body beyond the real limit', () => {
  const piece = 'x'.repeat(65_536)
  const chunks = (mebibytes: number) => `10000\r\n${piece}\r\n`.repeat(16 * mebibytes)
  const beyond = [
    ['/auth/login', chunks(2)],
    [records, chunks(11)],
    ['/rest/v1/notes', chunks(11)],
  ] as const

  test.each(['x', 'ab', 'app', 'localhost'])('is refused at once with the Host "%s", also for a stranger', async (host) => {
    for (const [path, body] of beyond) {
      const lines = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${roomy.tokens.editor}`]
      const text = [...lines, 'Content-Type: application/json', 'Transfer-Encoding: chunked', '', body].join('\r\n')
      const { status, headers } = await sendRaw(roomy.url, text, 20_000)
      expect({ status, connection: headers.get('connection') }).toEqual({ status: 413, connection: 'close' })
    }
  })
})

describe('a body is not read', () => {
  const announced = [jsonType, ['Content-Length', '3000']] as [string, string][]
  test.each([
    ['a stranger', '/api/v1/tables', [], 401],
    ['a stranger with a bad token', '/api/v1/tables?token=x', [], 401],
    ['a caller without the role', '/api/v1/tables', [bearer], 403],
    ['a page of another site that signs in', '/auth/login', [['Sec-Fetch-Site', 'cross-site']], 403],
    ['anybody at an unknown address', '/nowhere', [], 404],
    ['anybody with an unknown method', '/healthz', [], 405],
  ] as [string, string, [string, string][], number][])('of %s', async (_who, path, headers, status) => {
    // Announced and never sent: an answer comes only if nobody waits for it.
    expect((await sendRaw(app.url, head('POST', path, [...headers, ...announced]))).status).toBe(status)
  })
})

test.each([
  ['one header', (bytes: number): [string, string][] => [['X-Long', 'x'.repeat(bytes)]]],
  ['many headers', (bytes: number) => Array.from({ length: bytes / 100 }, (_, n): [string, string] => [`X-${n}`, 'x'.repeat(90)])],
  ['a cookie', (bytes: number): [string, string][] => [['Cookie', `service_session=${'A'.repeat(bytes)}`]]],
])('more than 16 KB of headers (%s) are refused at once, and the service lives', async (_what, lines) => {
  expect((await sendRaw(app.url, head('GET', '/healthz', lines(8_000)))).status).toBe(200)
  expect((await sendRaw(app.url, head('GET', '/healthz', lines(24_000)))).status).toBe(431)
  expect((await app.call('/healthz')).status).toBe(200)
})

describe('JSON', () => {
  const nested = (levels: number) => `{"value":${'['.repeat(levels)}${']'.repeat(levels)}}`

  test.each([
    ['is cut off', '{"value":1'],
    ['has something behind it', '{"value":1} x'],
    ['has single quotes', "{'value':1}"],
    ['has a comma too many', '{"value":1,}'],
    ['has comments', '{"value":1/*x*/}'],
    ['is only a space', ' '],
    ['holds a raw line break in a string', '{"value":"a\nb"}'],
    ['holds NaN', '{"value":NaN}'],
  ])('that %s is refused', async (_what, body) => {
    await expectProblem(await post(body), 400, 'malformed_json')
  })

  test('in another encoding is refused', async () => {
    const latin1 = new Uint8Array(Buffer.from('{"value":"caf\xe9"}', 'latin1'))
    const response = await fetch(app.url + records, { method: 'POST', headers: Object.fromEntries([bearer, jsonType]), body: latin1 })
    await expectProblem(response, 400, 'malformed_json')
  })

  test('may be 64 levels deep and not 65', async () => {
    expect((await post(nested(63))).status).toBe(201)
    await expectProblem(await post(nested(64)), 400, 'malformed_json')
  })

  test('nested 200 000 levels deep is refused, and the service lives', async () => {
    const roomy = await startApp({ ROWHOUSE_MAX_BODY_BYTES: '2MB' })
    for (const body of [nested(200_000), '['.repeat(200_000), '{"a":'.repeat(200_000)]) {
      await expectProblem(await roomy.call('/api/v1/tables', { as: 'admin', body }), 400, 'malformed_json')
    }
    expect((await roomy.call('/healthz')).status).toBe(200)
  })

  test('with a byte order mark is read', async () => {
    expect((await post('\ufeff{"value":"bom"}')).status).toBe(201)
  })

  test('of a wrong kind is refused', async () => {
    for (const body of ['null', '1', '"x"', 'true', '[[]]', '[1]', '[null]'])
      await expectProblem(await post(body), 422, 'validation_failed')
  })

  test('that is missing is a wrong body, not a crash', async () => {
    const response = await app.call(records, { as: 'editor', method: 'POST' })
    await expectProblem(response, 422, 'validation_failed')
  })
})
