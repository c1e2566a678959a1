import { describe, expect, test } from 'bun:test'
import { narrowTables } from '../../../src/access/narrow-tables'
import type { Actor } from '../../../src/auth/identity/actor'
import { createCatalog } from '../../../src/tables/catalog/catalog'
import { readWithCurrentTables, refreshIfStale } from '../../../src/tables/catalog/stale-definitions'
import { json, startApp } from '../../support/app'
import { crm } from '../../support/crm'
import { until } from '../../support/processes'
import { settled } from '../../support/rejection'

/** What others do in the database, and what the very next request sees of it. */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
const { db, catalog } = app.deps
/** A connection that is nobody's of ours. */
const psql = await db.sql.reserve()
await psql.unsafe(crm)

const table = (name: string) => json(app.call(`/api/v1/tables/${name}`, { as: 'viewer' }))
const columnsOf = async (name: string) => (await table(name)).columns.map((column: { name: string }) => column.name)
const versionNow = async () => {
  const [row] = await db.query<{ version: string }>(
    'select version + (select count(*) from rowhouse.catalog_changes) as version from rowhouse.catalog_version',
  )
  return Number(row!.version)
}

describe('the next request sees', () => {
  test.each([
    ['a new table', 'create table crm.fresh (id int primary key)', async () => (await table('fresh')).primaryKey, ['id']],
    ['a new column', 'alter table crm.fresh add column a text', () => columnsOf('fresh'), ['id', 'a']],
    ['another name of a column', 'alter table crm.fresh rename column a to b', () => columnsOf('fresh'), ['id', 'b']],
    [
      'another type',
      'alter table crm.fresh alter b type boolean using true',
      async () => (await table('fresh')).columns[1]?.type,
      'boolean',
    ],
    [
      'a column that is needed',
      'alter table crm.fresh alter b set not null',
      async () => (await table('fresh')).columns[1]?.required,
      true,
    ],
    ['a unique index', 'create unique index on crm.fresh (b)', async () => (await table('fresh')).columns[1]?.unique, true],
    ['a default', 'alter table crm.fresh alter b set default false', async () => (await table('fresh')).columns[1]?.default, false],
    [
      'a value of an enum',
      `create type crm.size as enum ('s'); alter table crm.fresh add c crm.size; alter type crm.size add value 'm'`,
      async () => (await table('fresh')).columns[2]?.options.choices,
      ['s', 'm'],
    ],
    ['a column that is gone', 'alter table crm.fresh drop column b', () => columnsOf('fresh'), ['id', 'c']],
    [
      'another definition of a view',
      'create or replace view crm.totals as select count(*) as n, 1 as m from crm.people',
      () => columnsOf('totals'),
      ['n', 'm'],
    ],
    [
      'that a view can be written now',
      `create function crm.nothing() returns trigger language plpgsql as 'begin return new; end'; create trigger n instead of insert on crm.totals for each row execute function crm.nothing()`,
      async () => (await table('totals')).readOnly,
      false,
    ],
    ['a table in data', 'create table data.by_hand (id int primary key)', async () => (await table('by_hand')).schema, 'data'],
    ['a table that moved to another schema', 'alter table crm.fresh set schema data', async () => (await table('fresh')).schema, 'data'],
    ['a table that is gone', 'drop table data.fresh', async () => (await table('fresh')).code, 'not_found'],
    [
      'a schema that is gone',
      'create schema gone; drop schema gone; drop table crm.keyless cascade',
      async () => (await table('keyless')).code,
      'not_found',
    ],
  ] as [string, string, () => Promise<unknown>, unknown][])('%s', async (_what, statements, seen, expected) => {
    await seen()
    await psql.unsafe(statements)
    expect(await seen()).toEqual(expected)
  })
})

describe('the version', () => {
  const raisedBy = async (statements: string) => {
    const before = await versionNow()
    await psql.unsafe(statements)
    return (await versionNow()) - before
  }
  test('rises by one for a transaction, however much it changes', async () => {
    expect(
      await raisedBy('create table crm.one (id int); create table crm.two (id int); drop table crm.one; alter table crm.two add a int'),
    ).toBe(1)
  })
  test('does not rise for what is undone', async () => {
    expect(await raisedBy('begin; create table crm.three (id int); rollback')).toBe(0)
  })
  test('rises although the first change of a transaction was undone', async () => {
    expect(
      await raisedBy('begin; savepoint s; create table crm.three (id int); rollback to s; create table crm.four (id int); commit'),
    ).toBe(1)
  })
  test('does not rise for temporary tables, statistics and fresh materialized views', async () => {
    expect(
      await raisedBy(
        'create temporary table t (id int); alter table t add a int; drop table t; refresh materialized view crm.snapshot; analyze',
      ),
    ).toBe(0)
  })
  test('rises whatever session_replication_role says', async () => {
    expect(await raisedBy('begin; set local session_replication_role = replica; create table crm.replica (id int); commit')).toBe(1)
  })
})

