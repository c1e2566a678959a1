import type { Sql } from 'postgres'
import { arrayLiteral } from '../../db/arrays'
import { isOwnTable } from '../../db/schema/own-tables'
import type { TableOfBackup } from '../archive/manifest'
import { maxTextBytes } from '../archive/names'

/** The maximum length of the list in the manifest. A backup with more tables has no list. */
const maxListChars = maxTextBytes / 4

/**
 * The tables and views of the served schemas at the start of a backup. Only a table that Rowhouse made has an id; the
 * tables that hold the values of `manyLinks` columns have none.
 */
export async function listTablesOfBackup(sql: Sql, schemas: readonly string[]): Promise<TableOfBackup[] | undefined> {
  if (!(await isOwnTable(sql, 'tables'))) return []
  const served = arrayLiteral(['data', ...schemas])
  const tables = await sql<TableOfBackup[]>`
    select nspname as schema, relname as name, t.id::text as id
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = relnamespace
      left join rowhouse.tables t on nspname = 'data' and t.name = relname
    where relkind in ('r', 'p', 'f', 'v', 'm') and nspname = any(${served}::text[])
    order by nspname, relname`
  return JSON.stringify(tables).length <= maxListChars ? [...tables] : undefined
}
