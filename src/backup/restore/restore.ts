import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Sql } from 'postgres'
import { diskStorage } from '../../attachments/storage/disk'
import { stopCopy } from '../../db/embedded/copy'
import { syncFilesystem } from '../../db/embedded/libc'
import { lockDataDir } from '../../db/embedded/lock'
import { findPlace } from '../../db/embedded/place'
import { restoringFolder } from '../../db/embedded/restoring'
import { isOwnTable } from '../../db/schema/own-tables'
import { createEvents } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { requireRestorable } from '../archive/manifest'
import { clusterFolder, customConf, filesFolder } from '../archive/names'
import type { ReadBackup } from '../archive/reader'
import type { Bytes } from '../archive/seal'
import { isUrl } from '../bucket'
import { withLoaded } from '../copy/loaded'
import { unpackBackup } from '../copy/unpack'
import { requireFree, runtimeBytes } from '../disk-space'
import { BackupError, noPointInTime } from '../errors'
import { createFileList, loadFileList } from '../proof/stored-files'
import { type Followed, type FollowOptions, openArchiveOf } from '../wal/follow'
import { fetchMissingFiles, type LostFiles } from '../wal/missing-files'
import { findTarget, type RequestedTarget, requireBefore } from './before-request'
import { inspectBackup } from './inspect'
import { requireAfter, withRecovered } from './recover'
import { removeStrayFiles } from './stray-files'

const lockName = 'rowhouse.lock'
const asideName = 'aside'
const listName = 'files.list'

/** The entries of a new volume. */
const ofVolume = ['lost+found', lockName, restoringFolder]
/**
 * The entries that a killed restore may have moved to their place already, before the cluster, or that a start has
 * created before it was rejected.
 */
const movedFirst = ['conf', 'files', 'runtime', 'run', 'wal']

const noneLost: LostFiles = { count: 0, first: null, brought: 0 }

export type RestoreOptions = {
  /** Reads the backup from its beginning; it is read twice. */
  open: () => Bytes
  passphrase: string | undefined
  config: Config
  signal: AbortSignal
  /** Called when every byte has been checked, before anything is written. */
  onChecked: (read: ReadBackup) => void
  /**
   * The archive of the log to follow, and the target. Without them, the backup alone is restored. `onTarget` is called
   * after the search of the archive for a request and before the restore itself.
   */
  recovery?: { place: string; target: RequestedTarget; onBytes: (count: number) => void; onTarget: () => void } | undefined
}

/**
 * `followed`, `lost` and `bucket` belong to a recovery that follows an archive; `bucket` held the files at the
 * recovered time.
 */
export type Restored = { dataDir: string; followed: Followed | null; lost: LostFiles; bucket: string | null }

/**
 * Restores a backup into the data directory of the settings. Every byte is checked before the first is written, the
 * files are moved into place only after PostgreSQL has recovered, and a failed restore leaves no files.
 * @throws BackupError, DamagedBackup, DataDirError, errors of the operating system, the signal's reason
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { open, passphrase, config, signal, onChecked, recovery } = options
  const place = findPlace(config)
  const { dataDir } = place
  requireEmpty(dataDir)
  const checked = await inspectBackup(open(), passphrase, signal, (manifest) => {
    requireRestorable(manifest)
    if (recovery && manifest.logical) throw new BackupError(noPointInTime)
  })
  if (recovery) requireAfter(checked, recovery.target)
  const archive = recovery && (await openArchiveOf(checked.manifest, { place: recovery.place, passphrase, config }))
  onChecked(checked)
  const firstMade = mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const unfinished = join(dataDir, restoringFolder)
  const lock = await lockDataDir(place)
  if (!lock) throw new BackupError(`Another Rowhouse is running in ${dataDir}.`)
  let isDone = false
  try {
    // Another restore may have been running until now.
    const left = requireEmpty(dataDir)
    await stopCopy(unfinished, dataDir)
    for (const name of left.reverse()) rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
    requireFree(dataDir, checked.bytes + runtimeBytes, 'To restore')
    const copy = { folder: unfinished, dataDir, config, signal }
    const search = recovery &&
      archive && { open, passphrase, read: checked, copy, following: { archive, signal, onBytes: recovery.onBytes } }
    const target = search && (await findTarget(recovery.target, search))
    recovery?.onTarget()
    mkdirSync(unfinished, { mode: 0o700 })
    const list = createFileList(join(unfinished, listName))
    const unpacking = { folder: unfinished, passphrase, isWanted: () => true, begin: requireRestorable, onFile: list.add }
    const following = search && target && { ...search.following, folder: unfinished, target }
    const finish = async (sql: Sql, followed: Followed | null) => {
      await requireBefore(sql, target)
      await loadFileList(sql, list.path)
      const files = following ? await restoreFilesBehind(sql, checked, following) : { lost: noneLost, bucket: null }
      await tidyDatabase(sql, unfinished, checked.manifest)
      return { followed, ...files }
    }
    const bring = async () => {
      if (checked.manifest.logical) {
        return await withLoaded({ ...copy, isKept: true }, open(), unpacking, async (sql) => {
          list.close()
          await sql`analyze`
          return finish(sql, null)
        })
      }
      await unpackBackup(open(), { ...unpacking, signal })
      list.close()
      const putBack = putAside(unfinished)
      const recovered = await withRecovered({ copy, read: checked, following }, (sql, _, followed) => finish(sql, followed))
      putBack()
      return recovered
    }
    const recovered = await bring()
    // After a logical copy, this file contains the settings for loading. A start writes its own if there is none.
    if (checked.manifest.logical) rmSync(join(unfinished, customConf), { force: true })
    rmSync(list.path)
    signal.throwIfAborted()
    syncFilesystem(unfinished)
    moveOut(unfinished, dataDir)
    isDone = true
    return { dataDir, ...recovered }
  } finally {
    rmSync(unfinished, { recursive: true, force: true, maxRetries: 5 })
    if (!isDone) rmSync(join(dataDir, lockName), { force: true })
    lock.release()
    if (!isDone) removeMade(dataDir, firstMade)
  }
}

/**
 * Fetches the files that were added after the backup. Between the backup and the recovered time, files may have been
 * moved to another storage. If that is a folder, it gets the id that the recovered database holds for it.
 */
