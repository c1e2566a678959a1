import { isAscii } from 'node:buffer'
import { Failure, fileRefused } from '../errors'
import { translatable } from '../messages/message'

/** By their names in the Encoding Standard. Those after Windows-1252 are never detected: the request names them. */
export const encodings = [
  ...(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1250', 'windows-1251'] as const),
  ...(['macintosh', 'shift_jis', 'gbk', 'euc-kr'] as const),
] as const
export type Encoding = (typeof encodings)[number]

/** The encoding of a file, known once it has been read. */
export type DetectedEncoding = { encoding: Encoding }

/**
 * The file as UTF-8 without a byte order mark. UTF-8 passes unchanged and unchecked: PostgreSQL checks it anyway.
 * Without a mark, the first character beyond ASCII decides: if it is not UTF-8, the file is Windows-1252. So the result
 * does not depend on how the bytes arrive.
 */
export async function* toUtf8(
  source: AsyncIterable<Uint8Array>,
  asked: Encoding | undefined,
  found: DetectedEncoding,
): AsyncGenerator<Uint8Array> {
  let held: Buffer = Buffer.alloc(0)
  let decode: ((bytes: Uint8Array, isLast: boolean) => Uint8Array) | null = null
  let isBegun = false
  for await (const chunk of source) {
    if (decode) {
      const decoded = decode(chunk, false)
      if (decoded.byteLength) yield decoded
      continue
    }
    held = held.length ? Buffer.concat([held, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (!isBegun) {
      if (held.length < maxMarkBytes) continue
      isBegun = true
      assertNotWorkbook(held)
      const { encoding, length } = markOf(held, asked)
      held = held.subarray(length)
      if (encoding) decode = decoderOf(encoding, found)
    }
    if (!decode && !isAscii(held)) {
      const encoding = detectEncoding(held)
      // The character's last bytes are still to come.
      if (encoding === null) continue
      decode = decoderOf(encoding, found)
    }
    const decoded = decode ? decode(held, false) : held
    held = Buffer.alloc(0)
    if (decoded.byteLength) yield decoded
  }
  if (!isBegun) {
    const { encoding, length } = markOf(held, asked)
    held = held.subarray(length)
    if (encoding) decode = decoderOf(encoding, found)
  }
  decode ??= decoderOf(isAscii(held) ? 'utf-8' : 'windows-1252', found)
  const last = decode(held, true)
  if (last.byteLength) yield last
}

/** Recognises a ZIP, such as .ods, and the older .xls by the first bytes. An .xlsx is handled elsewhere. */
function assertNotWorkbook(bytes: Uint8Array): void {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04
  const isOld = bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0
  if (!isZip && !isOld) return
  throw new Failure('unsupported_media_type', translatable('This is a spreadsheet or another compressed file, not CSV.'), {
    hint: translatable('Spreadsheets must be .xlsx. In Excel: Save as, "Excel Workbook". In LibreOffice: Save as, "Excel 2007-365".'),
  })
}

const maxMarkBytes = 4

function markOf(bytes: Uint8Array, asked: Encoding | undefined): { encoding?: Encoding; length: number } {
  const [one, two, three] = bytes
  const mark: { encoding?: Encoding; length: number } =
    one === 0xef && two === 0xbb && three === 0xbf
      ? { encoding: 'utf-8', length: 3 }
      : one === 0xff && two === 0xfe
        ? { encoding: 'utf-16le', length: 2 }
        : one === 0xfe && two === 0xff
          ? { encoding: 'utf-16be', length: 2 }
          : { length: 0 }
  if (!asked) return mark
  return { encoding: asked, length: mark.encoding === asked ? mark.length : 0 }
}

/** By the first character beyond ASCII; null when more bytes are needed. */
function detectEncoding(bytes: Uint8Array): Encoding | null {
  const at = bytes.findIndex((byte) => byte > 0x7f)
  const first = bytes[at]!
  const length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0
  if (length === 0) return 'windows-1252'
  const character = bytes.subarray(at, at + length)
  if (!character.subarray(1).every((byte) => byte >> 6 === 0b10)) return 'windows-1252'
  return character.length === length ? 'utf-8' : null
}

function decoderOf(encoding: Encoding, found: DetectedEncoding): (bytes: Uint8Array, isLast: boolean) => Uint8Array {
  found.encoding = encoding
  if (encoding === 'utf-8') return (bytes) => bytes
  const decoder = new TextDecoder(encoding as 'utf-8', { fatal: true, ignoreBOM: true })
  return (bytes, isLast) => {
    try {
      return Buffer.from(decoder.decode(bytes, { stream: !isLast }))
    } catch {
      throw fileRefused([
        { line: 1, column: null, message: translatable('the file is not {encoding} throughout', { encoding: encoding.toUpperCase() }) },
      ])
    }
  }
}
