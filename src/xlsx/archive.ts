import { type FileEntry, type Reader, ZipReader } from '@zip.js/zip.js/lib/zip-core-reader.js'

/** A packed file whose bytes can be read at any position. */
export type PackedFile = { size: number; read: (offset: number, length: number) => Promise<Uint8Array> }

export type ArchiveLimits = {
  /** The maximum number of files in it. */
  maxFiles: number
  /** The maximum number of unpacked bytes of all files that are read. */
  maxBytes: number
  /** Ends the reading; its reason is thrown. */
  signal?: AbortSignal
}

/** A problem with a workbook, with a message for its sender. */
export class WorkbookProblem extends Error {
  constructor(
    /** The English text, which is a key in `messages/german/transfer.ts`. */
    readonly template: string,
    readonly parameters: Readonly<Record<string, string | number>> = {},
  ) {
    super(template)
  }
}

export const damaged = () => new WorkbookProblem('the file is damaged, or is not a workbook (.xlsx)')

/** A part of a workbook by its path; part names differ by more than case (ECMA-376 part 2, 6.2.2). */
export type Archive = {
  has: (path: string) => boolean
  /**
   * The bytes of a part, in small pieces and with pauses for others.
   * @throws WorkbookProblem if it is missing, damaged or above the limits
   */
  read: (path: string) => AsyncGenerator<Uint8Array>
}

/** How many bytes are read at once. This bounds the amount that is unpacked before the limits are checked. */
const chunkBytes = 64 * 1024

/** The event loop gets its turn at least this often, in milliseconds. */
const pauseEveryMs = 10

/**
 * The methods of a `Reader` that `ZipReader` calls. The class itself would add the library's writers and codecs, 11 KB
 * of what a browser loads. Every runtime that we serve has `DecompressionStream`.
 */
const readerOf = ({ size, read }: PackedFile): Pick<Reader<never>, 'size' | 'readUint8Array'> & { createReadable: unknown } => ({
  size,
  readUint8Array: read,
  createReadable: (part: { offset: number; size: number }) => {
    let done = 0
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (done < part.size) {
          const bytes = await read(part.offset + done, Math.min(chunkBytes, part.size - done))
          if (bytes.length === 0) throw damaged()
          done += bytes.length
          controller.enqueue(bytes)
        }
        if (done >= part.size) controller.close()
      },
    })
  },
})

/** @throws WorkbookProblem if the file is not a ZIP */
export async function openArchive(file: PackedFile, { maxFiles, maxBytes, signal }: ArchiveLimits): Promise<Archive> {
  const reader = new ZipReader(readerOf(file) as Reader<never>, { checkSignature: true, checkOverlappingEntry: true, useWebWorkers: false })
  const entries = new Map<string, FileEntry>()
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      const name = entry.filename.toLowerCase()
      if (entries.size >= maxFiles) throw new WorkbookProblem('the file holds more than {maxFiles} parts', { maxFiles })
      if (entries.has(name)) throw damaged()
      if (!entry.directory) entries.set(name, entry)
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof WorkbookProblem ? error : damaged()
  }
  let bytes = 0
  let pausedAt = performance.now()
  async function* read(path: string): AsyncGenerator<Uint8Array> {
    const entry = entries.get(path.toLowerCase())
    if (!entry) throw damaged()
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const leaving = new AbortController()
    const unpacking = entry.getData(writable, { signal: leaving.signal }).catch(() => {
      throw damaged()
    })
    // Thrown where it is awaited.
    unpacking.catch(() => {})
    const source = readable.getReader()
    try {
      for (;;) {
        const { value, done } = await source.read().catch(() => {
          throw damaged()
        })
        signal?.throwIfAborted()
        if (done) break
        bytes += value.length
        if (bytes > maxBytes) throw new WorkbookProblem('the file is larger than {maxBytes} bytes when it is unpacked', { maxBytes })
        for (let from = 0; from < value.length; from += chunkBytes) {
          yield value.subarray(from, from + chunkBytes)
          if (performance.now() - pausedAt < pauseEveryMs) continue
          await new Promise((done) => setTimeout(done))
          signal?.throwIfAborted()
          pausedAt = performance.now()
        }
      }
      await unpacking
    } finally {
      leaving.abort()
      await source.cancel().catch(() => {})
    }
  }
  return { has: (path) => entries.has(path.toLowerCase()), read }
}
