import { readRecords } from '../../reader'
import type { OpenFile } from '../import'

/** Enough records to guess the types, read in a short time. */
const maxRecords = 1000
const maxSampleBytes = 512 * 1024

/** Reads the first records of a file. Their bytes are put back into `file.header.rest`. */
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
  // The last record may be cut off, even within a character.
  if (isCut && records.at(-1)?.end === sample.length) records.pop()
  return records.filter(({ isBlank }) => header.names.length === 1 || !isBlank).map(({ cells }) => cells)
}
