import type { Presumption } from '../../auth/identity/identity-check'
import { shared } from '../../db/batcher'
import type { Db } from '../../db/open'
import { invalidRequest } from '../../errors'
import type { Tables } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'
import { defaultLimit, mostRecords } from '../model'
import { holdToWords } from '../query/parameters'
import { parseQuery } from '../query/parse/query'
import { planRead } from '../query/plan/read'
import type { ReadPlan } from '../query/plan/types'
import { countStatement, estimateStatement } from '../query/sql/read'
import type { RecordQuery } from '../query/tree'
import { refusedRead } from './errors'
import { run } from './execute'
import { type Page, type PreparedPage, preparePage, readPage } from './page'
import { mayRead } from './rights'

/** `nextOffset` is there where there can be no cursor: for a table without a primary key, for aggregates, and behind a value that is too long for one. */
export type Listing = Page & { totalCount?: number; nextOffset?: number | null }

type Asked = PreparedPage & { count: NonNullable<RecordQuery['count']> }

const mostKept = 500
const longestKept = 1000

/** What was asked before, of the same tables, need not be planned again. A new version of the catalogue is a new object. */
const kept = new WeakMap<Tables, Map<string, Asked>>()

/**
 * A page of the records that the query asks for.
 * @param search the query string; with `isSecret` it is not kept, as a credential stands in it
 * @throws Failure invalid_request, forbidden, not_found, conflict
 */
export async function listRecords(
  db: Db,
  tables: Tables,
  table: Table,
  search: string,
  { presumed, isSecret = false }: { presumed?: Presumption; isSecret?: boolean } = {},
): Promise<Listing> {
  return readerOf(db)(isSecret || search.length > longestKept ? plan(tables, table, search) : known(tables, table, search), presumed)
}

type Reader = (asked: Asked, presumed?: Presumption) => Promise<Listing>

const readers = new WeakMap<Db, Reader>()

/** Lists that are asked for together, word for word, share one query. */
function readerOf(db: Db): Reader {
  const reader = readers.get(db) ?? shared((asked: Asked, presumed: Presumption[]) => read(db, asked, presumed))
  readers.set(db, reader)
  return reader
}

async function read(db: Db, asked: Asked, presumed: Presumption[]): Promise<Listing> {
  try {
    const [page, totalCount] = await Promise.all([readPage(db.query, asked, presumed), countOf(db, asked)])
    return { ...page, ...(totalCount === null ? {} : { totalCount }), ...offsetOf(asked.plan, page) }
  } catch (error) {
    refusedRead(error, asked.plan)
  }
}

function known(tables: Tables, table: Table, search: string): Asked {
  const ofTables = kept.get(tables) ?? new Map<string, Asked>()
  kept.set(tables, ofTables)
  const key = `${table.id}?${search}`
  const found = ofTables.get(key) ?? plan(tables, table, search)
  ofTables.delete(key)
  ofTables.set(key, found)
  if (ofTables.size > mostKept) ofTables.delete(ofTables.keys().next().value!)
  return found
}

function plan(tables: Tables, table: Table, search: string): Asked {
  mayRead(table)
  const query = parseQuery(search, 'native')
  holdToWords(query, 'select', 'filters', 'order', 'limit', 'offset', 'cursor', 'count', 'search')
  const limit = query.limit ?? defaultLimit
  if (limit < 1 || limit > mostRecords) throw invalidRequest(`"limit" must be from 1 to ${mostRecords}.`)
  const planned = planRead(tables, table, { ...query, limit }, { isTotalOrder: true })
  return { ...preparePage(planned), count: query.count ?? 'none' }
}

function offsetOf({ table, isAggregated, offset = 0, limit = 0 }: ReadPlan, { isMore, nextCursor }: Page) {
  const hasCursor = !isAggregated && table.primaryKey.length > 0 && (nextCursor !== null || !isMore)
  return hasCursor ? {} : { nextOffset: isMore ? offset + limit : null }
}

/** Up to here an estimate is a count: it is cheap, and right. */
const mostCounted = 10_000

async function countOf(db: Db, { plan: asked, count }: Asked): Promise<number | null> {
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
