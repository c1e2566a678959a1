import { beforeAll, expect, test } from 'bun:test'
import { strFromU8, unzipSync } from 'fflate'
import { columnNumberFormats } from '../../src/csv/export/column-number-format'
import { maxSheetRows } from '../../src/xlsx/sheet-size'
import { createSheetWriter, toSheetName } from '../../src/xlsx/writer'
import { json, startApp } from '../support/app'
import { makeContacts, readRaw, upload } from '../support/csv'
import { expectProblem } from '../support/problem'

const app = await startApp()
const path = (query = '') => `/api/v1/tables/contacts/export.xlsx${query}`
const download = (query = '') => app.call(path(query), { as: 'viewer' })
const partsOf = (bytes: Uint8Array) => Object.fromEntries(Object.entries(unzipSync(bytes)).map(([name, part]) => [name, strFromU8(part)]))
/** The cells of the sheet: [attributes, content] by reference. */
const cellsOf = async (query = '') => {
  const sheet = partsOf(await (await download(query)).bytes())['xl/worksheets/sheet1.xml']!
  return Object.fromEntries(
    [...sheet.matchAll(/<c r="([A-Z]+\d+)"([^>]*)>(.*?)<\/c>/gs)].map(([, reference, attributes, content]) => [
      reference,
      `${attributes?.trim()} ${content}`,
    ]),
  )
}
const text = (value: string) => `t="inlineStr" <is><t xml:space="preserve">${value}</t></is>`

beforeAll(async () => {
  await makeContacts(app, 'contacts', [
    { name: 'big', type: 'bigint' },
    { name: 'friend', type: 'link', options: { table: 'contacts' } },
    { name: 'tags', type: 'multiSelect', options: { choices: ['a', 'b, c'] } },
  ])
  const body = [
    {
      name: 'Ada <&> "x"\ttab\nnew \\ _x0041_',
      email: '=cmd()',
      age: -5,
      balance: '12.50',
      active: true,
      born: '1990-02-03',
      created: '2026-01-31T23:30:00Z',
      notes: { a: 1 },
      big: '9007199254740993',
      tags: ['a', 'b, c'],
    },
    { name: '\u0001😀', age: null, born: '1899-12-31', friend: 1 },
  ]
  expect((await app.call('/api/v1/tables/contacts/records', { as: 'editor', body })).status).toBe(201)
})

test('numbers, dates and truth values are such, texts are no formulas, links are names', async () => {
  const cells = await cellsOf('?order=id&timezone=Europe/Berlin&select=name,email,age,balance,active,born,created,notes,big,friend,tags')
  expect(cells).toEqual({
    ...Object.fromEntries(
      ['name', 'email', 'age', 'balance', 'active', 'born', 'created', 'notes', 'big', 'friend', 'tags'].map((name, at) => [
        `${'ABCDEFGHIJK'[at]}1`,
        `s="1" ${text(name)}`,
      ]),
    ),
    A2: text('Ada &lt;&amp;&gt; &quot;x&quot;\ttab\nnew \\ _x005F_x0041_'),
    B2: text('=cmd()'),
    C2: 's="2" <v>-5</v>',
    D2: 's="3" <v>12.50</v>',
    E2: 't="b" <v>1</v>',
    F2: 's="4" <v>32907</v>',
    G2: 's="5" <v>46054.020833333336</v>',
    H2: text('{&quot;a&quot;: 1}'),
    I2: text('9007199254740993'),
    K2: text('[&quot;a&quot;,&quot;b, c&quot;]'),
    A3: text('_x0001_😀'),
    F3: text('1899-12-31'),
    J3: text('Ada &lt;&amp;&gt; &quot;x&quot;\ttab\nnew \\ _x005F_x0041_'),
  })
})

test('percents and durations are numbers with formats, which an import reads again', async () => {
  const columns = [
    { name: 'share', type: 'percent' },
    { name: 'took', type: 'duration' },
    { name: 'stars', type: 'rating' },
  ]
  for (const name of ['visits', 'visits again']) await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
  const body = [
    { share: 0.125, took: 5400, stars: 4 },
    { share: 3, took: 360_001, stars: null },
  ]
  await app.call('/api/v1/tables/visits/records', { as: 'editor', body })
  const file = await (await app.call('/api/v1/tables/visits/export.xlsx?select=share,took,stars&order=id', { as: 'viewer' })).bytes()
  const parts = partsOf(file)
  expect(parts['xl/styles.xml']).toContain('formatCode="[h]:mm:ss"')
  expect(parts['xl/worksheets/sheet1.xml']).toMatch(/<c r="A2" s="\d+"><v>0.125<\/v><\/c><c r="B2" s="\d+"><v>0.0625<\/v><\/c>/)
  const answer = await fetch(`${app.url}/api/v1/tables/visits%20again/import`, {
    method: 'POST',
    body: file,
    headers: { authorization: `Bearer ${app.tokens.editor}`, 'content-type': 'application/octet-stream' },
  })
  expect(await answer.json()).toMatchObject({ inserted: 2 })
  const { records } = await json(app.call('/api/v1/tables/visits again/records?select=share,took,stars&order=id', { as: 'viewer' }))
  expect(records).toEqual(body)
})

