import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { Failure, invalidRequest, payloadTooLarge } from '../../errors'
import { translatable } from '../../messages/message'

/**
 * One file of a form. `fileName` is as the client sent it. A chunk of the bytes is only valid until the next one, or
 * the next file, is requested.
 */
export type FilePart = { field: string; fileName: string; bytes: AsyncIterable<Uint8Array> }

type Arrived = { part: FilePart; stream: BusboyFileStream }

/** Limits for the values beside the files, and for the headers of parts: few and small. */
const limits = { fieldSize: 1024 * 1024, headerPairs: 32, headerSize: 16 * 1024 }

const unreadable = () => invalidRequest(translatable('The body is not a complete form (multipart/form-data).'))

const tooMany = (mostFiles: number) =>
  new Failure(
    'payload_too_large',
    translatable('The form has too many parts; at most {mostFiles} files are accepted at once.', { mostFiles }),
    {
      details: { limitFiles: mostFiles },
      headers: { connection: 'close' },
    },
  )

type FormOptions = {
  mostFiles: number
  /** The number of values beside the files. */
  mostFields?: number
  /** The size of all values together, in characters. */
  mostFieldLength?: number
  /** Too many files are refused at the end of the form, when all its values have arrived. */
  isReadToEnd?: boolean
  onField?: (name: string, value: string, filesBefore: number) => void
}

/**
 * The files of a form (RFC 7578) in order, while they arrive: the sender waits until the bytes are read.
 * @param contentType of the body, with the boundary
 * @param onField gets each value and the number of files before it; values before a file come at the latest with the
 * file
 * @throws Failure invalid_request for an invalid or incomplete form; payload_too_large for too many parts; the errors
 * of `body`
 */
export async function* multipartFiles(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  { mostFiles, mostFields = 100, mostFieldLength = Infinity, isReadToEnd = false, onField }: FormOptions,
): AsyncGenerator<FilePart> {
  const parser = startParser(contentType, mostFiles, mostFields, isReadToEnd)
  const arrived: (Arrived | Error | null)[] = []
  const streams = new Set<BusboyFileStream>()
  const fed = createMemory()
  let failure: Error | undefined
  let surplus: Error | null = null
  let fileCount = 0
  let fieldLength = 0
  let wake = () => {}
  const tell = (item: Arrived | Error | null) => {
    arrived.push(item)
    wake()
  }
  const fail = (error: Error) => {
    failure ??= error
    for (const stream of streams) stream.destroy(failure)
    tell(failure)
  }
  // The parser leaves a missing name of a part undefined.
  parser.on('file', (field = '', stream, fileName) => {
    // An error of a stream that nobody reads yet must not end the process.
    stream.on('error', () => {}).on('close', () => streams.delete(stream))
    streams.add(stream)
    fileCount++
    tell({ part: { field, fileName: writtenName(fileName ?? ''), bytes: bytesOfPart(stream, fed, () => failure ?? unreadable()) }, stream })
  })
  parser.on('field', (name = '', value, isNameCut, isValueCut) => {
    fieldLength += name.length + value.length
    if (isNameCut || isValueCut) fail(invalidRequest(translatable('The field "{name}" of the form is too long.', { name })))
    else if (fieldLength > mostFieldLength) fail(payloadTooLarge(mostFieldLength))
    else onField?.(name, value, fileCount)
  })
  for (const event of ['partsLimit', 'fieldsLimit'] as const) parser.on(event, () => fail(tooMany(mostFiles)))
  parser.on('filesLimit', () => {
    // The parser skips the files after these.
    surplus = tooMany(mostFiles)
    if (!isReadToEnd) fail(surplus)
  })
  parser.on('error', () => fail(unreadable())).on('finish', () => tell(surplus))
  const source = body[Symbol.asyncIterator]()
  feed(source, parser, fed).catch(fail)
  try {
    for (;;) {
      while (arrived.length === 0) {
        await new Promise<void>((done) => {
          wake = done
        })
      }
      const next = arrived.shift()
      if (!next) return
      if (next instanceof Error) throw next
      yield next.part
      next.stream.resume()
    }
  } finally {
    for (const stream of streams) stream.destroy()
    await source.return?.()
  }
}

/** @param reasonOf returns the error of an interrupted stream */
async function* bytesOfPart(stream: BusboyFileStream, fed: Memory, reasonOf: () => Error): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      fed.releaseBefore(chunk)
      yield chunk
    }
  } catch {
    throw reasonOf()
  }
}

/**
 * The encoding of names in forms by browsers (https://html.spec.whatwg.org/#multipart-form-data): these three
 * characters are encoded, and no others.
 */
const writtenName = (name: string) => name.replace(/%(?:22|0D|0A)/g, decodeURIComponent)

function startParser(contentType: string, mostFiles: number, mostFields: number, isReadToEnd: boolean): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...limits, fields: mostFields, files: mostFiles, ...(isReadToEnd ? {} : { parts: mostFiles + mostFields }) },
    })
  } catch {
    throw unreadable()
  }
}

async function feed(source: AsyncIterator<Uint8Array>, parser: BusboyInstance, fed: Memory) {
  for (let next = await source.next(); !next.done; next = await source.next()) {
    const chunk = next.value
    fed.add(chunk)
    await new Promise<void>((done, fail) => parser.write(chunk, (error) => (error ? fail(error) : done())))
  }
  parser.end()
}

type Memory = ReturnType<typeof createMemory>

/**
 * Releases the memory of each chunk right after it was read: the garbage collector would let many chunks of a megabyte
 * pile up first. Files come one after another, so once bytes of one chunk are read, the chunks before it are no longer
 * needed.
 */
function createMemory() {
  const buffers: ArrayBuffer[] = []
  return {
    add: ({ buffer, byteLength }: Uint8Array) => {
      if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffers.push(buffer)
    },
    releaseBefore: ({ buffer }: Uint8Array) => {
      const index = buffers.indexOf(buffer as ArrayBuffer)
      for (const done of index > 0 ? buffers.splice(0, index) : []) done.transfer(0)
    },
  }
}
