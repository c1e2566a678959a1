import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { markerName, type Storage, storageKeyOf } from '../../attachments/storage/storage'
import { filesFolder } from '../archive/names'
import type { ArchiveWriter } from '../archive/writer'

const chunkBytes = 2 ** 18

/**
 * Adds the attachments and the id of their storage to the archive. A file that is swept in the meantime is not needed:
 * either the copied database does not know it, or its grace period was over.
 */
export async function copyStoredFiles(storage: Storage, dataDir: string, archive: ArchiveWriter): Promise<void> {
  await addFile(archive, join(dataDir, filesFolder, markerName), `${filesFolder}/${markerName}`)
  for await (const { name } of storage.list()) {
    const key = `${filesFolder}/${storageKeyOf(name)}`
    await addFile(archive, join(dataDir, key), key)
  }
}

/** Adds a file from the disk, unless it is gone. Does not follow a symlink, which could lead elsewhere. */
export async function addFile(archive: ArchiveWriter, path: string, name: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(nullIfMissing)
  if (!handle) return
  try {
    const found = await handle.stat()
    if (found.isFile())
      await archive.add(
        name,
        found.size,
        exactly(found.size, (buffer, at) => handle.read(buffer, 0, buffer.byteLength, at)),
      )
  } finally {
    await handle.close()
  }
}

type Read = (buffer: Uint8Array, position: number) => Promise<{ bytesRead: number }>

/**
 * Yields as many bytes as the header announced. If a file has shrunk, zeros replace its end; the test restore finds
 * that.
 */
async function* exactly(size: number, read: Read): AsyncGenerator<Uint8Array> {
  let hasEnded = false
  for (let position = 0; position < size; ) {
    const buffer = new Uint8Array(Math.min(chunkBytes, size - position))
    const bytesRead: number = hasEnded ? 0 : (await read(buffer, position)).bytesRead
    hasEnded = bytesRead === 0
    const chunk = hasEnded ? buffer : buffer.subarray(0, bytesRead)
    position += chunk.byteLength
    yield chunk
  }
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENXIO', 'ELOOP', 'ENOTDIR'].includes(error.code ?? '')) return null
  throw error
}
