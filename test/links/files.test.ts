import { describe, expect, test } from 'bun:test'
import { json } from '../support/app'
import { picture, startFiles } from '../support/attachments'
import { makeLink, openAsJson, statusOf } from '../support/links'
import { makePdf } from '../support/pdf'

const files = await startFiles()
const photo = await files.attach('rex.png', await picture(600, 400))
const paper = await files.attach('vaccination.txt', 'vaccinated', '/api/v1/tables/pets/records/1/attachments/papers')
const page = await files.attach('page.html', '<script>alert(1)</script>', '/api/v1/tables/pets/records/1/attachments/papers')
const foreign = await files.attach('tom.txt', 'of another record', '/api/v1/tables/pets/records/2/attachments/photos')
const record = { table: 'pets', pk: 1 }

const withoutQuery = (url: string) => url.slice(0, url.indexOf('?'))

describe('the files of a shared record', () => {
  test('have addresses below the link, and no other', async () => {
    const { path } = await makeLink(files, record)
    const { record: shown } = await openAsJson(files, path)
    expect(JSON.stringify(shown)).not.toContain('/api/v1/')
    const response = await files.call(shown.photos[0].url)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(await picture(600, 400)))
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="rex.png"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; sandbox; frame-ancestors 'none'",
      'cache-control': 'private, no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-robots-tag': 'noindex, nofollow, noarchive',
    })
    expect((await files.call(shown.photos[0].url, { headers: { range: 'bytes=0-3' } })).status).toBe(206)
  })

  test('are saved where a browser could run them, and are never a part of a page', async () => {
    const { path } = await makeLink(files, record)
    const { record: shown } = await openAsJson(files, path)
    const url = shown.papers.find(({ id }: { id: string }) => id === page.id).url
    const response = await files.call(url)
    expect(response.headers.get('content-disposition')).toStartWith('attachment')
    expect(await statusOf(files, url, { 'sec-fetch-dest': 'script' })).toBe(404)
    const saved = await files.call(`${shown.photos[0].url}&download=1`)
    expect(saved.headers.get('content-disposition')).toStartWith('attachment')
  })

  test('are shown on the page as small pictures', async () => {
    const { path } = await makeLink(files, record)
    const text = await (await files.call(path)).text()
    const [, source] = /<img src="([^"]+)"/.exec(text)!
    const response = await files.call(source!.replaceAll('&amp;', '&'), { headers: { accept: 'image/webp' } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(await new Bun.Image(await response.bytes()).metadata()).toMatchObject({ width: 320, height: 213 })
  })

  test('have pages, if they are PDFs', async () => {
    await files.attach('paper.pdf', makePdf({ pages: 2 }), '/api/v1/tables/pets/records/2/attachments/icon')
    const { path } = await makeLink(files, { table: 'pets', pk: 2 })
    const { record: shown } = await openAsJson(files, path)
    const callers: string[] = []
    const { renderer } = files.deps
    const { render } = renderer
    renderer.render = (job, requester) => {
      callers.push(requester.caller)
      return render(job, requester)
    }
    const response = await files.call(`${shown.icon[0].url}&size=small&page=2`)
    renderer.render = render
    // Not the issuer, whose own documents would have to wait.
    expect(callers).toEqual([expect.stringMatching(/^links of /)])
    expect([response.headers.get('rowhouse-page-count'), response.headers.get('cache-control')]).toEqual(['2', 'private, no-store'])
    expect(await new Bun.Image(await response.bytes()).metadata()).toMatchObject({ width: 320, height: 160 })
    expect(await statusOf(files, `${shown.icon[0].url}&size=small&page=3`)).toBe(404)
  })

  test('are shown on a page behind a password, too, by its cookie', async () => {
    const { path } = await makeLink(files, { ...record, password: 'seven walrus onyx' })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const opened = await files.call(path, { body: 'password=seven+walrus+onyx', headers })
    const cookie = opened.headers.getSetCookie()[0]!.split(';')[0]!
    const text = await (await files.call(path, { headers: { cookie } })).text()
    const source = /<img src="([^"]+)"/.exec(text)![1]!
    expect(source).toBe(`${path}/files/${photo.id}?size=small`)
    expect(await statusOf(files, source)).toBe(404)
    expect(await statusOf(files, source, { cookie })).toBe(200)
  })

  test('are only those of columns that the link shows', async () => {
    const { path } = await makeLink(files, { ...record, query: 'select=name,papers' })
    const { record: shown } = await openAsJson(files, path)
    const url = shown.papers[0].url as string
    expect(await statusOf(files, url)).toBe(200)
    for (const id of [photo.id, foreign.id, Bun.randomUUIDv7(), 'x']) expect(await statusOf(files, url.replace(paper.id, id))).toBe(404)
  })

  test('are only those that the service has written: a value that looks like a file opens nothing', async () => {
    await files.call('/api/v1/tables/pets/columns', { as: 'admin', body: { name: 'extra', type: 'json' } })
    const forged = { ...foreign, url: `/api/v1/tables/pets/records/2/attachments/${files.columnId('photos')}/${foreign.id}` }
    await files.call('/api/v1/tables/pets/records/1', { as: 'editor', method: 'PATCH', body: { extra: [forged] } })
    const { path } = await makeLink(files, { ...record, query: 'select=extra,papers' })
    const { record: shown } = await openAsJson(files, path)
    expect(shown.extra).toEqual([forged])
    expect(await statusOf(files, (shown.papers[0].url as string).replace(paper.id, foreign.id))).toBe(404)
  })

  test('open as long as the link does, or for an hour from an opening that was counted', async () => {
    const free = await makeLink(files, record)
    const url = (await openAsJson(files, free.path)).record.photos[0].url as string
    expect(await statusOf(files, withoutQuery(url))).toBe(200)
    await files.call(`/api/v1/links/${free.id}`, { as: 'editor', method: 'DELETE' })
    expect(await statusOf(files, url)).toBe(404)
    const counted = await makeLink(files, { ...record, maxOpens: 1 })
    expect(await statusOf(files, `${counted.path}/files/${photo.id}`)).toBe(404)
    const opened = (await openAsJson(files, counted.path)).record.photos[0].url as string
    expect(await statusOf(files, opened)).toBe(200)
    expect(await statusOf(files, withoutQuery(opened))).toBe(404)
    const locked = await makeLink(files, { ...record, password: 'seven walrus onyx' })
    expect(await statusOf(files, `${locked.path}/files/${photo.id}`)).toBe(404)
  })
})

