import type { RequestScope } from '../db/scope'
import type { RequestCredential, RequestRefusal } from '../ops/events'
import type { Peer } from './peer'
import type { FindRoute } from './route-finder'
import type { CorsGrant } from './security'

export type CallerIds = { userId: string; tokenId: string | null }

/** What the server knows of a request before any route does. */
export type RequestInfo = Peer & {
  id: string
  /**
   * Lets this request take longer than others: from now on only the route's own limits end it, and in any case this
   * one.
   */
  takeTime: (limitMs: number) => void
  /**
   * Lets it take as long as work that has a limit of its own and reads `call.signal`, and leaves it to that work what a
   * client that leaves means.
   */
  takeTimeFor: (ownLimitMs: number) => void
  /**
   * The end of that: the connection is closed when nothing moves on it for so long (at most 255 s), however much is
   * still to be sent.
   */
  closeWhenIdle: (idleMs: number) => void
  /** For a HEAD, the length of the body that a GET would send. Elysia says 0 where there is none to measure. */
  headLength?: number
  /** Who is calling, once that is known. For the access log: it is no proof. */
  caller?: CallerIds | undefined
  /** What the caller brought, and why it was refused. For its owner: `auth/refusals`. */
  credential?: RequestCredential | undefined
  refusal?: RequestRefusal | undefined
  /** What the answer says to pages of other sites; nothing where they are not spoken of. */
  cors?: CorsGrant
  /** Of the app that answers. */
  findRoute?: FindRoute
  /**
   * What is done in the database for it; ends with the request's time, and for one that reads when its client leaves.
   */
  readonly scope: RequestScope
}

const infos = new WeakMap<Request, RequestInfo>()

export const rememberInfo = (request: Request, info: RequestInfo) => void infos.set(request, info)

/** @throws Error when the request did not come through `http/serve.ts`; that is a mistake in the code */
export function infoOf(request: Request): RequestInfo {
  const info = infos.get(request)
  if (!info) throw new Error('A request without an id: it did not come through the server.')
  return info
}
