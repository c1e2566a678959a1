import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { FileRow } from '../../src/attachments/model'
import { createThumbnails } from '../../src/attachments/thumbnails'
import { Failure } from '../../src/errors'
import { verbatim } from '../../src/messages/message'
import { picture, startFiles } from '../support/attachments'
import { firstExtra, lockedPdf, makePdf, pdfStream } from '../support/pdf'
import { expectProblem } from '../support/problem'
import { until } from '../support/processes'

const files = await startFiles()
const { renderer } = files.deps
const { render } = renderer
let drawn = 0
renderer.render = (job, requester) => {
  drawn++
  return render(job, requester)
}

const page = (url: string, query: string, headers: Record<string, string> = {}) => files.call(`${url}?${query}`, { as: 'viewer', headers })

const measured = async (answer: Response) => new Bun.Image(await answer.arrayBuffer()).metadata()

/** The page number as the width of a bar. */
const numbered = (pages: number) => makePdf({ pages, drawing: (number) => `0 0 ${number * 10} 100 re f` })

describe('a page of a PDF', () => {
  test('is a picture in the size that was asked for, with the number of pages', async () => {
    const { url, type } = await files.attach('scan.pdf', numbered(3))
    expect(type).toBe('application/pdf')
    const large = await page(url, 'size=large&page=2')
    expect([large.status, large.headers.get('content-type'), large.headers.get('rowhouse-page-count')]).toEqual([200, 'image/webp', '3'])
    expect(large.headers.get('content-disposition')).toBe('inline; filename="scan.webp"')
    expect(large.headers.get('content-security-policy')).toContain('sandbox')
    expect(await measured(large)).toEqual({ width: 1600, height: 800, format: 'webp' })
    expect(await measured(await page(url, 'size=small', { accept: 'image/png' }))).toEqual({ width: 320, height: 160, format: 'png' })
  })

  test('shows what is on it, and not what is on another', async () => {
    const { url } = await files.attach('scan.pdf', numbered(3))
    const hashOf = async (number: number) => Bun.hash(await (await page(url, `size=large&page=${number}`)).arrayBuffer())
    const hashes = await Promise.all([1, 2, 3].map(hashOf))
    expect(new Set([...hashes, await hashOf(3)]).size).toBe(3)
  })

  test('is there for the numbers of its pages alone', async () => {
    const { url } = await files.attach('scan.pdf', numbered(3))
    const beyond = await expectProblem(await page(url, 'size=large&page=4'), 404, 'not_found')
    expect(beyond.message).toBe('The PDF has no such page.')
    for (const number of ['0', '-1', '1.5', 'x', '', '1e3', '9999999']) {
      expect((await page(url, `size=large&page=${number}`)).status).toBe(400)
    }
    const photo = await files.attach('photo.jpg', await picture(9, 9, 'jpeg'))
    expect((await page(photo.url, 'size=large&page=1')).status).toBe(200)
    expect((await page(photo.url, 'size=large&page=2')).status).toBe(404)
  })

  test('is drawn once, however many ask at the same time; the first one is kept as a tile', async () => {
    const { id, url } = await files.attach('scan.pdf', numbered(3))
    const [file] = await files.deps.db.query<FileRow>(
      `select id, name, size::int as size, type, sha256 from rowhouse.files where id = $1`,
      [id],
    )
    const thumbnails = createThumbnails(files.deps)
    const before = drawn
    const requests = [{ size: 'small', page: 1, format: 'webp' } as const, { size: 'large', page: 3, format: 'webp' } as const]
    for (const request of requests) {
      const requester = (place: number) => ({ caller: String(place), signal: new AbortController().signal })
      await Promise.all(Array.from({ length: 10 }, (_, place) => thumbnails(requester(place), file!, request)))
    }
    expect((await page(url, 'size=small')).status).toBe(200)
    expect(drawn - before).toBe(2)
    expect(files.stored().filter((name) => name.startsWith(id))).toEqual([id, `${id}.small.webp`])
  })

  test('has an ETag of its own, and is not drawn for a caller who has it', async () => {
    const { url } = await files.attach('scan.pdf', numbered(3))
    const tags = await Promise.all([1, 2].map(async (number) => (await page(url, `size=large&page=${number}`)).headers.get('etag')!))
    expect(new Set(tags).size).toBe(2)
    const before = drawn
    expect((await page(url, 'size=large&page=2', { 'if-none-match': tags[1]! })).status).toBe(304)
    expect(drawn).toBe(before)
    expect((await page(url, 'size=large&page=2', { 'if-none-match': tags[0]! })).status).toBe(200)
    expect((await page(url, 'size=large&page=3', { 'if-none-match': '*' })).status).toBe(304)
    expect((await page(url, 'size=large&page=4', { 'if-none-match': '*' })).status).toBe(404)
  })

  test('is for those who may read the record, and nothing that a page can run (SEC-104)', async () => {
    const { url } = await files.attach('scan.pdf', numbered(1))
    expect((await files.call(`${url}?size=large`)).status).toBe(401)
    expect((await files.call(`${url}?size=large&page=1`, { headers: { authorization: 'Bearer x' } })).status).toBe(401)
    expect((await page(url.replace('records/1', 'records/2'), 'size=large')).status).toBe(404)
    const before = drawn
    expect((await page(url, 'size=large', { 'sec-fetch-dest': 'script' })).status).toBe(403)
    expect(drawn).toBe(before)
  })

  test('shows what was entered into a form', async () => {
    const form = (entered: string) =>
      makePdf({
        drawing: () => '',
        page: `/Annots [${firstExtra(1)} 0 R]`,
        extra: [
          `<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /F 4 /Rect [0 0 200 100] /AP << /N ${firstExtra(1) + 1} 0 R >> >>`,
          pdfStream(Buffer.from(entered), '/Type /XObject /Subtype /Form /BBox [0 0 200 100]'),
        ],
      })
    const drawings = await Promise.all(
      ['', '0 0 100 100 re f'].map(async (entered) => {
        const { url } = await files.attach('form.pdf', form(entered))
        return Bun.hash(await (await page(url, 'size=small')).arrayBuffer())
      }),
    )
    expect(drawings[0]).not.toBe(drawings[1]!)
  })
})

