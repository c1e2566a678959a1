import { Elysia } from 'elysia'
import { authHooks } from '../../auth/hooks'
import { type Actor, canNameUsers } from '../../auth/identity/actor'
import { outsideOfScopes } from '../../db/pool/scope'
import { createSemaphore } from '../../db/pool/semaphore'
import type { Deps } from '../../deps'
import { infoOf } from '../../http/request/request-info'
import { pathOf, searchOf } from '../../http/request/url'
import { madeFileDisposition } from '../../http/response/content-disposition'
import { streamHead } from '../../http/response/stream-head'
import { translatable } from '../../messages/message'
import { parseQuery } from '../../records/query/parse/query'
import { planRead } from '../../records/query/plan/read'
import type { PlannedOutput } from '../../records/query/plan/types'
import { requireReadable } from '../../records/store/rights'
import { getTable, tablesFor } from '../../tables/catalog/catalog'
import { readWithCurrentTables } from '../../tables/catalog/stale-definitions'
import type { Table } from '../../tables/model'
import { workbookMediaType } from '../../xlsx/media-type'
import { describeExport, describeExportState, describeWorkbookExport } from '../description'
import { csvFormat } from './csv-format'
import { startExport } from './export'
import type { ExportFormat } from './export-format'
import { beginExport, type ExportOutcome, ExportView, endExport, getExport } from './log'
import { type ExportOptions, type FileKind, readExportQuery } from './options'
import type { Reader } from './people'
import { cellsStatement } from './statement'
import { workbookFormat } from './workbook-format'

/** How long an export may wait for its turn. */
const exportWaitMs = 5000

export const exportRoutes = (deps: Deps) => {
  const { db, catalog, config, events } = deps
  const gate = createSemaphore(config.exportConcurrency, exportWaitMs, translatable('Too many exports are running right now.'))
  const limits = { wholeMs: config.transferTimeoutMs, firstMs: config.queryTimeoutMs, idleMs: config.transferIdleMs }

  const planned = async (actor: Actor, table: Table, kind: FileKind, request: Request) => {
    const { options, pairs } = readExportQuery(searchOf(request.url), kind)
    const tables = await tablesFor(catalog, actor)
    const plan = planRead(tables, table, parseQuery(pairs, 'native'))
    const reader = options.people && { ...options.people, tables, canNameUsers: canNameUsers(actor), hasNumberFormats: kind === 'xlsx' }
    return {
      statement: cellsStatement(plan, options.isEscaped, deps.config.publicUrl, reader),
      format: formatOf[kind](table, plan.outputs, options, reader),
    }
  }

  const recordEnd = async (id: string, startedAt: number, outcome: ExportOutcome) => {
    const ending = outcome.state === 'complete' ? 'ok' : outcome.state
    events.emit({ kind: 'job_ended', job: 'export', outcome: ending, durationMs: performance.now() - startedAt })
    // Allowed even after the request has ended.
    await outsideOfScopes(() => endExport(db, id, outcome)).catch((failure) =>
      events.emit({ kind: 'background_failed', task: 'recording an export', error: failure }),
    )
  }

  const exported = async (actor: Actor, tableId: string, kind: FileKind, request: Request): Promise<Response> => {
    const table = await getTable(catalog, actor, tableId)
    requireReadable(table)
    const asked = await planned(actor, table, kind, request)
    if (request.method === 'HEAD') return streamHead(exportHeaders(table, kind))
    const id = await beginExport(db, actor.user.id, table.id)
    events.emit({ kind: 'job_started', job: 'export' })
    const startedAt = performance.now()
    const endBody = async (outcome: ExportOutcome, error?: unknown) => {
      // Bytes that were sent still have time to arrive, but a reader that accepts nothing no longer holds the
      // connection.
      infoOf(request).closeWhenIdle(outcome.state === 'complete' ? limits.idleMs : brokenOffMs)
      if (error) {
        const { id: requestId } = infoOf(request)
        events.emit({ kind: 'request_failed', requestId, method: request.method, path: pathOf(request.url), error })
      }
      await recordEnd(id, startedAt, outcome)
    }
    // The query has its own time limit, whose error explains what took so long.
    infoOf(request).takeTime(limits.wholeMs + exportWaitMs)
    try {
      const body = await startExport(db, gate, { ...asked, limits, caller: actor.user.id, signal: request.signal }, endBody)
      return new Response(body, { headers: { ...exportHeaders(table, kind), 'x-export-id': id } })
    } catch (error) {
      await recordEnd(id, startedAt, { state: request.signal.aborted ? 'cancelled' : 'failed', rows: null, bytes: 0, sha256: null })
      // The connection must still carry the error, or the response to a retry.
      infoOf(request).closeWhenIdle(limits.firstMs)
      throw error
    }
  }

  return new Elysia({ name: 'csv/export/routes', prefix: '/api/v1', tags: ['csv'] })
    .use(authHooks(deps))
    .get(
      '/tables/:tableId/export.csv',
      ({ actor, params, request }) =>
        readWithCurrentTables(catalog, actor, (_, current) => exported(current, params.tableId, 'csv', request)),
      { signedIn: 'data', detail: describeExport },
    )
    .get(
      '/tables/:tableId/export.xlsx',
      ({ actor, params, request }) =>
        readWithCurrentTables(catalog, actor, (_, current) => exported(current, params.tableId, 'xlsx', request)),
      { signedIn: 'data', detail: describeWorkbookExport },
    )
    .get('/exports/:id', async ({ actor, params }) => getExport(db, actor, params.id, limits.wholeMs), {
      signedIn: 'data',
      response: ExportView,
      detail: describeExportState,
    })
}

/** The time for the other end to notice that the connection breaks. */
const brokenOffMs = 2000

type ToFormat = (table: Table, outputs: readonly PlannedOutput[], options: ExportOptions, reader: Reader | null) => ExportFormat

const formatOf: Record<FileKind, ToFormat> = {
  csv: (_, outputs, options) =>
    csvFormat(
      outputs.map(({ name }) => name),
      options,
    ),
  xlsx: ({ name }, outputs, _, reader) => workbookFormat(name, outputs, reader!),
}

const mediaTypes: Record<FileKind, string> = { csv: 'text/csv; charset=utf-8; header=present', xlsx: workbookMediaType }

const exportHeaders = ({ name }: Table, kind: FileKind) => ({
  'content-type': mediaTypes[kind],
  'content-disposition': madeFileDisposition('attachment', name, kind),
})
