import { beforeAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'
import { makeWorkbook, rowOf } from '../../support/workbooks'

const app = await startApp()
const records = async (table: string) => (await json(app.call(`/api/v1/tables/${table}/records?order=id`, { as: 'viewer' }))).records
const columns = [
  { name: 'name', type: 'text', required: true, unique: true },
  { name: 'born', type: 'date' },
  { name: 'fee', type: 'decimal', options: { precision: 8, scale: 2 } },
  { name: 'age', type: 'integer' },
  { name: 'level', type: 'select', options: { choices: ['low', 'high'] } },
]
const make = async (name: string, more: object[] = columns) =>
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name, columns: more } })).status).toBe(201)

beforeAll(async () => {
  for (const name of ['club', 'refused', 'sheets', 'many', 'hostile', 'lines', 'twice']) await make(name)
})

type Correction = { line: number; column: string; value: string; was?: string }

/** Sends a file in a form, after its corrections. */
function send(table: string, file: string | Buffer, corrections: Correction[] | string, query = '') {
  const form = new FormData()
  form.append('corrections', typeof corrections === 'string' ? corrections : JSON.stringify(corrections))
  form.append('file', new Blob([file as BlobPart]), 'file')
  return upload(app, table, form, { query, as: table === 'import' ? 'admin' : 'editor' })
}

const file = 'name;born;fee;age;level\nAda;24.12.1980;1,50;many;low\nBo;yesterday;x;7;mid\nCy;;;;\n'
const query = '?dates=dmy&decimals=comma'

