import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { storageKeyOf } from '../../attachments/storage/storage'
import { isOwnTable } from '../../db/schema/own-tables'
import { filesFolder } from '../archive/names'

/**
 * Removes files that were uploaded after the database was copied but before the files were copied: the restored
 * database does not know them, and no sweep would find them. `backup_files` (`proof/stored-files.ts`) lists the
 * unpacked files.
 */
export async function removeStrayFiles(sql: Sql, folder: string): Promise<void> {
  if (!(await isOwnTable(sql, 'loose_files'))) return
  const strays = sql<{ name: string }[]>`
    select name from pg_temp.backup_files b where not exists (select from rowhouse.files f where f.id = b.id)
      and not exists (select from rowhouse.loose_files l where l.id = b.id)`.cursor(1000)
  for await (const rows of strays) for (const { name } of rows) rmSync(join(folder, filesFolder, storageKeyOf(name)), { force: true })
}
