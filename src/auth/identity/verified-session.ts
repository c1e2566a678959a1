import { hashSecret } from '../secret'
import type { Actor } from './actor'
import type { Credential } from './credential'
import type { Presumption } from './identity-check'
import type { Lookup } from './lookup'

type Hold = { presumed: Presumption | null }

/** Requests whose answer is held back until it is proven. For a route, nobody is presumed for any other. */
const held = new WeakMap<Request, Hold>()

/**
 * Makes an answer as soon as it is proven who it is for.
 * @returns null where the caller is somebody else by now
 */
export const onceProven = (lookup: Lookup, presumed: Presumption, make: () => Response): Response | Promise<Response | null> =>
  presumed.state === 'proven' ? make() : mayGo(lookup, presumed).then((isProven) => (isProven ? make() : null))

export type PresumedActor = Actor & { presumed: Presumption }

/** Who calls by what is known of them, which is to be proven; null for finding that out first. Only for tokens in the header: scripts come in floods, people do not. */
export function presume(lookup: Lookup, credential: Credential | null): PresumedActor | null {
  if (credential?.from !== 'bearer' || credential.fault) return null
  const caller = lookup.presume(hashSecret(credential.secret))
  if (!caller) return null
  const { user, token, catalogVersion } = caller.actor
  return { user, token, catalogVersion, via: 'bearer', presumed: { claim: caller.claim, state: 'open' } }
}

/** As `presume`, for a request whose answer `provingCallers` holds back until it is proven. */
export function presumeActor(lookup: Lookup, request: Request, credential: Credential | null): Actor | null {
  const hold = held.get(request)
  const actor = hold ? presume(lookup, credential) : null
  if (actor) hold!.presumed = actor.presumed
  return actor
}

type Answering = (request: Request) => Response | Promise<Response>

/**
 * Lets an answer go once it is proven that the caller is who was presumed: by the statement that read or wrote for it, or else by a look-up. If they
 * are not, the answer is thrown away, whatever it is, and the request starts over: nothing has been written for it, as a write is proven by the
 * statement that does it, or not done. Where nobody knows whether it was done, it is not done again.
 * @param startOver forgets who called
 */
export const provingCallers =
  (lookup: Lookup, startOver: (request: Request) => void) =>
  (answer: Answering): Answering =>
  async (request) => {
    const hold: Hold = { presumed: null }
    held.set(request, hold)
    const answered = await answer(request)
    if (!hold.presumed || (await mayGo(lookup, hold.presumed))) return answered
    held.delete(request)
    startOver(request)
    return answer(request)
  }

async function mayGo(lookup: Lookup, presumed: Presumption): Promise<boolean> {
  if (presumed.state === 'proven' || presumed.state === 'unknown') return true
  return presumed.state === 'open' && holds(lookup, presumed)
}

/** A look-up that fails proves nothing; the next one will say what is wrong. */
const holds = (lookup: Lookup, { claim }: Presumption): Promise<boolean> =>
  lookup.token(hashOf(claim), 'bearer').then(
    (caller) => caller?.claim === claim,
    () => false,
  )

const hashOf = (claim: string) => claim.slice(0, claim.indexOf('.'))
