import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DataDirPlace } from './place'
import { endInitdb } from './processes'

/**
 * Makes the folder of one try to make a cluster. Each try has its own: initdb outlives a start that was killed, and
 * empties its folder when it ends before its time.
 */
export function createUnfinishedCluster({ clusterDir, owner }: DataDirPlace): string {
  const folder = mkdtempSync(`${clusterDir}.new-`)
  if (owner) chownSync(folder, owner.uid, owner.gid)
  return folder
}

/** Removes what killed tries have left, and ends those that go on. The caller holds the data directory's lock. */
export async function removeUnfinishedClusters(place: DataDirPlace): Promise<void> {
  const { clusterDir } = place
  const parent = dirname(clusterDir)
  if (!existsSync(parent)) return
  // Earlier releases had one name for all tries.
  const isUnfinished = (name: string) => name.startsWith(`${basename(clusterDir)}.new`) && /\.new(-\w+)?$/.test(name)
  await endInitdb(place)
  for (const name of readdirSync(parent)) if (isUnfinished(name)) removeAbandoned(join(parent, name))
}

/**
 * Removes a folder in which a process that could not be ended may still write: then a part of it stays until the next
 * time.
 */
export function removeAbandoned(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // The process has written meanwhile.
  }
}
