import { lockKeys } from '../db/lock-keys'
import type { Db, Query } from '../db/pool/open'
import { withCatalogPath } from '../db/search-path'
import type { Deps } from '../deps'
import { isLogWhole, setLogOfAllTables } from './logged-tables'

/** How many days in advance partitions are created, so that a busy service does not have to create one at midnight. */
const daysAhead = 3
/**
 * Writers wait for this lock on the log once it is requested, so it is only requested briefly; the next attempt is in
 * an hour.
 */
const lockTimeoutMs = 400

/**
 * Creates the partitions of coming days, and drops those past the retention period. Turns the log off and on according
 * to ROWHOUSE_HISTORY_DAYS. Called at the start and every hour; may run on several instances.
 */
export async function maintainLog({ db, catalog, config: { historyDays } }: Pick<Deps, 'db' | 'catalog' | 'config'>): Promise<void> {
  const isOff = historyDays === 0
  if (!(await isLogWhole(db, isOff))) await setLogOfAllTables({ db, catalog }, isOff)
  // A log that is off stays as it is: turning it off by mistake must not cost the history.
  if (isOff) return
  // The clock of one instance may be wrong, and a dropped partition is gone for all of them.
  const [row] = await db.query<{ today: string }>(`select pg_catalog.to_char(pg_catalog.now() at time zone 'UTC', 'YYYY-MM-DD') as today`)
  await maintainPartitions(db, historyDays, new Date(row!.today))
}

const dayMs = 24 * 60 * 60 * 1000
const startOfDay = (time: number): number => Math.floor(time / dayMs) * dayMs
const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
const partitionOf = (time: number): string => `changes_${dateOf(time).replaceAll('-', '')}`

/** Days are in UTC. @param days the number of days before today to keep */
export async function maintainPartitions(db: Db, days: number, now: Date): Promise<void> {
  const today = startOfDay(now.getTime())
  const present = await partitions(db.query)
  const partitionDays = Array.from({ length: daysAhead + 1 }, (_, ahead) => today + ahead * dayMs)
  const isOld = (name: string) => name < partitionOf(today - days * dayMs)
  for (const day of partitionDays) if (!present.includes(partitionOf(day))) await addPartition(db, day)
  for (const name of present)
    if (/^changes_\d{8}$/.test(name) && isOld(name)) await alone(db, (query) => query(`drop table rowhouse.${name}`))
  await db.query(`delete from rowhouse.changes_rest where at < pg_catalog.now() - pg_catalog.make_interval(days => $1::int)`, [
    String(days),
  ])
}

async function partitions(query: Query): Promise<string[]> {
  const rows = await query<{ name: string }>(
    `select c.relname as name from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid operator(pg_catalog.=) i.inhrelid
     where i.inhparent operator(pg_catalog.=) 'rowhouse.changes'::regclass order by 1`,
  )
  return rows.map(({ name }) => name)
}

/**
 * Created separately and then attached: `create table … partition of` would wait until nobody reads or writes the log.
 */
function addPartition(db: Db, day: number): Promise<void> {
  const name = `rowhouse.${partitionOf(day)}`
  const [from, to] = [day, day + dayMs].map((time) => `'${dateOf(time)} 00:00:00+00'`)
  return alone(db, async (query) => {
    // Entries that were logged while the partition was missing remain where they are, and so do later entries of that
    // day.
    const [taken] = await query('select from rowhouse.changes_rest where at >= $1::timestamptz and at < $2::timestamptz limit 1', [
      dateOf(day),
      dateOf(day + dayMs),
    ])
    if (taken) return
    await query(`create table ${name} (like rowhouse.changes including defaults including constraints)`, [], { prepare: false })
    await query(`alter table rowhouse.changes attach partition ${name} for values from (${from}) to (${to})`, [], { prepare: false })
  })
}

/**
 * The SQLSTATEs for a lock that is not available, a deadlock, and a table that already exists or is gone: another
 * instance did the work, or the next run will.
 */
const passingStates = ['55P03', '42P07', '42P01', '40P01']

async function alone(db: Db, work: (query: Query) => Promise<unknown>): Promise<void> {
  try {
    await withCatalogPath(db, async (query) => {
      await query(`select pg_advisory_xact_lock(${lockKeys.logPartitions})`)
      await query(`set local lock_timeout = ${lockTimeoutMs}`, [], { prepare: false })
      await work(query)
    })
  } catch (error) {
    if (!passingStates.includes((error as { code?: string }).code ?? '')) throw error
  }
}
