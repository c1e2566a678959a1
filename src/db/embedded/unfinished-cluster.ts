import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DataDirPlace } from './place'
import { endInitdb } from './processes'

/**
 * Creates a folder for one attempt to create a cluster. Each attempt has its own: initdb outlives a start that was
 * killed, and empties its folder when it ends early.
 */
export function createUnfinishedCluster({ clusterDir, owner }: DataDirPlace): string {
  const folder = mkdtempSync(`${clusterDir}.new-`)
  if (owner) chownSync(folder, owner.uid, owner.gid)
  return folder
}

/** Removes the folders of killed attempts, and ends those still running. The caller holds the data directory's lock. */
export async function removeUnfinishedClusters(place: DataDirPlace): Promise<void> {
  const { clusterDir } = place
  const parent = dirname(clusterDir)
  if (!existsSync(parent)) return
  // Earlier releases used one name for all attempts.
  const isUnfinished = (name: string) => name.startsWith(`${basename(clusterDir)}.new`) && /\.new(-\w+)?$/.test(name)
  await endInitdb(place)
  for (const name of readdirSync(parent)) if (isUnfinished(name)) removeAbandoned(join(parent, name))
}

/**
 * Removes a folder that a process that could not be ended may still write to: then a part of it stays until the next
 * run.
 */
export function removeAbandoned(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // The process has written to it meanwhile.
  }
}
