import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const column = (name: string, type: string, more: object = {}) => ({ name, type, ...more })
const hostile = `a"b'c\\ $$ --} /* ; Ä😀`
const columns = [
  ...[column('Name', 'text'), column('City', 'text'), column('Net price', 'decimal', { options: { precision: 8, scale: 2 } })],
  ...[column('n', 'integer'), column('m', 'integer'), column('share', 'percent'), column('rough', 'float'), column('done', 'boolean')],
  ...[column('due', 'date'), column('at', 'dateTime'), column('clock', 'time'), column('data', 'json'), column('files', 'attachment')],
  ...[column('tags', 'multiSelect', { options: { choices: ['x', 'y'] } }), column('state', 'select', { options: { choices: ['open'] } })],
  ...[column('links', 'manyLinks', { options: { table: 'sheet' } }), column('parent', 'link', { options: { table: 'sheet' } })],
  column(hostile, 'text'),
]
const tables = '/api/v1/tables'
await app.call(tables, { as: 'admin', body: { name: 'sheet', columns } })
const record = {
  ...{ Name: 'Ada', City: 'Rome', 'Net price': 10.5, n: 7, m: 2, share: 0.25, rough: 1.5, done: true, due: '2026-01-31' },
  ...{ at: '2026-01-31T23:30:00Z', clock: '08:05:00', data: { k: 1 }, tags: ['x'], state: 'open', [hostile]: 'hostile' },
}
await app.call(`${tables}/sheet/records`, { as: 'editor', body: [record, {}] })

const add = (formula: unknown, name = 'f', more: object = {}) =>
  app.call(`${tables}/sheet/columns`, { as: 'admin', body: { name, type: 'formula', options: { formula, ...more } } })
const remove = (name = 'f') => app.call(`${tables}/sheet/columns/${name}?confirm=${name}`, { as: 'admin', method: 'DELETE' })
async function valuesOf(name = 'f'): Promise<unknown[]> {
  const { records } = await json(app.call(`${tables}/sheet/records?order=id`, { as: 'viewer' }))
  return records.map((each: Record<string, unknown>) => each[name])
}
async function compute(formula: string): Promise<{ valueType: string; values: unknown[] }> {
  const added = await add(formula)
  const body = await added.json()
  expect({ status: added.status, body }).toMatchObject({ status: 201, body: { options: { formula } } })
  const values = await valuesOf()
  expect((await remove()).status).toBe(204)
  return { valueType: body.options.valueType, values }
}

