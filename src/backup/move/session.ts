import type { Sql } from 'postgres'
import { lockKeys } from '../../db/lock-keys'
import { type ConnectionTarget, connectDirectly } from '../../db/pool/open'
import { takeSessionLock } from '../../db/pool/session-lock'
import type { Config } from '../../ops/settings/config'
import { connectionCheck, noIdleSessionTimeout, noTransactionTimeout, sessionSettings } from '../database-copy/session'
import { BackupError } from '../errors'
import { describePlace } from './state'

const poolerTries = 3

const moveSettings = [
  ...[sessionSettings, `set search_path = ''`, 'set check_function_bodies = false', 'set synchronous_commit = on'],
  ...[noIdleSessionTimeout, noTransactionTimeout, connectionCheck],
]

/**
 * Prepares a connection for a move: both connections read and write values in the same form, and their commits reach
 * the disk.
 */
export const prepareSession = async (sql: Sql): Promise<void> => void (await sql.unsafe(moveSettings.join('; ')).simple())

/**
 * Rejects a pooler in transaction mode: it may change the session of a client between two transactions, and settings
 * and temporary tables belong to the session.
 * @throws BackupError
 */
export async function requireOwnSession(sql: Sql, place: ConnectionTarget, config: Config): Promise<void> {
  if (!('uri' in place)) return
  const ask = async (one: Sql) => (await one.unsafe<{ pid: number }[]>('select pg_catalog.pg_backend_pid() as pid'))[0]!.pid
  const other = connectDirectly(place, config)
  try {
    const first = await ask(sql)
    for (let tries = 0; tries < poolerTries; tries++) {
      if ((await ask(other)) === first || (await ask(sql)) !== first) {
        throw new BackupError(
          `${describePlace(place)} is behind a pooler in transaction mode. Name the server itself. Nothing was changed.`,
        )
      }
    }
  } finally {
    await other.end({ timeout: 1 })
  }
}

/**
 * Allows one command at a time: two commands would copy rows of different times, and one that cancels would allow
 * writes to a database that the other has just closed. The lock is held until the connection ends.
 * @throws BackupError
 */
export const takeMoveLock = (sql: Sql): Promise<void> =>
  takeSessionLock(
    sql,
    lockKeys.databaseMove,
    (holder) => new BackupError(`Another "rowhouse move" is running on this database (${holder}). Nothing was changed.`),
  )
