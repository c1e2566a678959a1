import type { CachedIdentity } from '../../auth/identity/identity-check'
import { arrayLiteral } from '../../db/arrays'
import { createBatcher } from '../../db/batcher'
import type { Db } from '../../db/open'
import { currentScope, type RequestScope } from '../../db/scope'
import { batchText } from '../query/sql/batch'
import { runProving } from './execute'
import { type BoundRead, boundParameters, type PreparedRead } from './prepared-reads'
import { inSharedScope } from './shared-scope'

/**
 * Reads of one shape that are asked for at the same time share one statement, which costs PostgreSQL and this process a
 * fraction of as many statements. A shape of which a statement turned out to be slow or large is read request by
 * request for a while, so that nobody waits for another's page; if a shared statement fails, each request is answered
 * by one of its own.
 */

type Parameters = readonly (string | null)[]
type Item = { parameters: Parameters; presumed: CachedIdentity | undefined; scope: RequestScope | undefined }
type Reader<Row> = (item: Item) => Promise<Row>

const maxItems = 16

/**
 * Of one page in a shared statement. What takes longer, or is larger, gains little by sharing, and others would wait
 * for it.
 */
const maxPageMs = 10
const maxPageLength = 128 * 1024
/** A shape that turns out slow again and again is tried ever more rarely. */
const firstPauseMs = 10_000
const maxPauseMs = 3_600_000

/** Of each database, since that of a transaction sees what others do not. */
const readers = new WeakMap<Db, WeakMap<PreparedRead, Reader<object>>>()

/** Runs a select of one row. @param read one that is asked for in this shape again and again shares its statements */
export function readBatched<Row extends { body: string | null }>(
  db: Db,
  read: BoundRead,
  presumed: CachedIdentity | undefined,
): Promise<Row> {
  const { prepared, isShared } = read
  const item = { parameters: boundParameters(prepared.statement, read), presumed, scope: currentScope() }
  if (!isShared) return readOne<Row>(db, prepared, item)
  const ofDb = readers.get(db) ?? new WeakMap<PreparedRead, Reader<object>>()
  readers.set(db, ofDb)
  const cached = ofDb.get(prepared) as Reader<Row> | undefined
  if (cached) return cached(item)
  const reader = readerOf<Row>(db, prepared)
  ofDb.set(prepared, reader as Reader<object>)
  return reader(item)
}

function readerOf<Row extends { body: string | null }>(db: Db, prepared: PreparedRead): Reader<Row> {
  const places = (prepared.bindings ?? []).map(({ filter }) => prepared.statement.filters!.get(filter)!)
  const text = places.length > 0 ? batchText(prepared.statement, places) : null
  let pausedUntil = 0
  let pauseMs = firstPauseMs
  const pause = () => {
    pausedUntil = performance.now() + pauseMs
    pauseMs = Math.min(2 * pauseMs, maxPauseMs)
  }

  const readAll = async (items: Item[]): Promise<(Row | Promise<Row>)[]> => {
    if (items.length === 1) return [readOne<Row>(db, prepared, items[0]!)]
    const groups = groupsOf(items)
    const begunAt = performance.now()
    try {
      const rows = await inSharedScope(
        items.map(({ scope }) => scope),
        false,
        () => readGroups(groups, claimants(items)),
      )
      if (performance.now() - begunAt > maxPageMs * groups.length || rows.some(isLarge)) pause()
      return items.map((item) => rows[groups.findIndex((group) => group.includes(item))]!)
    } catch {
      pause()
      return items.map((item) => readOne<Row>(db, prepared, item))
    }
  }

  /** A row for each group, in their order. */
  const readGroups = async (groups: Item[][], presumed: CachedIdentity[]): Promise<Row[]> => {
    const { plan, statement } = prepared
    const [first] = groups as [[Item, ...Item[]]]
    if (groups.length === 1 || text === null) {
      return runProving<Row>(db.query, plan.table, { text: statement.text, parameters: [...first[0].parameters] }, presumed)
    }
    const lists = places.map((place) => arrayLiteral(groups.map(([item]) => item!.parameters[place]!)))
    const others = statement.parameters.filter((_, place) => !places.includes(place))
    const found = await runProving<Row & { place: number }>(db.query, plan.table, { text, parameters: [...lists, ...others] }, presumed)
    const rows = new Array<Row>(groups.length)
    for (const row of found) rows[row.place - 1] = row
    return rows
  }

  const read = createBatcher(readAll, { maxItems: maxItems })
  return (item) => (performance.now() < pausedUntil ? readOne<Row>(db, prepared, item) : read(item))
}

const isLarge = ({ body }: { body: string | null }) => body !== null && body.length > maxPageLength

const claimants = (items: Item[]): CachedIdentity[] => items.flatMap(({ presumed }) => presumed ?? [])

/** Those that ask for the same, with the same values. */
function groupsOf(items: Item[]): Item[][] {
  const groups: Item[][] = []
  for (const item of items) {
    const group = groups.find(([first]) => isSame(first!.parameters, item.parameters))
    if (group) group.push(item)
    else groups.push([item])
  }
  return groups
}

const isSame = (one: Parameters, other: Parameters) => one.every((value, place) => value === other[place])

async function readOne<Row extends object>(db: Db, { plan, statement }: PreparedRead, item: Item): Promise<Row> {
  const { parameters, scope } = item
  const work = () => runProving<Row>(db.query, plan.table, { text: statement.text, parameters: [...parameters] }, claimants([item]))
  const [row] = await (scope ? scope.run(work) : work())
  return row!
}
