import { setTimeout as sleep } from 'node:timers/promises'
import { isAway } from '../../db/errors'
import { Failure } from '../../errors'

/** Half a minute in all: a restart of the database or the storage takes some seconds. */
const waitsMs = [500, 1000, 2000, 4000, 8000, 15_000]

const isPassing = (error: unknown): boolean => (error instanceof Failure && error.kind === 'unavailable') || isAway(error)

/**
 * Retries while the database or the storage is unreachable for a moment. @throws the signal's reason, or the last error
 */
export async function withRetries<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (const waitMs of [...waitsMs, null]) {
    try {
      signal.throwIfAborted()
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (waitMs === null || !isPassing(error)) throw error
      await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
  throw new Error('There is always a last try.')
}
