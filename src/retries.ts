import { setTimeout as sleep } from 'node:timers/promises'

type Retries = {
  /** The pauses between attempts; there is one more attempt than pauses. */
  waitsMs: readonly number[]
  /** Whether the next attempt may succeed. */
  isPassing: (error: unknown) => boolean
  signal?: AbortSignal
  onRetry?: () => void
}

/**
 * @param work receives the number of the attempt, from 1
 * @throws the last error, or the signal's reason
 */
export async function withRetries<Result>(
  work: (tries: number) => Promise<Result>,
  { waitsMs, isPassing, signal, onRetry }: Retries,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      signal?.throwIfAborted()
      return await work(tries)
    } catch (error) {
      signal?.throwIfAborted()
      const waitMs = waitsMs[tries - 1]
      if (waitMs === undefined || !isPassing(error)) throw error
      onRetry?.()
      await sleep(waitMs, undefined, { signal }).catch(() => signal?.throwIfAborted())
    }
  }
}
