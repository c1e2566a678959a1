import { statfsSync, statSync } from 'node:fs'
import type { Sql } from 'postgres'
import type { Storage } from '../attachments/storage/storage'
import { arrayLiteral } from '../db/arrays'
import { BackupError } from './errors'
import { backedUpSchemas } from './logical/database'

/** PostgreSQL's unpacked programs, and the files that a recovery itself writes. */
export const runtimeBytes = 300 * 2 ** 20

export type SourceSize = { databaseBytes: number; fileBytes: number }

/** `inside` is null for a team's database, in which only the schemas that are backed up count. */
type Measured = { inside: object | null; schemas: readonly string[]; files: Storage | null }

/** The current numbers of bytes, which may change during the backup. */
export async function measureSource(sql: Sql, { inside, schemas, files }: Measured): Promise<SourceSize> {
  const [row] = inside
    ? await sql<{ bytes: string }[]>`
        select (sum(pg_database_size(oid)) + pg_tablespace_size('pg_global'))::text as bytes from pg_database`
    : await sql<{ bytes: string }[]>`
        select coalesce(sum(pg_total_relation_size(c.oid)), 0)::text as bytes from pg_class c join pg_namespace n on n.oid = relnamespace
        where relkind in ('r', 'm') and nspname = any(${arrayLiteral(backedUpSchemas(schemas))}::text[])`
  let fileBytes = 0
  if (files) for await (const { size } of files.list()) fileBytes += size
  return { databaseBytes: Number(row!.bytes), fileBytes }
}

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** @param purpose begins the sentence, for example "To restore" @throws BackupError */
export function requireFree(folder: string, bytes: number, purpose: string): void {
  const free = freeBytes(folder)
  if (free >= bytes) return
  throw new BackupError(`${purpose} takes up to ${megabytes(bytes)} in ${folder}, and ${megabytes(free)} are free.`)
}

const isSameDisk = (one: string, other: string) => statSync(one).dev === statSync(other).dev

type Room = { folder: string; dataDir: string; size: SourceSize; minFreeBytes: number }

/**
 * Chooses where to try out a backup that is written to `folder`: in the data directory, where PostgreSQL already runs,
 * if that leaves room for uploads; otherwise beside the file, if that is a different disk.
 * @throws BackupError unless there is room for the backup and its verification
 */
export function chooseScratchParent({ folder, dataDir, size, minFreeBytes }: Room): string {
  const verificationBytes = size.databaseBytes + runtimeBytes
  // The minimum size: attachments are already compressed, and a database shrinks to an eighth at best.
  const file = size.fileBytes + size.databaseBytes / 8
  const isShared = isSameDisk(folder, dataDir)
  requireFree(folder, isShared ? file + minFreeBytes : file, 'The backup')
  if (freeBytes(dataDir) >= verificationBytes + minFreeBytes + (isShared ? file : 0)) return dataDir
  if (!isShared && freeBytes(folder) >= verificationBytes + file) return folder
  throw new BackupError(
    `To verify the backup takes ${megabytes(verificationBytes)} beside the file, or that and ROWHOUSE_MIN_FREE_BYTES in ${dataDir}, and there is less space.`,
  )
}

/** A short interval, since disks write several hundred megabytes a second. */
const lookEveryMs = 100

/**
 * Stops a backup before the disk of the data directory is full: without room for its log PostgreSQL stops, and the
 * service with it. Only watches if the disk had enough room at the start.
 * @returns the signal that aborts in that case, and a function that ends the watch
 */
export function watchDisk({ dataDir, minFreeBytes }: Pick<Room, 'dataDir' | 'minFreeBytes'>) {
  const controller = new AbortController()
  const look = () => {
    if (freeBytes(dataDir) >= minFreeBytes) return
    const message = `The disk of ${dataDir} has less than ROWHOUSE_MIN_FREE_BYTES (${megabytes(minFreeBytes)}) left, which the service needs. Nothing was left behind; free some space and try again.`
    controller.abort(new BackupError(message))
  }
  const timer = freeBytes(dataDir) >= minFreeBytes ? setInterval(look, lookEveryMs) : undefined
  return { signal: controller.signal, end: () => clearInterval(timer) }
}

export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`
