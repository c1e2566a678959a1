import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
let number = 0

/** A table of one column with these values, written by psql's means, so that nothing of the API stands between. */
async function tableOf(column: object, values: (string | null)[], sqlType = 'text'): Promise<string> {
  const name = `t${++number}`
  const response = await admin('', 'POST', { name, columns: [{ name: 'v', ...column }] })
  if (response.status !== 201) throw new Error(await response.text())
  for (const value of values) await app.deps.db.query(`insert into data.${name} (v) values ($1::text::${sqlType})`, [value])
  return name
}
const valuesOf = async (name: string) => {
  const { records } = await json(app.call(`/api/v1/tables/${name}/records`, { as: 'viewer' }))
  return records.map(({ v }: { v: unknown }) => v)
}
const retype = (name: string, body: object, query = '') => admin(`/${name}/columns/v${query}`, 'PATCH', body)

type Case = [string, object, string, (string | null)[], object, unknown[]]

/**
 * From, with its values in PostgreSQL's type; to; the values that come out. A value that cannot be converted is left
 * out: see below.
 */
const cases: Case[] = [
  [
    'text → integer',
    { type: 'text' },
    'text',
    ['1', ' 42 ', '-7', '12.00', '1e2', '', '  ', null],
    { type: 'integer' },
    [1, 42, -7, 12, 100, null, null, null],
  ],
  [
    'text → decimal',
    { type: 'text' },
    'text',
    ['1.5', '.5', '1e-2', '007.10'],
    { type: 'decimal', options: { precision: 6, scale: 2 } },
    [1.5, 0.5, 0.01, 7.1],
  ],
  ['text → float', { type: 'text' }, 'text', ['0.1', '1e10'], { type: 'float' }, [0.1, 1e10]],
  [
    'text → boolean',
    { type: 'text' },
    'text',
    ['yes', 'No', 'TRUE', 'f', '1', '0', ' on '],
    { type: 'boolean' },
    [true, false, true, false, true, false, true],
  ],
  [
    'text → date',
    { type: 'text' },
    'text',
    ['2026-01-31', '31.01.2026', '2026-01-31T23:30:00-05:00', '2026-01-31 12:00'],
    { type: 'date' },
    ['2026-01-31', '2026-01-31', '2026-02-01', '2026-01-31'],
  ],
  [
    'text → dateTime',
    { type: 'text' },
    'text',
    ['2026-01-31', '2026-01-31T12:00:00+02:00', '2026-01-31 12:00', '1.2.2026'],
    { type: 'dateTime' },
    ['2026-01-31T00:00:00+00:00', '2026-01-31T10:00:00+00:00', '2026-01-31T12:00:00+00:00', '2026-02-01T00:00:00+00:00'],
  ],
  ['text → time', { type: 'text' }, 'text', ['9:30', '23:59:59.5'], { type: 'time' }, ['09:30:00', '23:59:59.5']],
  [
    'text → uuid',
    { type: 'text' },
    'text',
    ['01890A5D-AC96-774B-BCCE-B302099A8057'],
    { type: 'uuid' },
    ['01890a5d-ac96-774b-bcce-b302099a8057'],
  ],
  ['text → json', { type: 'text' }, 'text', ['{"a":1}', '[1,2]', '"x"'], { type: 'json' }, [{ a: 1 }, [1, 2], 'x']],
  ['text → email', { type: 'text' }, 'text', [' ada@example.org ', ''], { type: 'email' }, ['ada@example.org', null]],
  ['text → longText', { type: 'text' }, 'text', [' a ', ''], { type: 'longText' }, [' a ', '']],
  ['text → select', { type: 'text' }, 'text', ['b', 'a', ' b', null], { type: 'select' }, ['b', 'a', 'b', null]],
  [
    'text → multiSelect',
    { type: 'text' },
    'text',
    ['a, b', 'c', 'b,a', ''],
    { type: 'multiSelect' },
    [['a', 'b'], ['c'], ['b', 'a'], null],
  ],
  ['integer → text', { type: 'integer' }, 'integer', ['1', '-2'], { type: 'text' }, ['1', '-2']],
  ['integer → boolean', { type: 'integer' }, 'integer', ['1', '0'], { type: 'boolean' }, [true, false]],
  ['integer → bigint', { type: 'integer' }, 'integer', ['1'], { type: 'bigint' }, [1]],
  ['bigint → integer', { type: 'bigint' }, 'bigint', ['2147483647'], { type: 'integer' }, [2147483647]],
  ['decimal → integer', { type: 'decimal' }, 'numeric', ['5.00', '-3'], { type: 'integer' }, [5, -3]],
  [
    'decimal → a finer decimal',
    { type: 'decimal', options: { precision: 4, scale: 1 } },
    'numeric',
    ['1.5'],
    { options: { precision: 8, scale: 3 } },
    [1.5],
  ],
  ['decimal → a coarser decimal', { type: 'decimal' }, 'numeric', ['1.50'], { options: { precision: 4, scale: 1 } }, [1.5]],
  ['float → decimal', { type: 'float' }, 'float8', ['0.1', '1e20'], { type: 'decimal' }, [0.1, 1e20]],
  ['float → integer', { type: 'float' }, 'float8', ['3'], { type: 'integer' }, [3]],
  ['boolean → text', { type: 'boolean' }, 'boolean', ['true', 'false'], { type: 'text' }, ['true', 'false']],
  ['boolean → select', { type: 'boolean' }, 'boolean', ['true', 'false'], { type: 'select' }, ['true', 'false']],
  ['date → dateTime', { type: 'date' }, 'date', ['2026-01-31'], { type: 'dateTime' }, ['2026-01-31T00:00:00+00:00']],
  ['dateTime → date', { type: 'dateTime' }, 'timestamptz', ['2026-01-31T23:30:00-05:00'], { type: 'date' }, ['2026-02-01']],
  ['dateTime → text', { type: 'dateTime' }, 'timestamptz', ['2026-01-31T12:00:00.5+02:00'], { type: 'text' }, ['2026-01-31T10:00:00.5Z']],
  ['date → text', { type: 'date' }, 'date', ['2026-01-31'], { type: 'text' }, ['2026-01-31']],
  ['time → text', { type: 'time' }, 'time', ['09:30'], { type: 'text' }, ['09:30:00']],
  ['json → text', { type: 'json' }, 'jsonb', ['"x"', '{"a":1}', 'null'], { type: 'text' }, ['x', '{"a": 1}', null]],
  ['json → integer', { type: 'json' }, 'jsonb', ['5', '"6"'], { type: 'integer' }, [5, 6]],
  [
    'uuid → text',
    { type: 'uuid' },
    'uuid',
    ['01890a5d-ac96-774b-bcce-b302099a8057'],
    { type: 'text' },
    ['01890a5d-ac96-774b-bcce-b302099a8057'],
  ],
  ['select → text', { type: 'select', options: { choices: ['a'] } }, 'text', ['a'], { type: 'text' }, ['a']],
  [
    'select → multiSelect',
    { type: 'select', options: { choices: ['a, b', 'c'] } },
    'text',
    ['a, b', 'c'],
    { type: 'multiSelect' },
    [['a, b'], ['c']],
  ],
  [
    'multiSelect → text',
    { type: 'multiSelect', options: { choices: ['a', 'b'] } },
    'text[]',
    ['{a,b}', '{}'],
    { type: 'text' },
    ['a, b', null],
  ],
  [
    'multiSelect → select',
    { type: 'multiSelect', options: { choices: ['a', 'b'] } },
    'text[]',
    ['{a}', '{}'],
    { type: 'select', options: { choices: ['a', 'b'] } },
    ['a', null],
  ],
  ['email → url fails never for nothing', { type: 'email' }, 'text', [null], { type: 'url' }, [null]],
]

