import type { FileHandle } from 'node:fs/promises'

/** Writes a whole chunk at the current position: one write may accept only a part of it. */
export async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, offset, chunk.byteLength - offset)
    offset += bytesWritten
  }
}
