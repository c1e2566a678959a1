import { describe, expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { picture } from '../support/attachments'
import { makeForm, makeTable, proofFor, recordsOf, submit } from '../support/forms'

const app = await startApp()
const page = (name: string, body: BodyInit) =>
  fetch(`${app.url}/f/${name}`, { method: 'POST', body, redirect: 'manual', headers: { accept: 'application/json' } })

describe('a form', async () => {
  await makeTable(app, 'answers', [
    { name: 'name', type: 'text' },
    { name: 'note', type: 'text' },
  ])
  const name = await makeForm(app, 'answers', [{ column: 'name' }, { column: 'note', shownIf: 'name=eq.a' }])

  test('with more inputs than its page has is refused before they are collected', async () => {
    const answer = await page(name, new URLSearchParams(Array.from({ length: 100_000 }, () => ['f.name', ''])))
    expect(answer.status).toBe(413)
  })

  test.each([[{ website: { toString: 1 } }], [{ website: ['x'] }]])(
    'with %j in the field that people do not see is none of a person',
    async (more) => {
      const answer = await submit(app, name, { name: 'trapped' }, more)
      expect(answer.status).toBeLessThan(500)
      expect(await recordsOf(app, 'answers', '?name=eq.trapped')).toEqual([])
    },
  )

  test.each([[{ toString: 1 }], [[{ toString: 1 }]]])('whose value %j a condition compares is refused', async (value) => {
    expect((await submit(app, name, { name: value, note: 'x' })).status).toBe(422)
  })
})

describe('long inputs and nameless parts, before the proof', async () => {
  await makeTable(app, 'holdings', [
    { name: 'share', type: 'percent' },
    { name: 'paper', type: 'attachment' },
    { name: 'terms', type: 'longText' },
  ])
  const name = await makeForm(app, 'holdings', [{ column: 'share' }, { column: 'terms' }])
  const withFile = await makeForm(app, 'holdings', [{ column: 'paper' }, { column: 'terms' }])
  const ofParts = (parts: string[]) =>
    fetch(`${app.url}/f/${withFile}`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=X', accept: 'application/json' },
      body: `${parts.map((part) => `--X\r\nContent-Disposition: form-data${part}\r\n`).join('')}--X--\r\n`,
    })

  test.each([
    ['blanks', `${' '.repeat(500_000)}x`],
    ['zeros', `0.${'0'.repeat(500_000)}1`],
  ])('%s within a percent take no time', async (_what, share) => {
    expect((await page(name, new URLSearchParams({ language: 'en', 'f.share': share }))).status).toBe(422)
  })

  test.each([
    ['a value', ['\r\n\r\na']],
    ['two values', ['\r\n\r\na', '\r\n\r\na']],
    ['a file', ['; filename="a.txt"\r\n\r\na']],
  ])('%s without a name belongs to no field', async (_what, parts) => {
    expect((await ofParts(parts)).status).toBe(422)
  })

  test('texts are limited as in a form without files', async () => {
    const text = (length: number) => `; name="f.terms"\r\n\r\n${'x'.repeat(length)}`
    expect((await ofParts([text(600_000), text(600_000)])).status).toBe(413)
    expect((await ofParts([text(600_000), text(6)])).status).toBe(422)
  })
})

