import { ApiError } from './api-error'
import { api, unwrap } from './client'
import { requestSessionEnd } from './queries'
import { setSignedIn } from './session-expiry'

/**
 * Whether the user is signing out. Their page can stop them, and saves its changes as long as the session lives; so the
 * way to the sign-in page ends it.
 */
let isSigningOut = false

export function beginSignOut() {
  isSigningOut = true
}

/** @returns why the session goes on */
export async function endOwnSession(): Promise<unknown> {
  if (!isSigningOut) return null
  // An expired session must not open the sign-in dialog here.
  setSignedIn(false)
  try {
    await unwrap(api.auth.logout.post())
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    setSignedIn(true)
    return error
  }
  return null
}

/** Discards what the session has left, when its last page is gone. */
export function finishSignOut() {
  if (isSigningOut) requestSessionEnd()
  isSigningOut = false
}
