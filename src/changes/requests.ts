import type { Executor } from '../db/pool/open'
import { equal } from '../db/search-path'
import { requireReadable } from '../records/store/rights'
import type { Table } from '../tables/model'
import { historyLimit } from './history'
import { authorOf, type LogEntry } from './log-entry'
import type { HistoryQuery, RequestPage } from './model'
import { noChangeYet } from './record-entries'

/** The number of changes that are searched for one page. */
const maxEntries = 50_000

/** `entries` is the number of changes searched, `lowest` their least id. An empty page is a row with only these. */
type Group = LogEntry & { created: number; updated: number; deleted: number; entries: number; lowest: string | null }

function totals(log: string): string {
  const count = (operations: string) => `(pg_catalog.count(*) filter (where ${log}.operation ${equal} any('{${operations}}')))::int`
  return `pg_catalog.min(${log}.at) as at, ${count('insert')} as created, ${count('update')} as updated, ${count('delete,truncate')} as deleted`
}

/** A change without a request is grouped by its transaction. */
const groupColumns = 'e.request_id, e.xid, e.user_id, e.credential, e.credential_id, e.plugin, e.role'

const isOfAuthor = ['user_id', 'credential', 'credential_id', 'plugin', 'role']
  .map((name) => `l.${name} is not distinct from g.${name}`)
  .join(' and ')

/**
 * `$1` is the table, `$2` an exclusive upper bound of ids, `$3` the user whose changes are listed (null: all), `$4` the
 * number of requests. Groups with changes at or above the bound are on an earlier page. If not all changes were
 * searched, each group is counted separately, since some of its changes may be among the others.
 */
const requestsStatement = `with e as materialized (select c.id, c.at, c.operation, c.request_id, case when c.request_id is null then c.xid end as xid,
      c.user_id, c.credential, c.credential_id, c.plugin, c.role from rowhouse.changes c where c.table_id ${equal} $1::uuid and c.id operator(pg_catalog.<) $2::bigint
      and ($3::uuid is null or c.user_id ${equal} $3::uuid) order by c.id desc limit ${maxEntries}),
    n as (select pg_catalog.count(*)::int as entries, pg_catalog.min(e.id) as lowest from e),
    g as (select pg_catalog.max(e.id) as id, ${groupColumns}, ${totals('e')} from e group by ${groupColumns}
      having not exists (select from rowhouse.changes l where l.request_id ${equal} e.request_id and l.table_id ${equal} $1::uuid and l.id operator(pg_catalog.>=) $2::bigint)
        and not exists (select from rowhouse.changes l where l.xid ${equal} e.xid and l.request_id is null and l.table_id ${equal} $1::uuid and l.id operator(pg_catalog.>=) $2::bigint)
      order by pg_catalog.max(e.id) desc limit $4::int)
  select g.id::text as id, pg_catalog.to_char(t.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
    g.request_id as "requestId", g.user_id::text as "userId", g.credential, g.credential_id::text as "credentialId", g.plugin, g.role,
    t.created, t.updated, t.deleted, n.entries, n.lowest::text as lowest
  from n left join g on true left join lateral (
    select g.at, g.created, g.updated, g.deleted where n.entries operator(pg_catalog.<) ${maxEntries}
    union all select ${totals('l')} from (
      select c.* from rowhouse.changes c where c.table_id ${equal} $1::uuid and c.request_id ${equal} g.request_id
      union all select c.* from rowhouse.changes c where c.table_id ${equal} $1::uuid and c.request_id is null and c.xid ${equal} g.xid) l
    where ${isOfAuthor} having n.entries operator(pg_catalog.>=) ${maxEntries}) t on true
  order by g.id desc`

/**
 * The requests that changed records of a table, latest first, each with its numbers of records. If an access rule
 * restricts the table for the caller, lists only their own requests: the number of records that others changed is
 * hidden from them.
 */
export async function listRequests(
  executor: Executor,
  table: Table,
  userId: string,
  { limit = historyLimit, before = noChangeYet }: HistoryQuery,
): Promise<Omit<RequestPage, 'logged'>> {
  requireReadable(table)
  const rows = await executor.query<Group>(requestsStatement, [table.id, before, table.access ? userId : null, String(limit + 1)])
  const groups = rows.filter(({ id }) => id !== null)
  const page = groups.slice(0, limit)
  const rest = rows[0]!.entries < maxEntries ? null : rows[0]!.lowest
  const nextBefore = groups.length > limit ? page.at(-1)!.id : rest
  // All searched changes belong to requests on earlier pages.
  if (page.length === 0 && nextBefore !== null) return listRequests(executor, table, userId, { limit, before: nextBefore })
  const requests = page.map((row) => ({
    ...{ requestId: row.requestId, at: row.at, by: authorOf(row) },
    ...{ created: row.created, updated: row.updated, deleted: row.deleted },
  }))
  return { requests, nextBefore }
}
