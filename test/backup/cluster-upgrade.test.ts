import { afterAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { readChecksums, requireSameRows } from '../../src/backup/database-copy/checksums'
import { compareDumps, countKinds } from '../../src/backup/database-copy/comparison'
import { splitDatabase } from '../../src/backup/database-copy/definitions'
import { listStoredTables } from '../../src/backup/database-copy/table-rows'
import { postgresMajor } from '../../src/db/embedded/runtime'
import { connectDirectly } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'
import { testServer } from '../support/server'

const sql = connectDirectly(await (await testServer()).createDatabase(), readConfig({}))
afterAll(() => sql.end({ timeout: 1 }))

test('the packed pg_dump knows the packed PostgreSQL, whose dump the upgrade compares', async () => {
  const path = resolve(import.meta.dir, '../../node_modules/@electric-sql/pglite-tools/dist/pg_dump.wasm')
  const found = /pg_dump \(PostgreSQL\) (\d+)/.exec(await Bun.file(path).text())
  expect(Number(found?.[1])).toBeGreaterThanOrEqual(postgresMajor)
})

describe('dumps', () => {
  const entry = (name: string, type: string, body: string) =>
    `--\n-- Name: ${name}; Type: ${type}; Schema: s; Owner: o\n--\n\n${body}\n\n\n`
  const dump = (...entries: string[]) =>
    `--\n-- PostgreSQL database dump\n--\n\n-- Dumped from database version 17\n\n${entries.join('')}--\n-- PostgreSQL database dump complete\n--\n\n`
  const [one, two] = [entry('a', 'TABLE', 'CREATE TABLE s.a (b text);'), entry('b', 'FUNCTION', 'CREATE FUNCTION s.b();')]

  test('are the same in another order', () => {
    expect(compareDumps(dump(one, two), dump(two, one))).toEqual({ missing: [], added: [], changed: [] })
    expect(Object.fromEntries(countKinds(dump(one, two, two)))).toEqual({ TABLE: 1, FUNCTION: 2 })
  })

  test('tell what is missing, added and changed', () => {
    const other = entry('a', 'TABLE', 'CREATE TABLE s.a (b text NOT NULL);')
    const label = (name: string, type: string) => `Name: ${name}; Type: ${type}; Schema: s; Owner: o`
    expect(compareDumps(dump(one, two), dump(other))).toEqual({
      missing: [label('b', 'FUNCTION')],
      added: [],
      changed: [label('a', 'TABLE')],
    })
    expect(compareDumps(dump(one), dump(one, two))).toEqual({ missing: [], added: [label('b', 'FUNCTION')], changed: [] })
  })

  test.each([
    ["CHECK (((s)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[])))", true],
    ["CHECK (((s)::text = ANY (ARRAY[('a'::character varying)::text, ('b'::character varying)::text])))", true],
    ['CHECK (((s)::text = ANY (ARRAY[(\'a\'::"My Type"."x y"(3))::text, (\'b\'::timestamp(3) without time zone)::text])))', true],
    ["CHECK (((s)::text = ANY (ARRAY[('a'::character varying)::text, ('c'::character varying)::text])))", false],
    ["CHECK (((s)::text <> ANY (ARRAY[('a'::character varying)::text, ('b'::character varying)::text])))", false],
  ])('of expressions differ in more than casts: %s', (body, isSame) => {
    const written = "CHECK (((s)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[])))"
    const differences = (type: string) => compareDumps(dump(entry('c', type, written)), dump(entry('c', type, body))).changed.length
    expect(differences('CONSTRAINT')).toBe(isSame ? 0 : 1)
    // The text of a function is its own.
    expect(differences('FUNCTION')).toBe(body === written ? 0 : 1)
  })

  test('with and without settings of the database', () => {
    const create = "CREATE DATABASE rowhouse WITH TEMPLATE = template0 ENCODING = 'UTF8';"
    const alone = `SET a = 1;\n\n${create}\n\nALTER DATABASE rowhouse OWNER TO o;\n\n\\connect rowhouse\n\nCREATE SCHEMA s;\n`
    expect(splitDatabase(alone, 'rowhouse')).toEqual({
      create,
      database: 'SET a = 1;\n\n\n\nALTER DATABASE rowhouse OWNER TO o;\n\n',
      beforeRows: '\n\nCREATE SCHEMA s;\n',
    })
    const settings = `${create}\n\\connect rowhouse\nALTER DATABASE rowhouse SET a TO b;\n\\connect rowhouse\nCREATE SCHEMA s;\n`
    expect(splitDatabase(settings, 'rowhouse')).toMatchObject({
      database: expect.stringContaining('SET a TO b;'),
      beforeRows: '\nCREATE SCHEMA s;\n',
    })
    expect(() => splitDatabase('CREATE SCHEMA s;', 'rowhouse')).toThrow('something else than was expected')
  })
})

describe('checksums', () => {
  const { signal } = new AbortController()
  const read = async () => readChecksums(sql, await listStoredTables(sql), signal)
  const tables = async () => (await listStoredTables(sql)).map(({ name }) => name)

  test('of every table that holds rows, whatever its name, kind and columns', async () => {
    await sql`create schema sums; create table sums."T;x" (a int, b text, c int generated always as (a * 2) stored);
      create table sums.bare (); create table sums.parted (a int) partition by list (a); create table sums.part partition of sums.parted default;
      create view sums.seen as select 1; create unlogged table sums.quick (a int); create temp table passing (a int)`.simple()
    const found = (await tables()).filter((name) => !name.startsWith('rowhouse.'))
    expect(found.sort()).toEqual(['sums."T;x"', 'sums.bare', 'sums.part', 'sums.quick'])
    const [table] = (await listStoredTables(sql)).filter(({ name }) => name.includes('T;x'))
    expect(table?.columns).toEqual(['a', 'b'])
  })

  test('do not depend on the order of rows', async () => {
    await sql`insert into sums."T;x" values (1, 'a'), (2, 'b'), (2, 'b'), (null, null); insert into sums.bare select from generate_series(1, 3)`.simple()
    const before = await read()
    expect(before.get('sums.bare')?.rows).toBe('3')
    await sql`update sums."T;x" set a = a where a = 1`
    expect(() => requireSameRows(before, before)).not.toThrow()
    const after = await read()
    expect(() => requireSameRows(before, after)).not.toThrow()
  })

  test.each([
    ['a value', `update sums."T;x" set b = 'A' where a = 1`, 'The rows of sums."T;x" are not the same in the copy.'],
    ['two equal rows that become two other equal ones', `update sums."T;x" set b = 'z' where a = 2`, 'are not the same'],
    ['null instead of nothing', `update sums."T;x" set b = '' where a is null`, 'are not the same'],
    ['a row too few', `delete from sums."T;x" where a = 1`, 'The table sums."T;x" has 4 rows, and 3 in the copy.'],
    [
      'a row too many, of a table without columns',
      'insert into sums.bare default values',
      'The table sums.bare has 3 rows, and 4 in the copy.',
    ],
    [
      'bytes of a large object',
      `select lo_put(lo_create(0), 0, '\\x01')`,
      'The table pg_catalog.pg_largeobject has 0 rows, and 1 in the copy.',
    ],
  ])('notice %s', async (_what, change, sentence) => {
    const before = await read()
    await sql.unsafe('begin')
    await sql.unsafe(change)
    const after = await read()
    await sql.unsafe('rollback')
    expect(() => requireSameRows(before, after)).toThrow(sentence)
  })
})
