import type { Sql } from 'postgres'
import { makeEmptyCopy, type RunningCopy } from '../../db/embedded/copy'
import type { BackupManifest, LogicalDatabase } from '../archive/manifest'
import type { ReadBackup } from '../archive/reader'
import type { Bytes } from '../archive/seal'
import { createLoader, type DatabaseLoader } from '../logical/load'
import { prepareDatabase } from '../logical/prepare'
import { type OpenCopy, throwaway, withCopy } from './open-copy'
import { type UnpackOptions, unpackBackup } from './unpack'

export type CopyLoadOptions = Omit<UnpackOptions, 'onDatabase' | 'signal'>

/** The cluster is new, and is recreated after a crash. */
const forLoading = [...throwaway, 'wal_level = minimal', 'max_wal_senders = 0', 'max_locks_per_transaction = 8192']

/**
 * Creates a cluster in the folder of `copy`, loads a logical copy into its database and lets `work` query it.
 * @throws like `withCopy` and `loadBackup`
 */
export async function withLoaded<Result>(
  copy: OpenCopy,
  source: Bytes,
  options: CopyLoadOptions,
  work: (sql: Sql, target: RunningCopy['target'], read: ReadBackup) => Promise<Result>,
): Promise<Result> {
  await makeEmptyCopy(copy.folder, copy.dataDir)
  return withCopy({ ...copy, settings: [...(copy.settings ?? []), ...forLoading] }, async (sql, target) => {
    await sql.unsafe('begin')
    const read = await loadBackup(sql, source, { ...options, signal: copy.signal, isOurs: true })
    await sql.unsafe('commit')
    await sql.unsafe('reset all')
    return work(sql, target, read)
  })
}

/**
 * Reads a backup once: loads the database in the open transaction of the session, and unpacks the files into a folder.
 * Also compares the rows and checks the constraints.
 * @throws BackupError, DamagedBackup, errors of the operating system, the signal's reason
 */
export async function loadBackup(
  sql: Sql,
  source: Bytes,
  { isOurs, ...options }: Omit<UnpackOptions, 'onDatabase'> & { isOurs: boolean },
): Promise<ReadBackup & { database: ReturnType<DatabaseLoader['finish']> }> {
  let logical: LogicalDatabase | undefined
  let loader: DatabaseLoader | null = null
  const begin = (manifest: BackupManifest) => {
    options.begin(manifest)
    logical = manifest.logical
  }
  const onDatabase: UnpackOptions['onDatabase'] = async (received) => {
    if (loader === null) {
      await prepareDatabase(sql, logical!, isOurs)
      loader = await createLoader(sql, logical!)
    }
    await loader.take(received)
  }
  const read = await unpackBackup(source, { ...options, begin, onDatabase })
  const loaded = loader as DatabaseLoader | null
  return { ...read, database: (loaded ?? (await createLoader(sql, logical!))).finish() }
}
