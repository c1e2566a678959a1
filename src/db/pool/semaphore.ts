import { unavailable } from '../../errors'
import { Message } from '../../messages/message'

export type Semaphore = {
  /**
   * Waits for a place.
   * @param caller the owner of the place: places and waiting time are shared fairly among callers
   * @param signal aborts when the caller leaves while waiting
   * @returns a function that releases the place, once
   * @throws Failure unavailable if no place becomes free in time or too many callers are waiting; the signal's reason
   */
  acquire: (caller: string, signal?: AbortSignal) => Promise<() => void>
  /** Takes a free place and returns the function that releases it; null if there is none. */
  tryAcquire: (caller: string) => (() => void) | null
  /**
   * Waits for a place without a time limit.
   * @param signal ends the waiting
   * @returns rejects with the signal's reason
   * @throws Failure unavailable, at once, when `maxQueued` of the caller are waiting already, or too many in all
   */
  enqueue: (caller: string, signal: AbortSignal, maxQueued: number) => Promise<() => void>
}

/** The message for a caller who found no place. @param isOwn whether the caller already holds a place */
export type BusyMessage = (isOwn: boolean) => Message

/** How much one caller may take, and when a rejected one should retry. */
type SemaphoreLimits = { maxPlacesPerCaller: number; maxWaitingPerCaller: number; retryAfterS: number }

/** A caller who holds a place never takes the last one, so that others find one free. */
const sharedLimits = (width: number): SemaphoreLimits => ({
  maxPlacesPerCaller: Math.max(1, width - 1),
  maxWaitingPerCaller: 32,
  retryAfterS: 10,
})

/** The maximum number of waiters, of all callers together. */
const maxWaiting = 128

type Waiting = { caller: string; isQueued: boolean; go: () => void }

type Patience = { signal?: AbortSignal; waitMs?: number; isQueued: boolean }

/**
 * Lets `width` through at a time. The next waiter is the one whose caller has the fewest places, then whose last place
 * is longest ago, then who has waited longest. After `waitMs` a waiter is rejected and told to retry.
 */
export function createSemaphore(
  width: number,
  waitMs: number,
  busy: Message | BusyMessage,
  { maxPlacesPerCaller, maxWaitingPerCaller, retryAfterS } = sharedLimits(width),
): Semaphore {
  const callers = new Map<string, { held: number; turn: number }>()
  const waiting: Waiting[] = []
  let inside = 0
  let turns = 0
  const heldBy = (caller: string) => callers.get(caller)?.held ?? 0
  const turnOf = (caller: string) => callers.get(caller)?.turn ?? 0
  const mayEnter = (caller: string) => inside < width && heldBy(caller) < maxPlacesPerCaller
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
  const toFailure = (caller: string) => unavailable(busy instanceof Message ? busy : busy(heldBy(caller) > 0), retryAfterS)
  const requireRoom = (caller: string, isQueued: boolean, most: number) => {
    const own = waiting.filter((each) => each.caller === caller && each.isQueued === isQueued)
    if (waiting.length >= maxWaiting || own.length >= most) throw toFailure(caller)
  }
  const wait = (caller: string, { signal, waitMs: limitMs, isQueued }: Patience) =>
    new Promise<void>((done, refuse) => {
      const stopWaiting = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const place: Waiting = {
        caller,
        isQueued,
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
      const timer = limitMs === undefined ? undefined : setTimeout(() => giveUp(toFailure(caller)), limitMs)
      signal?.addEventListener('abort', abort)
      waiting.push(place)
    })
  const enter = async (caller: string, patience: Patience) => {
    patience.signal?.throwIfAborted()
    if (mayEnter(caller)) take(caller)
    else await wait(caller, patience)
    return once(caller)
  }
  return {
    acquire: async (caller, signal) => {
      if (!mayEnter(caller)) requireRoom(caller, false, maxWaitingPerCaller)
      return enter(caller, { signal, waitMs, isQueued: false })
    },
    tryAcquire: (caller) => {
      if (!mayEnter(caller)) return null
      take(caller)
      return once(caller)
    },
    enqueue: (caller, signal, maxQueued) => {
      if (!mayEnter(caller)) requireRoom(caller, true, maxQueued)
      return enter(caller, { signal, isQueued: true })
    },
  }
}
