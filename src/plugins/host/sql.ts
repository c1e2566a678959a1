import type { Row } from 'rowhouse/plugin'
import { arrayLiteral } from '../../db/arrays'
import { sqlState } from '../../db/errors'
import type { Db } from '../../db/pool/open'
import { outsideOfScopes } from '../../db/pool/scope'
import { equal, withCatalogPath } from '../../db/search-path'
import { identifier, literal } from '../../tables/sql-text'
import { valuesOf } from './values'

/**
 * The role of plugins' SQL. It can only read the tables of the served schemas, and cannot use the schema `rowhouse`
 * with its users and sessions.
 */
const reader = 'rowhouse_plugins'

/**
 * With these, a statement could regain rights while it runs, run another statement, or change the session. Names in
 * `U&"…"` could spell any of them. This protects from mistakes and copied statements; plugins are trusted.
 */
const forbiddenPattern =
  /\b(set_config|dblink|lowrite|lo_(import|export|creat|unlink|put|open|truncate|from_bytea)|pg_(read|ls|terminate|cancel|reload|notify|(try_)?advisory))|_to_xml|u&"/i

/** PostgreSQL's error about a statement, without the values in it. */
class SqlProblem extends Error {}

/**
 * Runs one statement that reads. The values are parameters and never become SQL.
 * @param schemas the served schemas
 * @throws SqlProblem
 */
export async function readBySql(
  db: Db,
  schemas: readonly string[],
  version: number,
  texts: readonly string[],
  values: unknown[],
): Promise<Row[]> {
  const text = texts.reduce((whole, part, index) => `${whole}$${index}${part}`)
  if (forbiddenPattern.test(text)) throw new SqlProblem('This statement uses a function that plugins may not use.')
  await prepareReader(db, schemas, version)
  return db.transaction(async ({ query }) => {
    // A name without a schema means the same as for `records`: the table of the first schema that has one.
    const path = schemas.map(identifier).join(', ')
    await query(
      `select pg_catalog.set_config('transaction_read_only', 'on', true), pg_catalog.set_config('search_path', $1, true),
        pg_catalog.set_config('role', '${reader}', true)`,
      [path],
    )
    // A subquery can only read. The line break ends a comment.
    const statement = `select coalesce(pg_catalog.json_agg(r)::text, '[]') as body from (${text}\n) r`
    const [row] = await query<{ body: string }>(statement, values.map(parameterOf), { prepare: false }).catch(throwSqlError)
    return valuesOf(row!.body) as Row[]
  })
}

/** Class 42 is about the statement; messages of other classes repeat values (SEC-50). */
function throwSqlError(error: unknown): never {
  const state = sqlState(error)
  if (state === undefined || /^(08|53|57)/.test(state)) throw error
  const message = state.startsWith('42') || state === '25006' ? (error as Error).message : 'a value does not fit'
  throw new SqlProblem(`PostgreSQL refused the statement (${state}): ${message}`)
}

function parameterOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return arrayLiteral(value.map(parameterOf))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const prepared = new WeakMap<Db, { version: number; ready: Promise<void> }>()

/** Grants the rights once for each version of the definitions, since new tables need them too. */
function prepareReader(db: Db, schemas: readonly string[], version: number): Promise<void> {
  const cached = prepared.get(db)
  if (cached?.version === version) return cached.ready
  const ready = outsideOfScopes(() => grantReader(db, schemas))
  prepared.set(db, { version, ready })
  ready.catch(() => prepared.delete(db))
  return ready
}

/** Concurrent grants, also on two instances, would update the same catalog rows, which PostgreSQL rejects. */
const serializeGrants = `select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('${reader}'))`

async function grantReader(db: Db, schemas: readonly string[]) {
  await makeReader(db)
  await withCatalogPath(db, async (query) => {
    await query(serializeGrants)
    await query(grants(schemas), [], { prepare: false })
  })
}

async function makeReader({ query, transaction }: Db) {
  const [row] = await query<{ there: boolean }>(`select exists (select from pg_roles where rolname ${equal} '${reader}') as there`)
  try {
    await transaction(async ({ query: inside }) => {
      await inside(serializeGrants)
      if (!row?.there) await inside(`create role ${reader} nologin`)
      await inside(`grant ${reader} to current_user`)
    })
  } catch (error) {
    // Another instance has created the role first.
    if (['42710', '23505'].includes(sqlState(error) ?? '')) return
    if (sqlState(error) !== '42501') throw error
    if (!row?.there)
      throw new SqlProblem(
        `"sql" needs the role ${reader}, which the role of DATABASE_URL may not make: create role ${reader} nologin; grant it.`,
      )
  }
}

const grants = (schemas: readonly string[]) => {
  const served = `array[${schemas.map(literal).join(', ')}]::text[]`
  return `do $grants$
declare g text;
begin
  for g in
    select format('grant usage on schema %I to ${reader}', n.nspname) from pg_namespace n
    where n.nspname = any(${served}) and not has_schema_privilege('${reader}', n.oid, 'usage')
    union all
    select format('grant select on %I.%I to ${reader}', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${served}) and c.relkind in ('r', 'v', 'm', 'p', 'f') and not has_table_privilege('${reader}', c.oid, 'select')
  loop
    begin
      execute g;
    exception when insufficient_privilege then null;
    end;
  end loop;
end $grants$`
}
