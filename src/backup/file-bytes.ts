import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Archive } from './archive'
import { BackupError } from './problem'

const chunkBytes = 2 ** 18

/**
 * Puts a file of the disk into the archive as it is found; it may change and vanish meanwhile. A link is not followed: the folder may be
 * another user's than ours.
 * @param uid whose it has to be: folders above it may be exchanged for links by whom they belong to, and what they lead to is not theirs
 * @returns its size, or null where there is no such file (any more)
 * @throws BackupError where it is somebody else's
 */
export async function addFile(archive: Archive, path: string, name: string, uid?: number): Promise<number | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(nullIfMissing)
  if (!handle) return null
  try {
    const found = await handle.stat()
    if (!found.isFile()) return null
    if (uid !== undefined && found.uid !== uid)
      throw new BackupError(`${path} belongs to another user than the database, so it is not its file.`)
    await archive.add(
      name,
      found.size,
      exactly(found.size, (buffer, position) => handle.read(buffer, 0, buffer.byteLength, position)),
    )
    return found.size
  } finally {
    await handle.close()
  }
}

type Read = (buffer: Uint8Array, position: number) => Promise<{ bytesRead: number }>

/** So many bytes, as the entry's header has said: of a file that grew the beginning, of one that shrank zeros behind it. Recovery replays what it became. */
async function* exactly(size: number, read: Read): AsyncGenerator<Uint8Array> {
  let hasEnded = false
  for (let position = 0; position < size; ) {
    const buffer = new Uint8Array(Math.min(chunkBytes, size - position))
    const bytesRead: number = hasEnded ? 0 : (await read(buffer, position)).bytesRead
    hasEnded = bytesRead === 0
    // Nothing was read into the rest of it, so that is zeros.
    const chunk = hasEnded ? buffer : buffer.subarray(0, bytesRead)
    position += chunk.byteLength
    yield chunk
  }
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENXIO') return null
  throw error
}
