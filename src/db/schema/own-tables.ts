import type { Sql } from 'postgres'

/** Whether Rowhouse's own schema has this table; an older release may have had fewer. */
export async function isOwnTable(sql: Sql, name: string): Promise<boolean> {
  const found = await sql`select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = relnamespace
    where nspname = 'rowhouse' and relname = ${name}`
  return found.length > 0
}

/** The name of the last applied migration; null for a database that Rowhouse has not used. */
export async function lastMigration(sql: Sql): Promise<string | null> {
  if (!(await isOwnTable(sql, 'migrations'))) return null
  const [last] = await sql<{ name: string }[]>`select name from rowhouse.migrations order by position desc limit 1`
  return last?.name ?? null
}
