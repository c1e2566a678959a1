import type { Executor } from '../db/pool/open'
import { equal } from '../db/search-path'
import { requireReadable } from '../records/store/rights'
import type { Table } from '../tables/model'
import { historyLimit } from './history'
import { authorOf, type LogEntry } from './log-entry'
import type { HistoryQuery, RequestPage } from './model'
import { noChangeYet } from './record-entries'

/** How many changes are searched for one page. */
const maxEntries = 50_000

type Group = LogEntry & { created: number; updated: number; deleted: number }

/**
 * The requests that changed records of a table, latest first, each with its numbers of records. If an access rule
 * restricts the table for the caller, only their own: how many records others changed is hidden from them.
 */
export async function listRequests(
  { query }: Executor,
  table: Table,
  userId: string,
  { limit = historyLimit, before = noChangeYet }: HistoryQuery,
): Promise<Omit<RequestPage, 'logged'>> {
  requireReadable(table)
  const count = (operations: string) => `(pg_catalog.count(*) filter (where e.operation ${equal} any('{${operations}}')))::int`
  const rows = await query<Group>(
    `select pg_catalog.max(e.id)::text as id, pg_catalog.to_char(pg_catalog.min(e.at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
       e.request_id as "requestId", e.user_id::text as "userId", e.credential, e.credential_id::text as "credentialId", e.plugin, e.role,
       ${count('insert')} as created, ${count('update')} as updated, ${count('delete,truncate')} as deleted
     from (select c.* from rowhouse.changes c where c.table_id ${equal} $1::uuid and c.id operator(pg_catalog.<) $2::bigint
         and ($3::uuid is null or c.user_id ${equal} $3::uuid) order by c.id desc limit ${maxEntries}) e
     group by e.request_id, case when e.request_id is null then e.xid end, e.user_id, e.credential, e.credential_id, e.plugin, e.role
     having e.request_id is null or not exists (select from rowhouse.changes l where l.request_id ${equal} e.request_id
       and l.table_id ${equal} $1::uuid and l.id operator(pg_catalog.>=) $2::bigint)
     order by pg_catalog.max(e.id) desc limit $4::int`,
    [table.id, before, table.access ? userId : null, String(limit + 1)],
  )
  const page = rows.slice(0, limit)
  const requests = page.map((row) => ({
    ...{ requestId: row.requestId, at: row.at, by: authorOf(row) },
    ...{ created: row.created, updated: row.updated, deleted: row.deleted },
  }))
  return { requests, nextBefore: rows.length > limit ? page.at(-1)!.id : null }
}
