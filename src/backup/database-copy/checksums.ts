import type { Sql } from 'postgres'
import { BackupError } from '../errors'
import type { StoredTable } from './table-rows'

/**
 * By table name: the number of rows, and the sum of the hashes of their texts, which does not depend on their order.
 */
export type Checksums = Map<string, Checksum>
export type Checksum = { rows: string; sum: string | null }

const largeObjects: StoredTable = { name: 'pg_catalog.pg_largeobject', columns: ['loid', 'pageno', 'data'], bytes: 0 }

/** Reads every row of every table. */
export async function readChecksums(sql: Pick<Sql, 'unsafe'>, tables: readonly StoredTable[], signal: AbortSignal): Promise<Checksums> {
  await sql.unsafe(`set search_path = ''`)
  const found: Checksums = new Map()
  for (const table of [...tables, largeObjects]) {
    signal.throwIfAborted()
    found.set(table.name, await readChecksum(sql, table))
  }
  return found
}

/** A query for the checksum of `rows`, a table with an optional condition. @param columns and rows as SQL */
export const checksumOf = (columns: readonly string[], rows: string): string =>
  `select count(*)::text as rows, sum(pg_catalog.hashtextextended(row(${columns.join(', ')})::text collate "C", 0))::text as sum from ${rows}`

/**
 * Reads the checksum of one table without its computed columns: the new version computes them from the same definition,
 * and may round or format differently. The search path must be empty.
 */
export async function readChecksum(sql: Pick<Sql, 'unsafe'>, { name, columns }: Pick<StoredTable, 'name' | 'columns'>): Promise<Checksum> {
  const [row] = await sql.unsafe<Checksum[]>(checksumOf(columns, `only ${name}`))
  return row!
}

/** @throws BackupError naming the first table that differs */
export function requireSameRows(before: Checksums, after: Checksums): void {
  for (const [name, { rows, sum }] of before) {
    const copy = after.get(name)
    if (copy?.rows !== rows) throw new BackupError(`The table ${name} has ${rows} rows, and ${copy?.rows ?? 0} in the copy.`)
    if (copy.sum !== sum) throw new BackupError(`The rows of ${name} are not the same in the copy.`)
  }
}
