import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, unavailable } from '../../errors'
import { isDiskFull } from '../../ops/disk-full'
import { writeAll } from '../../ops/write-all'

/** A file that was sent and lies on the disk until its turn. */
export type SpooledFile = { bytes: number; chunks: () => AsyncGenerator<Uint8Array>; close: () => Promise<void> }

/** How often the room on the disk is looked at. */
const bytesBetweenChecks = 16 * 2 ** 20

const chunkBytes = 256 * 1024

/**
 * Keeps a file that is sent before its turn. It has no name in the folder: its room is free again when it is closed,
 * and when the process ends, however it ends.
 * @param requireSpace throws where so many bytes more do not fit
 * @throws Failure insufficient_storage, unavailable where the folder takes no file; whatever `source` and
 * `requireSpace` throw
 */
export async function spoolFile(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  requireSpace: (bytes: number) => Promise<void>,
): Promise<SpooledFile> {
  const handle = await openIn(folder).catch(throwDiskFailure)
  const close = () => handle.close().catch(() => {})
  let bytes = 0
  let checked = 0
  try {
    for await (const chunk of source) {
      if (bytes + chunk.byteLength > checked) {
        await requireSpace(chunk.byteLength + bytesBetweenChecks)
        checked = bytes + chunk.byteLength + bytesBetweenChecks
      }
      await writeAll(handle, chunk).catch(throwDiskFailure)
      bytes += chunk.byteLength
    }
  } catch (error) {
    await close()
    throw error
  }
  return { bytes, close, chunks: () => readFrom(handle) }
}

/** With a database and a storage elsewhere, nothing else may have made the folder. */
async function openIn(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `import-${crypto.randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  await rm(path)
  return handle
}

function throwDiskFailure(error: unknown): never {
  const failure = isDiskFull(error)
    ? new Failure('insufficient_storage', 'The disk has no room for this file; nothing was imported.')
    : unavailable('The data directory takes no file, so this import cannot wait for its turn.', 5)
  throw Object.assign(failure, { cause: error })
}

async function* readFrom(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    // A new one each time: what was handed on may still be on its way to the database.
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
