import { resolve } from 'node:path'
import type { Sql } from 'postgres'
import { narrowTables } from '../access/narrow-tables'
import { namesInRules } from '../access/rule-renames'
import { createStorageIdentity, identifiedStorage } from '../attachments/storage/identity'
import { openStorage } from '../attachments/storage/open'
import { createPasswords } from '../auth/accounts/passwords'
import { createThrottle } from '../auth/accounts/throttle'
import { createBudgets } from '../auth/budgets'
import { createLookup } from '../auth/identity/lookup'
import { createRefusals } from '../auth/refusals/refusals'
import { lastProvenStatement } from '../backup/log'
import { readMoveState, refusalOf } from '../backup/move/state'
import { requireRestoredDatabase } from '../backup/restore/external'
import { createBackups } from '../backup/schedule/backups'
import { createWalArchiver } from '../backup/wal/process'
import { createChangeFeed } from '../changes/feed/feed'
import { inspectDataDir, startEmbedded } from '../db/embedded/embedded'
import type { WantedArchive } from '../db/embedded/wal-archive'
import { connectionHint, isAway } from '../db/errors'
import { MigrationFailed, migrate } from '../db/migration/migrate'
import { planMigration } from '../db/migration/plan'
import { type ConnectionTarget, connectDirectly, type Db, directTarget, openDb } from '../db/pool/open'
import { installChangeTrigger } from '../db/schema/change-trigger'
import type { Deps } from '../deps'
import { createRenderer } from '../documents/render/renderer'
import { namesInForms } from '../forms/renames'
import { namesInLinks } from '../links/renames'
import type { Events } from '../ops/log/events'
import type { Config } from '../ops/settings/config'
import { createCatalog } from '../tables/catalog/catalog'
import { type CatalogWatch, watchCatalog } from '../tables/catalog/watch'
import { CommandError } from './command'

/**
 * A database to work with, and how to release it. `dataDir` is the folder that was chosen; `isShared` if a running
 * service uses the database.
 */
export type Opened = { target: ConnectionTarget; dataDir: string; description: string; isShared: boolean; stop: () => Promise<void> }

/**
 * The external PostgreSQL, or the embedded one, which is created if it does not exist.
 * @param archive the WAL archive of the embedded one, as in the settings; if left out, it stays as it is
 * @throws DataDirError also if a service already uses it
 */
export async function openDatabase(config: Config, events: Events, archive?: WantedArchive | null): Promise<Opened> {
  if (config.databaseUrl) {
    const { hosts, database } = config.databaseUrl
    return {
      target: { uri: config.databaseUrl },
      dataDir: resolve(config.dataDir),
      description: `PostgreSQL at ${hosts.join(',')}, database ${database ?? 'of the user’s name'}`,
      isShared: false,
      stop: async () => {},
    }
  }
  const { target, dataDir, stop } = await startEmbedded(config, events, archive)
  return { target, dataDir, description: `Embedded PostgreSQL, data in ${dataDir}`, isShared: false, stop }
}

/**
 * For commands that run beside the service: its database while it runs, or else like `openDatabase`; a folder without a
 * database is an error.
 */
export async function openExisting(config: Config, events: Events): Promise<Opened> {
  if (config.databaseUrl) return openDatabase(config, events)
  const { dataDir, running, isThere } = inspectDataDir(config)
  if (running) return { target: running, dataDir, description: 'the running service', isShared: true, stop: async () => {} }
  if (isThere) return openDatabase(config, events)
  throw new CommandError(
    `There is no database in ${dataDir}. Go to the folder of the service, or name its data directory in ROWHOUSE_DATA_DIR.`,
  )
}

/** @throws CommandError for a database that was moved away, and for an unfinished copy of one */
export async function requireInUse(target: ConnectionTarget, config: Config): Promise<void> {
  const direct = connectDirectly(config.databaseDirectUrl ? { uri: config.databaseDirectUrl } : target, config)
  const refusal = refusalOf(await readMoveState(direct).finally(() => direct.end({ timeout: 5 })))
  if (refusal !== null) throw new CommandError(refusal)
}

/**
 * Applies the migrations and installs change notifications if possible, over a connection without a pooler.
 * @returns the names of the applied migrations; whether PostgreSQL sends notifications
 */
export const applyMigrations = (target: ConnectionTarget, config: Config): Promise<{ applied: string[]; isTold: boolean }> =>
  inUsableDatabase(target, config, async (direct) => {
    const applied = await migrate(direct).catch(async (error) => {
      throw error instanceof MigrationFailed ? new CommandError(await describeFailure(error, direct)) : error
    })
    return { applied, isTold: await installChangeTrigger(direct) }
  })

