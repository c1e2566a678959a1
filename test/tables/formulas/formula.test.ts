import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { allowedFunctions, allowedOperators, allowedTypes } from '../../../src/tables/formulas/allowed'
import { readFormula, renamedFormula } from '../../../src/tables/formulas/formula'
import { FormulaProblem } from '../../../src/tables/formulas/problem'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'
import { settled } from '../../support/rejection'

const app = await startApp()
const column = (name: string, type: string, more: object = {}) => ({ name, type, ...more })
const columns = [
  column('a', 'integer'),
  column('b', 'integer'),
  column('price', 'decimal', { options: { precision: 8, scale: 2 } }),
  column('name', 'text'),
  column('Unit "€"', 'text'),
  column('day', 'date'),
  column('moment', 'dateTime'),
  column('tags', 'multiSelect', { options: { choices: ['x', 'y'] } }),
  column('data', 'json'),
  column('done', 'boolean'),
  column('links', 'manyLinks', { options: { table: 'sheet' } }),
]
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'sheet', columns } })
await app.call('/api/v1/tables/sheet/records', {
  as: 'editor',
  body: {
    a: 7,
    b: 2,
    price: 10.5,
    name: 'Ada',
    'Unit "€"': 'kg',
    day: '2026-01-31',
    moment: '2026-01-31T12:00:00Z',
    tags: ['x'],
    data: { k: [1] },
    done: true,
  },
})
let number = 0
const add = (expression: string, name = `f${++number}`) =>
  app.call('/api/v1/tables/sheet/columns', { as: 'admin', body: { name, type: 'formula', options: { expression } } })
const recordOne = () => json(app.call('/api/v1/tables/sheet/records/1', { as: 'viewer' }))

const sheet = (...names: string[]) => names.map((name) => ({ name, type: 'integer' as const }))

describe('a name without quotes', () => {
  test.each([
    ['Price * 1.19', ['Price'], '"Price" * 1.19'],
    ['PRICE + price', ['Price'], '"Price" + "Price"'],
    ['Ära + A', ['Ära', 'a'], 'Ära + A'],
    ['PRICE', ['Price', 'price'], 'PRICE'],
    ['"Price" + Total', ['Price', 'price', 'total'], '"Price" + Total'],
  ])('means the only column that is called so but for its case: %s of %p', async (expression, names, text) => {
    const formula = await readFormula(expression, sheet(...names))
    expect(formula.text).toBe(text)
    expect(formula.uses.filter((name) => !names.includes(name))).toEqual([])
  })

  test.each([
    ['PRICE', ['Price', 'PRice'], 'a column that does not exist'],
    ['Prise', ['Price'], 'did you mean "Price"'],
  ])('is refused where none is, or more than one: %s of %p', async (expression, names, message) => {
    expect(await settled(readFormula(expression, sheet(...names)))).toThrow(message)
  })

  test('stays right when its column is renamed, and when another comes that it could mean', async () => {
    const table = { name: 'cased', columns: [column('Price', 'integer')] }
    expect((await app.call('/api/v1/tables', { as: 'admin', body: table })).status).toBe(201)
    const formula = { name: 'twice', type: 'formula', options: { expression: 'Price * 2' } }
    const made = await json(app.call('/api/v1/tables/cased/columns', { as: 'admin', body: formula }))
    expect(made.options.expression).toBe('"Price" * 2')
    const columnsOf = async () => (await json(app.call('/api/v1/tables/cased', { as: 'viewer' }))).columns as { id: string; name: string }[]
    await app.call('/api/v1/tables/cased/columns', { as: 'admin', body: column('price', 'integer') })
    const { id } = (await columnsOf()).find(({ name }) => name === 'Price')!
    await app.call(`/api/v1/tables/cased/columns/${id}`, { as: 'admin', method: 'PATCH', body: { name: 'Net Price' } })
    expect(await columnsOf()).toContainEqual(
      expect.objectContaining({ options: expect.objectContaining({ expression: '"Net Price" * 2' }) }),
    )
    expect((await json(app.call('/api/v1/tables/cased/records', { as: 'editor', body: { 'Net Price': 4, price: 1 } }))).twice).toBe(8)
  })
})

