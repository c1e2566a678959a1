import { constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeAll } from '../ops/write-file'

type Within = <Result>(folder: string, work: () => Promise<Result>) => Promise<Result>

/**
 * A file that appears at `path` once it is complete and on disk.
 * @param unfinished the path until then; it must be unique, because others may write the same file
 * @param within may create the folder that the work needs
 */
export async function createWhole(unfinished: string, path: string, within: Within = (_folder, work) => work()) {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
  const handle = await within(dirname(unfinished), () => open(unfinished, flags, 0o600))
  return {
    /** A lock on it lasts until the file has its name. */
    descriptor: handle.fd,
    write: (chunk: Uint8Array): Promise<void> => writeAll(handle, chunk),
    finish: async (): Promise<void> => {
      await handle.sync()
      await within(dirname(path), () => rename(unfinished, path))
      await handle.close()
      await flushFolder(dirname(path))
    },
    /** Never throws. */
    abandon: async (): Promise<void> => {
      await handle.close().catch(() => {})
      await rm(unfinished, { force: true }).catch(() => {})
    },
  }
}

/** Like `syncFolder`, without blocking the process. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
