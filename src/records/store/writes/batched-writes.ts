import { type CachedIdentity, requireVerified } from '../../../auth/identity/identity-check'
import { arrayLiteral } from '../../../db/arrays'
import { createBatcher } from '../../../db/batcher'
import { isOutcomeUnknown } from '../../../db/errors'
import type { Executor } from '../../../db/open'
import { currentScope, type RequestScope } from '../../../db/scope'
import { outcomeUnknown } from '../../../errors'
import type { Table } from '../../../tables/model'
import { bind, type Statement } from '../../query/sql/statement'
import { changeList, insertShape, type KeyedChange, type Returning, updateEachShape } from '../../query/sql/write'
import { execute } from '../execute'
import { inSharedScope } from '../shared-scope'
import { updateRows, type WrittenRow } from './row-writes'
import { withTransaction } from './transaction'

/**
 * Writes of single records. Those that are sent together and are alike share one statement and one commit, which cost
 * little more than a single one does. If PostgreSQL refuses it, each is made by itself: so each request has an answer
 * of its own, and none fails for another one's record. A cached identity is verified by the statement that writes,
 * which writes nothing unless it is current.
 */

type BatchedWrite = {
  table: Table
  names: readonly string[]
  /** One JSON object, as it was sent. */
  json: string
  userId: string | null
  returning: Returning
  identity?: CachedIdentity | undefined
  isInSchema?: boolean
  /** Of the request that it is for. */
  scope?: RequestScope
}
type BatchedChange = BatchedWrite & Pick<KeyedChange, 'key' | 'versions'>

/** Undefined where nothing was written: a trigger left it out, or there was no such record in such a version. */
type BatchOutcome = { row: WrittenRow | undefined } | { error: unknown }
/** A write that is made by itself is a promise: the others are answered without waiting for it. */
type Outcomes = (BatchOutcome | Promise<BatchOutcome>)[]
type Writer<Kind> = (write: Kind) => Promise<BatchOutcome>

/**
 * The statements of a writer. Their text was a tenth of a write's time: it is written once for each of its few shapes.
 */
class ShapeCache {
  readonly #shapes: (Statement | undefined)[] = []

  /** @param make the statement, with variables */
  get({ isVerifying, isExact }: { isVerifying: boolean; isExact: boolean }, make: () => Statement): Statement {
    const place = (isVerifying ? 2 : 0) + (isExact ? 1 : 0)
    this.#shapes[place] ??= make()
    return this.#shapes[place]
  }
}

/** A statement holds no more than these; a larger body goes alone. */
const maxWrites = 50
const maxBatchedLength = 10_000
const maxWriters = 100

/** A writer for each table, set of columns, user and kind of answer. */
function writersOf<Kind extends BatchedWrite>(
  all: (executor: Executor, writes: Kind[], shapes: ShapeCache) => Promise<Outcomes>,
  one: (executor: Executor, write: Kind) => Promise<BatchOutcome>,
) {
  const known = new WeakMap<Executor, WeakMap<Table, Map<string, Writer<Kind>>>>()

  const writerOf = (executor: Executor, { table, names, userId, returning, isInSchema = false }: Kind): Writer<Kind> => {
    const ofExecutor = known.get(executor) ?? new WeakMap<Table, Map<string, Writer<Kind>>>()
    known.set(executor, ofExecutor)
    const ofTable = ofExecutor.get(table) ?? new Map<string, Writer<Kind>>()
    ofExecutor.set(table, ofTable)
    const { plan, ...more } = returning
    const key = JSON.stringify([names, userId, plan !== undefined, more, table.runsFunctions && isInSchema])
    const kept = ofTable.get(key)
    if (kept) return kept
    if (ofTable.size === maxWriters) ofTable.delete(ofTable.keys().next().value!)
    const shapes = new ShapeCache()
    // Not early: each batch is a commit, and two half batches would be two.
    const writer = createBatcher((writes: Kind[]) => all(executor, writes, shapes), { maxItems: maxWrites, isEarly: false })
    ofTable.set(key, writer)
    return writer
  }

  return async (executor: Executor, asked: Kind): Promise<WrittenRow | undefined> => {
    const write = { ...asked, scope: currentScope() }
    const outcome = await (write.json.length > maxBatchedLength ? one(executor, write) : writerOf(executor, write)(write)).catch(
      (error) => ({
        error,
      }),
    )
    if (!('error' in outcome)) return outcome.row
    if (!isOutcomeUnknown(outcome.error)) throw outcome.error
    if (write.identity?.state === 'pending') write.identity.state = 'unknown'
    throw Object.assign(outcomeUnknown(), { cause: outcome.error })
  }
}

const scopesOf = (writes: readonly BatchedWrite[]) => writes.map(({ scope }) => scope)

