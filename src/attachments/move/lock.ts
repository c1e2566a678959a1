import type { Sql } from 'postgres'
import { lockKeys } from '../../db/lock-keys'
import { takeSessionLock, trySessionLock } from '../../db/pool/session-lock'
import { MoveError } from './errors'

const lookEveryMs = 5000

/**
 * Allows one move at a time: a second one would remove files that the first has just sent.
 * @param sql one connection without a pooler in between; it is closed at the end
 * @param work receives a signal that aborts when the connection, and with it the lock, is lost
 * @throws MoveError
 */
export async function withMoveLock<Result>(sql: Sql, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const lost = new AbortController()
  let timer: Timer | undefined
  const retake = async () => {
    const isTaken = await trySessionLock(sql, lockKeys.fileMove).catch(() => true)
    if (!isTaken) lost.abort(new MoveError('The database was unavailable for a moment, and another "rowhouse files move" has begun since.'))
  }
  try {
    await takeSessionLock(
      sql,
      lockKeys.fileMove,
      (holder) => new MoveError(`Another "rowhouse files move" is running on this database (${holder}).`),
    )
    timer = setInterval(() => void retake(), lookEveryMs)
    return await work(lost.signal)
  } finally {
    clearInterval(timer)
    await sql.end({ timeout: 1 })
  }
}
