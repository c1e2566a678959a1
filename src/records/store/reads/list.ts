import type { CachedIdentity } from '../../../auth/identity/identity-check'
import type { Executor } from '../../../db/pool/open'
import { invalidRequest } from '../../../errors'
import { translatable } from '../../../messages/message'
import type { Tables } from '../../../tables/catalog/catalog'
import type { Table } from '../../../tables/model'
import { defaultLimit, mostRecords } from '../../model'
import { hasCursor, readCursor } from '../../query/cursor'
import { rejectUnsupported } from '../../query/parameters'
import { inQuotes, type Pair } from '../../query/parse/pairs'
import { parseQuery } from '../../query/parse/query'
import { conditionCount, planLimits } from '../../query/plan/limits'
import { hasReadableKey } from '../../query/plan/order'
import { planRead } from '../../query/plan/read'
import { planSearch } from '../../query/plan/search'
import { planSearchCandidates, type SearchCandidates } from '../../query/plan/search-candidates'
import type { ReadPlan } from '../../query/plan/types'
import { pageStatement } from '../../query/sql/read'
import type { Filter, RecordQuery } from '../../query/tree'
import { throwReadFailure } from '../errors'
import { requireReadable } from '../rights'
import { countRows } from './count'
import { type PageResult, readPage } from './page'
import { type BoundRead, type Planned, type PreparedRead, prepareRead } from './prepared-reads'
import { withCandidates } from './search-candidates'

/**
 * `nextOffset` replaces the cursor if none is possible: for a table without a readable primary key, for aggregates, and
 * after a value that is too long for a cursor.
 */
export type Listing = PageResult & { totalCount?: number; nextOffset?: number | null }

/** `isFull`: its filters have as many conditions as are allowed. */
type PreparedList = PreparedRead & { count: NonNullable<RecordQuery['count']>; candidates: SearchCandidates | null; isFull: boolean }

/**
 * A page of records.
 * @param pairs the parameters of the query string, from `readPairs`
 * @throws Failure invalid_request, forbidden, not_found, conflict
 */
export async function listRecords(
  executor: Executor,
  tables: Tables,
  table: Table,
  pairs: Pair[],
  identity?: CachedIdentity,
): Promise<Listing> {
  const whole = prepareList(tables, table, withKeyAsFilter(tables, table, pairs))
  const { plan, count } = whole.prepared
  try {
    const read = await narrowed(executor, whole)
    // The planner estimates the search itself, not the list of candidate keys.
    const counted = count === 'none' ? undefined : countRows(executor, count === 'exact' ? read.prepared.plan : plan, count)
    const [page, totalCount] = await Promise.all([readPage(executor, read, identity), counted])
    return { ...page, ...(totalCount === undefined ? {} : { totalCount }), ...offsetOf(plan, page) }
  } catch (error) {
    throwReadFailure(error, plan)
  }
}

/** The read limited to the candidates of its search, if the index of the table can find them. */
async function narrowed(executor: Executor, read: BoundRead<PreparedList>): Promise<BoundRead<PreparedList>> {
  const { plan, candidates, count } = read.prepared
  const found = candidates && (await withCandidates(executor, plan, candidates, plan.order.length > 1 || count !== 'none'))
  if (!found) return read
  const statement = pageStatement(found, { isAhead: true, isQuick: true })
  return { ...read, prepared: { ...read.prepared, plan: found, statement } }
}

const prepareList = (tables: Tables, table: Table, pairs: Pair[]) =>
  prepareRead(tables, { table, kind: 'list', pairs }, (given) => planList(tables, table, given))

/** Types of keys whose values are written in the same way in a filter and in a cursor. */
const plainKeys = new Set(['smallint', 'integer', 'bigint', 'uuid'])

/**
 * A cursor in the order of one key column equals a filter (`id=gt.7`). As a filter it shares its statement with others
 * of its shape. Any other cursor stays as it is.
 * @throws Failure invalid_request for a cursor that cannot be read
 */
function withKeyAsFilter(tables: Tables, table: Table, pairs: Pair[]): Pair[] {
  const place = pairs.findIndex(([name]) => name === 'cursor')
  if (place === -1 || pairs.some(([name], index) => name === 'cursor' && index > place)) return pairs
  const rest = pairs.toSpliced(place, 1)
  const { plan, count, isFull } = prepareList(tables, table, rest).prepared
  const [term] = plan.order
  if (isFull || count !== 'none' || plan.offset || plan.isAggregated || plan.order.length !== 1 || !term || term.isNullable) return pairs
  const column = term.value.kind === 'field' && term.value.field.steps.length === 0 ? term.value.field.column : null
  if (!column || !plainKeys.has(column.sqlType) || table.primaryKey.join() !== column.name) return pairs
  const [value] = readCursor(plan.order, pairs[place]![1])
  return [...rest, [inQuotes(column.name), `${term.direction === 'asc' ? 'gt' : 'lt'}.${value}`]]
}

function planList(tables: Tables, table: Table, pairs: Pair[]): Planned<PreparedList> {
  requireReadable(table)
  const places = new Map<Filter, number>()
  const query = parseQuery(pairs, 'native', places)
  rejectUnsupported(query, 'select', 'filters', 'order', 'limit', 'offset', 'cursor', 'count', 'search')
  const { limit = defaultLimit, count = 'none' } = query
  if (limit < 1 || limit > mostRecords) throw invalidRequest(translatable('"limit" must be from 1 to {mostRecords}.', { mostRecords }))
  const plan = planRead(tables, table, { ...query, limit }, { isTotalOrder: hasReadableKey(table) })
  const statement = pageStatement(plan, { isAhead: true, isQuick: true })
  const candidates = query.search === undefined ? null : planSearchCandidates(table, planSearch(tables, table, query.search))
  const isFull = conditionCount(query) >= planLimits.conditions
  return { prepared: { plan, statement, count, candidates, isFull }, places, isKept: count === 'none' && query.cursor === undefined }
}

function offsetOf(plan: ReadPlan, { isMore, nextCursor }: PageResult) {
  const { offset = 0, limit = 0 } = plan
  return hasCursor(plan) && (nextCursor !== null || !isMore) ? {} : { nextOffset: isMore ? offset + limit : null }
}
