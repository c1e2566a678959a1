import { beforeAll, describe, expect, test } from 'bun:test'
import { strToU8, zipSync } from 'fflate'
import { formOfCode } from '../../src/xlsx/number-formats'
import { serialToText, textToSerial } from '../../src/xlsx/serial-dates'
import { json, startApp } from '../support/app'
import { makeContacts } from '../support/csv'
import { expectProblem } from '../support/problem'
import { until } from '../support/processes'
import { makeParts, makeWorkbook, packParts, rowOf } from '../support/workbooks'

test.each([
  [1, 'date', false, '1900-01-01'],
  [59, 'date', false, '1900-02-28'],
  [60, 'date', false, null],
  [61, 'date', false, '1900-03-01'],
  [46_053, 'date', false, '2026-01-31'],
  [46_053.6041666667, 'dateTime', false, '2026-01-31T14:30:00'],
  [46_053, 'dateTime', false, '2026-01-31'],
  [1.5 / 86_400, 'duration', false, '00:00:01.500'],
  [0.604166666666667, 'time', false, '14:30:00'],
  [1.10416666666667, 'duration', false, '26:30:00'],
  [0, 'date', true, '1904-01-01'],
  [44_591, 'date', true, '2026-01-31'],
  [-1, 'date', false, null],
  [2_958_466, 'date', false, null],
] as const)('%p as %s (1904: %p) is %p', (serial, form, has1904, text) => {
  expect(serialToText(serial, form, has1904)).toBe(text)
})

test.each(['1900-03-01', '2026-01-31', '9999-12-31', '2026-01-31T14:30:15', '23:59:59'])('%s goes there and back', (text) => {
  const form = text.includes('T') ? 'dateTime' : text.includes(':') ? 'time' : 'date'
  expect(serialToText(textToSerial(text)!, form, false)).toBe(text)
})

test.each([
  ['yyyy-mm-dd', { date: 'date' }],
  ['dd/mm/yy;@', { date: 'date' }],
  ['[$-407]d. mmmm yyyy', { date: 'date' }],
  ['mmm yy', { date: 'date' }],
  ['m/d/yy h:mm', { date: 'dateTime' }],
  ['h:mm AM/PM', { date: 'time' }],
  ['[h]:mm:ss', { date: 'duration' }],
  ['00000', { digits: 5 }],
  ['General', null],
  ['0.00%', { percent: true }],
  ['[Red]-0 %;0%', { percent: true }],
  ['0"%"', null],
  ['0\\%', null],
  ['#,##0.00 "days"', null],
  ['#,##0\\ \\d', null],
  ['[Red]0.00', { decimal: true }],
  ['#,##0.0#', { decimal: true }],
  ['#,##0', null],
  ['#,##0.00 "€"', { currency: '€' }],
  ['_-* #,##0.00 €_-;-* #,##0.00 €_-', { currency: '€' }],
  ['[$€-407] #,##0.00', { currency: '€' }],
  ['#,##0.00\\ [$CHF]', { currency: 'CHF' }],
  ['[$$-409]#,##0.00', { currency: 'US$' }],
  ['[$USD] #,##0.00', { currency: 'USD' }],
  ['0 [$KGS]', { currency: 'KGS' }],
  ['0 "JPY"', { currency: 'JPY' }],
  // Kilograms, as likely as the currency with this code.
  ['0 "KGS"', null],
  ['[Red]0 "KGS"', null],
  ['"US$"#,##0.00', { currency: 'US$' }],
  // Dollars of any country, those of Australia, and crowns of one of several countries.
  ['_("$"* #,##0.00_);_("$"* \\(#,##0.00\\)', { decimal: true }],
  ['"$"#,##0.00', { decimal: true }],
  ['\\$#,##0.00', { decimal: true }],
  ['[$$]#,##0.00', { decimal: true }],
  ['[$$-C09]#,##0.00', { decimal: true }],
  ['#,##0 "kr"', null],
  ['[$-407]0.00', { decimal: true }],
] as const)('the format %s shows %p', (code, form) => {
  expect(formOfCode(code)).toEqual(form as never)
})

const app = await startApp()
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const post = (url: string, token: string, path: string, body: string | Uint8Array | FormData, headers: Record<string, string>) =>
  fetch(url + path, { method: 'POST', body: body as BodyInit, headers: { authorization: `Bearer ${token}`, ...headers } })
const send = (path: string, body: string | Uint8Array | FormData, headers: Record<string, string> = {}) =>
  post(app.url, app.tokens.admin, path, body, body instanceof FormData ? headers : { 'content-type': type, ...headers })
