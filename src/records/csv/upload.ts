import { Failure, invalidRequest, payloadTooLarge } from '../../errors'
import { readerOf } from '../../http/request-body'

export type UploadLimits = { mostBytes: number; idleMs: number; signal: AbortSignal }

/** So much has to come within every `idleMs`, or else the sender has stalled: one byte a minute is a stall, too. */
const leastBytes = 16 * 1024

/**
 * The body piece by piece, never whole in memory: what is not asked for stays with the sender.
 * @throws Failure payload_too_large; unsupported_media_type for what is packed; invalid_request when the sender stalls or leaves
 */
export async function* readUpload(request: Request, { mostBytes, idleMs, signal }: UploadLimits): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw payloadTooLarge(mostBytes)
  // Unpacked it could be of any size (SEC-60).
  if (request.headers.has('content-encoding')) {
    throw new Failure('unsupported_media_type', 'The file is sent packed.', { hint: 'Send it without Content-Encoding.' })
  }
  const reader = readerOf(request)
  if (!reader) return
  let bytes = 0
  let window = { endsAt: performance.now() + idleMs, bytes: 0 }
  try {
    for (;;) {
      const value = await within(reader.next(), window.endsAt - performance.now())
      signal.throwIfAborted()
      if (!value) return
      bytes += value.byteLength
      if (bytes > mostBytes) throw payloadTooLarge(mostBytes)
      window.bytes += value.byteLength
      const askedAt = performance.now()
      yield value
      // The time that the database takes is not the sender's.
      window.endsAt += performance.now() - askedAt
      if (window.bytes >= leastBytes) window = { endsAt: performance.now() + idleMs, bytes: 0 }
    }
  } finally {
    reader.leave()
  }
}

async function within<T>(read: Promise<T>, limitMs: number): Promise<T> {
  let timer: Timer | undefined
  const stalled = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(invalidRequest('The upload stalled.', 'Send it without long pauses.')), Math.max(limitMs, 0))
  })
  try {
    return await Promise.race([read.catch(brokenOff), stalled])
  } finally {
    clearTimeout(timer)
  }
}

function brokenOff(): never {
  throw invalidRequest('The upload broke off.')
}
