import type { Query } from '../db/pool/open'
import { conflict } from '../errors'
import { translatable } from '../messages/message'
import { qualifiedName } from '../tables/ddl'
import type { Table } from '../tables/model'
import type { SinceImport, UndoneTable } from './model'

/**
 * The ids of the tables that a request created and filled in one transaction, as an import does. The table and its
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

/** `uses` differs if anything was written since, even if the numbers are equal. */
type TableUse = UndoneTable & { uses: string }

type UseOptions = { requestId: string; userId: string; isDryRun: boolean }

/**
 * How a table that a request created has been used since, from the log and the metadata. Unless it is a dry run, keeps
 * others from reading and writing its records until the transaction ends. A form or link that someone creates at the
 * same time is lost without notice, as it is when a table is deleted: preventing this would lock the forms and links of
 * all tables.
 * @param query runs in a transaction in which unqualified names are PostgreSQL's own
 * @throws Failure conflict for a table that is not logged, because its changes are unknown
 */
export async function tableUse(query: Query, table: Table, { requestId, userId, isDryRun }: UseOptions): Promise<TableUse> {
  const { id, name } = table
  if (!table.isLogged)
    throw conflict(translatable('Changes of "{name}" are not logged.', { name }), { hint: translatable('Delete the table instead.') })
  if (!isDryRun) await query(`lock table ${qualifiedName(table)} in access exclusive mode`, [], { prepare: false })
  const { stored, imported, changed, wasLogOff, xid, lastChange } = await recordUse(query, table, requestId)
  // Any record may have changed while the log of the table was off.
  const records = wasLogOff ? Math.max(stored, imported) : Math.max(changed, Math.abs(stored - imported))
  const { ids, ...others } = await otherUse(query, { tableId: id, userId, xid })
  return { id, name, records: stored, since: { records, ...others }, uses: `${lastChange} ${ids}` }
}

/** `xid` is the transaction of the import. */
type RecordUse = { stored: number; imported: number; changed: number; wasLogOff: boolean; xid: string; lastChange: string }

async function recordUse(query: Query, table: Table, requestId: string): Promise<RecordUse> {
  const [row] = await query<RecordUse>(
    `with entries as (select c.id, c.key, c.xid, c.request_id is not distinct from $2::text and c.at = t.created_at as is_import
       from rowhouse.tables t join rowhouse.changes c on c.table_id = t.id where t.id = $1::uuid),
     imported as (select count(*)::int as imported, min(xid)::xid as xid from entries where is_import)
     select (select count(*) from ${qualifiedName(table)})::int as stored, i.imported, i.xid::text as xid,
       (select count(distinct key) from entries where not is_import)::int as changed,
       exists (select from pg_trigger t where t.tgrelid = '${qualifiedName(table).replaceAll("'", "''")}'::regclass
         and starts_with(t.tgname, 'rowhouse_log_') and t.xmin <> i.xid) as "wasLogOff",
       (select coalesce(max(id), 0) from entries)::text as "lastChange" from imported i`,
    [table.id, requestId],
    { prepare: false },
  )
  return row!
}

type OtherUse = Omit<SinceImport, 'records'>

/**
 * An import writes the metadata of all columns at once, so a row from another transaction was added or changed later.
 */
async function otherUse(query: Query, { tableId, userId, xid }: { tableId: string; userId: string; xid: string }) {
  const [row] = await query<OtherUse & { ids: string }>(
    `with used as (
       select 'columns' as kind, concat(id, ' ', xmin) as id from rowhouse.columns where table_id = $1::uuid and xmin::text <> $3::text
       union all select 'files', id::text from rowhouse.files where table_id = $1::uuid and removed_at is null
       union all select 'views', user_id::text from rowhouse.table_views where table_id = $1::uuid and user_id <> $2::uuid
       union all select 'views', id::text from rowhouse.named_views where table_id = $1::uuid and user_id is distinct from $2::uuid
       union all select 'forms', id::text from rowhouse.forms where table_id = $1::uuid
       union all select 'shareLinks', id::text from rowhouse.share_links where table_id = $1::uuid and revoked_at is null
         and coalesce(expires_at > now(), true) and coalesce(opens < max_opens, true))
     select ${kinds.map((kind) => `(count(*) filter (where kind = '${kind}'))::int as "${kind}"`).join(', ')},
       coalesce(string_agg(kind || ' ' || id, ',' order by kind, id), '') as ids from used`,
    [tableId, userId, xid],
  )
  return row!
}

const kinds: readonly (keyof OtherUse)[] = ['columns', 'files', 'views', 'forms', 'shareLinks']

/**
 * The text that a caller sends to confirm that they know how the tables have been used since; null if they were not
 * used.
 */
export function confirmationOf(uses: readonly TableUse[]): string | null {
  if (uses.every(({ since }) => Object.values(since).every((count) => count === 0))) return null
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(uses)).digest('hex').slice(0, 32)
}
