import { statfsSync } from 'node:fs'
import type { Sql } from 'postgres'
import type { Storage } from '../attachments/storage/storage'
import { BackupError } from './errors'

/** PostgreSQL's programs, unpacked, and what a recovery writes of its own. */
export const runtimeBytes = 300 * 2 ** 20

export type SourceSize = { databaseBytes: number; fileBytes: number }

/** Bytes as they are now; they may change meanwhile. */
export async function measureSource(sql: Sql, files: Storage | null): Promise<SourceSize> {
  const [row] = await sql<{ bytes: string }[]>`
    select (sum(pg_database_size(oid)) + pg_tablespace_size('pg_global'))::text as bytes from pg_database`
  let fileBytes = 0
  if (files) for await (const { size } of files.list()) fileBytes += size
  return { databaseBytes: Number(row!.bytes), fileBytes }
}

export const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** @param purpose begins the sentence, as "To restore" @throws BackupError */
export function requireFree(folder: string, bytes: number, purpose: string): void {
  const free = freeBytes(folder)
  if (free >= bytes) return
  throw new BackupError(`${purpose} takes up to ${megabytes(bytes)} in ${folder}, and ${megabytes(free)} are free.`)
}

export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`