const records = async (table: string, query = '') =>
  (await json(app.call(`/api/v1/tables/${table}/records?${query}`, { as: 'viewer' }))).records

beforeAll(async () => {
  await makeContacts(app, 'contacts')
})

describe('a sheet', () => {
  const file = makeWorkbook({
    sheets: {
      Secret: rowOf(1, 'x'),
      People:
        rowOf(2, 'A report of ours') +
        `<row r="4"><c r="A4" t="s"><v>0</v></c><c r="B4" t="s"><v>1</v></c><c r="C4" t="inlineStr"><is><t>age</t></is></c><c r="D4" t="str"><f>"x"</f><v>balance</v></c><c r="E4" t="inlineStr"><is><t>active</t></is></c><c r="F4" t="inlineStr"><is><t>born</t></is></c><c r="G4" t="inlineStr"><is><t>created</t></is></c></row>` +
        `<row r="5"><c r="A5" t="s"><v>2</v></c><c r="B5" t="inlineStr"><is><t>=cmd()</t></is></c><c r="C5"><v>41</v></c><c r="D5"><f>1+1</f><v>0.30000000000000004</v></c><c r="E5" t="b"><v>1</v></c><c r="F5" s="1"><v>33637</v></c><c r="G5" s="2"><v>46053.604166666664</v></c></row>` +
        `<row r="6"><c r="A6" s="3"/></row><row r="9"><c t="inlineStr"><is><t>Ada, "the"&#10;second</t></is></c><c><v>49301234567890</v></c></row>`,
    },
    strings: [
      '<t>name</t>',
      '<r><t>em</t></r><r><t xml:space="preserve">ail</t></r>',
      '<t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh>',
    ],
    formats: [[14], [164, 'yyyy\\-mm\\-dd\\ hh:mm'], [165, '00000']],
    hidden: ['Secret'],
  })

  test('is imported with true dates, numbers and truth values, from the header row that is named', async () => {
    const answer = await send('/api/v1/tables/contacts/import?headerRow=4&timezone=UTC', file)
    expect({ status: answer.status, ...(await json(answer)) }).toMatchObject({ status: 200, inserted: 2, sheet: 'People' })
    expect(await records('contacts', 'order=id&select=name,email,age,balance,active,born,created')).toMatchObject([
      { name: '東京', email: '=cmd()', age: 41, balance: 0.3, active: true, born: '1992-02-03', created: '2026-01-31T14:30:00+00:00' },
      { name: 'Ada, "the"\nsecond', email: '49301234567890', age: null },
    ])
  })

  test('makes a table, by its name, also in a form and from Macintosh', async () => {
    const old = makeWorkbook({
      sheets: {
        A: rowOf(1, 'no'),
        'B &amp; C': `${rowOf(1, 'day', 'amount')}<row r="2"><c s="1"><v>44591</v></c><c><v>1.234</v></c></row>`,
      },
      formats: [[14]],
      has1904: true,
    })
    const form = new FormData()
    form.set('file', new File([old as Uint8Array<ArrayBuffer>], 'old.xlsx'))
    const answer = await send('/api/v1/tables/import?name=days&sheet=B%20%26%20C', form)
    expect(answer.status).toBe(201)
    const made = await json(answer)
    expect(made).toMatchObject({ inserted: 1, sheet: 'B & C' })
    expect(made.columns).toMatchObject([{ type: 'date' }, { type: 'decimal' }])
    expect(await records('days')).toMatchObject([{ day: '2026-01-31', amount: 1.234 }])
  })

  test('of percents and durations becomes a table with columns of these types, unless a cell shows something else', async () => {
    const number = (column: string, row: number, style: number, value: number) => `<c r="${column}${row}" s="${style}"><v>${value}</v></c>`
    const row = (at: number, styles: number[], values: number[]) =>
      `<row r="${at}">${values.map((value, index) => number('ABCDEF'[index]!, at, styles[index]!, value)).join('')}</row>`
    const styles = [1, 1, 2, 2, 2, 3]
    const file = (last: number[]) =>
      makeWorkbook({
        sheets: {
          S: `${rowOf(1, 'share', 'all', 'took', 'fine', 'long', 'rate')}${row(2, styles, [0.125, 1, 0.0625, 0.5, 1.5, 0.07])}${row(3, last, [-2, 3, -1.25, 1 / 86_400_000, 2, 0.19])}`,
        },
        formats: [[10], [46], [164, '0.0 %']],
      })
    const types = async (bytes: Buffer, name: string, status: number) => {
      const answer = await send(`/api/v1/tables/import?name=${name}${status === 200 ? '&dryRun=true' : ''}`, bytes)
      const made = await json(answer)
      expect({ status: answer.status, made }).toMatchObject({ status })
      return made.columns.map(({ type }: { type: string }) => type)
    }
    const found = ['percent', 'percent', 'duration', 'text', 'duration', 'percent']
    expect(await types(file(styles), 'shares', 200)).toEqual(found)
    expect(await types(file(styles), 'shares', 201)).toEqual(found)
    expect(await records('shares', 'order=id&select=share,all,took,fine,long,rate')).toEqual([
      { share: 0.125, all: 1, took: 5400, fine: '12:00:00', long: 129_600, rate: 0.07 },
      { share: -2, all: 3, took: -108_000, fine: '00:00:00.001', long: 172_800, rate: 0.19 },
    ])
    // General numbers and times of the day, among the first records and after them.
    expect(await types(file([0, 0, 0, 2, 4, 3]), 'mixed', 201)).toEqual(['decimal', 'integer', 'text', 'text', 'text', 'percent'])
    const late = makeWorkbook({
      sheets: {
        S: `${rowOf(1, 'share')}${Array.from({ length: 1500 }, (_, at) => `<row r="${at + 2}"><c s="${at === 1400 ? 0 : 1}"><v>0.5</v></c></row>`).join('')}`,
      },
      formats: [[9]],
    })
    expect(await types(late, 'late', 201)).toEqual(['decimal'])
  })

  test('of amounts with the sign of a currency becomes a table with that currency, unless a cell shows another', async () => {
    const rows = (count: number, style: (at: number) => number) =>
      Array.from({ length: count }, (_, at) => `<row r="${at + 2}"><c s="1"><v>${at}</v></c><c s="${style(at)}"><v>1.5</v></c></row>`).join(
        '',
      )
    const file = (count: number, style: (at: number) => number) =>
      makeWorkbook({
        sheets: { S: rowOf(1, 'price', 'fee') + rows(count, style) },
        formats: [
          [164, '#,##0 &quot;€&quot;'],
          [165, '[$CHF] 0.00'],
          [166, '0.00'],
        ],
      })
    const columns = async (bytes: Buffer, name: string) => (await json(send(`/api/v1/tables/import?name=${name}`, bytes))).columns
    const euros = { type: 'currency', options: { currency: 'EUR' } }
    expect(
      await columns(
        file(3, () => 2),
        'amounts',
      ),
    ).toMatchObject([euros, { type: 'currency', options: { currency: 'CHF' } }])
    expect(await records('amounts', 'order=id&limit=1&select=price,fee')).toEqual([{ price: 0, fee: 1.5 }])
    for (const [name, other] of [
      ['plain_amounts', 3],
      ['mixed_amounts', 1],
    ] as const)
      expect(
        await columns(
          file(1500, (at) => (at === 1400 ? other : 2)),
          name,
        ),
      ).toMatchObject([euros, { type: 'decimal', options: {} }])
  })

  test('is all or nothing, and its problems name the cells', async () => {
    const bad = makeWorkbook({
      sheets: {
        S: rowOf(1, 'Name', 'age', 'balance') + rowOf(2, 'one\ntwo', 1) + rowOf(5, 'Bob', 'many', 'x') + rowOf(17, 'Eve', 3, '1.234,50'),
      },
    })
    const problem = await expectProblem(await send('/api/v1/tables/contacts/import', bad), 422, 'validation_failed')
    expect((problem.errors as { cell?: string }[]).map(({ cell }) => cell)).toEqual(['B5', 'C5', 'C17'])
    expect(await records('contacts', 'name=eq.Bob')).toEqual([])
    const mended = await json(send('/api/v1/tables/contacts/import?invalidCells=empty&decimals=comma', bad))
    expect(mended).toMatchObject({ inserted: 3, emptied: 2 })
    expect(mended.problems.map(({ cell }: { cell: string }) => cell)).toEqual(['B5', 'C5'])
    expect(await records('contacts', 'name=eq.Eve')).toMatchObject([{ balance: 1234.5 }])
  })

  test('names no cell for a problem of a whole row, whichever columns are skipped', async () => {
    const columns = ['name', 'a', 'b'].map((name) => ({ name, type: name === 'name' ? 'text' : 'integer' }))
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'pairs', primaryKey: ['a', 'b'], columns } })
    const rows = (second: string) => rowOf(1, 'name', second, 'a', 'b') + rowOf(2, 'x', 'hm', 1, 2) + rowOf(3, 'y', 'hm', 1, 2)
    for (const [second, query] of [
      ['note', `mapping=${encodeURIComponent('{"note":""}')}`],
      ['note', 'header=false&columns=name,,a,b&headerRow=2'],
      ['', ''],
    ] as const) {
      const answer = await send(`/api/v1/tables/pairs/import?${query}`, makeWorkbook({ sheets: { S: rows(second) } }))
      const { errors } = await expectProblem(answer, 422, 'validation_failed')
      const message = '"a", "b" together must be unique, and is already in line 2: "1, 2"'
      expect(errors as unknown).toEqual([{ line: 3, column: null, message }])
    }
  })

  test('waits for its turn, and is imported once with a key', async () => {
    const one = makeWorkbook({ sheets: { S: rowOf(1, 'name') + rowOf(2, 'Once') } })
    const headers = { prefer: 'respond-async', 'idempotency-key': crypto.randomUUID() }
    const first = await send('/api/v1/tables/contacts/import', one, headers)
    expect(first.status).toBe(202)
    const { id } = await json(first)
    let state = await json(app.call(`/api/v1/imports/${id}`, { as: 'admin' }))
    await until('it is over', async () => {
      state = await json(app.call(`/api/v1/imports/${id}`, { as: 'admin' }))
      return !['running', 'queued'].includes(state.state)
    })
    expect(state).toMatchObject({ state: 'complete', result: { inserted: 1, sheet: 'S' } })
    await send('/api/v1/tables/contacts/import', one, headers)
    expect(await records('contacts', 'name=eq.Once')).toHaveLength(1)
  })
})

