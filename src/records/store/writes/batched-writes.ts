import { type CachedIdentity, requireVerified } from '../../../auth/identity/identity-check'
import { arrayLiteral } from '../../../db/arrays'
import { isOutcomeUnknown, sqlState } from '../../../db/errors'
import { createBatcher } from '../../../db/pool/batcher'
import type { Executor } from '../../../db/pool/open'
import { originText, writerOf } from '../../../db/pool/origin'
import { currentScope, type RequestScope } from '../../../db/pool/scope'
import { outcomeUnknown } from '../../../errors'
import { Lru } from '../../../lru'
import type { Table } from '../../../tables/model'
import { bind, type Statement } from '../../query/sql/statement'
import { changeList, insertShape, type KeyedChange, type Returning, updateEachShape } from '../../query/sql/write'
import { execute } from '../execute'
import { inSharedScope } from '../shared-scope'
import { isReadAgain, keysOnly, readWritten } from './read-again'
import { updateRows } from './row-writes'
import { runAtomically } from './transaction'
import type { WrittenRow } from './written-row'

/**
 * Writes of single records; `write-route.ts` decides which are batched. Similar writes that arrive together share one
 * statement and one commit, which cost little more than a single write. If PostgreSQL refuses the statement, each write
 * runs separately: so each request gets its own answer, and no request fails because of another one's record. The
 * statement that writes also verifies the cached identities, and writes nothing unless all are current.
 */

type BatchedWrite = {
  table: Table
  names: readonly string[]
  /** One JSON object, exactly as the client sent it. */
  json: string
  userId: string | null
  returning: Returning
  identity?: CachedIdentity | undefined
  isInSchema?: boolean
  /** The scope of the request that the write belongs to. */
  scope?: RequestScope
}
type BatchedChange = BatchedWrite & Pick<KeyedChange, 'key' | 'versions'>

/** `row` is undefined when nothing was written: a trigger skipped the record, or no record has this key and version. */
type BatchOutcome = { row: WrittenRow | undefined } | { error: unknown }
/** A write that runs separately is a promise, so that the other writes need not wait for it. */
type Outcomes = (BatchOutcome | Promise<BatchOutcome>)[]
type Writer<Kind> = (write: Kind) => Promise<BatchOutcome>

/** The statements of a writer, one for each shape. Writing the text for each request took a tenth of a write's time. */
class ShapeCache {
  readonly #shapes: (Statement | undefined)[] = []

  /** @param make the statement, with variables */
  get({ isVerifying, isExact }: { isVerifying: boolean; isExact: boolean }, make: () => Statement): Statement {
    const place = (isVerifying ? 2 : 0) + (isExact ? 1 : 0)
    this.#shapes[place] ??= make()
    return this.#shapes[place]
  }
}

/** The limits of a shared statement. A body longer than `maxBatchedLength` characters has a separate statement. */
const maxWrites = 50
const maxBatchedLength = 10_000
const maxWriters = 100

/** In the log of changes, a statement has one caller. */
const callerOf = (scope: RequestScope | undefined): string =>
  scope?.origin ? `${writerOf(scope.origin)} ${scope.origin.plugin ?? ''}` : ''

/** Keeps a writer for each table, set of columns, caller and kind of response. */
function writersOf<Kind extends BatchedWrite>(
  all: (executor: Executor, writes: Kind[], shapes: ShapeCache) => Promise<Outcomes>,
  one: (executor: Executor, write: Kind) => Promise<BatchOutcome>,
) {
  const known = new WeakMap<Executor, WeakMap<Table, Lru<string, Writer<Kind>>>>()

  const batcherOf = (executor: Executor, { table, names, userId, returning, scope, isInSchema = false }: Kind): Writer<Kind> => {
    const ofExecutor = known.get(executor) ?? new WeakMap<Table, Lru<string, Writer<Kind>>>()
    known.set(executor, ofExecutor)
    const ofTable = ofExecutor.get(table) ?? new Lru<string, Writer<Kind>>(maxWriters)
    ofExecutor.set(table, ofTable)
    const { plan, ...more } = returning
    const key = JSON.stringify([names, userId, plan !== undefined, more, table.runsFunctions && isInSchema, callerOf(scope)])
    const kept = ofTable.get(key)
    if (kept) return kept
    const shapes = new ShapeCache()
    // Not early: each batch is a commit, and one whole batch costs less than two half ones.
    const writer = createBatcher((writes: Kind[]) => all(executor, writes, shapes), { maxItems: maxWrites, isEarly: false })
    ofTable.set(key, writer)
    return writer
  }

  return async (executor: Executor, asked: Kind): Promise<WrittenRow | undefined> => {
    const write = { ...asked, scope: currentScope() }
    const isAlone = write.json.length > maxBatchedLength || unsharedTables.has(write.table)
    const outcome = await (isAlone ? one(executor, write) : batcherOf(executor, write)(write)).catch((error) => ({
      error,
    }))
    if (!('error' in outcome)) return outcome.row
    if (!isOutcomeUnknown(outcome.error)) throw outcome.error
    if (write.identity?.state === 'pending') write.identity.state = 'unknown'
    throw Object.assign(outcomeUnknown(), { cause: outcome.error })
  }
}

const originOf = (writes: readonly BatchedWrite[]) =>
  originText(
    writes.map(({ scope }) => scope?.origin),
    writes.length > 1 ? writes[0]!.table.id : undefined,
  )

const scopesOf = (writes: readonly BatchedWrite[]) => writes.map(({ scope }) => scope)

/** Runs work in the scope of the write's request. */
const byItself = <Result>({ scope }: BatchedWrite, work: () => Result): Result => (scope ? scope.run(work) : work())

