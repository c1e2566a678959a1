import { type CachedIdentity, requireVerified } from '../../auth/identity/identity-check'
import { arrayLiteral } from '../../db/arrays'
import { createBatcher } from '../../db/batcher'
import { isOutcomeUnknown } from '../../db/errors'
import type { Db } from '../../db/open'
import { currentScope, type RequestScope } from '../../db/scope'
import { outcomeUnknown } from '../../errors'
import type { Table } from '../../tables/model'
import type { RecordBody } from '../model'
import { bind, type Statement } from '../query/sql/statement'
import { changeList, insertShape, type KeyedChange, type Returning, updateEachShape } from '../query/sql/write'
import { run } from './execute'
import { updateRows, type WrittenRow } from './row-writes'
import { inSharedScope } from './shared-scope'
import { writing } from './transaction'

/**
 * Writes of single records. Those that are sent together and are alike share one statement and one commit, which cost
 * little more than a single one does. If PostgreSQL refuses it, each is made by itself: so each request has an answer
 * of its own, and none fails for another one's record. Whoever is only presumed to write is proven by the statement
 * that writes, which writes nothing else: a row that comes back is the proof.
 */

type Write = {
  table: Table
  names: readonly string[]
  body: RecordBody
  text: string
  userId: string | null
  returning: Returning
  presumed?: CachedIdentity
  isInSchema?: boolean
  /** Of the request that it is for. */
  scope?: RequestScope
}
type Change = Write & Pick<KeyedChange, 'key' | 'versions'>

/** Undefined where nothing was written: a trigger left it out, or there was no such record in such a version. */
type Outcome = { row: WrittenRow | undefined } | { error: unknown }
/** What has to be made by itself is not waited for by the others. */
type Outcomes = (Outcome | Promise<Outcome>)[]
type Writer<Kind> = (write: Kind) => Promise<Outcome>

/**
 * The statements of a writer. Their text was a tenth of a write's time: it is written once for each of its few shapes.
 */
class ShapeCache {
  readonly #shapes: (Statement | undefined)[] = []

  /** @param make the statement, with variables */
  get({ isPresumed, isExact }: { isPresumed: boolean; isExact: boolean }, make: () => Statement): Statement {
    const place = (isPresumed ? 2 : 0) + (isExact ? 1 : 0)
    this.#shapes[place] ??= make()
    return this.#shapes[place]
  }
}

/** A statement holds no more than these; a larger body goes alone. */
const mostTogether = 50
const longestShared = 10_000
const mostWriters = 100

/** A writer for each table, set of columns, user and kind of answer. */
function writersOf<Kind extends Write>(
  all: (db: Db, writes: Kind[], shapes: ShapeCache) => Promise<Outcomes>,
  one: (db: Db, write: Kind) => Promise<Outcome>,
) {
  const known = new WeakMap<Db, WeakMap<Table, Map<string, Writer<Kind>>>>()

  const writerOf = (db: Db, { table, names, userId, returning, isInSchema = false }: Kind): Writer<Kind> => {
    const ofDb = known.get(db) ?? new WeakMap<Table, Map<string, Writer<Kind>>>()
    known.set(db, ofDb)
    const ofTable = ofDb.get(table) ?? new Map<string, Writer<Kind>>()
    ofDb.set(table, ofTable)
    const { plan, ...more } = returning
    const key = JSON.stringify([names, userId, plan !== undefined, more, table.runsFunctions && isInSchema])
    const kept = ofTable.get(key)
    if (kept) return kept
    if (ofTable.size === mostWriters) ofTable.delete(ofTable.keys().next().value!)
    // Each group is a commit, so half a group would be one more.
    const shapes = new ShapeCache()
    const writer = createBatcher((writes: Kind[]) => all(db, writes, shapes), { maxItems: mostTogether, isEarly: false })
    ofTable.set(key, writer)
    return writer
  }

  return async (db: Db, asked: Kind): Promise<WrittenRow | undefined> => {
    const write = { ...asked, scope: currentScope() }
    const outcome = await (write.text.length > longestShared ? one(db, write) : writerOf(db, write)(write)).catch((error) => ({ error }))
    if (!('error' in outcome)) return outcome.row
    if (!isOutcomeUnknown(outcome.error)) throw outcome.error
    if (write.presumed?.state === 'pending') write.presumed.state = 'unknown'
    throw Object.assign(outcomeUnknown(), { cause: outcome.error })
  }
}

