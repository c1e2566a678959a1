import { dirname, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { openStorage } from '../attachments/open-storage'
import { type Copied, writeBackup } from '../backup/create'
import { explained } from '../backup/problem'
import { proveBackup } from '../backup/proof'
import { type State, shown } from '../backup/state'
import { createTargetFile, type TargetFile } from '../backup/target-file'
import { refuseUnsafe } from '../db/embedded/place'
import { isAway } from '../db/failures'
import { connectDirectly } from '../db/open'
import type { Config } from '../ops/config'
import { createEvents, type Events } from '../ops/events'
import type { SettingKey } from '../ops/settings'
import { type Command, CommandError } from './command'
import { interruptible } from './interruption'
import { megabytes, telling } from './progress'
import { openExisting } from './runtime'

export const backupSettings: SettingKey[] = ['dataDir', 'databaseUrl', 'postgresUser', 's3Bucket', 'schemas', 'logLevel']

/** What `pg_backup_stop` says on a connection that is another one by now. */
const notInProgress = '55000'

export const backup: Command = {
  name: 'backup',
  arguments: 'FILE',
  summary: 'Copy everything into one file, also beside the service.',
  description: [
    'Writes the database inside and the attachments of the data directory into FILE, a tar compressed with zstd, while the service runs or not.',
    'Then FILE is tried out: its database is restored into a folder of its own, started and read, and every attachment has to be in it.',
    'With - it goes to standard output and is not tried out. Attachments in a bucket and the database of a DATABASE_URL are not in it.',
  ].join(' '),
  settings: [...backupSettings, 'minFreeBytes'],
  run: ({ config, positionals: [file] }) => {
    if (!file) throw new CommandError('Usage: rowhouse backup FILE (or - for standard output)')
    refuseOwnDatabase(config)
    if (file === '-' && process.stdout.isTTY) throw new CommandError('A backup is nothing for a terminal: rowhouse backup - > FILE')
    return interruptible((signal) => (file === '-' ? toStandardOutput(config, signal) : toFile(file, config, signal)))
  },
}

/** What Rowhouse has not made it does not copy: for the team's database there are better tools. */
export function refuseOwnDatabase({ databaseUrl, s3Bucket, dataDir }: Config) {
  if (!databaseUrl) return
  const files = s3Bucket ? `the bucket ${s3Bucket}` : `the folder ${resolve(dataDir, 'files')}`
  throw new CommandError(
    `The database of DATABASE_URL is backed up and restored by its own tools (pg_dump and pg_restore, or pg_basebackup). Copy the database first and ${files} afterwards: then every attachment that the database knows is in the copy.`,
  )
}

async function toFile(file: string, config: Config, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now()
  const folder = dirname(resolve(file))
  const events = createEvents()
  const opened = await openExisting(config, events)
  try {
    refuseForRoot(opened.dataDir)
    const target = explaining(folder, () => createTargetFile(file))
    try {
      const copied = await write(opened, target.sink, config, signal)
      const tried = await prove(target, copied, { ...config, dataDir: opened.dataDir }, events, signal)
      const name = tried.problem !== null ? target.keepUnproven() : target.keep()
      const size = Bun.file(name).size
      console.error(
        `${name}: ${megabytes(size)} (${contents(copied, config)}) in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`,
      )
      if (tried.problem !== null) {
        throw new CommandError(`This backup did not stand its trial, so it is called ${name}: ${tried.problem}`)
      }
      console.error(`Tried out: restored, started and read; ${shown(tried.state)}.`)
      return 0
    } catch (error) {
      target.remove()
      throw explained(error, folder)
    }
  } finally {
    await opened.stop()
  }
}

/** @throws DataDirError where somebody else could exchange what root is about to read and write */
function refuseForRoot(dataDir: string) {
  if (process.getuid?.() === 0) refuseUnsafe(dataDir)
}

type Tried = { problem: string } | { problem: null; state: State }

/** An interruption is no verdict: it is thrown. */
async function prove(
  { unfinished }: TargetFile,
  { databaseBytes }: Copied,
  config: Config,
  events: Events,
  signal: AbortSignal,
): Promise<Tried> {
  using _ = telling(() => 'It is written and is being tried out')
  try {
    return { problem: null, state: await proveBackup(unfinished, databaseBytes, config, events, signal) }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return { problem: (explained(error, config.dataDir) as Error).message }
  }
}

async function toStandardOutput(config: Config, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now()
  const opened = await openExisting(config, createEvents())
  try {
    refuseForRoot(opened.dataDir)
    const copied = await write(opened, standardOutput(), config, signal)
    console.error(`${contents(copied, config)} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s, not tried out.`)
    return 0
  } catch (error) {
    throw explained(error, 'standard output')
  } finally {
    await opened.stop()
  }
}

/** `process.stdout` itself is not to be ended, and waits by itself where a pipe is full. */
function standardOutput(): Writable {
  // It is told to the writer, too.
  process.stdout.on('error', () => {})
  return new Writable({ write: (chunk, _encoding, done) => void process.stdout.write(chunk, done) })
}

async function write({ target, dataDir }: Awaited<ReturnType<typeof openExisting>>, sink: Writable, config: Config, signal: AbortSignal) {
  const sql = connectDirectly(target, config)
  signal.addEventListener('abort', () => void sql.end({ timeout: 0 }))
  let bytes = 0
  const onBytes = (count: number) => {
    bytes += count
  }
  using _ = telling(() => `${megabytes(bytes)} read so far`)
  try {
    const files = config.s3Bucket ? null : openStorage({ ...config, dataDir }, createEvents())
    return await writeBackup({ sql, dataDir, files }, sink, signal, onBytes)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!isAway(error) && (error as { code?: string }).code !== notInProgress) throw error
    throw new CommandError(
      'The database stopped while it was copied, so the backup is not whole. Try again when the service runs, or does not.',
    )
  } finally {
    // With the session the backup ends in PostgreSQL, too, and the log that it held may go.
    await sql.end({ timeout: 1 })
  }
}

function contents({ databaseBytes, files, fileBytes }: Copied, { s3Bucket }: Config): string {
  const attachments = s3Bucket ? `without the attachments: the bucket ${s3Bucket} is not in it` : `${files} files ${megabytes(fileBytes)}`
  return `database ${megabytes(databaseBytes)}, ${attachments}`
}

function explaining<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explained(error, folder)
  }
}
