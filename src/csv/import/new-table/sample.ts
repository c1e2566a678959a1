import { readLine } from '../../line'
import type { OpenFile } from '../import'

/** Enough to guess by, and little enough to wait for. */
const maxRecords = 1000
const maxBytes = 512 * 1024

/** The first records of a file. What was read for them stands in `file.header.rest` again. */
export async function takeSample(file: OpenFile): Promise<string[][]> {
  const { header, chunks } = file
  const kept: Uint8Array[] = [header.rest]
  let bytes = header.rest.byteLength
  let isWhole = false
  while (bytes < maxBytes && !isWhole) {
    const { value, done } = await chunks.next()
    isWhole = !!done
    if (value) {
      kept.push(value)
      bytes += value.byteLength
    }
  }
  file.header.rest = Buffer.concat(kept)
  const text = Buffer.from(file.header.rest).subarray(0, maxBytes).toString('utf8')
  const records = sampleRecordsOf(text, header.delimiter, isWhole && bytes <= maxBytes).filter(
    (record) => header.names.length === 1 || record.length > 1 || record[0] !== '',
  )
  return records.slice(0, maxRecords)
}

/** @param isWhole whether what stands behind the last line end is a record, too */
function sampleRecordsOf(text: string, delimiter: string, isWhole: boolean): string[][] {
  const records: string[][] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === '\n' || character === '\r')) {
      records.push(readLine(text.slice(start, at), delimiter))
      if (character === '\r' && text[at + 1] === '\n') at++
      start = at + 1
    }
  }
  if (isWhole && start < text.length) records.push(readLine(text.slice(start), delimiter))
  return records
}
