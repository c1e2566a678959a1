import { CsvError, parse } from 'csv-parse/sync'

/** `end` is where the next record begins, in bytes. */
export type ReadRecord = { cells: string[]; end: number }

/** Told of the line (from 1) of each cell that holds a quotation mark without beginning with one. */
type OnStrayQuote = (line: number) => void

/**
 * The first records of a file, for its header and for samples: the records that are imported are read by COPY. A
 * quotation mark in a cell that does not begin with one is taken as it stands.
 * @param bytes UTF-8; where they end in the middle of a record, its beginning is the last one, unless it is in quotes
 */
export function readRecords(bytes: Uint8Array, delimiter: string, maxRecords: number, onStrayQuote?: OnStrayQuote): ReadRecord[] {
  const records: ReadRecord[] = []
  try {
    parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      delimiter,
      recordDelimiter: ['\r\n', '\n', '\r'],
      relaxQuotes: true,
      relaxColumnCount: true,
      to: maxRecords,
      ...(onStrayQuote ? { cast: noteStrayQuotes(onStrayQuote) } : {}),
      onRecord: (cells: string[], { bytes: end }) => void records.push({ cells, end }),
    })
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error
  }
  return records
}

const noteStrayQuotes =
  (tell: OnStrayQuote) =>
  (cell: string, { quoting, lines }: { quoting: boolean; lines: number }): string => {
    if (!quoting && cell.includes('"')) tell(lines)
    return cell
  }
