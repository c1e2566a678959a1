import { rmdirSync } from 'node:fs'
import type { Events } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import type { ConnectionTarget } from '../pool/open'
import { configureCluster, prepareCluster, requireDiskSpace, requireUsableCluster } from './cluster'
import { requireCurrentIndexes } from './collation'
import { hasCluster, keptMajors, settleExchange } from './exchange'
import { findHolder, lockDataDir, readHolder } from './lock'
import { choosePlace, DataDirError, type DataDirPlace, findPlace, makeFolders } from './place'
import { socketTarget, startPostmaster, stopOrphan } from './postmaster'
import { requireRestored } from './restoring'
import { removeOtherRuntimes, unpackRuntime } from './runtime'
import { removeStaleScratch } from './scratch'
import { archivingSettings, settleArchive, type WantedArchive } from './wal-archive'

/** The running embedded PostgreSQL. `stop` ends it and releases the data directory. */
export type Embedded = { target: ConnectionTarget; dataDir: string; stop: () => Promise<void> }

/**
 * Unpacks, creates and starts the database of the data directory, whatever state an earlier run left it in.
 * @param archive the WAL archive of the settings, null for none; if left out, the archive stays as it is
 * @throws DataDirError with a sentence for the operator
 */
export async function startEmbedded(config: Config, events: Events, archive?: WantedArchive | null): Promise<Embedded> {
  const place = choosePlace(config)
  const lock = await lockDataDir(place)
  if (!lock) {
    throw new DataDirError(
      `Another Rowhouse (process ${readHolder(place.dataDir).pid}) is running on ${place.dataDir}. Stop it first, or give this one another ROWHOUSE_DATA_DIR.`,
    )
  }
  try {
    makeFolders(place)
    const postmaster = await bringUp(place, config, events, archive)
    const stop = async () => {
      await postmaster.stop()
      // It may be in /tmp, where no other code removes it.
      removeEmpty(place.socketDir)
      lock.release()
    }
    return { target: socketTarget(place), dataDir: place.dataDir, stop }
  } catch (error) {
    lock.release()
    throw explainStart(error, place)
  }
}

async function bringUp(place: DataDirPlace, config: Config, events: Events, archive: WantedArchive | null | undefined) {
  const progress = (message: string) => events.emit({ kind: 'progress', message })
  requireRestored(place)
  settleExchange(place)
  const told = archive === undefined ? null : settleArchive(place.dataDir, archive)
  if (told !== null) events.emit({ kind: 'warning', message: told })
  await removeStaleScratch(place.dataDir, place.dataDir)
  requireUsableCluster(place)
  requireDiskSpace(place)
  const runtime = await unpackRuntime(place.runtimeDir, progress)
  removeOtherRuntimes(place.runtimeDir, keptMajors(place))
  await prepareCluster(place, runtime, progress)
  await stopOrphan(place)
  configureCluster(place)
  progress('Starting PostgreSQL')
  const postmaster = await startPostmaster(place, runtime, events, archivingSettings(place.dataDir))
  try {
    await requireCurrentIndexes(place, config, progress)
  } catch (error) {
    await postmaster.stop()
    throw error
  }
  return postmaster
}

/**
 * For commands that run beside the service: the path of the data directory, whether it holds a database, and the socket
 * to use while the service runs.
 */
export function inspectDataDir(config: Config): { dataDir: string; isThere: boolean; running: ConnectionTarget | null } {
  const place = findPlace(config)
  const isThere = hasCluster(place)
  const holder = isThere ? findHolder(place.dataDir) : null
  return { dataDir: place.dataDir, isThere, running: holder && socketTarget(holder) }
}

function removeEmpty(folder: string) {
  try {
    rmdirSync(folder)
  } catch {}
}

function explainStart(error: unknown, place: DataDirPlace) {
  const { code, path } = error as { code?: string; path?: string }
  if (code === 'EACCES' || code === 'EPERM') {
    return new DataDirError(
      `${path ?? place.dataDir} is closed to the user with the id ${process.getuid?.()}, who runs the service (${code}). The data directory has to be this user's with all that is in it: chown -R ${process.getuid?.()} ${place.dataDir}`,
    )
  }
  const isFull = (error as { code?: string }).code === 'ENOSPC' || /No space left on device/.test(String(error))
  return isFull ? new DataDirError(`The disk of ${place.dataDir} is full. Nothing was lost; free some space and start again.`) : error
}
