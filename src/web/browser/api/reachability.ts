import { ApiError } from './api-error'

const transientCodes: (string | undefined)[] = [undefined, 'unavailable', 'outcome_unknown']

/**
 * Whether a request failed because the service is down, restarting or overloaded, or because the same request is still
 * in progress. Such a request can be retried.
 */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.code === 'request_in_progress' || ([502, 503, 504].includes(error.status) && transientCodes.includes(error.code))
    : error instanceof TypeError

const [minDelayMs, maxDelayMs] = [1000, 10_000]

let pending: Promise<void> | null = null

/** Polls until the service responds. All callers share one poll. */
export function waitUntilReachable(): Promise<void> {
  pending ??= pollReadiness().finally(() => {
    pending = null
  })
  return pending
}

async function pollReadiness() {
  for (let pauseMs = minDelayMs; ; pauseMs = Math.min(pauseMs * 2, maxDelayMs)) {
    await delay(pauseMs)
    const answer = await fetch('/readyz', { cache: 'no-store' }).catch(() => null)
    if (answer?.ok) return
  }
}

/** Ends early when the browser goes online. */
function delay(pauseMs: number): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(end, pauseMs)
    function end() {
      clearTimeout(timer)
      window.removeEventListener('online', end)
      done()
    }
    window.addEventListener('online', end)
  })
}