describe('a formula gives, of a full record and of an empty one,', () => {
  test.each([
    ['Name & " (" & City & ")"', 'text', ['Ada (Rome)', ' ()']],
    ['=IF({Net price} > 10; \'dear\'; "cheap")', 'text', ['dear', 'cheap']],
    ['{Net price} * n', 'decimal', [73.5, 0]],
    ['n / m', 'decimal', [3.5, null]],
    ['n / 3 * 3', 'decimal', [7, 0]],
    ['{Net price} & " €"', 'text', ['10.5 €', ' €']],
    ['share * 100 & "%"', 'text', ['25%', '0%']],
    ['rough + true', 'decimal', [2.5, 1]],
    ['done & ""', 'text', ['TRUE', '']],
    ['clock & " " & HOUR(clock)', 'text', ['08:05:00 8', ' ']],
    ['at & ""', 'text', ['2026-01-31 23:30', '']],
    ['state = "open"', 'boolean', [true, false]],
    ['due + 7', 'date', ['2026-02-07', null]],
    ['due - "2026-01-01"', 'decimal', [30, null]],
    ['due < "2026-02-01"', 'boolean', [true, true]],
    ['due = BLANK()', 'boolean', [false, true]],
    ['DATEADD("1970-01-01", 2100000000 + n - n, "seconds")', 'dateTime', ['2036-07-18T13:20:00+00:00', '2036-07-18T13:20:00+00:00']],
    ['DATEADD(due, 3000, "years")', 'date', [null, null]],
    ['DATEADD(SET_TIMEZONE(DATEADD(at, 56, "days"), "Europe/Berlin"), 3, "hours")', 'dateTime', ['2026-03-29T02:30:00+00:00', null]],
    ['DATEADD(SET_TIMEZONE(DATEADD(at, 56, "days"), "Europe/Berlin"), 1, "day")', 'dateTime', ['2026-03-29T22:30:00+00:00', null]],
    ['due + 2000000', 'date', [null, null]],
    ['SET_TIMEZONE(at, "Europe/Berlin") - at', 'decimal', [0, null]],
    ['DATETIME_DIFF(SET_TIMEZONE(at, "Europe/Berlin"), at, "hours")', 'decimal', [0, null]],
    ['HOUR(IF(done, SET_TIMEZONE(at, "Europe/Berlin")))', 'decimal', [0, null]],
    ['REPT(LEFT(Name, 1), 1001)', 'text', [null, '']],
    ['MAX(10 / m, 1)', 'decimal', [5, null]],
    ['MAX(MIN(10 / m, 7), 1)', 'decimal', [5, null]],
    [`${'DATEADD('.repeat(12)}due${', 1, "day")'.repeat(12)}`, 'date', ['2026-02-12', null]],
    ['CEILING(n, 0)', 'decimal', [0, 0]],
    ['DATESTR(DATE(37 + n, 3, 15))', 'text', ['0044-03-15', '0037-03-15']],
    ['at + 0.5', 'dateTime', ['2026-02-01T11:30:00+00:00', null]],
    ['at > due', 'boolean', [true, false]],
    ['DATEADD(at, 1, "month")', 'dateTime', ['2026-02-28T23:30:00+00:00', null]],
    ['HOUR(SET_TIMEZONE(at, "Europe/Berlin"))', 'decimal', [0, null]],
    ['HOUR(SET_TIMEZONE(at, "Asia/Kolkata"))', 'decimal', [5, null]],
    ['HOUR(SET_TIMEZONE(at, "Asia/Calcutta"))', 'decimal', [5, null]],
    ['HOUR(SET_TIMEZONE(at, "Etc/UTC"))', 'decimal', [23, null]],
    ['HOUR(SET_TIMEZONE(at, "US/Eastern"))', 'decimal', [18, null]],
    ['HOUR(SET_TIMEZONE(at, "europe/berlin"))', 'decimal', [0, null]],
    ['DATESTR(SET_TIMEZONE(at, "Europe/Berlin"))', 'text', ['2026-02-01', null]],
    ['SET_TIMEZONE(IF(done, at, at + 1), "Europe/Berlin") & ""', 'text', ['2026-02-01 00:30', '']],
    ['DATETIME_DIFF(at, due, "hours")', 'decimal', [23, null]],
    ['IF(FIND("x", Name), "yes", "no")', 'text', ['no', 'no']],
    ['IF(n, n, "none")', 'text', ['7', 'none']],
    ['IF(done, {Net price})', 'decimal', [10.5, null]],
    ['ISBLANK(tags)', 'boolean', [false, true]],
    ['ISBLANK(files)', 'boolean', [true, true]],
    ['ISBLANK(data)', 'boolean', [false, true]],
    ['IFBLANK(Name, City & "?")', 'text', ['Ada', '?']],
    ['COUNTA(Name, n, due)', 'decimal', [3, 0]],
    ['MAX(due, DATE(2026, 1, 1))', 'date', ['2026-01-31', '2026-01-01']],
    ['SUBSTITUTE(Name, "a", "\\1", 1)', 'text', ['Ad\\1', '']],
    ['REPT("ab", 501)', 'text', [null, null]],
    ['VALUE(Name)', 'decimal', [null, null]],
    ['VALUE(IF(done, " -1.5e2 ", "")) + n', 'decimal', [-143, null]],
    ['10 ^ 400', 'decimal', [null, null]],
    ['n ^ 2', 'decimal', [49, 0]],
    ['DATE(20000, 1, 1)', 'date', [null, null]],
    ['BLANK()', 'text', [null, null]],
    ['"it""s" & \'it\'\'s\' & Name', 'text', ['it"sit\'sAda', 'it"sit\'s']],
    ['n + 1000000 * 1000000', 'decimal', [1000000000007, 1000000000000]],
  ])('%s', async (formula, valueType, values) => {
    expect(await compute(formula)).toEqual({ valueType, values })
  })
})

