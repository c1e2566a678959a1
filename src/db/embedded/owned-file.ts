import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { UnixOwner } from './become'

/** Longer than any file of PostgreSQL that we read. */
const maxFileBytes = 4096

/**
 * The text of a small file in PostgreSQL's folder. That folder belongs to PostgreSQL's user, who may have put anything
 * there: root would follow a link to a file that user may not read, and would block on a pipe.
 * @param encoding `latin1` for bytes
 * @returns null if it does not exist or is not a regular file of that user
 */
export function readOwned(path: string, owner: UnixOwner, encoding: 'utf8' | 'latin1' = 'utf8'): string | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  let descriptor: number
  try {
    descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile() || found.uid !== (owner?.uid ?? process.getuid?.())) return null
    const bytes = Buffer.alloc(maxFileBytes)
    return bytes.toString(encoding, 0, readSync(descriptor, bytes, 0, maxFileBytes, 0))
  } catch {
    return null
  } finally {
    closeSync(descriptor)
  }
}
