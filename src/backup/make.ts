import { createReadStream, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { keepsFilesOnDisk, openStorage } from '../attachments/storage/open'
import { createScratch, removeStaleScratch } from '../db/embedded/scratch'
import { isAway } from '../db/errors'
import { lockKeys } from '../db/lock-keys'
import { type ConnectionTarget, connectDirectly, directTarget } from '../db/pool/open'
import { createEvents } from '../ops/log/events'
import { nameOfSelf } from '../ops/ownership/unix-user'
import type { Config } from '../ops/settings/config'
import type { BackupContents } from './archive/manifest'
import { isUrl, openBucket, requireNewObject, sendToBucket } from './bucket'
import { noTransactionTimeout } from './database-copy/session'
import { chooseScratchParent, measureSource, megabytes, runtimeBytes, type SourceSize, watchDisk } from './disk-space'
import { BackupError, BackupUnderWay, DamagedBackup, explainSystemError, UncertainUpload } from './errors'
import { type BackupRequest, type EndedBackup, recordBackup } from './log'
import { backedUpSchemas } from './logical/database'
import { type BackupProof, proveBackup } from './proof/prove'
import { type BackupSource, type WrittenBackup, writeBackup } from './source/create'
import { createTargetFile, removeUnfinished, requireOutside, type TargetFile } from './target-file'

/** Receives the progress of a backup. */
type BackupProgress = {
  /** Begins a step. `total` is the estimated number of bytes; null if unknown. */
  begin: (step: 'Copying' | 'Trying it out' | 'Sending', total: number | null) => void
  add: (bytes: number) => void
  /** Reports a sentence. */
  say: (sentence: string) => void
}

export type BackupTask = {
  /** The path of the new file, or its URL in a bucket. */
  target: string
  passphrase: string | undefined
  config: Config
  /** The running database, and its data directory. */
  opened: { target: ConnectionTarget; dataDir: string }
  /** Whether root started this process. That explains why it cannot write to a folder of root. */
  wasRoot: boolean
  request: BackupRequest
  /**
   * Whether to record a failure in the list. A service records it itself, since this process may be unable to connect.
   */
  recordsFailures: boolean
  progress: BackupProgress
  signal: AbortSignal
}

/** `proof` is null if the test restore of the backup failed; `problem` says why. */
export type MadeBackup = { place: string; bytes: number; contents: BackupContents; proof: BackupProof | null; problem: string | null }

/**
 * Writes a backup, restores it as a test, gives it its name, and records the outcome in the database.
 * @throws BackupError, errors of the operating system, the signal's reason; then no file exists
 */
export async function makeBackup(task: BackupTask): Promise<MadeBackup> {
  const { config, opened } = task
  // With a team's database, the data directory may not exist yet.
  mkdirSync(opened.dataDir, { recursive: true, mode: 0o700 })
  if ('socketPath' in opened.target) return makeRecorded(task)
  const lease = connectDirectly(directTarget(opened.target, config), config)
  try {
    // The session may belong to a pooler, and is idle during the whole backup.
    await lease.unsafe('begin')
    await lease.unsafe('set local idle_in_transaction_session_timeout = 0')
    await lease.unsafe(noTransactionTimeout)
    const [row] = await lease<
      { taken: boolean }[]
    >`select pg_catalog.pg_try_advisory_xact_lock(${String(lockKeys.backup)}::text::bigint) as taken`
    if (!row!.taken) throw new BackupUnderWay('Another backup of this database is under way.')
    return await makeRecorded(task)
  } finally {
    await lease.end({ timeout: 0 })
  }
}

async function makeRecorded(task: BackupTask): Promise<MadeBackup> {
  const { config, opened, request, recordsFailures, signal } = task
  const startedAt = new Date()
  const source = sourceOf(task)
  const record = async (ended: Pick<EndedBackup, 'state' | 'place' | 'bytes' | 'contents' | 'problem'>) => {
    const sql = connectDirectly(directTarget(opened.target, config), config)
    try {
      await recordBackup((text, values) => sql.unsafe(text, values), { ...request, ...ended, startedAt })
    } catch {
      // The outcome can also be seen from the file, and the failure may be caused by the database.
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
  try {
    const made = isUrl(task.target) ? await makeInBucket(task, source) : await make(task, source)
    const { place, bytes, contents, problem } = made
    await record({ state: made.proof ? 'proven' : 'unproven', place, bytes, contents, problem })
    return made
  } catch (error) {
    const isPlainEnd = signal.aborted && !(error instanceof UncertainUpload)
    const explained = isPlainEnd ? signal.reason : explainSystemError(error, dirname(task.target))
    const problem = explained instanceof Error ? explained.message : String(explained)
    // If a start is stopped during its backup, the next start makes the backup again.
    if (recordsFailures && (!signal.aborted || request.origin === 'command'))
      await record({ state: 'failed', place: null, bytes: null, contents: null, problem })
    throw explained
  }
}

function sourceOf({ config, opened: { target, dataDir } }: BackupTask): BackupSource {
  const database = { target: directTarget(target, config), config }
  return {
    inside: 'socketPath' in target ? target : null,
    database,
    connect: () => connectDirectly(database.target, config),
    dataDir,
    files: keepsFilesOnDisk(config) ? openStorage({ ...config, dataDir }, createEvents()) : null,
    schemas: config.schemas,
  }
}

/**
 * Proves a backup before uploading it to a bucket. There it gets its name when its last byte arrives, and is then read
 * back.
 */
async function makeInBucket(task: BackupTask, source: BackupSource): Promise<MadeBackup> {
  const { target, config, progress, signal } = task
  await requireNewObject(openBucket(target, config))
  const scratch = createScratch(source.dataDir)
  try {
    const made = await make({ ...task, target: join(scratch.folder, basename(target)) }, source)
    const address = dirname(target) + made.place.slice(scratch.folder.length)
    progress.begin('Sending', 2 * made.bytes)
    await sendToBucket(openBucket(address, config), made.place, signal, progress.add)
    return { ...made, place: address }
  } finally {
    scratch.remove()
  }
}

async function make(task: BackupTask, source: BackupSource): Promise<MadeBackup> {
  const { wasRoot, target, config, progress } = task
  const folder = dirname(target)
  const { dataDir } = source
  await prepareFolder(target, dataDir).catch((error) => throwForeign(error, folder, wasRoot))
  const size = await measure(source)
  const { minFreeBytes } = config
  const scratchParent = chooseScratchParent({ folder, dataDir, size, minFreeBytes })
  if (source.inside === null) progress.say(describeLogical(source))
  progress.say(
    `The database has ${megabytes(size.databaseBytes)}, the files ${megabytes(size.fileBytes)}. This takes up to that much in ${folder}, and ${megabytes(size.databaseBytes + runtimeBytes)} in ${scratchParent} while the backup is tried out.`,
  )
  const file = await createTargetFile(target).catch((error) => throwForeign(error, folder, wasRoot))
  const disk = watchDisk({ dataDir, minFreeBytes })
  const signal = AbortSignal.any([task.signal, disk.signal])
  try {
    const written = await write({ ...task, signal }, source, file, size)
    progress.begin('Trying it out', null)
    const open = () => createReadStream(file.unfinished)
    const options = { ...task, signal, open, rows: written.rows, scratchParent, dataDir, onBytes: progress.add }
    const proof = await proveBackup(options).catch((error) => (error instanceof DamagedBackup ? error : Promise.reject(error)))
    if (signal.aborted) throw signal.reason
    const isWhole = !(proof instanceof Error)
    const place = isWhole ? await file.keep() : await keepUnproven(file, proof)
    const { contents } = written
    return { place, bytes: Bun.file(place).size, contents, proof: isWhole ? proof : null, problem: isWhole ? null : proof.message }
  } catch (error) {
    await file.remove()
    throw signal.aborted ? signal.reason : error
  } finally {
    disk.end()
  }
}

/** Reports which parts of a team's database are backed up and which are not. */
function describeLogical({ schemas, files, dataDir }: BackupSource): string {
  const attachments = files ? `the attachments in ${join(dataDir, 'files')} and ` : ''
  const left = `${files ? '' : 'attachments in a bucket, '}roles and rights, other schemas, settings of the server and points in time`
  return `This backs up ${attachments}a consistent logical copy of the schemas ${backedUpSchemas(schemas).join(', ')}; ${left} are left to the tools of your PostgreSQL (docs/backup.md).`
}

/** Reports the damage even if the file cannot be stored. */
async function keepUnproven(file: TargetFile, { message: problem }: Error): Promise<string> {
  try {
    return await file.keepUnproven()
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    throw new BackupError(`The backup is not intact. ${problem} ${error.message}`)
  }
}

/** Removes the remains of killed backups: this one may need their space. */
async function prepareFolder(target: string, dataDir: string) {
  const folder = dirname(target)
  requireOutside(folder, dataDir)
  for (const parent of new Set([dataDir, folder])) await removeStaleScratch(parent, dataDir)
  removeUnfinished(target)
}

/** Explains to root, who can usually write anywhere, why the folder is not writable. */
function throwForeign(error: unknown, folder: string, wasRoot: boolean): never {
  if (!wasRoot || (error as { code?: string }).code !== 'EACCES') throw error
  throw new BackupError(
    `${folder} is closed to the user who runs the service (${nameOfSelf()}), as whom this command runs, too. Choose a folder of that user's: install -d -o ${nameOfSelf()} -m 700 FOLDER`,
  )
}

async function measure(source: BackupSource): Promise<SourceSize> {
  const sql = source.connect()
  try {
    return await measureSource(sql, source)
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
    throw new BackupError('The database stopped while it was copied, so there is no backup. Try again when the service runs, or does not.')
  }
}

const isBroken = (error: unknown) =>
  ['ECONNRESET', 'EPIPE', 'ECONNREFUSED', '57P01', '57P02', '57P03'].includes(String((error as { code?: string }).code))
