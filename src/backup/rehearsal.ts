import type { Sql } from 'postgres'
import { startEmbedded } from '../db/embedded'
import { connectDirectly } from '../db/open'
import type { Config } from '../ops/config'
import type { Events } from '../ops/events'
import { BackupError } from './problem'
import { readState, type State } from './state'

/**
 * Starts PostgreSQL in a folder that was unpacked, which recovers there, reads everything, and stops it as it should be stopped.
 * @param look asks for more while it runs
 */
export async function readRestored(
  config: Config,
  events: Events,
  signal: AbortSignal,
  look: (sql: Sql) => Promise<void> = async () => {},
): Promise<State> {
  signal.throwIfAborted()
  const { target, stop } = await startEmbedded(config, events)
  const sql = connectDirectly(target, config)
  // Counting may take long; an interruption does not wait for it.
  signal.addEventListener('abort', () => void sql.end({ timeout: 0 }))
  try {
    const state = await readState(sql, config.schemas, signal)
    await look(sql)
    return state
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof BackupError ? error : new BackupError(`The database of the backup cannot be read: ${(error as Error).message}`)
  } finally {
    await sql.end({ timeout: 1 })
    await stop()
  }
}
