import { createLookup } from '../auth/lookup'
import { createPasswords } from '../auth/passwords'
import { findRunning, startEmbedded } from '../db/embedded'
import { isAway } from '../db/failures'
import { migrate } from '../db/migrate'
import { connectDirectly, type Db, openDb, type Target } from '../db/open'
import type { Deps } from '../deps'
import type { Config } from '../ops/config'
import type { Events } from '../ops/events'
import { createCatalog } from '../tables/catalog'

/** A database to work with, and how to let it go. `dataDir` is where it turned out to be. */
export type Opened = { target: Target; dataDir: string; description: string; stop: () => Promise<void> }

/** The team's PostgreSQL, or the one inside. For the one inside, `share` also accepts one that a running service has. */
export async function openDatabase(config: Config, events: Events, share: boolean): Promise<Opened> {
  if (config.databaseUrl) {
    const { host, pathname } = new URL(config.databaseUrl)
    return {
      target: { url: config.databaseUrl },
      dataDir: config.dataDir,
      description: `PostgreSQL at ${host}${pathname}`,
      stop: async () => {},
    }
  }
  const running = share ? findRunning(config) : null
  if (running) return { target: running, dataDir: config.dataDir, description: 'the running service', stop: async () => {} }
  const { target, dataDir, stop } = await startEmbedded(config, events)
  return { target, dataDir, description: `PostgreSQL inside, data in ${dataDir}`, stop }
}

/** Applies the migrations over a connection that no pooler stands in. @returns the names of those applied now */
export async function applyMigrations(target: Target, config: Config): Promise<string[]> {
  const direct = connectDirectly(config.databaseDirectUrl ? { url: config.databaseDirectUrl } : target, config)
  try {
    return await migrate(direct)
  } finally {
    await direct.end({ timeout: 5 })
  }
}

/** Tries until the database answers; an absent database is no reason to give up, and the log says what is being waited for. */
export async function whenReachable<T>(task: () => Promise<T>, events: Events, isWanted: () => boolean): Promise<T> {
  for (let retryMs = 250; ; retryMs = Math.min(retryMs * 2, 5000)) {
    try {
      return await task()
    } catch (error) {
      if (!isAway(error) || !isWanted()) throw error
      events.emit({ kind: 'database_away', error, retryMs })
      await Bun.sleep(retryMs)
    }
  }
}

export function createDeps(config: Config, events: Events, target: Target, isServing: () => boolean): Deps {
  const db: Db = openDb(target, config)
  return { config, db, events, lookup: createLookup(db, events), passwords: createPasswords(config), catalog: createCatalog(db), isServing }
}