async function restoreFilesBehind(
  sql: Sql,
  { manifest }: ReadBackup,
  following: FollowOptions,
): Promise<Pick<Restored, 'lost' | 'bucket'>> {
  const storage = await readStorage(sql)
  const bucket = storage && isUrl(storage.place) ? storage.place : null
  const isFolder = manifest.attachments === 'disk'
  if (!isFolder && bucket !== null) return { lost: noneLost, bucket }
  const lost = await fetchMissingFiles(sql, following)
  if (storage && bucket === null && (isFolder || lost.brought > 0))
    await diskStorage(join(following.folder, filesFolder), createEvents()).writeId(storage.id)
  return { lost, bucket }
}

async function readStorage(sql: Sql): Promise<{ id: string; place: string } | undefined> {
  if (!(await isOwnTable(sql, 'storage'))) return undefined
  return (await sql<{ id: string; place: string }[]>`select id::text as id, place from rowhouse.storage where claimed_at is not null`)[0]
}

/** Finishes the contents of the database. Only a physical copy contains the log of changes of the original. */
async function tidyDatabase(sql: Sql, folder: string, { logical }: ReadBackup['manifest']): Promise<void> {
  await removeStrayFiles(sql, folder)
  if (!logical) await beginLogEpoch(sql)
}

/**
 * Readers of the change feed may have read later changes than the restored database contains; they have to read the
 * records again. The time distinguishes two restores of one backup. `first_id` is only for a move: here the logged
 * transactions are the server's own.
 */
async function beginLogEpoch(sql: Sql): Promise<void> {
  if (!(await isOwnTable(sql, 'log_epochs'))) return
  await sql`update rowhouse.log_epochs set epoch = greatest(epoch + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)`
}

/** Runs before anything is read. @throws BackupError if something is in the way */
export const requireEmptyDataDir = (config: Config): void => void requireEmpty(findPlace(config).dataDir)

/** @returns the names that an earlier restore may have left @throws BackupError for other contents */
function requireEmpty(dataDir: string): string[] {
  if (!existsSync(dataDir)) return []
  const names = readdirSync(dataDir)
  // A restore begins in an empty folder, and no service starts while the restore's folder exists, so these entries are
  // the restore's own.
  const left = names.includes(restoringFolder) ? [restoringFolder, ...movedFirst] : []
  const found = names.filter((name) => !ofVolume.includes(name) && !left.includes(name))
  if (found.length === 0) return left
  throw new BackupError(
    `${dataDir} is not empty (${found.slice(0, 3).join(', ')}), and nothing is overwritten. Name a new folder with --data-dir, or move this one away.`,
  )
}

/** Removes empty folders, the innermost first. */
function removeMade(dataDir: string, firstMade: string | undefined) {
  try {
    for (let folder = dataDir; firstMade && folder.startsWith(firstMade); folder = dirname(folder)) rmdirSync(folder)
  } catch {
    // Another process has put something there in the meantime.
  }
}

/**
 * Moves PostgreSQL's settings of the original away for the recovery: they may archive, listen, or require more than
 * this machine has. @returns a function that moves them back
 */
function putAside(unfinished: string): () => void {
  const aside = join(unfinished, asideName)
  mkdirSync(aside, { mode: 0o700 })
  const custom = join(unfinished, customConf)
  const moved = [custom, join(unfinished, clusterFolder, 'postgresql.auto.conf')]
    .filter((path) => existsSync(path))
    .map((path, index) => ({ path, kept: join(aside, String(index)) }))
  for (const { path, kept } of moved) renameSync(path, kept)
  return () => {
    // Removes the settings of the recovery; a start writes its own if there are none.
    rmSync(custom, { force: true })
    for (const { path, kept } of moved) renameSync(kept, path)
    if (existsSync(custom)) chmodSync(custom, 0o644)
    rmSync(aside, { recursive: true })
  }
}

/** The cluster is moved last: without it, the folder does not hold a database. */
function moveOut(unfinished: string, dataDir: string) {
  const names = readdirSync(unfinished).filter((name) => name !== clusterFolder && name !== 'run')
  for (const name of [...names, clusterFolder]) renameSync(join(unfinished, name), join(dataDir, name))
  syncFilesystem(dataDir)
}
