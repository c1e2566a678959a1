import { isKey, keyParts } from '../../changes/log-entry'
import { logKey } from '../../changes/log-key'
import { noChangeYet } from '../../changes/record-entries'
import type { Db, Query } from '../../db/pool/open'
import { equal, operator } from '../../db/search-path'
import type { Table } from '../../tables/model'
import { closedLink } from '../opening/refusal'
import { endLink, rememberChange } from '../service'

/** A link that exists, and the last change up to which its record is known to have the key; null for an older link. */
export type RecordLink = { id: string; createdAt: Date; lastChange: bigint | null }

/** The id of the last change of a key, in transactions that began until a time; 0 if the log has none. */
export async function lastChangeOf(query: Query, table: Table, key: readonly string[], until?: Date): Promise<bigint> {
  const [last] = await query<{ id: string }>(
    `select c.id::text as id from rowhouse.changes c where c.table_id ${equal} $1::uuid and ${isKey('c', '$2::text')}
       and c.at ${operator('<=')} coalesce($3::timestamptz, 'infinity') order by c.id desc limit 1`,
    [table.id, await logKey(query, table, key), until?.toISOString() ?? null],
    { prepare: false },
  )
  return BigInt(last?.id ?? 0)
}

/**
 * Follows the record that has a key back to a change, step by step: a change of the key leads to the previous key, a
 * restore to the deletion. The key is null if the record was created. `$1` is the table, `$2` the key, `$3` the change.
 * Changes of one key have ids in their order, so a transaction that began before that change is also found.
 */
const lastStep = `with recursive steps (key, below, id) as (
    select $2::text collate pg_catalog."C", ${noChangeYet}::bigint, null::bigint
    union all select case when l.operation ${equal} 'update' then l.old_key when l.restores is not null then s.key end, coalesce(l.restores, l.id), l.id
      from steps s cross join lateral (select c.id, c.operation, c.old_key, c.restores from rowhouse.changes c
        where c.table_id ${equal} $1::uuid and ${isKey('c', 's.key')} and c.id ${operator('<')} s.below and c.id ${operator('>')} $3::bigint
          and (c.operation ${equal} 'insert' or c.old_key is not null) order by c.id desc limit 1) l)
  select key, below ${operator('>')} $3::bigint as "isLater", (pg_catalog.max(id) over ())::text as "lastChange" from steps order by below limit 1`

type Step = { key: string | null; isLater: boolean; lastChange: string | null }

/**
 * Ends the link for good if its key now belongs to another record, because the log is not kept forever
 * (docs/share-links.md).
 * @throws Failure not_found
 */
export async function requireSameRecord(
  db: Db,
  table: Table,
  key: readonly string[],
  { id, createdAt, lastChange }: RecordLink,
): Promise<void> {
  const since = lastChange ?? (await lastChangeOf(db.query, table, key, createdAt))
  const own = await logKey(db.query, table, key)
  const [step] = await db.query<Step>(lastStep, [table.id, own, String(since)], { prepare: false })
  if (!(await isStep(db.query, table, own, step!))) {
    await endLink(db, id)
    throw closedLink()
  }
  if (step!.lastChange !== null) await rememberChange(db, id, BigInt(step!.lastChange))
}

/** Whether the record had the link's key, in any form, such as 1.5 and 1.50. */
async function isStep(query: Query, table: Table, own: string, { key, isLater }: Step): Promise<boolean> {
  if (key === null || !isLater) return false
  return key === own || (await logKey(query, table, keyParts(key))) === own
}
