import type { FileHandle } from 'node:fs/promises'

/** Writes a chunk to its end, where the file stands: one write may take less than it is given. */
export async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, offset, chunk.byteLength - offset)
    offset += bytesWritten
  }
}
