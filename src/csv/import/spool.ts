import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import { isDiskFull } from '../../ops/disk-full'
import { writeAll } from '../../ops/write-file'

/** A file on disk that is waiting for its turn. */
export type SpooledFile = {
  bytes: number
  chunks: () => AsyncGenerator<Uint8Array>
  /** Returns fewer bytes than requested at the end of the file. */
  read: (offset: number, length: number) => Promise<Uint8Array>
  close: () => Promise<void>
}

/** The number of written bytes between two checks of the free space. */
const bytesBetweenChecks = 16 * 2 ** 20

const chunkBytes = 256 * 1024

/**
 * Stores a file on disk until its turn. The file has no name in the folder, so its space is freed when it is closed,
 * and when the process ends for any reason.
 * @param requireSpace throws when this many more bytes do not fit
 * @throws Failure insufficient_storage; unavailable when the folder cannot be written; the errors of `source` and
 * `requireSpace`
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
  const read = async (offset: number, length: number) => {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset)
    return buffer.subarray(0, bytesRead)
  }
  return { bytes, close, read, chunks: () => readFrom(handle) }
}

/** The folder may be missing when both the database and the storage are elsewhere. */
async function openIn(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `import-${crypto.randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  await rm(path)
  return handle
}

function throwDiskFailure(error: unknown): never {
  const failure = isDiskFull(error)
    ? new Failure('insufficient_storage', translatable('There is not enough disk space for this file; nothing was imported.'))
    : unavailable(translatable('The data directory cannot be written, so this import cannot wait for its turn.'), 5)
  throw Object.assign(failure, { cause: error })
}

async function* readFrom(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    // A new buffer each time: the previous one may still be in transit to the database.
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
