import { join } from 'node:path'
import type { Sql } from 'postgres'
import type { MarkedStorage } from '../../attachments/storage/storage'
import { readArchive } from '../../db/embedded/wal-archive'
import { isOwnTable, lastMigration } from '../../db/own-tables'
import type { BackupContents } from '../archive/manifest'
import { newManifest } from '../archive/manifest'
import { contentsName, customConf, manifestName } from '../archive/names'
import { createArchive, type Sink } from '../archive/writer'
import { copyCluster, endWalsender } from './base-backup'
import { openReplication, type ReplicationSession } from './replication'
import { countTableRows, type RowCounts, readBoundary } from './row-counts'
import { addFile, copyStoredFiles } from './stored-files'

/** What is copied. `files` is the storage on the disk; null where attachments are in a bucket. */
export type BackupSource = {
  target: { socketPath: string; user: string; database: string }
  /** Opens an ordinary connection of its own. */
  connect: () => Sql
  dataDir: string
  files: MarkedStorage | null
  schemas: readonly string[]
}

/** `boundary` and `counts` are for comparing a copy with the database (`row-counts.ts`). */
export type WrittenBackup = { contents: BackupContents; boundary: string; counts: RowCounts }

export type WriteBackupOptions = { passphrase: string | undefined; signal: AbortSignal; onBytes: (count: number) => void }

/**
 * Writes a backup of a running installation into `sink`. The database first and the files afterwards: so every file
 * that the copied database knows is in the copy (docs/attachments.md). However it ends, PostgreSQL has let go of its
 * log by then.
 * @throws BackupError, whatever the sink says, or the signal's reason
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
    const boundary = await readBoundary(sql)
    const migration = await lastMigration(sql)
    const manifest = newManifest({
      createdAt: new Date().toISOString(),
      migration,
      attachments: source.files ? 'disk' : 'bucket',
      walArchive: readArchive(source.dataDir)?.id ?? null,
    })
    await archive.addText(manifestName, `${JSON.stringify(manifest, null, 2)}\n`)
    await inSession(source, signal, (session) => copyCluster(session, archive))
    await addFile(archive, join(source.dataDir, customConf), customConf)
    const databaseBytes = read
    const counts = await countTableRows(sql, boundary, source.schemas, signal)
    if (source.files) await copyStoredFiles(source.files, source.dataDir, archive)
    const contents = { ...(await countContents(sql, counts)), databaseBytes, fileBytes: read - databaseBytes }
    await archive.addText(contentsName, `${JSON.stringify(contents, null, 2)}\n`)
    await archive.finish()
    return { contents, boundary, counts }
  } catch (error) {
    throw await archive.abandon(error)
  } finally {
    signal.removeEventListener('abort', abort)
    await sql.end({ timeout: 1 })
  }
}

/** The session is ended in any case, and waited for over another connection, which an interruption leaves alone. */
async function inSession(source: BackupSource, signal: AbortSignal, work: (session: ReplicationSession) => Promise<void>): Promise<void> {
  const sql = source.connect()
  try {
    const session = await openReplication(source.target)
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

async function countContents(sql: Sql, counts: RowCounts) {
  const served = [...counts.values()].filter(({ isServed }) => isServed)
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
