/** For a small file, most of the time is spent waiting for the storages. */
const workers = 16

/** A larger file takes parts of 8 MB of memory while it is sent, so few of them are copied at a time. */
const smallBytes = 2 ** 20
const largeAtOnce = 3

/**
 * Processes several files at a time, but only a few large ones. Stops at the first failure, once all workers have
 * stopped.
 * @throws the first error of the work, or the signal's reason
 */
export async function workOnFiles<File extends { size: number }>(
  files: AsyncIterable<File>,
  given: AbortSignal,
  work: (file: File, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController()
  const signal = AbortSignal.any([given, failed.signal])
  const enterLarge = createLanes(largeAtOnce)
  const next = files[Symbol.asyncIterator]()
  const runWorker = async () => {
    try {
      for (;;) {
        signal.throwIfAborted()
        const { done, value: file } = await next.next()
        if (done) return
        const leave = file.size > smallBytes ? await enterLarge() : () => {}
        await work(file, signal).finally(leave)
      }
    } catch (error) {
      failed.abort(error)
    }
  }
  await Promise.all(Array.from({ length: workers }, runWorker))
  given.throwIfAborted()
  failed.signal.throwIfAborted()
}

/**
 * @returns a function that waits for a free lane, which processes one file at a time, and resolves to a function that
 * releases the lane
 */
function createLanes(width: number): () => Promise<() => void> {
  const lanes = Array.from({ length: width }, () => Promise.resolve())
  let turn = 0
  return async () => {
    const lane = turn++ % width
    const before = lanes[lane]
    const { promise, resolve } = Promise.withResolvers<void>()
    lanes[lane] = promise
    await before
    return resolve
  }
}
