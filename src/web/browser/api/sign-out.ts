import { ApiError } from './api-error'
import { api, unwrap } from './client'
import { requestSessionEnd } from './queries'
import { setSignedIn } from './session-expiry'

/**
 * Whether the user is signing out. The current page may prevent that, and needs the session to save its changes, so the
 * session ends only on the way to the sign-in page.
 */
let isSigningOut = false

export function beginSignOut() {
  isSigningOut = true
}

/** @returns why the session continues */
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

/** Discards the remains of the session once its last page is closed. */
export function finishSignOut() {
  if (isSigningOut) requestSessionEnd()
  isSigningOut = false
}
