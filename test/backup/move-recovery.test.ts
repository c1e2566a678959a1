import { afterAll, expect, test } from 'bun:test'
import type { Sql } from 'postgres'
import { migrate } from '../../src/db/migration/migrate'
import { type ConnectionTarget, connectDirectly } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'
import { readAllRows } from '../support/inventory'
import { move } from '../support/moves'
import { type Postgres, startPostgres } from '../support/postgres'
import { until } from '../support/processes'
import { settled } from '../support/rejection'

const config = readConfig({})
const [old, other] = [await startPostgres(), await startPostgres()]
afterAll(() => Promise.all([old[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]))

/** With and without a key, and as a partition. */
const definitions = `
  create schema team;
  create table team.kept (id int primary key, b text);
  create unlogged table team.keyed (id int primary key, b text);
  create unlogged table team.keyless (a int);
  create table team.parted (id int primary key, b text) partition by range (id);
  create table team.parted_kept partition of team.parted for values from (0) to (50);
  create unlogged table team.parted_quick partition of team.parted default;
  insert into team.kept select i, 'x' from generate_series(1, 100) i;
  insert into team.keyed select i, 'x' from generate_series(1, 100) i;
  insert into team.keyless select generate_series(1, 100);
  insert into team.parted select i, 'x' from generate_series(1, 100) i;`
const unlogged = ['team.keyed', 'team.keyless', 'team.parted_quick']

async function makeDatabase(server: Postgres, name: string): Promise<{ target: ConnectionTarget; sql: Sql }> {
  await server.createDatabase(name)
  const target = { socketPath: `${server.socketDir}/.s.PGSQL.${server.port}`, user: 'rowhouse', database: name }
  return { target, sql: connectDirectly(target, config) }
}

/** One of its processes is killed, so PostgreSQL ends all of them and recovers. */
async function crash({ admin }: Postgres) {
  const [row] = await admin<{ pid: number }[]>`select pid from pg_stat_activity where backend_type = 'background writer'`
  process.kill(row!.pid, 'SIGKILL')
  await until('it has recovered', () =>
    admin<{ pid: number }[]>`select pid from pg_stat_activity where backend_type = 'background writer'`.then(
      ([now]) => now !== undefined && now.pid !== row!.pid,
      () => false,
    ),
  )
}

const countOf = async (sql: Sql) =>
  Object.fromEntries(Object.entries(await readAllRows(sql, ['team'])).map(([name, rows]) => [name, rows.length]))

test.each([
  ['old', 'Building indexes, checking constraints'],
  ['old', 'Switching'],
  ['new', 'Building indexes, checking constraints'],
  ['new', 'Switching'],
] as const)(
  'the %s server recovers from a crash behind "%s": unlogged tables are in the new database as they are in the old one',
  async (which, at) => {
    const name = `of_${which}_${at.slice(0, 4).toLowerCase()}`
    const [source, target] = [await makeDatabase(old, name), await makeDatabase(other, name)]
    await migrate(source.sql)
    await source.sql.unsafe(definitions).simple()
    const stopped = move(source.target, target.target, (step, end) => {
      if (step === at) end()
    })
    expect(await settled(stopped)).toThrow()
    await crash(which === 'old' ? old : other)
    const before = await until(`${name} answers`, () =>
      source.sql`select 1`.then(
        () => true,
        () => false,
      ),
    ).then(() => countOf(source.sql))
    for (const table of unlogged)
      expect([table, before[table]]).toEqual([table, which === 'old' ? 0 : table === 'team.parted_quick' ? 51 : 100])
    const { rows, plan } = await move(source.target, target.target)
    // What was copied is not copied again, but for those tables.
    expect([rows, plan.isBegun]).toEqual([0, true])
    expect(await countOf(target.sql)).toEqual(before)
    await Promise.all([source.sql.end(), target.sql.end()])
  },
)
