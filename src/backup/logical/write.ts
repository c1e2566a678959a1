import type { Sql } from 'postgres'
import { copyOut } from '../../db/copy'
import type { LogicalDatabase } from '../archive/manifest'
import type { ArchiveWriter } from '../archive/writer'
import { type Checksums, readChecksum } from '../database-copy/checksums'
import { readPart, readSequences } from '../database-copy/definitions'
import type { DumpSource } from '../database-copy/pg-dump'
import { connectionCheck, noTransactionTimeout, sessionSettings } from '../database-copy/session'
import { listStoredTables, type StoredTable } from '../database-copy/table-rows'
import { BackupError } from '../errors'
import { beforeRowsName, behindRowsName, checksumsName, rowsName, sequencesName, tablesName, toLines } from './layout'

/** The maximum size of an archive entry of rows. An entry is held in memory because its length is written before it. */
const partBytes = 4 * 2 ** 20

/** How long to wait for the lock of a table. A longer wait means that its definition is being changed. */
const maxLockWait = '60s'

/** Begins a transaction that reads the rows as they are now, regardless of later writes. */
export async function beginSnapshot(sql: Sql): Promise<void> {
  await sql.unsafe('begin isolation level repeatable read, read only')
  await sql.unsafe(noTransactionTimeout)
  await sql.unsafe(`${sessionSettings}; set search_path = ''; set max_parallel_workers_per_gather = 0`).simple()
  await sql.unsafe(connectionCheck)
}

/** pg_dump reads a name without quotes as a pattern. */
const schemaFlag = (schema: string) => `--schema="${schema.replaceAll('"', '""')}"`

/** Owners, privileges and tablespaces belong to the server and are not copied. */
const portable = ['--no-owner', '--no-privileges', '--no-tablespaces', '--no-security-labels', '--no-publications', '--no-subscriptions']

/**
 * Writes the schemas into the archive: definitions, rows, sequences, and the checksums of the rows. Must be called in a
 * transaction of `beginSnapshot`. A table is locked only while it is copied, so a change of its definition waits no
 * longer than that. The copy fails if the table was changed before that in a way that the snapshot does not cover.
 * @throws BackupError naming the table; the signal's reason
 */
export async function writeDatabase(
  sql: Sql,
  source: DumpSource,
  { schemas }: LogicalDatabase,
  archive: ArchiveWriter,
  signal: AbortSignal,
): Promise<Checksums> {
  const [snapshot] = await sql<{ id: string }[]>`select pg_catalog.pg_export_snapshot() as id`
  const flags = [...schemas.map(schemaFlag), ...portable, `--snapshot=${snapshot!.id}`, `--lock-wait-timeout=${maxLockWait}`]
  const { beforeRows, behindRows } = await readPart(source, flags, signal)
  const sequences = await readSequences(source, flags, signal)
  const tables = await listStoredTables(sql, schemas)
  await archive.addText(beforeRowsName, beforeRows)
  await archive.addText(tablesName, toLines(tables.map(({ name, columns }) => ({ name, columns }))))
  const checksums: Checksums = new Map()
  for (const [number, table] of tables.entries()) {
    signal.throwIfAborted()
    checksums.set(table.name, await inLock(sql, table, () => writeRows(sql, table, number, archive)))
  }
  await archive.addText(sequencesName, sequences)
  await archive.addText(checksumsName, toLines([...checksums].map(([name, checksum]) => ({ name, ...checksum }))))
  await archive.addText(behindRowsName, behindRows)
  return checksums
}

/** The SQLSTATEs "lock not available" and those for a missing table, column or schema. */
const changedCodes = ['55P03', '42P01', '42703', '3F000']

async function inLock<Result>(sql: Sql, { name }: StoredTable, work: () => Promise<Result>): Promise<Result> {
  try {
    await sql.unsafe('savepoint rowhouse_table')
    await sql.unsafe(`set local lock_timeout = '${maxLockWait}'`)
    await sql.unsafe(`lock table only ${name} in access share mode`)
    // The snapshot contains the old file node, and the function returns the current one. A new file may contain rows
    // that the snapshot misses.
    const found = await sql<{ is_same: boolean }[]>`
      select relfilenode = pg_catalog.pg_relation_filenode(oid) as is_same from pg_catalog.pg_class
      where oid = ${name}::text::pg_catalog.regclass`
    if (!found[0]?.is_same) throw new BackupError(changed(name))
    const result = await work()
    await sql.unsafe('rollback to savepoint rowhouse_table')
    return result
  } catch (error) {
    throw changedCodes.includes((error as { code?: string }).code ?? '') ? new BackupError(changed(name)) : error
  }
}

const changed = (name: string) =>
  `The table ${name} was changed while it was backed up (its definition, truncate, or vacuum full). No backup was made; try again.`

async function writeRows(sql: Sql, table: StoredTable, number: number, archive: ArchiveWriter) {
  const { name, columns } = table
  let part = 0
  let gathered: Buffer[] = []
  let bytes = 0
  const put = async () => {
    await archive.add(rowsName(number, part++), bytes, gathered)
    gathered = []
    bytes = 0
  }
  const copy = await copyOut(sql, `copy ${columns.length > 0 ? `${name} (${columns.join(', ')})` : name} to stdout`)
  for (let chunk = await copy.next(); chunk !== null; chunk = await copy.next()) {
    gathered.push(chunk)
    bytes += chunk.byteLength
    if (bytes >= partBytes) await put()
  }
  if (bytes > 0) await put()
  return readChecksum(sql, table)
}
