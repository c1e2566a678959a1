import { afterEach, describe, expect, test } from 'bun:test'
import { json } from '../support/app'
import { type FileView, firstCell, form, picture, startFiles } from '../support/attachments'

const files = await startFiles({
  ROWHOUSE_MAX_UPLOAD_BYTES: '2MB',
  ROWHOUSE_MAX_UPLOAD_REQUEST_BYTES: '3MB',
  ROWHOUSE_MAX_CELL_FILES: '20',
})
const photos = `${firstCell}/photos`

const sendForm = (data: FormData, cell = photos) =>
  fetch(files.url + cell, { method: 'POST', body: data, headers: { authorization: `Bearer ${files.tokens.editor}` } })

/** A body without a length, as long as somebody reads it. */
const endless = (total: number) => {
  let sent = 0
  return new ReadableStream({
    pull: (controller) => {
      sent += 65_536
      controller.enqueue(new Uint8Array(65_536))
      if (sent >= total) controller.close()
    },
  })
}

const clear = (column: string) => files.deps.db.query(`update data.pets set ${column} = '[]' where true`)

afterEach(async () => {
  for (const column of ['photos', 'papers', 'icon']) await clear(column)
  expect(files.events.filter(({ kind }) => kind === 'request_failed')).toEqual([])
  expect(await files.deps.db.query('select from rowhouse.loose_files')).toHaveLength(0)
})

describe('a file', () => {
  test('as the body comes back byte by byte, and stands in the record with its address', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000))
    const file = await files.attach('notes.bin', bytes)
    expect(file).toMatchObject({ name: 'notes.bin', size: 60_000, type: 'application/octet-stream' })
    expect(file.url).toBe(`/api/v1/tables/${files.tableId}/records/1/attachments/${files.columnId('photos')}/${file.id}`)
    const down = await files.call(file.url, { as: 'viewer' })
    expect(new Uint8Array(await down.arrayBuffer())).toEqual(bytes)
    expect(await files.cell('photos')).toEqual([file])
    expect(await files.cell('photos', 2)).toEqual([])
  })

  test('of no bytes is a file', async () => {
    const file = await files.attach('empty', '')
    expect(file).toMatchObject({ size: 0, type: 'application/octet-stream' })
    const down = await files.call(file.url, { as: 'viewer' })
    expect([down.status, await down.text(), down.headers.get('content-length')]).toEqual([200, '', '0'])
  })

  test('is told by its bytes, whatever it is called and sent as', async () => {
    const png = await picture(30, 20)
    const sent: [string, BodyInit, string][] = [
      ['a.html', png, 'image/png'],
      ['photo.png', '<!doctype html><script>alert(1)</script>', 'text/html'],
      ['photo.png', '  <svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
      ['x.png', '<?xml version="1.0"?><a/>', 'application/xml'],
      ['x.png', '%PDF-1.7\n%âãÏÓ\n', 'application/pdf'],
      ['table.csv', 'a,b\n1,2\n', 'text/csv'],
      ['readme', 'hello', 'text/plain'],
      ['binary.txt', new Uint8Array([1, 2, 3, 0, 255]), 'application/octet-stream'],
    ]
    for (const [name, body, type] of sent) expect([name, (await files.attach(name, body)).type]).toEqual([name, type])
  })

  test('that is a picture has its size, turned as the camera says', async () => {
    expect(await files.attach('a.png', await picture(30, 20))).toMatchObject({ width: 30, height: 20 })
    const jpeg = Buffer.from(await picture(40, 10, 'jpeg'))
    const turned = Buffer.concat([jpeg.subarray(0, 2), orientation(6), jpeg.subarray(2)])
    expect(await files.attach('b.jpg', turned)).toMatchObject({ type: 'image/jpeg', width: 10, height: 40 })
    expect(await files.attach('c.txt', 'x')).not.toHaveProperty('width')
  })

  test('changes the version of the record, and who changed it', async () => {
    const before = (await files.call('/api/v1/tables/pets/records/1', { as: 'viewer' })).headers.get('etag')
    const file = await files.attach('a.txt', 'a')
    const after = (await files.call('/api/v1/tables/pets/records/1', { as: 'viewer' })).headers.get('etag')
    expect(after).not.toBe(before)
    expect((await files.call(file.url, { as: 'editor', method: 'DELETE' })).status).toBe(204)
    expect((await files.call('/api/v1/tables/pets/records/1', { as: 'viewer' })).headers.get('etag')).not.toBe(after)
    expect(await files.cell('photos')).toEqual([])
  })

  test.each([
    ['&replace', ['new']],
    ['&replace=true', ['new']],
    ['&replace=0', ['old', 'new']],
    ['&replace=false', ['old', 'new']],
    ['&replace=no', ['old']],
  ])('with %s never takes the place of others by mistake', async (query, names) => {
    await files.attach('old', 'x')
    const answer = await files.send('new', 'y', { query })
    expect(answer.status).toBe(names.includes('new') ? 201 : 400)
    expect((await files.cell('photos')).map(({ name }) => name)).toEqual(names)
  })

  test('can take the place of those that are there', async () => {
    await files.attach('old', 'x')
    const answer = await files.send('new', 'y', { query: '&replace=1' })
    expect(answer.status).toBe(201)
    expect((await files.cell('photos')).map(({ name }) => name)).toEqual(['new'])
  })

  test('cannot be put into a cell by writing the record', async () => {
    const body = { photos: [{ id: crypto.randomUUID(), name: 'x' }] }
    expect((await files.call('/api/v1/tables/pets/records/1', { as: 'editor', method: 'PATCH', body })).status).toBe(422)
    expect((await files.call('/api/v1/tables/pets/records', { as: 'editor', body })).status).toBe(422)
  })
})

