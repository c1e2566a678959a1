import type { Sql, TransactionSql } from 'postgres'
import { arrayLiteral } from '../../db/arrays'
import { copyIn, copyOut } from '../../db/copy'
import { isAway } from '../../db/errors'
import { BackupError } from '../errors'

/** A table that stores rows itself. `columns` are those whose values are stored rather than computed, as SQL. */
export type StoredTable = { name: string; columns: string[]; bytes: number }

/**
 * All tables that store rows, including partitions, except temporary tables and those of PostgreSQL and of extensions.
 * @param schemas null for all
 */
export async function listStoredTables(sql: Sql, schemas: readonly string[] | null = null): Promise<StoredTable[]> {
  const wanted = schemas === null ? null : arrayLiteral(schemas)
  const tables = await sql<{ name: string; columns: string[]; bytes: string }[]>`
    select format('%I.%I', nspname, relname) as name, pg_table_size(c.oid)::text as bytes,
      (select coalesce(json_agg(quote_ident(attname) order by attnum), '[]') from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind = 'r' and relpersistence <> 't' and nspname <> 'information_schema' and nspname !~ '^pg_'
      and (${wanted}::text[] is null or nspname = any(${wanted}::text[]))
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    order by pg_table_size(c.oid) desc, 1`
  return tables.map(({ bytes, ...table }) => ({ ...table, bytes: Number(bytes) }))
}

/**
 * Copies the rows of a table from one server to the other. Uses the text format, which every version can read: the
 * binary format contains OIDs of types and tables, which differ between servers. The table must be created in the same
 * transaction.
 * @returns the number of rows @throws BackupError naming the table
 */
export async function transferRows(
  { name, columns }: StoredTable,
  from: TransactionSql,
  to: TransactionSql,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<number> {
  const table = columns.length > 0 ? `${name} (${columns.join(', ')})` : name
  try {
    return await pipeCopy(from, `copy ${table} to stdout`, to, `copy ${table} from stdin with (freeze)`, signal, onBytes)
  } catch (error) {
    throw isAway(error) ? error : new BackupError(`The rows of ${name} could not be copied: ${(error as Error).message}.`)
  }
}

/** Copies the rows that the transaction `from` sees. @returns the number of rows */
export async function pipeCopy(
  from: TransactionSql,
  out: string,
  to: TransactionSql,
  into: string,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<number> {
  const source = await copyOut(from, out)
  async function* chunks() {
    for (let chunk = await source.next(); chunk !== null; chunk = await source.next()) {
      signal.throwIfAborted()
      onBytes(chunk.byteLength)
      yield chunk
    }
  }
  try {
    await copyIn(to, into, chunks())
    return source.rows()
  } finally {
    await source.end()
  }
}