test.each(['not.is.null', 'is.not_null'])('a field on condition of files is shown with them, and not demanded: %s', async (condition) => {
  const table = `pictures_${condition.replaceAll('.', '_')}`
  await makeTable(app, table, [
    { name: 'photo', type: 'attachment' },
    { name: 'caption', type: 'text' },
    { name: 'why', type: 'text' },
  ])
  const name = await makeForm(app, table, [
    { column: 'photo' },
    { column: 'caption', shownIf: `photo=${condition}` },
    { column: 'why', shownIf: 'photo=is.null', required: true },
  ])
  const send = async (values: Record<string, string>, photo: string | null) => {
    const body = new FormData()
    body.set('proof', await proofFor(app, name))
    for (const [column, value] of Object.entries(values)) body.set(`f.${column}`, value)
    if (photo !== null) body.set('f.photo', new Blob([photo]), 'a.txt')
    return (await page(name, body)).status
  }
  expect(await send({ caption: 'shown' }, 'bytes')).toBeLessThan(400)
  expect(await send({ caption: 'hidden', why: 'none' }, null)).toBeLessThan(400)
  expect(await recordsOf(app, table, '?order=id&select=caption,why')).toEqual([
    { caption: 'shown', why: null },
    { caption: null, why: 'none' },
  ])
})

test('a refused file or proof leaves the texts in the page, also those after the files', async () => {
  await makeTable(app, 'albums', [
    { name: 'name', type: 'text' },
    { name: 'photo', type: 'attachment' },
    { name: 'note', type: 'text' },
  ])
  const photo = { column: 'photo', files: { most: 2, maxBytes: 1000 } }
  const name = await makeForm(app, 'albums', [{ column: 'name' }, photo, { column: 'note' }])
  const send = async (proof: string, photos: string[], form = name) => {
    const body = new FormData()
    body.set('proof', proof)
    body.set('f.name', 'Ann')
    for (const [index, bytes] of photos.entries()) body.append('f.photo', new Blob([bytes]), `${index}.txt`)
    body.set('f.note', 'Late')
    const answer = await page(form, body)
    const text = await answer.text()
    const texts = ['name', 'note'].map((column) => new RegExp(`name="f.${column}"[^>]* value="([^"]*)"`).exec(text)?.[1])
    return { status: answer.status, text, texts }
  }
  const refused = { status: 422, texts: ['Ann', 'Late'] }
  for (const photos of [
    ['a', 'b', 'c'.repeat(200_000)],
    ['a', 'b', 'c', 'd'],
    ['a', 'b', 'c', ...Array(500).fill('d'.repeat(100))],
  ]) {
    const many = await send(await proofFor(app, name), photos)
    expect(many).toMatchObject({ ...refused, text: expect.stringContaining('id="field-1-bad">accepts at most 2 files') })
  }
  const large = await send(await proofFor(app, name), ['a', 'b'.repeat(2000)])
  expect(large).toMatchObject({
    ...refused,
    status: 413,
    text: expect.stringContaining('id="field-1-bad">A file is larger than 1000 bytes.'),
  })
  const pictures = await makeForm(app, 'albums', [
    { column: 'name' },
    { ...photo, files: { ...photo.files, accept: ['image/*'] } },
    { column: 'note' },
  ])
  const unwanted = await send(await proofFor(app, pictures), ['a'], pictures)
  expect(unwanted).toMatchObject({ ...refused, status: 415, text: expect.stringContaining('id="field-1-bad">This column accepts only') })
  const used = await proofFor(app, name)
  expect((await send(used, ['a'])).status).toBe(303)
  for (const proof of [used, 'none'])
    for (const photos of [['a'], ['a', 'b'.repeat(2000)], []])
      expect(await send(proof, photos)).toMatchObject({ ...refused, text: expect.stringContaining('It took a while.') })
  expect((await recordsOf(app, 'albums')).map(({ photo }: { photo: object[] }) => photo.length)).toEqual([1])
  expect(await app.deps.db.query('select id from rowhouse.loose_files')).toEqual([])
})

