import { inertName } from '../formulas'
import { csvLine } from '../line'
import type { ExportFormat } from './export-format'
import type { ExportOptions } from './options'

const byteOrderMark = '\ufeff'

/** @param names of the columns, for the header line */
export function csvFormat(names: readonly string[], { delimiter, isEscaped, hasByteOrderMark }: ExportOptions): ExportFormat {
  const shown = isEscaped ? names.map(inertName) : names
  return {
    copyOptions: `format csv, delimiter '${delimiter}', encoding 'UTF8'`,
    begin: () => Buffer.from(`${hasByteOrderMark ? byteOrderMark : ''}${csvLine(shown, delimiter)}\n`),
    write: (chunk) => chunk,
    end: () => new Uint8Array(0),
  }
}
