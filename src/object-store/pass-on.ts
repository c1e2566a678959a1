/**
 * Passes on bytes from a server that may fail midway: then our response also breaks off, so that it never appears
 * complete.
 * @param length the expected number of bytes; null if unknown
 * @param failed receives the reason why the bytes broke off, and returns the error for the reader. It returns none for
 * a response: the reason would include the server's address.
 */
export function passOn(
  source: ReadableStream<Uint8Array>,
  length: number | null,
  failed: (error: unknown) => Error | undefined,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let bytes = 0
  // Bytes and errors after the caller has left are ignored.
  let isWanted = true
  const next = async (): Promise<Uint8Array | null> => {
    const { done, value } = await reader.read()
    bytes += value?.byteLength ?? 0
    if (length !== null && (done ? bytes < length : bytes > length)) throw new Error(`${bytes} bytes came of ${length}`)
    return done ? null : value
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const chunk = await next()
          if (!isWanted) return
          if (chunk) controller.enqueue(chunk)
          else controller.close()
        } catch (error) {
          if (!isWanted) return
          const reason = failed(error)
          // For an error Bun would print source lines to the standard error; without one it just breaks the connection.
          if (reason) controller.error(reason)
          else controller.error()
        }
      },
      cancel: (reason) => {
        isWanted = false
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
