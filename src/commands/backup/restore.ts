import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type LogicalDatabase, requireRestorable } from '../../backup/archive/manifest'
import type { ReadBackup } from '../../backup/archive/reader'
import type { Bytes } from '../../backup/archive/seal'
import { isUrl, objectSize, openBucket, readFromBucket } from '../../backup/bucket'
import { megabytes } from '../../backup/disk-space'
import { BackupError, DamagedBackup, explainSystemError } from '../../backup/errors'
import { isRequest, type RequestedTarget } from '../../backup/restore/before-request'
import { restoreIntoDatabase } from '../../backup/restore/external'
import { type InspectedBackup, inspectBackup } from '../../backup/restore/inspect'
import { requireEmptyDataDir, restoreBackup } from '../../backup/restore/restore'
import { restoreTable } from '../../backup/table/restore-table'
import { openArchiveOf, wholeLog } from '../../backup/wal/follow'
import { nextSegment } from '../../backup/wal/segment'
import type { Config } from '../../ops/settings/config'
import type { ConnectionUri } from '../../ops/settings/connection-uri'
import { UsageError } from '../arguments'
import type { Command, CommandContext } from '../command'
import { runAsServiceUser } from '../service-user'
import { withDeps } from '../with-deps'
import { backupCommandSettings, describeContents, exitDamaged, readPassphrase } from './backup'
import { withInterruption } from './interruption'
import { createProgress, type Progress } from './progress'
import { describeRestored, describeTimes, inBucket } from './restore-report'
import { readRequestedTarget } from './restore-target'

export const restoreCommand: Command = {
  name: 'restore',
  arguments: 'FILE',
  summary: 'Restore a backup into an empty data directory.',
  description: [
    'Reads and checks every byte of FILE, then puts it into the data directory, which has to be empty or missing, and lets PostgreSQL recover.',
    'A backup of a DATABASE_URL is restored into the empty database of DATABASE_URL if that is set, and otherwise into the embedded database.',
    'With --table it brings one table into the database that is there: its records with their keys and attachments, and links to records that are there now.',
    'With --to or --before-request it follows the log in ROWHOUSE_WAL_ARCHIVE from there, up to a time or a request, or as far as the log goes.',
    'A restore that fails leaves nothing behind. Exits with 0 when it succeeded, 1 when it failed, 2 when it was called wrongly, and 3 when the backup is damaged.',
  ].join(' '),
  settings: [...backupCommandSettings, 'walArchive'],
  switches: {
    'dry-run': 'Show what is in FILE and whether it is intact; write nothing.',
    quiet: 'Print nothing unless it fails or something is missing.',
  },
  values: {
    to: 'A time since the backup, as "2026-11-22 10:15" (of this machine) or 2026-11-22T10:15:00Z, or latest.',
    'before-request': 'The id of a request since the backup (X-Request-Id): what was committed before its first change.',
    table: 'Restore this table of FILE into the existing database, also while the service runs.',
    as: 'The name of the new table.',
  },
  run: async (context) => {
    const [file] = context.positionals
    if (!file) throw new UsageError('Usage: rowhouse restore FILE')
    requireTableFlags(context)
    const target = readRequestedTarget(context)
    const passphrase = readPassphrase(context.config, context.environment)
    // Read before root is given up: only root may be able to read the file.
    const source = isUrl(file) ? await openBucketSource(file, context.config) : openSource(file)
    const progress = createProgress(context.switches.has('quiet'))
    try {
      return await withInterruption((signal) => {
        const task = { source, target, passphrase, progress, signal }
        const table = context.values.get('table')
        return table === undefined ? restore(context, task) : restoreOneTable(context, task, table)
      })
    } catch (error) {
      const explained = explainSystemError(error, context.config.dataDir)
      if (!(explained instanceof DamagedBackup)) throw explained
      progress.end()
      console.error(`rowhouse: ${explained.message}`)
      return exitDamaged
    } finally {
      progress.end()
      source.close()
    }
  },
}