test('others need no right on our schema to change theirs', async () => {
  const role = `other_${process.pid}_${Date.now()}`
  await psql.unsafe(`create role ${role}; grant usage, create on schema crm to ${role}`)
  const before = await versionNow()
  await psql.unsafe(`begin; set local role ${role}; create table crm.theirs (id int primary key); commit`)
  expect(await versionNow()).toBe(before + 1)
  expect((await table('theirs')).primaryKey).toEqual(['id'])
  await psql.unsafe(`drop owned by ${role}; drop role ${role}`)
})

test('a change without end stands in nobody’s way: not in ours, not in that of other changes', async () => {
  await app.call('/api/v1/tables/people', { as: 'viewer' })
  const other = await db.sql.reserve()
  await other.unsafe('begin; alter table crm.late add column more int; drop view crm.emails')
  const made = await app.call('/api/v1/tables', { as: 'admin', body: { name: 'meanwhile', columns: [] } })
  expect(made.status).toBe(201)
  await psql.unsafe('create table crm.meanwhile_too (id int primary key)')
  expect((await table('meanwhile')).schema).toBe('data')
  expect((await table('meanwhile_too')).schema).toBe('crm')
  // As it was, until the other one has finished.
  expect(await columnsOf('late')).toEqual(['id', 'n'])
  expect(await columnsOf('emails')).toEqual(['id', 'email', 'shouted'])
  await other.unsafe('commit')
  other.release()
  expect(await columnsOf('late')).toEqual(['id', 'n', 'more'])
  expect((await table('emails')).code).toBe('not_found')
})

test('what did not change is the same object, and asking again for a version costs no query', async () => {
  const before = await catalog.at(await versionNow())
  await psql.unsafe('create table crm.another (id int primary key)')
  const after = await catalog.at(await versionNow())
  expect(after).not.toBe(before)
  expect(after.byName.get('people')).toBe(before.byName.get('people')!)
  expect(await catalog.at(after.version)).toBe(after)
})

test('whoever drops our whole schema is not hindered by what watches', async () => {
  await psql.unsafe('begin; drop schema rowhouse cascade; create table crm.without_us (id int); rollback')
  expect((await app.call('/api/v1/tables/people', { as: 'viewer' })).status).toBe(200)
})

test('many changes at once, by us and by others, wait for each other and never for ever', async () => {
  const { sql } = db
  const changes = Array.from({ length: 12 }, async (_, n) => {
    await sql.unsafe(
      `create table crm.busy${n} (id int primary key); alter table crm.busy${n} add a int; create view crm.seen${n} as select * from crm.busy${n}`,
    )
    expect(await columnsOf(`busy${n}`)).toEqual(['id', 'a'])
    await sql.unsafe(`drop view crm.seen${n}; drop table crm.busy${n}`)
    expect(await columnsOf(`busy${n}`).catch(() => 'gone')).toBe('gone')
  })
  const ours = Array.from({ length: 12 }, (_, n) => app.call('/api/v1/tables', { as: 'admin', body: { name: `ours${n}`, columns: [] } }))
  await Promise.all(changes)
  expect((await Promise.all(ours)).map(({ status }) => status)).toEqual(Array(12).fill(201))
})

test('an instance that starts while somebody changes a table finds it when that has ended', async () => {
  const other = await db.sql.reserve()
  await other.unsafe('begin; lock table crm.people in access exclusive mode')
  const fresh = createCatalog(db, ['crm'], narrowTables)
  const version = await versionNow()
  expect((await fresh.at(version)).byName.has('people')).toBe(false)
  expect((await fresh.at(version)).byName.has('companies')).toBe(true)
  await other.unsafe('commit')
  other.release()
  await until('it finds the table', async () => (await fresh.at(version)).byName.has('people'))
})

describe('a change that nobody told', () => {
  const actor = async (): Promise<Actor> => ({ user: {} as Actor['user'], via: 'cookie', catalogVersion: await versionNow() })
  const untold = (statements: string) =>
    psql.unsafe(`begin; set local rowhouse.change_noted = 'x'; ${statements}; delete from rowhouse.catalog_changes; commit`)

  test('is found by the read that fails, which is done again', async () => {
    await psql.unsafe('create table crm.read_twice (id int primary key, a int)')
    const caller = await actor()
    await catalog.at(caller.catalogVersion)
    await untold('alter table crm.read_twice rename a to b')
    const caught: string[] = []
    const names = await readWithCurrentTables(catalog, { ...caller, catalogVersion: await versionNow() }, async (tables) => {
      const [, second] = tables.byName.get('read_twice')!.columns
      caught.push(second!.name)
      return db.query(`select "${second!.name}" from crm.read_twice`, [], { prepare: false })
    })
    expect(names).toEqual([])
    expect(caught.at(-1)).toBe('b')
  })

  test('is no reason to ask again and again: what fails for another reason fails', async () => {
    let times = 0
    const broken = async () => {
      const caller = await actor()
      return readWithCurrentTables(catalog, caller, () => {
        times++
        return db.query('select nothing from nowhere', [], { prepare: false })
      })
    }
    expect(await settled(broken())).toThrow('nowhere')
    expect(await settled(broken())).toThrow('nowhere')
    expect(times).toBe(2)
    expect(await refreshIfStale(catalog, new Error('of another kind'))).toBeNull()
  })
})
