import { refusalOf } from '../../api/api-error'
import { api, send, take } from '../../api/client'

export type Counted = { rows: number; bytes: number }

/** Broken off on the way, or at the other end. */
export class NotWhole extends Error {}

/**
 * Reads a CSV as it comes, and asks at the end whether it is whole: a connection can end well to a browser and still have lost something.
 * @throws Refusal, NotWhole, or AbortError when it was cancelled
 */
export async function readExport(path: string, signal: AbortSignal, tell: (counted: Counted) => void): Promise<{ file: Blob } & Counted> {
  const response = await send(path, { signal })
  if (!response.ok) throw await refusalOf(response)
  const parts: Uint8Array<ArrayBuffer>[] = []
  const count = counter()
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
      parts.push(chunk)
      tell(count(chunk))
    }
  } catch (error) {
    throw signal.aborted ? error : new NotWhole()
  }
  const { state, rows, bytes } = await take(api.exports({ id: response.headers.get('x-export-id') ?? '' }).get())
  const file = new Blob(parts, { type: 'text/csv;charset=utf-8' })
  if (state !== 'complete' || bytes !== file.size) throw new NotWhole()
  return { file, rows: rows ?? 0, bytes: file.size }
}

/** Records so far: lines that end outside of quotes, without the header. */
function counter(): (chunk: Uint8Array) => Counted {
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
