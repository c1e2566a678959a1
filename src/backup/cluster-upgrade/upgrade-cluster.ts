import { existsSync } from 'node:fs'
import type { Sql, TransactionSql } from 'postgres'
import { initCluster, readMajor, requireOwnCluster } from '../../db/embedded/cluster'
import { bytesIn, exchangeClusters, keptMajors, requireRoomForKept, settleExchange } from '../../db/embedded/exchange'
import { syncFilesystem } from '../../db/embedded/libc'
import { lockDataDir, readHolder } from '../../db/embedded/lock'
import { choosePlace, choosePlaceIn, DataDirError, type DataDirPlace, makeFolders } from '../../db/embedded/place'
import { stopOrphan } from '../../db/embedded/postmaster'
import { requireRestored } from '../../db/embedded/restoring'
import { findRuntime, isUnpacked, postgresMajor, removeOtherRuntimes, unpackRuntime } from '../../db/embedded/runtime'
import { createScratch, removeStaleScratch } from '../../db/embedded/scratch'
import { newArchive, readArchive, writeArchive } from '../../db/embedded/wal-archive'
import { isAway } from '../../db/errors'
import type { WorkProgress } from '../../ops/progress'
import type { Config } from '../../ops/settings/config'
import { type Checksums, readChecksums, requireSameRows } from '../database-copy/checksums'
import { compareDumps, countKinds } from '../database-copy/comparison'
import { applyDefinitions, type DumpedDefinitions, readDefinitions, readWholeDump } from '../database-copy/definitions'
import { copyLargeObjects, describeLargeObjects } from '../database-copy/large-objects'
import { listStoredTables, type StoredTable, transferRows } from '../database-copy/table-rows'
import { megabytes, requireFree, runtimeBytes, watchDisk } from '../disk-space'
import { BackupError, explainSystemError } from '../errors'
import { checkRelations } from '../proof/indexes'
import { emptyOutbox } from '../wal/outbox'
import { newIdentity } from '../wal/sealed'
import { requireBringable, requireExtensions } from './requirements'
import { copyRoles, describeRoles } from './roles'
import { type ClusterServer, startEmptyCluster, startFilledCluster, startOldCluster } from './servers'

export type ClusterUpgradeTask = {
  config: Config
  signal: AbortSignal
  progress: WorkProgress
}

/** `objects` are the numbers of objects by kind, as pg_dump calls them. */
export type ClusterUpgrade = {
  from: number
  tables: number
  rows: number
  objects: Map<string, number>
  bytesBefore: number
  bytesAfter: number
}

/** The maximum time between a lost connection and the detection that PostgreSQL has ended. */
const lastWordsMs = 500

/** The task, and the results of the earlier steps. */
type Work = ClusterUpgradeTask & { place: DataDirPlace; folder: string; runtime: string; old: ClusterServer }

/**
 * Upgrades the embedded database from an older major version of PostgreSQL to that of this executable: creates a new
 * cluster beside the old one, fills it, compares the two, and swaps them. The old cluster stays beside the new one. It
 * is not changed before the swap, and a failed or killed upgrade leaves no trace.
 * @returns null if the database already has that version
 * @throws BackupError, DataDirError, errors of the operating system, the signal's reason
 */
