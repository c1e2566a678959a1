import { readRecords } from '../../reader'
import type { OpenFile } from '../import'

/** Enough records to guess the types, read in a short time. */
const maxRecords = 1000
const maxSampleBytes = 512 * 1024

/** The first records of a file, and the lines (or rows of a sheet) at which they begin. */
type Sample = { records: string[][]; lines: number[] }

/** Reads the first records of a file. Their bytes are put back into `file.header.rest`. */
export async function takeSample(file: OpenFile): Promise<Sample> {
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
  let line = header.lines + 1
  const found = records.map(({ cells, isBlank, end }, index) => {
    const at = line
    line += countLineEnds(sample.subarray(records[index - 1]?.end ?? 0, end))
    return { cells, isBlank, at }
  })
  const filled = found.filter(({ isBlank }) => header.names.length === 1 || !isBlank)
  return { records: filled.map(({ cells }) => cells), lines: filled.map(({ at }) => file.rowOf(at)) }
}

const countLineEnds = (bytes: Uint8Array): number =>
  Buffer.from(bytes)
    .toString('latin1')
    .match(/\r\n|\r|\n/g)?.length ?? 0
