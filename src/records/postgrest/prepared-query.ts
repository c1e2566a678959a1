import type { Table } from '../../tables/model'
import { isBare } from '../query/parameters'
import { type Pair, readPairs } from '../query/parse/pairs'
import { parseQuery } from '../query/parse/query'
import { findColumn } from '../query/plan/fields'
import { hasReadableKey } from '../query/plan/order'
import { planRead } from '../query/plan/read'
import type { ReadPlan } from '../query/plan/types'
import type { Filter, RecordQuery } from '../query/tree'
import { isKeyPart } from '../store/key'
import { type BoundRead, type Planned, type PreparedRead, prepareRead } from '../store/reads/prepared-reads'
import { requireReadable } from '../store/rights'
import type { TableCall } from './request/call'
import type { Media } from './request/media'
import type { Preferences } from './request/preferences'
import { readRowRange } from './request/range'
import { readStatement } from './sql'

/**
 * The maximum number of rows in one response; PostgREST calls it db-max-rows. More would have to be held in memory at
 * once, here and in PostgreSQL.
 */
export const mostRows = 10_000

/** The database query of a request: one whole record by its key, or rows. */
export type PreparedQuery = RecordQueryByKey | RowsQuery
export type RecordQueryByKey = { table: Table; key: string; media: Media }
export type RowsQuery = { read: BoundRead<PreparedRows> }

type PreparedRows = PreparedRead & { plan: ReadPlan & { offset: number; limit: number }; media: Media; count: Preferences['count'] }

/** @throws Failure */
export function prepareQuery(call: TableCall): PreparedQuery {
  const { tables, table, search, range, media, preferences } = call
  const key = wholeRecordKey(call)
  if (key !== undefined) return { table, key, media }
  const kind = `${media.contentType} ${preferences.count ?? ''} ${range ?? ''}`
  return { read: prepareRead(tables, { table, kind, pairs: [...readPairs(search)] }, (pairs) => planRows(call, pairs)) }
}

function planRows({ tables, table, range, media, preferences: { count } }: TableCall, pairs: Pair[]): Planned<PreparedRows> {
  requireReadable(table)
  const places = new Map<Filter, number>()
  const query = parseQuery(pairs, 'postgrest', places)
  const { offset, limit } = readRowRange(range, query, mostRows)
  // The query accepts any row that its filter finds: with an order, PostgreSQL might scan the index of the key for it.
  const isAnyOne = query.limit === 1 && query.offset === undefined && range === null && query.order.length === 0
  const isPage = range !== null || query.limit !== undefined || query.offset !== undefined
  const isTotalOrder = (isPage || query.order.length > 0) && !isAnyOne && hasReadableKey(table)
  const plan = { ...planRead(tables, table, query, { isTotalOrder, dialect: 'postgrest' }), offset, limit }
  return { prepared: { plan, statement: readStatement(plan, media, true), media, count }, places, isKept: count === undefined }
}

/** Exactly one filter, as far as the text shows without parsing. */
const oneFilter = /^\??[^=&]+=eq\.[^&]*$/

/** The key, if the call requests exactly one whole record. */
function wholeRecordKey({ table, search, range, media, preferences }: TableCall): string | undefined {
  if (!oneFilter.test(search) || range !== null || preferences.count || media.form === 'csv' || media.isStripped) return undefined
  requireReadable(table)
  return keyInQuery(table, parseQuery(search, 'postgrest'))
}

/**
 * `?id=eq.5` and nothing else: operations by key are batched (`../store/reads/reader.ts`,
 * `../store/writes/batched-writes.ts`).
 */
export function keyInQuery(table: Table, query: RecordQuery): string | undefined {
  const [filter, ...more] = query.filters
  const [name, ...parts] = table.primaryKey
  if (!filter || more.length || name === undefined || parts.length || !isBare(query) || query.order.length) return undefined
  // The record is not in the answer: it is limited to no row, or the row is skipped.
  if (query.limit === 0 || query.offset) return undefined
  if (filter.kind !== 'condition' || filter.operator !== 'eq' || filter.isNegated || filter.quantifier) return undefined
  if (filter.column.name !== name || filter.column.steps.length || typeof filter.value !== 'string') return undefined
  // For a type that only PostgreSQL knows, one invalid key would fail the whole batch.
  return findColumn(table, name)?.type !== 'other' && isKeyPart(table, 0, filter.value) ? filter.value : undefined
}
