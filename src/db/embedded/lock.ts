import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { tryLock } from './libc'
import { DataDirError } from './place'

/** Holds the data directory for this process. Let go by `release`, or by the kernel when the process ends, even by SIGKILL. */
export type DataDirLock = { release: () => void }

/** @returns null when another process holds the directory. */
export function lockDataDir(dataDir: string): DataDirLock | null {
  const path = join(dataDir, 'rowhouse.lock')
  const descriptor = openLockFile(path)
  if (!tryLock(descriptor)) {
    closeSync(descriptor)
    return null
  }
  ftruncateSync(descriptor)
  writeSync(descriptor, `${process.pid}\n`)
  return { release: () => closeSync(descriptor) }
}

export const lockHolder = (dataDir: string): string => readFileSync(join(dataDir, 'rowhouse.lock'), 'utf8').trim()

function openLockFile(path: string): number {
  try {
    // Without truncation: the file of a running service holds its process id.
    return openSync(path, 'a+', 0o644)
  } catch (error) {
    throw new DataDirError(`${path} cannot be written: ${(error as Error).message}. Choose another ROWHOUSE_DATA_DIR or mend its rights.`)
  }
}
