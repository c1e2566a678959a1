import type { Sql } from 'postgres'
import { type RunningCopy, startCopy } from '../../db/embedded/copy'
import { DataDirError } from '../../db/embedded/place'
import { patientConfig } from '../../db/embedded/postmaster'
import { databaseFailure } from '../../db/errors'
import { connectDirectly } from '../../db/pool/open'
import type { Config } from '../../ops/settings/config'
import { BackupError, DamagedBackup, isSystemError, UntriedBackup } from '../errors'

/**
 * Other systems cannot tell the copy from the original, so it must not archive, replicate or run event triggers. It
 * must be able to restore the transactions that the original had prepared.
 */
const isolationSettings = [
  '# Written by Rowhouse for the recovery of a copy.',
  'archive_mode = off',
  'max_logical_replication_workers = 0',
  'event_triggers = off',
  'max_prepared_transactions = 100',
  'autovacuum = off',
  'shared_buffers = 32MB',
  'maintenance_work_mem = 64MB',
]

/** `fsync=off` is for a copy that is discarded. */
export const throwaway = ['fsync = off', 'full_page_writes = off']

/** `isKept`: the rows, including those of unlogged tables, must survive when the copy is stopped. */
export type OpenCopy = {
  folder: string
  settings?: readonly string[]
  dataDir: string
  config: Config
  signal: AbortSignal
  isKept?: boolean
}

/**
 * Starts PostgreSQL on an unpacked backup, waits for its recovery, lets `work` query it, and stops it cleanly.
 * @throws DamagedBackup if it does not start or cannot be read; UntriedBackup if it does not respond; BackupError if
 * the copy must remain and PostgreSQL did not stop cleanly; errors of the operating system; the signal's reason
 */
export async function withCopy<Result>(
  { folder, settings = [], dataDir, config, signal, isKept = false }: OpenCopy,
  work: (sql: Sql, target: RunningCopy['target']) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const copy = await startCopy(folder, [...isolationSettings, ...settings], dataDir).catch((error) => {
    throw error instanceof DataDirError ? new DamagedBackup(`The database of the backup does not start: ${error.message}`) : error
  })
  const sql = connectDirectly(copy.target, patientConfig(config))
  // A query may take a long time, and an interruption does not wait for it.
  const abort = () => void sql.end({ timeout: 0 })
  signal.addEventListener('abort', abort)
  const stop = async () => {
    signal.removeEventListener('abort', abort)
    await sql.end({ timeout: 1 })
    await copy.stop()
  }
  let result: Result
  try {
    result = await work(sql, copy.target)
  } catch (error) {
    // Stops before explaining the error, because PostgreSQL's log is complete only then.
    await stop()
    if (signal.aborted) throw signal.reason
    throw explainCopyError(error, copy)
  }
  await stop()
  const failure = isKept ? copy.failure() : null
  if (failure) throw new BackupError(`${failure.message}. Nothing was kept; run the command again.`)
  return result
}

/** A crash of PostgreSQL on the copy means a damaged backup; a busy or small machine or a full disk does not. */
export function explainCopyError(error: unknown, copy: Pick<RunningCopy, 'crash'>): unknown {
  // The operating system also reports lost connections to PostgreSQL.
  if (error instanceof BackupError || (isSystemError(error) && !databaseFailure(error))) return error
  const { message } = error as Error
  return databaseFailure(error) && !copy.crash()
    ? new UntriedBackup(`The database of the backup could not be tried out (${message}). Try again.`)
    : new DamagedBackup(`The database of the backup cannot be read: ${message}`)
}
