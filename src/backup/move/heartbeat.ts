import type { Sql, TransactionSql } from 'postgres'
import { type ConnectionTarget, connectDirectly } from '../../db/open'
import type { Config } from '../../ops/config'
import { BackupError } from '../errors'
import { describePlace } from './state'

const everyMs = 500
const maxSilenceMs = 4000

/** Of the server, where this process does not answer either. */
const maxIdleMs = 5000

/** How a database shows that it still answers while a session with it is busy. */
export type Heartbeat = { watch: <Result>(source: TransactionSql, work: Promise<Result>) => Promise<Result>; end: () => Promise<void> }

/** Over a connection of its own, which is open from now on. */
export async function openHeartbeat(place: ConnectionTarget, config: Config): Promise<Heartbeat> {
  const sql = connectDirectly(place, config)
  try {
    await sql`select 1`
  } catch (error) {
    await sql.end({ timeout: 1 })
    throw error
  }
  return { watch: (source, work) => watch(sql, place, source, work), end: () => sql.end({ timeout: 1 }) }
}

/**
 * Writers wait for as long as `source` holds its locks. Where the other database does not answer any more, it ends; and
 * where this process does not, the server of `source` ends it by itself.
 */
async function watch<Result>(sql: Sql, place: ConnectionTarget, source: TransactionSql, work: Promise<Result>): Promise<Result> {
  await source.unsafe(`set local idle_in_transaction_session_timeout = ${maxIdleMs}`)
  const silence = Promise.withResolvers<never>()
  silence.promise.catch(() => {})
  let answeredAt = Date.now()
  let [isAsking, isTelling, isOver] = [false, false, false]
  // Behind a long statement it waits its turn.
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
    if (Date.now() - answeredAt > maxSilenceMs) {
      return silence.reject(
        new BackupError(
          `${describePlace(place)} did not answer for ${maxSilenceMs / 1000} s. Nothing was switched, and the old database is in use; run the command again, which goes on.`,
        ),
      )
    }
    if (isAsking) return
    isAsking = true
    sql`select 1`
      .then(() => {
        answeredAt = Date.now()
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