describe('a hostile PDF', () => {
  test.each([
    ['a password', lockedPdf(), 'The PDF is protected by a password.'],
    ['no more than a beginning', '%PDF-1.7\nhello', 'The PDF is damaged.'],
    ['its second half missing', numbered(9).subarray(0, 600), 'The PDF is damaged.'],
    ['pages that are their own parents', makePdf().toString().replace('/Kids [3 0 R]', '/Kids [2 0 R]'), 'The PDF is damaged.'],
  ])('with %s is refused with a sentence', async (_what, body, sentence) => {
    const { url } = await files.attach('x.pdf', body)
    const before = drawn
    for (const query of ['size=small', 'size=large&page=1']) {
      expect((await expectProblem(await page(url, query), 404, 'not_found')).message).toBe(sentence)
    }
    expect(drawn - before).toBe(1)
  })

  test('of more than 16 MB is not drawn', async () => {
    const { url } = await files.attach('x.pdf', Buffer.concat([makePdf(), Buffer.alloc(16 * 2 ** 20)]))
    const before = drawn
    expect((await expectProblem(await page(url, 'size=small'), 404, 'not_found')).message).toBe('Pages are drawn only of PDFs up to 16 MB.')
    expect(drawn).toBe(before)
  })

  test.each([
    ['ten thousand pages', makePdf({ pages: 10_000 }), 10_000],
    ['a page of five metres', makePdf({ size: [14_400, 14_400] }), 1],
    ['a page like a thread', makePdf({ size: [14_400, 0.001] }), 1],
    ['a page without a size', makePdf({ size: [0, 0] }), 1],
    ['a page beyond all numbers', makePdf({ size: [1e30, 1e30] }), 1],
  ])('with %s is drawn within the limits', async (_what, body, number) => {
    const { url } = await files.attach('x.pdf', body)
    const { width, height } = await measured(await page(url, `size=large&page=${number}`))
    expect(Math.max(width, height)).toBe(1600)
  })

  test('with a name of another type is none', async () => {
    const { url } = await files.attach('x.pdf', 'hello')
    expect((await expectProblem(await page(url, 'size=large'), 404, 'not_found')).message).toBe('This file has no thumbnail.')
  })
})

