import { Elysia, t } from 'elysia'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { getTable, visibleTables } from './catalog'
import { NewTable, Table } from './model'
import { createTable } from './service'

export const tableRoutes = (deps: Deps) =>
  new Elysia({ name: 'tables/routes', prefix: '/api/v1/tables', tags: ['tables'] })
    .use(authHooks(deps))
    .get('/', async ({ actor }) => ({ tables: await visibleTables(deps.catalog, actor) }), {
      signedIn: 'data',
      response: t.Object({ tables: t.Array(Table) }),
      detail: { summary: 'List the tables with their columns' },
    })
    .post('/', async ({ body, status }) => status(201, await createTable(deps.db, body as NewTable)), {
      role: 'admin',
      body: NewTable,
      response: { 201: Table },
      detail: { summary: 'Make a table', description: 'A real table in the schema `data` of PostgreSQL.' },
    })
    .get('/:tableId', ({ actor, params }) => getTable(deps.catalog, actor, params.tableId), {
      signedIn: 'data',
      response: Table,
      detail: { summary: 'One table with its columns' },
    })
