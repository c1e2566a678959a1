import { Failure, invalidRequest, payloadTooLarge } from '../../errors'
import { bodyReaderOf } from '../../http/request/body-stream'
import { translatable } from '../../messages/message'
import { withTimeout } from '../../timeout'

export type UploadLimits = { mostBytes: number; idleMs: number; signal: AbortSignal }

/** The body of a request, in chunks. */
export type CsvUpload = {
  /**
   * Read on demand: the sender waits while no chunk is requested.
   * @throws like `readBody`, and unsupported_media_type for a compressed body
   */
  chunks: AsyncGenerator<Uint8Array>
  /**
   * Reads and drops the rest of the body, so that the response is sent after it. A proxy that is still sending treats
   * an early response or a closed connection as a failure of the service (nginx: 502). Never throws, and does not wait
   * for a body that is too large, too slow or interrupted.
   */
  discard: () => Promise<void>
}

/** If fewer bytes than this arrive within `idleMs`, the sender has stalled: one byte a minute is also a stall. */
const minBytes = 16 * 1024

export function openUpload(request: Request, limits: UploadLimits): CsvUpload {
  const { signal } = limits
  const body = readBody(request, limits)
  async function* chunks() {
    // Decompressed, it could be of any size (SEC-60).
    if (request.headers.has('content-encoding')) {
      throw new Failure('unsupported_media_type', translatable('The file is compressed.'), {
        hint: translatable('Send it without Content-Encoding.'),
      })
    }
    // Not `yield*`: a consumer that stops in the middle would also end the body.
    for (let next = await body.next(); !next.done; next = await body.next()) {
      signal.throwIfAborted()
      yield next.value
    }
  }
  const discard = async () => {
    const { kind } = (signal.reason ?? {}) as { kind?: unknown }
    // Once the client has disconnected or used up its time, the rest is not read.
    if (signal.aborted && kind !== 'insufficient_storage') return
    try {
      while (!(await body.next()).done);
    } catch {}
  }
  return { chunks: chunks(), discard }
}

/**
 * Yields the body in chunks, so that it is never completely in memory.
 * @throws Failure payload_too_large; invalid_request when the sender stalls or leaves
 */
async function* readBody(request: Request, { mostBytes, idleMs }: UploadLimits): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw payloadTooLarge(mostBytes)
  const reader = bodyReaderOf(request)
  if (!reader) return
  let bytes = 0
  let window = { endsAt: performance.now() + idleMs, bytes: 0 }
  try {
    for (;;) {
      const value = await withTimeout(reader.next().catch(brokenOff), window.endsAt - performance.now(), stalled)
      if (!value) return
      bytes += value.byteLength
      if (bytes > mostBytes) throw payloadTooLarge(mostBytes)
      window.bytes += value.byteLength
      const askedAt = performance.now()
      yield value
      // The time that the database takes does not count as the sender's.
      window.endsAt += performance.now() - askedAt
      if (window.bytes >= minBytes) window = { endsAt: performance.now() + idleMs, bytes: 0 }
    }
  } finally {
    reader.leave()
  }
}

function stalled(): never {
  throw invalidRequest(translatable('The upload stalled.'), translatable('Send it without long pauses.'))
}

function brokenOff(): never {
  throw invalidRequest(translatable('The upload was interrupted.'))
}
