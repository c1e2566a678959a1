import { unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import { withTimeout } from '../../timeout'
import type { Storage } from './storage'

/** The file as it was uploaded. */
type UploadedFile = { id: string; size: number; sha256: string }

/** The bytes of a file are missing, or differ from the uploaded ones. */
export type FileFault = 'missing' | 'altered'

type FileBytes = Blob | ReadableStream<Uint8Array>

/** The longest pause allowed while reading from a storage. */
const maxPauseMs = 60_000

/** Compares the bytes in a storage with the uploaded ones. @throws Failure unavailable, the signal's reason */
export async function faultOf(storage: Storage, { id, size, sha256 }: UploadedFile, signal?: AbortSignal): Promise<FileFault | null> {
  const bytes = await storage.read(id)
  if (!bytes) return 'missing'
  const sum = new Bun.CryptoHasher('sha256')
  let found = 0
  for await (const chunk of chunksOf(bytes, signal)) {
    sum.update(chunk)
    found += chunk.byteLength
    if (found > size) return 'altered'
  }
  return found === size && sum.digest('base64url') === sha256 ? null : 'altered'
}

/**
 * Writes a file, unless its bytes differ from the uploaded ones.
 * @returns whether it was written @throws Failure of the storage, the errors of `bytes`
 */
export async function writeVerified(
  storage: Storage,
  { id, sha256 }: Pick<UploadedFile, 'id' | 'sha256'>,
  bytes: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const writing = await storage.create(id)
  const sum = new Bun.CryptoHasher('sha256')
  try {
    for await (const chunk of bytes) {
      sum.update(chunk)
      await writing.write(chunk)
    }
    if (sum.digest('base64url') !== sha256) {
      await writing.abandon()
      return false
    }
    await writing.finish()
    return true
  } catch (error) {
    await writing.abandon()
    throw error
  }
}

export async function* chunksOf(
  bytes: FileBytes,
  signal?: AbortSignal,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const reader = (bytes instanceof Blob ? bytes.stream() : bytes).getReader()
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = await withTimeout(reader.read().catch(broken), maxPauseMs, broken)
      if (done) return
      onBytes(value.byteLength)
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

/** Ends what `Storage.read` returned, unless it is being read. */
export async function discardBytes(bytes: FileBytes | null): Promise<void> {
  if (bytes instanceof ReadableStream && !bytes.locked) await bytes.cancel().catch(() => {})
}
