import type { Sql } from 'postgres'
import { arrayLiteral } from '../db/arrays'

/** What there is in a database, for people. `tables` and `records` are those that are served. */
export type State = { tables: number; records: number; users: number; attachments: number }

type Relation = { statement: string; is_served: boolean }

/**
 * Reads every row of every table, PostgreSQL's own and its long values too, and with them the checksum of every page.
 * @param schemas those that are served beside `data`
 * @throws what PostgreSQL says of a page or a table that cannot be read
 */
export async function readState(sql: Sql, schemas: readonly string[], signal: AbortSignal): Promise<State> {
  const served = arrayLiteral(['data', ...schemas])
  // An index would do for counting, and the table would go unread.
  await sql`select set_config(name, 'off', false) from unnest(array['enable_indexonlyscan', 'enable_indexscan', 'enable_bitmapscan']) as name`
  const relations = await sql<Relation[]>`
    select format('select count(*)::text as count from %I.%I', nspname, relname) as statement,
      nspname = any(${served}::text[]) and relkind = 'r' as is_served
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'm', 't') and relpersistence <> 't' and relispopulated`
  let records = 0
  for (const { statement, is_served } of relations) {
    signal.throwIfAborted()
    const count = await countOf(sql, statement)
    if (is_served) records += count
  }
  const tables = await countOf(
    sql,
    `select count(*)::text as count from pg_class c join pg_namespace n on n.oid = relnamespace
     where nspname = any($1::text[]) and relkind in ('r', 'p') and not relispartition`,
    [served],
  )
  const counted = async (name: string, statement: string) => ((await isTable(sql, name)) ? countOf(sql, statement) : 0)
  return {
    tables,
    records,
    users: await counted('users', 'select count(*)::text as count from rowhouse.users'),
    attachments: await counted('files', 'select count(*)::text as count from rowhouse.files where removed_at is null'),
  }
}

export async function lastMigration(sql: Sql): Promise<string | null> {
  if (!(await isTable(sql, 'migrations'))) return null
  const [last] = await sql<{ name: string }[]>`select name from rowhouse.migrations order by position desc limit 1`
  return last?.name ?? null
}

/** Whether Rowhouse's own schema has it: an older release may have had fewer. */
export async function isTable(sql: Sql, name: string): Promise<boolean> {
  const found =
    await sql`select from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = 'rowhouse' and relname = ${name}`
  return found.length > 0
}

async function countOf(sql: Sql, statement: string, parameters: string[] = []): Promise<number> {
  const [row] = await sql.unsafe<{ count: string }[]>(statement, parameters)
  return Number(row!.count)
}

export const shown = ({ tables, records, users, attachments }: State): string =>
  [
    [tables, 'table'],
    [records, 'record'],
    [users, 'user'],
    [attachments, 'attachment'],
  ]
    .map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`)
    .join(', ')
