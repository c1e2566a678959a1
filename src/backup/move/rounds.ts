import type { Sql, TransactionSql } from 'postgres'
import { literal } from '../../tables/sql-text'
import { type Checksum, checksumOf } from '../database-copy/checksums'
import { pipeCopy } from '../database-copy/table-rows'
import { BackupError } from '../errors'
import { moveSchema } from './state'
import { allRowsOf, isAmong, type MovedTable } from './tables'

/** The inputs of a round. `sent` receives the number of bytes. */
export type RoundTask = { tables: readonly MovedTable[]; signal: AbortSignal; sent: (bytes: number) => void }

/**
 * The recorded changes of one table. `isWhole`: the recorded keys do not cover all changes, for example after a
 * TRUNCATE.
 */
type Change = { table: MovedTable; keys: number; isWhole: boolean }

/** `rows`: the number of recorded keys. Tables without a key, which are copied at the switch, do not count. */
export type Round = { rows: number; durationMs: number }

const queue = `${moveSchema}.queue`
/** Keys that changed after the comparison of whole tables. */
const later = `${moveSchema}.compared_later`
/** A temporary table in the new database. */
const keys = 'pg_temp.rowhouse_keys'

const noted = (table: MovedTable, list = queue) => `${list} where table_name = ${literal(table.name)}`
const listOf = ({ columns }: MovedTable) => (columns.length > 0 ? ` (${columns.join(', ')})` : '')

/** Replaces all rows of a table with those that the transaction `from` sees. @returns the number of rows */
export async function copyTable(
  table: MovedTable,
  from: TransactionSql,
  to: TransactionSql,
  { signal, sent }: Pick<RoundTask, 'signal' | 'sent'>,
): Promise<number> {
  const out = `copy (select ${table.columns.join(', ')} from ${allRowsOf(table)}) to stdout`
  await to.unsafe(`truncate ${table.isPartitioned ? table.name : `only ${table.name}`}`)
  try {
    const into = `copy ${table.name}${listOf(table)} from stdin${table.isPartitioned ? '' : ' with (freeze)'}`
    return await pipeCopy(from, out, to, into, signal, sent)
  } catch (error) {
    throw (error as { code?: string }).code?.length === 5
      ? new BackupError(`The rows of ${table.name} could not be copied: ${(error as Error).message}.`)
      : error
  }
}

/**
 * Brings the new database to the state of one snapshot of the old one: deletes all rows whose keys were recorded, and
 * copies those that still exist. Afterwards the databases are equal, except for tables without a key.
 * @param compare called before the rows of a table are compared with the snapshot; null for no comparison
 * @param remember whether the keys are recorded for the comparison at the switch
 */
export async function catchUp(
  from: Sql,
  to: Sql,
  task: RoundTask,
  { compare = null, remember = false }: { compare?: ((table: MovedTable) => void) | null; remember?: boolean } = {},
): Promise<Round> {
  const startedAt = performance.now()
  await noteRecovery(from, to, task.tables)
  return from.begin('isolation level repeatable read', async (source) => {
    const changes = (await readChanges(source, task.tables)).filter(({ table }) => table.key.length > 0)
    if (changes.length > 0) await to.begin((target) => applyChanges(source, target, changes, task))
    if (compare) await compareTables(source, to, task, compare)
    for (const { table, isWhole } of changes) {
      // A table that was emptied must be compared as a whole; the key `{}` marks this.
      const removed = `delete from ${noted(table)}`
      const isKept = remember && !isWhole
      await source.unsafe(
        isKept
          ? `with gone as (${removed} returning table_name, key) insert into ${later} select distinct table_name, key from gone`
          : removed,
      )
      if (remember && isWhole) await source.unsafe(`insert into ${later} select ${literal(table.name)}, '{}'`)
    }
    return { rows: changes.reduce((sum, change) => sum + change.keys, 0), durationMs: performance.now() - startedAt }
  })
}

/**
 * The last round, while nobody writes: copies changed tables without a key as a whole, and compares everything that has
 * changed since the comparison of whole tables.
 * @returns the number of compared keys
 */