type Source = { size: number; read: (onBytes: (count: number) => void) => Bytes; close: () => void }

/** @throws BackupError if the object does not exist */
async function openBucketSource(address: string, config: Config): Promise<Source> {
  const object = openBucket(address, config)
  const size = await objectSize(object)
  if (size === null) throw new BackupError(`There is no backup at ${address}.`)
  return {
    size,
    read: async function* (onBytes) {
      for await (const chunk of readFromBucket(object)) {
        onBytes(chunk.byteLength)
        yield chunk
      }
    },
    close: () => {},
  }
}

const chunkBytes = 2 ** 18

function openSource(file: string): Source {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    throw explainSystemError(error, file, 'read')
  }
  const found = fstatSync(descriptor)
  if (!found.isFile()) {
    closeSync(descriptor)
    throw new BackupError(`${file} is not a file. Name the backup itself.`)
  }
  const readAt = (buffer: Buffer, position: number) => {
    try {
      return readSync(descriptor, buffer, 0, chunkBytes, position)
    } catch (error) {
      throw explainSystemError(error, file)
    }
  }
  return {
    size: found.size,
    read: async function* (onBytes) {
      for (let position = 0; ; ) {
        const buffer = Buffer.alloc(chunkBytes)
        const count = readAt(buffer, position)
        if (count === 0) return
        position += count
        onBytes(count)
        yield buffer.subarray(0, count)
      }
    },
    close: () => closeSync(descriptor),
  }
}

/** @throws UsageError */
function requireTableFlags({ values, switches }: CommandContext) {
  if (values.has('table') !== values.has('as'))
    throw new UsageError('--table and --as are given together: --table=orders --as=orders_restored')
  if (values.has('table') && switches.has('dry-run')) throw new UsageError('--dry-run does not work with --table.')
}

async function restoreOneTable(context: CommandContext, task: RestoreTask, table: string): Promise<number> {
  const { source, target: time, passphrase, progress, signal } = task
  const as = context.values.get('as')!
  const place = context.config.walArchive
  return withDeps(context, async (deps, { target }) => {
    const restored = await restoreTable({
      ...{ deps, target, table, as, passphrase, progress, signal, size: source.size },
      open: () => source.read(progress.add),
      recovery: time && place !== undefined ? { place, target: time } : undefined,
    })
    progress.end()
    const { name, records, files, notes } = restored
    if (context.switches.has('quiet')) {
      for (const note of notes) console.error(`rowhouse: ${note}`)
      return 0
    }
    const counted = [`${records} record${records === 1 ? '' : 's'}`, `${files} attachment${files === 1 ? '' : 's'}`]
    console.log(`Restored ${table} as ${name}: ${counted.join(', ')}.`)
    for (const note of notes) console.log(note)
    return 0
  })
}

type RestoreTask = {
  source: Source
  target: RequestedTarget | null
  passphrase: string | undefined
  progress: Progress
  signal: AbortSignal
}

