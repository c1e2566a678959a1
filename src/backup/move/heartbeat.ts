import type { Sql, TransactionSql } from 'postgres'
import { isAway, sqlState } from '../../db/errors'
import type { ConnectionTarget } from '../../db/pool/open'
import { withRetries } from '../../retries'
import { unlessRunning } from '../../unless-running'
import { BackupError } from '../errors'
import { describePlace } from './state'

const everyMs = 500

/** How long the locks of the switch last where nobody answers. */
export type SilenceLimits = {
  /** The new database does not answer. */
  databaseMs: number
  /** This process does not either; the server of the old database counts it. */
  processMs: number
}

export const silenceLimits: SilenceLimits = { databaseMs: 4000, processMs: 5000 }

/** A database did not answer for so long that the switch was given up. */
class SilentDatabase extends BackupError {}

/**
 * Writers wait for as long as `source` holds its locks. Where the new database, which `pulse` asks, does not answer any
 * more, it ends; and where this process does not, the server of `source` ends it by itself.
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
  // Counted, since a clock goes on while this process gets no time: then it is not the database that is silent.
  let waitedMs = 0
  let isOver = false
  // It waits while a long statement uses the connection.
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

/** PostgreSQL's "idle in transaction session timeout", of `processMs`. */
const idleInTransaction = '25P03'

/**
 * Makes a move again where a database was silent or a session was lost: the next try continues from where it stopped.
 * @param mayRepeat false once the databases were switched
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
