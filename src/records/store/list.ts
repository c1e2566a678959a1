import type { CachedIdentity } from '../../auth/identity/identity-check'
import type { Db } from '../../db/open'
import { invalidRequest } from '../../errors'
import type { Tables } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'
import { defaultLimit, mostRecords } from '../model'
import { readCursor } from '../query/cursor'
import { rejectUnsupported } from '../query/parameters'
import { inQuotes, type Pair, readPairs } from '../query/parse/pairs'
import { parseQuery } from '../query/parse/query'
import { planRead } from '../query/plan/read'
import type { ReadPlan } from '../query/plan/types'
import { countStatement, estimateStatement, pageStatement } from '../query/sql/read'
import type { Filter, RecordQuery } from '../query/tree'
import { throwReadFailure } from './errors'
import { run } from './execute'
import { type Page, readPage } from './page'
import { type Planned, type PreparedRead, prepareRead } from './prepared-reads'
import { requireReadable } from './rights'

/**
 * `nextOffset` is there where there can be no cursor: for a table without a primary key, for aggregates, and behind a
 * value that is too long for one.
 */
export type Listing = Page & { totalCount?: number; nextOffset?: number | null }

type PreparedList = PreparedRead & { count: NonNullable<RecordQuery['count']> }

/**
 * A page of the records that the query asks for.
 * @param search the query string
 * @throws Failure invalid_request, forbidden, not_found, conflict
 */
export async function listRecords(db: Db, tables: Tables, table: Table, search: string, presumed?: CachedIdentity): Promise<Listing> {
  const read = prepareList(tables, table, withKeyAsFilter(tables, table, [...readPairs(search)]))
  const { plan, count } = read.prepared
  try {
    const [page, totalCount] = await Promise.all([readPage(db, read, presumed), countOf(db, plan, count)])
    return { ...page, ...(totalCount === null ? {} : { totalCount }), ...offsetOf(plan, page) }
  } catch (error) {
    throwReadFailure(error, plan)
  }
}

const prepareList = (tables: Tables, table: Table, pairs: Pair[]) =>
  prepareRead(tables, { table, kind: 'list', pairs }, (given) => planList(tables, table, given))

/** Types of keys whose every value can stand in a filter as it stands in a cursor. */
const plainKeys = new Set(['smallint', 'integer', 'bigint', 'uuid'])

/**
 * A cursor in the order of one key column is nothing but a filter (`id=gt.7`), and as a filter it shares its statement
 * with others of its shape. Any other cursor stays as it is.
 * @throws Failure invalid_request for one that cannot be read
 */
function withKeyAsFilter(tables: Tables, table: Table, pairs: Pair[]): Pair[] {
  const place = pairs.findIndex(([name]) => name === 'cursor')
  if (place === -1 || pairs.some(([name], index) => name === 'cursor' && index > place)) return pairs
  const rest = pairs.toSpliced(place, 1)
  const { plan, count } = prepareList(tables, table, rest).prepared
  const [term] = plan.order
  if (count !== 'none' || plan.offset || plan.isAggregated || plan.order.length !== 1 || !term || term.isNullable) return pairs
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
  if (limit < 1 || limit > mostRecords) throw invalidRequest(`"limit" must be from 1 to ${mostRecords}.`)
  const plan = planRead(tables, table, { ...query, limit }, { isTotalOrder: true })
  const statement = pageStatement(plan, { isAhead: true, isQuick: true })
  return { prepared: { plan, statement, count }, places, isKept: count === 'none' && query.cursor === undefined }
}

function offsetOf({ table, isAggregated, offset = 0, limit = 0 }: ReadPlan, { isMore, nextCursor }: Page) {
  const hasCursor = !isAggregated && table.primaryKey.length > 0 && (nextCursor !== null || !isMore)
  return hasCursor ? {} : { nextOffset: isMore ? offset + limit : null }
}

/** Up to here an estimate is a count: it is cheap, and right. */
const mostCounted = 10_000

async function countOf(db: Db, asked: ReadPlan, count: PreparedList['count']): Promise<number | null> {
  if (count === 'none') return null
  const most = count === 'estimated' ? mostCounted : undefined
  const [row] = await run<{ total: string }>(db.query, asked.table, countStatement(asked, most))
  const counted = Number(row!.total)
  return most !== undefined && counted > most ? Math.max(counted, await estimateOf(db, asked)) : counted
}

type Explained = [{ Plan: { 'Plan Rows': number } }]

/** How many rows PostgreSQL's planner expects, from its statistics. */
async function estimateOf(db: Db, asked: ReadPlan): Promise<number> {
  const { text, parameters } = estimateStatement(asked)
  const [row] = await db.query<{ 'QUERY PLAN': string | Explained }>(text, parameters, { prepare: false })
  const explained = row!['QUERY PLAN']
  return (typeof explained === 'string' ? (JSON.parse(explained) as Explained) : explained)[0].Plan['Plan Rows']
}
