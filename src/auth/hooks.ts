import { type DocumentDecoration, Elysia } from 'elysia'
import type { Deps } from '../deps'
import { notFound } from '../errors'
import { afterSlowBody, jsonBodyParser, plainJsonLimit, recordsLimit } from '../http/request/body'
import { translatable } from '../messages/message'
import { auditCsrf } from './audit/audit-csrf'
import type { Actor } from './identity/actor'
import { authOf, authorize, type Requirement, reauthorize, requireSameSite } from './identity/authorize'
import { tokenParameter } from './identity/credential'
import type { Role } from './model'

type HookContext = { request: Request; query: Record<string, unknown>; params: unknown }

/** No later code that reads the query sees the token (docs/authentication.md, R0). */
const forgetToken = ({ query }: HookContext) => void delete query[tokenParameter]

/** A path segment that is not percent-encoded UTF-8 arrives as null, despite its type. */
const requireDecodedPath = ({ params }: HookContext) => {
  if (Object.values(params ?? {}).includes(null)) throw notFound(translatable('No route matches this URL.'))
}

type BodyKind = 'json' | 'records' | 'unread'

/** Elysia treats a value that a hook returns as the response. */
const discardResult = () => {}

/**
 * Adds a route's requirement to its description, for readers of `/swagger/json` and for the test that every route has
 * one.
 */
const describeRequirement = (requirement: Requirement | 'open') => ({ detail: { 'x-needs': requirement } as DocumentDecoration })

/** Describes a route on which a credential is optional. */
export const optionalCredential: Record<string, string[]>[] = [{}, { bearer: [] }, { query: [] }, { session: [] }]

/**
 * Identifies the caller, once per request, and enforces the requirement that each route declares. Every route declares
 * one of: `open` (credentials are ignored, R8), `signedIn`, `background` (signed in, and no use of the session),
 * `role`, `session`, or `optimistic`: signed in, where the caller may come from the identity cache
 * (`auth/identity/deferred-verification.ts`) and `records/store/execute.ts` reads with `actor.cachedIdentity`. A `role`
 * may set `isOptimistic`, where `records/store/writes` writes with `actor.cachedIdentity` or `requireVerified` rejects
 * the request.
 * `test/auth/routes.test.ts` rejects a route without a declaration.
 * With `body: 'unread'` the handler reads the body itself, after all of this; a `'records'` body may be larger than
 * other JSON.
 */
export const authHooks = (deps: Pick<Deps, 'lookup' | 'config' | 'db' | 'events'>) => {
  const json = jsonBodyParser(plainJsonLimit(deps.config))
  const records = jsonBodyParser(recordsLimit(deps.config))

  /** A token or a role may be revoked while a body arrives. */
  const reauthorizeAfterSlowBody = (request: Request, requirement: Requirement) => {
    if (request.body) afterSlowBody(request, () => auditCsrf(deps, request, () => reauthorize(deps, request, requirement)))
  }

  const guardRoute = (
    requirement: Requirement,
    { body = 'json', isOptimistic = false }: { body?: BodyKind; isOptimistic?: boolean } = {},
  ) => ({
    ...describeRequirement(requirement),
    // Checked three times on purpose: `parse` leaves a stranger's body unread, `transform` rejects before validation,
    // `resolve` narrows the type.
    parse:
      body === 'unread'
        ? [() => null]
        : [
            async ({ request }: HookContext) => {
              reauthorizeAfterSlowBody(request, requirement)
              return (await isAuthorized(request, requirement, isOptimistic)) ? undefined : null
            },
            body === 'records' ? records : json,
          ],
    transform: [
      forgetToken,
      ({ request }: HookContext) => {
        if (body === 'unread') reauthorizeAfterSlowBody(request, requirement)
        return auditCsrf(deps, request, () => authorize(deps, request, requirement, isOptimistic)).then(discardResult)
      },
      requireDecodedPath,
    ],
    resolve: async ({ request }: HookContext): Promise<{ actor: Actor }> => ({ actor: await authOf(deps, request).require() }),
  })

  const isAuthorized = (request: Request, requirement: Requirement, isOptimistic: boolean) =>
    authorize(deps, request, requirement, isOptimistic).then(
      () => true,
      () => false,
    )

  const isOwnSite = (request: Request) => {
    try {
      requireSameSite(request)
      return true
    } catch {
      return false
    }
  }

  return new Elysia({ name: 'auth/hooks' })
    .derive({ as: 'scoped' }, ({ request }) => ({ auth: authOf(deps, request) }))
    .macro({
      open: {
        ...describeRequirement('open'),
        parse: [({ request }: HookContext) => (isOwnSite(request) ? undefined : null), json],
        transform: [
          forgetToken,
          ({ request }: HookContext) => auditCsrf(deps, request, async () => requireSameSite(request)),
          requireDecodedPath,
        ],
      },
      signedIn: (options: Requirement['area'] | { area: Requirement['area']; body: 'unread' }) =>
        typeof options === 'string' ? guardRoute({ area: options }) : guardRoute({ area: options.area }, { body: options.body }),
      background: (area: Requirement['area']) => guardRoute({ area, isBackground: true }),
      optimistic: (area: Requirement['area']) => guardRoute({ area }, { isOptimistic: true }),
      role: (options: Role | { least: Role; body?: BodyKind; isOptimistic?: boolean }) => {
        const { least: role, body, isOptimistic } = typeof options === 'string' ? { least: options } : options
        return guardRoute({ area: role === 'admin' ? 'account' : 'data', role }, { body, isOptimistic })
      },
      session: (options: true | { isForViewers: true }) =>
        guardRoute({ area: 'self', cookieOnly: true, ...(options === true ? {} : options) }),
    })
}
