import { Elysia } from 'elysia'
import { authHooks } from '../../auth/hooks'
import type { Actor } from '../../auth/identity/actor'
import type { Db } from '../../db/open'
import type { Deps } from '../../deps'
import { bodyText } from '../../http/body'
import { searchOf } from '../../http/url'
import { getTable, tablesFor } from '../../tables/catalog/catalog'
import { refreshIfStale, retryOnSchemaChange } from '../../tables/catalog/refresh'
import { answerOnce, readKeyedRequest } from '../idempotency'
import { RecordBody, RecordsBody } from '../model'
import { isBare, rejectUnsupported } from '../query/parameters'
import { parseQuery } from '../query/parse/query'
import type { RecordQuery } from '../query/tree'
import { deleteRecords, updateRecords } from '../store/bulk-writes'
import { throwWriteFailure } from '../store/errors'
import { allowedVersions, matchesAny, matchesNone } from '../store/etag'
import { rawSegment, readKey } from '../store/key'
import { listRecords } from '../store/list'
import { createRecords, deleteRecord, getRecord, replaceRecord, selectRecord, updateRecord, type Writer } from '../store/service'
import * as described from './description'
import { affected, listing, type Manner, manyWritten, notModified, oneRecord, removed, written } from './responses'

/** Where `{pk}` stands in `/api/v1/tables/{tableId}/records/{pk}`, counted from the first segment. */
const keySegment = 5

type Call = { actor: Actor; params: { tableId: string }; request: Request }

/**
 * Hands on what a handler needs of its context. Elysia reads the text of a handler to see what it uses; of a context
 * that is passed on whole it prepares everything: headers as an object, cookies, and an answer made anew from the one
 * that it gets.
 */
const named =
  <Answer>(handle: (call: Call) => Answer) =>
  ({ actor, params, request }: Call) =>
    handle({ actor, params, request })

const withBody =
  <Body, Answer>(handle: (call: Call & { body: Body }) => Answer) =>
  ({ actor, body, params, request }: Call & { body: Body }) =>
    handle({ actor, body, params, request })

const addressOf = ({ params }: Pick<Call, 'params'>) => `/api/v1/tables/${encodeURIComponent(params.tableId)}/records`

