import { Elysia, t } from 'elysia'
import type { Deps } from '../../deps'
import type { Root } from '../../http/server/health'
import { authHooks } from '../hooks'
import { listRefusals, RefusalFilter, RefusalPage } from './list'

const Id = t.Object({ id: t.String({ format: 'uuid' }) })
const description =
  'The 401 and 403 of the last 7 days, newest first, for its owner and for administrators. The caller itself gets only the code.'

/** Mounted twice, like `authRoutes`. */
export const refusalRoutes = <Prefix extends Root>(deps: Deps, prefix: Prefix) => {
  const list = async (...args: Parameters<typeof listRefusals> extends [unknown, ...infer Rest] ? Rest : never) => {
    await deps.refusals.flush()
    return listRefusals(deps.db, ...args)
  }
  return new Elysia({ name: `auth/refusals/routes${prefix}`, prefix: `${prefix}/auth` as const, tags: ['auth'] })
    .use(authHooks(deps))
    .get('/tokens/:id/refusals', ({ actor, params, query }) => list(actor, 'token', params.id, query), {
      signedIn: 'account',
      params: Id,
      query: RefusalFilter,
      response: RefusalPage,
      detail: { summary: 'List the refused requests of an API token', description },
    })
    .get('/sessions/:id/refusals', ({ actor, params, query }) => list(actor, 'session', params.id, query), {
      signedIn: 'account',
      params: Id,
      query: RefusalFilter,
      response: RefusalPage,
      detail: { summary: 'List the refused requests of a session', description },
    })
}
