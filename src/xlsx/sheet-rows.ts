import { type ArchiveLimits, damaged, readArchive } from './archive'
import type { CellForm } from './number-formats'
import { serialToText } from './serial-dates'
import { maxSheetColumns, maxSheetRows } from './sheet-size'
import { type PackedBytes, type Sheet, unescapeText, type Workbook } from './workbook'
import { createXmlReader, type XmlHandler } from './xml'

/** A row with something in it. `row` counts from 1, as in the sheet; cells by their place, '' for empty ones. */
export type SheetRow = { row: number; cells: string[] }

/**
 * The rows of a sheet, several at a time. Dates and times are ISO 8601, numbers have a decimal point, truth values are
 * `true` and `false`. Formulas count with the values that the program has stored with them.
 * @throws WorkbookProblem
 */
export async function* readSheetRows(
  packed: PackedBytes,
  workbook: Workbook,
  { path }: Sheet,
  limits: ArchiveLimits,
): AsyncGenerator<SheetRow[]> {
  let rows: SheetRow[] = []
  const reader = createXmlReader(rowsHandler(workbook, (row) => rows.push(row)))
  let isFound = false
  for await (const { bytes, isLast } of readArchive(packed(), (name) => name === path, limits)) {
    isFound = true
    reader.write(bytes)
    if (isLast) reader.end()
    if (rows.length) yield rows
    rows = []
  }
  if (!isFound) throw damaged()
}

function rowsHandler(workbook: Workbook, add: (row: SheetRow) => void): XmlHandler {
  let row = 0
  let column = -1
  let cells: string[] = []
  let cell: { type: string; style: number } | null = null
  let text = ''
  let isValue = false
  let isReading = true
  return {
    open: (name, attributes) => {
      if (name === 'row') {
        row = readPlace(attributes.r, row + 1, maxSheetRows)
        column = -1
        cells = []
      } else if (name === 'c') {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r)
        cell = { type: attributes.t ?? 'n', style: Number(attributes.s ?? 0) }
        text = ''
      } else if (name === 'rPh') isReading = false
      isValue = cell !== null && isReading && (name === 'v' || name === 't')
    },
    text: (piece) => {
      if (isValue) text += piece
    },
    close: (name) => {
      isValue = false
      if (name === 'rPh') isReading = true
      if (name === 'c' && cell) {
        const value = toText(text, cell.type, workbook.forms[cell.style] ?? null, workbook)
        if (value !== '') {
          while (cells.length < column) cells.push('')
          cells[column] = value
        }
        cell = null
      }
      if (name === 'row' && cells.length) add({ row, cells })
    },
  }
}

function readPlace(text: string | undefined, fallback: number, most: number): number {
  const place = text === undefined ? fallback : Number(text)
  if (!(Number.isInteger(place) && place >= 1 && place <= most)) throw damaged()
  return place
}

/** @param reference as `C17` @returns 2 */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0] ?? ''
  const place = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
  return readPlace(String(place), 1, maxSheetColumns) - 1
}

/** By the type of the cell (ECMA-376, 18.18.11). */
function toText(raw: string, type: string, form: CellForm, { strings, has1904 }: Workbook): string {
  if (raw === '') return ''
  if (type === 's') return strings[Number(raw)] ?? ''
  if (type === 'str' || type === 'inlineStr') return unescapeText(raw)
  if (type === 'b') return raw === '1' || raw === 'true' ? 'true' : 'false'
  // Errors as `#N/A`, and ISO dates of the strict form.
  if (type !== 'n') return raw
  const number = Number(raw)
  if (!Number.isFinite(number)) return raw
  if (form && 'date' in form) return serialToText(number, form.date, has1904) ?? plainNumber(number)
  if (form && Number.isInteger(number) && number >= 0) return plainNumber(number).padStart(form.digits, '0')
  return plainNumber(number)
}

/** Spreadsheets store 0.1 + 0.2 as 0.30000000000000004, and show 15 digits. */
const digits = new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: 15 })

const plainNumber = (number: number): string => (Number.isSafeInteger(number) ? String(number === 0 ? 0 : number) : digits.format(number))
