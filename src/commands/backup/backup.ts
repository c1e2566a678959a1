import { setPriority } from 'node:os'
import { dirname, resolve } from 'node:path'
import { openStorage } from '../../attachments/storage/open'
import { chooseScratchParent, measureSource, megabytes, runtimeBytes, type SourceSize, watchDisk } from '../../backup/disk-space'
import { DamagedBackup, explainSystemError } from '../../backup/errors'
import { type BackupProof, proveBackup } from '../../backup/proof/prove'
import { type BackupSource, type WrittenBackup, writeBackup } from '../../backup/source/create'
import { createTargetFile, removeUnfinished, requireOutside, resolveTarget, type TargetFile } from '../../backup/target-file'
import { removeStaleScratch } from '../../db/embedded/scratch'
import { isAway } from '../../db/errors'
import { connectDirectly } from '../../db/open'
import type { Config } from '../../ops/config'
import { createEvents } from '../../ops/events'
import { isRoot } from '../../ops/privileges'
import { firstLine } from '../../ops/setting-readers'
import type { SettingKey } from '../../ops/settings'
import { openExisting } from '../bootstrap'
import { type Command, CommandError } from '../command'
import { runAsServiceUser } from '../service-user'
import { withInterruption } from './interruption'
import { createProgress, type Progress } from './progress'

export const backupSettings: SettingKey[] = ['dataDir', 'databaseUrl', 'user', 's3Bucket', 'schemas', 'backupPassphraseFile', 'logLevel']

/** What was written is not what can be restored. */
export const exitDamaged = 3

/** Behind the service and its database, wherever both want the processor. */
const niceness = 10

export const backupCommand: Command = {
  name: 'backup',
  arguments: 'FILE',
  summary: 'Copy the database and the files into one file, also beside the service.',
  description: [
    'Writes the database inside and the attachments of the data directory into FILE (with a folder: into a new file there), while the service runs or not.',
    'Then the backup is restored into a folder of its own, started and compared with the original. Only then it gets its name.',
    'Exits with 0 when that succeeded, 1 when nothing was written, 2 when it was called wrongly, and 3 when the backup is not whole; then it is called FILE.unproven.',
    'Attachments in a bucket and the database of a DATABASE_URL are not in it.',
  ].join(' '),
  settings: [...backupSettings, 'minFreeBytes'],
  switches: { quiet: 'Print nothing unless it fails.' },
  run: async ({ config: given, positionals: [file], environment, switches }) => {
    if (!file) throw new CommandError('Usage: rowhouse backup FILE')
    rejectOwnDatabase(given)
    const passphrase = readPassphrase(given)
    const wasRoot = isRoot()
    const target = resolveTarget(file, passphrase !== undefined, new Date())
    const config = runAsServiceUser(given, { data: 'used', environment })
    lowerPriority()
    const progress = createProgress(switches.has('quiet'))
    try {
      return await withInterruption((signal) => backUp({ wasRoot, target, passphrase, config, progress, signal }))
    } finally {
      progress.end()
    }
  },
}

/** What Rowhouse has not made it does not copy: for the team's database there are better tools. */
export function rejectOwnDatabase({ databaseUrl, s3Bucket, dataDir }: Config): void {
  if (!databaseUrl) return
  const files = s3Bucket ? `the bucket ${s3Bucket}` : `the folder ${resolve(dataDir, 'files')}`
  throw new CommandError(
    `The database of DATABASE_URL is backed up and restored by its own tools (pg_dump and pg_restore, or pg_basebackup). Copy the database first and ${files} afterwards: then every attachment that the database knows is in the copy.`,
  )
}

/** Read before root is given up: the file may be root's alone. */
export function readPassphrase({ backupPassphraseFile }: Config): string | undefined {
  if (backupPassphraseFile === undefined) return undefined
  try {
    return firstLine(backupPassphraseFile)
  } catch (error) {
    throw new CommandError(`--passphrase-file ${(error as Error).message}.`)
  }
}

function lowerPriority() {
  try {
    setPriority(niceness)
  } catch {
    // Not allowed everywhere, and nothing depends on it.
  }
}

type BackupTask = {
  wasRoot: boolean
  target: string
  passphrase: string | undefined
  config: Config
  progress: Progress
  signal: AbortSignal
}

