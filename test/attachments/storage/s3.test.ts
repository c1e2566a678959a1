import { afterAll, describe, expect, test } from 'bun:test'
import { checkFiles, type Finding } from '../../../src/attachments/check'
import { sweepFiles } from '../../../src/attachments/sweep'
import { json } from '../../support/app'
import { form, picture, startFiles } from '../../support/attachments'
import { makePdf } from '../../support/pdf'
import { startS3 } from '../../support/s3'

const s3 = await startS3()
afterAll(() => s3[Symbol.asyncDispose]())
const files = await startFiles({ ...s3.environment, ROWHOUSE_FILES_GRACE: '1s' })

const keyOf = (id: string) => `team/one/${id.slice(-4, -2)}/${id.slice(-2)}/${id}`

/** 20 MB that differ from one another everywhere, so that a part in the wrong place would be seen. */
const large = new Uint8Array(new Uint32Array(5 * 2 ** 20).map((_, index) => Math.imul(index, 2_654_435_761)).buffer)

describe('files in S3', () => {
  test('come back as they went, small and in many parts', async () => {
    for (const bytes of [new Uint8Array(0), new TextEncoder().encode('hello'), large]) {
      const file = await files.attach('a.bin', bytes)
      expect(file.size).toBe(bytes.byteLength)
      expect(await s3.keys()).toContain(keyOf(file.id))
      const down = await files.call(file.url, { as: 'viewer' })
      expect(Bun.hash(await down.arrayBuffer())).toBe(Bun.hash(bytes))
    }
    expect(files.stored()).toEqual([])
  })

  test('have ranges, HEAD and 304', async () => {
    const { url } = await files.attach('a.bin', large)
    const range = await files.call(url, { as: 'viewer', headers: { range: 'bytes=10000000-10000099' } })
    expect([range.status, range.headers.get('content-range')]).toEqual([206, `bytes 10000000-10000099/${large.byteLength}`])
    expect(new Uint8Array(await range.arrayBuffer())).toEqual(large.slice(10_000_000, 10_000_100))
    const head = await files.call(url, { as: 'viewer', method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(String(large.byteLength))
    const etag = head.headers.get('etag')!
    expect((await files.call(url, { as: 'viewer', headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  test('have thumbnails', async () => {
    const { id, url } = await files.attach('a.jpg', await picture(900, 900, 'jpeg'))
    for (let time = 0; time < 2; time++) {
      const answer = await files.call(`${url}?size=small`, { as: 'viewer' })
      expect(await new Bun.Image(await answer.arrayBuffer()).metadata()).toEqual({ width: 320, height: 320, format: 'webp' })
    }
    expect(await s3.keys()).toContain(`${keyOf(id)}.small.webp`)
  })

  test('have pages', async () => {
    const { id, url } = await files.attach('a.pdf', makePdf({ pages: 2 }))
    for (const query of ['size=small', 'size=small', 'size=small&page=2']) {
      const answer = await files.call(`${url}?${query}`, { as: 'viewer' })
      expect(await new Bun.Image(await answer.arrayBuffer()).metadata()).toEqual({ width: 320, height: 160, format: 'webp' })
    }
    expect((await s3.keys()).filter((key) => key.startsWith(keyOf(id))).sort()).toEqual([keyOf(id), `${keyOf(id)}.small.webp`])
  })

  test('that nobody wants leave nothing', async () => {
    const before = await s3.keys()
    const data = form([['a.bin', large]])
    data.append('file', new Blob(['MZ']), 'b.exe')
    const cell = '/api/v1/tables/pets/records/1/attachments/icon'
    const headers = { authorization: `Bearer ${files.tokens.editor}` }
    expect((await fetch(files.url + cell, { method: 'POST', body: data, headers })).status).toBe(415)
    expect(await s3.keys()).toEqual(before)
  })

  test('are listed once each, when they are more than S3 gives in one answer', async () => {
    const { storage } = files.deps
    const ids = Array.from({ length: 1200 }, () => Bun.randomUUIDv7())
    const write = async (id: string) => {
      const writing = await storage.create(id)
      await writing.write(Buffer.from('x'))
      await writing.finish()
    }
    for (let start = 0; start < ids.length; start += 50) await Promise.all(ids.slice(start, start + 50).map(write))
    const wanted = new Set(ids)
    const listed = (await Array.fromAsync(storage.list())).map(({ name }) => name).filter((name) => wanted.has(name))
    expect(listed.sort()).toEqual(ids.sort())
    await storage.remove(ids)
  })

  test('are swept and checked', async () => {
    const file = await files.attach('a.jpg', await picture(400, 400, 'jpeg'))
    await files.call(`${file.url}?size=small`, { as: 'viewer' })
    const findings: Finding[] = []
    await checkFiles(files.deps, (finding) => findings.push(finding))
    expect(findings).toEqual([])
    await files.call(file.url, { as: 'editor', method: 'DELETE' })
    await Bun.sleep(1100)
    expect(await sweepFiles(files.deps)).toBe(1)
    expect((await s3.keys()).filter((key) => key.includes(file.id))).toEqual([])
    const orphan = Bun.randomUUIDv7()
    const writing = await files.deps.storage.create(orphan)
    await writing.write(Buffer.from('x'))
    await writing.finish()
    await checkFiles(files.deps, (finding) => findings.push(finding))
    expect(findings.map(({ kind, name }) => [kind, name])).toEqual([['orphaned', orphan]])
  })

  test('are 503 while S3 is away, and there again when it is back', async () => {
    const file = await files.attach('a.bin', 'hello')
    await s3.stop()
    expect((await files.call(file.url, { as: 'viewer' })).status).toBe(503)
    const answer = await files.send('b.bin', 'hello')
    expect([answer.status, (await json(answer)).code]).toEqual([503, 'unavailable'])
    expect((await files.cell('photos')).map(({ name }) => name)).not.toContain('b.bin')
    await s3.start()
    expect(await (await files.call(file.url, { as: 'viewer' })).text()).toBe('hello')
    expect((await files.send('b.bin', 'hello')).status).toBe(201)
    expect(files.events.filter(({ kind }) => kind === 'request_failed')).toEqual([])
  })
})
