import { resolve } from 'node:path'
import type { BackupContents } from '../../backup/archive/manifest'
import { isUrl } from '../../backup/bucket'
import { megabytes } from '../../backup/disk-space'
import { type BackupTask, type MadeBackup, makeBackup } from '../../backup/make'
import type { BackupProof } from '../../backup/proof/prove'
import { resolveTarget } from '../../backup/target-file'
import { findPlace } from '../../db/embedded/place'
import { postgresMajor } from '../../db/embedded/runtime'
import { createEvents } from '../../ops/log/events'
import { isRoot } from '../../ops/ownership/privileges'
import type { Config } from '../../ops/settings/config'
import { firstLine } from '../../ops/settings/setting-readers'
import type { SettingKey } from '../../ops/settings/settings'
import { UsageError } from '../arguments'
import { openExisting } from '../bootstrap'
import { type Command, type CommandContext, CommandError, databaseSettings, type Environment, s3Settings } from '../command'
import { runAsServiceUser } from '../service-user'
import { withInterruption } from './interruption'
import { lowerPriority } from './priority'
import { createProgress } from './progress'
import { verifyPlace } from './verify'

export const backupCommandSettings: SettingKey[] = [...databaseSettings, ...s3Settings, 'schemas', 'backupPassphraseFile']

/** The exit code for a backup that was written but cannot be restored. */
export const exitDamaged = 3

export const backupCommand: Command = {
  name: 'backup',
  arguments: 'FILE',
  summary: 'Copy the database and the files into one file, also beside the service.',
  description: [
    'Writes the database and the attachments of the data directory into FILE (with a folder: into a new file there; also s3://bucket/folder/), while the service runs or not.',
    'For the database of a DATABASE_URL, FILE has a consistent logical copy of the schemas rowhouse, data and those of ROWHOUSE_SCHEMAS.',
    'The backup is then restored into a temporary folder, started and compared with the original. It gets its name only after that.',
    'Exits with 0 when that succeeded, 1 when nothing was written, 2 when it was called wrongly, and 3 when the backup could not be verified; it is then called FILE.unproven.',
    'Attachments in a bucket are not included.',
  ].join(' '),
  settings: [...backupCommandSettings, 'minFreeBytes', 'backupTo'],
  switches: {
    quiet: 'Print nothing unless it fails.',
    verify: 'Verify FILE again, or all proven backups of a folder or bucket; without FILE, those in ROWHOUSE_BACKUP_TO. Makes no backup.',
  },
  run: async (context) => {
    const {
      config: given,
      positionals: [file],
      environment,
      switches,
    } = context
    if (switches.has('verify')) return verify(context)
    if (!file) throw new UsageError('Usage: rowhouse backup FILE')
    const passphrase = readPassphrase(given, environment)
    const wasRoot = isRoot()
    const target = resolveTarget(file, passphrase !== undefined, new Date())
    const config = runAsServiceUser(given, { data: 'used', environment })
    lowerPriority()
    const progress = createProgress(switches.has('quiet'))
    try {
      return await withInterruption((signal) =>
        backUp({ wasRoot, target, passphrase, config, request: { origin: 'command', requestedBy: null }, progress, signal }),
      )
    } finally {
      progress.end()
    }
  },
}

async function verify({ config: given, positionals: [file], environment, switches }: CommandContext): Promise<number> {
  const named = file ?? given.backupTo
  if (named === undefined) throw new UsageError('Usage: rowhouse backup --verify FILE, or set ROWHOUSE_BACKUP_TO')
  const passphrase = readPassphrase(given, environment)
  // Resolved before the current folder may change.
  const place = isUrl(named) ? named : resolve(named)
  const config = runAsServiceUser(given, { data: 'used', environment })
  lowerPriority()
  const progress = createProgress(switches.has('quiet'))
  try {
    const task = { place, passphrase, config: { ...config, dataDir: findPlace(config).dataDir }, progress }
    const { damaged, untried } = await withInterruption((signal) => verifyPlace({ ...task, signal }))
    return damaged > 0 ? exitDamaged : untried > 0 ? 1 : 0
  } finally {
    progress.end()
  }
}

/** Read before root is given up: only root may be able to read the file. */
export function readPassphrase({ backupPassphraseFile }: Config, environment: Environment): string | undefined {
  if (backupPassphraseFile === undefined) return undefined
  try {
    return firstLine(backupPassphraseFile)
  } catch (error) {
    const { ROWHOUSE_PASSPHRASE_FILE: named } = environment
    const setting = named === backupPassphraseFile ? 'ROWHOUSE_PASSPHRASE_FILE' : '--passphrase-file'
    throw new CommandError(`${setting} ${(error as Error).message}.`)
  }
}

async function backUp(task: Omit<BackupTask, 'opened' | 'recordsFailures'>): Promise<number> {
  const startedAt = performance.now()
  const opened = await openExisting(task.config, createEvents())
  try {
    const made = await makeBackup({ ...task, opened, recordsFailures: true })
    if (!made.proof) {
      console.error(`rowhouse: The backup is not intact. ${made.problem}`)
      console.error(`It was saved as ${made.place}.`)
      return exitDamaged
    }
    task.progress.say(reportOf({ ...made, proof: made.proof }, startedAt, task.config))
    return 0
  } finally {
    await opened.stop()
  }
}

function reportOf(
  { place, bytes, contents, proof }: MadeBackup & { proof: BackupProof },
  startedAt: number,
  { s3Bucket, databaseUrl }: Config,
): string {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const bucket = s3Bucket ? ` The attachments are in the bucket ${s3Bucket} and not in the backup.` : ''
  const tables = `${proof.tables} tables and ${proof.indexes} indexes`
  return [
    `Backed up: ${place}, ${megabytes(bytes)} in ${seconds} s: ${describeContents(contents)}.`,
    databaseUrl
      ? `Verified: restored into PostgreSQL ${postgresMajor}, ${tables} made, constraints checked, rows compared by number and checksum, and attachments.${bucket}`
      : `Verified: restored, started, every page, ${tables} checked, rows and attachments compared.${bucket}`,
  ].join('\n')
}

export function describeContents(contents: BackupContents): string {
  const nouns = ['table', 'record', 'user', 'attachment'] as const
  return nouns.map((noun) => `${contents[`${noun}s`]} ${noun}${contents[`${noun}s`] === 1 ? '' : 's'}`).join(', ')
}
