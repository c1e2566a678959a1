import type { Executor, Query } from '../db/pool/open'
import { conflict, notFound } from '../errors'
import { translatable } from '../messages/message'
import { wholePlan } from '../records/query/plan/read'
import { recordByKey } from '../records/query/sql/keys'
import { execute } from '../records/store/execute'
import { requireReadable } from '../records/store/rights'
import type { RecordWriter, WrittenRecord } from '../records/store/service'
import { updateRecord } from '../records/store/service'
import type { Tables } from '../tables/catalog/catalog'
import type { Column, Table } from '../tables/model'
import { type LinkChange, linkChanges, type WholeChange, withLinkChanges } from './link-changes'
import { type LogEntry, type NamedColumns, namedColumns, toChange, valuesToday } from './log-entry'
import { logKey, noLoggedRecord } from './log-key'
import type { Change, ChangePage, HistoryQuery } from './model'
import { entriesOf, type LoggedRecord, loggedRecord, noChangeYet } from './record-entries'
import { requireLoggedForms } from './restored-rows'

export const historyLimit = 50

/** @throws Failure not_found unless the caller may read the record, or could read it until it was deleted */
async function getLoggedRecord({ query }: Executor, table: Table, key: readonly string[]): Promise<LoggedRecord> {
  requireReadable(table)
  const logged = await logKey(query, table, key)
  const [found] = await execute(query, table, recordByKey(wholePlan(table), key))
  const record = await loggedRecord(query, table, logged)
  if (found) return record
  const [last] = await entriesOf(query, record, 'desc', noChangeYet, 1)
  if (last?.operation !== 'delete') throw noLoggedRecord()
  return record
}

/** @throws Failure not_found, forbidden */
export async function recordHistory(
  executor: Executor,
  tables: Tables,
  table: Table,
  key: readonly string[],
  { limit = historyLimit, before = noChangeYet }: HistoryQuery,
): Promise<ChangePage> {
  const { query } = executor
  const record = await getLoggedRecord(executor, table, key)
  const { own, next: ownNext } = await ownChanges(query, record, before, limit)
  const { links, next } = await linkChanges(query, tables, record, before, ownNext)
  const ofRecord = links.filter((link) => ownNext !== null || !isEarlier(link, own.at(-1)))
  const ofPage = own.filter(({ change }) => next === null || BigInt(change.id) >= BigInt(next))
  const all = withLinkChanges(ofPage, ofRecord)
  const page = all.slice(0, limit)
  const following = all[limit]
  return { changes: page.map(({ change }) => change), nextBefore: following ? boundBetween(page.at(-1)!, following) : next }
}

/** The links of a change may have lower ids than the change itself; the next page leaves them out. */
function boundBetween({ least }: WholeChange, following: WholeChange): string {
  const afterFollowing = BigInt(following.change.id) + 1n
  return String(least > afterFollowing ? least : afterFollowing)
}

/** Join tables of the same name share one log, so it may contain links of a record with this key in a deleted table. */
const isEarlier = ({ xid, change }: LinkChange, first: LinkChange | undefined): boolean =>
  first?.change.action === 'create' && xid !== first.xid && BigInt(change.id) < BigInt(first.change.id)

/** The number of parts of the log that are read for one page, and the size of each after the first. */
const [maxParts, partSize] = [10, 100]

/**
 * The changes of a record's own columns, latest first: one more than the limit if that many exist. Leaves out changes
 * that affect only columns hidden by access rules. `next` is the id of the last change read, if such changes have used
 * up all parts.
 */
async function ownChanges(query: Query, record: LoggedRecord, before: string, limit: number) {
  const { table } = record
  const columns = await namedColumns(query, table)
  const own: { xid: string; change: Change }[] = []
  let next: string | null = before
  for (let part = 0; part < maxParts && next !== null && own.length <= limit; part++) {
    const size = part === 0 ? limit + 1 : partSize
    const entries: LogEntry[] = await entriesOf(query, record, 'desc', next, size)
    const changes = entries.map((entry) => ({ xid: entry.xid, change: toChange(entry, columns, table) }))
    own.push(...changes.filter(({ change }) => !table.access || !isHiddenChange(change)))
    next = entries.length < size ? null : entries.at(-1)!.id
  }
  return { own, next: own.length > limit ? null : next }
}

const isHiddenChange = ({ action, oldPk, changes }: Change): boolean => action === 'update' && oldPk === null && changes.length === 0

/**
 * The maximum number of later changes that are read to reconstruct a state; a record with more cannot be restored to
 * it.
 */
const maxLaterChanges = 10_000

/**
 * Restores the values that a record had right after a change.
 * @throws Failure not_found, precondition_failed, validation_failed, conflict, forbidden
 */
export async function restoreRecord(
  executor: Executor,
  writer: RecordWriter,
  table: Table,
  change: { key: readonly string[]; versions: string[] | null },
  changeId: string,
): Promise<WrittenRecord> {
  const { query } = executor
  const record = await getLoggedRecord(executor, table, change.key)
  const [itself] = await entriesOf(query, record, 'desc', String(BigInt(changeId) + 1n), 1)
  // Links to many may have changed when nothing else did.
  if (!itself) throw notFound(translatable('This record has no such change.'))
  const later = await entriesOf(query, record, 'asc', changeId, maxLaterChanges + 1)
  if (later.length > maxLaterChanges)
    throw conflict(
      translatable('The record has changed more than {maxLaterChanges} times since, too often to be restored.', { maxLaterChanges }),
    )
  const columns = await namedColumns(query, table)
  const json = JSON.stringify(stateBefore(later, columns, table))
  return updateRecord(executor, writer, table, change, { records: JSON.parse(json), json })
}

/**
 * The state before the first of the changes: the previous value of each column that they changed.
 * @throws Failure validation_failed for values that have a different meaning under the current types
 */
function stateBefore(later: readonly LogEntry[], columns: NamedColumns, table: Table): Record<string, unknown> {
  const isWanted = (column: Column) => isRestorable(column) && !table.primaryKey.includes(column.name)
  const states = later.map(({ id, oldValues }) => ({ id, values: valuesToday(oldValues, id, columns, isWanted) }))
  // Assigning to a column called __proto__ would set the prototype.
  const state = Object.fromEntries(states.toReversed().flatMap(({ values }) => Object.entries(values)))
  const loggedIn = ({ name }: Column) => states.find(({ values }) => Object.hasOwn(values, name))!.id
  requireLoggedForms(table, state, (column) => columns.all.meantOther(column, loggedIn(column)))
  return state
}

/** Excludes the columns that describe the last change of a record, which a restore itself sets. */
export const isRestorable = ({ filledBy, isWritable, access }: Column): boolean =>
  isWritable && !access?.isReadOnly && (filledBy === 'caller' || filledBy === 'default' || filledBy === 'identity')
