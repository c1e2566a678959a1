import { Elysia } from 'elysia'
import { authHooks } from '../../auth/hooks'
import { createGate } from '../../db/gate'
import type { Deps } from '../../deps'
import { invalidRequest } from '../../errors'
import { pathOf, searchOf } from '../../http/address'
import { infoOf } from '../../http/request-info'
import { getTable } from '../../tables/catalog'
import { rereadIfStale } from '../../tables/stale'
import { describeImport, describeTableImport } from './description'
import { type ImportResult, importFile, type Progress } from './import'
import { importParameters, readFileOptions, readImportOptions, readParameters, tableParameters } from './import-options'
import { patience, sentFile } from './import-request'
import { eventStream, wantsEvents } from './progress'
import { importTable, type TableImported, type TablePreview } from './table-import'

/** How long one may wait for a place among the imports that run. */
const longestWaitMs = 5000

export const importRoutes = (deps: Deps) => {
  const { db, catalog, config, events } = deps
  const gate = createGate(config.importConcurrency, longestWaitMs, 'Too many imports are running at this moment.')
  const limitMs = config.transferTimeoutMs

  /** Waits for a place, gives the request the time it may take, and answers as the client wants it. */
  const importing = async <Result extends object>(
    request: Request,
    work: (signal: AbortSignal, progress: (state: Progress) => void) => Promise<Result>,
  ): Promise<Response> => {
    const leave = await gate.enter()
    const info = infoOf(request)
    const { signal, end } = patience(request, limitMs)
    info.takeTime(limitMs + longestWaitMs)
    const whole = async (progress: (state: Progress) => void) => {
      try {
        return await work(signal, progress)
      } finally {
        end()
        leave()
        info.closeWhenIdle(config.transferIdleMs)
      }
    }
    if (!wantsEvents(request)) {
      const result = await whole(() => {})
      return Response.json(result, { status: isMade(result) ? 201 : 200 })
    }
    return eventStream(info.id, whole, (error) =>
      events.emit({ kind: 'request_failed', requestId: info.id, method: request.method, path: pathOf(request.url), error }),
    )
  }

  return new Elysia({ name: 'records/csv/import-routes', prefix: '/api/v1/tables', tags: ['csv'] })
    .use(authHooks(deps))
    .post(
      '/import',
      async ({ actor, request }) => {
        const parameters = readParameters(searchOf(request.url), tableParameters)
        const asked = readFileOptions(parameters)
        return importing<TablePreview | TableImported>(request, async (signal, progress) => {
          const file = await sentFile(request, { mostBytes: config.maxUploadBytes, idleMs: config.transferIdleMs, signal })
          const said = (name: string) => parameters.get(name) ?? file.fields.get(name)
          const name = said('name')
          if (name === undefined) throw invalidRequest('The parameter "name" has to name the new table.')
          const options = { ...asked, encoding: asked.encoding ?? file.encoding, hasHeader: file.hasHeader ?? asked.hasHeader }
          const job = { actor, name, wishes: said('columns'), options, source: file.source, limitMs, signal, progress }
          return importTable(db, catalog, job)
        })
      },
      { role: { least: 'admin', body: 'unread' }, detail: describeTableImport },
    )
    .post(
      '/:tableId/import',
      async ({ actor, params, request }) => {
        const table = await getTable(catalog, actor, params.tableId)
        const asked = readImportOptions(readParameters(searchOf(request.url), importParameters))
        return importing<ImportResult>(request, async (signal, progress) => {
          const file = await sentFile(request, { mostBytes: config.maxUploadBytes, idleMs: config.transferIdleMs, signal })
          const options = { ...asked, encoding: asked.encoding ?? file.encoding, hasHeader: file.hasHeader ?? asked.hasHeader }
          try {
            return await importFile(db, table, { actor, options, source: file.source, limitMs, signal, progress })
          } catch (error) {
            await rereadIfStale(catalog, error)
            throw error
          }
        })
      },
      { role: { least: 'editor', body: 'unread' }, detail: describeImport },
    )
}

const isMade = (result: object) => 'table' in result
