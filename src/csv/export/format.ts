import { inertName } from '../formulas'
import { csvLine } from '../line'
import type { ExportOptions } from './options'

/** How an export is written. What the functions return is sent; it may be empty. */
export type ExportFormat = {
  /** The options of `copy … to stdout`. */
  copyOptions: string
  /** The most records of a file; undefined where there is no limit. */
  maxRecords?: number
  begin: () => Uint8Array | Promise<Uint8Array>
  /** @param chunk whole rows, as PostgreSQL sends them */
  write: (chunk: Buffer) => Uint8Array | Promise<Uint8Array>
  end: () => Uint8Array | Promise<Uint8Array>
}

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
