import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Sql } from 'postgres'
import { keyOf, type Storage } from '../attachments/storage'
import { postgresMajor } from '../db/embedded/runtime'
import { type Archive, createArchive } from './archive'
import { clusterName, copyCluster } from './cluster-copy'
import { addFile } from './file-bytes'
import { manifestName, newManifest } from './manifest'
import { BackupError } from './problem'
import { customConf } from './rehearsal'
import { lastMigration } from './state'

/** What is copied. `files` is the storage on the disk; null where attachments are in a bucket. */
export type Source = { sql: Sql; dataDir: string; files: Storage | null }

/** Bytes before compression. */
export type Copied = { databaseBytes: number; files: number; fileBytes: number }

export const filesName = 'files'

/**
 * Writes a backup of a running installation into `sink`. The database first and the files afterwards: so every file that the copied database knows is
 * in the copy (docs/attachments.md).
 * @throws BackupError, whatever the sink says, or the signal's reason; the session has to be ended then
 */
export async function writeBackup(source: Source, sink: Writable, signal: AbortSignal, onBytes: (count: number) => void): Promise<Copied> {
  refuseOtherMajor(source.dataDir)
  let bytes = 0
  const archive = createArchive(sink, signal, (count) => {
    bytes += count
    onBytes(count)
  })
  try {
    const manifest = newManifest({
      createdAt: new Date().toISOString(),
      migration: await lastMigration(source.sql),
      attachments: source.files ? 'disk' : 'bucket',
    })
    await archive.addText(manifestName, `${JSON.stringify(manifest, null, 2)}\n`)
    await copyCluster(source.sql, join(source.dataDir, clusterName), archive)
    await addFile(archive, join(source.dataDir, customConf), customConf)
    const databaseBytes = bytes
    const files = source.files ? await copyFiles(source.files, source.dataDir, archive) : 0
    const fileBytes = bytes - databaseBytes
    await archive.finish()
    return { databaseBytes, files, fileBytes }
  } catch (error) {
    throw await archive.abandon(error)
  }
}

/** @returns how many there were; one that is swept meanwhile is no file of the copied database, or its grace was over */
async function copyFiles(storage: Storage, dataDir: string, archive: Archive): Promise<number> {
  let count = 0
  for await (const { name } of storage.list()) {
    const key = `${filesName}/${keyOf(name)}`
    if ((await addFile(archive, join(dataDir, key), key)) !== null) count++
  }
  return count
}

/** The running service may be another release than this command. */
function refuseOtherMajor(dataDir: string) {
  const path = join(dataDir, clusterName, 'PG_VERSION')
  const found = existsSync(path) ? readFileSync(path, 'utf8').trim() : 'none'
  if (found === String(postgresMajor)) return
  throw new BackupError(
    `The database in ${dataDir} is of PostgreSQL ${found}, and this Rowhouse holds ${postgresMajor}. Use the release that runs.`,
  )
}
