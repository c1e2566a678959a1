import type { Executor, Query } from '../db/pool/open'
import { equal } from '../db/search-path'
import { conflict, notFound } from '../errors'
import { translatable } from '../messages/message'
import { throwWriteFailure } from '../records/store/errors'
import { writeKey } from '../records/store/key'
import { requireReadable, requireWritable } from '../records/store/rights'
import { answerPlan, type RecordWriter, refreshRecords, type WrittenRecord } from '../records/store/service'
import { runAtomically } from '../records/store/writes/transaction'
import type { Table } from '../tables/model'
import { historyLimit } from './history'
import { authorOf, entryColumns, isKey, keyParts, type LogEntry, loggedColumns, namedColumns, valuesToday } from './log-entry'
import type { HistoryQuery, TrashPage } from './model'
import { readableDeleted } from './readable-deleted'
import { noChangeYet } from './record-entries'
import { markRestored } from './restored-entries'
import { restoreLinks } from './restored-links'
import { insertDeleted } from './restored-rows'

/** The condition for the last change of a deleted record. `$1` is the table. */
const isInTrash = `c.table_id ${equal} $1::uuid and c.operation ${equal} 'delete' and not exists (select from rowhouse.changes l
  where l.table_id ${equal} $1::uuid and ${isKey('l', 'c.key')} and l.id operator(pg_catalog.>) c.id)`

/** The number of log pages that are searched for one page of the trash if access rules hide many entries. */
const maxReads = 20

/**
 * Lists deleted records, latest deletion first.
 * @throws Failure forbidden
 */
export async function listTrash(
  { query }: Executor,
  table: Table,
  { limit = historyLimit, before = noChangeYet }: HistoryQuery,
): Promise<TrashPage> {
  requireReadable(table)
  const columns = await namedColumns(query, table)
  const found: LogEntry[] = []
  let next: string | null = before
  for (let look = 0; look < maxReads && next !== null && found.length < limit; look++) {
    const entries: LogEntry[] = await query<LogEntry>(
      `select ${entryColumns} from rowhouse.changes c where ${isInTrash} and c.id operator(pg_catalog.<) $2::bigint order by c.id desc limit $3::int`,
      [table.id, next, String(limit + 1)],
    )
    const page = entries.slice(0, limit)
    const readable = (await readableDeleted(query, table, page)).slice(0, limit - found.length)
    found.push(...readable)
    next = found.length === limit ? readable.at(-1)!.id : entries.length > limit ? page.at(-1)!.id : null
  }
  const records = found.map((entry) => ({
    ...{ id: entry.id, at: entry.at, pk: writeKey(keyParts(entry.key)), by: authorOf(entry), requestId: entry.requestId },
    record: valuesToday(entry.oldValues, entry.id, columns, () => true),
  }))
  return { records, nextBefore: next }
}

/**
 * Recreates a deleted record: its key, its values, and its links to existing records.
 * @throws Failure not_found, conflict (a record has its key or a unique value), forbidden, validation_failed
 */
export async function restoreDeleted(executor: Executor, writer: RecordWriter, table: Table, changeId: string): Promise<WrittenRecord> {
  requireWritable(table, 'insert')
  return runAtomically(executor, { isDryRun: writer.isDryRun, needsTransaction: true }, async (inside) => {
    const { query } = inside
    const entry = await deletedEntry(query, table, changeId)
    const returning = { plan: answerPlan(table, writer), hasKey: true, hasVersion: true }
    const columns = await loggedColumns(query, table)
    const { rows } = await insertDeleted(inside, { table, columns, userId: writer.userId, returning }, [entry])
    await markRestored(query, table.id, [entry])
    await restoreLinks(query, writer.tables, table, entry)
    const { record: json = '{}', version = '', key } = rows[0] ?? {}
    const record: WrittenRecord = { json, version, key: JSON.parse(key ?? '[]'), isNew: true }
    if (key) await refreshRecords(inside, writer, table, new Map([[key, record]]))
    return record
  }).catch((error) => throwWriteFailure(error, table))
}

async function deletedEntry(query: Query, table: Table, changeId: string): Promise<LogEntry> {
  const [entry] = await query<LogEntry>(
    `select ${entryColumns} from rowhouse.changes c where c.table_id ${equal} $1::uuid and c.id ${equal} $2::bigint and c.operation ${equal} 'delete'`,
    [table.id, changeId],
  )
  if (!entry || (await readableDeleted(query, table, [entry])).length === 0)
    throw notFound(translatable('There is no such record in the trash.'))
  const [isThere] = await query(`select from rowhouse.changes c where ${isInTrash} and c.id ${equal} $2::bigint`, [table.id, changeId])
  if (!isThere) throw conflict(translatable('The record has already been restored, or another record has its key.'))
  return entry
}
