import { Failure, forbidden } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import type { Role, Scope, User } from '../model'
import { withReason } from '../refusal-reason'
import { hashSecret } from '../secret'
import type { Credential, Transport } from './credential'
import type { CachedIdentity } from './identity-check'

/** The token that the caller sent. `tables` are ids; null means all. */
export type ActorToken = { id: string; name: string; scope: Scope; tables: string[] | null; expiresAt: string | null }

/**
 * The caller. `catalogVersion` comes from the same lookup and shows whether cached tables are current. With
 * `cachedIdentity` the caller comes from the identity cache, and the statements that read or write for it must verify
 * it.
 */
export type Actor = {
  user: User
  via: Transport
  sessionId?: string
  token?: ActorToken
  /** The administrator who views the service as `user`, and cannot change anything meanwhile. */
  viewedBy?: { id: string; name: string }
  catalogVersion: number
  cachedIdentity?: CachedIdentity
}

export const realm = 'Bearer realm="service"'

export const unauthenticated = () =>
  new Failure('unauthenticated', translatable('Sign in, or send an API token.'), {
    hint: translatable('Send Authorization: Bearer <token>, or the session cookie of POST /api/v1/auth/login.'),
    headers: { 'www-authenticate': realm },
  })

export const invalidToken = () =>
  new Failure('invalid_token', translatable('The API token is not valid: it is unknown, revoked, expired or malformed.'), {
    headers: { 'www-authenticate': `${realm}, error="invalid_token"` },
  })

export const invalidSession = () =>
  new Failure('invalid_session', translatable('The session has ended. Sign in again.'), { headers: { 'www-authenticate': realm } })

const insufficientScope = (needed: Message) =>
  new Failure('insufficient_scope', translatable('This token may not do this; it needs {needed}.', { needed }), {
    headers: { 'www-authenticate': `${realm}, error="insufficient_scope"` },
  })

export const scopeLacking = (needed: Scope) =>
  withReason(insufficientScope(translatable('the scope {needed}', { needed })), `scope_lacks_${needed}`)

export const allTablesNeeded = () => withReason(insufficientScope(translatable('access to all tables')), 'all_tables_needed')

/** @param name the table that the token may not access */
export const tableNotAllowed = (name: string) =>
  withReason(insufficientScope(translatable('access to this table')), 'table_not_allowed', name)

export const roleLacking = (role: Role) => withReason(forbidden(translatable('This needs the role {role}.', { role })), 'role_lacks', role)

export const viewOnly = () =>
  withReason(
    new Failure('forbidden', translatable('You are viewing Rowhouse as another user and cannot change anything.'), {
      hint: translatable('To end the view, send {request}.', { request: 'DELETE /api/v1/access/view' }),
    }),
    'view_only',
  )

const repeatedToken = () =>
  new Failure('invalid_request', translatable('The query parameter "token" appears in the URL more than once.'), {
    headers: { 'www-authenticate': `${realm}, error="invalid_request"` },
  })

/**
 * Finds the owner of a secret by its hash. Queries the database for every request, so that every instance rejects a
 * revoked token, an ended session or a disabled user from the next request on, however it was changed
 * (docs/decisions/001). Requests that arrive together share one query. A cached result counts only after the database
 * has confirmed that it is current.
 */
export type Lookup = {
  /** @param isBackground whether the request does not count as a use of the session */
  session: (hash: string, isBackground: boolean) => Promise<Actor | null>
  token: (hash: string, from: 'bearer' | 'query') => Promise<TokenCaller | null>
  /** The token's caller from the identity cache, which must still be verified; null if there is none. */
  findCached: (hash: string) => TokenCaller | null
  /**
   * A user with their current rights, limited to those of a token if one is given: for actions on their behalf without
   * their credential. Null if the user or the token no longer has access.
   */
  issuer: (userId: string, tokenId: string | null) => Promise<Actor | null>
}

/** The caller of a token. As long as the identity version is the same, nothing about the caller has changed. */
export type TokenCaller = { actor: Omit<Actor, 'via'>; identityVersion: string }

/**
 * How each kind of secret may be sent: sessions by cookie only, tokens by header or query only (R0).
 * @throws Failure invalid_session, invalid_token or invalid_request: an invalid credential never counts as an anonymous
 * caller (R2)
 */
export async function resolveActor(lookup: Lookup, credential: Credential | null, isBackground: boolean): Promise<Actor | null> {
  if (!credential) return null
  const { from, secret, fault } = credential
  if (from === 'cookie') return (fault ? null : await lookup.session(hashSecret(secret), isBackground)) ?? throwFailure(invalidSession())
  if (from === 'query' && fault === 'repeated') throw repeatedToken()
  const found = fault ? null : await lookup.token(hashSecret(secret), from)
  return found ? { ...found.actor, via: from } : throwFailure(invalidToken())
}

function throwFailure(failure: Failure): never {
  throw failure
}

const ranks: Record<Role, number> = { viewer: 0, editor: 1, admin: 2 }
export const isAtLeast = (role: Role, minimum: Role): boolean => ranks[role] >= ranks[minimum]

const scopes: Record<Scope, number> = { read: 0, write: 1, full: 2 }
export const covers = (scope: Scope, needed: Scope): boolean => scopes[scope] >= scopes[needed]

/** Whether the caller may see the name for a user id in a record, by the rule of `GET /api/v1/users/names`. */
export const canNameUsers = ({ token }: Pick<Actor, 'token'>): boolean => !token || (token.scope === 'full' && !token.tables)

/** Whether the caller may change tables and their columns, by the requirement of those routes. */
export const canChangeTables = ({ user, token }: Pick<Actor, 'user' | 'token'>): boolean =>
  user.role === 'admin' && (!token || (token.scope === 'full' && !token.tables))
