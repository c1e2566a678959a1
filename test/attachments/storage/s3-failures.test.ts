import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from '../../support/app'
import { picture, startFiles } from '../../support/attachments'
import { startS3 } from '../../support/s3'

/** What S3 does wrong to the next requests of one method; everything else is passed on as it is. */
type Fault = { method: string; cutAfter?: number; status?: number; dropRange?: boolean; hangUp?: boolean; after?: number }
let fault: Fault | null = null

const s3 = await startS3()
const upstream = new URL(s3.environment.S3_ENDPOINT!)

function isNext(method: string | undefined): boolean {
  if (fault === null || fault.method !== method) return false
  fault.after = (fault.after ?? 0) - 1
  return fault.after < 0
}

/** Between us and s3rver. */
const proxy = createServer((asked, answer) => {
  const wrong = isNext(asked.method) ? fault : null
  const headers = { ...asked.headers }
  if (wrong?.dropRange) delete headers.range
  if (wrong?.hangUp) return void asked.socket.destroy()
  if (wrong?.status) {
    asked.resume()
    return void answer.writeHead(wrong.status, { 'content-length': 0 }).end()
  }
  const passed = ask({ host: upstream.hostname, port: upstream.port, method: asked.method, path: asked.url, headers }, (found) => {
    answer.writeHead(found.statusCode!, found.headers)
    if (wrong?.cutAfter === undefined) return void found.pipe(answer)
    let bytes = 0
    found.on('data', (chunk: Buffer) => {
      if (bytes >= wrong.cutAfter!) return
      bytes += chunk.byteLength
      answer.write(chunk)
      if (bytes >= wrong.cutAfter!) setTimeout(() => asked.socket.destroy(), 50)
    })
  })
  passed.on('error', () => answer.destroy())
  asked.pipe(passed)
})
await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
const { port } = proxy.address() as AddressInfo
const files = await startFiles({ ...s3.environment, S3_ENDPOINT: `http://127.0.0.1:${port}` })

beforeEach(() => {
  fault = null
})

afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await s3[Symbol.asyncDispose]()
  expect(files.events.filter(({ kind }) => kind === 'request_failed')).toEqual([])
})

const large = new Uint8Array(new Uint32Array(5 * 2 ** 20).map((_, index) => Math.imul(index, 2_654_435_761)).buffer)
const keyOf = (id: string) => `team/one/${id.slice(-4, -2)}/${id.slice(-2)}/${id}`
const client = new Bun.S3Client({ bucket: 'files', endpoint: s3.environment.S3_ENDPOINT, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' })

/** The bytes of an answer; null where the connection broke instead of ending well. */
const whole = (answer: Response) => answer.bytes().catch(() => null)

describe('a download from S3', () => {
  test.each([
    ['all of it', {}],
    ['a range', { range: 'bytes=5-18000000' }],
  ])('of %s that S3 breaks off in the middle does not end well, and the log has no address of the bucket', async (_what, headers) => {
    const { url } = await files.attach('a.bin', large)
    fault = { method: 'GET', cutAfter: 1_000_000 }
    const answer = await files.call(url, { as: 'viewer', headers })
    expect([answer.ok, await whole(answer)]).toEqual([true, null])
    const told = files.events.filter((event) => event.kind === 'background_failed' && event.task === 'reading a file from S3')
    expect(told.length).toBeGreaterThan(0)
    fault = null
    expect((await (await files.call(url, { as: 'viewer' })).bytes()).byteLength).toBe(large.byteLength)
  })

  test.each([
    ['shorter', 'hell'],
    ['longer', 'hello, world'],
  ])('of an object that has become %s is 404, and so are its parts', async (_what, text) => {
    const { id, url } = await files.attach('a.txt', 'hello')
    await client.write(keyOf(id), text)
    for (const headers of [{}, { range: 'bytes=0-1' }, { range: 'bytes=4-4' }] as Record<string, string>[]) {
      for (const method of ['GET', 'HEAD']) {
        expect([headers, method, (await files.call(url, { as: 'viewer', method, headers })).status]).toEqual([headers, method, 404])
      }
    }
  })

  test.each([
    ['refuses', { method: 'GET', status: 403 }],
    ['is overloaded', { method: 'GET', status: 503 }],
    ['hangs up', { method: 'GET', hangUp: true }],
  ] as [string, Fault][])('while S3 %s is 503, by GET and HEAD, whole, in parts and smaller', async (_what, wrong) => {
    const { url } = await files.attach('a.png', await picture(900, 900))
    fault = wrong
    for (const [method, query, headers] of [
      ['GET', '', {}],
      ['HEAD', '', {}],
      ['GET', '', { range: 'bytes=0-9' }],
      ['GET', '?size=small', {}],
    ] as const) {
      const answer = await files.call(url + query, { as: 'viewer', method, headers })
      expect([method, query, answer.status]).toEqual([method, query, 503])
    }
  })

  test('of a part is never answered with other bytes, though S3 ignores ranges', async () => {
    const { url } = await files.attach('a.txt', 'abcdefgh')
    fault = { method: 'GET', dropRange: true }
    const answer = await files.call(url, { as: 'viewer', headers: { range: 'bytes=2-3' } })
    expect(answer.status).toBe(503)
  })

  test('of a smaller picture is 503 when the picture breaks off, and made when it does not', async () => {
    const { url } = await files.attach('a.png', Buffer.concat([Buffer.from(await picture(900, 900)), large]))
    fault = { method: 'GET', cutAfter: 500_000 }
    expect((await files.call(`${url}?size=small`, { as: 'viewer' })).status).toBe(503)
    fault = null
    expect((await files.call(`${url}?size=small`, { as: 'viewer' })).status).toBe(200)
  })
})

describe('an upload to S3', () => {
  test.each([
    ['is refused at once', { method: 'PUT', status: 403 }, 'hello'],
    ['loses its connection', { method: 'PUT', hangUp: true }, 'hello'],
    ['cannot begin its parts', { method: 'POST', status: 500 }, large],
    ['fails at its second part', { method: 'PUT', status: 500, after: 1 }, large],
    ['cannot be finished', { method: 'POST', status: 500, after: 1 }, large],
  ] as [string, Fault, BodyInit][])('that %s is 503, and leaves no file', async (_what, wrong, body) => {
    const before = await s3.keys()
    const cell = (await files.cell('photos')).length
    fault = wrong
    const answer = await files.send('a.bin', body)
    expect([answer.status, (await json(answer)).code]).toEqual([503, 'unavailable'])
    fault = null
    expect(await files.cell('photos')).toHaveLength(cell)
    expect(await s3.keys()).toEqual(before)
    expect((await files.send('a.bin', body)).status).toBe(201)
  })
})