test.each(cases)('%s', async (_name, from, sqlType, values, to, expected) => {
  const table = await tableOf(from, values, sqlType)
  const before = await valuesOf(table)
  const preview = await retype(table, to, '?dryRun=true')
  expect({ status: preview.status, report: await preview.json() }).toMatchObject({
    status: 200,
    report: { convertible: values.length, failing: 0, rows: [] },
  })
  expect(await valuesOf(table)).toEqual(before)
  const answer = await retype(table, to)
  expect({ status: answer.status, column: await answer.json() }).toMatchObject({ status: 200, column: { name: 'v', ...to } })
  expect(await valuesOf(table)).toEqual(expected)
  const [column] = (await json(app.call(`/api/v1/tables/${table}`, { as: 'viewer' }))).columns.slice(1)
  expect(column).toMatchObject(to)
})

type Failing = [string, object, string, string[], object, string]

/** Each value fails; the message says why. */
const failing: Failing[] = [
  [
    'text → integer',
    { type: 'text' },
    'text',
    ['x', '1.5', '0x1F', '1_000', '99999999999', '1e999', 'NaN'],
    { type: 'integer' },
    'whole number',
  ],
  [
    'text → decimal',
    { type: 'text' },
    'text',
    ['1,5,0', '1.239', '12345', 'Infinity'],
    { type: 'decimal', options: { precision: 4, scale: 2 } },
    'no more digits',
  ],
  ['text → boolean', { type: 'text' }, 'text', ['maybe', '2'], { type: 'boolean' }, 'must be yes'],
  [
    'text → date',
    { type: 'text' },
    'text',
    ['tomorrow', 'infinity', '01/32/2026', '2026-02-30', '30.2.2026', '2026-01-31T25:00:00Z'],
    { type: 'date' },
    'YYYY-MM-DD',
  ],
  ['text → dateTime', { type: 'text' }, 'text', ['now', '2026-01-31T12:61:00Z', 'epoch'], { type: 'dateTime' }, 'must be a timestamp'],
  ['text → time', { type: 'text' }, 'text', ['25:00', 'noon', 'allballs'], { type: 'time' }, 'time of the day'],
  ['text → json', { type: 'text' }, 'text', ['{', 'x'], { type: 'json' }, 'valid JSON'],
  ['text → email', { type: 'text' }, 'text', ['ada', 'a@b'], { type: 'email' }, 'e-mail'],
  ['text → select', { type: 'text' }, 'text', ['c', 'A'], { type: 'select', options: { choices: ['a', 'b'] } }, 'must be one of "a", "b"'],
  ['text → shorter text', { type: 'text' }, 'text', ['abc'], { options: { maxLength: 2 } }, 'at most 2 characters'],
  ['text → text of a pattern', { type: 'text' }, 'text', ['abc'], { options: { pattern: '^[0-9]+$' } }, 'pattern'],
  ['text → user', { type: 'text' }, 'text', ['x', '01890a5d-ac96-774b-bcce-b302099a8057'], { type: 'user' }, 'id of a user'],
  ['decimal → integer', { type: 'decimal' }, 'numeric', ['1.5'], { type: 'integer' }, 'whole number'],
  [
    'decimal → a coarser decimal',
    { type: 'decimal' },
    'numeric',
    ['1.55', '1000'],
    { options: { precision: 4, scale: 1 } },
    'no more digits',
  ],
  ['integer in a range', { type: 'integer' }, 'integer', ['5', '11'], { options: { min: 6, max: 10 } }, 'at least 6 and at most 10'],
  ['integer → boolean', { type: 'integer' }, 'integer', ['2'], { type: 'boolean' }, 'must be yes'],
  ['date in a range', { type: 'date' }, 'date', ['2019-12-31'], { options: { min: '2020-01-01' } }, 'at least 2020-01-01'],
  [
    'multiSelect → select',
    { type: 'multiSelect', options: { choices: ['a', 'b'] } },
    'text[]',
    ['{a,b}'],
    { type: 'select' },
    'must be one of "a", "b"',
  ],
  [
    'fewer choices',
    { type: 'select', options: { choices: ['a', 'b'] } },
    'text',
    ['b'],
    { options: { choices: ['a'] } },
    'must be one of "a"',
  ],
  [
    'fewer choices of several',
    { type: 'multiSelect', options: { choices: ['a', 'b'] } },
    'text[]',
    ['{a,b}'],
    { options: { choices: ['a'] } },
    'some of "a"',
  ],
]

