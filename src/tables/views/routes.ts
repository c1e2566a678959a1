import { Elysia, t } from 'elysia'
import { authHooks } from '../../auth/hooks'
import type { Actor } from '../../auth/identity/actor'
import type { Deps } from '../../deps'
import { getTable, tablesFor } from '../catalog/catalog'
import { ViewSettings } from '../model'
import { NamedView, NamedViewEntry, NamedViewPatch, NewNamedView } from './model'
import { createNamedView, deleteNamedView, getNamedView, listNamedViews, updateNamedView, type ViewCaller } from './named-views'
import { saveViewSettings, viewSettings } from './settings'

const answer = (text: string) => new Response(text, { headers: { 'content-type': 'application/json;charset=utf-8' } })

const described = {
  description: 'An object that only the user interface reads, at most 64 KB.',
  content: { 'application/json': { schema: ViewSettings } },
}

export const viewRoutes = ({ db, catalog, ...deps }: Deps) =>
  new Elysia({ name: 'tables/view-routes', prefix: '/api/v1/tables/:tableId/view', tags: ['tables'] })
    .use(authHooks({ db, ...deps }))
    .get('/', async ({ actor, params }) => answer(await viewSettings(db, actor.user.id, await getTable(catalog, actor, params.tableId))), {
      signedIn: 'data',
      detail: { summary: 'Get the caller’s view of a table', responses: { 200: described } },
    })
    .put(
      '/',
      async ({ actor, params, body }) =>
        answer(await saveViewSettings(db, actor.user.id, await getTable(catalog, actor, params.tableId), body)),
      { signedIn: 'data', body: ViewSettings, detail: { summary: 'Save the caller’s view of a table', responses: { 200: described } } },
    )

const viewId = t.Object({ tableId: t.String(), viewId: t.String({ format: 'uuid' }) })

export const namedViewRoutes = (deps: Deps) => {
  const { db, catalog } = deps
  const callerOf = async (actor: Actor, tableId: string): Promise<ViewCaller> => ({
    ...{ actor, table: await getTable(catalog, actor, tableId) },
    ...{ tables: await tablesFor(catalog, actor), all: await catalog.at(actor.catalogVersion) },
  })
  return new Elysia({ name: 'tables/views/routes', prefix: '/api/v1/tables/:tableId/views', tags: ['tables'] })
    .use(authHooks(deps))
    .get('/', async ({ actor, params }) => ({ views: await listNamedViews(db, await callerOf(actor, params.tableId)) }), {
      signedIn: 'data',
      response: t.Object({ views: t.Array(NamedViewEntry) }),
      detail: { summary: 'List the named views of a table', description: 'The caller’s own views, and those for everyone.' },
    })
    .post(
      '/',
      async ({ actor, params, body, status }) => status(201, await createNamedView(db, await callerOf(actor, params.tableId), body)),
      {
        signedIn: 'data',
        body: NewNamedView,
        response: { 201: NamedView },
        detail: { summary: 'Save a named view', description: 'Editors and administrators can also save views for everyone.' },
      },
    )
    .get('/:viewId', async ({ actor, params }) => getNamedView(db, await callerOf(actor, params.tableId), params.viewId), {
      signedIn: 'data',
      params: viewId,
      response: NamedView,
      detail: { summary: 'Read a named view', description: 'Settings of columns that the caller may not read are left out.' },
    })
    .patch('/:viewId', async ({ actor, params, body }) => updateNamedView(db, await callerOf(actor, params.tableId), params.viewId, body), {
      signedIn: 'data',
      params: viewId,
      body: NamedViewPatch,
      response: NamedView,
      detail: {
        summary: 'Rename or change a named view',
        description: 'A view for everyone needs the role editor and the right to read its columns.',
      },
    })
    .delete(
      '/:viewId',
      async ({ actor, params, set }) => {
        await deleteNamedView(db, await callerOf(actor, params.tableId), params.viewId)
        set.status = 204
      },
      {
        signedIn: 'data',
        params: viewId,
        detail: {
          summary: 'Delete a named view',
          description: 'A view for everyone needs the role editor and the right to read its columns.',
        },
      },
    )
}
