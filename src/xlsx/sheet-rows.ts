import { type Archive, damaged, WorkbookProblem } from './archive'
import { type CellForm, type ColumnForm, columnFormOf } from './number-formats'
import { serialToText } from './serial-dates'
import { maxImportColumns, maxSheetColumns, maxSheetRows } from './sheet-size'
import { type Sheet, unescapeText, type Workbook } from './workbook'
import { createXmlReader, type XmlHandler } from './xml'

/**
 * A row that is not empty. `row` counts from 1, as in the sheet; cells are in their positions, '' for empty ones.
 * `forms` says how numbers are displayed, and `areNumbers` which cells are numbers. `most` is the largest number of
 * cells of a row, if the sheet declares it.
 */
export type SheetRow = { row: number; cells: string[]; forms: (ColumnForm | null)[]; areNumbers: boolean[]; most: number }

/**
 * The rows of a sheet, several at a time. Dates and times are ISO 8601, booleans are `true` and `false`. Formulas have
 * the values that the program stored with them.
 * @param decimalMark of numbers
 * @throws WorkbookProblem
 */
export async function* readSheetRows(
  archive: Archive,
  workbook: Workbook,
  { path }: Sheet,
  decimalMark: '.' | ',' = '.',
): AsyncGenerator<SheetRow[]> {
  let rows: SheetRow[] = []
  const reader = createXmlReader(rowsHandler({ ...workbook, decimalMark }, (row) => rows.push(row)))
  for await (const piece of archive.read(path)) {
    reader.write(piece)
    if (rows.length) yield rows
    rows = []
  }
  reader.end()
  if (rows.length) yield rows
}

type Reading = Workbook & { decimalMark: string }

function rowsHandler(workbook: Reading, add: (row: SheetRow) => void): XmlHandler {
  let row = 0
  let most = Number.POSITIVE_INFINITY
  let column = -1
  let cells: string[] = []
  let forms: (ColumnForm | null)[] = []
  let areNumbers: boolean[] = []
  let cell: { type: string; style: number } | null = null
  let text = ''
  let isValue = false
  let isReading = true
  return {
    open: (name, attributes) => {
      if (name === 'row') {
        row = readRow(attributes.r, row)
        column = -1
        cells = []
        forms = []
        areNumbers = []
      } else if (name === 'c') {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r)
        cell = { type: attributes.t ?? 'n', style: Number(attributes.s ?? 0) }
        text = ''
      } else if (name === 'rPh') isReading = false
      // Programs that do not yet know the range write `A1`.
      else if (name === 'dimension' && /:[A-Z]{1,3}\d/.test(attributes.ref ?? '')) most = columnOf(attributes.ref!.split(':')[1]!) + 1
      isValue = cell !== null && isReading && (name === 'v' || name === 't')
    },
    text: (piece) => {
      if (isValue) text += piece
    },
    close: (name) => {
      isValue = false
      if (name === 'rPh') isReading = true
      if (name === 'c' && cell) {
        const form = workbook.forms[cell.style] ?? null
        const value = toText(text, cell.type, form, workbook)
        if (value !== '') {
          if (column >= maxImportColumns)
            throw new WorkbookProblem('the sheet has more than {maxImportColumns} columns', { maxImportColumns })
          while (cells.length < column) cells.push('')
          cells[column] = value
          areNumbers[column] = cell.type === 'n'
          forms[column] = areNumbers[column] ? columnFormOf(form) : null
        }
        cell = null
      }
      if (name === 'row' && cells.length) add({ row, cells, forms, areNumbers, most })
    },
  }
}

/** Row numbers must increase, so that no row occurs twice. */
function readRow(text: string | undefined, before: number): number {
  const row = readPlace(text === undefined ? before + 1 : Number(text), maxSheetRows)
  if (row <= before) throw damaged()
  return row
}

function readPlace(number: number, max: number): number {
  if (!(Number.isInteger(number) && number >= 1 && number <= max)) throw damaged()
  return number
}

/** @param reference such as `C17` @returns 2 */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0] ?? ''
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
  return readPlace(column, maxSheetColumns) - 1
}

/** By the type of the cell (ECMA-376, 18.18.11). @throws WorkbookProblem for a missing shared text */
function toText(raw: string, type: string, form: CellForm, { strings, has1904, decimalMark, timeZone }: Reading): string {
  if (raw === '') return ''
  if (type === 's') return strings[Number(raw)] ?? throwDamaged()
  if (type === 'str' || type === 'inlineStr') return unescapeText(raw)
  if (type === 'b') return raw === '1' || raw === 'true' ? 'true' : 'false'
  if (type === 'd') return raw.replace(/T00:00:00(\.0+)?Z?$/, '')
  // Errors, such as `#N/A`.
  if (type !== 'n') return raw
  const number = Number(raw)
  if (!Number.isFinite(number)) return raw
  const isExact = timeZone !== undefined && /(\d\.?){16}/.test(raw)
  const date = form && 'date' in form ? serialToText(number, form.date, has1904, isExact) : null
  if (date !== null) return date
  if (form && 'digits' in form && Number.isInteger(number) && number >= 0) return plainNumber(raw, number).padStart(form.digits, '0')
  return plainNumber(raw, number).replace('.', decimalMark)
}

function throwDamaged(): never {
  throw damaged()
}

/** Spreadsheets store 0.1 + 0.2 as 0.30000000000000004, and show 15 digits. */
const digits = new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: 15 })

/** Whole numbers keep their digits: other programs write longer ones than spreadsheets support. */
const plainNumber = (raw: string, number: number): string => (/^-?[1-9]\d*$/.test(raw) ? raw : digits.format(number === 0 ? 0 : number))
