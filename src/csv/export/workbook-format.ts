import { fieldType } from '../../records/query/plan/fields'
import type { PlannedOutput } from '../../records/query/plan/types'
import { familyOf } from '../../records/query/type-families'
import { valueType } from '../../tables/column-types/descriptors'
import { maxSheetRows } from '../../xlsx/sheet-size'
import { createSheetWriter, type SheetColumn } from '../../xlsx/writer'
import { columnNumberFormats } from './column-number-format'
import type { ExportFormat } from './export-format'
import { type Reader, readableText, showsNames, unspread } from './people'

/**
 * A workbook of one sheet, for people: numbers, dates and booleans as such, names for links, timestamps in the time
 * zone of the reader.
 */
export function workbookFormat(sheetName: string, outputs: readonly PlannedOutput[], reader: Reader): ExportFormat {
  const { begin, write, end } = createSheetWriter(
    sheetName,
    outputs.map((output) => sheetColumn(unspread(output), reader)),
    reader.timeZone,
  )
  return {
    // Each row is one line, whatever its values.
    copyOptions: `format text, encoding 'UTF8'`,
    maxRecords: maxSheetRows - 1,
    begin,
    write: (chunk) => write(readCopyText(chunk)),
    end,
  }
}

function sheetColumn(output: PlannedOutput, reader: Reader): SheetColumn {
  const { name, value, aggregate } = output
  if (aggregate?.name === 'count') return { name, kind: 'number' }
  if (value?.kind !== 'field') return { name, kind: 'text' }
  const { column } = value.field
  const type = aggregate?.cast ?? value.cast ?? fieldType(value.field)
  const isText = showsNames(output, reader) || (familyOf(type) === 'array' && readableText('', output, reader) !== null)
  const kind = isText ? 'text' : kindOf(type)
  if (kind !== 'number' || (aggregate?.cast ?? value.cast) !== undefined) return { name, kind }
  const typeName = valueType(column)
  if (typeName === 'duration') return { name, kind: 'duration' }
  const numberFormats = columnNumberFormats(typeName, column.options)
  return { name, kind, ...(numberFormats === null ? {} : { numberFormats }) }
}

function kindOf(type: string): SheetColumn['kind'] {
  const family = familyOf(type)
  if (family === 'number' || family === 'boolean') return family
  const bare = type.replace(/\(.*\)/, '')
  if (bare === 'date') return 'date'
  if (/^timestamp/.test(bare)) return 'dateTime'
  return bare === 'time' || bare === 'time without time zone' ? 'time' : 'text'
}

const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/**
 * Whole rows of COPY's text format: tabs between the cells, `\N` for null.
 * @see https://www.postgresql.org/docs/current/sql-copy.html
 */
const readCopyText = (chunk: Buffer): (string | null)[][] =>
  chunk
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) =>
      line
        .split('\t')
        .map((cell) =>
          cell === '\\N' ? null : cell.includes('\\') ? cell.replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter) : cell,
        ),
    )
