import { fileRefused } from '../../../errors'
import { translatable } from '../../../messages/message'
import { readRecords } from '../../reader'
import type { OpenFile } from '../import'

/** Enough records to guess the types, read in a short time. */
const maxRecords = 1000
const maxSampleBytes = 512 * 1024

/**
 * Reads the first records of a file. Their bytes are put back into `file.header.rest`.
 * @throws Failure validation_failed for a quotation mark within a cell: COPY would take it for the start of a quoted
 * part, and read all lines up to the next quotation mark as one record
 */
export async function takeSample(file: OpenFile): Promise<string[][]> {
  const { header, chunks } = file
  const kept: Uint8Array[] = [header.rest]
  let bytes = header.rest.byteLength
  let isWhole = false
  while (bytes < maxSampleBytes && !isWhole) {
    const { value, done } = await chunks.next()
    isWhole = !!done
    if (value) {
      kept.push(value)
      bytes += value.byteLength
    }
  }
  file.header.rest = Buffer.concat(kept)
  const isCut = !isWhole || bytes > maxSampleBytes
  const sample = file.header.rest.subarray(0, maxSampleBytes)
  const strayQuotes = new Set<number>()
  const records = readRecords(sample, header.delimiter, maxRecords, (line) => strayQuotes.add(header.lines + line))
  if (strayQuotes.size > 0) throw strayQuoteFailure([...strayQuotes])
  // The last record may be cut off, even within a character.
  if (isCut && records.at(-1)?.end === sample.length) records.pop()
  return records.map(({ cells }) => cells).filter((cells) => header.names.length === 1 || cells.length > 1 || cells[0] !== '')
}

const strayQuoteFailure = (lines: number[]) =>
  fileRefused(
    lines.slice(0, 100).map((line) => ({
      line,
      column: null,
      message: translatable('has a quotation mark in a cell that is not in quotes; write such a cell as "5"" disk"'),
    })),
    lines.length,
  )
