import { invalidRequest } from '../../errors'

/** A form's file, as it comes, and the fields that stood before it. */
export type CsvForm = { fields: Map<string, string>; file: AsyncGenerator<Uint8Array> }

const maxFields = 50
const maxHeadBytes = 16 * 1024
const maxFieldBytes = 1024 * 1024

/** RFC 2046 section 5.1.1. @returns null for another kind of body */
export function boundaryOf(contentType: string): string | null {
  if (!/^multipart\/form-data\b/i.test(contentType)) return null
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (!boundary) throw invalidRequest('The Content-Type names no boundary.')
  return boundary
}

/**
 * Reads a form up to its first file, whose bytes are then streamed (RFC 7578).
 * @throws Failure invalid_request for a form that is none, that has no file, or a field behind the file
 */
export async function readForm(source: AsyncIterable<Uint8Array>, boundary: string): Promise<CsvForm> {
  const pieces = createPieces(source[Symbol.asyncIterator]())
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const fields = new Map<string, string>()
  // The first delimiter stands at the very beginning, without the line break that belongs to all others.
  await pieces.begin(Buffer.from('\r\n'))
  await drain(pieces.until(delimiter), maxFieldBytes)
  for (let count = 0; count <= maxFields; count++) {
    const end = await pieces.take(2)
    if (end === '--') throw invalidRequest('The form has no file.', 'Send the file as a part with a filename, behind the fields.')
    const head = end === '\r\n' ? await pieces.head() : ''
    const [, name] = /^content-disposition:[^\r\n]*[\s;]name="((?:[^"\\]|\\.)*)"/im.exec(head) ?? []
    if (name === undefined) throw unreadable()
    if (/^content-disposition:[^\r\n]*[\s;]filename\*?=/im.test(head)) return { fields, file: fileOf(pieces, delimiter) }
    fields.set(name, (await drain(pieces.until(delimiter), maxFieldBytes)).toString('utf8'))
  }
  throw invalidRequest(`The form has more than ${maxFields} fields.`)
}

const unreadable = () => invalidRequest('The form cannot be read.')

async function* fileOf(pieces: Pieces, delimiter: Buffer): AsyncGenerator<Uint8Array> {
  yield* pieces.until(delimiter)
  if ((await pieces.take(2)) !== '--') throw invalidRequest('Something stands behind the file.', 'Put the file last, and send one only.')
}

async function drain(chunks: AsyncIterable<Uint8Array>, mostBytes: number): Promise<Buffer> {
  const kept: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > mostBytes) throw invalidRequest('A field of the form is too long.')
    kept.push(chunk)
  }
  return Buffer.concat(kept)
}

type Pieces = ReturnType<typeof createPieces>

/** A source of bytes that can be read up to a mark. */
function createPieces(source: AsyncIterator<Uint8Array>) {
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<boolean> => {
    const { value, done } = await source.next()
    if (done) return false
    rest = rest.length ? Buffer.concat([rest, value]) : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    return true
  }
  return {
    begin: async (bytes: Buffer) => {
      rest = bytes
    },
    /** What comes before the mark, which is taken, too. */
    async *until(mark: Buffer): AsyncGenerator<Uint8Array> {
      for (;;) {
        const at = rest.indexOf(mark)
        const known = at >= 0 ? at : Math.max(0, rest.length - mark.length + 1)
        if (known > 0) yield rest.subarray(0, known)
        rest = rest.subarray(at >= 0 ? at + mark.length : known)
        if (at >= 0) return
        if (!(await more())) throw invalidRequest('The form ends in the middle.')
      }
    },
    take: async (length: number): Promise<string> => {
      while (rest.length < length) if (!(await more())) throw invalidRequest('The form ends in the middle.')
      const taken = rest.subarray(0, length).toString('latin1')
      rest = rest.subarray(length)
      return taken
    },
    /** The lines up to the blank one. */
    head: async (): Promise<string> => {
      for (;;) {
        const end = rest.indexOf('\r\n\r\n')
        if (end > maxHeadBytes || (end < 0 && rest.length > maxHeadBytes)) throw unreadable()
        if (end >= 0) {
          const lines = rest.subarray(0, end).toString('utf8')
          rest = rest.subarray(end + 4)
          return lines
        }
        if (!(await more())) throw invalidRequest('The form ends in the middle.')
      }
    },
  }
}
