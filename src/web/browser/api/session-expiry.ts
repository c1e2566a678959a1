/** If the session expires while the user is working, requests wait here until the user signs in again or gives up. */
type PendingSignIn = { result: Promise<boolean>; resolve: (isSignedIn: boolean) => void }

let pending: PendingSignIn | null = null
let hasSession = false
let renewals = 0
const listeners = new Set<() => void>()
const notify = () => {
  for (const listener of listeners) listener()
}

/** Whether a user is signed in in this window. Only then is a rejected session unexpected. */
export function setSignedIn(value: boolean) {
  hasSession = value
}

export const isSignedIn = (): boolean => hasSession

/** The number of renewals. A request remembers it to tell under which session it was sent. */
export const renewalCount = (): number => renewals

/**
 * Asks the user to sign in again, once for all waiting requests.
 * @param sentAfter the renewal count of the request
 * @returns whether there is a new session
 */
export async function requestSignIn(sentAfter: number): Promise<boolean> {
  if (sentAfter < renewals) return true
  if (!pending) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    pending = { result: promise, resolve: resolve }
    notify()
  }
  return pending.result
}

/** Called by the dialog. */
export function resolveSignIn(isSignedIn: boolean) {
  const { resolve: answer } = pending ?? {}
  pending = null
  if (isSignedIn) renewals++
  answer?.(isSignedIn)
  notify()
}

export const isSessionExpired = (): boolean => pending !== null

export function subscribeToSessionExpiry(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
