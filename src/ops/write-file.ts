import { closeSync, constants, fchownSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { UnixUser } from './ownership/unix-user'

/** `unfinished` is the path until the file is complete, on the same file system. */
type WholeFileOptions = { owner?: Pick<UnixUser, 'uid' | 'gid'> | null; mode?: number; unfinished?: string }

/**
 * Writes a small file completely or not at all, also when the power fails, and never through a link: another user may
 * own the folder. A killed process leaves the unfinished file, which the next one replaces.
 */
export function writeWhole(
  path: string,
  text: string,
  { owner = null, mode = 0o600, unfinished = `${path}.new` }: WholeFileOptions = {},
): void {
  rmSync(unfinished, { force: true })
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
  const descriptor = openSync(unfinished, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode)
  try {
    try {
      if (owner) fchownSync(descriptor, owner.uid, owner.gid)
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}

/** Without this, a power failure can undo a rename in the folder, even if the file itself was synced. */
export function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Writes a whole chunk at the current position: one write may accept only a part of it. */
export async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, offset, chunk.byteLength - offset)
    offset += bytesWritten
  }
}
