import { join } from 'node:path'
import type { Sql } from 'postgres'
import type { MarkedStorage } from '../../attachments/storage/storage'
import { readArchive } from '../../db/embedded/wal-archive'
import { isOwnTable, lastMigration } from '../../db/schema/own-tables'
import { type BackupContents, type BackupManifest, newManifest } from '../archive/manifest'
import { contentsName, customConf, manifestName } from '../archive/names'
import { type ArchiveWriter, createArchive, type Sink } from '../archive/writer'
import type { DumpSource } from '../database-copy/pg-dump'
import { listStoredTables } from '../database-copy/table-rows'
import { BackupError } from '../errors'
import { readLogicalDatabase } from '../logical/database'
import { beginSnapshot, writeDatabase } from '../logical/write'
import { copyCluster, endWalsender } from './base-backup'
import { openReplication, type ReplicationSession } from './replication'
import { countTableRows, type RowCounts, readBoundary } from './row-counts'
import { addFile, copyStoredFiles } from './stored-files'
import { listTablesOfBackup } from './table-list'

/**
 * The source of a backup. `inside` is the embedded database, whose cluster is copied; null for a team's own, which gets
 * a logical copy. `files` is the storage on disk; null if attachments are in a bucket.
 */
export type BackupSource = {
  inside: InsideDatabase | null
  /** The connection URL of either database. */
  database: DumpSource
  /** Opens an ordinary connection. */
  connect: () => Sql
  dataDir: string
  files: MarkedStorage | null
  schemas: readonly string[]
}

type InsideDatabase = { socketPath: string; user: string; database: string }

/**
 * `rows` are used to compare a copy of the cluster with the database (`row-counts.ts`). A logical copy contains its own
 * checksums.
 */
export type WrittenBackup = { contents: BackupContents; rows: { boundary: string; counts: RowCounts } | null }

export type WriteBackupOptions = { passphrase: string | undefined; signal: AbortSignal; onBytes: (count: number) => void }

/**
 * Writes a backup of a running installation into `sink`: first the database and then the files, so that the copy has
 * every file that the copied database knows (docs/attachments.md). When it ends, even with a failure, PostgreSQL no
 * longer retains its log for the backup.
 * @throws BackupError, errors of the sink, the signal's reason
 */
export async function writeBackup(
  source: BackupSource,
  sink: Sink,
  { passphrase, signal, onBytes }: WriteBackupOptions,
): Promise<WrittenBackup> {
  let read = 0
  const count = (bytes: number) => {
    read += bytes
    onBytes(bytes)
  }
  const archive = createArchive(sink, { passphrase, signal, onBytes: count })
  const sql = source.connect()
  const abort = () => void sql.end({ timeout: 0 })
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    const { counted, rows } = source.inside
      ? await writeCluster(source, source.inside, sql, archive, signal)
      : await writeLogical(source, sql, archive, signal)
    const databaseBytes = read
    if (source.files) await copyStoredFiles(source.files, source.dataDir, archive)
    const contents = { ...counted, databaseBytes, fileBytes: read - databaseBytes }
    await archive.addText(contentsName, `${JSON.stringify(contents, null, 2)}\n`)
    await archive.finish()
    return { contents, rows }
  } catch (error) {
    throw await archive.abandon(error)
  } finally {
    signal.removeEventListener('abort', abort)
    await sql.end({ timeout: 1 })
  }
}

type WrittenDatabase = Pick<WrittenBackup, 'rows'> & { counted: Omit<BackupContents, 'databaseBytes' | 'fileBytes'> }

type ManifestFacts = Pick<BackupManifest, 'migration' | 'walArchive' | 'logical' | 'tables'>

async function addManifest(archive: ArchiveWriter, { files }: BackupSource, facts: ManifestFacts) {
  const manifest = newManifest({ createdAt: new Date().toISOString(), attachments: files ? 'disk' : 'bucket', ...facts })
  await archive.addText(manifestName, `${JSON.stringify(manifest, null, 2)}\n`)
}

async function writeCluster(
  source: BackupSource,
  inside: InsideDatabase,
  sql: Sql,
  archive: ArchiveWriter,
  signal: AbortSignal,
): Promise<WrittenDatabase> {
  const boundary = await readBoundary(sql)
  const migration = await lastMigration(sql)
  const tables = await listTablesOfBackup(sql, source.schemas)
  await addManifest(archive, source, { migration, walArchive: readArchive(source.dataDir)?.id ?? null, tables })
  await inSession(source, inside, signal, (session) => copyCluster(session, archive))
  await addFile(archive, join(source.dataDir, customConf), customConf)
  const counts = await countTableRows(sql, boundary, source.schemas, signal)
  const served = [...counts.values()].filter(({ isServed }) => isServed)
  return { counted: await countContents(sql, served), rows: { boundary, counts } }
}

/** Copies the rows that one transaction sees and rolls it back, so that a pooler's session stays unchanged. */
async function writeLogical(source: BackupSource, sql: Sql, archive: ArchiveWriter, signal: AbortSignal): Promise<WrittenDatabase> {
  const { config } = source.database
  if (!config.databasePrepare && !config.databaseDirectUrl)
    throw new BackupError('A backup needs connections without a pooler, which would cut them off. Set DATABASE_DIRECT_URL.')
  await beginSnapshot(sql)
  const logical = await readLogicalDatabase(sql, source.schemas)
  const tables = await listTablesOfBackup(sql, source.schemas)
  await addManifest(archive, source, { migration: await lastMigration(sql), logical, tables })
  const checksums = await writeDatabase(sql, source.database, logical, archive, signal)
  const served = await listStoredTables(sql, ['data', ...source.schemas])
  const counted = await countContents(
    sql,
    served.map(({ name }) => ({ rows: Number(checksums.get(name)?.rows ?? 0) })),
  )
  await sql.unsafe('rollback')
  return { counted, rows: null }
}

/** Always ends the session, and waits for its end over another connection that an interruption does not close. */
async function inSession(
  source: BackupSource,
  inside: InsideDatabase,
  signal: AbortSignal,
  work: (session: ReplicationSession) => Promise<void>,
): Promise<void> {
  const sql = source.connect()
  try {
    const session = await openReplication(inside)
    const abort = () => session.close()
    signal.addEventListener('abort', abort)
    try {
      signal.throwIfAborted()
      await work(session)
    } finally {
      signal.removeEventListener('abort', abort)
      await endWalsender(session, sql)
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function countContents(sql: Sql, served: readonly { rows: number }[]) {
  const count = async (name: string, statement: string) => {
    if (!(await isOwnTable(sql, name))) return 0
    const [row] = await sql.unsafe<{ count: number }[]>(statement)
    return row!.count
  }
  return {
    tables: served.length,
    records: served.reduce((sum, { rows }) => sum + rows, 0),
    users: await count('users', 'select count(*)::int as count from rowhouse.users'),
    attachments: await count('files', 'select count(*)::int as count from rowhouse.files where removed_at is null'),
  }
}