test.each(failing)('what fails: %s', async (_name, from, sqlType, values, to, message) => {
  const table = await tableOf(from, [...values, null], sqlType)
  const report = await json(retype(table, to, '?dryRun=true'))
  expect({ convertible: report.convertible, failing: report.failing }).toEqual({ convertible: 1, failing: values.length })
  expect(report.rows.map(({ key }: { key: string }) => key)).toEqual(values.map((_, index) => String(index + 1)))
  for (const row of report.rows) expect(row.message).toContain(message)
  const before = await valuesOf(table)
  const { details } = await expectProblem(await retype(table, to), 409, 'conflict')
  expect(details).toMatchObject(report)
  expect(await valuesOf(table)).toEqual(before)
  expect((await retype(table, { ...to, onFailure: 'null' })).status).toBe(200)
  expect(await valuesOf(table)).toEqual([...values.map(() => null), null])
})

describe('retyping', () => {
  test('counts the records of choices that are still in use', async () => {
    const table = await tableOf({ type: 'select', options: { choices: ['a', 'b', 'c'] } }, ['a', 'b', 'b', 'c'])
    const { details, message } = await expectProblem(await retype(table, { options: { choices: ['a', 'new'] } }), 409, 'conflict')
    expect(details).toMatchObject({
      failing: 3,
      choices: [
        { choice: 'b', records: 2 },
        { choice: 'c', records: 1 },
      ],
    })
    expect(message).toContain('"b" (2), "c" (1)')
    expect((await retype(table, { options: { choices: ['c', 'b', 'a', { value: 'd', color: 'red' }] } })).status).toBe(200)
  })

  test('shows the first hundred and counts them all, values cut at 80 characters', async () => {
    const table = await tableOf({ type: 'text' }, [])
    await app.deps.db.sql.unsafe(`insert into data.${table} (v) select repeat('ü', n) from generate_series(1, 250) n`)
    const report = await json(retype(table, { type: 'integer' }, '?dryRun=true'))
    expect({ ...report, rows: report.rows.length }).toEqual({ convertible: 0, failing: 250, rows: 100 })
    expect(report.rows[99]).toEqual({ key: '100', value: 'ü'.repeat(80), message: 'must be a whole number that is not too large' })
  })

  test('makes choices of what is there, and only of so much', async () => {
    const table = await tableOf({ type: 'text' }, ['b', 'a', ' a', null])
    expect((await json(retype(table, { type: 'select' }))).options).toEqual({ choices: ['a', 'b'] })
    const many = await tableOf({ type: 'text' }, [])
    await app.deps.db.sql.unsafe(`insert into data.${many} (v) select n::text from generate_series(1, 201) n`)
    const { errors } = await expectProblem(await retype(many, { type: 'select' }), 422, 'validation_failed')
    expect(errors![0]!.path).toBe('/options/choices')
  })

  test('takes the default along', async () => {
    const table = await tableOf({ type: 'text', default: '5' }, ['1'])
    expect(await json(retype(table, { type: 'integer' }))).toMatchObject({ type: 'integer', default: 5 })
    expect(await json(retype(table, { type: 'decimal', options: { precision: 5, scale: 2 } }))).toMatchObject({ default: '5.00' })
    expect(await json(retype(table, { type: 'text' }))).toMatchObject({ default: '5.00' })
    await app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body: {} })
    expect(await valuesOf(table)).toEqual(['1.00', '5.00'])
    const { errors } = await expectProblem(await retype(table, { type: 'date', onFailure: 'null' }), 422, 'validation_failed')
    expect(errors![0]!.path).toBe('/default')
    expect((await retype(table, { type: 'date', onFailure: 'null', default: null })).status).toBe(200)
  })

  test('links: by the key, with a foreign key from then on', async () => {
    await admin('', 'POST', { name: 'authors', columns: [{ name: 'name', type: 'text' }] })
    await app.deps.db.sql.unsafe(`insert into data.authors (name) values ('Ada'), ('Grace')`)
    const table = await tableOf({ type: 'text' }, ['1', '2', '3', 'Bob', null])
    const to = { type: 'link', options: { table: 'authors' } }
    const report = await json(retype(table, to, '?dryRun=true'))
    expect(report).toMatchObject({ convertible: 3, failing: 2, rows: [{ key: '3' }, { key: '4' }] })
    expect((await retype(table, { ...to, onFailure: 'null' })).status).toBe(200)
    expect(await valuesOf(table)).toEqual([1, 2, null, null, null])
    await expectProblem(await app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body: { v: 9 } }), 409, 'conflict')
    expect((await json(retype(table, { options: { table: 'authors', onDelete: 'cascade' } }))).options.onDelete).toBe('cascade')
    await app.call('/api/v1/tables/authors/records/1', { as: 'editor', method: 'DELETE' })
    expect(await valuesOf(table)).toEqual([2, null, null, null])
    expect((await retype(table, { type: 'integer' })).status).toBe(200)
    await app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body: { v: 9 } })
    expect(await valuesOf(table)).toEqual([2, null, null, null, 9])
  })

  test('what the database filled in becomes an ordinary column', async () => {
    for (const [type, to] of [
      ['createdAt', 'dateTime'],
      ['updatedAt', 'date'],
      ['autoNumber', 'integer'],
      ['createdBy', 'user'],
    ] as const) {
      const name = `t${++number}`
      await admin('', 'POST', { name, columns: [{ name: 'v', type }] })
      await app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body: {} })
      const answer = await retype(name, { type: to, required: false })
      expect({ type, status: answer.status }).toEqual({ type, status: 200 })
      expect((await app.call(`/api/v1/tables/${name}/records/1`, { as: 'editor', method: 'PATCH', body: { v: null } })).status).toBe(200)
      await app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body: {} })
      expect(await valuesOf(name)).toEqual([null, null])
    }
  })

  test.each([
    ['attachment', 'text'],
    ['formula', 'text'],
    ['text', 'formula'],
    ['text', 'attachment'],
    ['text', 'autoNumber'],
    ['text', 'createdAt'],
    ['text', 'updatedBy'],
  ])('%s cannot become %s', async (type, to) => {
    const options: Record<string, object> = { manyLinks: { table: 'plain' }, formula: { expression: '1' } }
    await admin('', 'POST', { name: 'plain', columns: [] })
    const name = `t${++number}`
    await admin('', 'POST', { name, columns: [{ name: 'v', type, options: options[type] }] })
    for (const query of ['', '?dryRun=true']) {
      await expectProblem(await retype(name, { type: to, options: options[to] }, query), 409, 'conflict')
    }
  })

  test('keys keep their type', async () => {
    await admin('', 'POST', { name: 'keyed', columns: [] })
    await expectProblem(await admin('/keyed/columns/id', 'PATCH', { type: 'text' }), 409, 'conflict')
    await admin('', 'POST', { name: 'named', primaryKey: ['code'], columns: [{ name: 'code', type: 'text' }] })
    await expectProblem(await admin('/named/columns/code', 'PATCH', { type: 'integer' }), 409, 'conflict')
    expect((await admin('/named/columns/code', 'PATCH', { options: { maxLength: 5 } })).status).toBe(200)
  })

  test('a required column is not emptied', async () => {
    const table = await tableOf({ type: 'text', required: true }, ['x', ''])
    await expectProblem(await retype(table, { type: 'integer', onFailure: 'null' }), 422, 'validation_failed')
    expect((await json(retype(table, { type: 'integer' }, '?dryRun=true'))).rows).toMatchObject([
      {},
      { message: 'is required and has no value' },
    ])
    expect(await json(retype(table, { type: 'integer', onFailure: 'null', required: false }))).toMatchObject({ required: false })
    expect(await valuesOf(table)).toEqual([null, null])
  })

  test('another expression of a formula computes all values anew', async () => {
    await admin('', 'POST', {
      name: 'f',
      columns: [
        { name: 'a', type: 'integer' },
        { name: 'v', type: 'formula', options: { expression: 'a + 1' } },
        { name: 'z', type: 'text' },
      ],
    })
    await app.deps.db.sql.unsafe('insert into data.f (a) values (1), (2)')
    expect((await json(retype('f', { options: { expression: "a::text || '!'" } }))).options).toEqual({
      expression: "a::text || '!'",
      valueType: 'text',
    })
    expect(await valuesOf('f')).toEqual(['1!', '2!'])
    const { columns } = await json(app.call('/api/v1/tables/f', { as: 'viewer' }))
    expect(columns.map(({ name }: { name: string }) => name)).toEqual(['id', 'a', 'v', 'z'])
    const division = await expectProblem(await retype('f', { options: { expression: '1 / (a - 1)' } }), 409, 'conflict')
    expect(division.message).toContain('do not fit')
    await expectProblem(await retype('f', { options: { expression: 'v + 1' } }), 422, 'validation_failed')
  })
})
