import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { columnTypeNames, columnTypes } from '../../src/tables/column-types'
import { ruleNames } from '../../src/tables/column-types/definition'
import { columnOfConstraint, constraintName } from '../../src/tables/constraints'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'
import { rejection } from '../support/rejection'

const app = await startApp()
const psql = (text: string) => app.deps.db.sql.unsafe(text)
const made = async (name: string, columns: object[]) => {
  const response = await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
  if (response.status !== 201) throw new Error(await response.text())
}

/**
 * What psql must not be able to store in a column: SQL. Types of PostgreSQL that take nothing else than their values
 * stand empty.
 */
const broken: Record<string, { options?: object; values: string[] }> = {
  text: { options: { minLength: 2, maxLength: 3, pattern: '^[a-z]*$' }, values: ["'a'", "'abcd'", "'AB'"] },
  longText: { options: { maxLength: 3 }, values: ["'abcd'", "repeat('🦊', 4)"] },
  integer: { options: { min: -1, max: 10 }, values: ['-2', '11'] },
  bigint: { options: { min: '-9007199254740993', max: '9007199254740993' }, values: ['-9007199254740994', '9007199254740994'] },
  decimal: { options: { precision: 5, scale: 2, min: '0.01', max: 100 }, values: ["'NaN'", '0', '100.01', '1000'] },
  currency: { options: { currency: 'EUR', max: 100 }, values: ["'NaN'", '100.01'] },
  percent: { options: { min: 0, max: 1 }, values: ["'NaN'", '-0.01', '1.01'] },
  rating: { options: { max: 3 }, values: ['0', '4', '-1'] },
  duration: { options: { max: 3600 }, values: ['3601'] },
  float: { options: { min: 0 }, values: ["'NaN'", "'Infinity'", "'-Infinity'", '-1e-300'] },
  boolean: { values: ["'maybe'"] },
  date: { options: { min: '2026-01-01', max: '2026-12-31' }, values: ["'2025-12-31'", "'2027-01-01'", "'infinity'", "'0044-03-15 BC'"] },
  time: { values: ["'24:00'"] },
  dateTime: { options: { min: '2026-01-01T00:00:00Z' }, values: ["'2025-12-31T23:59:59.999999Z'", "'infinity'", "'10000-01-01Z'"] },
  json: { values: ["'{'"] },
  uuid: { values: ["'x'"] },
  email: { values: ["'ada'", "'a@b'", "'a b@c.d'", "'a@b.c' || chr(10)", "''"] },
  url: { values: ["'javascript:alert(1)'", "'https://x y'", "'https://x' || chr(10)", "''"] },
  phone: { values: ["'abc'", "''", "repeat('1', 41)"] },
  select: { options: { choices: ['a', "it's \\"] }, values: ["'b'", "'A'", "''"] },
  multiSelect: { options: { choices: ['a', 'b'] }, values: ["'{c}'", "'{a,c}'", "'{NULL}'", "'{{a},{b}}'"] },
  attachment: { options: { maxFiles: 1 }, values: ['null', "'{}'", "'1'", "'null'", "'[{},{}]'"] },
  link: { options: { table: 'targets' }, values: ['9'] },
  manyLinks: { options: { table: 'targets' }, values: [] },
  user: { values: ["'01890a5d-ac96-774b-bcce-b302099a8057'"] },
  autoNumber: { values: ['5', 'null'] },
  createdAt: { values: ['null'] },
  updatedAt: { values: ['null'] },
  createdBy: { values: ["'01890a5d-ac96-774b-bcce-b302099a8057'"] },
  updatedBy: { values: ["'01890a5d-ac96-774b-bcce-b302099a8057'"] },
  formula: { options: { expression: '1 + 1' }, values: ['2'] },
}

await made('targets', [])

/** Those that are columns of PostgreSQL, or tables between. */
const storedTypes = columnTypeNames.filter((name) => !columnTypes[name].isVirtual)

describe.each(storedTypes.map((type) => [type]))('%s', (type) => {
  const { options, values } = broken[type]!

  test('psql cannot break it', async () => {
    await made(type, [{ name: 'v', type, options }])
    for (const value of values) {
      const outcome = await psql(`insert into data."${type}" (v) values (${value})`).then(
        () => 'stored',
        (error) => error.code,
      )
      expect({ value, outcome }).toEqual({ value, outcome: expect.stringMatching(/^(22|23|42|428)/) })
    }
    expect(await psql(`select 1 from data."${type}"`)).toHaveLength(0)
  })

  test('psql cannot break what was added to a table with records either', async () => {
    await made(`${type} later`, [])
    await psql(`insert into data."${type} later" default values`)
    const added = await app.call(`/api/v1/tables/${encodeURIComponent(`${type} later`)}/columns`, {
      as: 'admin',
      body: { name: 'v', type, options },
    })
    expect(added.status).toBe(201)
    // Of an update the trigger sets it, whatever was said.
    for (const value of type === 'updatedAt' ? [] : values) {
      expect(await rejection(psql(`update data."${type} later" set v = ${value}`).then(() => `${value} was stored`))).toMatchObject({
        code: expect.any(String),
      })
    }
  })
})

