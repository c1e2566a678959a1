import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import type { Sql } from 'postgres'
import { idIn, isStoredName } from '../../attachments/storage/storage'
import { copyIn } from '../../db/copy'
import { isOwnTable } from '../../db/schema/own-tables'
import { filesFolder } from '../archive/names'
import type { ReceivedEntry } from '../archive/reader'
import { DamagedBackup } from '../errors'

export type FileList = ReturnType<typeof createFileList>

/** A list of the attachments of a backup, in a file, since there may be millions of them. */
export function createFileList(path: string) {
  const descriptor = openSync(path, 'wx', 0o600)
  return {
    path,
    add: ({ name, size, hash }: Pick<ReceivedEntry, 'name' | 'size' | 'hash'>) => {
      const stored = basename(name)
      if (!name.startsWith(`${filesFolder}/`) || !isStoredName(stored)) return
      const sha256 = Buffer.from(hash(), 'hex').toString('base64url')
      writeSync(descriptor, `${stored}\t${idIn(stored)}\t${size}\t${sha256}\n`)
    },
    close: () => closeSync(descriptor),
  }
}

/** Loads the list into a temporary table. */
export async function loadFileList(sql: Sql, path: string): Promise<void> {
  await sql`create temporary table backup_files (name text, id uuid, size bigint, sha256 text)`
  await copyIn(sql, 'copy pg_temp.backup_files from stdin', createReadStream(path))
}

/**
 * Requires every file that a cell of the copied database names to be in the backup, unaltered.
 * @throws DamagedBackup naming a file that is missing or altered
 */
export async function requireStoredFiles(sql: Sql): Promise<void> {
  if (!(await isOwnTable(sql, 'files'))) return
  // The bytes of removed attachments may already be gone.
  const [missing] = await sql<{ id: string; name: string; count: string }[]>`
    select f.id::text as id, f.name, (count(*) over ())::text as count from rowhouse.files f
    where removed_at is null and not exists (
      select from pg_temp.backup_files b where b.name = f.id::text and b.size = f.size and b.sha256 = f.sha256)
    order by f.id limit 1`
  if (!missing) return
  throw new DamagedBackup(
    `${missing.count} attachments of the database are missing or altered in the backup, ${missing.name} (${missing.id}) among them: rowhouse files check names them all. (In a bucket? Then set S3_BUCKET here, too.)`,
  )
}
