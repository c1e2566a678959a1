import { unavailable } from '../errors'

export type Semaphore = {
  /**
   * Waits for a place.
   * @param caller who asks for it: places and waiting are shared out among callers
   * @param signal of a caller who may leave while waiting
   * @returns how to give the place back, once
   * @throws Failure unavailable when none became free in time, or too many wait; the signal's reason
   */
  acquire: (caller: string, signal?: AbortSignal) => Promise<() => void>
}

/** The maximum number of waiters, in total and for one caller. */
const maxWaiting = 128
const maxWaitingPerCaller = 32

type Waiting = { caller: string; go: () => void }

/**
 * Lets `width` through at a time. One caller never takes the last place beside another one of their own, so that others
 * find one; of those who wait, first comes who has the fewest places, then who had their last one longest ago, then who
 * has waited longest. Who waits for longer than `waitMs` is told to come back.
 */
export function createSemaphore(width: number, waitMs: number, busy: string): Semaphore {
  const mostOfCaller = Math.max(1, width - 1)
  const callers = new Map<string, { held: number; turn: number }>()
  const waiting: Waiting[] = []
  let inside = 0
  let turns = 0
  const heldBy = (caller: string) => callers.get(caller)?.held ?? 0
  const turnOf = (caller: string) => callers.get(caller)?.turn ?? 0
  const mayEnter = (caller: string) => inside < width && heldBy(caller) < mostOfCaller
  const take = (caller: string) => {
    inside++
    callers.set(caller, { held: heldBy(caller) + 1, turn: ++turns })
  }
  const letIn = () => {
    const [next] = waiting
      .filter(({ caller }) => mayEnter(caller))
      .sort(({ caller: one }, { caller: other }) => heldBy(one) - heldBy(other) || turnOf(one) - turnOf(other))
    if (!next) return
    waiting.splice(waiting.indexOf(next), 1)
    take(next.caller)
    next.go()
  }
  const forget = (caller: string) => {
    if (heldBy(caller) === 0 && !waiting.some((each) => each.caller === caller)) callers.delete(caller)
  }
  const leave = (caller: string) => {
    inside--
    callers.set(caller, { held: heldBy(caller) - 1, turn: turnOf(caller) })
    letIn()
    forget(caller)
  }
  const once = (caller: string) => {
    let isOut = false
    return () => {
      if (!isOut) leave(caller)
      isOut = true
    }
  }
  const wait = (caller: string, signal: AbortSignal | undefined) =>
    new Promise<void>((done, refuse) => {
      const isCrowded = waiting.length >= maxWaiting || waiting.filter((each) => each.caller === caller).length >= maxWaitingPerCaller
      if (isCrowded) return refuse(unavailable(busy, retryAfterS))
      const stopWaiting = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const place: Waiting = {
        caller,
        go: () => {
          stopWaiting()
          done()
        },
      }
      const giveUp = (reason: unknown) => {
        stopWaiting()
        waiting.splice(waiting.indexOf(place), 1)
        forget(caller)
        refuse(reason)
      }
      const abort = () => giveUp(signal?.reason)
      const timer = setTimeout(() => giveUp(unavailable(busy, retryAfterS)), waitMs)
      signal?.addEventListener('abort', abort)
      waiting.push(place)
    })
  return {
    acquire: async (caller, signal) => {
      signal?.throwIfAborted()
      if (mayEnter(caller)) take(caller)
      else await wait(caller, signal)
      return once(caller)
    },
  }
}

const retryAfterS = 10
