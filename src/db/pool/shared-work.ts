/**
 * Work whose result several callers wait for. `gone` aborts when the last of them has left: work that has not begun by
 * then is no longer needed.
 */
type Work<Result> = (gone: AbortSignal) => Promise<Result>

export type SharedWork<Result> = {
  isRunning: (key: string) => boolean
  /** Begins the work, or joins the callers that are waiting for it. @param signal aborts when this caller leaves */
  join: (key: string, signal: AbortSignal, work: Work<Result>) => Promise<Result>
}

export function createSharedWork<Result>(): SharedWork<Result> {
  const running = new Map<string, { result: Promise<Result>; waiting: number; gone: AbortController }>()

  const begin = (key: string, work: Work<Result>) => {
    const gone = new AbortController()
    const shared = { result: work(gone.signal), waiting: 0, gone }
    running.set(key, shared)
    return shared
  }

  return {
    isRunning: (key) => running.has(key),
    join: async (key, signal, work) => {
      signal.throwIfAborted()
      const shared = running.get(key) ?? begin(key, work)
      const end = () => {
        if (running.get(key) === shared) running.delete(key)
      }
      const leave = () => {
        shared.waiting--
        if (shared.waiting > 0) return
        // The next caller begins again: this work is given up, unless it has begun.
        end()
        shared.gone.abort(signal.reason)
      }
      shared.waiting++
      signal.addEventListener('abort', leave, { once: true })
      try {
        return await shared.result
      } finally {
        signal.removeEventListener('abort', leave)
        end()
      }
    },
  }
}
