import { readRecords } from '../../reader'
import type { OpenFile } from '../import'

/** Enough to guess by, and little enough to wait for. */
const maxRecords = 1000
const maxSampleBytes = 512 * 1024

/** The first records of a file. What was read for them stands in `file.header.rest` again. */
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
  const records = readRecords(sample, header.delimiter, maxRecords)
  // The last one may be half a record, or the half of a character.
  if (isCut && records.at(-1)?.end === sample.length) records.pop()
  return records.map(({ cells }) => cells).filter((cells) => header.names.length === 1 || cells.length > 1 || cells[0] !== '')
}
