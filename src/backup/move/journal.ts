import type { Sql, TransactionSql } from 'postgres'
import { arrayLiteral } from '../../db/arrays'
import { sqlState } from '../../db/errors'
import { withRetries } from '../../retries'
import { literal } from '../../tables/sql-text'
import { BackupError } from '../errors'
import { createMoveState, moveSchema } from './state'
import type { MovedTable } from './tables'

/** The maximum time that writers wait while triggers are created on a table, or while it is locked for the switch. */
const lockTimeoutMs = 800

/** Longer than PostgreSQL's default of `deadlock_timeout`. */
const longTimeoutMs = 1500

/** The move fails if a transaction locks a table for longer than all of these attempts take. */
const maxTries = 60
const retryMs = 500

const events = ['insert', 'update', 'delete', 'truncate'] as const

/** Matches the names of a move's triggers, in a dump or in the catalogue. */
export const ownTrigger = new RegExp(`\\b${moveSchema}_(${events.join('|')})\\b`)

/** The session of a writer may have different settings for the output of values. */
const asWritten = `set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set timezone = 'UTC' set extra_float_digits = 3 set bytea_output = 'hex' set lc_monetary = 'C'`

const queueTables = `
  create table ${moveSchema}.queue (table_name text not null, key text[]);
  create index on ${moveSchema}.queue (table_name);
  create table ${moveSchema}.compared_later (table_name text not null, key text[] not null);
  create index on ${moveSchema}.compared_later (table_name);`

/** Begins a move: creates the queue into which the triggers of `watchTable` write. */
export const beginJournal = (sql: Sql, state: { id: string; other: string }): Promise<unknown> =>
  sql.begin(async (tx) => {
    await createMoveState(tx, { ...state, role: 'source' })
    await tx.unsafe(queueTables)
  })

/** Creates the triggers that record the keys of a table's changed rows, unless they exist. */
export async function watchTable(sql: Sql, table: MovedTable, inherited: readonly string[], signal: AbortSignal): Promise<void> {
  const note = functionName(table)
  for (const relation of table.relations) {
    await patiently(sql, signal, relation, async (tx) => {
      const [found] = await tx`select from pg_trigger where tgrelid = ${relation}::text::regclass and tgname = ${`${moveSchema}_truncate`}`
      if (found) return
      await tx.unsafe(functionOf(note, table, inherited))
      for (const event of events) {
        const [name, moment] = [`${moveSchema}_${event}`, `after ${event} on ${relation}`]
        await tx.unsafe(
          `create trigger ${name} ${moment} ${transitions[event]} for each statement execute function ${note}(); alter table ${relation} enable always trigger ${name}`,
        )
      }
    })
  }
}

/** Tables that may have unrecorded writes because their triggers were removed or disabled, perhaps temporarily. */
export async function findUnwatched(sql: Pick<Sql, 'unsafe'>, tables: readonly MovedTable[]): Promise<string[]> {
  const found = await sql.unsafe<{ name: string }[]>(
    `select name from json_array_elements_text($1::text::json) name
      where (select count(*) from pg_trigger where tgrelid = name::regclass and tgname = any ($2::text[]) and tgenabled = 'A') < ${events.length}`,
    [JSON.stringify(tables.flatMap(({ relations }) => relations)), arrayLiteral(events.map((event) => `${moveSchema}_${event}`))],
  )
  return found.map(({ name }) => name)
}

const transitions = {
  insert: 'referencing new table as added',
  update: 'referencing old table as removed new table as added',
  delete: 'referencing old table as removed',
  truncate: '',
}

const functionName = ({ oid }: MovedTable) => `${moveSchema}.note_${oid}`