describe('a formula', () => {
  test.each([
    ['a + b * 2 - -1', 'integer', 12],
    ['a / b', 'integer', 3],
    ['a::numeric / b', 'decimal', 3.5],
    ['cast(a as double precision) / b', 'float', 3.5],
    ['(price * a)::numeric(10, 1)', 'decimal', 73.5],
    ['name || \' \' || "Unit ""€"""', 'text', 'Ada kg'],
    ['upper(left(name, 1))', 'text', 'A'],
    ["case when done then 'yes' else 'no' end", 'text', 'yes'],
    ["case a when 7 then 'seven' end", 'text', 'seven'],
    ['done and not (a > 9 or b is null)', 'boolean', true],
    ['a between 1 and 9 and b not between 5 and 6', 'boolean', true],
    ["name in ('Ada', 'Bob') and name not in ('x')", 'boolean', true],
    ["name like 'A%' and name not ilike 'b%'", 'boolean', true],
    ['a is distinct from b', 'boolean', true],
    ['done is not true', 'boolean', false],
    ["coalesce(nullif(name, 'Ada'), 'nobody')", 'text', 'nobody'],
    ['greatest(a, b, 100) - least(a, b)', 'integer', 98],
    ['extract(year from day)::integer', 'integer', 2026],
    ["extract(hour from moment at time zone 'Europe/Berlin')", 'decimal', 13],
    ['day + 1', 'date', '2026-02-01'],
    ["(day + interval '1 month')::date", 'date', '2026-02-28'],
    ['make_date(a + 2000, b, 1)', 'date', '2007-02-01'],
    ["'x' = any(tags)", 'boolean', true],
    ["tags @> array['x', 'y']", 'boolean', false],
    ["cardinality(tags) + coalesce(array_position(tags, 'x'), 0)", 'integer', 2],
    ['tags[1]', 'text', 'x'],
    ["data -> 'k' -> 0", 'json', 1],
    ["(data #>> '{k,0}')::integer", 'integer', 1],
    ["substring(name from 2 for 1) || trim(both from name) || position('d' in name)::text", 'text', 'dAda2'],
    ["regexp_replace(name, '[aeiou]', '*', 'gi')", 'text', '*d*'],
    ["lpad(a::text, 5, '0')", 'text', '00007'],
    ["replace(replace(replace(lower(name), 'a', 'ae'), 'd', 'de'), 'x', '')", 'text', 'aedeae'],
    ['replace(name, "Unit ""€""", \'kg\')', 'text', 'Ada'],
    ["e'it''s a \\\\ \\t' || name -- why", 'text', "it's a \\ \tAda"],
    ['0', 'integer', 0],
    ['12345678901234', 'bigint', 12345678901234],
    ['round(price, 0) /* half up */', 'decimal', 11],
  ])('%s', async (expression, valueType, value) => {
    const added = await add(expression)
    const body = await added.json()
    expect({ status: added.status, body }).toMatchObject({ status: 201, body: { type: 'formula', options: { expression, valueType } } })
    expect((await recordOne())[body.name]).toEqual(value)
    const gone = await app.call(`/api/v1/tables/sheet/columns/${body.name}?confirm=${body.name}`, { as: 'admin', method: 'DELETE' })
    expect(gone.status).toBe(204)
  })

  test.each([
    ['', 'length'],
    ['a +', 'PostgreSQL cannot read the formula at character 4.'],
    ['a; drop table data.sheet', 'cannot read'],
    ['a, b', 'cannot read'],
    ['a as x', 'cannot read'],
    ['a from data.sheet', 'cannot read'],
    ['distinct a', 'cannot read'],
    ['*', 'only columns of its own table'],
    ['sheet.a', 'only columns of its own table'],
    ['1) stored, add column evil text default (1', 'cannot read'],
    ['(select 1)', 'not allowed'],
    ['exists (select 1)', 'not allowed'],
    ['now()', 'uses a function that is not allowed in a formula'],
    ['current_date', 'not allowed'],
    ['current_user', 'not allowed'],
    ['random()', 'a function'],
    ['pg_sleep(9)', 'a function'],
    ['pg_read_file(name)', 'a function'],
    ['repeat(name, 1000000000)', 'a function'],
    ['public.lower(name)', 'a function'],
    ["set_config('a', 'b', false)", 'a function'],
    ['lowr(name)', 'did you mean "lower"'],
    ['count(*)', 'a function'],
    ['sum(a) over ()', 'a function'],
    ['abs(distinct a)', 'in a way'],
    ['lpad(name, 1000000000)', 'at most 1000'],
    ['lpad(name, a)', 'at most 1000'],
    ["length(replace(name, 'x', name))", 'a constant replacement text in "replace"'],
    ["length(regexp_replace(name, 'x', name, 'g'))", 'a constant replacement text in "regexp_replace"'],
    ["replace(name, 'd', 'd' || name)", 'a constant replacement text'],
    ["replace(name, 'd', name::text)", 'a constant replacement text'],
    [`replace(name, 'd', '${'x'.repeat(300)}')`, 'more than 256 times as long'],
    [`replace(replace(name, 'd', '${'x'.repeat(20)}'), 'x', '${'d'.repeat(20)}')`, 'more than 256 times as long'],
    [`replace(coalesce(regexp_replace(name, '', '${'x'.repeat(20)}', 'g'), '') || name, 'x', '${'d'.repeat(20)}')`, 'more than 256 times'],
    [`replace(overlay(name placing replace(name, 'a', '${'x'.repeat(20)}') from 1), 'x', '${'d'.repeat(20)}')`, 'more than 256 times'],
    ['$1', 'not allowed'],
    ['name::regclass', 'a type'],
    ['name::data.sheet', 'a type'],
    ['name::text collate "C"', 'not allowed'],
    ['a operator(public.+) b', 'an operator'],
    ['a ## b', 'an operator'],
    ['naem', 'did you mean "name"? (at character 1)'],
    ['A + unit', 'a column that does not exist (at character 5)'],
    ['"name" + nothing', 'at character 10'],
    ['links', 'come from other tables'],
    ['name + a', 'does not take values of these types'],
    ['name::text[]', 'no column has'],
    ["interval '1 day'", 'no column has'],
    ["a + 'x'", 'always fails'],
    ['1 / 0', 'always fails'],
    ['moment::date', 'depends on more than the record'],
    ['day::text', 'depends on more than the record'],
    ['extract(hour from moment)', 'depends on more than the record'],
    [`${'not '.repeat(990)}done`, null],
  ] as [string, string | null][])('is refused: %s', async (expression, message) => {
    const answer = await add(expression)
    if (message === null) return expect([201, 422]).toContain(answer.status)
    const { errors } = await expectProblem(answer, 422, 'validation_failed')
    expect(errors![0]!.path).toBe('/options/expression')
    expect(errors![0]!.message).toContain(message)
    const { columns: left } = await json(app.call('/api/v1/tables/sheet', { as: 'viewer' }))
    expect(left).toHaveLength(columns.length + 1 + left.filter(({ type }: { type: string }) => type === 'formula').length)
  })

  test('of a formula: PostgreSQL has none, and it is said', async () => {
    await add('a + 1', 'first')
    const { errors } = await expectProblem(await add('first + 1'), 422, 'validation_failed')
    expect(errors![0]!.message).toContain('formula itself')
  })

  test('fails for the values that it cannot take, and the record is refused', async () => {
    await add('a / (b - 1)', 'risky')
    await expectProblem(await app.call('/api/v1/tables/sheet/records', { as: 'editor', body: { a: 1, b: 1 } }), 422, 'validation_failed')
  })
})