export const recordRoutes = (deps: Deps) => {
  const { db, catalog } = deps

  const reach = async ({ actor, params }: Call) => ({
    table: await getTable(catalog, actor, params.tableId),
    tables: await tablesFor(catalog, actor),
  })

  const reachOne = async (call: Call) => {
    const reached = await reach(call)
    return { ...reached, key: readKey(reached.table, rawSegment(call.request.url, keySegment)) }
  }

  const across = <Answer>({ actor, params, request }: Call, work: (call: Call) => Promise<Answer>): Promise<Answer> =>
    retryOnSchemaChange(catalog, actor, (current) => work({ actor: current, params, request }))

  /**
   * A table may have been changed without our knowledge: a read that fails for it is done once more, with its new
   * definition.
   */
  const reading = <Answer>(call: Call, read: (call: Call) => Promise<Answer>): Promise<Answer> =>
    across(call, read).catch(async (error) => {
      if (await refreshIfStale(catalog, error)) return read(call)
      throw error
    })

  /** A write is not repeated then, but the next one finds things right. */
  const writing = <Answer>(call: Call, write: (call: Call) => Promise<Answer>): Promise<Answer> =>
    across(call, write).catch(async (error) => {
      await refreshIfStale(catalog, error)
      throw error
    })

  const change = ({ request }: Call, key: readonly string[]) => ({ key, versions: allowedVersions(request.headers.get('if-match')) })

  return new Elysia({ name: 'records/native/routes', prefix: '/api/v1/tables/:tableId/records', tags: ['records'] })
    .use(authHooks(deps))
    .get(
      '/',
      named((call) =>
        reading(call, async (current) => {
          const { table, tables } = await reach(current)
          return listing(await listRecords(db, tables, table, searchOf(call.request.url), call.actor.cachedIdentity))
        }),
      ),
      { optimistic: 'data', detail: described.list },
    )
    .post(
      '/',
      withBody((call: Call & { body: RecordBody | RecordBody[] }) =>
        writing(call, async (current) => {
          const { table, tables } = await reach(current)
          const { writer, manner } = writerOf(call, tables, 'select')
          const text = bodyText(call.request)
          const create = async (inside: Db) => {
            const records = await createRecords(inside, writer, table, call.body, text)
            return Array.isArray(call.body) ? manyWritten(records, manner) : written(records[0]!, addressOf(call), manner, 201)
          }
          const keyed = readKeyedRequest(call.request, call.actor, text)
          return answerOnce(db, keyed, create, (error) => throwWriteFailure(error, table))
        }),
      ),
      { role: { least: 'editor', body: 'records', isOptimistic: true }, body: RecordsBody, detail: described.create },
    )
    .patch(
      '/',
      withBody((call: Call & { body: RecordBody }) =>
        writing(call, async (current) => {
          const { table, tables } = await reach(current)
          const { writer, manner } = writerOf(call, tables, 'select', 'filters', 'search', 'maxAffected')
          const asked = { ...writer, isRepresented: manner.preferred === 'representation' }
          const done = await updateRecords(db, asked, table, call.body, bodyText(call.request))
          return affected(done.affected, done.records, manner)
        }),
      ),
      { role: { least: 'editor', body: 'records' }, body: RecordBody, detail: described.updateMany },
    )
    .delete(
      '/',
      named((call) =>
        writing(call, async (current) => {
          const { table, tables } = await reach(current)
          const { writer, manner } = writerOf(call, tables, 'select', 'filters', 'search', 'maxAffected')
          const done = await deleteRecords(db, { ...writer, isRepresented: manner.preferred === 'representation' }, table)
          return affected(done.affected, done.records, manner)
        }),
      ),
      { role: 'editor', detail: described.deleteMany },
    )
    .get(
      '/:pk',
      named((call) =>
        reading(call, async (current) => {
          const { table, tables, key } = await reachOne(current)
          const query = selectionOf(call.request)
          const { cachedIdentity: presumed } = call.actor
          const record = await (query ? selectRecord(db, tables, table, key, query, presumed) : getRecord(db, table, key, presumed))
          return matchesNone(call.request.headers.get('if-none-match'), record.version) ? notModified(record) : oneRecord(record)
        }),
      ),
      { optimistic: 'data', detail: described.read },
    )
    .patch(
      '/:pk',
      withBody((call: Call & { body: RecordBody }) =>
        writing(call, async (current) => {
          const { table, tables, key } = await reachOne(current)
          const { writer, manner } = writerOf(call, tables, 'select')
          const record = await updateRecord(db, writer, table, change(call, key), call.body, bodyText(call.request))
          return written(record, addressOf(call), manner, 200)
        }),
      ),
      { role: { least: 'editor', body: 'records', isOptimistic: true }, body: RecordBody, detail: described.update },
    )
    .put(
      '/:pk',
      withBody((call: Call & { body: RecordBody }) =>
        writing(call, async (current) => {
          const { table, tables, key } = await reachOne(current)
          const { writer, manner } = writerOf(call, tables, 'select')
          const isNewOnly = call.request.headers.get('if-none-match')?.trim() === '*'
          const replacement = { ...change(call, key), isNewOnly, isThereOnly: matchesAny(call.request.headers.get('if-match')) }
          const record = await replaceRecord(db, writer, table, replacement, call.body, bodyText(call.request))
          return written(record, addressOf(call), manner, record.isNew ? 201 : 200)
        }),
      ),
      { role: { least: 'editor', body: 'records' }, body: RecordBody, detail: described.replace },
    )
    .delete(
      '/:pk',
      named((call) =>
        writing(call, async (current) => {
          const { table, tables, key } = await reachOne(current)
          const { writer, manner } = writerOf(call, tables)
          await deleteRecord(db, writer, table, change(call, key))
          return removed(manner)
        }),
      ),
      { role: 'editor', detail: described.remove },
    )
}

/**
 * What is asked of one record; null for the whole of it.
 * @throws Failure invalid_request for what makes sense of many only
 */
function selectionOf(request: Request): RecordQuery | null {
  const search = searchOf(request.url)
  if (search === '') return null
  const query = parseQuery(search, 'native')
  rejectUnsupported(query, 'select')
  return isBare(query) ? null : query
}

type Allowed = 'select' | 'filters' | 'search' | 'maxAffected'

function writerOf({ actor, request }: Call, tables: Writer['tables'], ...allowed: Allowed[]) {
  const query = parseQuery(searchOf(request.url), 'native')
  rejectUnsupported(query, 'isDryRun', ...allowed)
  const preferred = preferredReturn(request.headers.get('prefer'))
  const manner: Manner = { isDryRun: query.isDryRun, preferred }
  const { user, cachedIdentity: presumed } = actor
  const writer = { tables, userId: user.id, presumed, isDryRun: query.isDryRun, isMinimal: preferred === 'minimal', query }
  return { writer, manner }
}

/** What `Prefer: return=…` (RFC 7240 section 4.2) asks for; undefined for nothing that we know. */
function preferredReturn(header: string | null): 'minimal' | 'representation' | undefined {
  const [, word] = /(?:^|[,;])\s*return\s*=\s*"?(minimal|representation)"?\s*(?:$|[,;])/i.exec(header ?? '') ?? []
  return word?.toLowerCase() as 'minimal' | 'representation' | undefined
}