describe('the files of a shared list', () => {
  test('are those of the records that it lists, in the columns that it shows', async () => {
    const { path } = await makeLink(files, { table: 'pets', query: 'name=eq.Rex&select=name,papers' })
    const { records } = await openAsJson(files, path)
    const url = records[0].papers[0].url as string
    expect(await (await files.call(url)).text()).toBe('vaccinated')
    expect(await statusOf(files, url.replace(paper.id, photo.id))).toBe(404)
    const all = await makeLink(files, { table: 'pets', query: 'name=eq.Rex' })
    const own = (await openAsJson(files, all.path)).records[0].photos[0].url as string
    expect(await statusOf(files, own)).toBe(200)
    // The other record has the file in a column that is shown, and is not in the list.
    expect(await statusOf(files, own.replace(photo.id, foreign.id).replace('row=1', 'row=2'))).toBe(404)
    expect(await statusOf(files, own.replace('row=1', 'row=x'))).toBe(404)
    expect(await statusOf(files, own.replace('row=1&', ''))).toBe(404)
  })

  test('are found in embedded records, too', async () => {
    const { id } = await json(files.call('/api/v1/tables/pets', { as: 'viewer' }))
    await files.call('/api/v1/tables', {
      as: 'admin',
      body: {
        name: 'visits',
        columns: [
          { name: 'day', type: 'date' },
          { name: 'pet', type: 'link', options: { table: id } },
        ],
      },
    })
    await files.call('/api/v1/tables/visits/records', { as: 'editor', body: { day: '2026-01-31', pet: 1 } })
    const { path } = await makeLink(files, { table: 'visits', query: 'select=id,day,pet(name,papers)' })
    const { records } = await openAsJson(files, path)
    expect(await (await files.call(records[0].pet.papers[0].url)).text()).toBe('vaccinated')
    const keyless = await makeLink(files, { table: 'visits', query: 'select=day,pet(papers)' })
    expect((await openAsJson(files, keyless.path)).records[0].pet.papers[0].url).toBeNull()
    expect(await (await files.call(keyless.path)).text()).toContain('vaccination.txt')
  })
})

describe('a link to a file', () => {
  test('shows that file of that cell, and nothing else', async () => {
    const body = { ...record, column: 'papers', fileId: paper.id }
    const link = await makeLink(files, body)
    expect(link).toMatchObject({ kind: 'file', column: files.columnId('papers'), fileId: paper.id })
    const { kind, file } = await openAsJson(files, link.path)
    expect({ kind, name: file.name }).toEqual({ kind: 'file', name: 'vaccination.txt' })
    expect(await (await files.call(file.url)).text()).toBe('vaccinated')
    expect(await statusOf(files, file.url.replace(paper.id, page.id))).toBe(404)
    const text = await (await files.call(link.path)).text()
    expect(text).toContain('vaccination.txt')
    expect(text).toContain('Download')
    expect((await files.call('/api/v1/links', { as: 'editor', body: { ...body, column: 'photos' } })).status).toBe(404)
  })

  test('closes when the file is taken out of the cell', async () => {
    const gone = await files.attach('gone.txt', 'gone')
    const { path } = await makeLink(files, { ...record, column: 'photos', fileId: gone.id })
    const { file } = await openAsJson(files, path)
    await files.call(gone.url, { as: 'editor', method: 'DELETE' })
    expect(await statusOf(files, path)).toBe(404)
    expect(await statusOf(files, file.url)).toBe(404)
  })
})
