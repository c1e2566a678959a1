import { readRecords } from '../../../../csv/reader'
import type { ColumnForm } from '../../../../xlsx/number-formats'
import { guessLegacyEncoding } from './encoding-guess'

/** The beginning of a file, for the preview before the upload. `workbook` is set for an .xlsx file. */
export type CsvSample = {
  encoding: SampleEncoding
  delimiter: SampleDelimiter
  rows: string[][]
  /** Set if the sample is pure ASCII, which does not reveal the encoding. The service then detects it. */
  isEncodingOpen?: true
  /** Set if the file has more records than the sample. */
  isCut?: true
  workbook?: { sheets: string[]; sheet: string; headerRow: number; timezone?: string }
  /** The number formats of a workbook's cells, at the same indexes as in `rows`; null for text. */
  forms?: (ColumnForm | 'plain' | null | undefined)[][]
}

export const sampleEncodings = [
  ...(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1250', 'windows-1251'] as const),
  ...(['macintosh', 'shift_jis', 'gbk', 'euc-kr'] as const),
] as const
export type SampleEncoding = (typeof sampleEncodings)[number]

export const sampleDelimiters = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' } as const
export type SampleDelimiter = keyof typeof sampleDelimiters

const sampleBytes = 64 * 1024
/** Enough records to see how the file writes dates and numbers. */
const maxSampleRows = 1000
const maxBlankLines = 1000

export type SampleOptions = { encoding?: SampleEncoding; delimiter?: SampleDelimiter; sheet?: string; headerRow?: number }

/** @param options the user's choices, which replace the detected values */
export async function readCsvSample(file: File, options: SampleOptions): Promise<CsvSample> {
  const bytes = new Uint8Array(await file.slice(0, sampleBytes).arrayBuffer())
  // The signature of a ZIP file, as checked by the service.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04) {
    const { readWorkbookSample } = await import('./workbook-sample')
    return readWorkbookSample(file, maxSampleRows, options)
  }
  const encoding = options.encoding ?? detectEncoding(bytes, file.size > sampleBytes)
  const text = new TextDecoder(encoding).decode(bytes)
  const sep = /^sep=([,;\t|])(?:\r\n|\n|\r)/.exec(text)
  const utf8 = new TextEncoder().encode(text.slice(sep?.[0].length ?? 0))
  const delimiter = options.delimiter ?? (sep?.[1] as SampleDelimiter | undefined) ?? detectDelimiter(utf8)
  const rows = parseRows(utf8, delimiter, maxSampleRows)
  // The last record may be incomplete.
  const isCut = file.size > sampleBytes
  const isEncodingOpen = isCut && options.encoding === undefined && bytes.every((byte) => byte < 0x80)
  return {
    encoding,
    delimiter,
    rows: isCut && rows.length < maxSampleRows ? rows.slice(0, -1) : rows,
    ...(isEncodingOpen ? { isEncodingOpen } : {}),
    ...(isCut || rows.length === maxSampleRows ? { isCut: true as const } : {}),
  }
}

/** Detects the encoding like the service: by byte order mark, else UTF-8, else the best match. The import names it. */
function detectEncoding(bytes: Uint8Array, isCut: boolean): SampleEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return 'utf-8'
  } catch {
    return guessLegacyEncoding(bytes)
  }
}

function detectDelimiter(bytes: Uint8Array): SampleDelimiter {
  const all = Object.keys(sampleDelimiters) as SampleDelimiter[]
  const cells = all.map((each) => parseRows(bytes, each, 1)[0]?.length ?? 0)
  return all[cells.indexOf(Math.max(...cells))]!
}

/** Reads records like the service. In a file with one column, blank lines after the first are records. */
export function parseRows(bytes: Uint8Array, delimiter: SampleDelimiter, most = 20): string[][] {
  const rows: string[][] = []
  for (const { cells, isBlank } of readRecords(bytes, delimiter, most + maxBlankLines)) {
    if (!isBlank || rows[0]?.length === 1) rows.push(cells)
    if (rows.length === most) break
  }
  return rows
}
