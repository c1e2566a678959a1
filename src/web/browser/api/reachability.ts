import { Refusal } from './api-error'

const passing: (string | undefined)[] = [undefined, 'unavailable', 'outcome_unknown']

/** Whether a call has failed since the service is away, restarts, or is too busy for it: it may be repeated when it is back. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Refusal ? [502, 503, 504].includes(error.status) && passing.includes(error.code) : error instanceof TypeError

const [firstPauseMs, longestPauseMs] = [1000, 10_000]

let waiting: Promise<void> | null = null

/** Asks again and again whether the service is there, once for all who wait. */
export function untilReachable(): Promise<void> {
  waiting ??= askAgain().finally(() => {
    waiting = null
  })
  return waiting
}

async function askAgain() {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    await pause(pauseMs)
    const answer = await fetch('/readyz', { cache: 'no-store' }).catch(() => null)
    if (answer?.ok) return
  }
}

/** Ends at once when the browser is told that it is connected again. */
function pause(pauseMs: number): Promise<void> {
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