/**
 * For commands that do not upgrade a database: only a start and `migrate` make the backup first.
 * @throws CommandError for a database of an older version, and for one that Rowhouse has not used; MigrationRefused for
 * one of a newer version
 */
export const requireMigrated = (target: ConnectionTarget, config: Config): Promise<void> =>
  inUsableDatabase(target, config, async (direct) => {
    const { from, steps } = await planMigration(direct)
    if (from === null)
      throw new CommandError(
        'There is no Rowhouse in this database. Check the settings; for a new database, start the service first, or run rowhouse migrate.',
      )
    if (steps.length > 0)
      throw new CommandError(
        `The database is of an older version (${from}). Start the service with this version first, or run rowhouse migrate; or use the executable of the old version (docs/upgrade.md).`,
      )
  })

async function inUsableDatabase<Result>(target: ConnectionTarget, config: Config, work: (direct: Sql) => Promise<Result>): Promise<Result> {
  await requireInUse(target, config)
  const direct = connectDirectly(directTarget(target, config), config)
  try {
    if (config.databaseUrl) await requireRestoredDatabase(direct, config)
    return await work(direct)
  } finally {
    await direct.end({ timeout: 5 })
  }
}

/** The ways back for the operator: the previous release, and the last backup. */
async function describeFailure({ step, message }: MigrationFailed, sql: Sql): Promise<string> {
  // An older release may have no such table.
  const [backup] = await sql.unsafe<{ place: string }[]>(lastProvenStatement).catch(() => [])
  return [
    `The upgrade of the database failed in ${step}: ${message.replace(/\.$/, '')}.`,
    'Nothing was changed, and the previous release can be started again (docs/upgrade.md).',
    ...(backup ? [`The last proven backup is ${backup.place}.`] : []),
  ].join(' ')
}

/**
 * Retries until the database answers: an unreachable database is no reason to exit, and the log says what the service
 * is waiting for.
 */
export async function whenReachable<T>(task: () => Promise<T>, events: Events, isWanted: () => boolean): Promise<T> {
  for (let retryMs = 250; ; retryMs = Math.min(retryMs * 2, 5000)) {
    try {
      return await task()
    } catch (error) {
      if (!isAway(error) || !isWanted()) throw error
      events.emit({ kind: 'database_away', error, retryMs, hint: connectionHint(error) })
      await Bun.sleep(retryMs)
    }
  }
}

export function createDeps(config: Config, events: Events, target: ConnectionTarget, isServing: () => boolean): Deps {
  const db: Db = openDb(target, config, {
    onSlow: (statement, durationMs) => events.emit({ kind: 'statement_slow', statement, durationMs }),
  })
  const storage = openStorage(config, events)
  const walArchiver = createWalArchiver(config, events)
  const storageIdentity = createStorageIdentity(db, storage, events)
  return {
    config,
    db,
    events,
    lookup: createLookup(db, events, config.sessionIdleTimeoutMs),
    refusals: createRefusals(db, events),
    passwords: createPasswords(config),
    throttle: createThrottle(db, config.argon2Concurrency),
    budgets: createBudgets(db),
    catalog: createCatalog(db, config.schemas, narrowTables, [namesInRules, namesInLinks, namesInForms]),
    storage: identifiedStorage(storage, storageIdentity),
    storageIdentity,
    renderer: createRenderer(config, events),
    feed: createChangeFeed(db, events),
    backups: createBackups({ config, db, events, walArchiver, isServing }),
    walArchiver,
    isServing,
  }
}

/** Watches over the connection that migrations use, if there is one: listening does not work through a pooler. */
export function startWatching({ catalog, config, events }: Deps, target: ConnectionTarget, isTold: boolean): CatalogWatch {
  const { databaseDirectUrl, databasePrepare, schemas } = config
  const canListen = databasePrepare || databaseDirectUrl !== undefined
  const direct: ConnectionTarget = databaseDirectUrl ? { uri: databaseDirectUrl } : target
  const db = openDb(
    direct,
    { ...config, databasePoolSize: 1, databasePrepare: canListen },
    {
      onNotification: (channel, payload) => watch.onNotify(channel, payload),
      reserved: 0,
    },
  )
  const watch = watchCatalog(db, catalog, events, { hasEventTriggers: isTold, canListen, schemas })
  return watch
}
