import type { WriteOrigin } from '../../db/pool/origin'
import type { Deps } from '../../deps'
import { Failure } from '../../errors'
import { type CallerIds, infoOf } from '../../http/request/request-info'
import { searchOf } from '../../http/request/url'
import { translatable } from '../../messages/message'
import type { RequestCredential } from '../../ops/log/events'
import type { Role, Scope } from '../model'
import { hashSecret } from '../secret'
import type { Lookup } from './actor'
import { type Actor, allTablesNeeded, covers, isAtLeast, resolveActor, roleLacking, scopeLacking, unauthenticated, viewOnly } from './actor'
import { type Credential, readCredential } from './credential'
import { assertNotCrossSite } from './csrf'
import { beginOptimistic, endOptimistic, findOptimisticActor, type OptimisticActor, verifyBeforeAnswering } from './deferred-verification'
import { clearCookie } from './session-cookie'

/**
 * A route's requirements for its caller.
 * `self`: any credential. `data`: tables and records; a token needs `read` for GET and HEAD, or else `write`, and the
 * handler restricts it to its tables.
 * `account`: users, tokens, schema; a token needs `full` and no restriction to tables.
 * `isForViewers`: also for administrators who view the service as another user, who may otherwise only read.
 * `isBackground`: a page sends it without its user, so that it does not keep an idle session alive.
 */
export type Requirement = {
  area: 'self' | 'data' | 'account'
  role?: Role
  cookieOnly?: boolean
  isForViewers?: boolean
  isBackground?: boolean
}

/** Identifies the caller, at most once per request, however many hooks and plugins ask. */
export type Auth = {
  /** Returns the caller. @throws Failure unauthenticated, or the errors of `resolveActor` */
  require: () => Promise<Actor>
  /**
   * Returns the caller, or null without a credential or with an expired cookie; an invalid token is still an error
   * (R9).
   */
  optional: () => Promise<Actor | null>
}

type LookupDeps = Pick<Deps, 'lookup'>

const resolved = new WeakMap<Request, Promise<Actor | null>>()

/**
 * Sets the caller of a request that the service itself made to act for a user. It must have no credential of its own.
 */
export const assumeActor = (request: Request, actor: Actor): void => void resolved.set(request, Promise.resolve(actor))

/** Must wrap the whole app; otherwise no route uses a cached identity. */
export const identityVerification = ({ lookup }: LookupDeps) =>
  verifyBeforeAnswering(lookup, (request) => {
    resolved.delete(request)
    // The first attempt wrote nothing, because its caller was never verified.
    infoOf(request).scope.hasWritten = false
  })

type Kind = { isOptimistic?: boolean; isBackground?: boolean }

function actorOf(deps: LookupDeps, request: Request, kind: Kind = {}): Promise<Actor | null> {
  const cached = resolved.get(request)
  if (cached) return cached
  const lookedUp = findActor(deps, request, kind)
  resolved.set(request, lookedUp)
  return lookedUp
}

async function findActor({ lookup }: LookupDeps, request: Request, { isOptimistic, isBackground }: Kind): Promise<Actor | null> {
  const credential = credentialOf(request)
  const info = infoOf(request)
  info.caller = undefined
  info.credential = undefined
  info.refusal = undefined
  const optimistic = isOptimistic ? beginOptimistic(lookup, request, credential) : null
  if (!optimistic) endOptimistic(request)
  const actor = optimistic ?? (await lookUp(lookup, request, credential, isBackground || isSentInBackground(request)))
  // From here on, statements of this request count towards the caller's share of the connections.
  if (actor) {
    info.scope.caller = actor.user.id
    info.caller = callerIds(actor)
    info.credential = credentialIds(actor)
    info.scope.origin = { ...originOf(actor), plugin: info.scope.origin?.plugin ?? null, requestId: info.id }
  }
  return actor
}