const scopesOf = (writes: readonly Write[]) => writes.map(({ scope }) => scope)

/** As the one request that it is for. */
const byItself = <Result>({ scope }: Write, work: () => Result): Result => (scope ? scope.run(work) : work())

const claimsOf = (writes: readonly Write[]): string[] => [...new Set(writes.flatMap(({ presumed }) => presumed?.version ?? []))]

function noteProof(writes: readonly Write[], row: WrittenRow | undefined): void {
  if (row?.proven) for (const { presumed } of writes) if (presumed) presumed.state = 'verified'
}

/**
 * Of a write by itself: whether it was made says its own proof only, not that of a statement before it.
 * @throws Failure as `requireVerified`
 */
function proven({ presumed }: Write, row: WrittenRow | undefined): WrittenRow | undefined {
  if (!presumed) return row
  presumed.state = row?.proven ? 'verified' : 'pending'
  requireVerified(presumed)
  return row?.isWritten ? row : undefined
}

const outcomeOf = (row: Promise<WrittenRow | undefined>): Promise<Outcome> =>
  row.then(
    (made) => ({ row: made }),
    (error) => ({ error }),
  )

/** What may be there already is not made again. */
function noneMade(error: unknown): never[] {
  if (isOutcomeUnknown(error)) throw error
  return []
}

const createOne = (db: Db, write: Write, shapes = new ShapeCache()) =>
  outcomeOf(byItself(write, () => insert(db, [write], shapes)).then(([row]) => proven(write, row)))

async function createAll(db: Db, writes: Write[], shapes: ShapeCache): Promise<Outcomes> {
  if (writes.length > 1) {
    const rows = await inSharedScope(scopesOf(writes), true, () => insert(db, writes, shapes)).catch(noneMade)
    noteProof(writes, rows[0])
    if (rows.length === writes.length) return rows.map((row) => ({ row }))
  }
  return writes.map((write) => createOne(db, write, shapes))
}

function insert(db: Db, writes: Write[], shapes: ShapeCache): Promise<WrittenRow[]> {
  const [{ table, names, userId, returning, isInSchema }] = writes as [Write]
  const claims = claimsOf(writes)
  const kind = { isPresumed: claims.length > 0, isExact: writes.length > 1 }
  const shape = shapes.get(kind, () => insertShape({ table, names, userId, returning, isInSchema, isDefaultForMissing: false, ...kind }))
  const records = `[${writes.map(({ text }) => text).join(',')}]`
  const statement = bind(shape, { records, claims: arrayLiteral(claims), count: String(writes.length) })
  return writing(db, {}, (query) => run<WrittenRow>(query, table, statement))
}

function changeOne(db: Db, change: Change): Promise<Outcome> {
  const { text, presumed: _, ...target } = change
  const update = { ...target, json: `[${text}]`, claims: claimsOf([change]) }
  const made = byItself(change, () => writing(db, {}, (query) => updateRows(query, update)))
  return outcomeOf(made.then(({ rows }) => proven(change, rows[0])))
}

async function changeAll(db: Db, changes: Change[], shapes: ShapeCache): Promise<Outcomes> {
  const rows =
    changes.length > 1 && !changes[0]!.table.leavesOutChanges
      ? await inSharedScope(scopesOf(changes), true, () => changeEach(db, changes, shapes)).catch(noneMade)
      : []
  noteProof(changes, rows[0])
  const made = new Map(rows.map((row) => [row.place, row]))
  // Those that the statement did not find, and of several for one record all but one.
  return changes.map((change, index) => (made.has(index + 1) ? { row: made.get(index + 1) } : changeOne(db, change)))
}

function changeEach(db: Db, changes: Change[], shapes: ShapeCache): Promise<(WrittenRow & { place: number })[]> {
  const [{ table, names, userId, returning, isInSchema }] = changes as [Change]
  const claims = claimsOf(changes)
  const kind = { isPresumed: claims.length > 0, isExact: true }
  const shape = shapes.get(kind, () => updateEachShape({ table, names, userId, returning, isInSchema, ...kind }))
  return run(db.query, table, bind(shape, { records: changeList(changes), claims: arrayLiteral(claims) }))
}

/** Makes one record. @returns undefined where a trigger left it out */
export const createTogether = writersOf<Write>(createAll, createOne)

/** Changes one record. @returns undefined where there is none with this key, or not in one of these versions */
export const changeTogether = writersOf<Change>(changeAll, changeOne)
