/**
 * Bytes on their way from a server that may fail in the middle: then the answer to our caller breaks off, too, and
 * never ends well too early. The caller's connection is not told why, since the server's address would be part of it.
 * @param length how many bytes there have to be; null where nobody knows
 * @param failed hears why the bytes broke off
 */
export function passOn(
  source: ReadableStream<Uint8Array>,
  length: number | null,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let bytes = 0
  // What comes after the caller has left is of no use, and no mistake.
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
          failed(error)
          // Of an error Bun would write the sources to the standard error; without one the connection breaks just so.
          controller.error()
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