/** An Exif segment that says how the camera was held. */
function orientation(turn: number): Buffer {
  const tiff = Buffer.from([0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, turn, 0, 0, 0, 0, 0, 0])
  const data = Buffer.concat([Buffer.from('Exif\0\0'), tiff])
  return Buffer.concat([Buffer.from([0xff, 0xe1, 0, data.length + 2]), data])
}

describe('a form', () => {
  test('brings several files, in their order, and fields beside them are left alone', async () => {
    const data = form([
      ['a.txt', 'one'],
      ['ü€😀.txt', 'two'],
      ['empty.txt', ''],
      ['5" screen.txt', 'four'],
    ])
    data.append('note', 'a field')
    const answer = await sendForm(data)
    expect(answer.status).toBe(201)
    const made = (await answer.json()) as FileView[]
    expect(made.map(({ name, size }) => [name, size])).toEqual([
      ['a.txt', 3],
      ['ü€😀.txt', 3],
      ['empty.txt', 0],
      ['5" screen.txt', 4],
    ])
    expect(await files.cell('photos')).toEqual(made)
    expect(await (await files.call(made[1]!.url, { as: 'viewer' })).text()).toBe('two')
  })

  test('is all or nothing: one file that is not wanted, and none is kept', async () => {
    const before = files.stored()
    const data = form([
      ['a.png', await picture(3, 3)],
      ['b.txt', 'text'],
    ])
    expect((await sendForm(data, `${firstCell}/icon`)).status).toBe(409)
    expect((await sendForm(form([['b.txt', 'text']]), `${firstCell}/icon`)).status).toBe(415)
    expect(await files.cell('icon')).toEqual([])
    expect(files.stored()).toEqual(before)
  })

  test.each([
    ['a boundary is missing', 'multipart/form-data', '--x\r\n\r\n', 400],
    [
      'it ends too soon',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nhello',
      400,
    ],
    ['it is something else', 'multipart/form-data; boundary=x', 'hello', 400],
    ['there is no file in it', 'multipart/form-data; boundary=x', '--x--\r\n', 400],
    [
      'it has only a field',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="f"\r\n\r\nhello\r\n--x--\r\n',
      400,
    ],
    ['it is empty', 'multipart/form-data; boundary=x', '', 400],
    ['it is of another kind', 'multipart/mixed; boundary=x', '--x--\r\n', 415],
  ])('is refused when %s', async (_what, type, body, status) => {
    const headers = { authorization: `Bearer ${files.tokens.editor}`, 'content-type': type }
    const answer = await fetch(files.url + photos, { method: 'POST', body, headers })
    expect(answer.status).toBe(status)
    expect(await files.cell('photos')).toEqual([])
  })

  test('of ten thousand parts is refused soon', async () => {
    const data = form(Array.from({ length: 10_000 }, (_, index): [string, string] => [`${index}.txt`, 'x']))
    const before = files.stored()
    expect((await sendForm(data)).status).toBe(413)
    expect(files.stored()).toEqual(before)
  })
})

describe('limits', () => {
  test('hold while a body without a length comes in', async () => {
    const before = files.stored()
    const answer = await files.send('big', endless(500 * 2 ** 20) as BodyInit)
    expect(answer.status).toBe(413)
    expect(await json(answer)).toMatchObject({ code: 'payload_too_large', details: { limitBytes: 2 * 2 ** 20 } })
    expect(files.stored()).toEqual(before)
  })

  test('hold for each file of a form, and for all together', async () => {
    const before = files.stored()
    expect((await sendForm(form([['big', new Uint8Array(2 ** 21 + 1)]]))).status).toBe(413)
    const three = Array.from({ length: 3 }, (_, index): [string, Uint8Array<ArrayBuffer>] => [`${index}`, new Uint8Array(1.2 * 2 ** 20)])
    expect(await json(sendForm(form(three)))).toMatchObject({ code: 'payload_too_large', details: { limitBytes: 3 * 2 ** 20 } })
    expect(files.stored()).toEqual(before)
    expect((await sendForm(form([['exact', new Uint8Array(2 ** 21)]]))).status).toBe(201)
  })

  test('of a column hold, however many come at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => files.send(`${index}.txt`, 'x', { cell: `${firstCell}/papers` })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, 201, ...Array<number>(18).fill(409)])
    expect(await files.cell('papers')).toHaveLength(2)
    const [{ count }] = (await files.deps.db.query<{ count: string }>(
      `select count(*)::text as count from rowhouse.files where column_id = '${files.columnId('papers')}' and removed_at is null`,
    )) as [{ count: string }]
    expect(count).toBe('2')
  })

  test('on kinds of files go by the bytes', async () => {
    const icon = { cell: `${firstCell}/icon` }
    expect((await files.send('a.png', 'just text', icon)).status).toBe(415)
    expect((await files.send('fake.pdf', new Uint8Array(await picture(3, 3)), icon)).status).toBe(201)
    expect((await files.send('one.png', new Uint8Array(await picture(3, 3)), icon)).status).toBe(409)
    expect((await files.send('real.pdf', '%PDF-1.7\n', { ...icon, query: '&replace=1' })).status).toBe(201)
    expect((await files.send('exe.pdf', 'MZ\x90\0\x03', { ...icon, query: '&replace=1' })).status).toBe(415)
    expect(await files.cell('icon')).toHaveLength(1)
  })
})
