/** The largest unread rest of a body that is received and dropped, so that the connection can be reused. */
const maxUnreadBytes = 64 * 1024

/** Requests whose bodies were read completely. */
const readToEnd = new WeakSet<Request>()

export type BodyReader = { next: () => Promise<Uint8Array | null>; leave: () => void }

/** Reads the body piece by piece, on demand: the sender waits while `next` is not called. */
export function bodyReaderOf(request: Request): BodyReader | null {
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader()
  if (!reader) return null
  return {
    next: async () => {
      const { done, value } = await reader.read()
      if (!done) return value
      readToEnd.add(request)
      return null
    },
    leave: () => reader.releaseLock(),
  }
}

/** A reader of the rest of a body; null if there is no body or it already has a reader. */
export function remainingBody({ body }: Request): ReadableStreamDefaultReader<Uint8Array> | null {
  return body && !body.locked ? (body as ReadableStream<Uint8Array>).getReader() : null
}

/** Reads the whole body at once. The caller has checked its length. */
export async function wholeBody(request: Request): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  readToEnd.add(request)
  return bytes
}

/**
 * Whether the unread rest is too large to receive and drop. After the response, Bun continues to read as fast as the
 * client sends.
 */
export function hasUnreadBody(request: Request): boolean {
  const { headers } = request
  const length = headers.get('content-length')
  if (length === null ? !headers.has('transfer-encoding') : Number(length) <= maxUnreadBytes) return false
  return !readToEnd.has(request)
}
