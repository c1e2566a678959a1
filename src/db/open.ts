import { readFileSync } from 'node:fs'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres, { type Sql } from 'postgres'
import type { Config } from '../ops/config'
import * as schema from './schema'

/** The one way to the database. Everything above it is the same for the PostgreSQL inside and for the team's own. */
export type Db = {
  /** drizzle, for Rowhouse's own tables. */
  orm: PostgresJsDatabase<typeof schema>
  /** postgres.js, for transactions, streams and the users' tables. */
  sql: Sql
  /** One statement with parameters, prepared once per connection where the settings allow it. */
  query: <Row extends object>(text: string, parameters?: readonly (string | null)[]) => Promise<Row[]>
  close: () => Promise<void>
}

/** Where PostgreSQL is: a unix socket of the database inside, or a connection URI. */
export type Target = { socketPath: string; user: string; database: string } | { url: string }

export function openDb(target: Target, config: Config): Db {
  const sql = connect(target, config, config.databasePoolSize)
  const prepare = config.databasePrepare
  return {
    // drizzle swaps the client's parsers for its own; queries through `sql` see text for dates and JSON, which is what we want.
    orm: drizzle(sql, { schema }),
    sql,
    query: (text, parameters = []) => sql.unsafe(text, [...parameters], { prepare }) as unknown as Promise<never[]>,
    close: () => sql.end({ timeout: 5 }),
  }
}

/** A client with one connection, for migrations and other work that a pooler in between would break. */
export const connectDirectly = (target: Target, config: Config): Sql => connect(target, config, 1)

function connect(target: Target, config: Config, max: number): Sql {
  const place = 'url' in target ? fromUrl(target.url, config) : { path: target.socketPath, user: target.user, database: target.database }
  return postgres({
    ...place,
    max,
    prepare: config.databasePrepare,
    // Array types are not looked up: arrays are passed as PostgreSQL's array literals.
    fetch_types: false,
    connect_timeout: config.databaseConnectTimeoutMs / 1000,
    // Short and bounded: a request that waits for a connection must get its 503 soon.
    backoff: (retries: number) => Math.min(0.05 * retries, 0.5),
    max_lifetime: null,
    onnotice: () => {},
    connection: {
      application_name: 'rowhouse',
      ...(config.databasePrepare ? sessionSettings(config) : {}),
    },
  })
}

/** As start-up parameters they cost no round trip. PgBouncer refuses most of them, so they are left out with DATABASE_PREPARE=0. */
const sessionSettings = (config: Config) => ({
  TimeZone: 'UTC',
  statement_timeout: config.queryTimeoutMs,
  lock_timeout: config.queryTimeoutMs,
  idle_in_transaction_session_timeout: 60_000,
})

function fromUrl(text: string, config: Config) {
  const url = new URL(text)
  const mode = url.searchParams.get('sslmode') ?? 'prefer'
  for (const name of ['sslmode', 'sslrootcert']) url.searchParams.delete(name)
  return { url: url.href, ...tlsOptions(mode, config.databaseCaFile) }
}

/** libpq's meanings of sslmode. `verify-ca` checks the chain only, `verify-full` the host name too. */
function tlsOptions(mode: string, caFile: string | undefined) {
  const ca = caFile ? { ca: readFileSync(caFile, 'utf8') } : {}
  if (mode === 'disable') return { ssl: false as const }
  if (mode === 'verify-full') return { ssl: { ...ca, rejectUnauthorized: true } }
  if (mode === 'verify-ca') return { ssl: { ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined } }
  if (mode === 'require') return { ssl: { rejectUnauthorized: false } }
  return { ssl: 'prefer' as const }
}
