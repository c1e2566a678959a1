import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Sql } from 'postgres'
import { startEmbedded } from '../db/embedded'
import { connectDirectly } from '../db/open'
import type { Config } from '../ops/config'
import type { Events } from '../ops/events'
import { BackupError } from './problem'
import { readState, type State } from './state'

export const customConf = 'conf/custom.conf'

/** The copy is the original to everybody else: it must not archive, subscribe or run what the original does, and has to take up what that had begun. */
const harmless = [
  '# Written by Rowhouse for trying out a backup.',
  'archive_mode = off',
  'max_logical_replication_workers = 0',
  'event_triggers = off',
  'max_prepared_transactions = 100',
]

/**
 * Starts PostgreSQL in a folder that was unpacked, which recovers there, reads everything, and stops it as it should be stopped.
 * @param config names the folder, which must not hold the settings of the original: its own replace them
 * @param look asks for more while it runs
 */
export async function readRestored(
  config: Config,
  events: Events,
  signal: AbortSignal,
  look: (sql: Sql) => Promise<void> = async () => {},
): Promise<State> {
  signal.throwIfAborted()
  const settings = join(config.dataDir, customConf)
  mkdirSync(dirname(settings), { recursive: true, mode: 0o755 })
  // PostgreSQL's user reads it, whatever the umask is.
  chmodSync(dirname(settings), 0o755)
  writeFileSync(settings, `${harmless.join('\n')}\n`, { mode: 0o644 })
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
