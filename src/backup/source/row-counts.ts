import type { Sql } from 'postgres'
import { arrayLiteral } from '../../db/arrays'
import { DamagedBackup } from '../errors'

/** By the table's oid. `settled` are the rows that were committed before the boundary and have not changed since. */
export type RowCounts = Map<string, { name: string; isServed: boolean; rows: number; settled: number }>

/**
 * The error codes of a table that is being altered, is locked or was dropped in the meantime, or that has a damaged
 * page, which the proof finds in the copy.
 */
const passedOver = ['55P03', '42P01', '42703', 'XX000', 'XX001', 'XX002', '58030']

/** The lower half of the oldest id of a running transaction; all earlier ones have ended. */
export async function readBoundary(sql: Sql): Promise<string> {
  const [row] = await sql<{ boundary: string }[]>`
    select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint & 4294967295)::text as boundary`
  return row!.boundary
}

/**
 * Counts the rows of all tables except PostgreSQL's own. A row version that was committed before the boundary is the
 * same in a copy, and only an update or a delete removes it. So a copy that was made before this count contains at
 * least as many of them, whatever is written in the meantime.
 * @param schemas that are served beside `data`
 */
export async function countTableRows(sql: Sql, boundary: string, schemas: readonly string[], signal: AbortSignal): Promise<RowCounts> {
  const served = arrayLiteral(['data', ...schemas])
  // A count does not wait long for a lock, and ends when its client disconnects.
  await sql`set lock_timeout = '2s'`
  await sql`set client_connection_check_interval = '1s'`
  await sql`set max_parallel_workers_per_gather = 0`
  const relations = await sql<{ oid: string; name: string; is_served: boolean; statement: string }[]>`
    select c.oid::text as oid, format('%I.%I', nspname, relname) as name, nspname = any(${served}::text[]) as is_served,
      format('select count(*)::text as rows, count(*) filter (where ((xmin::text::bigint - %s) & 4294967295) >= 2147483648
        or xmin::text::bigint < 3)::text as settled from only %I.%I', ${boundary}::text, nspname, relname) as statement
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind = 'r' and relpersistence = 'p' and nspname <> 'information_schema' and nspname !~ '^pg_'`
  const counts: RowCounts = new Map()
  for (const { oid, name, is_served, statement } of relations) {
    signal.throwIfAborted()
    try {
      const [row] = await sql.unsafe<{ rows: string; settled: string }[]>(statement)
      counts.set(oid, { name, isServed: is_served, rows: Number(row!.rows), settled: Number(row!.settled) })
    } catch (error) {
      if (!passedOver.includes((error as { code?: string }).code ?? '')) throw error
    }
  }
  return counts
}

/** @throws DamagedBackup if the copy has too few rows of a table */
export function requireRows(source: RowCounts, copy: RowCounts): void {
  for (const [oid, { name, settled }] of source) {
    const found = copy.get(oid)?.settled ?? 0
    if (found < settled)
      throw new DamagedBackup(`The table ${name} has ${found} of the ${settled} records in the backup that it had before the backup began.`)
  }
}