describe('a formula is refused, with the place:', () => {
  test.each([
    ['', 'length', undefined],
    ['Name &', 'is incomplete', 7],
    ['IF(n > 1, "a"', 'is incomplete', 14],
    ['Net price * 2', 'in braces: {Net price}', 5],
    ['n n', 'lacks an operator', 3],
    ['n ) + 1', 'a ")" that does not belong there', 3],
    ['WENN(done;n*1,19;0)', 'a comma that does not belong there; write decimals with a point: 1.19', 14],
    ['IF(done; SUM(n, 1,5); 0)', 'write decimals with a point: 1.5', 18],
    ['WENN(done;n*1.19;0)', 'did you mean IF?', 1],
    ['n * 1,19', 'a comma that does not belong there; write decimals with a point: 1.5', 6],
    ['n + * 2', 'a "*"', 5],
    ['{Net price', 'without the closing brace', 1],
    ['n & "x', 'without the closing quotation mark', 5],
    ['n & “x”', 'typographic', 5],
    ['1.2.3', 'a number that cannot be read', 1],
    ['n ? 1', 'a character that does not belong', 3],
    ['{Net prize} + 1', 'did you mean {Net price}?', 1],
    ['1 + nn', 'did you mean {n}?', 5],
    ['nothing', 'names a column that does not exist', 1],
    ['LEFT & "x"', 'calls LEFT without parentheses', 1],
    ['n + LEFFT(Name)', 'did you mean LEFT?', 5],
    ['COALESCE(n, 1)', 'did you mean IFBLANK?', 1],
    ['NOWHERE(1)', 'uses the function NOWHERE, which does not exist (', 1],
    ['WENN(n > 1; Runden(n; 2); 0)', 'uses the function WENN, which does not exist; did you mean IF?', 1],
    ['IF(n > 1; Runden(n; 2); 0)', 'the function RUNDEN, which does not exist; did you mean ROUND?', 11],
    ['L\u00e4nge(Name)', 'did you mean LEN?', 1],
    ['La\u0308nge(Name)', 'did you mean LEN?', 1],
    ['DATEDIF(n)', 'uses the function DATEDIF, which does not exist; DATETIME_DIFF is similar', 1],
    ['KALENDERWOCHE(n)', 'uses the function KALENDERWOCHE, which does not exist; ISOWEEKNUM is similar', 1],
    ['Summe * 2', 'names a column that does not exist', 1],
    ['Jahr', 'names a column that does not exist', 1],
    ['Count', 'names a column that does not exist', 1],
    ['HEUTE', 'uses the function HEUTE, which does not exist; did you mean TODAY?', 1],
    ['IF(done; WAHR; n)', 'uses the function WAHR, which does not exist; did you mean TRUE?', 10],
    ['{WAHR}', 'names a column that does not exist', 1],
    ['TRUNC(n)', 'did you mean ROUNDDOWN?', 1],
    ['constructor(n)', 'uses the function CONSTRUCTOR, which does not exist', 1],
    [`${'x'.repeat(100)}(n)`, `the function ${'X'.repeat(64)}, which`, 1],
    ['CREATED_TIME()', 'asks for the time of a record', 1],
    ['TODAY("Mars")', 'a time zone that does not exist', 7],
    ['NOW(n)', 'gives "NOW" 1 value, but it takes 0', 1],
    ['LEFT()', 'gives "LEFT" 0 values, but it takes 1 to 2', 1],
    ['MOD(1)', 'gives "MOD" 1 value, but it takes 2', 1],
    ['Name + 1', '& joins texts', 6],
    ['1 - Name', 'gives "-" a text, but it takes a number', 5],
    ['ROUND(Name)', 'gives "ROUND" a text', 7],
    ['n = Name', 'compares a number with a text', 3],
    ['YEAR(n)', 'gives "YEAR" a number, but it takes a date', 6],
    ['YEAR("2026-02-30")', 'a text, but it takes a date', 6],
    ['DATEADD(due, 1, "moons")', 'a word that it does not know', 17],
    ['DATEADD(due, 1, Name)', 'a word that it does not know', 17],
    ['SET_TIMEZONE(at, "Europe/Atlantis")', 'a time zone that does not exist', 18],
    ['SUBSTITUTE(Name, "a", City)', 'a text in quotation marks here', 23],
    [
      'SUBSTITUTE(Name, "d", "dddddddddd", 1) & SUBSTITUTE(SUBSTITUTE(Name, "a", "aaaaaaaaaaaaaaaaaaaa"), "a", "aaaaaaaaaaaaaaaaaaaa")',
      '256 times',
      undefined,
    ],
    ['IFS(done, 1, 2)', 'a value after each condition', 1],
    ['WEEKDAY(due, 9)', 'from 1 to 3', 14],
    ['data & ""', 'neither text, number nor date', 1],
    ['tags', 'only test with ISBLANK', 1],
    ['links', 'a column with several values', 1],
    ['UPPER("x")', 'from constants alone', undefined],
    [`${'('.repeat(100)}1`, 'nested too deeply', 62],
    [`1${'+1'.repeat(1999)}`, 'too long', undefined],
    [`${'POWER('.repeat(12)}n${', rough)'.repeat(12)}`, 'too complex', undefined],
    ['n & "\ud800"', 'surrogate', undefined],
  ])('%s', async (formula, message, position) => {
    const { errors } = await expectProblem(await add(formula), 422, 'validation_failed')
    expect(errors![0]).toMatchObject({
      path: '/options/formula',
      message: expect.stringContaining(message),
      ...(position ? { position } : {}),
    })
    if (!position && message !== 'too complex') expect(errors![0]).not.toHaveProperty('position')
  })

  test('neither a formula nor an expression', async () => {
    const { errors } = await expectProblem(await add(undefined), 422, 'validation_failed')
    expect(errors).toEqual([{ path: '/options/formula', message: 'is required' }])
  })

  test('in SQL, a formula of a formula', async () => {
    await add('n + 1', 'first')
    const { errors } = await expectProblem(await add(undefined, 'f', { expression: 'first + 1' }), 422, 'validation_failed')
    expect(errors![0]!.message).toContain('a formula itself')
    await remove('first')
  })
})