export async function catchUpForGood(source: TransactionSql, target: TransactionSql, task: RoundTask): Promise<number> {
  await noteRecovery(source, target, task.tables)
  const changes = await readChanges(source, task.tables)
  await applyChanges(source, target, changes, task)
  await source.unsafe(`insert into ${later} select table_name, coalesce(key, '{}') from ${queue}`)
  const counts = await source.unsafe<{ table_name: string; keys: string; whole: boolean }[]>(
    `select table_name, count(*) as keys, bool_or(key = '{}') as whole from ${later} group by 1`,
  )
  let compared = 0
  for (const { table_name, keys: count, whole } of counts) {
    const table = task.tables.find(({ name }) => name === table_name)
    if (!table) continue
    compared += Number(count)
    if (whole) {
      await compareRows(table, source, allRowsOf(table), target, allRowsOf(table))
      continue
    }
    await bringKeys(source, target, noted(table, later), task.signal)
    await compareRows(
      table,
      source,
      `${allRowsOf(table)} where ${isAmong(table, noted(table, later))}`,
      target,
      `${allRowsOf(table)} where ${isAmong(table, keys)}`,
    )
  }
  return compared
}

/**
 * Marks the unlogged tables as changed if one of the servers has recovered from a crash since the copy: unlogged tables
 * are then empty. The row in `unlogged` is written after that mark, so that an interrupted copy starts over. At the
 * switch, both servers are in a transaction that a crash would end, so no recovery can go unnoticed.
 */
async function noteRecovery(source: Pick<Sql, 'unsafe'>, target: Pick<Sql, 'unsafe'>, tables: readonly MovedTable[]): Promise<void> {
  const names = tables.filter(({ isUnlogged }) => isUnlogged).map(({ name }) => `(${literal(name)})`)
  if (names.length === 0) return
  for (const sql of [source, target]) {
    const [mark] = await sql.unsafe(`select from ${moveSchema}.unlogged`)
    if (mark) continue
    await source.unsafe(`insert into ${moveSchema}.queue (table_name) values ${names.join(', ')}`)
    await sql.unsafe(`insert into ${moveSchema}.unlogged values (true)`)
  }
}

async function readChanges(source: TransactionSql, tables: readonly MovedTable[]): Promise<Change[]> {
  const found = await source.unsafe<{ table_name: string; keys: string; is_whole: boolean }[]>(
    `select table_name, count(key) as keys, bool_or(key is null) as is_whole from ${queue} group by 1`,
  )
  return found.flatMap(({ table_name, keys: count, is_whole }) => {
    const table = tables.find(({ name }) => name === table_name)
    return table ? [{ table, keys: Number(count), isWhole: is_whole }] : []
  })
}

/** Deletes all changed rows of a table before it copies them: a unique value may have moved from one row to another. */
async function applyChanges(source: TransactionSql, target: TransactionSql, changes: readonly Change[], task: RoundTask) {
  for (const { table, isWhole } of changes) {
    if (isWhole) {
      await copyTable(table, source, target, task)
      continue
    }
    await bringKeys(source, target, noted(table), task.signal)
    await target.unsafe(`delete from ${allRowsOf(table)} where ${isAmong(table, keys)}`)
    const out = `copy (select ${table.columns.join(', ')} from ${allRowsOf(table)} where ${isAmong(table, noted(table))}) to stdout`
    await pipeCopy(source, out, target, `copy ${table.name}${listOf(table)} from stdin`, task.signal, task.sent)
  }
}

async function bringKeys(source: TransactionSql, target: TransactionSql, list: string, signal: AbortSignal) {
  await target.unsafe(`create temp table if not exists rowhouse_keys (key text[]) on commit drop; truncate ${keys}`).simple()
  await pipeCopy(source, `copy (select distinct key from ${list}) to stdout`, target, `copy ${keys} from stdin`, signal, () => {})
  await target.unsafe(`analyze ${keys}`)
}

async function compareTables(source: TransactionSql, to: Sql, { tables, signal }: RoundTask, tell: (table: MovedTable) => void) {
  for (const table of tables) {
    signal.throwIfAborted()
    // A changed table without a key is copied and compared at the switch.
    const [waiting] = table.key.length === 0 ? await source.unsafe(`select from ${noted(table)} limit 1`) : []
    if (waiting) continue
    tell(table)
    await compareRows(table, source, allRowsOf(table), to, allRowsOf(table))
  }
}

async function compareRows(table: MovedTable, source: TransactionSql, old: string, to: Pick<Sql, 'unsafe'>, moved: string) {
  const ask = async (sql: Pick<Sql, 'unsafe'>, rows: string) => (await sql.unsafe<Checksum[]>(checksumOf(table.columns, rows)))[0]!
  const [one, other] = await Promise.all([ask(source, old), ask(to, moved)])
  if (one.rows === other.rows && one.sum === other.sum) return
  throw new BackupError(
    `The rows of ${table.name} are not the same in the new database: ${one.rows} rows in the old one, ${other.rows} in the new one. Nothing was switched.`,
  )
}
