import type { Sql, TransactionSql } from 'postgres'
import { isAway, sqlState } from '../../db/errors'
import { type ConnectionTarget, connectDirectly } from '../../db/pool/open'
import type { Config } from '../../ops/settings/config'
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

/** How a database shows that it still answers while a session with it is busy. */
export type Heartbeat = { watch: <Result>(source: TransactionSql, work: Promise<Result>) => Promise<Result>; end: () => Promise<void> }

/** Over a connection of its own, which is open from now on. */
export async function openHeartbeat(place: ConnectionTarget, config: Config, limits: SilenceLimits): Promise<Heartbeat> {
  const sql = connectDirectly(place, config)
  try {
    await sql`select 1`
  } catch (error) {
    await sql.end({ timeout: 1 })
    throw error
  }
  return { watch: (source, work) => watch(sql, place, limits, source, work), end: () => sql.end({ timeout: 1 }) }
}

/**
 * Writers wait for as long as `source` holds its locks. Where the other database does not answer any more, it ends; and
 * where this process does not, the server of `source` ends it by itself.
 */
async function watch<Result>(
  sql: Sql,
  place: ConnectionTarget,
  { databaseMs, processMs }: SilenceLimits,
  source: TransactionSql,
  work: Promise<Result>,
): Promise<Result> {
  await source.unsafe(`set local idle_in_transaction_session_timeout = ${processMs}`)
  const silence = Promise.withResolvers<never>()
  silence.promise.catch(() => {})
  // Counted, since a clock goes on while this process gets no time: then it is not the database that is silent.
  let waitedMs = 0
  let [isAsking, isTelling, isOver] = [false, false, false]
  // It waits while a long statement uses the connection.
  const tell = () => {
    if (isTelling || isOver) return
    isTelling = true
    source
      .unsafe('select 1')
      .catch(() => {})
      .finally(() => {
        isTelling = false
      })
  }
  const timer = setInterval(() => {
    waitedMs += everyMs
    if (waitedMs > databaseMs) {
      return silence.reject(
        new SilentDatabase(
          `${describePlace(place)} did not answer for ${databaseMs / 1000} s. Nothing was switched, and the old database is in use; run the command again to continue.`,
        ),
      )
    }
    if (isAsking) return
    isAsking = true
    sql`select 1`
      .then(() => {
        waitedMs = 0
        tell()
      })
      .catch(() => {})
      .finally(() => {
        isAsking = false
      })
  }, everyMs)
  try {
    return await Promise.race([work, silence.promise])
  } finally {
    isOver = true
    clearInterval(timer)
  }
}

const maxTries = 3
/** PostgreSQL's "idle in transaction session timeout", of `processMs`. */
const idleInTransaction = '25P03'

/**
 * Makes a move again where a database was silent or a session was lost: the next try continues from where it stopped.
 * @param mayRepeat false once the databases were switched
 */
export async function retryMove<Result>(
  attempt: () => Promise<Result>,
  { mayRepeat, say }: { mayRepeat: () => boolean; say: (sentence: string) => void },
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const isPassing = error instanceof SilentDatabase || isAway(error) || sqlState(error) === idleInTransaction
      if (!isPassing || !mayRepeat() || tries === maxTries) throw error
      say('A database did not answer for some seconds, or a connection was lost. Nothing was switched, and the move continues.')
    }
  }
}
