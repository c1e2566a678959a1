import { Elysia } from 'elysia'
import { authHooks } from '../../auth/hooks'
import type { Actor } from '../../auth/identity/actor'
import type { Executor } from '../../db/pool/open'
import type { Deps } from '../../deps'
import { bodyText } from '../../http/request/body'
import { searchOf } from '../../http/request/url'
import { getTable, type Tables } from '../../tables/catalog/catalog'
import { readWithCurrentTables, writeWithCurrentTables } from '../../tables/catalog/stale-definitions'
import { showsTime } from '../../tables/computed-value'
import type { Table } from '../../tables/model'
import { readKeyedRequest, respondOnce } from '../idempotency'
import { type Payload, RecordBody, RecordsBody } from '../model'
import { isBare, rejectUnsupported } from '../query/parameters'
import { readPairs } from '../query/parse/pairs'
import { parseQuery } from '../query/parse/query'
import type { RecordQuery } from '../query/tree'
import { throwWriteFailure } from '../store/errors'
import { allowedVersions, isWildcard, matchesNone } from '../store/etag'
import { rawSegment, readKey } from '../store/key'
import { listRecords } from '../store/reads/list'
import type { StoredRecord } from '../store/reads/reader'
import { createRecords, deleteRecord, getRecord, type RecordWriter, replaceRecord, selectRecord, updateRecord } from '../store/service'
import { deleteRecords, updateRecords } from '../store/writes/bulk-writes'
import * as described from './description'
import { affected, listing, type Manner, manyWritten, notModified, oneRecord, removed, writtenRecord } from './responses'

/** The position of `{pk}` in `/api/v1/tables/{tableId}/records/{pk}`, counted from the first segment. */
const keySegment = 5

type Call = { actor: Actor; params: { tableId: string }; request: Request }

/**
 * Passes on the parts of the context that a handler needs. Elysia inspects the source of a handler to see what it uses;
 * if the whole context is passed on, it prepares everything: headers as an object, cookies, and a new response built
 * from the returned one.
 */
const withCall =
  <Answer>(handle: (call: Call) => Answer) =>
  ({ actor, params, request }: Call) =>
    handle({ actor, params, request })

const withBody =
  <Body, Answer>(handle: (call: Call & { body: Body }) => Answer) =>
  ({ actor, body, params, request }: Call & { body: Body }) =>
    handle({ actor, body, params, request })

const payloadOf = <Records>({ body, request }: { body: Records; request: Request }): Payload<Records> => ({
  records: body,
  json: bodyText(request),
})

const addressOf = ({ params }: Pick<Call, 'params'>) => `/api/v1/tables/${encodeURIComponent(params.tableId)}/records`

