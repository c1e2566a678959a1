/** A session that has ended while somebody works: calls wait here until they have signed in again, or given up. */
type Waiting = { done: Promise<boolean>; settle: (isSignedIn: boolean) => void }

let waiting: Waiting | null = null
let isWorking = false
let renewals = 0
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

/** Whether somebody is signed in in this window; only then a refused session is a surprise. */
export function setWorking(value: boolean) {
  isWorking = value
}

export const isAtWork = (): boolean => isWorking

/** How often somebody has signed in again: under which session a request is sent. */
export const renewalCount = (): number => renewals

/** Asks to sign in again, once for all calls that wait. @param sentAfter so many renewals @returns whether they did, or had done so by now */
export async function signInAgain(sentAfter: number): Promise<boolean> {
  if (sentAfter < renewals) return true
  if (!waiting) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    waiting = { done: promise, settle: resolve }
    tell()
  }
  return waiting.done
}

/** Called by the dialog. */
export function settle(isSignedIn: boolean) {
  const { settle: answer } = waiting ?? {}
  waiting = null
  if (isSignedIn) renewals++
  answer?.(isSignedIn)
  tell()
}

export const isExpired = (): boolean => waiting !== null

export function subscribeToExpiry(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
