import { fileRefused } from '../../errors'
import { type Delimiter, delimiters } from '../export/options'
import { readLine } from '../line'

/** The beginning of a file. `lines` are those before the first record with data, `rest` what was read beyond them. */
export type Header = { names: string[]; delimiter: Delimiter; lines: number; rest: Uint8Array }

/** A header of 1 600 names of 63 bytes fits four times. */
const maxHeaderBytes = 512 * 1024

const LF = 10
const CR = 13

/**
 * Reads the header line, and the delimiter from it where none was asked for: the one that finds most of the `known`
 * names, or else the most frequent. Blank lines before it, and Excel's `sep=;`, are passed over.
 * @param hasHeader without one, the first record only tells the delimiter and how many cells there are; `names` are
 * then empty texts
 * @throws Failure validation_failed
 */
export async function readHeader(
  source: AsyncIterator<Uint8Array>,
  { delimiter, known, hasHeader }: { delimiter?: Delimiter; known: readonly string[]; hasHeader: boolean },
): Promise<Header> {
  let bytes: Uint8Array = new Uint8Array(0)
  let isWhole = false
  let lines = 0
  let asked = delimiter
  for (;;) {
    const end = recordEnd(bytes, isWhole)
    if (end === null) {
      if (bytes.length > maxHeaderBytes) throw fileRefused([{ line: 1, column: null, message: 'the header line is too long' }])
      const { value, done } = await source.next()
      isWhole = !!done
      if (value) bytes = bytes.length ? Buffer.concat([bytes, value]) : value
      continue
    }
    const text = Buffer.from(bytes.subarray(0, end.at)).toString('utf8')
    if (text === '' && isWhole && end.next >= bytes.length) throw fileRefused([{ line: 1, column: null, message: 'the file is empty' }])
    const excel = /^sep=(.)$/.exec(text)?.[1]
    if (text === '' || (lines === 0 && excel)) {
      asked ??= Object.values(delimiters).find((candidate) => candidate === excel)
      lines++
      bytes = bytes.subarray(end.next)
      continue
    }
    const chosen = asked ?? likeliest(text, known)
    const cells = readLine(text, chosen)
    if (!hasHeader) return { names: cells.map(() => ''), delimiter: chosen, lines, rest: bytes }
    // Blanks around a name are the file's, unless the column itself has them.
    const names = cells.map((name) => (known.includes(name) ? name : name.trim()))
    return { names, delimiter: chosen, lines: lines + breaksIn(text) + 1, rest: bytes.subarray(end.next) }
  }
}

const breaksIn = (text: string) => text.match(/\r\n|\r|\n/g)?.length ?? 0

/** Where the first record ends and the next begins; null when more bytes are needed. */
function recordEnd(bytes: Uint8Array, isWhole: boolean): { at: number; next: number } | null {
  let isQuoted = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 34) isQuoted = !isQuoted
    else if (!isQuoted && byte === LF) return { at, next: at + 1 }
    else if (!isQuoted && byte === CR) {
      if (at + 1 === bytes.length && !isWhole) return null
      return { at, next: bytes[at + 1] === LF ? at + 2 : at + 1 }
    }
  }
  return isWhole ? { at: bytes.length, next: bytes.length } : null
}

function likeliest(text: string, known: readonly string[]): Delimiter {
  const names = new Set(known.map((name) => name.toLowerCase()))
  const scored = Object.values(delimiters).map((delimiter) => {
    const cells = readLine(text, delimiter)
    return { delimiter, found: cells.filter((cell) => names.has(cell.trim().toLowerCase())).length, count: cells.length }
  })
  return scored.reduce((best, next) => (next.found > best.found || (next.found === best.found && next.count > best.count) ? next : best))
    .delimiter
}
