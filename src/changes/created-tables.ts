import type { Query } from '../db/pool/open'
import { conflict } from '../errors'
import { translatable } from '../messages/message'
import { qualifiedName } from '../tables/ddl'
import type { Table } from '../tables/model'
import type { SinceImport, UndoneTable } from './model'

/**
 * The ids of the tables that a request created and filled in one transaction, as an import does: the table and its
 * first changes in the log have the same time.
 */
export async function createdTables(query: Query, requestId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    `select t.id::text as id from rowhouse.tables t where exists (select from rowhouse.changes c
       where c.request_id operator(pg_catalog.=) $1::text and c.table_id operator(pg_catalog.=) t.id
         and c.at operator(pg_catalog.=) t.created_at) order by t.id`,
    [requestId],
  )
  return rows.map(({ id }) => id)
}

/** `lastChange` differs if anything was written in between, even if the numbers are the same. */
type TableUse = UndoneTable & { lastChange: string }

type UseOptions = { requestId: string; userId: string; isDryRun: boolean }

/**
 * How a table that a request created has been used since, from the log and the metadata. Unless it is a dry run, keeps
 * others from using it until the transaction ends.
 * @param query of a transaction in which names are PostgreSQL's own
 * @throws Failure conflict for a table that is not logged, because its changes are unknown
 */
export async function tableUse(query: Query, table: Table, { requestId, userId, isDryRun }: UseOptions): Promise<TableUse> {
  const { id, name } = table
  if (!table.isLogged)
    throw conflict(translatable('Changes of "{name}" are not logged.', { name }), { hint: translatable('Delete the table instead.') })
  const lock = async (text: string) => void (isDryRun || (await query(`lock table ${text}`, [], { prepare: false })))
  await lock(`${qualifiedName(table)} in access exclusive mode`)
  const { stored, imported, changed, lastChange } = await recordUse(query, table, requestId)
  // Last, because all tables share these.
  await lock('rowhouse.forms, rowhouse.share_links, rowhouse.table_views, rowhouse.files in share mode')
  // While the log of the table was off, its number of records may have changed.
  const records = Math.max(changed, Math.abs(stored - imported))
  return { id, name, records: stored, since: { records, ...(await otherUse(query, id, userId)) }, lastChange }
}

type RecordUse = { stored: number; imported: number; changed: number; lastChange: string }

async function recordUse(query: Query, table: Table, requestId: string): Promise<RecordUse> {
  const [row] = await query<RecordUse>(
    `with entries as (select c.id, c.key, c.request_id is not distinct from $2::text and c.at = t.created_at as is_import
       from rowhouse.tables t join rowhouse.changes c on c.table_id = t.id where t.id = $1::uuid)
     select (select count(*) from ${qualifiedName(table)})::int as stored, (count(*) filter (where is_import))::int as imported,
       (count(distinct key) filter (where not is_import))::int as changed, coalesce(max(id), 0)::text as "lastChange" from entries`,
    [table.id, requestId],
    { prepare: false },
  )
  return row!
}

/** An import writes the metadata of all columns at once, so a row of another transaction was added or changed later. */
async function otherUse(query: Query, tableId: string, userId: string): Promise<Omit<SinceImport, 'records'>> {
  const [row] = await query<Omit<SinceImport, 'records'>>(
    `select (select count(*) from rowhouse.columns where table_id = $1::uuid and xmin::text <>
         (select mode() within group (order by xmin::text) from rowhouse.columns where table_id = $1::uuid))::int as columns,
       (select count(*) from rowhouse.files where table_id = $1::uuid and removed_at is null)::int as files,
       (select count(*) from rowhouse.table_views where table_id = $1::uuid and user_id <> $2::uuid)::int as views,
       (select count(*) from rowhouse.forms where table_id = $1::uuid)::int as forms,
       (select count(*) from rowhouse.share_links where table_id = $1::uuid and revoked_at is null
         and coalesce(expires_at > now(), true) and coalesce(opens < max_opens, true))::int as "shareLinks"`,
    [tableId, userId],
  )
  return row!
}

/** What the caller sends to confirm that they have seen how the tables were used since; null if they were not. */
export function confirmationOf(uses: readonly TableUse[]): string | null {
  if (uses.every(({ since }) => Object.values(since).every((count) => count === 0))) return null
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(uses)).digest('hex').slice(0, 32)
}