test('a file must match the types of the column and those of the form, also when they name extensions', async () => {
  await makeTable(app, 'letters', [{ name: 'paper', type: 'attachment', options: { accept: ['.pdf', '.png'] } }])
  const ofColumn = await makeForm(app, 'letters', [{ column: 'paper' }])
  const ofBoth = await makeForm(app, 'letters', [{ column: 'paper', files: { accept: ['image/*', '.txt'] } }])
  const send = async (name: string, file: string, bytes: BlobPart) => {
    const body = new FormData()
    body.set('proof', await proofFor(app, name))
    body.set('f.paper', new Blob([bytes]), file)
    const answer = await page(name, body)
    return [answer.status, /id="field-0-bad">([^<]*)/.exec(await answer.text())?.[1]]
  }
  const sent = [303, undefined]
  const refused = (types: string) => [415, `This column accepts only ${types}.`]
  const [pdf, png] = ['%PDF-1.7\n', await picture(3, 3)]
  expect(await send(ofColumn, 'a.pdf', pdf)).toEqual(sent)
  expect(await send(ofColumn, 'a.pdf', 'just text')).toEqual(refused('.pdf, .png'))
  expect(await send(ofBoth, 'a.png', png)).toEqual(sent)
  expect(await send(ofBoth, 'a.pdf', pdf)).toEqual(refused('image/*, .txt'))
  expect(await send(ofBoth, 'a.txt', 'just text')).toEqual(refused('.pdf, .png'))
  const records: { paper: { name: string }[] }[] = await recordsOf(app, 'letters', '?order=id')
  expect(records.map(({ paper }) => paper.map(({ name }) => name))).toEqual([['a.pdf'], ['a.png']])
  expect(await app.deps.db.query('select id from rowhouse.loose_files')).toEqual([])
})

test('a form with files has as many other inputs as its fields need', async () => {
  const names = Array.from({ length: 98 }, (_, index) => `text ${index}`)
  await makeTable(app, 'wide', [{ name: 'photo', type: 'attachment' }, ...names.map((name) => ({ name, type: 'text' }))])
  const name = await makeForm(app, 'wide', [{ column: 'photo' }, ...names.map((column) => ({ column }))])
  const body = new FormData()
  for (const input of ['website', 'language']) body.set(input, '')
  body.set('proof', await proofFor(app, name))
  for (const [index, column] of names.entries()) body.set(`f.${column}`, String(index))
  expect((await page(name, body)).status).toBeLessThan(400)
  expect(await recordsOf(app, 'wide', '?select=text 97')).toEqual([{ 'text 97': '97' }])
})

test('a box of a column that may not be empty is answered with no', async () => {
  await makeTable(app, 'checks', [{ name: 'smoker', type: 'boolean', required: true }])
  const name = await makeForm(app, 'checks', [{ column: 'smoker' }])
  expect((await submit(app, name, { smoker: false })).status).toBe(200)
  expect(await recordsOf(app, 'checks', '?select=smoker')).toEqual([{ smoker: false }])
  const must = await makeForm(app, 'checks', [{ column: 'smoker', required: true }])
  expect((await submit(app, must, { smoker: false })).status).toBe(422)
})

test('a choice and a linked record are sent with the blanks at their ends', async () => {
  const places = { name: 'places', primaryKey: { name: 'code', type: 'text' }, columns: [{ name: 'name', type: 'text' }] }
  expect((await app.call('/api/v1/tables', { as: 'admin', body: places })).status).toBe(201)
  expect((await app.call('/api/v1/tables/places/records', { as: 'editor', body: { code: 'a ', name: 'A' } })).status).toBe(201)
  await makeTable(app, 'trips', [
    { name: 'why', type: 'select', options: { choices: ['Work', 'Other '] } },
    { name: 'place', type: 'link', options: { table: 'places' } },
    { name: 'more', type: 'text' },
  ])
  const name = await makeForm(app, 'trips', [{ column: 'why' }, { column: 'place', choices: true }, { column: 'more' }])
  const body = { proof: await proofFor(app, name), 'f.why': 'Other ', 'f.place': 'a ', 'f.more': ' trimmed ' }
  expect((await page(name, new URLSearchParams(body))).status).toBeLessThan(400)
  expect(await recordsOf(app, 'trips', '?select=why,place,more')).toEqual([{ why: 'Other ', place: 'a ', more: 'trimmed' }])
})