/** Any client may send these headers: they can only keep a session from being extended. A write always extends it. */
const isSentInBackground = ({ method, headers }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  // A page that refreshes itself also loads images, for which it cannot set a header.
  (headers.has('rowhouse-background') || headers.get('sec-fetch-dest') === 'image')

const originOf = ({ user, token, sessionId }: Actor): Pick<WriteOrigin, 'userId' | 'credential'> => {
  const session = sessionId === undefined ? null : ({ kind: 'session', id: sessionId } as const)
  return { userId: user.id, credential: token ? { kind: 'token', id: token.id } : session }
}

/** Null for a caller without a credential, such as the test of plugins. */
const credentialIds = ({ user, token, sessionId, viewedBy }: Actor): RequestCredential | undefined => {
  if (token) return { kind: 'token', id: token.id, userId: user.id }
  return sessionId === undefined ? undefined : { kind: 'session', id: sessionId, userId: viewedBy?.id ?? user.id }
}

export const callerIds = ({ user, token, viewedBy }: Actor): CallerIds => ({ userId: viewedBy?.id ?? user.id, tokenId: token?.id ?? null })

const lookUp = (lookup: Lookup, request: Request, credential: Credential | null, isBackground = false): Promise<Actor | null> =>
  resolveActor(lookup, credential, isBackground).catch((error) => {
    // Recorded for every secret, valid or not: its owner is looked up after the response.
    if (error instanceof Failure && credential && !credential.fault)
      infoOf(request).credential = {
        kind: credential.from === 'cookie' ? 'session' : 'token',
        secretHash: hashSecret(credential.secret),
      }
    // The browser should delete a cookie that is no longer valid (A3).
    if (error instanceof Failure && error.kind === 'invalid_session') {
      throw new Failure(error.kind, error.text, {
        ...error.extras,
        headers: { ...error.extras.headers, 'set-cookie': clearCookie(infoOf(request)) },
      })
    }
    throw error
  })

/**
 * The caller of a read from the identity cache; the read must verify them before the response. Null if `authorize` must
 * decide.
 * @param authorization the header, which takes precedence over every other credential
 * @throws Failure like `authorize`
 */
export function optimisticReader({ lookup }: LookupDeps, request: Request, authorization: string): OptimisticActor | null {
  const actor = findOptimisticActor(lookup, readCredential({ authorization, search: '', cookie: null }))
  if (actor) requireTokenScope(actor, request, { area: 'data' })
  return actor
}

const credentialOf = (request: Request) =>
  readCredential({
    authorization: request.headers.get('authorization'),
    search: searchOf(request.url),
    cookie: request.headers.get('cookie'),
  })

export function authOf(deps: LookupDeps, request: Request): Auth {
  return {
    require: async () => (await actorOf(deps, request)) ?? throwUnauthenticated(),
    optional: () =>
      actorOf(deps, request).catch((error) => {
        if (error instanceof Failure && error.kind === 'invalid_session') return null
        throw error
      }),
  }
}

function throwUnauthenticated(): never {
  throw unauthenticated()
}

/**
 * R11: credential, then CSRF, then role and scope.
 * @param isOptimistic whether every statement of the route verifies the caller, so that a cached identity may be used
 * @throws Failure
 */
export async function authorize(deps: LookupDeps, request: Request, requirement: Requirement, isOptimistic = false): Promise<Actor> {
  const actor = (await actorOf(deps, request, { isOptimistic, isBackground: requirement.isBackground })) ?? throwUnauthenticated()
  if (requirement.cookieOnly && actor.via !== 'cookie') {
    throw new Failure('session_required', translatable('This requires a browser session; an API token cannot do it.'), {
      hint: translatable('To revoke a token, send {request}.', { request: 'DELETE /api/v1/auth/tokens/{id}' }),
    })
  }
  if (actor.via === 'cookie') requireSameSite(request)
  if (actor.viewedBy && !requirement.isForViewers && !['GET', 'HEAD'].includes(request.method)) throw viewOnly()
  requireTokenScope(actor, request, requirement)
  if (requirement.role && !isAtLeast(actor.user.role, requirement.role)) throw roleLacking(requirement.role)
  return actor
}

/**
 * Authorizes again after a long operation: the token may have been revoked or the role may have changed.
 * @throws Failure like `authorize`
 */
export function reauthorize(deps: LookupDeps, request: Request, requirement: Requirement): Promise<Actor> {
  resolved.delete(request)
  return authorize(deps, request, requirement)
}

/**
 * R9, for a route that authenticates by itself: returns null without a credential or with an expired cookie.
 * @throws Failure like `authorize`
 */
export async function authorizeOptional(deps: LookupDeps, request: Request, requirement: Requirement): Promise<Actor | null> {
  const actor = await authOf(deps, request).optional()
  return actor && authorize(deps, request, requirement)
}

/** @throws Failure csrf_rejected */
export function requireSameSite(request: Request) {
  assertNotCrossSite({
    method: request.method,
    secFetchSite: request.headers.get('sec-fetch-site'),
    origin: request.headers.get('origin'),
    ownOrigin: infoOf(request).origin,
  })
}

function requireTokenScope({ token }: Actor, { method }: Request, { area }: Requirement) {
  if (!token || area === 'self') return
  const needed: Scope = area === 'account' ? 'full' : method === 'GET' || method === 'HEAD' ? 'read' : 'write'
  if (!covers(token.scope, needed)) throw scopeLacking(needed)
  if (area === 'account' && token.tables) throw allTablesNeeded()
}
