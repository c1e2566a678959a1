import { arrayLiteral } from '../db/arrays'
import type { Query } from '../db/pool/open'
import { equal } from '../db/search-path'
import { isKey, type LogEntry } from './log-entry'

/**
 * Marks the records that this transaction inserted as restored in the log, so that they do not count as new records
 * with the same key.
 */
export async function markRestored(query: Query, tableId: string, deletions: readonly Pick<LogEntry, 'id' | 'key'>[]): Promise<void> {
  // `at` selects the partition: it is the beginning of the transaction, rounded.
  await query(
    `update rowhouse.changes c set restores = d.id from rows from (pg_catalog.unnest($2::bigint[]), pg_catalog.unnest($3::text[])) d (id, key)
     where c.table_id ${equal} $1::uuid and ${isKey('c', 'd.key')} and c.at operator(pg_catalog.>=) (pg_catalog.now() operator(pg_catalog.-) interval '1 second')
       and c.xid ${equal} pg_catalog.pg_current_xact_id_if_assigned() and c.operation ${equal} 'insert' and c.restores is null`,
    [tableId, arrayLiteral(deletions.map(({ id }) => id)), arrayLiteral(deletions.map(({ key }) => key))],
    { prepare: false },
  )
}
