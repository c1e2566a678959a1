import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stopCopy } from './copy'
import { tryLock } from './libc'
import { removeAbandoned } from './unfinished-cluster'

/** A folder for the time of a process. */
export type Scratch = { folder: string; remove: () => void }

const prefix = 'rowhouse-scratch-'
const lockSuffix = '.lock'

/** Made in `parent`. The kernel lets its lock go however this process ends; then `removeStaleScratch` may take it. */
export function createScratch(parent: string): Scratch {
  const folder = join(parent, prefix + crypto.randomUUID().slice(0, 8))
  const descriptor = openSync(folder + lockSuffix, 'wx', 0o600)
  const remove = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    rmSync(folder + lockSuffix, { force: true })
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
 * Removes what killed processes have left in `parent`, and ends the PostgreSQL that may still run there. What others
 * have made in a shared folder such as /tmp is not touched, whatever it is called.
 * @param dataDir whose PostgreSQL it may be
 */
export async function removeStaleScratch(parent: string, dataDir: string): Promise<void> {
  if (!existsSync(parent)) return
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix) || !name.endsWith(lockSuffix)) continue
    await removeUnlocked(join(parent, name), dataDir)
  }
}

async function removeUnlocked(lock: string, dataDir: string) {
  let descriptor: number
  try {
    descriptor = openSync(lock, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    // Another user's, or gone by now.
    return
  }
  try {
    if (fstatSync(descriptor).uid !== process.getuid?.() || !tryLock(descriptor)) return
    const folder = lock.slice(0, -lockSuffix.length)
    await stopCopy(folder, dataDir)
    // With the lock the rest of it is found the next time.
    if (removeAbandoned(folder)) rmSync(lock, { force: true })
  } finally {
    closeSync(descriptor)
  }
}
