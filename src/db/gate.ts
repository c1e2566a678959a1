import { unavailable } from '../errors'

export type Gate = {
  /** Waits for a place. @returns how to give it back, once. @throws Failure unavailable when none became free in time */
  enter: () => Promise<() => void>
}

/** Nobody waits behind more than this. */
const longestQueue = 32

/** Lets `width` through at a time; who comes too many waits `waitMs`, in order, and is then told to come back. */
export function createGate(width: number, waitMs: number, busy: string): Gate {
  let inside = 0
  const waiting: (() => void)[] = []
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else inside--
  }
  const once = () => {
    let isOut = false
    return () => {
      if (!isOut) leave()
      isOut = true
    }
  }
  const wait = () =>
    new Promise<void>((done, refuse) => {
      if (waiting.length >= longestQueue) return refuse(unavailable(busy, retryAfterS))
      const go = () => {
        clearTimeout(timer)
        done()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(go), 1)
        refuse(unavailable(busy, retryAfterS))
      }, waitMs)
      waiting.push(go)
    })
  return {
    enter: async () => {
      if (inside < width) inside++
      else await wait()
      return once()
    },
  }
}

const retryAfterS = 10
