import { Elysia } from 'elysia'
import type { Deps } from '../deps'
import { readJson } from '../http/limits'
import type { Actor } from './actor'
import { admit, authOf, type Need, refuseForeignSite } from './admission'
import { tokenParameter } from './credential'
import type { Role } from './model'

type Context = { request: Request; query: Record<string, unknown> }

/** SECURITY.md 1.4: nothing behind this looks at the query and sees the token. */
const forgetToken = ({ query }: Context) => void delete query[tokenParameter]

/**
 * Finds out who is calling, once per request, and holds what each route says it needs. Every route says one of:
 * `open` (credentials are ignored, R8), `signedIn`, `role`, `session`. `test/auth/routes.test.ts` refuses a route that says nothing.
 */
export const authHooks = (deps: Pick<Deps, 'lookup' | 'config'>) => {
  const json = readJson(deps.config.maxBodyBytes)

  const needs = (need: Need) => ({
    // Three times on purpose: `parse` leaves a stranger's body unread, `transform` refuses before validation, `resolve` narrows the type.
    parse: [async ({ request }: Context) => ((await isAdmitted(request, need)) ? undefined : null), json],
    transform: [forgetToken, async ({ request }: Context) => void (await admit(deps, request, need))],
    resolve: async ({ request }: Context): Promise<{ actor: Actor }> => ({ actor: await authOf(deps, request).require() }),
  })

  const isAdmitted = (request: Request, need: Need) =>
    admit(deps, request, need).then(
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
        parse: [({ request }: Context) => (isOwnSite(request) ? undefined : null), json],
        transform: [forgetToken, ({ request }: Context) => refuseForeignSite(request)],
      },
      signedIn: (area: Need['area']) => needs({ area }),
      role: (role: Role) => needs({ area: role === 'admin' ? 'account' : 'data', role }),
      session: needs({ area: 'self', cookieOnly: true }),
    })
}
