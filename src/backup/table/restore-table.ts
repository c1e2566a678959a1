import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { closeCopy, forgetCopy } from '../../access/document'
import { deleteLoose, takeUploadLease } from '../../attachments/loose-files'
import { requireStorageId } from '../../attachments/service'
import { storageKeyOf } from '../../attachments/storage/storage'
import { patientConfig } from '../../db/embedded/postmaster'
import { createScratch, removeStaleScratch } from '../../db/embedded/scratch'
import { lockKeys } from '../../db/lock-keys'
import { migrate } from '../../db/migration/migrate'
import { type ConnectionTarget, connectDirectly, directTarget, openDb } from '../../db/pool/open'
import { takeSessionLock } from '../../db/pool/session-lock'
import type { Deps } from '../../deps'
import { sentenceOf } from '../../errors'
import type { WorkProgress } from '../../ops/progress'
import { createCatalog, findTable } from '../../tables/catalog/catalog'
import { addColumn, changeColumn } from '../../tables/definitions/columns'
import { tableNameProblems } from '../../tables/definitions/names'
import { changeTable, createTable, deleteTable } from '../../tables/definitions/service'
import type { AddedColumn, Table } from '../../tables/model'
import { requireRestorable } from '../archive/manifest'
import { clusterFolder, filesFolder } from '../archive/names'
import { type ReadBackup, readManifestOf } from '../archive/reader'
import type { Bytes } from '../archive/seal'
import { withLoaded } from '../copy/loaded'
import { throwaway } from '../copy/open-copy'
import { drain, unpackBackup } from '../copy/unpack'
import { requireFree, runtimeBytes, watchDisk } from '../disk-space'
import { BackupError, noPointInTime } from '../errors'
import { findTarget, type RequestedTarget, requireBefore } from '../restore/before-request'
import { requireAfter, withRecovered } from '../restore/recover'
import { readStored } from '../store'
import { type FollowedArchive, openArchiveOf } from '../wal/follow'
import { fileNameOf } from '../wal/new-files'
import { openBytes } from '../wal/sealed'
import { describeDifferences, type Unfinished } from './differences'
import { type FileSource, listFilesOf, restoreFiles } from './files'
import { noTableInBackup, notMadeHere, requireListed } from './listed-table'
import { planRestore, type RestorePlan } from './plan'
import { copyRows } from './rows'

export type RestoreTableTask = {
  /** Reads the backup from its beginning. Called again if it contains attachments of the table. */
  open: () => Bytes
  /** The size of the backup's file. */
  size: number
  passphrase: string | undefined
  /** The database of the service. */
  target: ConnectionTarget
  deps: Pick<Deps, 'config' | 'db' | 'catalog' | 'storage' | 'storageIdentity'>
  /** Id or name in the backup, and the name of the new table. */
  table: string
  as: string
  recovery?: { place: string; target: RequestedTarget } | undefined
  signal: AbortSignal
  progress: Pick<WorkProgress, 'begin' | 'add'>
}

/** `notes` are sentences about the differences from the backup. */
export type RestoredTable = { name: string; records: number; files: number; notes: string[] }

/**
 * Restores one table of a backup into the database of the service, as a new table beside the existing ones: its records
 * with their keys, links to records that still exist, and attachments. The table gets its name once it is complete.
 * @throws BackupError, DamagedBackup, Failure of the definitions, the signal's reason
 */
export async function restoreTable(task: RestoreTableTask): Promise<RestoredTable> {
  const { deps, as } = task
  const [problem] = tableNameProblems(as, '/as')
  if (problem) throw new BackupError(`--as=${as}: ${problem.message}`)
  const to = connectDirectly(directTarget(task.target, deps.config), deps.config)
  try {
    await requireAlone(to)
    await removeUnfinished(deps)
    return await restoreInto(task, to)
  } finally {
    await to.end({ timeout: 1 })
  }
}

/** A concurrent restore would mistake the unfinished table of this one for the remains of a killed restore. */
const requireAlone = (to: Sql) =>
  takeSessionLock(
    to,
    lockKeys.restoreTable,
    (holder) => new BackupError(`Another table is being restored (${holder}). Wait until that is finished.`),
  )

