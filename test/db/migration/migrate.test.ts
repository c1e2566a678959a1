import { afterAll, describe, expect, test } from 'bun:test'
import { MigrationRefused, migrate, squashed } from '../../../src/db/migration/migrate'
import { readMigrations } from '../../../src/db/migration/migrations.macro'
import { type ConnectionTarget, connectDirectly } from '../../../src/db/pool/open'
import { readConfig } from '../../../src/ops/settings/config'
import { rejection, settled } from '../../support/rejection'
import { testServer } from '../../support/server'

const config = readConfig({})
const opened: { end: () => Promise<void> }[] = []
afterAll(async () => {
  for (const sql of opened) await sql.end()
})

const open = (target: ConnectionTarget) => {
  const sql = connectDirectly(target, config)
  opened.push(sql)
  return sql
}

/** A database that has never seen us. */
async function empty() {
  const target = await (await testServer()).createDatabase()
  const sql = open(target)
  await sql.unsafe('drop schema rowhouse cascade')
  await sql.unsafe('drop schema data cascade')
  return { target, sql }
}

const step = (name: string, ...statements: string[]) => ({ name, statements, hash: name })
const ledger = async (sql: ReturnType<typeof open>) =>
  (await sql`select name from rowhouse.migrations order by position`).map((row) => row.name)
const exists = async (sql: ReturnType<typeof open>, name: string) => (await sql`select to_regclass(${name}) as found`)[0]!.found !== null

describe('migrating', () => {
  test('makes an empty database ready, and the second time does nothing', async () => {
    const { sql } = await empty()
    const applied = await migrate(sql)
    expect(applied[0]).toBe('0000_initial')
    expect(await ledger(sql)).toEqual(applied)
    expect(await exists(sql, 'rowhouse.users')).toBe(true)
    expect(await migrate(sql)).toEqual([])
    expect((await sql`select version from rowhouse.catalog_version`).length).toBe(1)
  })

  test('from several instances at once happens once', async () => {
    const { target, sql } = await empty()
    const results = await Promise.all(Array.from({ length: 6 }, () => migrate(open(target))))
    expect(results.filter((applied) => applied.length > 0)).toHaveLength(1)
    expect(await ledger(sql)).toEqual(results.flat())
  })

  test('applies only what is missing, in order', async () => {
    const { sql } = await empty()
    const first = step('0000_a', 'create table rowhouse.a (n int)')
    const second = step('0001_b', 'create table rowhouse.b (n int)', 'insert into rowhouse.a values (1)')
    expect(await migrate(sql, [first])).toEqual(['0000_a'])
    expect(await migrate(sql, [first, second])).toEqual(['0001_b'])
    expect(await sql`select n from rowhouse.a`).toHaveLength(1)
  })

  test('a step that fails takes those of the same upgrade with it, so that the release before can be started', async () => {
    const { sql } = await empty()
    const first = step('0000_a', 'create table rowhouse.a (n int)')
    const good = step('0001_b', 'create table rowhouse.b (n int)')
    const bad = step('0002_c', 'create table rowhouse.c (n int)', 'insert into rowhouse.nowhere values (1)')
    await migrate(sql, [first])
    expect(await settled(migrate(sql, [first, good, bad]))).toThrow('nowhere')
    expect(await ledger(sql)).toEqual(['0000_a'])
    expect([await exists(sql, 'rowhouse.b'), await exists(sql, 'rowhouse.c')]).toEqual([false, false])
    expect(await migrate(sql, [first])).toEqual([])
    expect(await migrate(sql, [first, good, step('0002_c', 'create table rowhouse.c (n int)')])).toEqual(['0001_b', '0002_c'])
    expect(await exists(sql, 'rowhouse.b')).toBe(true)
  })

  test('gives its lock back, also when it failed', async () => {
    const { sql } = await empty()
    expect(await settled(migrate(sql, [step('0000_a', 'select nothing')]))).toThrow()
    expect(
      await sql`select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    ).toHaveLength(0)
  })
})

describe('a database from before the migrations were squashed', () => {
  const [initial, ...later] = readMigrations()
  const withLedger = async (applied: string[]) => {
    const { sql } = await empty()
    await migrate(sql, [initial!])
    await sql`delete from rowhouse.migrations`
    for (const [position, name] of applied.entries())
      await sql`insert into rowhouse.migrations (position, name, hash) values (${position}, ${name}, '')`
    return sql
  }

  test('goes on from the one migration that they have become', async () => {
    const sql = await withLedger(squashed)
    expect(await migrate(sql)).toEqual(later.map(({ name }) => name))
    expect(await ledger(sql)).toEqual(['0000_initial', ...later.map(({ name }) => name)])
    expect(await migrate(sql)).toEqual([])
  })

  test('that has only some of them is refused with what to do, and left as it is', async () => {
    const some = squashed.slice(0, 9)
    const sql = await withLedger(some)
    expect(await settled(migrate(sql))).toThrow(/ends at the migration "0050_exports".*Start the build of commit/)
    expect(await ledger(sql)).toEqual(some)
  })
})

describe('a database of a newer release', () => {
  const known = [step('0000_a', 'create table rowhouse.a (n int)')]

  test('with known migrations in another order is told as what it is', async () => {
    const { sql } = await empty()
    const [one, two] = [known[0]!, step('0001_b', 'create table rowhouse.b (n int)')]
    await migrate(sql, [two, one])
    expect(await settled(migrate(sql, [one, two]))).toThrow(/development version.*"0001_b" in another order/)
  })

  test('is refused in a sentence that says what to do', async () => {
    const { sql } = await empty()
    await migrate(sql, [...known, step('0001_future', 'create table rowhouse.future (n int)')])
    const refused = migrate(sql, known)
    expect(await rejection(refused)).toBeInstanceOf(MigrationRefused)
    expect(await settled(migrate(sql, known))).toThrow(/newer Rowhouse.*"0001_future".*Start the newer executable/)
    expect(await ledger(sql)).toEqual(['0000_a', '0001_future'])
  })

  test('is refused also when our step has another name in it', async () => {
    const { sql } = await empty()
    await migrate(sql, [step('0000_other', 'select 1')])
    expect(await rejection(migrate(sql, known))).toBeInstanceOf(MigrationRefused)
    expect(await exists(sql, 'rowhouse.a')).toBe(false)
  })
})
