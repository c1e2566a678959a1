import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { isStoredName, storageKeyOf } from '../../attachments/storage/storage'
import { filesFolder } from '../archive/names'
import type { BackupStore } from '../store'
import { sealBytes } from './sealed'

/** An upload gets its id at its beginning, and its row at its end. */
const longestUploadMs = 24 * 60 * 60_000

export const fileNameOf = (id: string, isEncrypted: boolean): string => `${id}${isEncrypted ? '.age' : ''}`

/** The attachments in an archive, and the time from which to search for new ones. */
export type KnownFiles = { ids: Set<string>; since: Date }

/** @param since the archive's `filesSince` */
export async function listFiles(files: BackupStore, since: Date): Promise<KnownFiles> {
  const names = [...(await files.list()).keys()].map((name) => name.replace(/\.age$/, ''))
  return { ids: new Set(names.filter(isStoredName)), since }
}

/** The lowest UUID of version 7 (RFC 9562) for a time. */
export function leastId(at: Date): string {
  const time = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

type ShipFilesOptions = { dataDir: string; known: KnownFiles; files: BackupStore; identity: string | null; signal: AbortSignal }

/**
 * Archives new attachments, except files that were removed in the meantime. A failure for one does not stop the others.
 * @returns why some were not archived; null if all were
 */
export async function shipNewFiles(sql: Sql, { dataDir, known, files, identity, signal }: ShipFilesOptions): Promise<string | null> {
  const begunAt = new Date()
  const least = leastId(new Date(known.since.getTime() - longestUploadMs))
  const rows = await sql<
    { id: string }[]
  >`select id::text as id from rowhouse.files where removed_at is null and id >= ${least}::uuid order by id`
  let problem: string | null = null
  for (const { id } of rows) {
    if (known.ids.has(id)) continue
    const path = join(dataDir, filesFolder, storageKeyOf(id))
    if (!existsSync(path)) continue
    try {
      await files.write(fileNameOf(id, identity !== null), sealBytes(Bun.file(path).stream(), identity), signal)
      known.ids.add(id)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      problem ??= `The attachment ${path} cannot be archived: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  if (problem === null) known.since = begunAt
  return problem
}
