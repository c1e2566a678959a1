import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readMajor } from './cluster'
import { syncFilesystem } from './libc'
import { DataDirError, type DataDirPlace } from './place'
import { postgresMajor, removeOtherRuntimes } from './runtime'

/** The cluster of the new major version, complete and compared, before it is renamed into place. */
const upgradedFolder = 'postgres.upgraded'
/** A cluster that is being removed. */
const removedFolder = 'postgres.removed'

const keptFolder = ({ dataDir }: Pick<DataDirPlace, 'dataDir'>, major: number) => join(dataDir, `postgres-${major}`)
const upgradedIn = ({ dataDir }: Pick<DataDirPlace, 'dataDir'>) => join(dataDir, upgradedFolder)

/** Also true between the two renames of an exchange. */
export const hasCluster = (place: DataDirPlace): boolean => existsSync(place.clusterDir) || existsSync(upgradedIn(place))

/**
 * Replaces the old cluster by the cluster of the new major version, and keeps the old one under another name. If it is
 * interrupted at any point, `settleExchange` completes it.
 */
export function exchangeClusters(place: DataDirPlace, upgraded: string): void {
  const { dataDir, clusterDir } = place
  const kept = keptFolder(place, readMajor(place))
  renameSync(upgraded, upgradedIn(place))
  syncFilesystem(dataDir)
  renameSync(clusterDir, kept)
  renameSync(upgradedIn(place), clusterDir)
  syncFilesystem(dataDir)
}

/** @throws DataDirError if the name for the kept cluster is taken */
export function requireRoomForKept(place: DataDirPlace): void {
  const kept = keptFolder(place, readMajor(place))
  if (!existsSync(kept)) return
  throw new DataDirError(
    `${kept} is there already, from an earlier upgrade, and would be the name of the old database. Move it away, or remove it.`,
  )
}

/**
 * Completes an interrupted exchange. Before the first rename, the old cluster is valid and may have been written to
 * since. Between the two renames nobody could write, so a release of the old major version undoes the exchange and any
 * other one finishes it. The caller holds the data directory's lock.
 */
export function settleExchange(place: DataDirPlace): void {
  const { dataDir, clusterDir } = place
  rmSync(join(dataDir, removedFolder), { recursive: true, force: true })
  const upgraded = upgradedIn(place)
  if (!existsSync(upgraded)) return
  // Beside the old cluster it may be incomplete: a process that was killed here had begun to remove it.
  if (!existsSync(clusterDir)) {
    const kept = keptFolder(place, postgresMajor)
    const isUndone = readMajor({ ...place, clusterDir: upgraded }) !== postgresMajor && existsSync(kept)
    renameSync(isUndone ? kept : upgraded, clusterDir)
  }
  rmSync(upgraded, { recursive: true, force: true })
  syncFilesystem(dataDir)
}

/** The older major versions whose clusters are in the data directory. */
export function keptMajors(place: DataDirPlace): number[] {
  const own = existsSync(place.clusterDir) ? [readMajor(place)] : []
  return [...own, ...keptClusters(place).map(({ major }) => major)].filter((major) => major !== postgresMajor)
}

const keptClusters = ({ dataDir }: DataDirPlace): { folder: string; major: number }[] =>
  readdirSync(dataDir).flatMap((name) => {
    const major = /^postgres-(\d+)$/.exec(name)?.[1]
    return major === undefined ? [] : [{ folder: join(dataDir, name), major: Number(major) }]
  })

/**
 * Removes the clusters that upgrades have kept, all of older major versions, and the programs of those versions.
 * @returns their major versions and the number of bytes freed
 * @throws DataDirError while the cluster in use is not of this executable's major version
 */
export function removeKeptClusters(place: DataDirPlace): { majors: number[]; freedBytes: number } {
  // A newer cluster was set aside by hand, in order to go back to an older release.
  const kept = keptClusters(place).filter(({ major }) => major < postgresMajor)
  if (kept.length === 0) return { majors: [], freedBytes: 0 }
  if (!existsSync(place.clusterDir) || readMajor(place) !== postgresMajor) {
    throw new DataDirError(`${place.clusterDir} is not a database of PostgreSQL ${postgresMajor}, so the old one is still needed.`)
  }
  const bytesBefore = bytesIn(place.runtimeDir)
  let freedBytes = 0
  for (const { folder } of kept) {
    freedBytes += bytesIn(folder)
    const removed = join(place.dataDir, removedFolder)
    rmSync(removed, { recursive: true, force: true })
    // A partly removed cluster must not have the name of a complete one.
    renameSync(folder, removed)
    rmSync(removed, { recursive: true, force: true })
  }
  removeOtherRuntimes(place.runtimeDir, [])
  return { majors: kept.map(({ major }) => major), freedBytes: freedBytes + bytesBefore - bytesIn(place.runtimeDir) }
}

/** The disk usage of a folder. */
export function bytesIn(path: string): number {
  const stat = lstatSync(path)
  const below = stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0) : 0
  return stat.blocks * 512 + below
}