describe('a page that cannot be drawn at this moment', () => {
  test('is unavailable, and drawn at the next request', async () => {
    const { url } = await files.attach('x.pdf', makePdf())
    const working = renderer.render
    renderer.render = async () => {
      throw new Failure('render_failed', verbatim('The document could not be created: the process that makes it ended.'))
    }
    const problem = await expectProblem(await page(url, 'size=large'), 503, 'unavailable')
    renderer.render = working
    expect(problem.message).toBe('The page cannot be drawn right now.')
    expect((await page(url, 'size=large')).status).toBe(200)
  })

  test('because its file vanishes while it is read, is unavailable', async () => {
    const { url } = await files.attach('x.pdf', makePdf())
    const { storage } = files.deps
    const { read } = storage
    storage.read = async () => Bun.file(join(files.dataDir, 'gone'))
    const answer = await page(url, 'size=large')
    storage.read = read
    await expectProblem(answer, 503, 'unavailable')
  })
})

/** Forms within forms: 8 to the power of 25 drawings. */
const endless = () =>
  makePdf({
    drawing: () => '/F Do',
    page: `/Resources << /XObject << /F ${firstExtra(1)} 0 R >> >>`,
    extra: Array.from({ length: 25 }, (_, index) =>
      pdfStream(
        Buffer.from(index === 24 ? '0 0 1 1 re f' : '/F Do '.repeat(8)),
        `/Type /XObject /Subtype /Form /BBox [0 0 200 100] /Resources << /XObject << /F ${firstExtra(1) + index + 1} 0 R >> >>`,
      ),
    ),
  })

/** Drawings that unpack to 400 MB. */
const unpacking = () =>
  Buffer.from(
    makePdf({ extra: [pdfStream(deflateSync(Buffer.alloc(400 * 2 ** 20, '0 0 1 1 re f\n'), { level: 1 }), '/Filter /FlateDecode')] })
      .toString('latin1')
      .replace('/Contents 4 0 R', `/Contents ${firstExtra(1)} 0 R`),
    'latin1',
  )

test.each([
  ['that never ends', endless],
  ['that unpacks to more than the memory', unpacking],
])('a page %s is given up, not drawn again at once, and the next one is drawn', async (_what, body) => {
  const hasty = await startFiles({ ROWHOUSE_RENDER_TIMEOUT: '3s', ROWHOUSE_RENDER_MEMORY: '256MB' })
  const get = (url: string, size = 'large') => hasty.call(`${url}?size=${size}`, { as: 'viewer' })
  const { url } = await hasty.attach('x.pdf', body())
  const expectGivenUp = async (size: string) =>
    expect((await expectProblem(await get(url, size), 404, 'not_found')).message).toBe(
      'Drawing this page of the PDF takes more time or memory than allowed.',
    )
  for (const size of ['large', 'large', 'small']) await expectGivenUp(size)
  const ended = hasty.events.filter(({ kind }) => kind === 'job_ended')
  expect(ended).toEqual([expect.objectContaining({ job: 'page', outcome: 'failed' })])
  const next = await hasty.attach('y.pdf', makePdf())
  await until('the next page is in time', async () => (await get(next.url)).status === 200)
})
