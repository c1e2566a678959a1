import { Elysia } from 'elysia'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { getTable } from './catalog/catalog'
import { ViewSettings } from './model'
import { saveViewSettings, viewSettings } from './view-settings'

const answer = (text: string) => new Response(text, { headers: { 'content-type': 'application/json;charset=utf-8' } })

const described = {
  description: 'An object of the user interface’s own making, at most 64 KB.',
  content: { 'application/json': { schema: ViewSettings } },
}

export const viewRoutes = ({ db, catalog, ...deps }: Deps) =>
  new Elysia({ name: 'tables/view-routes', prefix: '/api/v1/tables/:tableId/view', tags: ['tables'] })
    .use(authHooks({ db, ...deps }))
    .get('/', async ({ actor, params }) => answer(await viewSettings(db, actor.user.id, await getTable(catalog, actor, params.tableId))), {
      signedIn: 'data',
      detail: { summary: 'How the caller looks at a table', responses: { 200: described } },
    })
    .put(
      '/',
      async ({ actor, params, body }) =>
        answer(await saveViewSettings(db, actor.user.id, await getTable(catalog, actor, params.tableId), body)),
      { signedIn: 'data', body: ViewSettings, detail: { summary: 'Keep how the caller looks at a table', responses: { 200: described } } },
    )