test('amounts, percents, durations and decimals have formats by which an import finds their types again', async () => {
  const columns = [
    { name: 'price', type: 'currency', options: { currency: 'EUR' } },
    { name: 'fee', type: 'currency', options: { currency: 'USD', precision: 12, scale: 4 } },
    { name: 'yen', type: 'currency', options: { currency: 'JPY' } },
    { name: 'real', type: 'currency', options: { currency: 'BRL', precision: 9, scale: 2, thousands: false } },
    { name: 'weight', type: 'decimal', options: { precision: 10, scale: 2 } },
    { name: 'visitors', type: 'integer', options: { thousands: true } },
    { name: 'share', type: 'percent' },
    { name: 'took', type: 'duration' },
    { name: 'gross', type: 'formula', options: { formula: '{price} * 1.19', decimals: 2, currency: 'EUR' } },
    { name: 'half', type: 'formula', options: { formula: '{weight} / 2', decimals: 1 } },
    { name: 'bare', type: 'formula', options: { formula: '{weight} / 4' } },
  ]
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'bills', columns } })).status).toBe(201)
  const body = [
    { price: 1234, fee: 2.5, yen: 1200, real: 3, weight: 5, visitors: 2000, share: 1, took: 3600 },
    { price: -5, fee: -2, yen: 7, real: 4.5, weight: 7, visitors: 3, share: 0.5, took: 90_000 },
  ]
  expect((await app.call('/api/v1/tables/bills/records', { as: 'editor', body })).status).toBe(201)
  const select = columns.map(({ name }) => name).join(',')
  const file = await (await app.call(`/api/v1/tables/bills/export.xlsx?select=${select}&order=id`, { as: 'viewer' })).bytes()
  const { 'xl/styles.xml': styles = '', 'xl/worksheets/sheet1.xml': sheet = '' } = partsOf(file)
  const codes = [...styles.matchAll(/numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code]) => [id, code!.replaceAll('&quot;', '"')])
  const formatIds = [...styles.matchAll(/<xf numFmtId="(\d+)" fontId/g)].map(([, id]) => id)
  const shown = [...sheet.matchAll(/<c r="[A-K]2" s="(\d+)"><v>/g)].map(([, style]) => Object.fromEntries(codes)[formatIds[Number(style)]!])
  expect(shown).toEqual([
    '#,##0.00 "€"',
    '[$$-409]#,##0.0000',
    '#,##0 [$JPY]',
    '0.00 [$BRL]',
    '#,##0.00',
    '#,##0',
    '0%',
    '[h]:mm:ss',
    '#,##0.00 "€"',
    '#,##0.0',
    undefined,
  ])
  const answer = await fetch(`${app.url}/api/v1/tables/import?name=bills%20again`, {
    method: 'POST',
    body: file,
    headers: { authorization: `Bearer ${app.tokens.admin}`, 'content-type': 'application/octet-stream' },
  })
  const made = await json(answer)
  expect({ status: answer.status, made }).toMatchObject({ status: 201 })
  expect(
    made.columns.slice(0, 9).map(({ type, options }: { type: string; options: { currency?: string } }) => [type, options.currency]),
  ).toEqual([
    ['currency', 'EUR'],
    ['currency', 'USD'],
    ['currency', 'JPY'],
    ['currency', 'BRL'],
    ['decimal', undefined],
    ['integer', undefined],
    ['percent', undefined],
    ['duration', undefined],
    ['currency', 'EUR'],
  ])
  const sums = await (
    await app.call('/api/v1/tables/bills/export.xlsx?select=price.sum(),took.max(),share.count()', { as: 'viewer' })
  ).bytes()
  const summed = partsOf(sums)
  expect(summed['xl/styles.xml']).toContain('[h]:mm:ss')
  expect(summed['xl/styles.xml']).toContain('&quot;€&quot;')
  expect(summed['xl/worksheets/sheet1.xml']).toMatch(
    /<v>1229<\/v><\/c><c r="B2" s="\d+"><v>1\.0416666666666667<\/v><\/c><c r="C2" s="\d+"><v>2<\/v><\/c>/,
  )
  const read = (table: string) => json(app.call(`/api/v1/tables/${table}/records?select=${select}&order=id`, { as: 'viewer' }))
  expect(await read('bills again')).toEqual(await read('bills'))
})

