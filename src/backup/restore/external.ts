import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { syncFilesystem } from '../../db/embedded/libc'
import { lockDataDir } from '../../db/embedded/lock'
import { findPlace } from '../../db/embedded/place'
import { restoringFolder } from '../../db/embedded/restoring'
import { lockKeys } from '../../db/lock-keys'
import { connectDirectly, directTarget } from '../../db/pool/open'
import type { Config } from '../../ops/settings/config'
import type { ConnectionUri } from '../../ops/settings/connection-uri'
import { requireRestorable } from '../archive/manifest'
import { filesFolder } from '../archive/names'
import { loadBackup } from '../copy/loaded'
import { connectionCheck } from '../database-copy/session'
import { requireFree } from '../disk-space'
import { BackupError } from '../errors'
import { createFileList, loadFileList } from '../proof/stored-files'
import { inspectBackup } from './inspect'
import type { RestoreOptions } from './restore'
import { removeStrayFiles } from './stray-files'

const listName = 'files.list'

/** How long a restore waits for another restore, or for a service that is starting. */
const maxLockWait = '30s'

/** It is unknown whether the transaction was committed, so an interruption must not report that nothing was changed. */
class UnknownEnd extends BackupError {}

type ExternalRestore = Omit<RestoreOptions, 'recovery'> & { uri: ConnectionUri }

const ofInside =
  'This backup has the files of an embedded database, which your own PostgreSQL cannot read. Restore it without DATABASE_URL into a data directory, and continue from there with rowhouse move (docs/move.md).'

/**
 * Restores a logical copy into the empty database of DATABASE_URL, and its files into the data directory. The database
 * is restored in one transaction, completely or not at all. The files are moved to their place before the commit, and
 * if its outcome is unknown, the folder of the restore stays as a mark (`requireRestoredDatabase`).
 * @throws BackupError, DamagedBackup, errors of the operating system or PostgreSQL, the signal's reason
 */
export async function restoreIntoDatabase(options: ExternalRestore): Promise<{ dataDir: string }> {
  const { open, passphrase, config, signal, onChecked, uri } = options
  if (!config.databasePrepare && !config.databaseDirectUrl)
    throw new BackupError('A restore needs a connection without a pooler. Set DATABASE_DIRECT_URL.')
  const checked = await inspectBackup(open(), passphrase, signal, (manifest) => {
    requireRestorable(manifest)
    if (!manifest.logical) throw new BackupError(ofInside)
  })
  onChecked(checked)
  const place = findPlace(config)
  const { dataDir } = place
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockDataDir(place)
  if (!lock) throw new BackupError(`Another Rowhouse is running in ${dataDir}.`)
  const sql = connectDirectly(directTarget({ uri }, config), config)
  const abort = () => void sql.end({ timeout: 0 })
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    await sql.unsafe(`set lock_timeout = '${maxLockWait}'`)
    await sql`select pg_catalog.pg_advisory_lock(${String(lockKeys.migration)}::text::bigint)`.catch((error) => {
      throw error.code === '55P03' ? new BackupError('Another Rowhouse is running in the database. Stop it first.') : error
    })
    await requireUnused(sql)
    const unfinished = takeFolder(dataDir)
    requireFree(dataDir, checked.contents.fileBytes, 'To restore the files')
    await bring(options, sql, unfinished, dataDir)
    return { dataDir }
  } catch (error) {
    throw signal.aborted && !(error instanceof UnknownEnd) ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', abort)
    await sql.end({ timeout: 0 })
    rmSync(join(dataDir, 'rowhouse.lock'), { force: true })
    lock.release()
  }
}

/**
 * Runs before the remains of an earlier restore are removed, because that restore may be complete. @throws BackupError
 */
async function requireUnused(sql: Sql) {
  const [used] = await sql`select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) relnamespace
    where nspname operator(pg_catalog.=) 'rowhouse' limit 1`
  if (used) throw new BackupError('Rowhouse has already used this database, and nothing is overwritten. Name an empty one in DATABASE_URL.')
}

/**
 * Creates the folder of this restore. While it exists no service starts, so if there is one of an earlier restore, the
 * files belong to that restore and are removed.
 * @throws BackupError if there are other files
 */
function takeFolder(dataDir: string): string {
  const [unfinished, files] = [restoringFolder, filesFolder].map((name) => join(dataDir, name)) as [string, string]
  if (existsSync(unfinished)) {
    for (const path of [files, unfinished]) rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  } else if (existsSync(files)) {
    if (readdirSync(files).length > 0)
      throw new BackupError(`${files} is not empty, and nothing is overwritten. Name a new folder with --data-dir, or move this one away.`)
    rmdirSync(files)
  }
  mkdirSync(unfinished, { mode: 0o700 })
  return unfinished
}

async function bring({ open, passphrase, signal }: ExternalRestore, sql: Sql, unfinished: string, dataDir: string) {
  const files = join(unfinished, filesFolder)
  let isEnding = false
  try {
    await sql.unsafe('begin')
    await sql.unsafe(connectionCheck)
    const list = createFileList(join(unfinished, listName))
    const unpacking = { folder: unfinished, passphrase, signal, begin: requireRestorable, onFile: list.add, isOurs: false }
    const isWanted = (name: string) => name.startsWith(`${filesFolder}/`)
    const { database } = await loadBackup(sql, open(), { ...unpacking, isWanted })
    list.close()
    await loadFileList(sql, list.path)
    await removeStrayFiles(sql, unfinished)
    for (const { name } of database.tables) await sql.unsafe(`analyze ${name}`)
    signal.throwIfAborted()
    syncFilesystem(unfinished)
    if (existsSync(files)) renameSync(files, join(dataDir, filesFolder))
    syncFilesystem(dataDir)
    isEnding = true
    await sql.unsafe('commit')
    isEnding = false
  } catch (error) {
    if (isEnding)
      throw new UnknownEnd(
        `The connection was lost at the end of the restore (${(error as Error).message}). Start the service: it says whether the restore is complete.`,
      )
    rmSync(join(dataDir, filesFolder), { recursive: true, force: true, maxRetries: 5 })
    rmSync(unfinished, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
  rmSync(unfinished, { recursive: true, force: true, maxRetries: 5 })
}

/**
 * An interrupted restore leaves a team's database empty. A service must not mistake it for a new database.
 * @throws BackupError
 */
export async function requireRestoredDatabase(sql: Sql, { dataDir }: Pick<Config, 'dataDir'>): Promise<void> {
  const folder = join(dataDir, restoringFolder)
  if (!existsSync(folder)) return
  const [used] = await sql`select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) relnamespace
    where nspname operator(pg_catalog.=) 'rowhouse' and relname operator(pg_catalog.=) 'migrations'`
  if (!used || existsSync(join(folder, filesFolder)))
    throw new BackupError(`A restore into this database was not finished. Run rowhouse restore again, or remove ${folder}.`)
  rmSync(folder, { recursive: true, force: true })
}