async function backUp(task: BackupTask): Promise<number> {
  const { wasRoot, target, config, progress } = task
  const startedAt = performance.now()
  const folder = dirname(target)
  const opened = await openExisting(config, createEvents())
  try {
    const { dataDir } = opened
    if (!('socketPath' in opened.target)) throw new CommandError('The database inside is not in use.')
    const source: BackupSource = {
      target: opened.target,
      connect: () => connectDirectly(opened.target, config),
      dataDir,
      files: config.s3Bucket ? null : openStorage({ ...config, dataDir }, createEvents()),
      schemas: config.schemas,
    }
    await prepareFolder(target, dataDir).catch((error) => throwForeign(error, folder, wasRoot))
    const size = await measure(source)
    const { minFreeBytes } = config
    const scratchParent = chooseScratchParent({ folder, dataDir, size, minFreeBytes })
    progress.say(
      `The database has ${megabytes(size.databaseBytes)}, the files ${megabytes(size.fileBytes)}. This takes up to that much in ${folder}, and ${megabytes(size.databaseBytes + runtimeBytes)} in ${scratchParent} while the backup is tried out.`,
    )
    const file = await createTargetFile(target).catch((error) => throwForeign(error, folder, wasRoot))
    const disk = watchDisk({ dataDir, minFreeBytes })
    const signal = AbortSignal.any([task.signal, disk.signal])
    try {
      const written = await write({ ...task, signal }, source, file, size)
      progress.begin('Trying it out', null)
      const options = { ...task, signal, file: file.unfinished, written, scratchParent, dataDir, onBytes: progress.add }
      const proof = await proveBackup(options).catch((error) => (error instanceof DamagedBackup ? error : Promise.reject(error)))
      if (signal.aborted) throw signal.reason
      if (proof instanceof Error) {
        console.error(`rowhouse: The backup is not whole. ${proof.message}`)
        console.error(`It is called ${await file.keepUnproven()}.`)
        return exitDamaged
      }
      progress.say(await report(file, written, proof, startedAt, config))
      return 0
    } catch (error) {
      await file.remove()
      throw signal.aborted ? signal.reason : error
    } finally {
      disk.end()
    }
  } catch (error) {
    if (task.signal.aborted) throw task.signal.reason
    throw explainSystemError(error, folder)
  } finally {
    await opened.stop()
  }
}

/** Puts away what killed backups have left: it takes room that this one may need. */
async function prepareFolder(target: string, dataDir: string) {
  const folder = dirname(target)
  requireOutside(folder, dataDir)
  for (const parent of new Set([dataDir, folder])) await removeStaleScratch(parent, dataDir)
  removeUnfinished(target)
}

/** As root one expects to write anywhere. */
function throwForeign(error: unknown, folder: string, wasRoot: boolean): never {
  if (!wasRoot || (error as { code?: string }).code !== 'EACCES') throw error
  throw new CommandError(
    `${folder} is closed to the user who runs the service (id ${process.getuid?.()}), as whom this command runs, too. Choose a folder of that user's: install -d -o ${process.getuid?.()} -m 700 FOLDER`,
  )
}

async function measure(source: BackupSource): Promise<SourceSize> {
  const sql = source.connect()
  try {
    return await measureSource(sql, source.files)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function write(
  { passphrase, progress, signal }: BackupTask,
  source: BackupSource,
  file: TargetFile,
  size: SourceSize,
): Promise<WrittenBackup> {
  progress.begin('Copying', size.databaseBytes + size.fileBytes)
  try {
    return await writeBackup(source, file.sink, { passphrase, signal, onBytes: progress.add })
  } catch (error) {
    if (signal.aborted || !(isAway(error) || isBroken(error))) throw error
    throw new CommandError('The database stopped while it was copied, so there is no backup. Try again when the service runs, or does not.')
  }
}

const isBroken = (error: unknown) =>
  ['ECONNRESET', 'EPIPE', 'ECONNREFUSED', '57P01', '57P02', '57P03'].includes(String((error as { code?: string }).code))

async function report(
  file: TargetFile,
  { contents }: WrittenBackup,
  proof: BackupProof,
  startedAt: number,
  { s3Bucket }: Config,
): Promise<string> {
  const name = await file.keep()
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const bucket = s3Bucket ? ` Attachments are in the bucket ${s3Bucket} and not in it.` : ''
  return [
    `Backed up: ${name}, ${megabytes(Bun.file(name).size)} in ${seconds} s: ${describeContents(contents)}.`,
    `Tried out: restored, started, every page, ${proof.tables} tables and ${proof.indexes} indexes checked, rows and attachments compared.${bucket}`,
  ].join('\n')
}

export function describeContents(contents: WrittenBackup['contents']): string {
  const nouns = ['table', 'record', 'user', 'attachment'] as const
  return nouns.map((noun) => `${contents[`${noun}s`]} ${noun}${contents[`${noun}s`] === 1 ? '' : 's'}`).join(', ')
}
