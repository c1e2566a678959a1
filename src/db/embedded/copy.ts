import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEvents } from '../../ops/log/events'
import { configureCluster, prepareCluster, wasShutDown } from './cluster'
import { choosePlaceIn, toDataDirPlace } from './place'
import { socketTarget, startPostmaster, stopOrphan } from './postmaster'
import { endInitdb, endLeftovers } from './processes'
import { isUnpacked, unpackRuntime } from './runtime'
import { watchForCrash } from './server-log'

/**
 * PostgreSQL running on a copy of a cluster. `stop` ends it. `crash` returns why the server crashed or had to
 * recover. After `stop`, `failure` returns why unlogged tables of the copy are empty or will be: it crashed or did not
 * shut down cleanly.
 */
export type RunningCopy = {
  target: ReturnType<typeof socketTarget>
  stop: () => Promise<void>
  crash: () => Error | null
  failure: () => Error | null
}

/**
 * Starts PostgreSQL on the cluster in `folder/postgres`, which recovers there, with its own socket.
 * @param settings replace `custom.conf`: the copy must not archive, load or listen like the original
 * @param dataDir whose unpacked PostgreSQL is used if it belongs to this executable; another release's is not touched
 * @throws DataDirError with PostgreSQL's last words
 */
export async function startCopy(folder: string, settings: readonly string[], dataDir: string): Promise<RunningCopy> {
  const { place, runtime } = await openPlace(folder, dataDir)
  writeFileSync(join(place.confDir, 'custom.conf'), `${settings.join('\n')}\n`, { mode: 0o644 })
  configureCluster(place)
  const events = createEvents()
  const crash = watchForCrash(events)
  const postmaster = await startPostmaster(place, runtime, events)
  return {
    target: socketTarget(place),
    stop: async () => {
      await postmaster.stop()
      // It may be in /tmp, where no other code removes it.
      rmSync(place.socketDir, { recursive: true, force: true })
    },
    crash: crash.failure,
    failure: () => crash.failure() ?? (wasShutDown(place) ? null : crash.ended()),
  }
}

/** Creates an empty cluster with the database in `folder/postgres`, for `startCopy`. */
export async function makeEmptyCopy(folder: string, dataDir: string): Promise<void> {
  const { place, runtime } = await openPlace(folder, dataDir)
  await prepareCluster(place, runtime, () => {})
}

async function openPlace(folder: string, dataDir: string) {
  const place = choosePlaceIn(folder)
  const [shared] = runtimeDirs(folder, dataDir).filter(isUnpacked)
  if (shared) place.runtimeDir = shared
  return { place, runtime: await unpackRuntime(place.runtimeDir, () => {}) }
}

const runtimeDirs = (folder: string, dataDir: string) => [folder, dataDir].map((parent) => join(parent, 'runtime'))

/**
 * Ends the PostgreSQL that a killed process left running on a copy or while making one. The caller removes the folder.
 */
export async function stopCopy(folder: string, dataDir: string): Promise<void> {
  for (const runtimeDir of runtimeDirs(folder, dataDir)) {
    const place = { ...toDataDirPlace(folder, null), runtimeDir }
    await endInitdb(place)
    await stopOrphan(place)
    await endLeftovers(place)
  }
}
