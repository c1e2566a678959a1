import { attachmentColumn } from '../../attachments/service'
import type { Actor } from '../../auth/identity/actor'
import type { Deps } from '../../deps'
import { invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'
import { rejectUnsupported } from '../../records/query/parameters'
import { inQuotes, type Pair, readPairs } from '../../records/query/parse/pairs'
import { parseQuery } from '../../records/query/parse/query'
import { planRead } from '../../records/query/plan/read'
import type { PlannedOutput, ReadPlan } from '../../records/query/plan/types'
import { readKey } from '../../records/store/key'
import { listRecords } from '../../records/store/reads/list'
import { selectRecord } from '../../records/store/service'
import { getTable, type Tables } from '../../tables/catalog/catalog'
import { readWithCurrentTables } from '../../tables/catalog/stale-definitions'
import type { Column, Table } from '../../tables/model'
import { defaultPageRecords, type LinkSubject, maxPageRecords } from '../model'
import { closedLink } from '../opening/refusal'
import { readableSelect } from './readable-select'
import { type RecordLink, requireSameRecord } from './reused-key'

type ReadDeps = Pick<Deps, 'db' | 'catalog'>

/** The result of a read, with the tables that the issuer may access. `outputs` describe each value. */
export type Shared = { table: Table; tables: Tables; actor: Actor; outputs: PlannedOutput[] }

/** `json` is the record as PostgreSQL wrote it. */
export type SharedRecord = Shared & { json: string }

/** `json` is an array. `next` is the parameter for the next page; null on the last. */
export type SharedList = Shared & { json: string; next: Pair | null }

/** Where a page of a list begins. */
export type PagePlace = { cursor?: string; offset?: string }

/**
 * The record of a link, or of its file, with the issuer's current rights. Leaves out deleted and hidden columns of its
 * select.
 * @param link null while it is being created: then columns that are missing are an error
 * @throws Failure like a read of the record; not_found if its key now belongs to another record
 */
export const readSharedRecord = (deps: ReadDeps, actor: Actor, subject: LinkSubject, link: RecordLink | null) =>
  readWithCurrentTables(deps.catalog, actor, async (tables, current): Promise<SharedRecord> => {
    const table = await getTable(deps.catalog, current, subject.tableId!)
    const pairs = subject.columnId === null ? [...readPairs(subject.query ?? '')] : selectOf(attachmentColumn(table, subject.columnId))
    const readable = link ? readableSelect(tables, table, pairs) : pairs
    const record = await recordOf(deps, { table, tables, actor: current }, subject.recordKey!, readable, ['select'])
    // Checked after the read, because another record may get the key at any time.
    if (link) await requireSameRecord(deps.db, table, readKey(table, subject.recordKey!), link)
    return record
  })

const selectOf = ({ name }: Column): Pair[] => [['select', inQuotes(name)]]

/**
 * One record of a link's list, only if the list shows it.
 * @param recordKey as in a path
 * @throws Failure not_found
 */
export const readListedRecord = (deps: ReadDeps, actor: Actor, { tableId, query }: LinkSubject, recordKey: string) =>
  readWithCurrentTables(deps.catalog, actor, async (tables, current): Promise<SharedRecord> => {
    const table = await getTable(deps.catalog, current, tableId!)
    const pairs = readableSelect(tables, table, [...readPairs(query ?? '')]).filter(([name]) => name !== 'order' && name !== 'limit')
    return recordOf(deps, { table, tables, actor: current }, recordKey, pairs, ['select', 'filters', 'search'])
  })

type Reached = Pick<Shared, 'table' | 'tables' | 'actor'>

async function recordOf(
  { db }: ReadDeps,
  reached: Reached,
  recordKey: string,
  pairs: Pair[],
  words: Parameters<typeof rejectUnsupported>[1][],
) {
  const { table, tables } = reached
  const key = readKey(table, recordKey)
  const parsed = parseQuery(pairs, 'native')
  rejectUnsupported(parsed, ...words)
  const { outputs } = planRead(tables, table, parsed)
  const { json } = await selectRecord(db, tables, table, key, parsed)
  return { ...reached, outputs, json }
}

/** A page of a link's list, with the issuer's current rights. @throws Failure like a read of the list */
export const readSharedList = (deps: ReadDeps, actor: Actor, { tableId, query }: LinkSubject, position: PagePlace = {}, isStrict = false) =>
  readWithCurrentTables(deps.catalog, actor, async (tables, current): Promise<SharedList> => {
    const table = await getTable(deps.catalog, current, tableId!)
    const own = [...readPairs(query ?? '')]
    const pairs = withLimit(isStrict ? own : readableSelect(tables, table, own))
    const parsed = parseQuery(pairs, 'native')
    rejectUnsupported(parsed, 'select', 'filters', 'search', 'order', 'limit')
    if (parsed.limit! > maxPageRecords)
      throw invalidRequest(translatable('A page of a link has at most {maxPageRecords} records.', { maxPageRecords }))
    const plan = planRead(tables, table, parsed, { isTotalOrder: true })
    const { outputs } = plan
    if (showsOrder(plan)) {
      const page = await listRecords(deps.db, tables, table, [...pairs, ...placePairs(position)])
      return { table, tables, actor: current, outputs, json: page.json, next: nextPlace(page) }
    }
    const { cursor, offset = '0' } = position
    if (cursor !== undefined) throw closedLink()
    const { json, isMore } = await listRecords(deps.db, tables, table, [...pairs, ['offset', offset]])
    const next: Pair | null = isMore ? ['offset', String(Number(offset) + parsed.limit!)] : null
    return { table, tables, actor: current, outputs, json, next }
  })

/**
 * Whether each value of the order is among the outputs. Otherwise a cursor would reveal values that the list hides, and
 * a forged one would compare them with any value.
 */
const showsOrder = ({ order, outputs }: ReadPlan): boolean =>
  order.every(({ value }) => outputs.some((output) => Bun.deepEquals(output.value, value)))

const withLimit = (pairs: Pair[]): Pair[] =>
  pairs.some(([name]) => name === 'limit') ? pairs : [...pairs, ['limit', String(defaultPageRecords)]]

function placePairs({ cursor, offset }: PagePlace): Pair[] {
  if (cursor !== undefined) return [['cursor', cursor]]
  return offset === undefined ? [] : [['offset', offset]]
}

function nextPlace({ nextCursor, nextOffset }: { nextCursor: string | null; nextOffset?: number | null }): Pair | null {
  if (nextCursor !== null) return ['cursor', nextCursor]
  return nextOffset == null ? null : ['offset', String(nextOffset)]
}
