import { unavailable } from '../errors'
import { Message } from '../messages/message'

export type Semaphore = {
  /**
   * Waits for a place.
   * @param caller who asks for it: places and waiting are shared out among callers
   * @param signal of a caller who may leave while waiting
   * @returns how to give the place back, once
   * @throws Failure unavailable when none became free in time, or too many wait; the signal's reason
   */
  acquire: (caller: string, signal?: AbortSignal) => Promise<() => void>
  /** A place that is free now, and how to give it back; null where there is none. */
  tryAcquire: (caller: string) => (() => void) | null
  /**
   * Waits for a place for as long as it takes.
   * @param signal ends the waiting
   * @returns rejects with the signal's reason
   * @throws Failure unavailable, at once, when `maxQueued` of the caller wait already, or too many do in all
   */
  enqueue: (caller: string, signal: AbortSignal, maxQueued: number) => Promise<() => void>
}

/** What a caller is told who found no place. @param isOwn whether one of the caller's own is inside */
export type BusyMessage = (isOwn: boolean) => Message

/** The maximum number of waiters, in total and for one caller. */
const maxWaiting = 128
const maxWaitingPerCaller = 32

type Waiting = { caller: string; isQueued: boolean; go: () => void }

type Patience = { signal?: AbortSignal; waitMs?: number; isQueued: boolean }

/**
 * Lets `width` through at a time. One caller never takes the last place beside another one of their own, so that others
 * find one; of those who wait, first comes who has the fewest places, then who had their last one longest ago, then who
 * has waited longest. Who waits for longer than `waitMs` is told to come back.
 */
export function createSemaphore(width: number, waitMs: number, busy: Message | BusyMessage): Semaphore {
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

const retryAfterS = 10
