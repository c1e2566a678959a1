import { isKey } from '../../changes/log-entry'
import { logKey } from '../../changes/log-key'
import { arrayLiteral } from '../../db/arrays'
import type { Query } from '../../db/pool/open'
import { equal, operator } from '../../db/search-path'
import type { Table } from '../../tables/model'
import { closedLink } from '../opening/refusal'

/** A link that exists, to the record of which it has the key. */
export type RecordLink = { id: string; createdAt: Date }

/** Columns that have another value when a deleted record is restored. */
const filledByUs = ({ columns }: Table): string[] =>
  columns.filter(({ filledBy }) => ['rowhouse', 'generated', 'identityAlways'].includes(filledBy)).map(({ name }) => name)

/**
 * A record that got the key after the link was created is another one, unless it has the values with which the earlier
 * one was deleted: then it was restored. Such a link ends for good, because the log forgets (docs/share-links.md).
 * @throws Failure not_found
 */
export async function requireSameRecord(query: Query, table: Table, key: readonly string[], { id, createdAt }: RecordLink): Promise<void> {
  const values = (name: string) => `(${name}::jsonb ${operator('-')} $4::text[])`
  const [reused] = await query(
    `select from (select c.operation, c.new_values, pg_catalog.lag(c.operation) over w as before, pg_catalog.lag(c.old_values) over w as deleted
       from rowhouse.changes c where c.table_id ${equal} $1::uuid and ${isKey('c', '$2::text')} and c.at ${operator('>')} $3::timestamptz
       and (c.operation ${equal} any('{insert,delete}') or c.old_key is not null) window w as (order by c.id)) c
     where c.operation operator(pg_catalog.<>) 'delete' and (c.operation ${equal} 'insert' and c.before ${equal} 'delete'
       and ${values('c.deleted')} ${equal} ${values('c.new_values')}) is not true limit 1`,
    [table.id, await logKey(query, table, key), createdAt.toISOString(), arrayLiteral(filledByUs(table))],
    { prepare: false },
  )
  if (!reused) return
  await query('update rowhouse.share_links set revoked_at = pg_catalog.now() where id = $1::uuid and revoked_at is null', [id])
  throw closedLink()
}
