import { createSemaphore } from '../../db/pool/semaphore'
import { translatable } from '../../messages/message'

const maxQueuedSignIns = 64
const maxQueueMs = 3000

/**
 * Runs at most `width` jobs at a time; rejects a job if it would wait too long or too many are waiting. The caller of a
 * sign-in is not known yet, so all callers wait in one queue.
 */
export function createSignInQueue(width: number) {
  const semaphore = createSemaphore(width, maxQueueMs, translatable('Too many people are signing in right now.'), {
    maxPlacesPerCaller: width,
    maxWaitingPerCaller: maxQueuedSignIns,
    retryAfterS: 2,
  })
  return async <T>(job: () => Promise<T>): Promise<T> => {
    const leave = await semaphore.acquire('')
    try {
      return await job()
    } finally {
      leave()
    }
  }
}