describe('faulty cells', () => {
  test('are told with their texts, and imported as they are corrected', async () => {
    const refused = await expectProblem(await send('club', file, [], query), 422, 'validation_failed')
    expect(refused.details).toMatchObject({ errorCount: 4, cellCount: 4 })
    expect(
      (refused.errors as object[]).map(({ line, column, value }: Partial<Correction & { line: number }>) => [line, column, value]),
    ).toEqual([
      [2, 'age', 'many'],
      [3, 'born', 'yesterday'],
      [3, 'fee', 'x'],
      [3, 'level', 'mid'],
    ])
    const corrections = [
      { line: 2, column: 'age', value: '45', was: 'many' },
      { line: 3, column: 'born', value: '1.2.1990' },
      { line: 3, column: 'fee', value: '2,25 €' },
      { line: 3, column: 'level', value: '' },
      { line: 4, column: 'age', value: '1.000', was: '' },
    ]
    const some = await expectProblem(await send('club', file, corrections.slice(0, 2), `${query}&dryRun=true`), 422, 'validation_failed')
    expect(some.details).toMatchObject({ errorCount: 2, cellCount: 2 })
    expect(await json(send('club', file, corrections, `${query}&dryRun=true`))).toMatchObject({ inserted: 3, dryRun: true })
    expect((await send('club', file, corrections, query)).status).toBe(200)
    expect(await records('club')).toMatchObject([
      { name: 'Ada', born: '1980-12-24', fee: 1.5, age: 45, level: 'low' },
      { name: 'Bo', born: '1990-02-01', fee: 2.25, age: 7, level: null },
      { name: 'Cy', born: null, fee: null, age: 1000, level: null },
    ])
  })

  test('have their texts only for those who correct', async () => {
    const refused = await expectProblem(await upload(app, 'club', file, { query }), 422, 'validation_failed')
    expect(refused.errors![0]).not.toHaveProperty('value')
  })

  test('are refused again if the correction is faulty, with the text of the file', async () => {
    const corrections = [
      { line: 2, column: 'age', value: '4 5' },
      { line: 3, column: 'name', value: 'Ada' },
    ]
    const refused = await expectProblem(await send('refused', file, corrections, query), 422, 'validation_failed')
    expect(refused.errors).toMatchObject([
      { line: 2, column: 'age', message: expect.stringContaining('"4 5"'), value: 'many' },
      { line: 3, column: 'born' },
      { line: 3, column: 'fee' },
      { line: 3, column: 'name', value: 'Bo' },
      { line: 3, column: 'level' },
    ])
    const name = corrections.slice(1)
    const repeated = await expectProblem(await send('refused', 'name\nAda\nBo\n', name), 422, 'validation_failed')
    expect(repeated.errors).toMatchObject([{ line: 3, column: 'name', message: expect.stringContaining('already in line 2'), value: 'Bo' }])
  })

  test('are corrected before others are left empty, and lines skipped', async () => {
    const tolerant = `${query}&invalidCells=empty&invalidLines=skip`
    const more = `${file};1.1.2000;;;\n`
    const answer = await json(send('twice', more, [{ line: 3, column: 'fee', value: '9' }], tolerant))
    expect(answer).toMatchObject({ inserted: 3, emptied: 3, skipped: 1 })
    expect(answer.problems.map(({ line, column }: Correction) => [line, column])).toEqual([
      [2, 'age'],
      [3, 'born'],
      [3, 'level'],
      [5, 'name'],
    ])
    expect((await records('twice'))[1]).toMatchObject({ name: 'Bo', fee: 9, born: null })
  })

  test('of a workbook are named by the rows of the sheet', async () => {
    const sheets = {
      Stock:
        rowOf(1, 'Our stock') + rowOf(3, 'name', 'age') + rowOf(4, 'bolt', 12) + rowOf(7, 'nut', 'few\nor none') + rowOf(9, 'pin', 'none'),
    }
    const workbook = makeWorkbook({ sheets })
    const refused = await expectProblem(await send('sheets', workbook, [], '?headerRow=3'), 422, 'validation_failed')
    expect(refused.errors).toMatchObject([
      { line: 7, column: 'age', cell: 'B7', value: 'few\nor none' },
      { line: 9, column: 'age', cell: 'B9', value: 'none' },
    ])
    const corrections = [
      { line: 9, column: 'age', value: '0', was: 'none' },
      { line: 7, column: 'age', value: '3' },
    ]
    expect((await send('sheets', workbook, corrections, '?headerRow=3')).status).toBe(200)
    expect(await records('sheets')).toMatchObject([
      { name: 'bolt', age: 12 },
      { name: 'nut', age: 3 },
      { name: 'pin', age: 0 },
    ])
  })

  test('may be keys, numbers in the notation of the file, and names of records, which are created', async () => {
    await make('people', [{ name: 'name', type: 'text' }])
    await make('tasks', [
      { name: 'title', type: 'text' },
      { name: 'due', type: 'dateTime' },
      { name: 'lead', type: 'link', options: { table: 'people' } },
      { name: 'team', type: 'manyLinks', options: { table: 'people' } },
    ])
    expect((await app.call('/api/v1/tables/tasks/records', { as: 'editor', body: { title: 'old' } })).status).toBe(201)
    const text = 'id;title;due;lead;team\n99x;first;24.12.2025 10:00;Ada;Ada, Bob\n;second;24.12.2025;;\n8;third;;Bob;\n'
    const corrections = [
      { line: 2, column: 'id', value: '1' },
      { line: 2, column: 'team', value: 'Bob, Cy' },
      { line: 3, column: 'due', value: '24.12.2025 11:30' },
      { line: 3, column: 'lead', value: 'Cy' },
      { line: 4, column: 'id', value: '' },
      { line: 4, column: 'title', value: "'=1" },
    ]
    const options = '?mode=upsert&dates=dmy&timezone=Europe/Berlin&createLinked=true&formulas=escape'
    expect(await json(send('tasks', text, corrections, options))).toMatchObject({ inserted: 2, updated: 1, createdLinks: [{ count: 3 }] })
    const select = 'select=id,title,due,lead(name),team(name)&order=id'
    const people = (...names: string[]) => names.map((name) => ({ name }))
    expect((await json(app.call(`/api/v1/tables/tasks/records?${select}`, { as: 'viewer' }))).records).toEqual([
      { id: 1, title: 'first', due: '2025-12-24T09:00:00+00:00', lead: { name: 'Ada' }, team: people('Bob', 'Cy') },
      { id: expect.any(Number), title: 'second', due: '2025-12-24T10:30:00+00:00', lead: { name: 'Cy' }, team: [] },
      { id: expect.any(Number), title: '=1', due: null, lead: { name: 'Bob' }, team: [] },
    ])
  })

  test('are corrected in an import that waits, and one of the database that only the attempt shows is found by its line', async () => {
    await app.deps.db.sql.unsafe(`create function data.no_tens() returns trigger language plpgsql as $$
        begin if new.age % 10 = 0 then raise exception 'no tens' using errcode = 'check_violation'; end if; return new; end $$;
      create trigger no_tens before insert on data.many for each row execute function data.no_tens()`)
    const refused = await send('many', 'name,age\nA,x\nB,2\nC,3\n', [
      { line: 2, column: 'age', value: '1' },
      { line: 4, column: 'age', value: '30' },
    ])
    expect((await expectProblem(refused, 422, 'validation_failed')).errors).toMatchObject([{ line: 4 }])
    const form = new FormData()
    form.append('corrections', JSON.stringify([{ line: 2, column: 'age', value: '1' }]))
    form.append('file', new Blob(['name,age\nA,x\n']), 'file')
    const accepted = await upload(app, 'many', form, { headers: { prefer: 'respond-async' } })
    expect(accepted.status).toBe(202)
    const path = accepted.headers.get('location')!
    const state = async () => json(app.call(path, { as: 'editor' }))
    while ((await state()).state === 'running') await Bun.sleep(5)
    expect(await state()).toMatchObject({ state: 'complete', result: { inserted: 1 } })
  })

  test('of a new table are corrected, too', async () => {
    const types = JSON.stringify({ pages: { type: 'integer' } })
    const form = new FormData()
    for (const [name, value] of Object.entries({
      name: 'books',
      columns: types,
      corrections: JSON.stringify([{ line: 3, column: 'pages', value: '249', was: 'many' }]),
    }))
      form.append(name, value)
    form.append('file', new Blob(['title,pages\nEmma,474\nPersuasion,many\n']), 'books.csv')
    expect((await upload(app, 'import', form, { as: 'admin' })).status).toBe(201)
    expect(await records('books')).toMatchObject([{ pages: 474 }, { pages: 249 }])
  })

  test('are corrected in as many columns as there may be corrections', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `c${index}`)
    const form = new FormData()
    form.append('name', 'wide')
    form.append('corrections', JSON.stringify(names.map((column) => ({ line: 2, column, value: 'right', was: 'wrong' }))))
    form.append('file', new Blob([`${names}\n${names.map(() => 'wrong')}\n`]), 'wide.csv')
    expect((await upload(app, 'import', form, { as: 'admin' })).status).toBe(201)
    const [record] = await records('wide')
    expect(names.every((name) => record[name] === 'right')).toBe(true)
  })

  test('are found among more than are listed, beside cells of several lines and blank lines', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => `p${index},"a\nb",x${index}\n${index % 50 ? '' : '\n\n'}`)
    const text = `name,level,age\n${rows.join('')}`
    await make('long', [
      { name: 'name', type: 'text' },
      { name: 'level', type: 'text' },
      { name: 'age', type: 'integer' },
    ])
    let corrections: Correction[] = []
    for (let left = 500; left > 0; left -= 100) {
      const refused = await expectProblem(await send('long', text, corrections), 422, 'validation_failed')
      expect(refused.details).toMatchObject({ errorCount: left })
      const errors = refused.errors as unknown as Correction[]
      expect(errors).toHaveLength(100)
      corrections = [...corrections, ...errors.map(({ line, column, value }) => ({ line, column, was: value, value: value.slice(1) }))]
    }
    expect((await send('long', text, corrections)).status).toBe(200)
    const stored = await json(app.call('/rest/v1/long?select=name,age&order=id&limit=500', { as: 'viewer' }))
    expect(stored.every(({ name, age }: { name: string; age: number }) => name === `p${age}`)).toBe(true)
  })
})