export async function upgradeCluster(task: ClusterUpgradeTask): Promise<ClusterUpgrade | null> {
  const { config, signal, progress } = task
  const place = choosePlace(config)
  const { dataDir, runtimeDir } = place
  const lock = await lockDataDir(place)
  if (!lock) {
    throw new DataDirError(
      `Another Rowhouse (process ${readHolder(dataDir).pid}) is running on ${dataDir}. Stop it first: nothing may write to its database during the upgrade.`,
    )
  }
  try {
    makeFolders(place)
    requireRestored(place)
    settleExchange(place)
    await removeStaleScratch(dataDir, dataDir)
    if (!existsSync(place.clusterDir)) throw new DataDirError(`There is no database in ${dataDir}.`)
    requireOwnCluster(place)
    const from = readMajor(place)
    if (from === postgresMajor) return null
    if (from > postgresMajor) throw new DataDirError(`The database is of PostgreSQL ${from}, which is newer than the one of this Rowhouse.`)
    requireRoomForKept(place)
    const oldRuntime = findRuntime(runtimeDir, from)
    if (oldRuntime === null) throw new DataDirError(noRuntime(runtimeDir, from))
    requireRoom(place, config, progress.say)
    const runtime = await unpackRuntime(runtimeDir, progress.say)
    removeOtherRuntimes(runtimeDir, keptMajors(place))
    await stopOrphan(place)
    const scratch = createScratch(dataDir)
    const disk = watchDisk({ dataDir, minFreeBytes: config.minFreeBytes })
    const either = AbortSignal.any([signal, disk.signal])
    try {
      const { folder } = scratch
      progress.begin(`Starting PostgreSQL ${from}`, null)
      const old = await startOldCluster(place, oldRuntime, folder, config)
      return { from, ...(await bringOver({ ...task, signal: either, place, folder, runtime, old })) }
    } catch (error) {
      throw either.aborted ? either.reason : explainSystemError(error, dataDir)
    } finally {
      disk.end()
      scratch.remove()
    }
  } finally {
    lock.release()
  }
}

const noRuntime = (runtimeDir: string, major: number) =>
  `The database is of PostgreSQL ${major}, whose programs are not in ${runtimeDir}. Nothing was changed. Either start the release that made it once, which unpacks them, or link an installed one: ln -s /usr/lib/postgresql/${major} ${runtimeDir}/postgres-${major}`

/** The new cluster is at most as large as the old one, and needs disk space to sort its indexes. */
function requireRoom({ dataDir, clusterDir, runtimeDir }: DataDirPlace, { minFreeBytes }: Config, say: (sentence: string) => void) {
  const bytes = bytesIn(clusterDir)
  const needed = bytes * 1.25 + (isUnpacked(runtimeDir) ? runtimeBytes / 2 : runtimeBytes)
  say(`The database has ${megabytes(bytes)}. This takes up to ${megabytes(needed)} beside it in ${dataDir}.`)
  requireFree(dataDir, needed + minFreeBytes, 'The upgrade')
}

/** Fills a new cluster, compares it with the old one, and swaps them. */
async function bringOver(work: Work): Promise<Omit<ClusterUpgrade, 'from'>> {
  const { place, folder, old, signal, progress } = work
  let server: ClusterServer | null = null
  const end = () => void Promise.all([old.disconnect(), server?.disconnect()])
  signal.addEventListener('abort', end)
  try {
    await requireBringable(old.connect)
    const tables = await listStoredTables(await old.connect())
    progress.begin('Making the new database', null)
    await initCluster(choosePlaceIn(folder), work.runtime, choosePlaceIn(folder).clusterDir)
    signal.throwIfAborted()
    server = await startEmptyCluster(place, work.runtime, folder, work.config)
    const { rows, before } = await fill(work, server, tables)
    await server.stopWhole()
    syncFilesystem(folder)
    signal.throwIfAborted()
    progress.begin('Starting the new database', null)
    server = await startFilledCluster(place, work.runtime, folder, work.config)
    const objects = await compare(work, server, tables, before)
    await Promise.all([old.stop(), server.stopWhole()])
    signal.throwIfAborted()
    syncFilesystem(folder)
    const { clusterDir } = choosePlaceIn(folder)
    const sizes = { bytesBefore: bytesIn(place.clusterDir), bytesAfter: bytesIn(clusterDir) }
    await beginArchive(place)
    exchangeClusters(place, clusterDir)
    return { tables: tables.length, rows, objects, ...sizes }
  } catch (error) {
    // The connection may be lost before the reason is known.
    if (isAway(error)) await Bun.sleep(lastWordsMs)
    throw (signal.aborted ? null : (server?.failure() ?? old.failure())) ?? error
  } finally {
    signal.removeEventListener('abort', end)
    await Promise.all([old.stop(), server?.stop()])
  }
}

