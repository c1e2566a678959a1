import { toApiError } from '../../../api/api-error'
import { api, send, unwrap } from '../../../api/client'

/** `rows` is null if they are not known yet. */
export type ExportProgress = { rows: number | null; bytes: number }

/** The export was interrupted by the network or by the service. */
export class IncompleteExport extends Error {}

/**
 * Reads a CSV export as a stream, then asks the service whether it is complete: a truncated stream can end without an
 * error.
 * @throws ApiError, IncompleteExport, or AbortError when cancelled
 */
export async function readExport(
  path: string,
  signal: AbortSignal,
  onProgress: (counted: ExportProgress) => void,
): Promise<{ file: Blob } & ExportProgress> {
  const response = await send(path, { signal })
  if (!response.ok) throw await toApiError(response)
  const parts: Uint8Array<ArrayBuffer>[] = []
  const type = response.headers.get('content-type') ?? ''
  const count = type.startsWith('text/csv') ? createCounter() : countBytes()
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
      parts.push(chunk)
      onProgress(count(chunk))
    }
  } catch (error) {
    throw signal.aborted ? error : new IncompleteExport()
  }
  const { state, rows, bytes } = await unwrap(api.exports({ id: response.headers.get('x-export-id') ?? '' }).get())
  const file = new Blob(parts, { type })
  if (state !== 'complete' || bytes !== file.size) throw new IncompleteExport()
  return { file, rows: rows ?? 0, bytes: file.size }
}

/** The records in a compressed file cannot be counted. */
function countBytes(): (chunk: Uint8Array) => ExportProgress {
  let bytes = 0
  return (chunk) => {
    bytes += chunk.length
    return { rows: null, bytes }
  }
}

/** Counts records: line breaks outside quotes, without the header. */
function createCounter(): (chunk: Uint8Array) => ExportProgress {
  let isQuoted = false
  let lines = 0
  let bytes = 0
  return (chunk) => {
    for (const byte of chunk) {
      if (byte === 34) isQuoted = !isQuoted
      else if (byte === 10 && !isQuoted) lines++
    }
    bytes += chunk.length
    return { rows: Math.max(0, lines - 1), bytes }
  }
}
