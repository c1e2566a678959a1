import { Elysia, t } from 'elysia'
import { authHooks } from '../../auth/hooks'
import type { Deps } from '../../deps'
import { readWithCurrentTables } from '../../tables/catalog/stale-definitions'
import { ownTable } from '../../tables/definitions/service'
import { previewFormula } from '../store/reads/formula-preview'

const FormulaBody = t.Object(
  { type: t.Literal('formula'), options: t.Record(t.String(), t.Unknown(), { description: 'As for a new column.' }) },
  { additionalProperties: false },
)

const Preview = t.Object({
  options: t.Record(t.String(), t.Unknown(), { description: 'The options that the column would have.' }),
  proposed: t.Object(
    { currency: t.Optional(t.String()), decimals: t.Optional(t.Integer()) },
    { description: 'Display options for a formula of amounts in one currency. A column gets only the options that are sent.' },
  ),
  records: t.Array(t.Object({ name: t.Unknown({ description: 'The value that names the record.' }), value: t.Unknown() }), {
    description: 'The first five records that the caller may read.',
  }),
})

export const previewRoutes = (deps: Deps) =>
  new Elysia({ name: 'records/native/preview-routes', prefix: '/api/v1/tables/:tableId/columns', tags: ['tables'] })
    .use(authHooks(deps))
    .post(
      '/preview',
      ({ actor, body, params }) =>
        readWithCurrentTables(deps.catalog, actor, (tables) =>
          previewFormula(deps.db, tables, ownTable(tables, params.tableId), body.options),
        ),
      {
        role: 'admin',
        body: FormulaBody,
        response: Preview,
        detail: {
          summary: 'Preview the values of a formula',
          description: 'Checks a formula before a column is created or changed. Changes nothing.',
        },
      },
    )
