import { megabytes } from '../../backup/disk-space'
import { needsBackup } from '../../backup/upgrade/backup-first'
import { type Rehearsal, rehearseUpgrade } from '../../backup/upgrade/rehearse'
import { type MigrationPlan, planMigration } from '../../db/migration/plan'
import { connectDirectly, directTarget } from '../../db/pool/open'
import { createEvents } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { version } from '../../ops/version'
import { type Opened, openExisting } from '../bootstrap'
import { type Command, databaseSettings } from '../command'
import { runAsServiceUser } from '../service-user'
import { withInterruption } from './interruption'
import { createProgress } from './progress'
import { removeOldDatabase, upgradePostgres } from './upgrade-postgres'

export const upgradeCommand: Command = {
  name: 'upgrade',
  summary: 'Report what this executable would change in the database, and rehearse it on a copy.',
  description: [
    'Lists the migrations that a start of this executable would apply, and whether it makes a backup first (ROWHOUSE_UPGRADE_BACKUP). Changes nothing, and the service may run meanwhile.',
    'With --rehearse it copies the database (of a DATABASE_URL its schemas, into an embedded database), applies the migrations to the copy, and reports time, locks and size. The upgrade itself is the next start, or rowhouse migrate.',
    'With --postgres it brings the embedded database from an older major version of PostgreSQL to the one of this executable, while the service is stopped: it copies everything into a new database, compares the two, and keeps the old one until --remove-old.',
    'Exits with 1 when the upgrade fails or would fail.',
  ].join(' '),
  settings: [...databaseSettings, 'schemas', 'upgradeBackup', 'backupTo', 'minFreeBytes'],
  switches: {
    rehearse: 'Apply the migrations to a copy, which is removed afterwards.',
    postgres: 'Bring the embedded database to the PostgreSQL of this executable.',
    'remove-old': 'Remove the databases of older major versions that --postgres has kept.',
    quiet: 'No progress.',
  },
  run: async ({ config: given, environment, switches }) => {
    const config = runAsServiceUser(given, { data: given.databaseUrl ? 'none' : 'used', environment })
    if (switches.has('postgres')) await upgradePostgres(config, switches.has('quiet'))
    if (switches.has('remove-old')) removeOldDatabase(config)
    if (switches.has('postgres') || switches.has('remove-old')) return 0
    const opened = await openExisting(config, createEvents())
    try {
      const plan = await readPlan(config, opened)
      console.log(describePlan(plan, config))
      if (!switches.has('rehearse') || plan.steps.length === 0) return 0
      console.log(describeRehearsal(await rehearse(config, opened, switches.has('quiet'))))
      return 0
    } finally {
      await opened.stop()
    }
  },
}

async function readPlan(config: Config, { target }: Opened): Promise<MigrationPlan> {
  const sql = connectDirectly(directTarget(target, config), config)
  return planMigration(sql).finally(() => sql.end({ timeout: 5 }))
}

async function rehearse(config: Config, { target, dataDir }: Opened, isQuiet: boolean): Promise<Rehearsal> {
  const progress = createProgress(isQuiet)
  try {
    return await withInterruption((signal) => rehearseUpgrade({ config, opened: { target, dataDir }, signal, progress }))
  } finally {
    progress.end()
  }
}

function describePlan(plan: MigrationPlan, config: Config): string {
  const { from, steps } = plan
  if (steps.length === 0) return `The database is up to date for Rowhouse ${version}: ${from}.`
  const width = Math.max(...steps.map(({ name }) => name.length))
  const lines = steps.map(({ name, isAdditive }) => `  ${name.padEnd(width)}  ${isAdditive ? 'only adds' : 'changes what is there'}`)
  return [
    `Rowhouse ${version} brings the database from ${from ?? 'nothing'} to ${steps.at(-1)!.name}:`,
    ...lines,
    describeBackup(plan, config),
  ].join('\n')
}

function describeBackup(plan: MigrationPlan, { upgradeBackup, backupTo }: Config): string {
  const setting = `ROWHOUSE_UPGRADE_BACKUP=${upgradeBackup}`
  if (!needsBackup(plan, upgradeBackup)) return `The start makes no backup first (${setting}).`
  return `The start makes a proven backup first, with the attachments (${setting}), in ${backupTo ?? 'the folder upgrade-backup of the data directory'}.`
}

function describeRehearsal({ databaseBytes, addedBytes, copyMs, steps }: Rehearsal): string {
  const ms = (time: number) => (time < 1000 ? `${Math.ceil(time)} ms` : `${(time / 1000).toFixed(1)} s`)
  const all = steps.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return [
    `Rehearsed on a copy of ${megabytes(databaseBytes)}, which was made in ${ms(copyMs)}. The migrations took ${ms(all)}, in one transaction:`,
    ...steps.map(
      ({ name, durationMs, locks }) =>
        `  ${name}: ${ms(durationMs)}, ${locks.length ? `locks ${locks.join(', ')}` : 'locks nothing that was there'}`,
    ),
    `The database grows by ${megabytes(Math.max(0, addedBytes))}. All records of all tables are there.`,
  ].join('\n')
}