async function restore({ config: given, environment, switches }: CommandContext, task: RestoreTask): Promise<number> {
  const { source, target, passphrase, progress, signal } = task
  if (switches.has('dry-run')) {
    progress.begin('Checking', source.size)
    const read = await inspectBackup(source.read(progress.add), passphrase, signal)
    progress.end()
    if (!switches.has('quiet')) console.log(describe(read))
    requireRestorable(read.manifest)
    if (given.walArchive === undefined) return 0
    const log = await describeLog(read, { place: given.walArchive, passphrase, config: given })
    if (!switches.has('quiet')) console.log(log)
    return 0
  }
  const config: Config = runAsServiceUser(given, { data: 'made', environment })
  if (!config.databaseUrl) requireEmptyDataDir(config)
  progress.begin('Checking', source.size)
  const onChecked = ({ bytes }: ReadBackup) => {
    progress.say(`It is intact. ${megabytes(bytes)} go into ${config.dataDir}.`)
    if (target instanceof Date) progress.say(`The log is followed to ${target.toISOString()}.`)
    progress.begin(target && isRequest(target) ? 'Looking for the request' : 'Restoring', source.size)
  }
  const onTarget = () => {
    if (target && isRequest(target)) progress.begin('Restoring', source.size)
  }
  let read: ReadBackup | undefined
  if (config.databaseUrl) return restoreExternal(config, config.databaseUrl, task, onChecked, switches.has('quiet'))
  const { walArchive: place } = config
  const onBytes = progress.add
  const restored = await restoreBackup({
    open: () => source.read(progress.add),
    passphrase,
    config,
    signal,
    onChecked: (checked) => {
      read = checked
      onChecked(checked)
    },
    recovery: target && place !== undefined ? { place, target, onBytes, onTarget } : undefined,
  })
  progress.end()
  if (!read) return 0
  const { lines, missing } = describeRestored(restored, read, target)
  if (switches.has('quiet')) for (const line of missing) console.error(`rowhouse: ${line}`)
  else for (const line of lines) console.log(line)
  return 0
}

async function restoreExternal(
  config: Config,
  uri: ConnectionUri,
  { source, passphrase, progress, signal }: RestoreTask,
  onChecked: (read: ReadBackup) => void,
  isQuiet: boolean,
): Promise<number> {
  let read: ReadBackup | undefined
  const { dataDir } = await restoreIntoDatabase({
    open: () => source.read(progress.add),
    onChecked: (checked) => {
      read = checked
      onChecked(checked)
    },
    ...{ passphrase, config, signal, uri },
  })
  progress.end()
  if (isQuiet || !read) return 0
  const { hosts, database } = uri
  const files = read.manifest.attachments === 'disk' ? `, the attachments into ${dataDir}` : ''
  console.log(`Restored into ${database ?? 'the database'} at ${hosts.join(',')}${files}: ${describeContents(read.contents)}.`)
  console.log(describeTimes(read.manifest, null, null))
  if (!files) console.log(inBucket)
  console.log(`Start it with the same DATABASE_URL: rowhouse serve --data-dir=${dataDir}`)
  return 0
}

type LogOptions = Parameters<typeof openArchiveOf>[1]

async function describeLog({ manifest, lastSegment }: InspectedBackup, options: LogOptions): Promise<string> {
  if (!manifest.walArchive || lastSegment === null) return 'It was made without an archive of the log: it can be restored as it is.'
  const archive = await openArchiveOf(manifest, options)
  const { until, isBroken } = wholeLog(archive.objects, nextSegment(lastSegment))
  const range = until
    ? `With the log in ${archive.place} it can be restored to any time since, until ${until.toISOString()}.`
    : `The log in ${archive.place} has nothing after it yet.`
  return isBroken ? `${range} After that, part of the log is missing.` : range
}

function describeLogical({ schemas, server, extensions, roles }: LogicalDatabase): string {
  const needed = extensions.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const needs = [
    ...(needed.length > 0 ? [`the extensions ${needed.join(', ')}`] : []),
    ...(roles.length > 0 ? [`the roles ${roles.join(', ')}`] : []),
  ]
  return `A logical copy of the schemas ${schemas.join(', ')} of a PostgreSQL ${server}${needs.length > 0 ? `, which needs ${needs.join(' and ')}` : ''}.`
}

function describe({ manifest, contents, entries, bytes }: ReadBackup): string {
  return [
    `Made ${manifest.createdAt} by Rowhouse ${manifest.rowhouse} with PostgreSQL ${manifest.postgres} on ${manifest.platform}.`,
    ...(manifest.logical ? [describeLogical(manifest.logical)] : []),
    `${describeContents(contents)}; ${entries} files, ${megabytes(bytes)} unpacked.`,
    ...(manifest.attachments === 'bucket' ? ['Attachments were in a bucket and are not in it.'] : []),
    'It is intact: every byte is the one that was written.',
  ].join('\n')
}
