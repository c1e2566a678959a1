import { Elysia, t } from 'elysia'
import { auditSourceOf } from '../auth/audit/audit-log'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { languageOf } from '../http/request/language'
import { inLanguage } from '../messages/translation'
import { columnTypeNames, columnTypes } from './column-types'
import { addColumn, changeColumn, deleteColumn, previewChange } from './definitions/columns'
import { ConversionReport } from './definitions/conversion-model'
import { AddedColumn, ColumnPatch, ColumnTypeView, ColumnView, Confirmation, DryRun } from './model'
import { toColumnResponse } from './present'

const changed: object = { anyOf: [ColumnView, ConversionReport] }

export const columnRoutes = (deps: Deps) =>
  new Elysia({ name: 'tables/column-routes', prefix: '/api/v1', tags: ['tables'] })
    .use(authHooks(deps))
    .get('/column-types', () => ({ columnTypes: listColumnTypes() }), {
      signedIn: 'self',
      response: t.Object({ columnTypes: t.Array(ColumnTypeView) }),
      detail: { summary: 'List the column types, with their options and values' },
    })
    .post(
      '/tables/:tableId/columns',
      async ({ params, body, status }) => status(201, toColumnResponse(await addColumn(deps, params.tableId, body as AddedColumn))),
      { role: 'admin', body: AddedColumn, response: { 201: ColumnView }, detail: { summary: 'Add a column' } },
    )
    .patch(
      '/tables/:tableId/columns/:columnId',
      async ({ params, query, body, actor, request }) => {
        const patch = body as ColumnPatch
        if (query.dryRun) return inLanguage(await previewChange(deps, params.tableId, params.columnId, patch), languageOf(request))
        return toColumnResponse(await changeColumn(deps, params.tableId, params.columnId, patch, auditSourceOf(request, actor)))
      },
      {
        role: 'admin',
        query: DryRun,
        body: ColumnPatch,
        detail: {
          summary: 'Rename, retype or move a column, or change its constraints, default, options and description',
          description:
            'With `dryRun=true` nothing is changed, and the answer counts and shows the values that would not fit. Without it, such values are a reason to refuse, unless `onFailure` is `null`. Texts that become links are looked up as names of the linked records; `createLinked` creates those that are missing.',
          responses: {
            200: {
              description: 'The changed column; with `dryRun`, a report about its values.',
              content: { 'application/json': { schema: changed } },
            },
          },
        },
      },
    )
    .delete(
      '/tables/:tableId/columns/:columnId',
      async ({ params, query, set }) => {
        await deleteColumn(deps, params.tableId, params.columnId, query.confirm)
        set.status = 204
      },
      {
        role: 'admin',
        query: Confirmation,
        detail: {
          summary: 'Delete a column with its values',
          description: '`confirm` must be the name of the column.',
          responses: { 204: { description: 'The column is deleted.' } },
        },
      },
    )

/** Everything about the types with which a column can be made, for user interfaces and scripts. */
const listColumnTypes = (): ColumnTypeView[] =>
  columnTypeNames.map((name) => {
    const { description, options, valueSchema, editor, filledBy } = columnTypes[name]
    return { name, description, options, value: valueSchema({}), editor, readOnly: filledBy !== undefined }
  })