test.each<[string, Record<string, unknown>, string, string, string]>([
  ['percent', { decimals: 0 }, '0%', '0%', '0%'],
  ['percent', { sourceDecimals: 1 }, '0.0%', '0.0%', '0.0%'],
  ['percent', {}, '0%', '0%', '0.0%'],
  ['currency', {}, '#,##0.00', '#,##0.00', '#,##0.000'],
  ['currency', { currency: 'EUR', decimals: 0 }, '#,##0 "€"', '#,##0 "€"', '#,##0 "€"'],
  ['currency', { currency: 'EUR' }, '#,##0.00 "€"', '#,##0.00 "€"', '#,##0.000 "€"'],
  ['currency', { currency: 'JPY' }, '#,##0 [$JPY]', '#,##0.0 [$JPY]', '#,##0.000 [$JPY]'],
  ['currency', { currency: 'JPY', scale: 2 }, '#,##0.00 [$JPY]', '#,##0.00 [$JPY]', '#,##0.00 [$JPY]'],
  ['currency', { currency: 'XYZ', scale: 1 }, '#,##0.00 [$XYZ]', '#,##0.00 [$XYZ]', '#,##0.00 [$XYZ]'],
  ['decimal', { scale: 900 }, '#,##0.000000000000000', '#,##0.000000000000000', '#,##0.000000000000000'],
  ['decimal', { scale: 0 }, '#,##0', '#,##0', '#,##0'],
  ['decimal', { thousands: true }, '#,##0', '#,##0.0', '#,##0.000'],
  ['float', { thousands: true }, '#,##0', '#,##0.0', '#,##0.000'],
  ['integer', { thousands: true }, '#,##0', '#,##0.0', '#,##0.000'],
  ['integer', { decimals: 1 }, '0.0', '0.0', '0.0'],
])('numbers of the type %s with %p have the formats %p, %p and %p with 0, 1 and 3 decimals', (type, options, none, one, three) => {
  const all = columnNumberFormats(type, options)!
  expect([0, 1, 3].map((decimals) => all[decimals])).toEqual([none, one, three])
})

test.each(['integer', 'decimal', 'float'])('numbers of the type %s have no format of their own', (type) => {
  expect(columnNumberFormats(type, {})).toBeNull()
})

test('each number has the format with its own decimals', async () => {
  const numberFormats = columnNumberFormats('decimal', { thousands: true })!
  const { begin, write, end } = createSheetWriter('x', [{ name: 'a', kind: 'number', numberFormats }], 'UTC')
  const numbers = ['1234.56', '-0.5', '1200', '1.500', '0.00000000000000000001']
  const parts = partsOf(Buffer.concat([await begin(), await write(numbers.map((number) => [number])), await end()]))
  const codes = [...parts['xl/styles.xml']!.matchAll(/formatCode="([^"]*)"/g)].map(([, code]) => code)
  const shown = [...parts['xl/worksheets/sheet1.xml']!.matchAll(/ s="(\d+)"><v>/g)].map(([, style]) => codes[Number(style) - 2])
  expect(shown).toEqual(['#,##0.00', '#,##0.0', '#,##0', '#,##0.0', '#,##0.000000000000000'])
})

test('is what an import takes', async () => {
  await makeContacts(app, 'again')
  const file = await (await download('?select=name,email,age,balance,active,born,created&order=id')).bytes()
  const answer = await fetch(`${app.url}/api/v1/tables/again/import`, {
    method: 'POST',
    body: file,
    headers: { authorization: `Bearer ${app.tokens.editor}`, 'content-type': 'application/octet-stream' },
  })
  expect(await json(answer)).toMatchObject({ inserted: 2, sheet: 'contacts' })
  const read = async (table: string) =>
    (await json(app.call(`/api/v1/tables/${table}/records?order=id&select=name,email,age,balance,active,born,created`, { as: 'viewer' })))
      .records
  expect(await read('again')).toEqual(await read('contacts'))
})

