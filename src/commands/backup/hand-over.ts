import { readMoveState } from '../../backup/move/state'
import { finishTarget } from '../../backup/move/switch'
import { findHolder } from '../../db/embedded/lock'
import { findPlace } from '../../db/embedded/place'
import { isAway } from '../../db/errors'
import { connectDirectly } from '../../db/pool/open'
import { createEvents, type Events } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { openExisting } from '../bootstrap'
import { withMovedDatabase } from '../moved-database'

const probeEveryMs = 200
/** There may be no service. */
const maxTakeOverMs = 20_000
/** The time limit for the service to take over: PostgreSQL's recovery can be slow. */
const maxStartMs = 5 * 60_000
/** How long a command may check the foreign keys. */
const maxCommandMs = 5 * 60_000

/**
 * Ends a move to the embedded database. A running service must get the data directory first and starts the database
 * itself.
 * @param onChecked receives the result of `finishTarget`
 */
export async function finishInside(own: Config, onChecked: (problems: string[]) => void): Promise<void> {
  const { dataDir } = findPlace(own)
  for (const until = performance.now() + maxTakeOverMs; performance.now() < until && !findHolder(dataDir); ) await Bun.sleep(probeEveryMs)
  for (const until = performance.now() + maxStartMs; ; await Bun.sleep(probeEveryMs)) {
    try {
      return await finishOpened(own, onChecked)
    } catch (error) {
      const isStarting = isAway(error) || findHolder(dataDir) !== null
      if (!isStarting || performance.now() > until) throw error
    }
  }
}

async function finishOpened(own: Config, onChecked: (problems: string[]) => void) {
  const opened = await openExisting({ ...own, databaseUrl: undefined }, createEvents())
  const sql = connectDirectly(opened.target, own)
  try {
    if (await readMoveState(sql)) onChecked(await finishTarget({ to: sql }))
  } finally {
    await sql.end({ timeout: 1 })
    await opened.stop()
  }
}

/** For a service whose database was moved to the embedded one: a command may still hold the data directory. */
export async function awaitDataDir(own: Config, events: Events): Promise<void> {
  if (withMovedDatabase(own).databaseUrl) return
  const { dataDir } = findPlace(own)
  const until = performance.now() + maxCommandMs
  const holder = findHolder(dataDir)
  if (!holder) return
  events.emit({ kind: 'note', message: `Waiting for the command that moves the database (process ${holder.pid}) to end.` })
  while (performance.now() < until && findHolder(dataDir)) await Bun.sleep(probeEveryMs)
}
