import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../support/app'
import { crm } from '../support/crm'
import { upload } from '../support/csv'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })

/** What an export says is what an import reads: for every type, whatever the values, the file and its options. */
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => !value.includes('\0') && value.isWellFormed())
const hostile = fc.oneof(text, fc.constantFrom('', '=1', '"', '\\.', '\r\n', ' x ', 'null', ',', ';\t|', "'", '[1]', '{a}'))
const jsonValue = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => value !== null && !JSON.stringify(value).includes('\\u0000') && !/\\ud[89a-f]/i.test(JSON.stringify(value)))
const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const moment = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }).map((date) => date.toISOString())

const record = fc.record(
  {
    text: hostile,
    longText: hostile,
    integer: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    bigint: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    decimal: fc
      .tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.integer({ min: 0, max: 99 }))
      .map(([whole, part]) => `${whole}.${String(part).padStart(2, '0')}`),
    numeric: fc.constantFrom('0', '1e20', '0.000000001', '-123456789012345678901234567890.5'),
    float: fc.double({ noNaN: true, noDefaultInfinity: true }),
    boolean: fc.boolean(),
    date: day,
    time: fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:07.5`),
    dateTime: moment,
    json: jsonValue,
    uuid: fc.uuid(),
    select: fc.constantFrom('a', 'b, c', '"d"'),
    multiSelect: fc.subarray(['a', 'b, c', '"d"', '[e]']),
    tags: fc.subarray([1, 2, 3]),
  },
  { requiredKeys: [] },
)

const choices = ['a', 'b, c', '"d"', '[e]']
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'tags', columns: [{ name: 'label', type: 'text' }] } })
await app.call('/api/v1/tables/tags/records', { as: 'editor', body: [{}, {}, {}] })
const made = await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'all',
    columns: [
      ...['text', 'longText', 'integer', 'bigint', 'float', 'boolean', 'date', 'time', 'dateTime', 'json', 'uuid'].map((type) => ({
        name: type,
        type,
      })),
      { name: 'decimal', type: 'decimal', options: { precision: 12, scale: 2 } },
      { name: 'numeric', type: 'decimal' },
      { name: 'select', type: 'select', options: { choices } },
      { name: 'multiSelect', type: 'multiSelect', options: { choices } },
      { name: 'tags', type: 'manyLinks', options: { table: 'tags' } },
    ],
  },
})
if (made.status !== 201) throw new Error(await made.text())

const list = async (table: string, order: string) =>
  (await app.call(`/api/v1/tables/${table}/records?order=${order}&limit=1000`, { as: 'viewer' })).text()

test('of a table with every type', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('', '&delimiter=semicolon', '&delimiter=tab&bom=1', '&delimiter=pipe'),
      async (records, options) => {
        await app.deps.db.sql.unsafe('truncate data."all" cascade')
        const created = await app.call('/api/v1/tables/all/records', { as: 'editor', body: records })
        expect({ status: created.status, body: created.status === 201 ? '' : await created.text() }).toEqual({ status: 201, body: '' })
        const before = await list('all', 'id')
        const file = await (await app.call(`/api/v1/tables/all/export.csv?order=id${options}`, { as: 'viewer' })).text()
        await app.deps.db.sql.unsafe('truncate data."all" cascade')
        const answer = await upload(app, 'all', file)
        expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 200, body: { inserted: records.length } })
        expect(await list('all', 'id')).toBe(before)
        // Once more over what is there: nothing changes.
        expect(await json(upload(app, 'all', file, { query: '?mode=upsert' }))).toMatchObject({ inserted: 0, updated: records.length })
        expect(await list('all', 'id')).toBe(before)
      },
    ),
    { numRuns: 60 },
  )
})

test('of a table that Rowhouse did not make', async () => {
  await app.deps.db.sql.unsafe(crm)
  await app.deps.db.sql.unsafe(`create domain crm.few as integer[] check (cardinality(value) < 3); create table crm.odd (
      id int generated always as identity primary key, ints int[], texts text[], matrix int[][], span tstzrange, whole int4range, bytes bytea, net inet, gap interval,
      day date, at timestamp, moment timestamptz, real real, num numeric, bits bit varying(8), short varchar(5), fixed char(3), plain json, words tsvector, money money, few crm.few)`)
  await app.deps.db.sql.unsafe(`insert into crm.odd (ints, texts, matrix, span, whole, bytes, net, gap, day, at, moment, real, num, bits, short, fixed, plain, words, money, few) values
      ('{1,null,3}', array['a,b','"',null,'{}',''], '{{1,2},{3,4}}', '[2026-01-01,2026-02-01)', 'empty', '\\x00ff', '10.0.0.0/8', '1 mon 2 days 03:04:05', 'infinity', '-infinity', 'infinity',
       1.5e-7, 'NaN', B'101', 'äöüß€', 'ab', '{"a" : [1,  2]}', 'a:1 b:2', 12.5, '{1,null}'),
      ('{}', '{}', '{}', null, '[1,)', '', '::1', '-1 day', '12026-01-01', '0044-03-15 12:00 BC', '2026-01-01 00:00:00.123456+00', 'Infinity', -1e100, B'', '', '', 'null', '', -0.01, '{}'),
      (null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null)`)
  const before = await app.deps.db.sql.unsafe('select o::text as row from crm.odd o order by id')
  const file = await (await app.call('/api/v1/tables/crm.odd/export.csv?order=id', { as: 'viewer' })).text()
  const answer = await upload(app, 'crm.odd', file, { query: '?mode=upsert' })
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 200, body: { updated: 3 } })
  await app.deps.db.sql.unsafe('truncate crm.odd')
  expect(await json(upload(app, 'crm.odd', file, { query: '?mode=upsert' }))).toMatchObject({ inserted: 3 })
  expect((await app.deps.db.sql.unsafe('select o::text as row from crm.odd o order by id')).map(({ row }) => row)).toEqual(
    before.map(({ row }) => row),
  )
  expect((await upload(app, 'crm.odd', 'short\ntoo long\n')).status).toBe(422)
})

test('of texts that PostgreSQL compares in a way of its own, which may be empty', async () => {
  await app.deps.db.sql.unsafe(`create schema if not exists crm; create extension citext schema crm; create extension hstore schema crm;
    create table crm.coded (code char(5) primary key, nick crm.citext not null, more crm.hstore);
    insert into crm.coded (code, nick) values ('ab', ''), ('xyz', 'Ann')`)
  const stored = async () => (await app.deps.db.sql.unsafe('select c::text as row from crm.coded c order by code')).map(({ row }) => row)
  const before = await stored()
  const file = await (await app.call('/api/v1/tables/crm.coded/export.csv?order=code', { as: 'viewer' })).text()
  expect(await json(upload(app, 'crm.coded', file, { query: '?mode=upsert' }))).toMatchObject({ updated: 2, inserted: 0 })
  expect(await stored()).toEqual(before)
  const refused = await upload(app, 'crm.coded', 'code,nick\nc,""\n"c ",x\nd,\n')
  expect([refused.status, (await json(refused)).errors]).toMatchObject([
    422,
    [
      { line: 3, column: 'code' },
      { line: 4, column: 'nick', message: 'is required' },
    ],
  ])
  expect((await upload(app, 'crm.coded', 'code,nick,more\ne,"",""\n')).status).toBe(200)
  expect(await app.deps.db.query<object>(`select nick::text, more::text from crm.coded where code = 'e'`)).toEqual([{ nick: '', more: '' }])
})