describe('of other programs', () => {
  const imported = async (parts: Record<string, string>, query = '') =>
    json(send(`/api/v1/tables/contacts/import${query}`, packParts(parts)))
  const sheetOf = (rows: string) => makeParts({ sheets: { S: rows }, formats: [[22]] })
  const last = async () => (await records('contacts', 'order=id.desc&limit=1'))[0]

  test('parts may lie elsewhere, in other letters, with prefixes and namespaces of their own', async () => {
    const { 'xl/worksheets/sheet1.xml': _, 'xl/sharedStrings.xml': __, ...others } = sheetOf('')
    const relations = others['xl/_rels/workbook.xml.rels']!.replace('"worksheets/sheet1.xml"', '"../XL/Worksheets/Sheet1.xml"')
    const row = '<x:row r="2" xmlns:r="urn:r"><x:c t="s"><x:v>0</x:v></x:c><x:c><x:v>7</x:v></x:c></x:row>'
    const head = rowOf(1, 'name', 'age').replace(/<(\/?)/g, '<$1x:')
    const moved = {
      ...others,
      'xl/_rels/workbook.xml.rels': relations,
      'xl/worksheets/sheet1.xml': `<x:worksheet xmlns:x="urn:x"><x:sheetData>${head}${row}</x:sheetData></x:worksheet>`,
      'xl/SharedStrings.xml': '<sst><si><t>Prefixed</t></si></sst>',
    }
    expect(await imported(moved)).toMatchObject({ inserted: 1 })
    expect(await last()).toMatchObject({ name: 'Prefixed', age: 7 })
  })

  test('texts are texts in every notation, and long whole numbers keep their digits', async () => {
    const cells = '<c t="inlineStr"><is><t>1.10</t></is></c><c><v>1234567890123456789</v></c><c><v>12.5</v></c>'
    const rows = `${rowOf(1, 'name', 'email', 'balance')}<row r="2">${cells}</row>`
    expect(await imported(sheetOf(rows), '?decimals=comma')).toMatchObject({ inserted: 1 })
    expect(await last()).toMatchObject({ name: '1.10', email: '1234567890123456789', balance: 12.5 })
  })

  test('a day in the form of a moment is a day, and the last cell of a row may be empty', async () => {
    const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
    const rows = `<row r="1">${text('Ann')}<c s="1"><v>46053</v></c></row><row r="2">${text('Bob')}<c t="d"><v>2026-01-31T00:00:00</v></c>${text('bob@x.example')}</row>`
    expect(await imported(sheetOf(rows), '?header=false&columns=name,born,email')).toMatchObject({ inserted: 2 })
    expect(await last()).toMatchObject({ name: 'Bob', born: '2026-01-31', email: 'bob@x.example' })
  })
})

