import type { CachedIdentity } from '../../../auth/identity/identity-check'
import { arrayLiteral } from '../../../db/arrays'
import { createBatcher } from '../../../db/pool/batcher'
import type { Executor } from '../../../db/pool/open'
import { currentScope, type RequestScope } from '../../../db/pool/scope'
import { batchText } from '../../query/sql/batch'
import type { Statement } from '../../query/sql/statement'
import { executeVerified } from '../execute'
import { inSharedScope } from '../shared-scope'
import { type BoundRead, boundParameters, type PreparedRead } from './prepared-reads'

/**
 * Simultaneous reads of one shape share one statement, which costs PostgreSQL and this process a fraction of separate
 * statements. When a shared statement is slow or large, the shape is read request by request for a while, so that no
 * request waits for another one's page. If a shared statement fails, each request is read by a separate statement.
 */

type BoundParameters = readonly (string | null)[]
type BatchedRead = { parameters: BoundParameters; identity: CachedIdentity | undefined; scope: RequestScope | undefined }
type BatchedReader<Row> = (item: BatchedRead) => Promise<Row>

const maxItems = 16

/**
 * The limits of one page in a shared statement. A slower or larger page gains little by sharing, and would make other
 * requests wait.
 */
const maxPageMs = 10
const maxPageLength = 128 * 1024
/** The pause doubles each time that the shape turns out slow again. */
const firstPauseMs = 10_000
const maxPauseMs = 3_600_000

const readersByShape = new WeakMap<Executor, WeakMap<PreparedRead, BatchedReader<object>>>()

type BodyRow = { body: string | null }

/**
 * Reads the row of a prepared read: in a shared statement if `isQuick`, otherwise in a separate statement that limits
 * its weight (`readWeighed`).
 * @param weighed makes the statement that weighs its rows
 */
export async function readPrepared<Row extends BodyRow>(
  executor: Executor,
  read: BoundRead,
  identity: CachedIdentity | undefined,
  isQuick: boolean,
  weighed: () => Statement,
): Promise<Row> {
  if (isQuick) return readBatched<Row>(executor, read, identity)
  const statement = weighed()
  const bound = { ...statement, parameters: boundParameters(statement, read) }
  const [row] = await executeVerified<Row>(executor.query, read.prepared.plan.table, bound, identity ? [identity] : [])
  return row!
}

/** Not shared within a transaction, which sees its own uncommitted changes. */
function readBatched<Row extends BodyRow>(executor: Executor, read: BoundRead, identity: CachedIdentity | undefined): Promise<Row> {
  const { prepared, isShared } = read
  const item = { parameters: boundParameters(prepared.statement, read), identity, scope: currentScope() }
  if (!isShared || executor.isTransaction) return readOne<Row>(executor, prepared, item)
  const ofExecutor = readersByShape.get(executor) ?? new WeakMap<PreparedRead, BatchedReader<object>>()
  readersByShape.set(executor, ofExecutor)
  const cached = ofExecutor.get(prepared) as BatchedReader<Row> | undefined
  if (cached) return cached(item)
  const reader = createBatchedReader<Row>(executor, prepared)
  ofExecutor.set(prepared, reader as BatchedReader<object>)
  return reader(item)
}

function createBatchedReader<Row extends BodyRow>(executor: Executor, prepared: PreparedRead): BatchedReader<Row> {
  const places = (prepared.bindings ?? []).map(({ filter }) => prepared.statement.filters!.get(filter)!)
  const text = places.length > 0 ? batchText(prepared.statement, places) : null
  let pausedUntil = 0
  let pauseMs = firstPauseMs
  const pause = () => {
    pausedUntil = performance.now() + pauseMs
    pauseMs = Math.min(2 * pauseMs, maxPauseMs)
  }

  const readAll = async (items: BatchedRead[]): Promise<(Row | Promise<Row>)[]> => {
    if (items.length === 1) return [readOne<Row>(executor, prepared, items[0]!)]
    const groups = groupsOf(items)
    const begunAt = performance.now()
    try {
      const rows = await inSharedScope(
        items.map(({ scope }) => scope),
        null,
        () => readGroups(groups, readIdentities(items)),
      )
      if (performance.now() - begunAt > maxPageMs * groups.length || rows.some(isLarge)) pause()
      return items.map((item) => rows[groups.findIndex((group) => group.includes(item))]!)
    } catch {
      pause()
      return items.map((item) => readOne<Row>(executor, prepared, item))
    }
  }

  /** Returns a row for each group, in the order of the groups. */
  const readGroups = async (groups: BatchedRead[][], identities: CachedIdentity[]): Promise<Row[]> => {
    const { plan, statement } = prepared
    const [first] = groups as [[BatchedRead, ...BatchedRead[]]]
    if (groups.length === 1 || text === null) {
      return executeVerified<Row>(executor.query, plan.table, { text: statement.text, parameters: [...first[0].parameters] }, identities)
    }
    const lists = places.map((place) => arrayLiteral(groups.map(([item]) => item!.parameters[place]!)))
    const others = statement.parameters.filter((_, place) => !places.includes(place))
    const found = await executeVerified<Row & { place: number }>(
      executor.query,
      plan.table,
      { text, parameters: [...lists, ...others] },
      identities,
    )
    const rows = new Array<Row>(groups.length)
    for (const row of found) rows[row.place - 1] = row
    return rows
  }

  const read = createBatcher(readAll, { maxItems: maxItems })
  return (item) => (performance.now() < pausedUntil ? readOne<Row>(executor, prepared, item) : read(item))
}

const isLarge = ({ body }: { body: string | null }) => body !== null && body.length > maxPageLength

const readIdentities = (items: BatchedRead[]): CachedIdentity[] => items.flatMap(({ identity }) => identity ?? [])

/** Groups the reads whose parameters are all equal. */
function groupsOf(items: BatchedRead[]): BatchedRead[][] {
  const groups: BatchedRead[][] = []
  for (const item of items) {
    const group = groups.find(([first]) => isSame(first!.parameters, item.parameters))
    if (group) group.push(item)
    else groups.push([item])
  }
  return groups
}

const isSame = (one: BoundParameters, other: BoundParameters) => one.every((value, place) => value === other[place])

async function readOne<Row extends object>(executor: Executor, { plan, statement }: PreparedRead, item: BatchedRead): Promise<Row> {
  const { parameters, scope } = item
  const work = () =>
    executeVerified<Row>(executor.query, plan.table, { text: statement.text, parameters: [...parameters] }, readIdentities([item]))
  const [row] = await (scope ? scope.run(work) : work())
  return row!
}