/** The log of the new cluster does not continue that of the old one, so a new archive is started. */
async function beginArchive({ dataDir }: DataDirPlace) {
  const before = readArchive(dataDir)
  if (!before) return
  writeArchive(
    dataDir,
    newArchive({ place: before.place, identity: before.identity === null ? null : await newIdentity() }, before, before.inode),
  )
  emptyOutbox(dataDir)
}

/** @returns the number of rows, and the checksums of the old rows */
async function fill(work: Work, server: ClusterServer, tables: readonly StoredTable[]) {
  const { old, signal, progress } = work
  const from = await old.connect()
  await from.unsafe(`set search_path = ''`)
  const outside = await server.connect('postgres')
  await requireExtensions(from, outside)
  progress.begin('Reading the definitions', null)
  const definitions = await readDefinitions(old, signal)
  await copyRoles(from, outside)
  await outside.unsafe(definitions.create)
  const to = await server.connect()
  await applyDefinitions(to, definitions.database)
  // One snapshot serves the copy and the comparison: a server that recovers in between empties its unlogged tables, and
  // a lost connection would be opened again.
  return from.begin('isolation level repeatable read', (source) => copyDatabase(work, source, to, tables, definitions))
}

/** The checksums of the old rows are read while the new indexes are built. */
async function copyDatabase(
  { signal, progress }: Work,
  source: TransactionSql,
  to: Sql,
  tables: readonly StoredTable[],
  definitions: DumpedDefinitions,
) {
  progress.begin(
    'Copying the rows',
    tables.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  let rows = 0
  await to.begin(async (tx) => {
    await applyDefinitions(tx, definitions.beforeRows)
    await tx.unsafe('reset search_path')
    for (const table of tables) rows += await transferRows(table, source, tx, signal, progress.add)
    await copyLargeObjects(source, tx, signal, progress.add)
    await applyDefinitions(tx, definitions.sequences)
  })
  progress.begin('Building indexes, checking constraints', null)
  const [before] = await Promise.all([
    readChecksums(source, tables, signal),
    to.begin((tx) => applyDefinitions(tx, definitions.behindRows)).then(() => to.unsafe('analyze')),
  ])
  return { rows, before }
}

/** @returns the numbers of objects by kind @throws BackupError for objects that differ */
async function compare({ old, signal, progress }: Work, server: ClusterServer, tables: readonly StoredTable[], before: Checksums) {
  progress.begin('Comparing the rows', null)
  const [from, to] = [await old.connect(), await server.connect()]
  requireSameRows(before, await readChecksums(to, tables, signal))
  progress.begin('Comparing the definitions', null)
  const dumps = [await readWholeDump(old, signal), await readWholeDump(server, signal)] as const
  const { missing, added, changed } = compareDumps(...dumps)
  const different = [...missing, ...added, ...changed]
  if (different.length > 0) throw new BackupError(notSame(different))
  if ((await describeRoles(from)) !== (await describeRoles(to))) throw new BackupError(notSame(['the roles']))
  if ((await describeLargeObjects(from)) !== (await describeLargeObjects(to))) throw new BackupError(notSame(['the large objects']))
  progress.begin('Checking tables and indexes', null)
  await checkInTransaction(server, signal)
  return countKinds(dumps[1])
}

const notSame = (names: string[]) =>
  `The new database is not the same as the old one: ${names.slice(0, 5).join('; ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}.`

/** The check uses an extension, which is dropped afterwards. */
async function checkInTransaction(server: ClusterServer, signal: AbortSignal) {
  const sql = await server.connect()
  await sql.unsafe('begin read write')
  await checkRelations(sql, signal)
  await sql.unsafe('rollback')
}
