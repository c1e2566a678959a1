import type { RequestScope } from '../../db/pool/scope'
import type { RequestCredential, RequestRefusal } from '../../ops/log/events'
import type { Peer } from './peer'
import type { FindRoute } from './route-finder'

export type CorsGrant = { origin: string | null }

export type CallerIds = { userId: string; tokenId: string | null }

/** What the server knows about a request before any route handles it. */
export type RequestInfo = Peer & {
  id: string
  /** Lets this request take longer than others: from now on only the route's own limits and this one end it. */
  takeTime: (limitMs: number) => void
  /**
   * Lets the request take as long as its work, which has its own limit and reads `call.signal`. The work also decides
   * what happens when the client disconnects.
   */
  takeTimeFor: (ownLimitMs: number) => void
  /**
   * Ends that exemption: the connection is closed after this long without progress (at most 255 s), however much is
   * still to be sent.
   */
  closeWhenIdle: (idleMs: number) => void
  /** For a HEAD, the length of the body that a GET would send. Elysia says 0 if there is none to measure. */
  headLength?: number
  /** The caller, once identified. For the access log only: it proves nothing. */
  caller?: CallerIds | undefined
  /** The caller's credential and why it was rejected. For its owner: `auth/refusals`. */
  credential?: RequestCredential | undefined
  refusal?: RequestRefusal | undefined
  /** Which origin may read the response: `*` for any, null for none. Absent if it depends on no origin. */
  cors?: CorsGrant
  /** Belongs to the app that answers. */
  findRoute?: FindRoute
  /** Its database work; ends with the request's time limit, and for a read when the client leaves. */
  readonly scope: RequestScope
}

const infos = new WeakMap<Request, RequestInfo>()

export const rememberInfo = (request: Request, info: RequestInfo) => void infos.set(request, info)

/** @throws Error if the request did not come through `http/server/serve.ts`, which is a bug */
export function infoOf(request: Request): RequestInfo {
  const info = infos.get(request)
  if (!info) throw new Error('A request without an id: it did not come through the server.')
  return info
}