describe('a formula', () => {
  const optionsOf = async (name = 'f') =>
    (await json(app.call(`${tables}/sheet`, { as: 'viewer' }))).columns.find((each: { name: string }) => each.name === name)?.options
  const patch = (name: string, body: object) =>
    app.call(`${tables}/sheet/columns/${encodeURIComponent(name)}`, { as: 'admin', method: 'PATCH', body })

  test('is answered as it was typed, with names as their columns have them, and as SQL', async () => {
    expect((await add('  IF( {net price} > N,  name , "{n}" ) ')).status).toBe(201)
    expect(await optionsOf()).toEqual({
      formula: '  IF( {Net price} > n,  Name , "{n}" ) ',
      expression: expect.stringContaining(`coalesce("Net price", 0) >`),
      valueType: 'text',
    })
    await remove()
  })

  test('follows another name of a column, in its text and in SQL', async () => {
    await add('n + {n} & "n {n}" & Name')
    expect((await patch('n', { name: 'how } many' })).status).toBe(200)
    expect(await optionsOf()).toMatchObject({
      formula: '{how \\} many} + {how \\} many} & "n {n}" & Name',
      expression: expect.stringContaining('"how } many"'),
    })
    const used = await app.call(`${tables}/sheet/columns/how%20%7D%20many?confirm=${encodeURIComponent('how } many')}`, {
      as: 'admin',
      method: 'DELETE',
    })
    expect(used.status).toBe(409)
    expect((await patch('how } many', { name: 'true' })).status).toBe(200)
    expect(await optionsOf()).toMatchObject({ formula: '{true} + {true} & "n {n}" & Name' })
    expect((await patch('true', { name: 'n' })).status).toBe(200)
    expect((await patch('f', { options: await optionsOf() })).status).toBe(200)
    expect(await valuesOf()).toEqual(['14n {n}Ada', '0n {n}'])
    await remove()
  })

  test('is changed to another one and to SQL and back, and keeps its type when it is sent unchanged', async () => {
    await add('n + 1')
    expect(await json(patch('f', { options: { formula: 'n + 1' } }))).toMatchObject({ options: { formula: 'n + 1', valueType: 'decimal' } })
    expect(await json(patch('f', { options: { formula: 'n > 1' } }))).toMatchObject({ options: { formula: 'n > 1', valueType: 'boolean' } })
    const inSql = await json(patch('f', { options: { expression: 'n + 2' } }))
    expect(inSql.options).toEqual({ expression: 'n + 2', valueType: 'integer' })
    expect((await json(patch('f', { options: { expression: 'n + 2' } }))).options).toEqual({ expression: 'n + 2', valueType: 'integer' })
    expect((await json(patch('f', { options: { formula: 'n', expression: 'm' } }))).options.formula).toBe('n')
    expect(await valuesOf()).toEqual([7, null])
    const { errors } = await expectProblem(await patch('f', { options: { formula: 'n +' } }), 422, 'validation_failed')
    expect(errors).toMatchObject([{ path: '/options/formula', message: 'The formula is incomplete (at character 4).' }])
    await remove()
  })

  test('of much SQL can be sent back as it was answered; SQL that somebody wrote is shorter', async () => {
    await add('POWER(POWER(n, m), m)')
    const options = await optionsOf()
    expect(options.expression.length).toBeGreaterThan(4000)
    expect((await patch('f', { options })).status).toBe(200)
    expect((await patch('f', { options, description: 'A large one.' })).status).toBe(200)
    const { errors } = await expectProblem(await patch('f', { options: { expression: options.expression } }), 422, 'validation_failed')
    expect(errors).toEqual([{ path: '/options/expression', message: 'is too long' }])
    await remove()
  })

  test('is made together with its table, and says its problem in German', async () => {
    const body = (formula: string) => ({
      name: 'made',
      columns: [column('a', 'integer'), column('f', 'formula', { options: { formula } })],
    })
    const refused = await app.call(tables, { as: 'admin', body: body('a +'), headers: { 'accept-language': 'de' } })
    expect(await refused.json()).toMatchObject({
      errors: [{ path: '/columns/1/options/formula', message: 'Die Formel ist unvollständig (bei Zeichen 4).', position: 4 }],
    })
    expect((await app.call(tables, { as: 'admin', body: body('a + 1') })).status).toBe(201)
  })

  test.each([
    `'; drop table data.sheet; --`,
    `" || pg_sleep(9) || "`,
    '$$ || current_user || $$',
    "\\'; select 1; --",
    "\\\\' || version() || '",
    '/* x */ -- y',
    "E'\\047",
    '\u0022\u2028\u202e',
    '\x01row\x01',
    "U&'\\0027'",
  ])('keeps a text a text: %p', async (text) => {
    const written = `"${text.replaceAll('"', '""')}"`
    expect(await compute(`Name & ${written}`)).toEqual({ valueType: 'text', values: [`Ada${text}`, text] })
    expect(await compute(`IF(SUBSTITUTE(Name, "Ada", ${written}) = ${written}, "same", "other")`)).toMatchObject({
      values: ['same', 'other'],
    })
  })

  test('reads a column of any name', async () => {
    const braced = `{${hostile.replace(/[\\}]/g, '\\$&')}}`
    expect(await compute(`${braced} & "!"`)).toEqual({ valueType: 'text', values: ['hostile!', '!'] })
  })
})

