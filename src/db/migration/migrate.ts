import type { Sql } from 'postgres'
import { isAway } from '../errors'
import { lockKeys } from '../lock-keys'
import { isOwnTable } from '../schema/own-tables'
import { catalogPath } from '../search-path'
import { readMigrations } from './migrations.macro' with { type: 'macro' }
import type { Migration } from './migrations.macro'

const migrations: Migration[] = readMigrations()

/** The database is newer than this executable, or its PostgreSQL is too old: starting would risk the data. */
export class MigrationRefused extends Error {}

/** A step failed and nothing was changed. The message is the database's. */
export class MigrationFailed extends Error {
  constructor(
    readonly step: string,
    override readonly cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Migrations of versions before the first release, replaced by `0000_initial`, which creates the same schema. */
export const squashed = [
  '0000_foundation',
  '0001_data_schema',
  '0002_accounts',
  '0003_throttle',
  '0004_audit_folding',
  '0005_sign_in',
  '0010_catalog_changes',
  '0020_tables',
  '0050_exports',
  '0060_files',
  '0070_documents',
  '0080_imports',
  '0100_idempotency',
  '0110_search_path',
  '0120_storage',
  '0130_exempt_attempts',
]

/**
 * Whether this executable has the migration or replaced it; a backup that needs any other migration comes from a newer
 * release.
 */
export const isKnownMigration = (name: string): boolean => squashed.includes(name) || migrations.some((step) => step.name === name)

/** The oldest supported major version of PostgreSQL. */
const oldestServer = 15

/**
 * Upgrades the schema `rowhouse` to this executable's version. Two instances that start together wait for each other.
 * All steps run in one transaction: after a failed step, the previous release starts as before.
 * @param onStep called for each step, within that transaction
 * @returns the names of the steps that were applied
 * @throws MigrationRefused when the database holds steps that this executable does not know, MigrationFailed
 */
export async function migrate(
  sql: Sql,
  steps: readonly Migration[] = migrations,
  onStep?: (step: Migration, durationMs: number, inside: Sql) => Promise<void>,
): Promise<string[]> {
  // With fetch_types off, postgres.js 3.4.9 never hands out a connection that `reserve` itself would have to open.
  await requireServerVersion(sql)
  const connection = await sql.reserve()
  try {
    // The session holds the lock, so it also covers the first start, when there is no table to lock yet.
    await connection`select pg_catalog.pg_advisory_lock(${lockKeys.migration})`
    const applied = await withoutSquashed(connection, await appliedSteps(connection), steps)
    requireKnownMigrations(applied, steps)
    const pending = steps.slice(applied.length)
    await inTransaction(connection, async () => {
      for (const step of pending) {
        const startedAt = performance.now()
        await apply(connection, step).catch((error) => {
          throw isAway(error) ? error : new MigrationFailed(step.name, error)
        })
        await onStep?.(step, performance.now() - startedAt, connection)
      }
    })
    return pending.map((step) => step.name)
  } finally {
    await connection`select pg_catalog.pg_advisory_unlock(${lockKeys.migration})`.catch(() => {})
    connection.release()
  }
}

/**
 * The steps that `migrate` would apply. Writes nothing.
 * @throws MigrationRefused like `migrate`, for a database that Rowhouse has used before
 */
export async function pendingSteps(sql: Sql): Promise<Migration[]> {
  if (!(await isOwnTable(sql, 'migrations'))) return migrations
  const applied = await sql<Applied[]>`select name, hash from rowhouse.migrations order by position`
  // A database from before the squash already has the schema of the first migration.
  if (applied[0]?.name === squashed[0]) return migrations.slice(1)
  requireKnownMigrations(applied, migrations)
  return migrations.slice(applied.length)
}

async function requireServerVersion(sql: Sql) {
  const [server] = await sql<{ number: string; text: string }[]>`
    select pg_catalog.current_setting('server_version_num') as number, pg_catalog.current_setting('server_version') as text`
  if (Number(server!.number) < oldestServer * 10_000) {
    throw new MigrationRefused(`Rowhouse needs PostgreSQL ${oldestServer} or newer; this one is ${server!.text}.`)
  }
}

type Applied = { name: string; hash: string }

async function appliedSteps(sql: Sql): Promise<Applied[]> {
  // Does not use to_regclass, which throws if the role may not use the schema.
  const [found] =
    await sql`select 1 from pg_class c join pg_namespace n on n.oid operator(pg_catalog.=) c.relnamespace where n.nspname operator(pg_catalog.=) 'rowhouse' and c.relname operator(pg_catalog.=) 'migrations'`
  if (found) return sql<Applied[]>`select name, hash from rowhouse.migrations order by position`
  await makeSchemas(sql)
  await sql.unsafe(
    'create table rowhouse.migrations (position int primary key, name text not null unique, hash text not null, applied_at timestamptz not null default now())',
  )
  return []
}

/**
 * A database with all of the squashed migrations counts as having the first of the current ones.
 * @throws MigrationRefused for a database with some of them
 */
async function withoutSquashed(sql: Sql, applied: Applied[], [initial]: readonly Migration[]): Promise<Applied[]> {
  if (applied[0]?.name !== squashed[0] || initial?.name === squashed[0]) return applied
  if (applied.length !== squashed.length || applied.some(({ name }, index) => name !== squashed[index])) {
    throw new MigrationRefused(
      `The database was made by a development version of Rowhouse and ends at the migration "${applied.at(-1)!.name}". Start the build of commit 9a157dffbd0f once, which brings it to "${squashed.at(-1)}", or export the tables as CSV and import them into a new database.`,
    )
  }
  await inTransaction(sql, async () => {
    await sql`delete from rowhouse.migrations`
    await sql`insert into rowhouse.migrations (position, name, hash) values (0, ${initial!.name}, ${initial!.hash})`
  })
  return [initial!]
}

type SchemaState = { name: string; is_there: boolean; is_ours: boolean; may_make: boolean; role: string; database: string }

/**
 * The database's administrator creates them, or Rowhouse itself if it may.
 * @throws MigrationRefused with the missing statements
 */
async function makeSchemas(sql: Sql) {
  const states = await sql<SchemaState[]>`select name, n.oid is not null as is_there,
      coalesce(pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_schema_privilege(n.oid, 'create'), false) as is_ours,
      pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create') as may_make, current_user::text as role, pg_catalog.current_database()::text as database
    from pg_catalog.unnest(array['rowhouse', 'data']) as name left join pg_namespace n on n.nspname operator(pg_catalog.=) name`
  const refusals = states.flatMap(({ name, is_there, is_ours, may_make, role }) => {
    if (is_there) return is_ours ? [] : [`GRANT USAGE, CREATE ON SCHEMA ${name} TO "${role}";`]
    return may_make ? [] : [`CREATE SCHEMA ${name} AUTHORIZATION "${role}";`]
  })
  if (refusals.length > 0) {
    const { role, database } = states[0]!
    throw new MigrationRefused(
      `The role "${role}" may not make what Rowhouse needs in the database "${database}". Let the owner of the database run: ${refusals.join(' ')}`,
    )
  }
  for (const { name, is_there } of states) if (!is_there) await sql`create schema ${sql(name)}`
}

function requireKnownMigrations(applied: Applied[], steps: readonly Migration[]) {
  const unknown = applied.find((step, index) => steps[index]?.name !== step.name)
  if (unknown && steps.some(({ name }) => name === unknown.name)) {
    throw new MigrationRefused(
      `The database was made by a development version of Rowhouse, which applied the migration "${unknown.name}" in another order. This executable cannot go on from there. Start the one that made it, export the tables as CSV, and import them into a new database.`,
    )
  }
  if (unknown) {
    throw new MigrationRefused(
      `The database was made by a newer Rowhouse: it has the migration "${unknown.name}", which this executable does not know. Start the newer executable, or restore a backup from before the upgrade.`,
    )
  }
}

async function apply(sql: Sql, step: Migration) {
  await sql.unsafe(catalogPath)
  for (const statement of step.statements) await sql.unsafe(statement)
  await sql`insert into rowhouse.migrations (position, name, hash)
    select coalesce(pg_catalog.max(position) + 1, 0), ${step.name}, ${step.hash} from rowhouse.migrations`
}

/** Runs on the one connection that holds the lock. */
async function inTransaction(sql: Sql, work: () => Promise<void>) {
  await sql.unsafe('begin')
  try {
    await work()
    await sql.unsafe('commit')
  } catch (error) {
    await sql.unsafe('rollback').catch(() => {})
    throw error
  }
}
