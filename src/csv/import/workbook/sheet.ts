import { Failure, fileRefused, invalidRequest, type LineProblem } from '../../../errors'
import { Message, translatable } from '../../../messages/message'
import type { DecimalMark } from '../../../tables/notation'
import { isTimeZone } from '../../../time-zone'
import { type Archive, type ArchiveLimits, openArchive, type PackedFile, WorkbookProblem } from '../../../xlsx/archive'
import type { ColumnForm } from '../../../xlsx/number-formats'
import { readSheetRows } from '../../../xlsx/sheet-rows'
import { readWorkbook, type Sheet, type Workbook } from '../../../xlsx/workbook'
import { columnLetters } from '../../../xlsx/writer'
import { foldName } from '../../column-names'
import { csvLine } from '../../line'

/** Which part of a workbook is imported: a sheet by its name, and the row with the names of the columns (from 1). */
export type SheetOptions = { sheet?: string; headerRow?: number }

/** A sheet as a CSV file. */
export type SheetSource = {
  source: AsyncIterable<Uint8Array>
  sheet: string
  /** The zone of its timestamps, if Rowhouse wrote the workbook. */
  timezone?: string
  /** How the numbers of a column are displayed, as far as the sheet has been read. */
  formOf: (index: number) => ColumnForm | null
  /** Maps a line of the CSV to the row of the sheet, once it has been read. */
  rowOf: (line: number) => number
  /** Adds the cell, as `C17`, to each problem. @param columnName the name of a column in problems */
  locate: (problems: readonly LineProblem[], columnName: (header: string, index: number) => string) => LineProblem[]
}

const maxFiles = 10_000

export type SheetRequest = SheetOptions & {
  decimals?: DecimalMark
  /** The number of columns that the caller names. */
  width: number
}

/** @throws Failure validation_failed for a damaged file; invalid_request for a missing sheet */
export async function openSheet(
  packed: PackedFile,
  { sheet: wanted, headerRow, decimals, width }: SheetRequest,
  limits: Omit<ArchiveLimits, 'maxFiles'>,
): Promise<SheetSource> {
  const open = () => openArchive(packed, { ...limits, maxFiles })
  const archive = await open().catch(throwRefused)
  const workbook = await readWorkbook(archive).catch(throwRefused)
  const sheet = chooseSheet(workbook, wanted)
  const lines = createLineIndex()
  const columnForms = createColumnForms()
  let header: readonly string[] = []
  async function* toCsv() {
    try {
      const least = width || (await widestRow(await open(), workbook, sheet, headerRow))
      for await (const rows of readSheetRows(archive, workbook, sheet, decimals === 'comma' ? ',' : '.')) {
        let text = ''
        for (const { row, cells, forms } of rows) {
          if (headerRow !== undefined && row < headerRow) continue
          if (header.length === 0) header = cells
          else columnForms.add(cells, forms)
          text += `${toLine(cells, Math.max(least, header.length))}\n`
          lines.add(row, cells)
        }
        if (text) yield Buffer.from(text)
      }
    } catch (error) {
      throwRefused(error)
    }
  }
  return {
    source: toCsv(),
    sheet: sheet.name,
    ...(workbook.timeZone !== undefined && isTimeZone(workbook.timeZone) ? { timezone: workbook.timeZone } : {}),
    formOf: columnForms.of,
    rowOf: lines.rowOf,
    locate: (problems, columnName) => {
      const named = header.map((name, index) => [foldName(columnName(name.trim(), index)), columnLetters(index)] as const)
      // If headers are equal, the name means the first one.
      const columns = new Map(named.reverse())
      return problems.map((problem) => {
        // Problems of a whole record have no column, and skipped columns of the sheet have an empty name.
        const column = problem.column === null ? undefined : columns.get(foldName(problem.column))
        return column ? { ...problem, cell: `${column}${problem.line}` } : problem
      })
    },
  }
}

/** A row ends with its last value, so a column without a name in the header appears only in later rows. */
async function widestRow(archive: Archive, workbook: Workbook, sheet: Sheet, headerRow = 1): Promise<number> {
  let widest = 0
  for await (const rows of readSheetRows(archive, workbook, sheet))
    for (const { row, cells, most } of rows) {
      if (row >= headerRow) widest = Math.max(widest, cells.length)
      if (widest >= most) return widest
    }
  return widest
}

function throwRefused(error: unknown): never {
  throw error instanceof WorkbookProblem
    ? fileRefused([{ line: 1, column: null, message: new Message(error.template, error.parameters) }])
    : error
}

/** The first visible sheet if no name is given. */
function chooseSheet({ sheets }: Workbook, wanted: string | undefined): Sheet {
  const found = wanted === undefined ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0]) : sheets.find(({ name }) => name === wanted)
  if (found) return found
  const names = sheets.slice(0, 20).map(({ name }) => `"${name.slice(0, 31)}"`)
  throw invalidRequest(
    translatable('The workbook has no sheet of this name.'),
    translatable('Its sheets are {names}.', { names: names.join(', ') }),
  )
}

/** An empty cell is not a value. */
function toLine(cells: readonly string[], width: number): string {
  const all = Array.from({ length: Math.max(width, cells.length) }, (_, index) => cells[index] ?? '')
  return all.map((cell) => (cell === '' ? '' : csvLine([cell], ','))).join(',')
}

/** A form applies to a column if all of its cells have it. */
function createColumnForms() {
  const found: (ColumnForm | null | undefined)[] = []
  return {
    add: (cells: readonly string[], forms: readonly (ColumnForm | null)[]) => {
      for (const [index, cell] of cells.entries()) {
        if (cell === '' || cell === undefined) continue
        const form = forms[index] ?? null
        found[index] = found[index] === undefined || found[index] === form ? form : null
      }
    },
    of: (index: number): ColumnForm | null => found[index] ?? null,
  }
}

/** The lines of the CSV at which rows begin: a cell may contain several lines. */
function createLineIndex() {
  const begins: number[] = []
  const rows: number[] = []
  let next = 1
  return {
    add: (row: number, cells: readonly string[]) => {
      begins.push(next)
      rows.push(row)
      next += 1 + cells.reduce((sum, cell) => sum + (/[\r\n]/.test(cell) ? cell.split(/\r\n|\r|\n/).length - 1 : 0), 0)
    },
    rowOf: (line: number): number => {
      let low = 0
      let high = begins.length - 1
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if (begins[middle]! <= line) low = middle
        else high = middle - 1
      }
      return rows[low] ?? line
    },
  }
}

/** The beginning of a ZIP. */
const isZip = (bytes: Uint8Array) => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04

/** Looks at the first bytes of a file. @returns all of it */
export async function peekWorkbook(source: AsyncIterable<Uint8Array>): Promise<{ isWorkbook: boolean; source: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]()
  let held: Uint8Array = new Uint8Array(0)
  while (held.length < 4) {
    const { value, done } = await iterator.next()
    if (done) break
    held = held.length ? Buffer.concat([held, value]) : value
  }
  async function* whole() {
    if (held.length) yield held
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  return { isWorkbook: isZip(held), source: whole() }
}

/** The same failure with the cells of its problems. */
export const locateFailure = (error: unknown, locate: (problems: readonly LineProblem[]) => LineProblem[]): unknown =>
  error instanceof Failure && error.extras.lines
    ? new Failure(error.kind, error.text, { ...error.extras, lines: locate(error.extras.lines) })
    : error
