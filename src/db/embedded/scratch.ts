import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stopCopy } from './copy'
import { tryLock } from './libc'
import { removeAbandoned } from './unfinished-cluster'

/** A temporary folder that is removed when the process ends. */
export type Scratch = { folder: string; remove: () => void }

const prefix = 'rowhouse-scratch-'
const lockSuffix = '.lock'

/**
 * Created in `parent`. The kernel releases its lock however this process ends; then `removeStaleScratch` may remove it.
 */
export function createScratch(parent: string): Scratch {
  const folder = join(parent, prefix + crypto.randomUUID().slice(0, 8))
  const descriptor = openSync(folder + lockSuffix, 'wx', 0o600)
  const remove = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    removeLock(folder)
    closeSync(descriptor)
  }
  if (!tryLock(descriptor)) throw new Error(`${folder}${lockSuffix} is locked by another process.`)
  try {
    mkdirSync(folder, { mode: 0o700 })
    return { folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/**
 * Removes the folders that killed processes left in `parent`, and ends the PostgreSQL that may still run there. Other
 * users' folders in a shared folder such as /tmp are not touched, whatever their names.
 * @param dataDir whose PostgreSQL it may be
 */
export async function removeStaleScratch(parent: string, dataDir: string): Promise<void> {
  if (!existsSync(parent)) return
  for (const name of readdirSync(parent)) {
    const isScratch = name.startsWith(prefix) && (name.endsWith(lockSuffix) || hasLostLock(join(parent, name)))
    if (isScratch) await removeUnlocked(join(parent, name.replace(/\.lock$/, '')), dataDir)
  }
}

/** A folder of ours whose lock is gone: in an earlier release, an initdb that outlived its process refilled it. */
function hasLostLock(folder: string): boolean {
  return /-[0-9a-f]{8}$/.test(folder) && isOurFolder(folder) && !existsSync(folder + lockSuffix)
}

function isOurFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}

async function removeUnlocked(folder: string, dataDir: string) {
  const descriptor = openLock(folder)
  if (descriptor === null) return
  try {
    if (fstatSync(descriptor).uid !== process.getuid?.() || !tryLock(descriptor)) return
    await stopCopy(folder, dataDir)
    removeAbandoned(folder)
    removeLock(folder)
  } finally {
    closeSync(descriptor)
  }
}

/** @returns null if it belongs to another user or no longer exists */
function openLock(folder: string): number | null {
  const { O_RDONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  try {
    return openSync(folder + lockSuffix, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (isOurFolder(folder) ? O_CREAT : 0), 0o600)
  } catch {
    return null
  }
}

/** The lock stays while parts of the folder could not be removed, so that the next run finds them. */
function removeLock(folder: string) {
  if (!existsSync(folder)) rmSync(folder + lockSuffix, { force: true })
}
