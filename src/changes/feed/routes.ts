import { Elysia, t } from 'elysia'
import { authHooks } from '../../auth/hooks'
import { reauthorize } from '../../auth/identity/authorize'
import type { Deps } from '../../deps'
import { conflict, invalidRequest } from '../../errors'
import { infoOf } from '../../http/request/request-info'
import { searchOf } from '../../http/request/url'
import { streamHead } from '../../http/response/stream-head'
import { translatable } from '../../messages/message'
import { type Pair, readPairs } from '../../records/query/parse/pairs'
import { requireReadable } from '../../records/store/rights'
import { getTable, tablesFor } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'
import { Change } from '../model'
import { readFeedCursor } from './cursor'
import { type FeedFilter, readFeedFilter, requireReadableValues } from './filter'
import { type Listening, listen } from './listener'
import { collected, eventStream, streamHeaders } from './responses'

const maxWaitS = 60
const maxTables = 100

const parameter = (location: 'query' | 'header', name: string, description: string, type: 'string' | 'integer' = 'string') =>
  ({ name, in: location, required: false, schema: { type }, description }) as const

const lineText = { schema: { type: 'string' } } as const

const FeedPage = t.Object({
  changes: t.Array(
    t.Object({
      ...Change.properties,
      action: t.String({
        description: '`create`, `update`, `delete`, or `leave`: the record no longer matches, or is no longer readable.',
      }),
      table: t.String(),
      tableId: t.String(),
    }),
  ),
  cursor: t.String({ description: 'Send it as `after` in the next request.' }),
  reset: t.Boolean({ description: 'Changes may be missing: read the records again.' }),
})

const described = {
  description:
    'Server-sent events without `wait`; with it (seconds, at most 60) JSON, or NDJSON by `Accept`, as soon as there is a change. `after` or `Last-Event-ID` is a cursor.',
  parameters: [
    parameter('query', 'wait', 'Seconds, at most 60, until the answer comes in any case.', 'integer'),
    parameter('query', 'after', 'The cursor of the last answer or event.'),
    parameter('header', 'Last-Event-ID', 'Like `after`, which takes precedence.'),
  ],
  responses: {
    200: {
      description: 'The changes after the cursor, or from now on.',
      content: { 'text/event-stream': lineText, 'application/json': { schema: FeedPage as object }, 'application/x-ndjson': lineText },
    },
  },
}
const namedTables = parameter('query', 'tables', 'Names or ids, by commas; all tables if left out.')

type FeedParameters = { references: string[] | null; after: string | null; waitS: number | null; pairs: Pair[] }

/**
 * The parameters of a feed; all others are filters, including `tables` in the feed of one table.
 * @throws Failure invalid_request
 */
function readFeedParameters(request: Request, { takesTables }: { takesTables: boolean }): FeedParameters {
  const parameters: FeedParameters = { references: null, after: request.headers.get('last-event-id') || null, waitS: null, pairs: [] }
  for (const [name, value] of readPairs(searchOf(request.url))) {
    if (name === 'after') parameters.after = value
    else if (name === 'wait') parameters.waitS = readWait(value)
    else if (takesTables && name === 'tables') parameters.references = value.split(',')
    else if (name !== 'token') parameters.pairs.push([name, value])
  }
  return parameters
}

function readWait(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= maxWaitS) return Number(text)
  throw invalidRequest(translatable('"wait" must be a number of seconds from 0 to {maxWaitS}.', { maxWaitS }))
}

/** @throws Failure conflict for a table whose changes are not logged */
function requireLogged(table: Table): Table {
  requireReadable(table)
  if (table.isLogged) return table
  throw conflict(translatable('Changes of "{name}" are not logged.', { name: table.name }), {
    hint: translatable('An administrator can turn it on with {request}.', { request: 'PUT /api/v1/tables/{table}/history' }),
  })
}

export const feedRoutes = (deps: Deps) => {
  const { db, catalog, config, feed } = deps

  const answer = async (
    request: Request,
    references: string[] | null,
    { after, waitS }: FeedParameters,
    filter: FeedFilter | null,
  ): Promise<Response> => {
    const reach: Listening['reach'] = async () => {
      const actor = await reauthorize(deps, request, { area: 'data', isBackground: true })
      const tables = await tablesFor(catalog, actor)
      const feedTables = references
        ? await Promise.all(references.map((reference) => getTable(catalog, actor, reference)))
        : tables.list.filter(isFollowed)
      if (references) feedTables.forEach(requireLogged)
      return { tables, feedTables }
    }
    // Errors are reported before the stream begins.
    const { feedTables, tables } = await reach()
    if (filter) await requireReadableValues(db, filter.plan(tables, feedTables[0]!))
    const cursor = after === null ? null : readFeedCursor(after)
    if (request.method === 'HEAD' && waitS === null) return streamHead(streamHeaders)
    const ending = new AbortController()
    request.signal.addEventListener('abort', () => ending.abort())
    infoOf(request).takeTime((waitS ?? 0) * 1000 + config.queryTimeoutMs)
    const listening = { db, feed, historyDays: config.historyDays, reach, filter, signal: ending.signal }
    if (waitS === null) return eventStream(listen(listening, cursor), ending)
    return collected(listen(listening, cursor), ending, waitS * 1000, request.headers.get('accept') ?? '')
  }

  return new Elysia({ name: 'changes/feed/routes', prefix: '/api/v1', tags: ['history'] })
    .use(authHooks(deps))
    .get(
      '/tables/:tableId/changes',
      ({ params, request }) => {
        const parameters = readFeedParameters(request, { takesTables: false })
        return answer(request, [params.tableId], parameters, readFeedFilter(parameters.pairs))
      },
      {
        background: 'data',
        params: t.Object({ tableId: t.String() }),
        detail: { summary: 'Follow the changes of a table', ...described },
      },
    )
    .get(
      '/changes',
      ({ request }) => {
        const parameters = readFeedParameters(request, { takesTables: true })
        if (parameters.pairs.length) throw invalidRequest(translatable('Filters work only for the changes of one table.'))
        if (parameters.references && parameters.references.length > maxTables)
          throw invalidRequest(translatable('At most {maxTables} tables can be named.', { maxTables }))
        return answer(request, parameters.references, parameters, null)
      },
      {
        background: 'data',
        detail: {
          summary: 'Follow the changes of several tables, or of all',
          ...described,
          parameters: [namedTables, ...described.parameters],
        },
      },
    )
}

const isFollowed = (table: Table): boolean => table.isLogged && !table.isJoinTable && table.rights.select
