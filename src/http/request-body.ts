/** What one request may make us receive for nothing: with less behind the answer the connection goes on. */
const maxUnreadBytes = 64 * 1024

/** Of requests whose bodies were read to their end. */
const readToEnd = new WeakSet<Request>()

export type BodyReader = { next: () => Promise<Uint8Array | null>; leave: () => void }

/** The body piece by piece; what is not asked for stays with the sender. */
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

/** For what is left of a body; null where there is none, or somebody is reading it. */
export function left({ body }: Request): ReadableStreamDefaultReader<Uint8Array> | null {
  return body && !body.locked ? (body as ReadableStream<Uint8Array>).getReader() : null
}

/** The whole body at once, for one whose length is known and accepted. */
export async function wholeBody(request: Request): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  readToEnd.add(request)
  return bytes
}

/** Whether more is still to come than is worth receiving: Bun reads on behind the answer, as fast as it is sent. */
export function hasUnreadBody(request: Request): boolean {
  const { headers } = request
  const length = headers.get('content-length')
  if (length === null ? !headers.has('transfer-encoding') : Number(length) <= maxUnreadBytes) return false
  return !readToEnd.has(request)
}