export const recordRoutes = (deps: Deps) => {
  const { db, catalog } = deps

  type Reached = { tables: Tables; table: Table }

  /** @param work gets the caller's current tables, and may be repeated once with newer ones */
  const reading = <Answer>({ actor, params }: Call, work: (reached: Reached) => Promise<Answer>): Promise<Answer> =>
    readWithCurrentTables(catalog, actor, async (tables, current) =>
      work({ tables, table: await getTable(catalog, current, params.tableId) }),
    )

  const writing = <Answer>({ actor, params }: Call, work: (reached: Reached) => Promise<Answer>): Promise<Answer> =>
    writeWithCurrentTables(catalog, actor, async (tables, current) =>
      work({ tables, table: await getTable(catalog, current, params.tableId) }),
    )

  const keyOf = ({ request }: Call, table: Table) => readKey(table, rawSegment(request.url, keySegment))

  const change = ({ request }: Call, key: readonly string[]) => ({ key, versions: allowedVersions(request.headers.get('if-match')) })

  return new Elysia({ name: 'records/native/routes', prefix: '/api/v1/tables/:tableId/records', tags: ['records'] })
    .use(authHooks(deps))
    .get(
      '/',
      withCall((call) =>
        reading(call, async ({ table, tables }) =>
          listing(await listRecords(db, tables, table, [...readPairs(searchOf(call.request.url))], call.actor.cachedIdentity)),
        ),
      ),
      { optimistic: 'data', detail: described.list },
    )
    .post(
      '/',
      withBody((call: Call & { body: RecordBody | RecordBody[] }) =>
        writing(call, async ({ table, tables }) => {
          const { writer, manner } = writerOf(call, tables, 'select')
          const payload = payloadOf(call)
          const create = async (executor: Executor) => {
            const records = await createRecords(executor, writer, table, payload)
            return Array.isArray(call.body) ? manyWritten(records, manner) : writtenRecord(records[0]!, addressOf(call), manner, 201)
          }
          const keyed = readKeyedRequest(call.request, call.actor, payload.json, tables)
          return respondOnce(db, keyed, create, (error) => throwWriteFailure(error, table))
        }),
      ),
      { role: { least: 'editor', body: 'records', isOptimistic: true }, body: RecordsBody, detail: described.create },
    )
    .patch(
      '/',
      withBody((call: Call & { body: RecordBody }) =>
        writing(call, async ({ table, tables }) => {
          const { writer, manner } = writerOf(call, tables, 'select', 'filters', 'search', 'maxAffected')
          const asked = { ...writer, isRepresented: manner.preferred === 'representation' }
          const done = await updateRecords(db, asked, table, payloadOf(call))
          return affected(done.affected, done.records, manner)
        }),
      ),
      { role: { least: 'editor', body: 'records' }, body: RecordBody, detail: described.updateMany },
    )
    .delete(
      '/',
      withCall((call) =>
        writing(call, async ({ table, tables }) => {
          const { writer, manner } = writerOf(call, tables, 'select', 'filters', 'search', 'maxAffected')
          const done = await deleteRecords(db, { ...writer, isRepresented: manner.preferred === 'representation' }, table)
          return affected(done.affected, done.records, manner)
        }),
      ),
      { role: 'editor', detail: described.deleteMany },
    )
    .get(
      '/:pk',
      withCall((call) =>
        reading(call, async ({ table, tables }) => {
          const key = keyOf(call, table)
          const query = selectionOf(call.request)
          const { cachedIdentity } = call.actor
          const record = await (query
            ? selectRecord(db, tables, table, key, query, cachedIdentity)
            : getRecord(db, table, key, cachedIdentity))
          return isUnchanged(call, record, query ? null : table) ? notModified(record) : oneRecord(record)
        }),
      ),
      { optimistic: 'data', detail: described.read },
    )
    .patch(
      '/:pk',
      withBody((call: Call & { body: RecordBody }) =>
        writing(call, async ({ table, tables }) => {
          const key = keyOf(call, table)
          const { writer, manner } = writerOf(call, tables, 'select')
          const record = await updateRecord(db, writer, table, change(call, key), payloadOf(call))
          return writtenRecord(record, addressOf(call), manner, 200)
        }),
      ),
      { role: { least: 'editor', body: 'records', isOptimistic: true }, body: RecordBody, detail: described.update },
    )
    .put(
      '/:pk',
      withBody((call: Call & { body: RecordBody }) =>
        writing(call, async ({ table, tables }) => {
          const key = keyOf(call, table)
          const { writer, manner } = writerOf(call, tables, 'select')
          const isNewOnly = call.request.headers.get('if-none-match')?.trim() === '*'
          const replacement = { ...change(call, key), isNewOnly, isThereOnly: isWildcard(call.request.headers.get('if-match')) }
          const record = await replaceRecord(db, writer, table, replacement, payloadOf(call))
          return writtenRecord(record, addressOf(call), manner, record.isNew ? 201 : 200)
        }),
      ),
      { role: { least: 'editor', body: 'records' }, body: RecordBody, detail: described.replace },
    )
    .delete(
      '/:pk',
      withCall((call) =>
        writing(call, async ({ table, tables }) => {
          const key = keyOf(call, table)
          const { writer, manner } = writerOf(call, tables)
          await deleteRecord(db, writer, table, change(call, key))
          return removed(manner)
        }),
      ),
      { role: 'editor', detail: described.remove },
    )
}

/**
 * The selection for one record; null for the whole record.
 * @throws Failure invalid_request for parameters that make sense only for lists
 */
function selectionOf(request: Request): RecordQuery | null {
  const search = searchOf(request.url)
  if (search === '') return null
  const query = parseQuery(search, 'native')
  rejectUnsupported(query, 'select')
  return isBare(query) ? null : query
}

/** @param table the table of a whole record, whose version does not cover values that depend on the time */
const isUnchanged = ({ request }: Call, { version }: StoredRecord, table: Table | null): boolean =>
  matchesNone(request.headers.get('if-none-match'), version) && !(table && showsTime(table))

type Allowed = 'select' | 'filters' | 'search' | 'maxAffected'

function writerOf({ actor, request }: Call, tables: RecordWriter['tables'], ...allowed: Allowed[]) {
  const query = parseQuery(searchOf(request.url), 'native')
  rejectUnsupported(query, 'isDryRun', ...allowed)
  const preferred = preferredReturn(request.headers.get('prefer'))
  const manner: Manner = { isDryRun: query.isDryRun, preferred }
  const { user, cachedIdentity: identity } = actor
  const writer = { tables, userId: user.id, identity, isDryRun: query.isDryRun, isMinimal: preferred === 'minimal', query }
  return { writer, manner }
}

/** The value of `Prefer: return=…` (RFC 7240 section 4.2); undefined if it is not one that we support. */
function preferredReturn(header: string | null): 'minimal' | 'representation' | undefined {
  const [, word] = /(?:^|[,;])\s*return\s*=\s*"?(minimal|representation)"?\s*(?:$|[,;])/i.exec(header ?? '') ?? []
  return word?.toLowerCase() as 'minimal' | 'representation' | undefined
}
