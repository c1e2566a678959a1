import { Failure, invalidRequest, payloadTooLarge } from '../../errors'
import { bodyReaderOf } from '../../http/body-stream'
import { withTimeout } from '../../timeout'

export type UploadLimits = { mostBytes: number; idleMs: number; signal: AbortSignal }

/** The body of a request, piece by piece. */
export type CsvUpload = {
  /**
   * What is not asked for stays with the sender.
   * @throws as `readBody`, and unsupported_media_type for what is packed
   */
  chunks: AsyncGenerator<Uint8Array>
  /**
   * Reads what is left and drops it. A proxy that is still sending takes an answer, or a closed connection, for a
   * failure of the service (nginx: 502), so nothing is answered before. Never throws: what is too large, too slow or
   * broken off is not waited for.
   */
  discard: () => Promise<void>
}

/** So much has to come within every `idleMs`, or else the sender has stalled: one byte a minute is a stall, too. */
const minBytes = 16 * 1024

export function openUpload(request: Request, limits: UploadLimits): CsvUpload {
  const { signal } = limits
  const body = readBody(request, limits)
  async function* chunks() {
    // Unpacked it could be of any size (SEC-60).
    if (request.headers.has('content-encoding')) {
      throw new Failure('unsupported_media_type', 'The file is sent packed.', { hint: 'Send it without Content-Encoding.' })
    }
    // Not `yield*`: who stops reading in the middle would end the body, too.
    for (let next = await body.next(); !next.done; next = await body.next()) {
      signal.throwIfAborted()
      yield next.value
    }
  }
  const discard = async () => {
    const { kind } = (signal.reason ?? {}) as { kind?: unknown }
    // For a client that has left, or has taken all its time, nothing more is read.
    if (signal.aborted && kind !== 'insufficient_storage') return
    try {
      while (!(await body.next()).done);
    } catch {}
  }
  return { chunks: chunks(), discard }
}

/**
 * The body piece by piece, never whole in memory.
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
      // The time that the database takes is not the sender's.
      window.endsAt += performance.now() - askedAt
      if (window.bytes >= minBytes) window = { endsAt: performance.now() + idleMs, bytes: 0 }
    }
  } finally {
    reader.leave()
  }
}

function stalled(): never {
  throw invalidRequest('The upload stalled.', 'Send it without long pauses.')
}

function brokenOff(): never {
  throw invalidRequest('The upload broke off.')
}