describe('what is no such file', () => {
  const good = makeWorkbook({ sheets: { S: Array.from({ length: 2000 }, (_, at) => rowOf(at + 1, at ? `n${at}` : 'name')).join('') } })
  const zip = (files: Record<string, string>) =>
    Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))))
  const stored = (more: Record<string, string> = {}) =>
    packParts({ ...makeParts({ sheets: { S: rowOf(1, 'name') + rowOf(2, 'Unchanged') } }), ...more }, 0).toString('latin1')
  function changed(): Buffer {
    return Buffer.from(stored().replace('Unchanged', 'unchanged'), 'latin1')
  }
  /** The list of parts names the same one two times. */
  function twice(): Buffer {
    const more = stored({ 'xl/worksheets/sheet2.xml': '<worksheet/>' })
    return Buffer.from(more.replaceAll('worksheets/sheet2.xml', 'worksheets/sheet1.xml'), 'latin1')
  }
  test.each([
    ['a ZIP of something else', zip({ 'a.txt': 'x' })],
    ['one that was cut', good.subarray(0, good.length - 2000)],
    ['one without its list of parts', good.subarray(0, good.indexOf('PK\u0001\u0002'))],
    ['no XML', zip({ 'xl/workbook.xml': 'x' })],
    ['XML with entities', zip({ 'xl/workbook.xml': '<!DOCTYPE a [<!ENTITY b "c">]><workbook><sheet name="&b;"/></workbook>' })],
    ['a row that no sheet has', makeWorkbook({ sheets: { S: rowOf(1, 'name') + rowOf(9_999_999, 'x') } })],
    ['a cell that no sheet has', makeWorkbook({ sheets: { S: '<row r="1"><c r="ZZZ1"><v>1</v></c></row>' } })],
    ['a cell of 5 MB', makeWorkbook({ sheets: { S: rowOf(1, 'name') + rowOf(2, 'x'.repeat(5 * 2 ** 20)) } })],
    ['nothing in it', makeWorkbook({ sheets: { S: '' } })],
    ['a text that is not there', makeWorkbook({ sheets: { S: `${rowOf(1, 'name')}<row r="2"><c t="s"><v>77</v></c></row>` } })],
    [
      'rows of a cell far to the right',
      makeWorkbook({ sheets: { S: rowOf(1, 'name') + '<row><c r="XFD1"><v>1</v></c></row>'.repeat(10_000) } }),
    ],
    ['a row twice', makeWorkbook({ sheets: { S: rowOf(1, 'name') + rowOf(2, 'Ann') + rowOf(2, 'Ann') } })],
    [
      'XML that is too deep',
      packParts({ ...makeParts({ sheets: { S: rowOf(1, 'name') } }), 'xl/workbook.xml': `<workbook>${'<a>'.repeat(100_000)}` }),
    ],
    ['a byte that has changed', changed()],
    ['a part twice', twice()],
  ])('is refused: %s', async (_name, file) => {
    const answer = await send('/api/v1/tables/contacts/import', file)
    await expectProblem(answer, 422, 'validation_failed')
  })

  test('is refused when it is a bomb, before the memory is full', async () => {
    const small = await startApp({ ROWHOUSE_MAX_UPLOAD_BYTES: '1048576' })
    await makeContacts(small, 'contacts')
    const bomb = makeWorkbook({ sheets: { S: rowOf(1, 'name') }, strings: Array(1_000_000).fill('<t>aaaaaaaaaaaaaaaa</t>') })
    expect(bomb.length).toBeLessThan(1048576)
    const answer = await post(small.url, small.tokens.admin, '/api/v1/tables/contacts/import', bomb, { 'content-type': type })
    const { errors } = await expectProblem(answer, 422, 'validation_failed')
    expect(JSON.stringify(errors)).toContain('unpacked')
  })

  test.each(['[', '0'])('has no number format with more %s than spreadsheets accept', async (sign) => {
    const row = '<row r="2"><c r="A2" s="1"><v>5</v></c></row>'
    const file = makeWorkbook({ sheets: { S: rowOf(1, 'name') + row }, formats: [[200, sign.repeat(300_000)]] })
    expect(await json(send('/api/v1/tables/contacts/import', file))).toMatchObject({ inserted: 1 })
    expect(await records('contacts', 'select=name&order=id.desc&limit=1')).toEqual([{ name: '5' }])
  })

  test('is told where the sheet is not there, and where a CSV has none', async () => {
    const problem = await expectProblem(await send('/api/v1/tables/contacts/import?sheet=Nope', good), 400, 'invalid_request')
    expect(problem.hint).toContain('"S"')
    await expectProblem(await send('/api/v1/tables/contacts/import?headerRow=0', good), 400, 'invalid_request')
    const csv = await send('/api/v1/tables/contacts/import?sheet=S', 'name\nx\n', { 'content-type': 'text/csv' })
    await expectProblem(csv, 400, 'invalid_request')
  })
})
