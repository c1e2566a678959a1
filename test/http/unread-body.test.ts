import { describe, expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { flood, head, sendRaw } from '../support/raw'

const app = await startApp()
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'notes',
    columns: [
      { name: 'value', type: 'text' },
      { name: 'files', type: 'attachment' },
    ],
  },
})
const { key } = (await (await app.call('/api/v1/tables/notes/records', { as: 'editor', body: { value: 'x' } })).json()) as { key: string }

type Lines = [string, string][]
const as = (role: keyof typeof app.tokens): Lines => [['Authorization', `Bearer ${app.tokens[role]}`]]
const json: Lines = [['Content-Type', 'application/json']]
const announced: Lines = [['Content-Length', '100000000000']]
const chunked: Lines = [['Transfer-Encoding', 'chunked']]
const text = new Uint8Array(65_536).fill(0x78)
const chunk = Buffer.concat([Buffer.from('10000\r\n'), text, Buffer.from('\r\n')])

/**
 * What the kernels of both sides keep on the way, generously: a service that reads on takes hundreds of megabytes a
 * second.
 */
const onTheWayBytes = 64 * 2 ** 20

const refusals: [string, string, Lines, number][] = [
  ['a stranger', '/api/v1/tables', json, 401],
  ['a sign-in that is no JSON', '/auth/login', [], 415],
  ['a caller without the role', '/api/v1/tables', [...as('viewer'), ...json], 403],
  ['an unknown address', '/nowhere', json, 404],
  ['an unknown method', '/healthz', json, 405],
  ['an import by a viewer', '/api/v1/tables/notes/import', [...as('viewer'), ['Content-Type', 'text/csv']], 403],
  ['a file of a stranger', `/api/v1/tables/notes/records/${key}/attachments/files?name=a`, [], 401],
  ['a Host that is none', '/auth/login', [['Host', 'a b'], ...json], 400],
]

describe('a body that nobody reads', () => {
  describe.each(refusals)('of %s', (_who, path, lines, status) => {
    test.each([
      ['announced', announced, text],
      ['chunked', chunked, chunk],
    ] as [string, Lines, Uint8Array][])('is cut off behind the answer, not drained (%s)', async (_how, framing, piece) => {
      const { sentBytes, ...answer } = await flood(app.url, head('POST', path, [...lines, ...framing]), piece, onTheWayBytes)
      expect({ status: answer.status, connection: answer.headers.get('connection') }).toEqual({ status, connection: 'close' })
      expect(sentBytes).toBeLessThan(onTheWayBytes)
    })
  })

  test.each([
    ['a JSON body over the limit', '/auth/login', json, chunked, chunk, 413],
    ['a JSON body that says so itself', '/auth/login', json, announced, text, 413],
    ['a page that takes none', '/healthz', [], chunked, chunk, 200],
  ] as [string, string, Lines, Lines, Uint8Array, number][])(
    'of %s is cut off, too',
    async (_what, path, lines, framing, piece, status) => {
      const method = status === 200 ? 'GET' : 'POST'
      const { sentBytes, ...answer } = await flood(app.url, head(method, path, [...lines, ...framing]), piece, onTheWayBytes)
      expect({ status: answer.status, connection: answer.headers.get('connection') }).toEqual({ status, connection: 'close' })
      expect(sentBytes).toBeLessThan(onTheWayBytes)
    },
  )
})

describe('the connection stays open', () => {
  const again = head('GET', '/healthz')

  test.each([
    ['a short body that nobody reads', head('POST', '/nowhere', [['Content-Length', '3']]), 'abc'],
    ['a body that was read to its end', head('POST', '/auth/login', [...json, ['Content-Length', '200000']]), ' '.repeat(200_000)],
    ['chunks that were read to their end', head('POST', '/auth/login', [...json, ...chunked]), '2\r\n{}\r\n0\r\n\r\n'],
  ])('behind %s', async (_what, first, body) => {
    const { headers } = await sendRaw(app.url, first + body + again)
    expect(headers.get('connection')).not.toBe('close')
  })
})
