import type { LineProblem } from '../errors'
import { type Message, translatable } from '../messages/message'
import { firstWhere, LineGaps } from './line-gaps'
import { LiteralMarks } from './literal-marks'
import { Quoting } from './reader'

/**
 * Finds the records of a file without copying its bytes. Records that COPY would reject are removed and reported, so
 * that the rest can still be checked. To COPY, every quotation mark opens or closes quotes, so literal ones are quoted
 * for it. Lines may end in LF, CR LF or CR, in any mixture. Blank lines and lines of nothing but delimiters, which
 * spreadsheets write below a table, are skipped.
 */
export type CsvScanner = {
  /** @returns the bytes of whole records, ready for COPY */
  feed: (chunk: Uint8Array) => Uint8Array[]
  /** The last record, which may have no line end. */
  end: () => Uint8Array[]
  /** The records for COPY so far, and the number of lines that they take. */
  rows: () => number
  lines: () => number
  /** Whether any of them spans several lines. */
  hasBreaks: () => boolean
  problems: LineProblem[]
  problemCount: () => number
  /** The line of the file for a line of the output (from 1). */
  fileLine: (line: number) => number
  /** The first line of the output that has this number in the file; null if no line has it. */
  sentLine: (line: number) => number | null
  /** Whether a part of a record was passed on before it turned out to be invalid: then COPY cannot continue. */
  isBroken: () => boolean
  /** Whether the file ends within quotes: then the boundaries of its last records are unknown. */
  isUnclosed: () => boolean
}

const LF = 10
const CR = 13

/** A record longer than this is passed on before its end is known. */
const maxRetainedLength = 1024 * 1024
const maxProblems = 100

/** PostgreSQL before 18 reads `\.` without quotes as the end of the data. */
const quotedEnd = Buffer.from('"\\."')

const lineEnds = { lf: Buffer.from('\n'), cr: Buffer.from('\r'), crlf: Buffer.from('\r\n') }

/**
 * @param columns how many cells a record has
 * @param headerLines lines of the file that were read before
 * @param rowOf maps a line of the file to the number by which problems name it
 */
export function createScanner(
  delimiter: string,
  columns: number,
  headerLines: number,
  rowOf: (line: number) => number = (line) => line,
): CsvScanner {
  const DELIMITER = delimiter.charCodeAt(0)
  const problems: LineProblem[] = []
  const gaps = new LineGaps()
  let problemCount = 0
  let rows = 0
  let sentLines = 0
  let line = headerLines + 1
  let hasBreaks = false
  let isBroken = false
  let isUnclosed = false
  let end: Buffer | null = null
  // The record that has begun: its bytes so far, how many of them are scanned, and whether its beginning was already
  // passed on.
  let kept: Uint8Array = new Uint8Array(0)
  let scanned = 0
  let isLong = false
  const quoting = new Quoting()
  const marks = new LiteralMarks()
  let delimiters = 0
  let breaks = 0
  let last = 0

  const complain = (message: Message) => {
    problemCount++
    if (problems.length < maxProblems) problems.push({ line: rowOf(line), column: null, message })
    if (isLong) isBroken = true
  }
  const leaveOut = () => {
    if (!gaps.add(sentLines, breaks + 1)) complain(translatable('There are too many blank lines between the records.'))
  }
  const isRagged = () => delimiters + 1 !== columns
  const raggedMessage = () => translatable('has {count} cells, and the header has {columns}', { count: delimiters + 1, columns })

  /** One pass over `kept` and the chunk. Written flat: it runs for every byte of every file. */
  const feed = (chunk: Uint8Array, isLast = false): Uint8Array[] => {
    const bytes = kept.length ? Buffer.concat([kept, chunk]) : chunk
    const out: Uint8Array[] = []
    const size = bytes.length
    let start = 0
    let from = 0
    let i = scanned
    const hand = (to: number) => {
      if (to > from) out.push(bytes.subarray(from, to))
    }
    for (; i < size; i++) {
      const byte = bytes[i]!
      if (quoting.isMark(byte)) {
        if (quoting.readMark(i) === 'literal') marks.add(i)
      } else if (byte === LF || byte === CR) {
        if (quoting.isOpen) {
          if (byte === CR || (i > 0 ? bytes[i - 1] : last) !== CR) breaks++
          continue
        }
        // Whether a line feed follows is not known yet.
        if (byte === CR && i + 1 === size && !isLast) break
        const after = byte === CR && bytes[i + 1] === LF ? i + 2 : i + 1
        const length = i - start
        const isBlank = length === delimiters && !isLong && columns > 1
        if (isBlank || isRagged()) {
          if (!isBlank) complain(raggedMessage())
          hand(start)
          from = after
          if (!isLong) leaveOut()
        } else {
          const own = byte === LF ? lineEnds.lf : after === i + 2 ? lineEnds.crlf : lineEnds.cr
          end ??= own
          // PostgreSQL before 18 reads this as the end of the data.
          const isMark = length === 2 && bytes[start] === 92 && bytes[start + 1] === 46 && !isLong
          if (isMark || own !== end || marks.isPending) {
            hand(start)
            out.push(isMark ? quotedEnd : marks.take(bytes, start, i, true), end)
            from = after
          }
          rows++
          sentLines += breaks + 1
          if (breaks) hasBreaks = true
        }
        line += breaks + 1
        breaks = 0
        delimiters = 0
        isLong = false
        marks.clear()
        start = after
        i = after - 1
        quoting.startCell(after)
      } else if (byte === DELIMITER && !quoting.isOpen) {
        delimiters++
        quoting.startCell(i + 1)
      }
    }
    if (size) last = bytes[Math.min(i, size) - 1] ?? last
    if (i - start > maxRetainedLength) {
      hand(start)
      out.push(marks.take(bytes, start, i, false))
      start = i
      isLong = true
    } else hand(start)
    quoting.rebase(start)
    marks.rebase(start)
    kept = bytes.subarray(start)
    scanned = i - start
    return out
  }

  const finish = (): Uint8Array[] => {
    const out = feed(new Uint8Array(0), true)
    if (kept.length === delimiters && !isLong && (columns > 1 || delimiters === 0)) return out
    if (quoting.isOpen) {
      isUnclosed = true
      complain(translatable('opens a quotation mark that is never closed'))
      return out
    }
    if (isRagged()) {
      complain(raggedMessage())
      return out
    }
    rows++
    sentLines += breaks + 1
    if (breaks) hasBreaks = true
    const isMark = !isLong && kept.length === 2 && kept[0] === 92 && kept[1] === 46
    out.push(isMark ? quotedEnd : marks.take(kept, 0, kept.length, true))
    return out
  }

  const fileLine = (sent: number) => rowOf(headerLines + sent + gaps.linesBefore(sent))

  return {
    feed,
    end: finish,
    rows: () => rows,
    lines: () => sentLines,
    hasBreaks: () => hasBreaks,
    problems,
    problemCount: () => problemCount,
    fileLine,
    sentLine: (number) => {
      const sent = 1 + firstWhere(sentLines, (index) => fileLine(index + 1) >= number)
      return sent <= sentLines && fileLine(sent) === number ? sent : null
    },
    isBroken: () => isBroken,
    isUnclosed: () => isUnclosed,
  }
}
