import type { Query } from '../db/pool/open'
import { equal } from '../db/search-path'
import type { Table } from '../tables/model'
import { entryColumns, isKey, type LogEntry } from './log-entry'
import { readableDeleted } from './readable-deleted'

/** Greater than every id in the log. */
export const noChangeYet = '9223372036854775807'

/** A record in the log: the text of its key and the id of the first change that the caller may see. */
export type LoggedRecord = { table: Table; key: string; since: string }

/**
 * The keys that a record has had. `$1` is the table, `$2` the current key. The entry that gave the record a key holds
 * the previous key; earlier entries with the new key belong to another record.
 */
const spansOfRecord = `with recursive keys (key, below) as (
    select $2::text collate pg_catalog."C", ${noChangeYet}::bigint
    union all select l.old_key, l.id from keys k cross join lateral (select c.old_key, c.id from rowhouse.changes c
      where c.table_id ${equal} $1::uuid and ${isKey('c', 'k.key')} and c.id operator(pg_catalog.<) k.below and c.old_key is not null
      order by c.id desc limit 1) l),
  spans as (select key, below, coalesce(pg_catalog.lead(below) over (order by below desc), 0) as first from keys)`

/** The log entries of a record, including those from when it had another key. */
const ofRecord = `${spansOfRecord} select ${entryColumns} from spans s join rowhouse.changes c on c.table_id ${equal} $1::uuid and ${isKey('c', 's.key')}
    and c.id operator(pg_catalog.<) s.below and c.id operator(pg_catalog.>=) s.first`

/** A key of a record, with the ids of the changes while it had the key: `below` is an exclusive bound. */
type KeySpan = { key: string; first: string; below: string }

/** All keys that a record has had, latest first. */
export const keySpansOf = (query: Query, { table, key }: LoggedRecord): Promise<KeySpan[]> =>
  query<KeySpan>(
    `${spansOfRecord} select s.key, s.first::text as first, s.below::text as below from spans s order by s.below desc`,
    [table.id, key],
    { prepare: false },
  )

const entriesStatement = (direction: 'asc' | 'desc') => `${ofRecord}
  where c.id operator(pg_catalog.${direction === 'desc' ? '<' : '>'}) $3::bigint and c.id operator(pg_catalog.>=) $5::bigint
  order by c.id ${direction} limit $4::int`

/** @param from an exclusive bound of ids */
export const entriesOf = (
  query: Query,
  { table, key, since }: LoggedRecord,
  direction: 'asc' | 'desc',
  from: string,
  limit: number,
): Promise<LogEntry[]> => query<LogEntry>(entriesStatement(direction), [table.id, key, from, String(limit), since], { prepare: false })

const beginningsAndEnds = `${ofRecord} where c.operation ${equal} any('{insert,delete}') order by c.id desc`

/**
 * Restricts the history of a key to the record that the caller may read. Where access rules restrict the table, an
 * earlier record with the same key is included only if they could read it until it was deleted: then this one may be
 * that record, restored.
 */
export async function loggedRecord(query: Query, table: Table, key: string): Promise<LoggedRecord> {
  if (!table.access) return { table, key, since: '0' }
  const entries = await query<LogEntry>(beginningsAndEnds, [table.id, key], { prepare: false })
  const deleted = entries.filter(({ operation }) => operation === 'delete')
  const readable = new Set<LogEntry | undefined>(await readableDeleted(query, table, deleted))
  const first = entries.find((entry, index) => !readable.has(entry.operation === 'delete' ? entry : entries[index + 1]))
  if (!first) return { table, key, since: '0' }
  return { table, key, since: first.operation === 'delete' ? String(BigInt(first.id) + 1n) : first.id }
}