const writeIdentities = (writes: readonly BatchedWrite[]): string[] => [
  ...new Set(writes.flatMap(({ identity }) => identity?.version ?? [])),
]

function noteVerified(writes: readonly BatchedWrite[], row: WrittenRow | undefined): void {
  if (row?.verified) for (const { identity } of writes) if (identity) identity.state = 'verified'
}

/**
 * The row of a write that ran separately. Only its own statement can verify its caller; an earlier shared one cannot.
 * @throws Failure like `requireVerified`
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

/** Raised by `rowhouse.log_changes`: the statement also changes rows whose requester is unknown. */
const unattributable = 'RW001'
/** Tables whose writes have separate statements, since a shared one could not be logged. */
const unsharedTables = new WeakSet<Table>()

/** If PostgreSQL refuses the statement, each write runs separately; after an unknown outcome it might be done twice. */
const noRowsUnlessUnknown =
  ({ table }: BatchedWrite) =>
  (error: unknown): never[] => {
    if (isOutcomeUnknown(error)) throw error
    if (sqlState(error) === unattributable) unsharedTables.add(table)
    return []
  }

const createOne = (executor: Executor, write: BatchedWrite, shapes = new ShapeCache()) =>
  outcomeOf(byItself(write, () => insertTogether(executor, [write], shapes)).then(([row]) => verifiedRow(write, row)))

async function createAll(executor: Executor, writes: BatchedWrite[], shapes: ShapeCache): Promise<Outcomes> {
  if (writes.length > 1) {
    const isWritten = (rows: readonly WrittenRow[]) => rows.length === writes.length
    const insert = () => insertTogether(executor, writes, shapes)
    const rows = await inSharedScope(scopesOf(writes), isWritten, insert).catch(noRowsUnlessUnknown(writes[0]!))
    noteVerified(writes, rows[0])
    if (isWritten(rows)) return rows.map((row) => ({ row }))
  }
  return writes.map((write) => createOne(executor, write, shapes))
}

/** Runs the statement, and reads the records again if its own result would not show all effects of the write. */
function writeTogether<Row extends WrittenRow>(
  executor: Executor,
  { table, returning }: BatchedWrite,
  statement: Statement,
): Promise<Row[]> {
  const needsTransaction = isReadAgain(table, returning)
  return runAtomically(executor, { needsTransaction }, async ({ query }) => {
    const rows = await execute<Row>(query, table, statement)
    return needsTransaction ? readWritten(query, table, returning, rows) : rows
  })
}

/** The values that the statement itself returns: only keys if the records are read again. */
const returnedAtOnce = ({ table, returning }: BatchedWrite) => (isReadAgain(table, returning) ? keysOnly(returning) : returning)

function insertTogether(executor: Executor, writes: BatchedWrite[], shapes: ShapeCache): Promise<WrittenRow[]> {
  const [{ table, names, userId, isInSchema }] = writes as [BatchedWrite]
  const returning = returnedAtOnce(writes[0]!)
  const identities = writeIdentities(writes)
  const kind = { isVerifying: identities.length > 0, isExact: writes.length > 1 }
  const shape = shapes.get(kind, () => insertShape({ table, names, userId, returning, isInSchema, isDefaultForMissing: false, ...kind }))
  const records = `[${writes.map(({ json }) => json).join(',')}]`
  const statement = bind(shape, { records, identities: arrayLiteral(identities), count: String(writes.length), origin: originOf(writes) })
  return writeTogether(executor, writes[0]!, statement)
}

function updateOne(executor: Executor, change: BatchedChange): Promise<BatchOutcome> {
  const { json, identity: _, ...target } = change
  const update = { ...target, json: `[${json}]`, identities: writeIdentities([change]) }
  const needsTransaction = isReadAgain(change.table, change.returning)
  const made = byItself(change, () => runAtomically(executor, { needsTransaction }, ({ query }) => updateRows(query, update)))
  return outcomeOf(made.then(({ rows }) => verifiedRow(change, rows[0])))
}

async function changeAll(executor: Executor, changes: BatchedChange[], shapes: ShapeCache): Promise<Outcomes> {
  const isWritten = (rows: readonly { place: number }[], index: number) => rows.some(({ place }) => place === index + 1)
  const rows =
    changes.length > 1 && !changes[0]!.table.leavesOutChanges
      ? await inSharedScope(scopesOf(changes), isWritten, () => changeEach(executor, changes, shapes)).catch(
          noRowsUnlessUnknown(changes[0]!),
        )
      : []
  noteVerified(changes, rows[0])
  const made = new Map(rows.map((row) => [row.place, row]))
  // The statement has no row for a record that it did not find, and one row for several changes of the same record.
  return changes.map((change, index) => (made.has(index + 1) ? { row: made.get(index + 1) } : updateOne(executor, change)))
}

function changeEach(executor: Executor, changes: BatchedChange[], shapes: ShapeCache): Promise<(WrittenRow & { place: number })[]> {
  const [{ table, names, userId, isInSchema }] = changes as [BatchedChange]
  const returning = returnedAtOnce(changes[0]!)
  const identities = writeIdentities(changes)
  const kind = { isVerifying: identities.length > 0, isExact: true }
  const shape = shapes.get(kind, () => updateEachShape({ table, names, userId, returning, isInSchema, isShared: true, ...kind }))
  const values = { records: changeList(changes), identities: arrayLiteral(identities), origin: originOf(changes) }
  return writeTogether(executor, changes[0]!, bind(shape, values))
}

/** Creates one record. @returns undefined when a trigger skipped it */
export const insertBatched = writersOf<BatchedWrite>(createAll, createOne)

/** Changes one record. @returns undefined when no record has this key and one of these versions */
export const updateBatched = writersOf<BatchedChange>(changeAll, updateOne)
