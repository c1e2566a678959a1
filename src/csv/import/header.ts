import { fileRefused } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import { foldName } from '../column-names'
import { type Delimiter, delimiters } from '../delimiter'
import { type ReadRecord, readRecords } from '../reader'

/**
 * The beginning of a file. `lines` is the number of lines before the first record with data; `rest` are the bytes read
 * beyond them.
 */
export type Header = { names: string[]; delimiter: Delimiter; lines: number; rest: Uint8Array }

type HeaderOptions = { delimiter?: Delimiter; known: readonly string[]; hasHeader: boolean }

/** Four times the size of a header with 1 600 names of 63 bytes. */
const maxHeaderBytes = 512 * 1024

/** The length of `sep=;` with a line end. */
const maxSeparatorLineBytes = 7

/**
 * Reads the header line. Without a requested delimiter, chooses the one that finds most of the `known` names, or else
 * the most frequent one. Skips empty lines and lines of nothing but delimiters before the header, and Excel's `sep=;`.
 * @param hasHeader if false, the first record only determines the delimiter and the number of cells; `names` are then
 * empty texts
 * @throws Failure validation_failed
 */
export async function readHeader(source: AsyncIterator<Uint8Array>, { delimiter, known, hasHeader }: HeaderOptions): Promise<Header> {
  let bytes: Uint8Array = new Uint8Array(0)
  let isWhole = false
  let lines = 0
  let asked = delimiter
  const readMore = async () => {
    const { value, done } = await source.next()
    isWhole = !!done
    if (value) bytes = bytes.length ? Buffer.concat([bytes, value]) : value
  }
  const problem = (message: Message) => fileRefused([{ line: lines + 1, column: null, message }])
  for (;;) {
    if (bytes.length < maxSeparatorLineBytes && !isWhole) {
      await readMore()
      continue
    }
    if (bytes.length === 0) throw problem(translatable('the file is empty'))
    const skipped = skippedLine(bytes, lines === 0)
    if (skipped) {
      asked ??= Object.values(delimiters).find((candidate) => candidate === skipped.delimiter)
      lines++
      bytes = bytes.subarray(skipped.length)
      continue
    }
    const readings = (asked ? [asked] : Object.values(delimiters)).map((each) => readFirst(bytes, each, isWhole))
    const isTooLong = bytes.length > maxHeaderBytes
    if (!isWhole && !isTooLong && readings.includes(null)) {
      // Each read doubles the size, since all of it is parsed again.
      const wanted = Math.min(2 * bytes.length, maxHeaderBytes + 1)
      while (!isWhole && bytes.length < wanted) await readMore()
      continue
    }
    const complete = readings.filter((reading) => reading !== null)
    if (complete.length === 0)
      throw problem(isTooLong ? translatable('the header line is too long') : translatable('opens a quotation mark that is never closed'))
    const { cells, delimiter: chosen, end, isBlank } = detectDelimiter(complete, known)
    if (hasHeader && isBlank && cells.length > 1) {
      lines += linesIn(bytes.subarray(0, end))
      bytes = bytes.subarray(end)
      continue
    }
    if (!hasHeader) return { names: cells.map(() => ''), delimiter: chosen, lines, rest: bytes }
    // Spaces around a name are removed, unless a column's name has them.
    const names = cells.map((name) => (known.includes(name) ? name : name.trim()))
    return { names, delimiter: chosen, lines: lines + linesIn(bytes.subarray(0, end)), rest: bytes.subarray(end) }
  }
}

/** The length of a line to skip: a blank one, or the one that names the delimiter; null for any other line. */
function skippedLine(bytes: Uint8Array, isFirst: boolean): { length: number; delimiter?: string } | null {
  const beginning = Buffer.from(bytes.subarray(0, maxSeparatorLineBytes)).toString('latin1')
  const [line, delimiter] = /^(?:sep=(.))?(?:\r\n|\n|\r|$)/.exec(beginning) ?? []
  return line === undefined || (delimiter !== undefined && !isFirst) ? null : { length: line.length, delimiter }
}

/** The number of lines, which end in LF, CR LF or CR, or with the text. */
function linesIn(record: Uint8Array): number {
  const text = Buffer.from(record).toString('latin1')
  const breaks = text.match(/\r\n|\r|\n/g)?.length ?? 0
  return /[\r\n]$/.test(text) ? breaks : breaks + 1
}

type Reading = ReadRecord & { delimiter: Delimiter }

/** Returns null when the first record needs more bytes, or opens a quotation mark that is never closed. */
function readFirst(bytes: Uint8Array, delimiter: Delimiter, isWhole: boolean): Reading | null {
  const [first] = readRecords(bytes, delimiter, 1)
  // A line end may follow in the next bytes, or a line feed after a carriage return.
  if (!first || (first.end >= bytes.length && !isWhole)) return null
  return { ...first, delimiter }
}

function detectDelimiter(readings: readonly Reading[], known: readonly string[]): Reading {
  const names = new Set(known.map(foldName))
  const scored = readings.map((reading) => ({
    reading,
    found: reading.cells.filter((cell) => names.has(foldName(cell))).length,
    count: reading.cells.length,
  }))
  return scored.reduce((best, next) => (next.found > best.found || (next.found === best.found && next.count > best.count) ? next : best))
    .reading
}
