import { outsideOfScopes } from '../../db/pool/scope'
import { Failure } from '../../errors'
import { writeFeedCursor } from './cursor'
import type { FeedEvent } from './listener'

type FeedEvents = AsyncGenerator<FeedEvent[]>

/** Proxies close a connection that is idle for a minute or so. */
const heartbeatMs = 15_000
/** A stream ends after an hour; its reader reconnects and continues. */
const maxStreamMs = 60 * 60 * 1000
/** How long browsers wait before they reconnect, in milliseconds. */
const retryMs = 1000

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-store, no-transform',
  // nginx would otherwise hold events back until its buffer is full.
  'x-accel-buffering': 'no',
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export function eventStream(events: FeedEvents, ending: AbortController): Response {
  const encoder = new TextEncoder()
  const endsAt = performance.now() + maxStreamMs
  let sentAt = performance.now()
  const next = async (): Promise<string | null> => {
    for (;;) {
      const { value, done } = await outsideOfScopes(() => events.next())
      if (done || performance.now() > endsAt) return null
      if (value.length === 0 && performance.now() - sentAt < heartbeatMs) continue
      sentAt = performance.now()
      return value.length === 0 ? ': \n\n' : value.map(eventText).join('')
    }
  }
  const stop = async () => {
    ending.abort()
    await outsideOfScopes(() => events.return(undefined)).catch(() => {})
  }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`)),
    pull: async (controller) => {
      const text = await next().catch((error) => endText(error))
      if (text !== null) controller.enqueue(encoder.encode(text))
      if (text === null || text.startsWith('event: end')) {
        controller.close()
        await stop()
      }
    },
    cancel: stop,
  })
  return new Response(body, { headers: streamHeaders })
}

function eventText(event: FeedEvent): string {
  const id = `id: ${writeFeedCursor(event.cursor)}\n`
  if (event.kind === 'position') return `${id}\n`
  return `${id}event: ${event.kind}\ndata: ${event.kind === 'change' ? JSON.stringify(event.change) : '{}'}\n\n`
}

/** Why a stream ended early, usually because the credential is no longer valid. */
const endText = (error: unknown): string =>
  `event: end\ndata: ${JSON.stringify({ code: error instanceof Failure ? error.kind : 'unavailable' })}\n\n`

/**
 * Returns the available events as soon as there are any, or after the given time. With `application/x-ndjson`, one line
 * per change; the cursor is also in the header `Feed-Cursor`.
 */
export async function collected(events: FeedEvents, ending: AbortController, waitMs: number, accept: string): Promise<Response> {
  const timer = setTimeout(() => ending.abort(), waitMs)
  const found: FeedEvent[] = []
  try {
    for (;;) {
      const { value, done } = await outsideOfScopes(() => events.next())
      if (done) break
      found.push(...value)
      if (found.some(({ kind }) => kind !== 'position')) break
    }
  } finally {
    clearTimeout(timer)
    ending.abort()
    await outsideOfScopes(() => events.return(undefined))
  }
  const changes = found.flatMap((event) => (event.kind === 'change' ? [event.change] : []))
  const cursor = writeFeedCursor(found.at(-1)!.cursor)
  const isReset = found.some(({ kind }) => kind === 'reset')
  const headers = { 'feed-cursor': cursor, ...(isReset ? { 'feed-reset': 'true' } : {}) }
  if (accept.includes('application/x-ndjson')) {
    const lines = changes.map((change) => `${JSON.stringify(change)}\n`).join('')
    return new Response(lines, { headers: { ...headers, 'content-type': 'application/x-ndjson; charset=utf-8' } })
  }
  return new Response(JSON.stringify({ changes, cursor, reset: isReset }), {
    headers: { ...headers, 'content-type': 'application/json;charset=utf-8' },
  })
}
