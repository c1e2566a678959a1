import { Elysia } from 'elysia'
import { authHooks } from '../../auth/hooks'
import { createGate } from '../../db/gate'
import type { Deps } from '../../deps'
import { pathOf } from '../../http/address'
import { infoOf } from '../../http/request-info'
import { getTable } from '../../tables/catalog'
import { rereadIfStale } from '../../tables/stale'
import { describeImport } from './description'
import { type ImportResult, importFile, type Progress } from './import'
import { importParameters, readImportOptions, readParameters } from './import-options'
import { patience, sentFile } from './import-request'
import { eventStream, wantsEvents } from './progress'

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
      }
    }
    if (!wantsEvents(request)) return Response.json(await whole(() => {}))
    return eventStream(info.id, whole, (error) =>
      events.emit({ kind: 'request_failed', requestId: info.id, method: request.method, path: pathOf(request.url), error }),
    )
  }

  return new Elysia({ name: 'records/csv/import-routes', prefix: '/api/v1/tables', tags: ['csv'] }).use(authHooks(deps)).post(
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

const searchOf = (url: string) => {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}
