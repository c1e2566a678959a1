import { Elysia, t } from 'elysia'
import { auditSourceOf } from '../auth/audit/audit-log'
import { authHooks } from '../auth/hooks'
import { type Actor, canChangeTables } from '../auth/identity/actor'
import type { Deps } from '../deps'
import { getTable, visibleTables } from './catalog/catalog'
import { SearchIndexView } from './catalog/search-index-model'
import { readSearchIndex } from './definitions/search-indexes'
import { changeTable, createTable, deleteTable } from './definitions/service'
import { Confirmation, NewTable, TablePatch, TableView } from './model'
import { toTableResponse } from './present'

export const tableRoutes = (deps: Deps) => {
  const allTables = ({ catalogVersion }: Actor) => deps.catalog.at(catalogVersion)
  return new Elysia({ name: 'tables/routes', prefix: '/api/v1/tables', tags: ['tables'] })
    .use(authHooks(deps))
    .get(
      '/',
      async ({ actor }) => {
        const [tables, all] = await Promise.all([visibleTables(deps.catalog, actor), allTables(actor)])
        return { tables: tables.map((table) => toTableResponse(table, actor, all)) }
      },
      {
        signedIn: 'data',
        response: t.Object({ tables: t.Array(TableView) }),
        detail: { summary: 'List the tables with their columns' },
      },
    )
    .post('/', async ({ actor, body, status }) => status(201, toTableResponse(await createTable(deps, body as NewTable), actor)), {
      role: 'admin',
      body: NewTable,
      response: { 201: TableView },
      detail: { summary: 'Create a table', description: 'A real table in the schema `data` of PostgreSQL.' },
    })
    .get(
      '/:tableId',
      async ({ actor, params }) => toTableResponse(await getTable(deps.catalog, actor, params.tableId), actor, await allTables(actor)),
      { signedIn: 'data', response: TableView, detail: { summary: 'Get a table with its columns' } },
    )
    .get(
      '/:tableId/search-index',
      async ({ actor, params }) => readSearchIndex(deps.db, await getTable(deps.catalog, actor, params.tableId), canChangeTables(actor)),
      {
        signedIn: 'data',
        response: SearchIndexView,
        detail: { summary: 'Get the search index of a table and its progress' },
      },
    )
    .patch(
      '/:tableId',
      async ({ actor, params, body, request }) =>
        toTableResponse(await changeTable(deps, params.tableId, body, auditSourceOf(request, actor)), actor, await allTables(actor)),
      {
        role: 'admin',
        body: TablePatch,
        response: TableView,
        detail: {
          summary: 'Rename a table, move it in the sidebar, choose the column that names its records, or index its search',
          description:
            'Its id stays, and links to it stay. Rules of access, share links and forms follow another name. With a `section` and a `position`, one request moves the table in the sidebar; the last move decides.',
        },
      },
    )
    .delete(
      '/:tableId',
      async ({ params, query, set }) => {
        await deleteTable(deps, params.tableId, query.confirm)
        set.status = 204
      },
      {
        role: 'admin',
        query: Confirmation,
        detail: {
          summary: 'Delete a table with its records',
          description: '`confirm` must be the name of the table. Delete links from other tables to it first.',
          responses: { 204: { description: 'The table is deleted.' } },
        },
      },
    )
}
