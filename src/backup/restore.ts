import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { syncFilesystem } from '../db/embedded/libc'
import { lockDataDir } from '../db/embedded/lock'
import { findPlace, type Place, refuseUnsafe } from '../db/embedded/place'
import type { Config } from '../ops/config'
import type { Events } from '../ops/events'
import { clusterName } from './cluster-copy'
import { filesName } from './create'
import type { Manifest } from './manifest'
import { BackupError } from './problem'
import { customConf, readRestored } from './rehearsal'
import type { State } from './state'
import { removeStrays } from './strays'
import { unpackBackup } from './unpack'

export type Restored = { dataDir: string; manifest: Manifest; state: State }

/** Inside the data directory and not beside it, which may be a volume of its own. */
const unfinishedName = 'restoring'
const lockName = 'rowhouse.lock'
const asideName = 'aside'
/** What a new volume has, and what an earlier attempt that was killed has left. */
const isNothing = (dataDir: string) => (name: string) =>
  ['lost+found', lockName].includes(name) ||
  (name === unfinishedName && readdirSync(join(dataDir, name)).every((inside) => oursInside.includes(inside)))
const oursInside = [clusterName, filesName, 'conf', 'runtime', 'run', asideName, lockName]

/**
 * Puts a backup into the data directory of the settings. Nothing is in it before all was read, checked and recovered; what fails leaves nothing.
 * @throws BackupError, DataDirError, what the operating system says, the signal's reason
 */
export async function restoreBackup(source: Readable, config: Config, events: Events, signal: AbortSignal): Promise<Restored> {
  const place = findPlace(config)
  const { dataDir, owner } = place
  refuseFilled(dataDir)
  const firstMade = prepare(place)
  const unfinished = join(dataDir, unfinishedName)
  const lock = await lockDataDir(place)
  if (!lock) throw new BackupError(`Another Rowhouse is at work in ${dataDir}.`)
  let isDone = false
  try {
    // Another one may have been at work until now.
    refuseFilled(dataDir)
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { mode: owner ? 0o755 : 0o700 })
    const { manifest, entries } = await unpackBackup(source, unfinished, owner, signal)
    const inside = { ...config, dataDir: unfinished, dataDirIsDefault: false }
    const putBack = putAside(unfinished)
    const state = await readRestored(inside, events, signal, (sql) => removeStrays(sql, unfinished, entries.keys()))
    putBack()
    syncFilesystem(unfinished)
    moveOut(unfinished, dataDir)
    isDone = true
    return { dataDir, manifest, state }
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
    if (!isDone) rmSync(join(dataDir, lockName), { force: true })
    lock.release()
    if (!isDone) removeMade(dataDir, firstMade)
  }
}

function refuseFilled(dataDir: string) {
  if (!existsSync(dataDir)) return
  const isEmpty = isNothing(dataDir)
  const found = readdirSync(dataDir).filter((name) => !isEmpty(name))
  if (found.length === 0) return
  throw new BackupError(
    `${dataDir} is not empty (${found.slice(0, 3).join(', ')}), and nothing is written over. Name a new folder with --data-dir, or move this one away.`,
  )
}

/** @returns the outermost folder that had to be made, if one had to */
function prepare({ dataDir, owner }: Place): string | undefined {
  // PostgreSQL's user has to be able to pass.
  if (owner) process.umask(0o022)
  const firstMade = mkdirSync(dataDir, { recursive: true, mode: owner ? 0o755 : 0o700 })
  if (owner) refuseUnsafe(dataDir)
  return firstMade
}

/** From the inside out, what is empty. */
function removeMade(dataDir: string, firstMade: string | undefined) {
  try {
    for (let folder = dataDir; firstMade && folder.startsWith(firstMade); folder = dirname(folder)) rmdirSync(folder)
  } catch {
    // Somebody else has put something there meanwhile.
  }
}

/**
 * PostgreSQL's settings of the original stay out of the recovery: they may archive, listen, or ask for more than this machine has.
 * @returns puts them where they belong
 */
function putAside(unfinished: string): () => void {
  const aside = join(unfinished, asideName)
  mkdirSync(aside, { mode: 0o700 })
  const custom = join(unfinished, customConf)
  const moved = [custom, join(unfinished, clusterName, 'postgresql.auto.conf')]
    .filter((path) => existsSync(path))
    .map((path) => ({ path, kept: join(aside, basename(path)) }))
  for (const { path, kept } of moved) renameSync(path, kept)
  return () => {
    // What the recovery ran with; without one a start writes its own.
    rmSync(custom, { force: true })
    for (const { path, kept } of moved) renameSync(kept, path)
    rmSync(aside, { recursive: true })
  }
}

/** The cluster comes last: without it the folder holds no database. */
function moveOut(unfinished: string, dataDir: string) {
  const names = readdirSync(unfinished).filter((name) => name !== lockName && name !== clusterName)
  for (const name of [...names, clusterName]) renameSync(join(unfinished, name), join(dataDir, name))
  syncFilesystem(dataDir)
}
