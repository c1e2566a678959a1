import { type AsyncFlateStreamHandler, Unzip, UnzipInflate } from 'fflate'

/** A piece of a file in a ZIP. */
export type ArchivePiece = { name: string; bytes: Uint8Array; isLast: boolean }

export type ArchiveLimits = {
  /** The most files in it. */
  maxFiles: number
  /** The most bytes of all files that are read, unpacked. */
  maxBytes: number
}

/** What is wrong with a workbook, in words for its sender. */
export class WorkbookProblem extends Error {}

/**
 * Packed bytes are given to the decompressor by so many: a byte becomes at most 1,032, so that a bomb is noticed long
 * before the memory is full.
 */
const sliceBytes = 8 * 1024

/**
 * The chosen files of a ZIP, piece by piece in the order of the ZIP.
 * @param chunks the packed bytes
 * @throws WorkbookProblem for a damaged file, and one above the limits
 */
export async function* readArchive(
  chunks: AsyncIterable<Uint8Array>,
  isWanted: (name: string) => boolean,
  { maxFiles, maxBytes }: ArchiveLimits,
): AsyncGenerator<ArchivePiece> {
  let ready: ArchivePiece[] = []
  let files = 0
  let bytes = 0
  const open = new Set<string>()
  const unzip = new Unzip((file) => {
    if (++files > maxFiles) throw new WorkbookProblem(`the file holds more than ${maxFiles} parts`)
    if (!isWanted(file.name)) return
    open.add(file.name)
    const receive: AsyncFlateStreamHandler = (error, data, isLast) => {
      if (error) throw error
      bytes += data.length
      if (bytes > maxBytes) throw new WorkbookProblem(`the file is larger than ${maxBytes} bytes when it is unpacked`)
      if (isLast) open.delete(file.name)
      ready.push({ name: file.name, bytes: data, isLast })
    }
    file.ondata = receive
    file.start()
  })
  unzip.register(UnzipInflate)
  const push = (piece: Uint8Array, isLast: boolean) => {
    try {
      unzip.push(piece, isLast)
    } catch (error) {
      throw error instanceof WorkbookProblem ? error : damaged()
    }
    return ready.splice(0)
  }
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += sliceBytes) yield* push(chunk.subarray(at, at + sliceBytes), false)
  }
  ready = []
  yield* push(new Uint8Array(0), true)
  if (open.size) throw damaged()
}

export const damaged = () => new WorkbookProblem('the file is damaged, or is no workbook (.xlsx)')
