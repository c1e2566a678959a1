import { createReadStream, mkdirSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { arrayLiteral } from '../../db/arrays'
import { createScratch, removeStaleScratch } from '../../db/embedded/scratch'
import { migrate } from '../../db/migration/migrate'
import { type ConnectionTarget, connectDirectly, directTarget } from '../../db/pool/open'
import type { WorkProgress } from '../../ops/progress'
import type { Config } from '../../ops/settings/config'
import { writeAll } from '../../ops/write-file'
import { clusterFolder } from '../archive/names'
import { withLoaded } from '../copy/loaded'
import { throwaway, withCopy } from '../copy/open-copy'
import { unpackBackup } from '../copy/unpack'
import { measureSource, megabytes, requireFree, runtimeBytes, watchDisk } from '../disk-space'
import { BackupError } from '../errors'
import { type BackupSource, writeBackup } from '../source/create'
import { countTableRows, type RowCounts, readBoundary } from '../source/row-counts'

/** `locks` are those on previously existing tables and indexes, such as `rowhouse.users: AccessExclusiveLock`. */
type RehearsedStep = { name: string; durationMs: number; locks: string[] }

export type Rehearsal = { databaseBytes: number; addedBytes: number; copyMs: number; steps: RehearsedStep[] }

export type RehearsalTask = {
  config: Config
  opened: { target: ConnectionTarget; dataDir: string }
  signal: AbortSignal
  progress: WorkProgress
}

/**
 * Copies the database beside the running service, applies the migrations to the copy, and reports their times and
 * locks. Removes the copy afterwards. Attachments are not copied: migrations do not touch them.
 * @throws BackupError if there is no room, or if a migration fails or loses records; the signal's reason
 */
export async function rehearseUpgrade({ config, opened, signal: interruption, progress }: RehearsalTask): Promise<Rehearsal> {
  const { target, dataDir } = opened
  await removeStaleScratch(dataDir, dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const database = { target: directTarget(target, config), config }
  const source: BackupSource = {
    inside: 'socketPath' in target ? target : null,
    database,
    connect: () => connectDirectly(database.target, config),
    dataDir,
    files: null,
    schemas: config.schemas,
  }
  const { databaseBytes } = await withConnection(source, (sql) => measureSource(sql, source))
  // The copy is first written as an archive, which may be as large as the database, and then unpacked.
  const needed = databaseBytes * 2 + runtimeBytes
  requireFree(dataDir, needed + config.minFreeBytes, 'A rehearsal')
  progress.say(`The database has ${megabytes(databaseBytes)}. This takes up to ${megabytes(needed)} in ${dataDir} for a while.`)
  const scratch = createScratch(dataDir)
  const disk = watchDisk({ dataDir, minFreeBytes: config.minFreeBytes })
  const signal = AbortSignal.any([interruption, disk.signal])
  try {
    const { folder } = scratch
    const startedAt = performance.now()
    const archive = join(folder, 'copy')
    progress.begin('Copying', databaseBytes)
    await write(source, archive, signal, progress.add)
    const isWanted = (name: string) => name.startsWith(`${clusterFolder}/`) && name !== `${clusterFolder}/postgresql.auto.conf`
    const unpacking = { folder, passphrase: undefined, isWanted, begin: () => {} }
    const copy = { folder, settings: throwaway, dataDir, config, signal }
    const rehearse = async (sql: Sql) => {
      await rm(archive)
      const copyMs = performance.now() - startedAt
      progress.begin('Migrating the copy', null)
      return { databaseBytes, copyMs, ...(await migrateCopy(sql, config, signal)) }
    }
    if (source.inside === null) return await withLoaded(copy, createReadStream(archive), unpacking, rehearse)
    await unpackBackup(createReadStream(archive), { ...unpacking, signal })
    return await withCopy(copy, rehearse)
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    disk.end()
    scratch.remove()
  }
}

async function write(source: BackupSource, path: string, signal: AbortSignal, onBytes: (count: number) => void): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await writeBackup(source, (chunk) => writeAll(handle, chunk), { passphrase: undefined, signal, onBytes })
  } finally {
    await handle.close()
  }
}

async function migrateCopy(sql: Sql, config: Config, signal: AbortSignal) {
  const boundary = await readBoundary(sql)
  const before = await countTableRows(sql, boundary, config.schemas, signal)
  const size = async () => Number((await sql<{ bytes: string }[]>`select pg_database_size(current_database())::text as bytes`)[0]!.bytes)
  const sizeBefore = await size()
  const known = (await sql<{ oid: string }[]>`select oid::text as oid from pg_class`).map(({ oid }) => oid)
  const steps: RehearsedStep[] = []
  try {
    await migrate(sql, undefined, async ({ name }, durationMs, inside) => {
      const taken = steps.flatMap(({ locks }) => locks)
      const locks = (await locksOf(inside, known)).filter((lock) => !taken.includes(lock))
      steps.push({ name, durationMs, locks })
    })
  } catch (error) {
    throw new BackupError(`The upgrade would fail: ${(error as Error).message}. The release that runs now is not affected.`)
  }
  requireRecords(before, await countTableRows(sql, boundary, config.schemas, signal))
  return { steps, addedBytes: (await size()) - sizeBefore }
}

/** Locks on existing objects that block others. */
async function locksOf(sql: Sql, known: string[]): Promise<string[]> {
  const locks = await sql<{ lock: string }[]>`
    select distinct c.oid::regclass::text || ': ' || l.mode as lock from pg_locks l join pg_class c on c.oid = l.relation
    where l.pid = pg_backend_pid() and c.relkind in ('r', 'p', 'i') and c.oid >= 16384 and c.oid::text = any(${arrayLiteral(known)}::text[])
      and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') order by 1`
  return locks.map(({ lock }) => lock)
}

/** A migration may change only Rowhouse's own tables, not those of the team. */
function requireRecords(before: RowCounts, after: RowCounts) {
  for (const [oid, { name, rows, isServed }] of before) {
    const found = after.get(oid)?.rows ?? 0
    if (isServed && found !== rows)
      throw new BackupError(`The upgrade would change the number of records in ${name} from ${rows} to ${found}.`)
  }
}

async function withConnection<Result>({ connect }: BackupSource, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const sql = connect()
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
