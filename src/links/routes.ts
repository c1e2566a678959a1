import { Elysia, t } from 'elysia'
import { auditSourceOf } from '../auth/audit/audit-log'
import { authHooks } from '../auth/hooks'
import { type Actor, allTablesNeeded, covers, isAtLeast, roleLacking, scopeLacking } from '../auth/identity/actor'
import type { Deps } from '../deps'
import { infoOf } from '../http/request/request-info'
import type { CallDeps } from '../plugins/call'
import { type LoadedPlugins, wholePlugins } from '../plugins/load/loaded'
import { readKey, writeKey } from '../records/store/key'
import { getTable, tablesFor } from '../tables/catalog/catalog'
import { CreatedLink, LinkFilter, NewLink, ShareLink } from './model'
import { createNamedLink } from './new-link'
import { listLinks, revokeLink, toShareLink } from './service'

export const linkRoutes = (deps: Deps & CallDeps, loaded: LoadedPlugins) => {
  const { db, catalog } = deps
  const plugins = wholePlugins(loaded)
  return new Elysia({ name: 'links/routes', prefix: '/api/v1/links', tags: ['links'] })
    .use(authHooks(deps))
    .post(
      '/',
      async ({ actor, body, request, status }) => {
        const { secret, link } = await createNamedLink(deps, plugins, actor, body, request)
        const url = `${infoOf(request).origin}/s/${secret}`
        return status(201, { ...toShareLink(link, await tablesFor(catalog, actor)), url })
      },
      {
        signedIn: 'data',
        body: NewLink,
        response: { 201: CreatedLink },
        detail: {
          summary: 'Create a share link',
          description:
            'To one record, one list, one file or one document, for people without an account. It shows what its issuer may read at each opening.',
        },
      },
    )
    .get('/', async ({ actor, query }) => list(actor, query), {
      signedIn: 'data',
      query: LinkFilter,
      response: t.Object({ links: t.Array(ShareLink), nextCursor: t.Nullable(t.String()) }),
      detail: { summary: 'List share links', description: 'Your own links, newest first. Links that have ended are listed for a month.' },
    })
    .delete(
      '/:id',
      async ({ actor, params, request, set }) => {
        await revokeLink(db, actor, params.id, canSeeAll(actor), auditSourceOf(request, actor))
        set.status = 204
      },
      {
        signedIn: 'data',
        params: t.Object({ id: t.String({ format: 'uuid' }) }),
        detail: { summary: 'Revoke a share link', description: 'Your own links; administrators can also revoke links of others.' },
      },
    )

  async function list(actor: Actor, { all = false, table, pk, limit = 100, cursor }: LinkFilter) {
    if (all) requireAllLinks(actor)
    const named = table === undefined ? null : await getTable(catalog, actor, table)
    const { links, nextCursor } = await listLinks(db, {
      userId: all ? null : actor.user.id,
      token: actor.token,
      tableId: named?.id ?? null,
      recordKey: named && pk !== undefined ? writeKey(readKey(named, pk)) : null,
      limit,
      cursor: cursor ?? null,
    })
    const tables = await tablesFor(catalog, actor)
    return { links: links.map((link) => toShareLink(link, tables)), nextCursor }
  }
}

/** Only administrators manage the links of others, like users: a token needs the scope `full`, for all tables. */
const canSeeAll = ({ user, token }: Actor): boolean =>
  isAtLeast(user.role, 'admin') && (!token || (covers(token.scope, 'full') && !token.tables))

/** @throws Failure forbidden, insufficient_scope */
function requireAllLinks(actor: Actor): void {
  const { user, token } = actor
  if (!isAtLeast(user.role, 'admin')) throw roleLacking('admin')
  if (token && !covers(token.scope, 'full')) throw scopeLacking('full')
  if (token?.tables) throw allTablesNeeded()
}
