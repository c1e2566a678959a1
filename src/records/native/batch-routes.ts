import { Elysia } from 'elysia'
import { authHooks } from '../../auth/hooks'
import type { Deps } from '../../deps'
import { bodyText } from '../../http/request/body'
import { searchOf } from '../../http/request/url'
import { writeWithCurrentTables } from '../../tables/catalog/stale-definitions'
import { readKeyedRequest, respondOnce } from '../idempotency'
import { Batch } from '../model'
import { rejectUnsupported } from '../query/parameters'
import { parseQuery } from '../query/parse/query'
import { throwWriteFailure } from '../store/errors'
import { type Result, runBatch, writtenTables } from './batch'
import * as described from './description'
import { plainJson } from './responses'

const resultText = ({ status, body, etag }: Result): string => {
  const more = (etag === undefined ? '' : `,"etag":${JSON.stringify(etag)}`) + (body === undefined ? '' : `,"body":${body}`)
  return `{"status":${status}${more}}`
}

export const batchRoutes = (deps: Deps) =>
  new Elysia({ name: 'records/native/batch-routes', prefix: '/api/v1/batch', tags: ['records'] }).use(authHooks(deps)).post(
    '/',
    async ({ actor, body, request }) => {
      const query = parseQuery(searchOf(request.url), 'native')
      rejectUnsupported(query, 'isDryRun')
      const text = bodyText(request)
      return writeWithCurrentTables(deps.catalog, actor, (tables, current) =>
        respondOnce(
          deps.db,
          readKeyedRequest(request, actor, text, tables),
          async (executor) => {
            const results = await runBatch(executor, deps.catalog, current, body, text, query.isDryRun)
            return plainJson(`{"results":[${results.map(resultText).join(',')}]}`, { isDryRun: query.isDryRun })
          },
          (error) => throwWriteFailure(error, ...writtenTables(tables, body)),
        ),
      )
    },
    { role: { least: 'editor', body: 'records' }, body: Batch, detail: described.batch },
  )