async function restoreInto(task: RestoreTableTask, to: Sql): Promise<RestoredTable> {
  const { deps, as, size, progress } = task
  const { config, catalog } = deps
  const { dataDir, minFreeBytes } = config
  if (findTable(await catalog.current(), as)) throw new BackupError(`A table "${as}" already exists. Choose another name with --as.`)
  const manifest = await readManifestOf(task.open(), task.passphrase, task.signal)
  // In a recovery, the log may create or rename the table after the backup.
  if (manifest.tables && !task.recovery) requireListed(manifest.tables, task.table)
  await removeStaleScratch(dataDir, dataDir)
  // The minimum that is needed. An unpacked backup is several times as large, but `watchDisk` stops the restore in
  // time.
  requireFree(dataDir, size + runtimeBytes + minFreeBytes, 'To restore a table')
  const scratch = createScratch(dataDir)
  const disk = watchDisk({ dataDir, minFreeBytes })
  const signal = AbortSignal.any([task.signal, disk.signal])
  try {
    progress.begin('Unpacking', size)
    const { folder } = scratch
    const copy = { folder, settings: throwaway, dataDir, config, signal }
    if (manifest.logical) {
      if (task.recovery) throw new BackupError(noPointInTime)
      const unpacking = { folder, passphrase: task.passphrase, isWanted: () => false, begin: requireRestorable }
      return await withLoaded(copy, task.open(), unpacking, async (sql, copied, read) => {
        await migrate(sql)
        return bring({ ...task, signal }, to, { sql, copied, read, folder, archive: undefined })
      })
    }
    if (task.recovery) requireAfter({ manifest }, task.recovery.target)
    const archive = task.recovery && (await openArchiveOf(manifest, { ...task.recovery, passphrase: task.passphrase, config }))
    const toFollow = archive && { archive, signal, onBytes: progress.add }
    const target =
      toFollow && task.recovery && (await findTarget(task.recovery.target, { ...task, read: { manifest }, copy, following: toFollow }))
    const read = await unpack(
      { ...task, signal },
      folder,
      (name) => name.startsWith(`${clusterFolder}/`) && !name.endsWith('/postgresql.auto.conf'),
    )
    const following = toFollow && target && { ...toFollow, folder, target }
    return await withRecovered({ copy, read, following }, async (sql, copied, followed) => {
      await requireBefore(sql, target)
      await migrate(sql)
      const restored = await bring({ ...task, signal }, to, { sql, copied, read, folder, archive })
      const isShort = followed && !followed.isTargetReached && task.recovery?.target !== 'latest'
      const notes = isShort
        ? [`The archive of the log ends before the requested time, with ${followed.lastChangeAt?.toISOString() ?? 'the backup'}.`]
        : []
      return { ...restored, notes: [...notes, ...restored.notes] }
    })
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    disk.end()
    scratch.remove()
  }
}

const unpack = (task: RestoreTableTask, folder: string, isWanted: (name: string) => boolean, isLogical = false): Promise<ReadBackup> =>
  unpackBackup(task.open(), {
    ...{ folder, passphrase: task.passphrase, signal: task.signal, isWanted, begin: requireRestorable },
    ...(isLogical ? { onDatabase: drain } : {}),
  })

/** The running copy of the backup. */
type OpenedBackup = { sql: Sql; copied: ConnectionTarget; read: ReadBackup; folder: string; archive: FollowedArchive | undefined }

async function bring(task: RestoreTableTask, to: Sql, backup: OpenedBackup): Promise<RestoredTable> {
  const { deps, as, signal, progress } = task
  const { db, storage, catalog } = deps
  const source = await findSource(task, backup)
  progress.begin('Restoring the table', null)
  const plan = planRestore(source, `${unfinishedPrefix}${Bun.randomUUIDv7().slice(-12)}`, await catalog.current())
  const lease = takeUploadLease(db)
  try {
    const wanted = plan.stored.some(({ kind }) => kind === 'files') ? await listFilesOf(backup.sql, source) : []
    const storageId = wanted.length > 0 ? await requireStorageId(deps) : null
    const { files, lost } = await restoreFiles(storage, lease, wanted, fileSources(task, backup))
    const created = await createTable(deps, plan.input)
    const isClosed = await closeCopy(db, source.id, created)
    for (const column of plan.links) await addColumn(deps, created.id, column)
    const made = (await catalog.current()).byId.get(created.id)!
    const { records, lostLinks } = await copyRows(backup.sql, to, {
      ...{ source, target: made, plan, files, signal },
      storageId,
    })
    const unfinished = await complete(deps, created.id, source, plan, lostLinks)
    signal.throwIfAborted()
    await changeTable(deps, created.id, { name: as }, null)
    const unindexed = source.searchIndex.isOn ? await indexSearch(deps, created.id) : []
    const differences = describeDifferences(plan, unfinished, lostLinks, lost)
    return {
      name: as,
      records,
      files: files.size,
      notes: [...(isClosed ? [closedNote(source.name, as)] : []), ...unindexed, ...differences],
    }
  } catch (error) {
    await removeUnfinished(deps).catch(() => {})
    // The sweep removes the rest when the lease has ended.
    await deleteLoose(deps, lease.ids).catch(() => {})
    throw signal.aborted || error instanceof BackupError
      ? error
      : new BackupError(`The table cannot be restored here: ${sentenceOf(error)}`)
  } finally {
    lease.end()
  }
}

/** Creates the search index, which only makes searches faster. @returns a note if this database does not allow one */
const indexSearch = (deps: RestoreTableTask['deps'], tableId: string): Promise<string[]> =>
  changeTable(deps, tableId, { searchIndex: true }, null).then(
    () => [],
    (error) => [sentenceOf(error)],
  )

