import { Elysia, type TSchema, t } from 'elysia'
import { auditSourceOf } from '../auth/audit/audit-log'
import { authHooks } from '../auth/hooks'
import type { Actor } from '../auth/identity/actor'
import type { Deps } from '../deps'
import { infoOf } from '../http/request/request-info'
import * as describeRecord from '../records/native/description'
import { writtenRecord } from '../records/native/responses'
import { allowedVersions } from '../records/store/etag'
import { rawSegment, readKey } from '../records/store/key'
import { getTable, type Tables } from '../tables/catalog/catalog'
import { readWithCurrentTables, writeWithCurrentTables } from '../tables/catalog/stale-definitions'
import type { Table } from '../tables/model'
import { recordHistory, restoreRecord } from './history'
import { setLogOfTable } from './logged-tables'
import { ChangePage, HistoryQuery, LogSwitch, RequestPage, RestoreQuery, TrashPage, UndoQuery, UndoReport } from './model'
import { listRequests } from './requests'
import { listTrash, restoreDeleted } from './trash'
import { undoRequest } from './undo-request'

/** The position of `{pk}` in `/api/v1/tables/{tableId}/records/{pk}/history`, counted from the first segment. */
const keySegment = 5

const ChangeId = t.String({ pattern: '^\\d{1,18}$' })
const TableParams = t.Object({ tableId: t.String() })
const RecordParams = t.Object({ tableId: t.String(), pk: t.String() })

/** Serialised here, because logged numbers keep all of their digits. */
const answer = (body: unknown) => new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json;charset=utf-8' } })

const answered = (description: string, schema: TSchema) => ({
  responses: { 200: { description, content: { 'application/json': { schema } } } },
})

const describeEarlier = {
  summary: 'Restore earlier values of a record',
  description: 'The values that it had after this change. `If-Match` as with a PATCH. The key, links to many and computed values stay.',
  parameters: describeRecord.remove.parameters,
  responses: { 200: describeRecord.replace.responses[200] },
}

const describeUndeleting = {
  summary: 'Restore a deleted record',
  description: 'With its key, its values, and its links to existing records. 409 if its key or a unique value is taken.',
  responses: { 201: describeRecord.replace.responses[201] },
}

const addressOf = (tableId: string) => `/api/v1/tables/${encodeURIComponent(tableId)}/records`

export const changeRoutes = (deps: Deps) => {
  const { db, catalog, config } = deps
  type Call = { actor: Actor; params: { tableId: string } }
  type Reached = { tables: Tables; table: Table }
  const reading = <Answer>({ actor, params }: Call, work: (reached: Reached) => Promise<Answer>): Promise<Answer> =>
    readWithCurrentTables(catalog, actor, async (tables, current) =>
      work({ tables, table: await getTable(catalog, current, params.tableId) }),
    )
  const writing = <Answer>({ actor, params }: Call, work: (reached: Reached) => Promise<Answer>): Promise<Answer> =>
    writeWithCurrentTables(catalog, actor, async (tables, current) =>
      work({ tables, table: await getTable(catalog, current, params.tableId) }),
    )

  return new Elysia({ name: 'changes/routes', prefix: '/api/v1', tags: ['history'] })
    .use(authHooks(deps))
    .get(
      '/tables/:tableId/records/:pk/history',
      ({ actor, params, query, request }) =>
        reading({ actor, params }, async ({ table, tables }) =>
          answer(await recordHistory(db, tables, table, readKey(table, rawSegment(request.url, keySegment)), query)),
        ),
      {
        signedIn: 'data',
        params: RecordParams,
        query: HistoryQuery,
        detail: {
          summary: 'List the changes of a record, newest first',
          description:
            'Changes of records that the caller may read, or could read until they were deleted, in columns that the caller may read now.',
          ...answered('The changes', ChangePage),
        },
      },
    )
    .post(
      '/tables/:tableId/records/:pk/history/:id/restore',
      ({ actor, params, query, request }) =>
        writing({ actor, params }, async ({ table, tables }) => {
          const key = readKey(table, rawSegment(request.url, keySegment))
          const writer = { tables, userId: actor.user.id, isDryRun: query.dryRun ?? false }
          const change = { key, versions: allowedVersions(request.headers.get('if-match')) }
          const record = await restoreRecord(db, writer, table, change, params.id)
          return writtenRecord(record, addressOf(params.tableId), { isDryRun: writer.isDryRun }, 200)
        }),
      {
        role: 'editor',
        params: t.Object({ tableId: t.String(), pk: t.String(), id: ChangeId }),
        query: RestoreQuery,
        detail: describeEarlier,
      },
    )
    .get(
      '/tables/:tableId/history',
      ({ actor, params, query }) =>
        reading({ actor, params }, async ({ table }) =>
          answer({ logged: table.isLogged, ...(await listRequests(db, table, actor.user.id, query)) }),
        ),
      {
        signedIn: 'data',
        params: TableParams,
        query: HistoryQuery,
        detail: {
          summary: 'List the requests that changed records of a table, newest first',
          description: 'If access rules restrict the table for the caller, only their own requests.',
          ...answered('The requests', RequestPage),
        },
      },
    )
    .put(
      '/tables/:tableId/history',
      async ({ actor, params, body, request, set }) => {
        const table = await getTable(catalog, actor, params.tableId)
        await setLogOfTable({ db, catalog }, table, body.logged, auditSourceOf(request, actor))
        set.status = 204
      },
      {
        role: 'admin',
        params: TableParams,
        body: LogSwitch,
        detail: {
          summary: 'Turn the change log of a table on or off',
          description:
            'On for tables made here, off for others. What was logged stays. A view, a foreign table and a table without a key cannot be logged.',
        },
      },
    )
    .get(
      '/tables/:tableId/trash',
      ({ actor, params, query }) => reading({ actor, params }, async ({ table }) => answer(await listTrash(db, table, query))),
      {
        signedIn: 'data',
        params: TableParams,
        query: HistoryQuery,
        detail: { summary: 'List the deleted records of a table, newest first', ...answered('The records', TrashPage) },
      },
    )
    .post(
      '/tables/:tableId/trash/:id/restore',
      ({ actor, params, query }) =>
        writing({ actor, params }, async ({ table, tables }) => {
          const writer = { tables, userId: actor.user.id, isDryRun: query.dryRun ?? false }
          return writtenRecord(
            await restoreDeleted(db, writer, table, params.id),
            addressOf(params.tableId),
            { isDryRun: writer.isDryRun },
            201,
          )
        }),
      {
        role: 'editor',
        params: t.Object({ tableId: t.String(), id: ChangeId }),
        query: RestoreQuery,
        detail: describeUndeleting,
      },
    )
    .post(
      '/changes/:requestId/undo',
      ({ actor, params, query, request }) => {
        infoOf(request).takeTime(config.transferTimeoutMs)
        return writeWithCurrentTables(catalog, actor, (tables) =>
          undoRequest(deps, { actor, tables, source: auditSourceOf(request, actor) }, params.requestId, query),
        )
      },
      {
        role: 'editor',
        params: t.Object({ requestId: t.String({ minLength: 1, maxLength: 100 }) }),
        query: UndoQuery,
        response: UndoReport,
        detail: {
          summary: 'Undo a request',
          description:
            'All of its changes or none, whatever their number up to 200,000. Refused with 409 and the list `changedSince` where somebody has changed one of the records since. A table that an import created is deleted; if it was used since, only with `confirm`.',
        },
      },
    )
}