describe('corrections that do not fit', () => {
  const refusals: [string, Correction[] | string, string][] = [
    ['the header line', [{ line: 1, column: 'age', value: '1' }], '/corrections/0/line'],
    ['a line after the last', [{ line: 5, column: 'age', value: '1' }], '/corrections/0/line'],
    ['a column that the file does not have', [{ line: 2, column: 'level', value: 'low' }], '/corrections/0/column'],
    ['a column that does not exist', [{ line: 2, column: 'x"; --', value: 'low' }], '/corrections/0/column'],
    ['a skipped column', [{ line: 2, column: 'skipped', value: '1' }], '/corrections/0/column'],
    [
      'the same cell twice',
      [
        { line: 2, column: 'age', value: '1' },
        { line: 2, column: 'age', value: '2' },
      ],
      '/corrections/1',
    ],
    ['a cell with another text by now', [{ line: 2, column: 'age', value: '1', was: 'few' }], '/corrections/0/was'],
    ['a text that is too long', [{ line: 2, column: 'age', value: 'x'.repeat(10_001) }], '/corrections/0/value'],
    ['a NUL', [{ line: 2, column: 'age', value: '\0' }], '/corrections/0/value'],
    ['half a surrogate pair', '[{"line":2,"column":"age","value":"\\ud800"}]', '/corrections/0/value'],
    ['no line number', '[{"line":"2","column":"age","value":"1"}]', '/corrections/0/line'],
    ['a huge line number', '[{"line":1e300,"column":"age","value":"1"}]', '/corrections/0/line'],
    ['null', '[null]', '/corrections/0'],
    ['an unknown member', '[{"line":2,"column":"age","value":"1","cell":"A1"}]', '/corrections/0/cell'],
    ['no list', '{}', '/corrections'],
    ['no JSON', '[', '/corrections'],
    ['too many', Array.from({ length: 1001 }, () => ({ line: 2, column: 'age', value: '1' })), '/corrections'],
  ]
  test.each(refusals)('are refused: %s', async (_name, corrections, path) => {
    const mapping = encodeURIComponent(JSON.stringify({ skipped: '' }))
    const answer = await send('hostile', 'name,age,skipped\nAda,many,1\nBo,7,2\n', corrections, `?mapping=${mapping}`)
    const { errors } = await expectProblem(answer, 400, 'invalid_request')
    expect(errors).toMatchObject([{ path }])
    expect(await records('hostile')).toEqual([])
  })

  test('are refused: a field of more than a megabyte, a record of too few cells, a line within a cell', async () => {
    const long = JSON.stringify([{ line: 2, column: 'age', value: 'x'.repeat(1024 * 1024) }])
    await expectProblem(await send('hostile', 'name,age\nAda,many\n', long), 400, 'invalid_request')
    const text = 'name,age\n"A\nda",many\nBo\n'
    for (const line of [3, 4]) {
      const answer = await send('hostile', text, [{ line, column: 'age', value: '1' }], '?invalidLines=skip')
      expect((await expectProblem(answer, 400, 'invalid_request')).errors).toMatchObject([{ path: '/corrections/0/line' }])
    }
  })

  test('in the URL are not read', async () => {
    await expectProblem(await upload(app, 'hostile', 'name\nAda\n', { query: '?corrections=[]' }), 400, 'invalid_request')
  })

  test('are no part of a file that is sent again with the same key', async () => {
    const sent = (value: string) => {
      const form = new FormData()
      form.append('corrections', JSON.stringify([{ line: 2, column: 'age', value }]))
      form.append('file', new Blob(['name,age\nKim,many\n']), 'file')
      return upload(app, 'lines', form, { headers: { 'idempotency-key': 'kim' } })
    }
    expect((await sent('1')).status).toBe(200)
    expect((await sent('1')).status).toBe(200)
    await expectProblem(await sent('2'), 422, 'idempotency_key_reused')
    expect(await records('lines')).toMatchObject([{ name: 'Kim', age: 1 }])
  })
})