const closedNote = (original: string, copy: string) =>
  `Access rules apply to "${original}", so only administrators can use "${copy}" until a line under Settings → Access opens it.`

/**
 * The prefix of a table's name until it is complete; twelve hexadecimal digits follow. The name marks the remains of a
 * killed process: the table is created with it and renamed at the end, each in one transaction.
 */
const unfinishedPrefix = 'being restored '

/** @throws BackupError for a table that does not exist, or that Rowhouse did not make */
async function findSource({ deps: { config }, table: reference }: RestoreTableTask, { copied }: OpenedBackup): Promise<Table> {
  const db = openDb(copied, { ...patientConfig(config), databasePoolSize: 1 }, { reserved: 0 })
  try {
    const tables = await createCatalog(db, config.schemas, (tables) => tables).current()
    const found = findTable(tables, reference)
    const names = tables.list.filter(({ isOwn, isJoinTable }) => isOwn && !isJoinTable).map(({ name }) => name)
    if (!found) throw noTableInBackup(reference, names)
    if (!found.isOwn || found.isJoinTable) throw notMadeHere(reference)
    return found
  } finally {
    await db.close()
  }
}

/** Uses the bytes that are still in storage first, then those of the backup, then those archived after it. */
function fileSources(task: RestoreTableTask, { read, folder, archive }: OpenedBackup): FileSource[] {
  const { storage } = task.deps
  const kept: FileSource = {
    prepare: async () => {},
    read: async (id) => {
      const found = await storage.read(id)
      return found && (found instanceof Blob ? found.stream() : found)
    },
  }
  const packed: FileSource = {
    prepare: async (wanted) => {
      const names = new Set(wanted.map(({ id }) => `${filesFolder}/${storageKeyOf(id)}`))
      await unpack(task, folder, (name) => names.has(name), read.manifest.logical !== undefined)
    },
    read: async (id) => {
      const path = join(folder, filesFolder, storageKeyOf(id))
      return existsSync(path) ? Bun.file(path).stream() : null
    },
  }
  let archived: ReadonlySet<string> = new Set()
  const later: FileSource = {
    prepare: async () => {
      archived = new Set((await archive!.stores.files.list()).keys())
    },
    read: async (id) => {
      const name = [fileNameOf(id, true), fileNameOf(id, false)].find((candidate) => archived.has(candidate))
      return name === undefined ? null : openBytes(readStored(archive!.stores.files, name), name === id ? null : archive!.identity)
    },
  }
  return [kept, ...(read.manifest.attachments === 'disk' ? [packed] : []), ...(archive ? [later] : [])]
}

/**
 * Adds columns that are computed at each read, and makes columns required again. @returns the columns for which that
 * failed
 */
async function complete(
  deps: RestoreTableTask['deps'],
  id: string,
  source: Table,
  plan: RestorePlan,
  lostLinks: ReadonlyMap<string, number>,
): Promise<Unfinished> {
  const unfinished: Unfinished = { leftOut: [], notRequired: [], notNaming: [] }
  const attempt = (kind: keyof Unfinished, column: string, work: Promise<unknown>) =>
    work.catch((error) => void unfinished[kind].push({ column, reason: sentenceOf(error) }))
  const computed = await addInOrder(deps, id, plan.computed)
  for (const { column, error } of computed) unfinished.leftOut.push({ column: column.name, reason: sentenceOf(error) })
  for (const name of plan.required)
    if (!lostLinks.has(name)) await attempt('notRequired', name, changeColumn(deps, id, name, { required: true }, null))
  const naming = source.columns.find((column) => column.id === source.displayColumnId)?.name
  if (naming !== undefined) await attempt('notNaming', naming, changeTable(deps, id, { displayColumn: naming }, null))
  return unfinished
}

type FailedColumn = { column: AddedColumn; error: unknown }

/** Adds columns that may use each other. @returns those that could not be added */
async function addInOrder(deps: RestoreTableTask['deps'], id: string, columns: readonly AddedColumn[]): Promise<FailedColumn[]> {
  const failed: FailedColumn[] = []
  for (const column of columns)
    await addColumn(deps, id, withoutPosition(column)).catch((error: unknown) => void failed.push({ column, error }))
  const left = failed.map(({ column }) => column)
  return failed.length > 0 && failed.length < columns.length ? addInOrder(deps, id, left) : failed
}

/** Its position may differ, because columns before it may have been left out. */
const withoutPosition = ({ position: _, ...column }: AddedColumn): AddedColumn => column

async function removeUnfinished({ db, catalog }: RestoreTableTask['deps']): Promise<void> {
  const isUnfinished = new RegExp(`^${unfinishedPrefix}[0-9a-f]{12}$`)
  const { list } = await catalog.refresh()
  for (const { id, name, isOwn } of list) {
    if (!isOwn || !isUnfinished.test(name)) continue
    await deleteTable({ db, catalog }, id, name)
    await forgetCopy(db, id)
  }
}