describe('a preview', () => {
  const preview = (body: object, as: 'admin' | 'editor' = 'admin') => app.call(`${tables}/sheet/columns/preview`, { as, body })

  test('has the values of the first records, and changes nothing', async () => {
    const answer = await preview({ type: 'formula', options: { formula: 'name & " " & {Net price} * n' } })
    expect(await answer.json()).toEqual({
      options: { formula: 'Name & " " & {Net price} * n', expression: expect.any(String), valueType: 'text' },
      proposed: {},
      records: [
        { name: 'Ada', value: 'Ada 73.5' },
        { name: null, value: ' 0' },
      ],
    })
    const inSql = await json(preview({ type: 'formula', options: { expression: 'n + 1' } }))
    expect(inSql).toMatchObject({ options: { expression: 'n + 1', valueType: 'integer' }, records: [{ value: 8 }, { value: null }] })
    const constant = await json(preview({ type: 'formula', options: { formula: '12345678901234567890' } }))
    expect(constant.records).toHaveLength(2)
    expect((await json(app.call(`${tables}/sheet`, { as: 'viewer' }))).columns).toHaveLength(columns.length + 1)
  })

  test('of two formulas gives two answers', async () => {
    for (const [formula, value] of [
      ['n', 7],
      ['m', 2],
      ['n', 7],
    ] as const)
      expect((await json(preview({ type: 'formula', options: { formula } }))).records[0].value).toBe(value)
  })

  test('has the problems that the column would have', async () => {
    for (const [options, problem] of [
      [{ formula: 'n +' }, { path: '/options/formula', position: 4 }],
      [{ expression: 'n +' }, { path: '/options/expression', position: 4 }],
      [{ expression: 'n / (n - 7)' }, { path: '/options/expression', message: expect.stringContaining('cannot be computed') }],
      [{ formula: 'n', more: 1 }, { path: '/options/more' }],
      [{}, { path: '/options/formula', message: 'is required' }],
    ] as const) {
      const { errors } = await expectProblem(await preview({ type: 'formula', options }), 422, 'validation_failed')
      expect(errors).toMatchObject([problem])
    }
    await expectProblem(await preview({ type: 'text', options: {} }), 422, 'validation_failed')
  })

  test('is for administrators', async () => {
    expect((await preview({ type: 'formula', options: { formula: 'n' } }, 'editor')).status).toBe(403)
    expect((await app.call(`${tables}/sheet/columns/preview`, { body: {} })).status).toBe(401)
    expect(
      (await app.call(`${tables}/nothing/columns/preview`, { as: 'admin', body: { type: 'formula', options: { formula: '1' } } })).status,
    ).toBe(404)
  })
})

test('infinite dates have no parts and no distance, and columns of other text types are texts', async () => {
  const ends = [column('code', 'text'), column('until', 'date')]
  await app.call(tables, { as: 'admin', body: { name: 'ends', columns: ends } })
  await app.call(`${tables}/ends/records`, { as: 'editor', body: [{ code: 'a' }] })
  await app.deps.db.sql.unsafe(`alter table data.ends alter column code type varchar(10), drop constraint until_range;
    update data.ends set until = 'infinity'`)
  for (const [name, formula] of [
    ['days', 'until - "2026-01-01"'],
    ['text', 'until & ""'],
    ['copy', 'code'],
  ]) {
    const added = await app.call(`${tables}/ends/columns`, { as: 'admin', body: { name, type: 'formula', options: { formula } } })
    expect({ status: added.status, body: await added.json() }).toMatchObject({ status: 201 })
  }
  const { records } = await json(app.call(`${tables}/ends/records`, { as: 'viewer' }))
  expect(records).toMatchObject([{ days: null, text: '', copy: 'a' }])
})
