import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import { listName } from './manifest'

/** What the list at the end says of one entry; `sha256` is in hexadecimal. */
export type Entry = { size: number; sha256: string }

type Headers = Parameters<Pack['entry']>[0]
type Bytes = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** A tar compressed with zstd, written from front to end with the memory of a few chunks, and of one line for each entry. */
export type Archive = {
  /** `bytes` have to be `size` in all. Progress is told through `onBytes`. */
  add: (name: string, size: number, bytes: Bytes) => Promise<void>
  addText: (name: string, text: string) => Promise<void>
  addFolder: (name: string) => Promise<void>
  /** Writes the list and waits until the sink has taken all. */
  finish: () => Promise<void>
  /** Lets the sink go. @returns why it was that nothing could be written, if that was so; else `error` */
  abandon: (error: unknown) => Promise<unknown>
}

export function createArchive(sink: Writable, signal: AbortSignal, onBytes: (count: number) => void): Archive {
  const tar = pack()
  const mtime = new Date()
  // With a checksum, so that `zstd --test` tells a damaged file too.
  const written = pipeline(tar, createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }), sink, { signal })
  let failure: unknown
  written.catch((error) => {
    failure = signal.aborted ? signal.reason : error
  })
  const lines: string[] = []

  const put = async (headers: Headers, bytes: Bytes) => {
    let entry: Writable | undefined
    const taken = new Promise<void>((done, fail) => {
      // A stream of streamx, which does what one of Node does.
      entry = tar.entry({ ...headers, mtime }, (error) => (error ? fail(error) : done())) as unknown as Writable
    })
    await Promise.all([taken, headers.type === 'directory' ? undefined : pipeline(bytes, entry!)])
  }

  const add: Archive['add'] = async (name, size, bytes) => {
    const hash = new Bun.CryptoHasher('sha256')
    await put({ name, size, mode: 0o600, type: 'file' }, hashed(bytes, hash, signal, onBytes))
    lines.push(JSON.stringify({ name, size, sha256: hash.digest('hex') }))
  }

  const addText: Archive['addText'] = (name, text) => {
    const bytes = Buffer.from(text)
    return add(name, bytes.byteLength, [bytes])
  }

  return {
    add,
    addText,
    addFolder: (name) => put({ name: `${name}/`, mode: 0o700, type: 'directory' }, []),
    finish: async () => {
      const size = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
      await put({ name: listName, size, mode: 0o600, type: 'file' }, pieces(lines))
      tar.finalize()
      await written
    },
    abandon: async (error) => {
      tar.destroy()
      await written.catch(() => {})
      return signal.aborted ? signal.reason : isOfTheStream(failure) ? error : (failure ?? error)
    },
  }
}

/** What the sink said counts; that the stream was ended by us does not. */
const isOfTheStream = (failure: unknown) => /ERR_STREAM|ABORT_ERR/.test((failure as { code?: string })?.code ?? '')

async function* hashed(bytes: Bytes, hash: Bun.CryptoHasher, signal: AbortSignal, onBytes: (count: number) => void) {
  for await (const chunk of bytes) {
    signal.throwIfAborted()
    hash.update(chunk)
    onBytes(chunk.byteLength)
    yield chunk
  }
}

function* pieces(lines: string[]) {
  for (let at = 0; at < lines.length; at += 1000) yield Buffer.from(`${lines.slice(at, at + 1000).join('\n')}\n`)
}