test('is answered as a file, with its record', async () => {
  const answer = await download('?name=eq.nobody')
  expect(answer.headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="contacts.xlsx"')
  const bytes = await answer.bytes()
  expect(await json(app.call(`/api/v1/exports/${answer.headers.get('x-export-id')}`, { as: 'viewer' }))).toMatchObject({
    state: 'complete',
    rows: 0,
    bytes: bytes.length,
  })
  expect(Object.keys(partsOf(bytes))).toHaveLength(7)
  expect((await app.call(path(), { as: 'viewer', method: 'HEAD' })).status).toBe(200)
})

test.each(['delimiter=tab', 'for=people', 'bom=1', 'formulas=keep', 'timezone=Nowhere', 'cursor=x'])('refuses %s', async (query) => {
  await expectProblem(await download(`?${query}`), 400, 'invalid_request')
})

test('more records than a sheet has rows are refused before the first byte', async () => {
  await makeContacts(app, 'many')
  // Without the log of changes and the limit of a statement, which are not asked about.
  await app.deps.db.sql.begin(async (sql) => {
    await sql.unsafe('set local statement_timeout = 0; set local session_replication_role = replica').simple()
    await sql.unsafe(`insert into data.many (name) select 'n' || n from generate_series(1, ${maxSheetRows}) n`)
  })
  const problem = await expectProblem(await app.call('/api/v1/tables/many/export.xlsx', { as: 'viewer' }), 400, 'invalid_request')
  expect(problem.message).toContain('1,048,575')
  const rest = await readRaw(app.url, '/api/v1/tables/many/export.xlsx?limit=1000&select=name', app.tokens.viewer)
  expect(rest.isEndedWell).toBe(true)
  expect(partsOf(rest.body)['xl/worksheets/sheet1.xml']).toContain('<autoFilter ref="A1:A1001"/>')
})

test('a long text ends with an ellipsis, and no character is cut in two', async () => {
  const { begin, write, end } = createSheetWriter('x', [{ name: 'a', kind: 'text' }], 'UTC')
  const bytes = Buffer.concat([await begin(), await write([[`${'x'.repeat(32_765)}😀${'y'.repeat(10)}`]]), await end()])
  expect(partsOf(bytes)['xl/worksheets/sheet1.xml']).toContain(`>${'x'.repeat(32_765)}…<`)
})

test.each([
  ["'a/b:c*d?e[f]\\'", 'a b c d e f'],
  ['x'.repeat(40), 'x'.repeat(31)],
  ['???', 'Sheet1'],
])('the sheet of %s is called %s', (name, sheet) => {
  expect(toSheetName(name)).toBe(sheet)
})

test('a column of texts is as wide as those of the first records, up to a limit', async () => {
  const email = 'a.very.long.address@subdomain.example.org'
  const writer = createSheetWriter(
    'wide',
    [
      { name: 'email', kind: 'text' },
      { name: 'note', kind: 'text' },
      { name: 'short', kind: 'text' },
    ],
    'UTC',
  )
  const parts = [
    await writer.begin(),
    await writer.write([
      [email, 'x'.repeat(500), 'one\nline'],
      [null, null, null],
    ]),
    await writer.end(),
  ]
  const sheet = partsOf(Buffer.concat(parts))['xl/worksheets/sheet1.xml']!
  expect([...sheet.matchAll(/ width="(\d+)"/g)].map(([, width]) => Number(width))).toEqual([email.length + 2, 60, 18])
  expect(sheet.match(/<worksheet/g)).toHaveLength(1)
  const empty = createSheetWriter('empty', [{ name: 'email', kind: 'text' }], 'UTC')
  const without = partsOf(Buffer.concat([await empty.begin(), await empty.end()]))['xl/worksheets/sheet1.xml']!
  expect(without).toContain('width="18"')
})

test('floats are numbers, however they are written', async () => {
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'floats', columns: [{ name: 'v', type: 'float' }] } })
  const body = [0.00002, 1e15, 1e300, 0.1].map((v) => ({ v }))
  expect((await app.call('/api/v1/tables/floats/records', { as: 'editor', body })).status).toBe(201)
  const answer = await app.call('/api/v1/tables/floats/export.xlsx?order=id&select=v', { as: 'viewer' })
  const sheet = partsOf(await answer.bytes())['xl/worksheets/sheet1.xml']!
  expect([...sheet.matchAll(/<v>(.*?)<\/v>/g)].map(([, value]) => Number(value))).toEqual([0.00002, 1e15, 1e300, 0.1])
})

test('the end of a day is a text, which an import reads again', async () => {
  const shops = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
  await shops.deps.db.sql.unsafe(`create schema crm; create table crm.shops (id int primary key, closes time);
    insert into crm.shops values (1, '24:00:00'), (2, '18:00:00')`)
  const file = await (await shops.call('/api/v1/tables/shops/export.xlsx?order=id', { as: 'viewer' })).bytes()
  const sheet = partsOf(file)['xl/worksheets/sheet1.xml']!
  expect(sheet).toContain(`<c r="B2" ${text('24:00:00').replace(' <', '><')}</c>`)
  expect(sheet).toMatch(/<c r="B3" s="\d+"><v>0.75<\/v>/)
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  expect(await json(upload(shops, 'shops', file, { query: '?mode=upsert', type }))).toMatchObject({ updated: 2 })
  const { records } = await json(shops.call('/api/v1/tables/shops/records?order=id', { as: 'viewer' }))
  expect(records).toEqual([
    { id: 1, closes: '24:00:00' },
    { id: 2, closes: '18:00:00' },
  ])
})
