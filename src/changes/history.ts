import type { Executor, Query } from '../db/open'
import { equal } from '../db/search-path'
import { conflict, notFound } from '../errors'
import { translatable } from '../messages/message'
import { wholePlan } from '../records/query/plan/read'
import { recordByKey } from '../records/query/sql/keys'
import { execute } from '../records/store/execute'
import { writeKey } from '../records/store/key'
import { requireReadable } from '../records/store/rights'
import type { RecordWriter, WrittenRecord } from '../records/store/service'
import { updateRecord } from '../records/store/service'
import type { Tables } from '../tables/catalog/catalog'
import type { Column, Table } from '../tables/model'
import { linkChanges, withLinkChanges } from './link-changes'
import { entryColumns, isKey, type LogEntry, type NamedColumns, namedColumns, toChange, valuesToday } from './log-entry'
import { logKey } from './log-key'
import type { ChangePage, HistoryQuery } from './model'
import { readableDeleted } from './readable-deleted'

export const historyLimit = 50

/** Greater than every id in the log. */
export const noChangeYet = '9223372036854775807'

/**
 * The changes of one record, also from the time when it had another key. `$1` is the table, `$2` an exclusive upper
 * bound of ids.
 */
const recordEntries = (direction: 'asc' | 'desc') => `with recursive keys (key, below) as (
    select $4::text collate pg_catalog."C", ${noChangeYet}::bigint
    union select c.old_key, c.id from keys k join rowhouse.changes c on c.table_id ${equal} $1::uuid and ${isKey('c', 'k.key')}
      and c.id operator(pg_catalog.<) k.below and c.old_key is not null)
  select ${entryColumns} from keys k join rowhouse.changes c on c.table_id ${equal} $1::uuid and ${isKey('c', 'k.key')} and c.id operator(pg_catalog.<) k.below
  where c.id operator(pg_catalog.${direction === 'desc' ? '<' : '>'}) $2::bigint order by c.id ${direction} limit $3::int`

const entriesOf = (query: Query, table: Table, key: string, direction: 'asc' | 'desc', from: string, limit: number) =>
  query<LogEntry>(recordEntries(direction), [table.id, from, String(limit), key], { prepare: false })

const noRecord = () => notFound(translatable('There is no record with this key.'))

/**
 * @returns the key's text in the log
 * @throws Failure not_found unless the caller may read the record, or could read it until it was deleted
 */
async function requireReadableRecord({ query }: Executor, table: Table, key: readonly string[]): Promise<string> {
  requireReadable(table)
  const [found] = await execute(query, table, recordByKey(wholePlan(table), key))
  const logged = await logKey(query, table, key)
  if (found) return logged
  const [last] = await entriesOf(query, table, logged, 'desc', noChangeYet, 1)
  if (last?.operation !== 'delete' || (await readableDeleted(query, table, [last])).length === 0) throw noRecord()
  return logged
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
  const logged = await requireReadableRecord(executor, table, key)
  const entries = await entriesOf(query, table, logged, 'desc', before, limit + 1)
  const columns = await namedColumns(query, table)
  const links = await linkChanges(query, tables, table, { logged, pk: writeKey(key), before })
  const own = entries.map((entry) => ({ xid: entry.xid, change: toChange(entry, columns, table) }))
  const all = withLinkChanges(own, links)
  const page = all.slice(0, limit)
  return { changes: page, nextBefore: all.length > limit ? page.at(-1)!.id : null }
}

/** How many later changes are read to reconstruct a state; a record with more cannot be restored to it. */
const maxLaterChanges = 10_000

/**
 * Gives a record the values that it had right after a change.
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
  const logged = await requireReadableRecord(executor, table, change.key)
  const [itself] = await entriesOf(query, table, logged, 'desc', String(BigInt(changeId) + 1n), 1)
  // Links to many may have changed at a time when nothing else did.
  if (!itself) throw notFound(translatable('This record has no such change.'))
  const later = await entriesOf(query, table, logged, 'asc', changeId, maxLaterChanges + 1)
  if (later.length > maxLaterChanges)
    throw conflict(
      translatable('The record has changed more than {maxLaterChanges} times since, too often to be restored.', { maxLaterChanges }),
    )
  const columns = await namedColumns(query, table)
  const values = stateBefore(later, columns, table)
  const json = JSON.stringify(values)
  return updateRecord(executor, writer, table, change, { records: JSON.parse(json), json })
}

/** The state before the first of the changes: the previous value of each column that they changed. */
function stateBefore(later: readonly LogEntry[], columns: NamedColumns, { primaryKey }: Table): Record<string, unknown> {
  const isWanted = (column: Column) => isRestorable(column) && !primaryKey.includes(column.name)
  const states = later.map(({ id, oldValues }) => valuesToday(oldValues, id, columns, isWanted))
  return Object.assign({}, ...states.reverse())
}

/** Not the columns for who changed a record last and when, which the restoring itself sets. */
export const isRestorable = ({ filledBy, isWritable, access }: Column): boolean =>
  isWritable && !access?.isReadOnly && (filledBy === 'caller' || filledBy === 'default' || filledBy === 'identity')