/** As the one request that it is for. */
const byItself = <Result>({ scope }: BatchedWrite, work: () => Result): Result => (scope ? scope.run(work) : work())

const writeIdentities = (writes: readonly BatchedWrite[]): string[] => [
  ...new Set(writes.flatMap(({ identity }) => identity?.version ?? [])),
]

function noteVerified(writes: readonly BatchedWrite[], row: WrittenRow | undefined): void {
  if (row?.verified) for (const { identity } of writes) if (identity) identity.state = 'verified'
}

/**
 * Of a write by itself: only its own statement says whether it was made by a verified caller, not one before it.
 * @throws Failure as `requireVerified`
 */
function verifiedRow({ identity }: BatchedWrite, row: WrittenRow | undefined): WrittenRow | undefined {
  if (!identity) return row
  identity.state = row?.verified ? 'verified' : 'pending'
  requireVerified(identity)
  return row?.isWritten ? row : undefined
}

const outcomeOf = (row: Promise<WrittenRow | undefined>): Promise<BatchOutcome> =>
  row.then(
    (made) => ({ row: made }),
    (error) => ({ error }),
  )

/** After a refusal all are written one by one; with an unknown outcome they could be written twice. */
function noRowsUnlessUnknown(error: unknown): never[] {
  if (isOutcomeUnknown(error)) throw error
  return []
}

const createOne = (executor: Executor, write: BatchedWrite, shapes = new ShapeCache()) =>
  outcomeOf(byItself(write, () => insertTogether(executor, [write], shapes)).then(([row]) => verifiedRow(write, row)))

async function createAll(executor: Executor, writes: BatchedWrite[], shapes: ShapeCache): Promise<Outcomes> {
  if (writes.length > 1) {
    const rows = await inSharedScope(scopesOf(writes), true, () => insertTogether(executor, writes, shapes)).catch(noRowsUnlessUnknown)
    noteVerified(writes, rows[0])
    if (rows.length === writes.length) return rows.map((row) => ({ row }))
  }
  return writes.map((write) => createOne(executor, write, shapes))
}

function insertTogether(executor: Executor, writes: BatchedWrite[], shapes: ShapeCache): Promise<WrittenRow[]> {
  const [{ table, names, userId, returning, isInSchema }] = writes as [BatchedWrite]
  const identities = writeIdentities(writes)
  const kind = { isVerifying: identities.length > 0, isExact: writes.length > 1 }
  const shape = shapes.get(kind, () => insertShape({ table, names, userId, returning, isInSchema, isDefaultForMissing: false, ...kind }))
  const records = `[${writes.map(({ json }) => json).join(',')}]`
  const statement = bind(shape, { records, identities: arrayLiteral(identities), count: String(writes.length) })
  return withTransaction(executor, {}, ({ query }) => execute<WrittenRow>(query, table, statement))
}

function updateOne(executor: Executor, change: BatchedChange): Promise<BatchOutcome> {
  const { json, identity: _, ...target } = change
  const update = { ...target, json: `[${json}]`, identities: writeIdentities([change]) }
  const made = byItself(change, () => withTransaction(executor, {}, ({ query }) => updateRows(query, update)))
  return outcomeOf(made.then(({ rows }) => verifiedRow(change, rows[0])))
}

async function changeAll(executor: Executor, changes: BatchedChange[], shapes: ShapeCache): Promise<Outcomes> {
  const rows =
    changes.length > 1 && !changes[0]!.table.leavesOutChanges
      ? await inSharedScope(scopesOf(changes), true, () => changeEach(executor, changes, shapes)).catch(noRowsUnlessUnknown)
      : []
  noteVerified(changes, rows[0])
  const made = new Map(rows.map((row) => [row.place, row]))
  // Those that the statement did not find, and of several for one record all but one.
  return changes.map((change, index) => (made.has(index + 1) ? { row: made.get(index + 1) } : updateOne(executor, change)))
}

function changeEach({ query }: Executor, changes: BatchedChange[], shapes: ShapeCache): Promise<(WrittenRow & { place: number })[]> {
  const [{ table, names, userId, returning, isInSchema }] = changes as [BatchedChange]
  const identities = writeIdentities(changes)
  const kind = { isVerifying: identities.length > 0, isExact: true }
  const shape = shapes.get(kind, () => updateEachShape({ table, names, userId, returning, isInSchema, ...kind }))
  return execute(query, table, bind(shape, { records: changeList(changes), identities: arrayLiteral(identities) }))
}

/** Makes one record. @returns undefined where a trigger left it out */
export const insertBatched = writersOf<BatchedWrite>(createAll, createOne)

/** Changes one record. @returns undefined where there is none with this key, or not in one of these versions */
export const updateBatched = writersOf<BatchedChange>(changeAll, updateOne)
