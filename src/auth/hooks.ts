import { type DocumentDecoration, Elysia } from 'elysia'
import type { Deps } from '../deps'
import { notFound } from '../errors'
import { afterSlowBody, plainJsonLimit, readJson, recordsLimit } from '../http/body'
import { tellRejection } from './audit/audit-csrf'
import type { Actor } from './identity/actor'
import { admit, admitAgain, authOf, type Need, refuseForeignSite } from './identity/authorize'
import { tokenParameter } from './identity/credential'
import type { Role } from './model'

type Context = { request: Request; query: Record<string, unknown>; params: unknown }

/** SECURITY.md 1.4: nothing behind this looks at the query and sees the token. */
const forgetToken = ({ query }: Context) => void delete query[tokenParameter]

/** A part of the path that is not percent-encoded UTF-8 arrives as null, whatever its type says. */
const refuseUnreadable = ({ params }: Context) => {
  if (Object.values(params ?? {}).includes(null)) throw notFound('There is nothing at this address.')
}

type BodyKind = 'json' | 'records' | 'unread'

/** What a hook returns would be taken for the answer. */
const nothing = () => {}

/** What a route demands, in its description: for the reader of `/swagger/json`, and for the test that no route leaves it out. */
const stated = (need: Need | 'open') => ({ detail: { 'x-needs': need } as DocumentDecoration })

/**
 * Finds out who is calling, once per request, and holds what each route says it needs. Every route says one of:
 * `open` (credentials are ignored, R8), `signedIn`, `role`, `session`, or `presumed`: signed in, where the answer may be made before that is
 * proven (`auth/identity/verified-session.ts`), and what it reads is read by `records/store/execute.ts` with `actor.presumed`. So may a `role` with `mayPresume`, where all that is
 * written is written by `records/store/batched-writes.ts` with `actor.presumed`, or is refused by `holdProven`. `test/auth/routes.test.ts` refuses a route that says nothing.
 * With `body: 'unread'` the handler reads the body itself, behind all of this; one of `'records'` may be larger than other JSON.
 */
export const authHooks = (deps: Pick<Deps, 'lookup' | 'config' | 'db' | 'events'>) => {
  const json = readJson(plainJsonLimit(deps.config))
  const records = readJson(recordsLimit(deps.config))

  /** A token may be revoked, and a role taken away, while a body comes in. */
  const askAgain = (request: Request, need: Need) => {
    if (request.body) afterSlowBody(request, () => tellRejection(deps, request, () => admitAgain(deps, request, need)))
  }

  const needs = (need: Need, { body = 'json', mayPresume = false }: { body?: BodyKind; mayPresume?: boolean } = {}) => ({
    ...stated(need),
    // Three times on purpose: `parse` leaves a stranger's body unread, `transform` refuses before validation, `resolve` narrows the type.
    parse:
      body === 'unread'
        ? [() => null]
        : [
            async ({ request }: Context) => {
              askAgain(request, need)
              return (await isAdmitted(request, need, mayPresume)) ? undefined : null
            },
            body === 'records' ? records : json,
          ],
    transform: [
      forgetToken,
      ({ request }: Context) => {
        if (body === 'unread') askAgain(request, need)
        return tellRejection(deps, request, () => admit(deps, request, need, mayPresume)).then(nothing)
      },
      refuseUnreadable,
    ],
    resolve: async ({ request }: Context): Promise<{ actor: Actor }> => ({ actor: await authOf(deps, request).require() }),
  })

  const isAdmitted = (request: Request, need: Need, mayPresume: boolean) =>
    admit(deps, request, need, mayPresume).then(
      () => true,
      () => false,
    )

  const isOwnSite = (request: Request) => {
    try {
      refuseForeignSite(request)
      return true
    } catch {
      return false
    }
  }

  return new Elysia({ name: 'auth/hooks' })
    .derive({ as: 'scoped' }, ({ request }) => ({ auth: authOf(deps, request) }))
    .macro({
      open: {
        ...stated('open'),
        parse: [({ request }: Context) => (isOwnSite(request) ? undefined : null), json],
        transform: [
          forgetToken,
          ({ request }: Context) => tellRejection(deps, request, async () => refuseForeignSite(request)),
          refuseUnreadable,
        ],
      },
      signedIn: (wanted: Need['area'] | { area: Need['area']; body: 'unread' }) =>
        typeof wanted === 'string' ? needs({ area: wanted }) : needs({ area: wanted.area }, { body: wanted.body }),
      presumed: (area: Need['area']) => needs({ area }, { mayPresume: true }),
      role: (wanted: Role | { least: Role; body?: BodyKind; mayPresume?: boolean }) => {
        const { least: role, body, mayPresume } = typeof wanted === 'string' ? { least: wanted } : wanted
        return needs({ area: role === 'admin' ? 'account' : 'data', role }, { body, mayPresume })
      },
      session: needs({ area: 'self', cookieOnly: true }),
    })
}
