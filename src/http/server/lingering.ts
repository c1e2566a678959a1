import { withTimeout } from '../../timeout'
import { remainingBody } from '../request/body-stream'

/**
 * More than the kernels of both sides buffer in transit. Reading also ends after this time, or when nothing has arrived
 * for a while.
 */
const maxBytes = 8 * 2 ** 20
const maxMs = 2000
const quietMs = 250

/** A client that sends at full speed has to wait before each of these, and so reads the response. */
const bytesBetweenPauses = 2 ** 20
const drainPauseMs = 100

/**
 * Sends the response to a request with an unread body before its connection is closed. Closing with unread bytes resets
 * the connection, and a client that is still sending, such as nginx, then never reads the response. So some of the
 * incoming bytes are dropped after the response (RFC 9112 section 9.6).
 */
export function answerFirst(request: Request, response: Response): Response {
  const reader = remainingBody(request)
  if (!reader || !response.body) return response
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = async () => {
        controller.enqueue(new Uint8Array(await response.arrayBuffer()))
        await discard(reader)
        controller.close()
      }
      // A client that has disconnected does not need the end of its response.
      void send().catch(() => {})
    },
  })
  return new Response(body, response)
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const endsAt = performance.now() + maxMs
  let [bytes, pauseAt] = [0, 0]
  while (bytes < maxBytes && performance.now() < endsAt) {
    if (bytes >= pauseAt) {
      await Bun.sleep(drainPauseMs)
      pauseAt = bytes + bytesBetweenPauses
    }
    const count = await nextCount(reader)
    if (count === 0) break
    bytes += count
  }
  // Not awaited: Bun may settle it only when the connection closes.
  void reader.cancel().catch(() => {})
}

/** 0 at the end, or if nothing arrives. */
const nextCount = (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number> =>
  withTimeout(
    reader.read().then(({ value }) => value?.byteLength ?? 0),
    quietMs,
    () => 0,
  )
