import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { encrypt } from './encryption'
import { type HashedEntry, hashesName, maxHashLines } from './names'
import { appendSeal, type Bytes, streamBuffers } from './seal'
import { tarEnd, tarHeader, tarPadding } from './tar'

/** Accepts the bytes of the file in order. */
export type Sink = (chunk: Uint8Array) => Promise<void>

type Content = Bytes | Iterable<Uint8Array>

/**
 * Writes a tar archive that is compressed with zstd, sealed, and encrypted if there is a passphrase, from beginning to
 * end.
 */
export type ArchiveWriter = {
  /** The total length of `bytes` must be `size`. */
  add: (name: string, size: number, bytes: Content) => Promise<void>
  addText: (name: string, text: string) => Promise<void>
  addFolder: (name: string) => Promise<void>
  /** Writes the last hashes and waits until the sink has accepted everything. */
  finish: () => Promise<void>
  /** Releases the sink. @returns the error of the sink if it failed, otherwise `error` */
  abandon: (error: unknown) => Promise<unknown>
}

const pieceBytes = 2 ** 18

type Options = { passphrase: string | undefined; signal: AbortSignal; onBytes: (count: number) => void }

/** `onBytes` receives the number of bytes read, before compression. */
export function createArchive(sink: Sink, { passphrase, signal, onBytes }: Options): ArchiveWriter {
  const modifiedAt = new Date()
  const compressor = createZstdCompress(streamBuffers)
  let failure: unknown
  const intoSink = async (source: Bytes) => {
    try {
      for await (const chunk of source) await sink(chunk)
    } catch (error) {
      failure ??= error
      throw error
    }
  }
  const written = passphrase
    ? pipeline(compressor, appendSeal, encrypt({ passphrase }), intoSink, { signal })
    : pipeline(compressor, appendSeal, intoSink, { signal })
  const broken = written.then(
    () => new Error('The backup was written to its end already.'),
    (error: unknown) => error,
  )
  let lines: string[] = []
  let pieces = 0

  let gathered: Uint8Array[] = []
  let gatheredBytes = 0

  /** Combines the small chunks that PostgreSQL sends, since each call of the compressor costs time. */
  const write = async (chunk: Uint8Array) => {
    gathered.push(chunk)
    gatheredBytes += chunk.byteLength
    if (gatheredBytes >= pieceBytes) await flush()
  }

  const flush = async () => {
    signal.throwIfAborted()
    if (compressor.destroyed) throw await broken
    const piece = Buffer.concat(gathered)
    gathered = []
    gatheredBytes = 0
    if (compressor.write(piece)) return
    const ended = await Promise.race([once(compressor, 'drain').then(() => null), broken])
    if (ended !== null) throw ended
  }

  const put = async (name: string, size: number, bytes: Content) => {
    await write(tarHeader(name, size, modifiedAt))
    let count = 0
    for await (const chunk of bytes) {
      count += chunk.byteLength
      await write(chunk)
    }
    if (count !== size) throw new Error(`${name} has ${count} bytes instead of ${size}.`)
    await write(tarPadding(size))
  }

  const putHashes = async () => {
    const text = Buffer.from(lines.join(''))
    lines = []
    await put(`${hashesName}${++pieces}`, text.byteLength, [text])
  }

  const add: ArchiveWriter['add'] = async (name, size, bytes) => {
    const hash = new Bun.CryptoHasher('sha256')
    await put(name, size, hashed(bytes, hash, onBytes))
    lines.push(`${JSON.stringify({ name, size, sha256: hash.digest('hex') } satisfies HashedEntry)}\n`)
    if (lines.length >= maxHashLines) await putHashes()
  }

  return {
    add,
    addText: (name, text) => {
      const bytes = Buffer.from(text)
      return add(name, bytes.byteLength, [bytes])
    },
    addFolder: (name) => put(`${name}/`, 0, []),
    finish: async () => {
      await putHashes()
      await write(tarEnd())
      await flush()
      compressor.end()
      await written
    },
    abandon: async (error) => {
      const cause = failure ?? error
      compressor.destroy()
      await broken
      return signal.aborted ? signal.reason : cause
    },
  }
}

async function* hashed(bytes: Content, hash: Bun.CryptoHasher, onBytes: (count: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk)
    onBytes(chunk.byteLength)
    yield chunk
  }
}
