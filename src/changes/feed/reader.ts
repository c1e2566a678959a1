import type { Query } from '../../db/pool/open'
import { equal } from '../../db/search-path'
import { entryColumns, type LogEntry } from '../log-entry'
import type { FeedCursor } from './cursor'

/** Changes ordered by id, and the cursor after all of them. */
export type FeedBatch = {
  entries: LogEntry[]
  /** The cursor after one change. */
  cursorAt: (entry: LogEntry) => FeedCursor
  end: FeedCursor
  /** False if more changes can already be read. */
  isWhole: boolean
}

/** The number of changes that one statement reads. */
const batchSize = 2000

/**
 * `$1` is a snapshot, `$2` a later one to read up to (null: now), `$3` an id to continue after, `$4` the ids of tables
 * (null: all).
 */
const batchStatement = `select s.now, e.* from (select pg_catalog.pg_current_snapshot()::text as now) s left join (
    select ${entryColumns} from rowhouse.changes c
    where c.xid operator(pg_catalog.>=) pg_catalog.pg_snapshot_xmin($1::pg_snapshot) and not pg_catalog.pg_visible_in_snapshot(c.xid, $1::pg_snapshot)
      and c.id operator(pg_catalog.>=) (select first_id from rowhouse.log_epochs)
      and ($2::pg_snapshot is null or pg_catalog.pg_visible_in_snapshot(c.xid, $2::pg_snapshot)) and c.id operator(pg_catalog.>) $3::bigint
      and ($4::uuid[] is null or c.table_id ${equal} any($4::uuid[]))
    order by c.id limit ${batchSize}) e on true`

/** The changes that became visible after the cursor. @param tableIds a PostgreSQL array; null for all tables */
export async function readBatch(query: Query, cursor: FeedCursor, tableIds: string | null = null): Promise<FeedBatch> {
  const { epoch, from, to, id } = cursor
  const rows = await query<LogEntry & { now: string }>(batchStatement, [from, to, to === null ? '0' : id, tableIds])
  const upTo = to ?? rows[0]!.now
  const entries = rows.filter(({ id: entry }) => entry !== null).map(({ now: _, ...entry }) => entry as LogEntry)
  const at = Date.now()
  const isWhole = entries.length < batchSize
  const cursorAt = ({ id: last }: LogEntry): FeedCursor => ({ epoch, at, from, to: upTo, id: last })
  return {
    entries,
    cursorAt,
    end: isWhole ? { epoch, at, from: upTo, to: null, id: '0' } : cursorAt(entries.at(-1)!),
    isWhole: isWhole && to === null,
  }
}

/**
 * A cursor at the present. If the log holds changes beyond the server's own transaction counter, the database was moved
 * here or restored: a new epoch begins, and earlier cursors become invalid.
 */
export async function presentCursor(query: Query): Promise<FeedCursor> {
  const [row] = await query<{ epoch: string; now: string }>(
    `select rowhouse.log_epoch()::text as epoch, pg_catalog.pg_current_snapshot()::text as now`,
  )
  return { epoch: row!.epoch, at: Date.now(), from: row!.now, to: null, id: '0' }
}
