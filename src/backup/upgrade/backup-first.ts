import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type MigrationPlan, planMigration } from '../../db/migration/plan'
import { type ConnectionTarget, connectDirectly, directTarget } from '../../db/pool/open'
import type { Config } from '../../ops/settings/config'
import { megabytes } from '../disk-space'
import { BackupError, BackupUnderWay } from '../errors'
import { placesStatement } from '../log'
import { makeBackup } from '../make'
import { exclusivelyOn } from '../schedule/hold-lock'
import { type ListedBackup, madeBySchedule, newestOnly, removeExpired } from '../schedule/retention'
import { type BackupStore, openStore } from '../store'
import { resolveTarget } from '../target-file'

export type UpgradeTask = {
  config: Config
  opened: { target: ConnectionTarget; dataDir: string }
  /** For backups in the location from the settings. */
  passphrase: string | undefined
  signal: AbortSignal
  /** Receives a sentence about each step. */
  say: (sentence: string) => void
}

/** The folder of the backup if the settings name no location. It holds only the last one. */
const upgradeFolder = 'upgrade-backup'

/** How often it checks whether the backup of another instance has ended. */
const waitMs = 2000

/** Whether a start makes a backup before it applies the plan. */
export function needsBackup({ from, steps }: MigrationPlan, mode: Config['upgradeBackup']): boolean {
  if (from === null || steps.length === 0 || mode === 'off') return false
  return mode === 'always' || steps.some(({ isAdditive }) => !isAdditive)
}

/**
 * Makes a proven backup if the pending migrations change data. If another instance is making one of the same database,
 * it waits, and then checks again whether a backup is needed.
 * @throws BackupError when there is no proven backup; then nothing may be migrated
 */
export async function backUpBeforeUpgrade(task: UpgradeTask): Promise<void> {
  const { config, opened, signal, say } = task
  const sql = connectDirectly(directTarget(opened.target, config), config)
  const plan = await planMigration(sql).finally(() => sql.end({ timeout: 5 }))
  if (plan.from === null || plan.steps.length === 0) return
  say(`Upgrading the database from ${plan.from}: ${plan.steps.map(({ name }) => name).join(', ')}`)
  if (!needsBackup(plan, config.upgradeBackup)) return
  try {
    await backUp(task)
  } catch (error) {
    if (!(error instanceof BackupUnderWay)) throw error
    say('Another instance is making a backup. Waiting for it.')
    await Bun.sleep(waitMs)
    signal.throwIfAborted()
    await backUpBeforeUpgrade(task)
  }
}

async function backUp({ config, opened, passphrase, signal, say }: UpgradeTask): Promise<void> {
  // The service makes this backup by itself, so the schedule may replace it.
  const request = { origin: 'schedule', requestedBy: null } as const
  const progress = { begin: () => {}, add: () => {}, say }
  const isOwnFolder = config.backupTo === undefined
  const store = openStore(config.backupTo ?? newFolder(opened.dataDir), config)
  const secret = isOwnFolder ? undefined : passphrase
  const target = resolveTarget(store.place, secret !== undefined, new Date())
  say(`Making a backup first (ROWHOUSE_UPGRADE_BACKUP=${config.upgradeBackup}): ${target}`)
  const startedAt = performance.now()
  const task = { target, passphrase: secret, config, opened, wasRoot: false, request, recordsFailures: true, progress, signal }
  const made = await makeBackup(task).catch((error) => {
    if (!(error instanceof BackupError) || error instanceof BackupUnderWay) throw error
    throw new BackupError(`${error.message} ${notUpgraded}`)
  })
  if (made.proof === null) throw new BackupError(`The backup ${made.place} is not intact: ${made.problem} ${notUpgraded}`)
  // A start that fails after its backup may be retried many times, for example by systemd.
  const removed = isOwnFolder
    ? await removeExpired(
        store,
        basename(made.place),
        newestOnly,
        () => true,
        (work) => work(),
      )
    : await removeReplaced(store, basename(made.place), opened.target, config)
  for (const name of removed) say(`Removed the backup ${name}`)
  say(`Backed up and verified: ${made.place}, ${megabytes(made.bytes)} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

/** @returns the names of the removed backups */
async function removeReplaced(store: BackupStore, made: string, target: ConnectionTarget, config: Config): Promise<string[]> {
  const sql = connectDirectly(directTarget(target, config), config)
  try {
    // In an older release the table may not exist; then no backup is replaceable.
    const listed: ListedBackup[] = await sql.unsafe<ListedBackup[]>(placesStatement).catch(() => [])
    return await removeExpired(store, made, config.backupKeep, madeBySchedule(listed), exclusivelyOn(sql))
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const notUpgraded =
  'The upgrade has not begun, and the previous release can be started. Fix this, or set ROWHOUSE_UPGRADE_BACKUP=off to upgrade without a backup.'

function newFolder(dataDir: string): string {
  const folder = join(dataDir, upgradeFolder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}
