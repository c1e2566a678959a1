import { withTimeout } from '../timeout'
import { remainingBody } from './body-stream'

/**
 * More than the kernels of both sides keep on the way; and at most for so long, or until nothing has come for a while.
 */
const mostBytes = 8 * 2 ** 20
const longestMs = 2000
const quietMs = 250

/** Whoever sends at full speed has to wait before each of these, and so looks at the answer. */
const bytesBetweenPauses = 2 ** 20
const drainPauseMs = 100

/**
 * The answer to a request whose body nobody reads, sent before its connection is closed. A close with bytes unread
 * resets the connection, and whoever is still sending, as nginx is, never reads the answer then. So some of what is on
 * its way is thrown away behind the answer (RFC 9112 section 9.6).
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
      // A client that has left needs no end of its answer.
      void send().catch(() => {})
    },
  })
  return new Response(body, response)
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const endsAt = performance.now() + longestMs
  let [bytes, pauseAt] = [0, 0]
  while (bytes < mostBytes && performance.now() < endsAt) {
    if (bytes >= pauseAt) {
      await Bun.sleep(drainPauseMs)
      pauseAt = bytes + bytesBetweenPauses
    }
    const count = await nextCount(reader)
    if (count === 0) break
    bytes += count
  }
  // Not waited for: Bun may end it with the connection only.
  void reader.cancel().catch(() => {})
}

/** 0 where there is no more, or nothing comes. */
const nextCount = (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number> =>
  withTimeout(
    reader.read().then(({ value }) => value?.byteLength ?? 0),
    quietMs,
    () => 0,
  )
