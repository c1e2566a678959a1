import { lockKeys } from '../db/lock-keys'
import type { Db, Query } from '../db/open'
import { withCatalogPath } from '../db/search-path'
import type { Deps } from '../deps'
import { isLogWhole, setLogOfAllTables } from './logged-tables'

/** Days that have a partition before they begin: a service that is busy at midnight makes none then. */
const daysAhead = 3
/** Writers wait behind a lock on the log, so it is not waited for for long; the next time comes in an hour. */
const lockTimeoutMs = 400

/**
 * Makes the partitions of the days to come, and drops those of days that are not kept any more. Turns the log off, and
 * on again, as ROWHOUSE_HISTORY_DAYS says. Called at the start and each hour; several instances do no harm.
 */
export async function maintainLog({ db, catalog, config: { historyDays } }: Pick<Deps, 'db' | 'catalog' | 'config'>): Promise<void> {
  const isOff = historyDays === 0
  if (!(await isLogWhole(db, isOff))) await setLogOfAllTables({ db, catalog }, isOff)
  // A log that is off stays as it is: to turn it off by mistake must not cost the history.
  if (!isOff) await maintainPartitions(db, historyDays, new Date())
}

const dayMs = 24 * 60 * 60 * 1000
const startOfDay = (time: number): number => Math.floor(time / dayMs) * dayMs
const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
const partitionOf = (time: number): string => `changes_${dateOf(time).replaceAll('-', '')}`

/** Days are those of UTC. @param days how many days before today are kept */
export async function maintainPartitions(db: Db, days: number, now: Date): Promise<void> {
  const today = startOfDay(now.getTime())
  const present = await partitions(db.query)
  const wanted = Array.from({ length: daysAhead + 1 }, (_, ahead) => today + ahead * dayMs)
  const isOld = (name: string) => name < partitionOf(today - days * dayMs)
  for (const day of wanted) if (!present.includes(partitionOf(day))) await addPartition(db, day)
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

/** Attached and not made as a part: that would wait until nobody reads or writes the log. */
function addPartition(db: Db, day: number): Promise<void> {
  const name = `rowhouse.${partitionOf(day)}`
  const [from, to] = [day, day + dayMs].map((time) => `'${dateOf(time)} 00:00:00+00'`)
  return alone(db, async (query) => {
    // What was logged while no partition was there stays where it is, and so does what follows of that day.
    const [taken] = await query('select from rowhouse.changes_rest where at >= $1::timestamptz and at < $2::timestamptz limit 1', [
      dateOf(day),
      dateOf(day + dayMs),
    ])
    if (taken) return
    await query(`create table ${name} (like rowhouse.changes including defaults including constraints)`, [], { prepare: false })
    await query(`alter table rowhouse.changes attach partition ${name} for values from (${from}) to (${to})`, [], { prepare: false })
  })
}

/** Lock not available; the table is there or gone by now: another instance, or another time. */
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
