import { Elysia } from 'elysia'
import { authHooks } from '../../auth/hooks'
import type { Deps } from '../../deps'
import { reportSchema, SchemaReport } from './report'

export const schemaReportRoutes = (deps: Deps) =>
  new Elysia({ name: 'tables/report/routes', prefix: '/api/v1/schemas', tags: ['tables'] })
    .use(authHooks(deps))
    .get('/:schema/report', ({ params }) => reportSchema(deps.db, params.schema), {
      role: 'admin',
      response: SchemaReport,
      detail: {
        summary: 'Report which tables of a schema can be served, and what prevents the others',
        description: 'Any schema of the database, even if ROWHOUSE_SCHEMAS does not name it yet.',
      },
    })
