import { unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import { withTimeout } from '../../timeout'
import type { Storage } from '../storage/storage'
import { MoveError } from './errors'
import type { FileMove } from './file-move'
import type { MovingFile } from './ledger'

/** `gone`: the bytes are missing in the source. `altered`: they differ from the uploaded ones. */
type Transferred = 'verified' | 'gone' | 'altered'

type Expected = Pick<MovingFile, 'id' | 'size' | 'sha256'>

/** How long a storage may pause while it is read. */
const maxPauseMs = 60_000

/** Some storages return new objects only after a delay. */
const readBackWaitsMs = [0, 100, 400, 1500]

class AlteredSource extends Error {}

/**
 * Copies one file and reads it back: the target must return exactly the uploaded bytes.
 * @param mayBeThere whether to look for it in the target first
 * @throws MoveError if the target stores other bytes; Failure of the storages; the signal's reason
 */
export async function transferFile(move: FileMove, file: Expected, mayBeThere: boolean): Promise<Transferred> {
  const { source, target, signal, progress, isTargetLive } = move
  if (mayBeThere && (await isWhole(target, file, signal))) {
    progress.add(file.size)
    return 'verified'
  }
  const isKnownWhole = !isTargetLive || (await isWhole(source, file, signal))
  const bytes = isKnownWhole ? await source.read(file.id, { size: file.size }) : null
  if (!bytes) return (await isThere(source, file.id)) ? 'altered' : 'gone'
  try {
    await withRoom(move, file, () => send(move, file, bytes))
  } catch (error) {
    if (error instanceof AlteredSource) return 'altered'
    throw error
  }
  for (const waitMs of readBackWaitsMs) {
    await Bun.sleep(waitMs)
    if (await isWhole(target, file, signal)) return 'verified'
  }
  await target.remove([file.id])
  throw new MoveError(`${target.place} returned other bytes for the file ${file.id} than were sent; they were removed. Check that storage.`)
}

async function send({ target, signal, progress }: FileMove, file: Expected, bytes: Blob | ReadableStream<Uint8Array>) {
  const writing = await target.create(file.id).catch(async (error) => {
    if (bytes instanceof ReadableStream) await bytes.cancel().catch(() => {})
    throw error
  })
  const sum = new Bun.CryptoHasher('sha256')
  try {
    for await (const chunk of chunksOf(bytes, signal)) {
      sum.update(chunk)
      await writing.write(chunk)
      progress.add(chunk.byteLength)
    }
    if (sum.digest('base64url') !== file.sha256) throw new AlteredSource()
    await writing.finish()
  } catch (error) {
    await writing.abandon()
    throw error
  }
}

/** The database may be on the same disk. @throws MoveError */
async function withRoom(move: FileMove, { size }: Expected, work: () => Promise<void>) {
  const { target, minFreeBytes, bytesUnderWay } = move
  const free = await target.freeBytes()
  if (free === null || free - bytesUnderWay.count - size >= minFreeBytes) {
    bytesUnderWay.count += size
    return work().finally(() => {
      bytesUnderWay.count -= size
    })
  }
  throw new MoveError(
    `The disk of ${target.place} has no room for the next file of ${size} bytes: it keeps ROWHOUSE_MIN_FREE_BYTES (${minFreeBytes}) free. Free some space, and run the same command again to go on.`,
  )
}

/** Whether the bytes in a storage equal the uploaded ones. */
async function isWhole(storage: Storage, { id, size, sha256 }: Expected, signal: AbortSignal): Promise<boolean> {
  const bytes = await storage.read(id, { size })
  if (!bytes) return false
  const sum = new Bun.CryptoHasher('sha256')
  let found = 0
  for await (const chunk of chunksOf(bytes, signal)) {
    sum.update(chunk)
    found += chunk.byteLength
  }
  return found === size && sum.digest('base64url') === sha256
}

async function isThere(storage: Storage, id: string): Promise<boolean> {
  const bytes = await storage.read(id)
  if (bytes instanceof ReadableStream) await bytes.cancel()
  return bytes !== null
}

async function* chunksOf(bytes: Blob | ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = (bytes instanceof Blob ? bytes.stream() : bytes).getReader()
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await withTimeout(reader.read().catch(broken), maxPauseMs, broken)
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** A connection that breaks during a transfer gives no error of its own. */
function broken(error?: unknown): never {
  throw error ?? unavailable(translatable('The file storage is unavailable.'), 5)
}