/** Each table has its own function, so that a session plans its statements only once. */
function functionOf(name: string, table: MovedTable, inherited: readonly string[]): string {
  const queue = `${moveSchema}.queue`
  const whole = (names: readonly string[]) =>
    names
      .map(
        (one) =>
          `insert into ${queue} (table_name) select ${literal(one)} where not exists (select from ${queue} where table_name = ${literal(one)} and key is null);`,
      )
      .join('\n')
  const key = `${literal(table.name)}, array[${table.key.map(({ column }) => `${column}::text`).join(', ')}]`
  const rows = (from: string) => `select ${key} from ${from}`
  const body =
    table.key.length === 0
      ? whole(table.isInherited ? inherited : [table.name])
      : `if tg_op = 'INSERT' then insert into ${queue} ${rows('added')};
         elsif tg_op = 'DELETE' then insert into ${queue} ${rows('removed')};
         elsif tg_op = 'UPDATE' then insert into ${queue} ${rows('removed')} union ${rows('added')};
         else insert into ${queue} (table_name) values (${literal(table.name)}); end if;`
  return `create or replace function ${name}() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp ${asWritten}
    as ${literal(`begin ${body} return null; end`)}`
}

/** Once this is committed, the triggers reject every write to the tables. */
export async function rejectWrites(tx: TransactionSql, tables: readonly MovedTable[], place: string): Promise<void> {
  const body = `begin raise exception using errcode = 'read_only_sql_transaction', message = ${literal(`This database was moved to ${place}.`)}; end`
  const texts = tables.map(
    (table) =>
      `create or replace function ${functionName(table)}() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as ${literal(body)};`,
  )
  await tx.unsafe(texts.join('\n')).simple()
}

/** Ends a move, or the refusal of writes after it, by dropping all triggers with their functions. */
export async function removeJournal(sql: Sql, signal: AbortSignal): Promise<void> {
  await patiently(sql, signal, 'all tables', (tx) => tx.unsafe(`drop schema if exists ${moveSchema} cascade`))
}

/**
 * Blocks all writers while `work` runs, with a lock on every table.
 * @throws BackupError if another transaction does not end
 */
export const withoutWriters = <Result>(
  sql: Sql,
  tables: readonly MovedTable[],
  signal: AbortSignal,
  work: (tx: TransactionSql, startedAt: number) => Promise<Result>,
): Promise<Result> =>
  patiently(sql, signal, 'all tables', async (tx) => {
    const startedAt = performance.now()
    for (const { name } of tables) await tx.unsafe(`lock table ${name} in share row exclusive mode`)
    return work(tx, startedAt)
  })

const isLocked = (error: unknown) => ['55P03', '40P01'].includes(sqlState(error) ?? '')

/**
 * Retries with short waits: a long wait for a lock would block the others in its queue, and PostgreSQL ends one of two
 * transactions that wait for each other.
 */
async function patiently<Result>(
  sql: Sql,
  signal: AbortSignal,
  what: string,
  work: (tx: TransactionSql) => Promise<Result>,
): Promise<Result> {
  const lockAndWork = (tries: number) =>
    sql.begin(async (tx) => {
      await tx.unsafe(await patience(tx, tries))
      return { result: await work(tx) }
    })
  const done = await withRetries(lockAndWork, { waitsMs: Array(maxTries - 1).fill(retryMs), isPassing: isLocked, signal }).catch(
    (error) => {
      if (!isLocked(error)) throw error
      throw new BackupError(
        `Another transaction has held ${what} for more than ${Math.round((maxTries * (lockTimeoutMs + retryMs)) / 1000)} s. Nothing was switched; end it, and run the command again.`,
      )
    },
  )
  return done.result
}

/**
 * Autovacuum locks a table until it is done, unless another transaction has waited for `deadlock_timeout`. A superuser
 * can shorten that timeout; other roles wait for longer than its default in every third attempt.
 */
async function patience(tx: TransactionSql, tries: number): Promise<string> {
  const [role] = await tx<{ is: string }[]>`select current_setting('is_superuser') as is`
  if (role!.is === 'on') return `set local lock_timeout = ${lockTimeoutMs}; set local deadlock_timeout = 100`
  return `set local lock_timeout = ${tries % 3 === 0 ? longTimeoutMs : lockTimeoutMs}`
}
