import type { Tables } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'
import { isBare } from '../query/parameters'
import { parseQuery } from '../query/parse/query'
import { findColumn } from '../query/plan/fields'
import { planRead } from '../query/plan/read'
import type { ReadPlan } from '../query/plan/types'
import type { Statement } from '../query/sql/statement'
import type { RecordQuery } from '../query/tree'
import { isKeyPart } from '../store/key'
import { mayRead } from '../store/rights'
import type { TableCall } from './request/call'
import type { Media } from './request/media'
import type { Preferences } from './request/preferences'
import { readRange } from './request/range'
import { readStatement } from './sql'

/** Of one answer; PostgREST calls it db-max-rows. More would have to be held in memory whole, here and in PostgreSQL. */
export const mostRows = 10_000

/** What is asked of the database for a request: one whole record by its key, or rows, which is planned once for many that ask the same. */
export type Asked = AskedRecord | AskedRows
export type AskedRecord = { table: Table; key: string; media: Media }
export type AskedRows = {
  plan: ReadPlan & { offset: number; limit: number }
  statement: Statement
  media: Media
  count: Preferences['count']
}

const mostKept = 500
const longestKept = 1000

/** What was asked before, of the same tables, need not be planned again. A new version of the catalogue is a new object. */
const kept = new WeakMap<Tables, Map<string, AskedRows>>()

/** @param call whose `isSecret` says that a credential stands in the query, which then is not kept. @throws Failure */
export function askedOf(call: TableCall): Asked {
  const { tables, table, search, range, media, preferences, isSecret } = call
  if (isSecret || search.length > longestKept) return prepare(call)
  const ofTables = kept.get(tables) ?? new Map<string, AskedRows>()
  kept.set(tables, ofTables)
  const name = `${table.id} ${media.contentType} ${preferences.count} ${range} ${search}`
  const found = ofTables.get(name) ?? prepare(call)
  // Keys are too many to be kept, and nothing of them is planned.
  if ('key' in found) return found
  ofTables.delete(name)
  ofTables.set(name, found)
  if (ofTables.size > mostKept) ofTables.delete(ofTables.keys().next().value!)
  return found
}

function prepare({ tables, table, search, range, media, preferences: { count } }: TableCall): Asked {
  mayRead(table)
  const query = parseQuery(search, 'postgrest')
  const { offset, limit } = readRange(range, query, mostRows)
  const isWhole = !count && offset === 0 && limit > 0 && media.form !== 'csv' && !media.isStripped
  const key = isWhole ? keyOf(table, query) : undefined
  if (key !== undefined) return { table, key, media }
  const plan = { ...planRead(tables, table, query), offset, limit }
  return { plan, statement: readStatement(plan, media, true), media, count }
}

/** `?id=eq.5` and nothing else: what is done by key is done together with others (`../store/reader.ts`, `../store/batched-writes.ts`). */
export function keyOf(table: Table, query: RecordQuery): string | undefined {
  const [filter, ...more] = query.filters
  const [name, ...parts] = table.primaryKey
  if (!filter || more.length || name === undefined || parts.length || !isBare(query) || query.order.length) return undefined
  if (filter.kind !== 'condition' || filter.operator !== 'eq' || filter.isNegated || filter.quantifier) return undefined
  if (filter.column.name !== name || filter.column.steps.length || typeof filter.value !== 'string') return undefined
  // Of a type that only PostgreSQL knows, one wrong key would fail the others, too.
  return findColumn(table, name)?.type !== 'other' && isKeyPart(table, 0, filter.value) ? filter.value : undefined
}
