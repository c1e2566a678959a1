import { closeSync, existsSync, fchmodSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { tryLock, trySharedLock } from './libc'
import { DataDirError, type DataDirPlace } from './place'

/**
 * Holds the data directory for this process. Released by `release`, or by the kernel when the process ends, even by
 * SIGKILL.
 */
export type DataDirLock = { release: () => void }

/** The holder, as that process wrote it. */
type Holder = { pid: string; socketDir: string }

/**
 * A command that runs beside the service takes the lock for a moment to check it; a start must not fail because of
 * that.
 */
const lockTimeoutMs = 1000

/** @returns null when another process holds the directory. */
export async function lockDataDir({ dataDir, socketDir }: Pick<DataDirPlace, 'dataDir' | 'socketDir'>): Promise<DataDirLock | null> {
  const descriptor = openLockFile(dataDir)
  for (const deadline = performance.now() + lockTimeoutMs; !tryLock(descriptor); await Bun.sleep(50)) {
    if (performance.now() < deadline) continue
    closeSync(descriptor)
    return null
  }
  // A restore that failed may have removed the file while it was locked here: other processes would then lock a
  // different file.
  if (fstatSync(descriptor).ino !== statSync(pathIn(dataDir), { throwIfNoEntry: false })?.ino) {
    closeSync(descriptor)
    return lockDataDir({ dataDir, socketDir })
  }
  ftruncateSync(descriptor)
  writeSync(descriptor, `${process.pid}\n${socketDir}\n`)
  return { release: () => closeSync(descriptor) }
}

/** The current holder of the directory, or null. Changes nothing. @throws DataDirError for another user */
export function findHolder(dataDir: string): Holder | null {
  if (!existsSync(pathIn(dataDir))) return null
  const descriptor = openToLook(dataDir)
  try {
    return trySharedLock(descriptor) ? null : readHolder(dataDir)
  } finally {
    closeSync(descriptor)
  }
}

function openToLook(dataDir: string): number {
  try {
    return openSync(pathIn(dataDir), 'r')
  } catch (error) {
    throw new DataDirError(
      `${pathIn(dataDir)} cannot be read: ${(error as Error).message}. Run this as the user who runs the service, or as root.`,
    )
  }
}

export function readHolder(dataDir: string): Holder {
  const [pid = '', socketDir = ''] = readFileSync(pathIn(dataDir), 'utf8').split('\n')
  return { pid, socketDir }
}

const pathIn = (dataDir: string) => join(dataDir, 'rowhouse.lock')

function openLockFile(dataDir: string): number {
  try {
    // Opened without truncation: the file of a running service names its holder.
    const descriptor = openSync(pathIn(dataDir), 'a+', 0o600)
    // A user who may open the file may lock it and so keep the service from starting. Earlier releases allowed everyone
    // to open it.
    fchmodSync(descriptor, 0o600)
    return descriptor
  } catch (error) {
    throw new DataDirError(
      `${pathIn(dataDir)} cannot be written: ${(error as Error).message}. Choose another ROWHOUSE_DATA_DIR or fix its permissions.`,
    )
  }
}
