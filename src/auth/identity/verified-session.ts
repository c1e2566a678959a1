import { hashSecret } from '../secret'
import type { Actor } from './actor'
import type { Credential } from './credential'
import type { CachedIdentity } from './identity-check'
import type { Lookup } from './lookup'

type PendingVerification = { identity: CachedIdentity | null }

/** Requests whose answer is held back until it is proven. For a route, nobody is presumed for any other. */
const pendingVerifications = new WeakMap<Request, PendingVerification>()

/**
 * Makes an answer as soon as it is proven who it is for.
 * @returns null where the caller is somebody else by now
 */
export const answerOnceVerified = (lookup: Lookup, identity: CachedIdentity, make: () => Response): Response | Promise<Response | null> =>
  identity.state === 'verified' ? make() : isVerified(lookup, identity).then((isIdentityVerified) => (isIdentityVerified ? make() : null))

export type OptimisticActor = Actor & { cachedIdentity: CachedIdentity }

/** Who calls by what is known of them, which is to be proven; null for finding that out first. Only for tokens in the header: scripts come in floods, people do not. */
export function findOptimisticActor(lookup: Lookup, credential: Credential | null): OptimisticActor | null {
  if (credential?.from !== 'bearer' || credential.fault) return null
  const caller = lookup.findCached(hashSecret(credential.secret))
  if (!caller) return null
  const { user, token, catalogVersion } = caller.actor
  return { user, token, catalogVersion, via: 'bearer', cachedIdentity: { version: caller.identityVersion, state: 'pending' } }
}

/** As `presume`, for a request whose answer `verifyBeforeAnswering` holds back until it is proven. */
export function beginOptimistic(lookup: Lookup, request: Request, credential: Credential | null): Actor | null {
  const pending = pendingVerifications.get(request)
  const actor = pending ? findOptimisticActor(lookup, credential) : null
  if (actor) pending!.identity = actor.cachedIdentity
  return actor
}

type Answering = (request: Request) => Response | Promise<Response>

/**
 * Lets an answer go once it is proven that the caller is who was presumed: by the statement that read or wrote for it, or else by a look-up. If they
 * are not, the answer is thrown away, whatever it is, and the request starts over: nothing has been written for it, as a write is proven by the
 * statement that does it, or not done. Where nobody knows whether it was done, it is not done again.
 * @param startOver forgets who called
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

/** A look-up that fails proves nothing; the next one will say what is wrong. */
const isCurrent = (lookup: Lookup, { version }: CachedIdentity): Promise<boolean> =>
  lookup.token(secretHashOf(version), 'bearer').then(
    (caller) => caller?.identityVersion === version,
    () => false,
  )

const secretHashOf = (version: string) => version.slice(0, version.indexOf('.'))
