import { Elysia, t } from 'elysia'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { getTable, visibleTables } from './catalog'
import { NewTable, TableView } from './model'
import { createTable } from './service'
import { viewOf } from './view'

export const tableRoutes = (deps: Deps) =>
  new Elysia({ name: 'tables/routes', prefix: '/api/v1/tables', tags: ['tables'] })
    .use(authHooks(deps))
    .get('/', async ({ actor }) => ({ tables: (await visibleTables(deps.catalog, actor)).map(viewOf) }), {
      signedIn: 'data',
      response: t.Object({ tables: t.Array(TableView) }),
      detail: { summary: 'List the tables with their columns' },
    })
    .post('/', async ({ body, status }) => status(201, viewOf(await createTable(deps, body as NewTable))), {
      role: 'admin',
      body: NewTable,
      response: { 201: TableView },
      detail: { summary: 'Make a table', description: 'A real table in the schema `data` of PostgreSQL.' },
    })
    .get('/:tableId', async ({ actor, params }) => viewOf(await getTable(deps.catalog, actor, params.tableId)), {
      signedIn: 'data',
      response: TableView,
      detail: { summary: 'One table with its columns' },
    })
