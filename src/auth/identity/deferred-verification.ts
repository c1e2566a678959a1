import { hashSecret } from '../secret'
import type { Actor, Lookup } from './actor'
import type { Credential } from './credential'
import type { CachedIdentity } from './identity-check'

/**
 * When a token is revoked, or its user disabled, between two statements of one request:
 * - By default the caller is looked up once per request. Later statements of the request do not check the caller again;
 *   the next request is refused.
 * - A cached identity replaces the lookup on some routes. Each statement that reads or writes with it also verifies it.
 *   If verification fails, the response is discarded and the request starts over with a lookup (this file). Once a
 *   statement has verified the identity, statements that verify nothing may follow (`requireVerified`).
 * - A long body gives much time for a change. `reauthorize` looks the caller up again after a slow body, after the file
 *   of an import has arrived and before its records are written, and after an upload of files.
 */

type PendingVerification = { identity: CachedIdentity | null }

/**
 * Requests whose response is held back until the caller is verified. No other request uses a cached identity on a
 * route.
 */
const pendingVerifications = new WeakMap<Request, PendingVerification>()

/**
 * Makes a response once the caller is verified.
 * @returns null when the cached identity is no longer current
 */
export const respondWhenVerified = (lookup: Lookup, identity: CachedIdentity, make: () => Response): Response | Promise<Response | null> =>
  identity.state === 'verified' ? make() : isVerified(lookup, identity).then((isIdentityVerified) => (isIdentityVerified ? make() : null))

export type OptimisticActor = Actor & { cachedIdentity: CachedIdentity }

/**
 * The caller from the identity cache, to be verified later; null if a lookup must come first.
 * Only for tokens in the header: scripts send many requests at once, people do not.
 */
export function findOptimisticActor(lookup: Lookup, credential: Credential | null): OptimisticActor | null {
  if (credential?.from !== 'bearer' || credential.fault) return null
  const caller = lookup.findCached(hashSecret(credential.secret))
  if (!caller) return null
  const { user, token, catalogVersion } = caller.actor
  return {
    user,
    token,
    catalogVersion,
    via: 'bearer',
    cachedIdentity: { version: caller.identityVersion, userId: user.id, state: 'pending' },
  }
}

/**
 * Like `findOptimisticActor`, for a request whose response `verifyBeforeAnswering` holds back until the caller is
 * verified.
 */
export function beginOptimistic(lookup: Lookup, request: Request, credential: Credential | null): Actor | null {
  const pending = pendingVerifications.get(request)
  const actor = pending ? findOptimisticActor(lookup, credential) : null
  if (actor) pending!.identity = actor.cachedIdentity
  return actor
}

/** A lookup has verified the caller: the response need not wait, and the request must not start over after a write. */
export function endOptimistic(request: Request): void {
  const pending = pendingVerifications.get(request)
  if (pending) pending.identity = null
}

type Answering = (request: Request) => Response | Promise<Response>

/**
 * Sends a response once the cached identity is verified, either by the statement that read or wrote for the request or
 * by a lookup. If verification fails, the response is discarded and the request starts over. This is safe: a write
 * verifies the caller in the same statement, so an unverified write changed nothing. A write with an unknown outcome is
 * not repeated.
 * @param startOver forgets the caller of the request
 */
export const verifyBeforeAnswering =
  (lookup: Lookup, startOver: (request: Request) => void) =>
  (answer: Answering): Answering =>
  async (request) => {
    const pending: PendingVerification = { identity: null }
    pendingVerifications.set(request, pending)
    const answered = await answer(request)
    if (!pending.identity || (await isVerified(lookup, pending.identity))) return answered
    pendingVerifications.delete(request)
    startOver(request)
    return answer(request)
  }

async function isVerified(lookup: Lookup, identity: CachedIdentity): Promise<boolean> {
  if (identity.state === 'verified' || identity.state === 'unknown') return true
  return identity.state === 'pending' && isCurrent(lookup, identity)
}

/** A lookup that fails verifies nothing; the lookup of the restarted request reports the error. */
const isCurrent = (lookup: Lookup, { version }: CachedIdentity): Promise<boolean> =>
  lookup.token(secretHashOf(version), 'bearer').then(
    (caller) => caller?.identityVersion === version,
    () => false,
  )

const secretHashOf = (version: string) => version.slice(0, version.indexOf('.'))