describe('the lists', () => {
  test('of functions are functions of PostgreSQL that give the same for ever, in every version', async () => {
    const rows = await app.deps.db.query<{ name: string; volatile: boolean }>(
      `select proname as name, bool_and(provolatile <> 'i') as volatile from pg_proc where pronamespace = 'pg_catalog'::regnamespace and prokind = 'f' group by 1`,
    )
    const known = new Map(rows.map(({ name, volatile }) => [name, volatile]))
    for (const name of allowedFunctions) expect({ name, volatile: known.get(name) }).toEqual({ name, volatile: false })
  })

  test('of operators and types are PostgreSQL’s', async () => {
    const found = await app.deps.db.query<{ name: string }>(
      `select distinct oprname as name from pg_operator where oprnamespace = 'pg_catalog'::regnamespace`,
    )
    const names = found.map(({ name }) => name)
    // The scanner turns != into <>.
    for (const operator of allowedOperators) expect([...names, '!=']).toContain(operator)
    for (const [internal, sql] of Object.entries(allowedTypes)) {
      const [row] = await app.deps.db.query<{ same: boolean }>(`select ('pg_catalog.' || $1::text)::regtype = $2::text::regtype as same`, [
        internal,
        sql,
      ])
      expect({ internal, same: row!.same }).toEqual({ internal, same: true })
    }
  })
})

const known = [
  { name: 'a', type: 'integer' },
  { name: 'Größe "x"', type: 'integer' },
] as const

test('no text makes anything but a formula or a problem', async () => {
  const words = [
    'a',
    '"Größe ""x"""',
    '(',
    ')',
    '+',
    '-',
    ',',
    "'",
    '"',
    ';',
    '--',
    '/*',
    'case',
    'when',
    'then',
    'end',
    'not',
    'select',
    'lower(',
    '::',
    'int',
    '1',
    '1e5',
    '$$',
    '\\',
    ' ',
    '\n',
    '[',
    ']',
    'in',
    'is null',
    "E'\\",
    'U&"',
  ]
  const expression = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join(' ')),
  )
  await fc.assert(
    fc.asyncProperty(expression, async (text) => {
      const formula = await readFormula(text.toWellFormed().replaceAll('\0', ''), known).catch((error) => {
        if (!(error instanceof FormulaProblem)) throw error
        return null
      })
      if (formula) expect(await readFormula(formula.sql, known)).toEqual({ ...formula, text: formula.sql })
    }),
    { numRuns: 3000 },
  )
})

test('a renamed column is renamed in the expression, and nothing else is', async () => {
  for (const [expression, expected] of [
    ['a + A /* a */ + "a"', '"b ""c""" + "b ""c""" /* a */ + "b ""c"""'],
    ["'a' || a::text || 'é a'", '\'a\' || "b ""c"""::text || \'é a\''],
    ['"Größe ""x""" + a', '"Größe ""x""" + "b ""c"""'],
    ['abs(a)', 'abs("b ""c""")'],
  ]) {
    expect(await renamedFormula(expression!, 'a', 'b "c"')).toBe(expected!)
  }
  expect(await renamedFormula('U&"\\0061" + 1', 'a', 'b')).toBe('("b" operator(pg_catalog.+) 1)')
})
