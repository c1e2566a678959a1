import { isTimeZone } from '../../../../time-zone'
import { openArchive } from '../../../../xlsx/archive'
import { readSheetRows } from '../../../../xlsx/sheet-rows'
import { readWorkbook } from '../../../../xlsx/workbook'
import type { CsvSample } from './csv-sample'

/** High limits: the service has its own. */
const limits = { maxFiles: 10_000, maxBytes: 4 * 2 ** 30 }

/** The beginning of a sheet, in the same form as for a CSV file. @throws WorkbookProblem */
export async function readWorkbookSample(
  file: File,
  maxRows: number,
  { sheet: wanted, headerRow }: { sheet?: string; headerRow?: number },
): Promise<CsvSample> {
  const read = async (offset: number, length: number) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer())
  const archive = await openArchive({ size: file.size, read }, limits)
  const workbook = await readWorkbook(archive)
  const { sheets, timeZone } = workbook
  const zone = timeZone !== undefined && isTimeZone(timeZone) ? { timezone: timeZone } : {}
  const sheet = sheets.find(({ name }) => name === wanted) ?? sheets.find(({ isHidden }) => !isHidden) ?? sheets[0]!
  const rows: string[][] = []
  const forms: NonNullable<CsvSample['forms']> = []
  let firstRow = 1
  for await (const more of readSheetRows(archive, workbook, sheet)) {
    const below = more.filter(({ row }) => row >= (headerRow ?? 1))
    if (rows.length === 0 && below.length) firstRow = below[0]!.row
    rows.push(...below.map(({ cells }) => Array.from(cells, (cell) => cell ?? '')))
    forms.push(...below.map((read) => read.cells.map((_, at) => (read.areNumbers[at] ? (read.forms[at] ?? 'plain') : null))))
    if (rows.length >= maxRows) break
  }
  // Rows end with their last value, but the first row determines the columns of the file.
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (rows[0]) rows[0] = Array.from({ length: width }, (_, at) => rows[0]![at] ?? '')
  const workbookPart = { sheets: sheets.map(({ name }) => name), sheet: sheet.name, headerRow: firstRow, ...zone }
  return { encoding: 'utf-8', delimiter: ',', rows: rows.slice(0, maxRows), forms, workbook: workbookPart }
}
