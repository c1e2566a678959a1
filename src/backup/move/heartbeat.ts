import type { Sql, TransactionSql } from 'postgres'
import { isAway, sqlState } from '../../db/errors'
import type { ConnectionTarget } from '../../db/pool/open'
import { withRetries } from '../../retries'
import { unlessRunning } from '../../unless-running'
import { BackupError } from '../errors'
import { describePlace } from './state'

const everyMs = 500

/** How long the switch holds its locks when one side stops responding. */
export type SilenceLimits = {
  /** The new database does not respond. */
  databaseMs: number
  /** This process does not respond; the server of the old database measures the time. */
  processMs: number
}

export const silenceLimits: SilenceLimits = { databaseMs: 4000, processMs: 5000 }

/** The new database did not respond for `databaseMs`. */
class SilentDatabase extends BackupError {}

/**
 * Writers wait while `source` holds its locks. If the new database no longer responds on `pulse`, this ends the switch;
 * if this process stops, the server of `source` ends its session.
 */
export async function withHeartbeat<Result>(
  source: TransactionSql,
  pulse: Sql,
  { to, silence: { databaseMs, processMs } }: { to: ConnectionTarget; silence: SilenceLimits },
  work: Promise<Result>,
): Promise<Result> {
  await source.unsafe(`set local idle_in_transaction_session_timeout = ${processMs}`)
  const silence = Promise.withResolvers<never>()
  silence.promise.catch(() => {})
  // Counts ticks instead of reading a clock, which advances while this process is stopped although the database
  // responds.
  let waitedMs = 0
  let isOver = false
  // The query waits while a long statement occupies the connection.
  const tell = unlessRunning(() => source.unsafe('select 1').catch(() => {}))
  const ask = unlessRunning(async () => {
    if (!(await isAnswering(pulse))) return
    waitedMs = 0
    if (!isOver) void tell()
  })
  const timer = setInterval(() => {
    waitedMs += everyMs
    if (waitedMs <= databaseMs) return void ask()
    silence.reject(
      new SilentDatabase(
        `${describePlace(to)} did not answer for ${databaseMs / 1000} s. Nothing was switched, and the old database is in use; run the command again to continue.`,
      ),
    )
  }, everyMs)
  try {
    return await Promise.race([work, silence.promise])
  } finally {
    isOver = true
    clearInterval(timer)
  }
}

const isAnswering = (sql: Sql): PromiseLike<boolean> =>
  sql`select 1`.then(
    () => true,
    () => false,
  )

/** PostgreSQL's error code for a session that was idle in its transaction for `processMs`. */
const idleInTransaction = '25P03'

/**
 * Repeats a move after a database stopped responding or a session was lost. Each attempt continues where the last one
 * stopped.
 * @param mayRepeat false once the databases have been switched
 */
export const retryMove = <Result>(
  attempt: () => Promise<Result>,
  { mayRepeat, say }: { mayRepeat: () => boolean; say: (sentence: string) => void },
): Promise<Result> =>
  withRetries(attempt, {
    waitsMs: [500, 500],
    isPassing: (error) => (error instanceof SilentDatabase || isAway(error) || sqlState(error) === idleInTransaction) && mayRepeat(),
    onRetry: () =>
      say('A database did not answer for some seconds, or a connection was lost. Nothing was switched, and the move continues.'),
  })
