/** `end` is where the next record begins, in bytes. A blank record has only delimiters. */
export type ReadRecord = { cells: string[]; end: number; isBlank: boolean }

const QUOTE = 34
const LF = 10
const CR = 13

/** The meaning of a quotation mark at its position. */
type Mark = 'opens' | 'closes' | 'doubled' | 'literal'

/**
 * The one grammar of quotation marks, for imports and previews (RFC 4180). A mark at the beginning of a cell opens
 * quotes, up to the next mark that is not doubled. Any other mark is literal, as Excel, LibreOffice and Python read it:
 * it never joins cells or lines. Positions count the bytes of the text that is read.
 */
export class Quoting {
  isOpen = false
  private cellStart = 0
  private closedAt = -1

  isMark(byte: number): boolean {
    return byte === QUOTE
  }

  /** The next cell begins at this position. */
  startCell(at: number): void {
    this.cellStart = at
  }

  readMark(at: number): Mark {
    if (this.isOpen) {
      this.isOpen = false
      this.closedAt = at
      return 'closes'
    }
    if (at === this.cellStart) {
      this.isOpen = true
      return 'opens'
    }
    // A mark directly after the closing one is the second half of a doubled mark.
    if (at !== this.closedAt + 1) return 'literal'
    this.isOpen = true
    return 'doubled'
  }

  /** Drops the bytes before this position, which becomes the first. */
  rebase(at: number): void {
    this.cellStart -= at
    this.closedAt -= at
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * The first records of a file, for its header, for samples and for the preview of the import page. The records that are
 * imported go through the scanner to COPY; both follow the grammar of `Quoting`.
 * @param bytes UTF-8; if they end in the middle of a record, its beginning is returned as the last record, unless it is
 * within quotes
 */
export function readRecords(bytes: Uint8Array, delimiter: string, maxRecords: number): ReadRecord[] {
  const DELIMITER = delimiter.charCodeAt(0)
  const quoting = new Quoting()
  const records: ReadRecord[] = []
  let cells: string[] = []
  // The part of the cell that was already read, and where its rest begins: a quoted cell is read in parts.
  let text = ''
  let from = 0
  const take = (to: number) => {
    if (to > from) text += decoder.decode(bytes.subarray(from, to))
  }
  const endCell = (at: number, next: number) => {
    take(at)
    cells.push(text)
    text = ''
    from = next
    quoting.startCell(next)
  }
  const endRecord = (at: number, next: number) => {
    endCell(at, next)
    records.push({ cells, end: next, isBlank: at - (records.at(-1)?.end ?? 0) === cells.length - 1 })
    cells = []
  }
  const size = bytes.length
  let start = 0
  for (let i = 0; i < size && records.length < maxRecords; i++) {
    const byte = bytes[i]!
    if (quoting.isMark(byte)) {
      const mark = quoting.readMark(i)
      if (mark === 'closes') take(i)
      if (mark === 'opens' || mark === 'closes') from = i + 1
      if (mark === 'doubled') from = i
    } else if (quoting.isOpen) continue
    else if (byte === DELIMITER) endCell(i, i + 1)
    else if (byte === LF || byte === CR) {
      start = byte === CR && bytes[i + 1] === LF ? i + 2 : i + 1
      endRecord(i, start)
      i = start - 1
    }
  }
  if (start < size && !quoting.isOpen && records.length < maxRecords) endRecord(size, size)
  return records
}