test('every type is tried', () => {
  expect(Object.keys(broken).sort()).toEqual([...storedTypes].sort())
})

test('updatedAt is the database’s own, whatever a statement says', async () => {
  await made('stamped', [
    { name: 'v', type: 'updatedAt' },
    { name: 'a', type: 'integer' },
  ])
  await psql(`insert into data.stamped (v) values ('2001-01-01Z')`)
  await psql(`update data.stamped set v = '2000-01-01Z', a = 1`)
  const [row] = await psql(`select v > now() - interval '1 minute' as is_new, a from data.stamped`)
  expect({ ...row }).toEqual({ is_new: true, a: 1 })
})

test('links: both tables between and foreign keys follow what psql deletes and renumbers', async () => {
  await made('people', [
    { name: 'friends', type: 'manyLinks', options: { table: 'people' } },
    { name: 'boss', type: 'link', options: { table: 'people' } },
  ])
  await app.call('/api/v1/tables/people/records', { as: 'editor', body: [{}, { boss: 1, friends: [1] }] })
  await psql('update data.people set id = 7 where id = 1')
  expect(await json(app.call('/api/v1/tables/people/records/2', { as: 'viewer' }))).toEqual({ id: 2, friends: [7], boss: 7 })
  await psql('delete from data.people where id = 7')
  expect(await json(app.call('/api/v1/tables/people/records/2', { as: 'viewer' }))).toEqual({ id: 2, friends: [], boss: null })
  expect(await rejection(psql('insert into data.people_friends values (2, 9)').then(() => 'stored'))).toMatchObject({ code: '23503' })
})

test('what is refused by a constraint alone names the column, and not the value', async () => {
  await made('refusing', [
    { name: 'a_b', type: 'text', options: { pattern: '^[a-z]+$' } },
    { name: 'a', type: 'decimal', options: { min: '0.10' } },
    { name: 'ü'.repeat(31), type: 'text', options: { pattern: '^x' } },
  ])
  for (const [body, path, message] of [
    [{ a_b: 'SECRET' }, '/a_b', 'does not match the pattern of this column'],
    [{ a: 0.05 }, '/a', 'must be at least 0.10'],
    [{ ['ü'.repeat(31)]: 'SECRET' }, `/${'ü'.repeat(31)}`, 'does not match the pattern of this column'],
  ] as const) {
    const problem = await expectProblem(await app.call('/api/v1/tables/refusing/records', { as: 'editor', body }), 422, 'validation_failed')
    expect(problem.errors).toEqual([{ path, message }])
    expect(JSON.stringify(problem)).not.toContain('SECRET')
  }
})

test('the name of a constraint is one column’s alone, fits, and leads back to it', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 63 }).filter((text) => Buffer.byteLength(text) <= 63)
  const columns = fc.uniqueArray(name, { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(columns, (names) => {
      const table = { columns: names.map((column) => ({ name: column, type: 'text' as const, options: { pattern: 'x', maxLength: 1 } })) }
      const made = names.flatMap((column) => ruleNames.map((rule) => [column, constraintName(column, rule)] as const))
      expect(new Set(made.map(([, constraint]) => constraint)).size).toBe(made.length)
      for (const [column, constraint] of made) {
        expect(Buffer.byteLength(constraint)).toBeLessThanOrEqual(63)
        expect(columnOfConstraint(table, constraint)?.name).toBe(column)
      }
      expect(columnOfConstraint(table, 'no_such_check')).toBeUndefined()
    }),
  )
})

test('a choice that nobody has given words yet can be left empty, and nothing else', async () => {
  await made('wordless', [{ name: 'v', type: 'select', options: { choices: [] } }])
  await psql('insert into data.wordless default values')
  expect(await rejection(psql("insert into data.wordless (v) values ('')").then(() => 'stored'))).toMatchObject({ code: '23514' })
  const added = await app.call('/api/v1/tables/wordless/columns', {
    as: 'admin',
    body: { name: 'w', type: 'select', options: { choices: [] } },
  })
  expect(added.status).toBe(201)
})
