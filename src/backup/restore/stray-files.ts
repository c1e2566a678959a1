import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { storageKeyOf } from '../../attachments/storage/storage'
import { isOwnTable } from '../../db/own-tables'
import { filesFolder } from '../archive/names'

/**
 * Files were copied behind the database, so some may have come in between: bytes that the restored database never heard
 * of, and that no sweep would find. `backup_files` (`proof/stored-files.ts`) has what was unpacked into `folder`.
 */
export async function removeStrayFiles(sql: Sql, folder: string): Promise<void> {
  if (!(await isOwnTable(sql, 'loose_files'))) return
  const strays = sql<{ name: string }[]>`
    select name from pg_temp.backup_files b where not exists (select from rowhouse.files f where f.id = b.id)
      and not exists (select from rowhouse.loose_files l where l.id = b.id)`.cursor(1000)
  for await (const rows of strays) for (const { name } of rows) rmSync(join(folder, filesFolder, storageKeyOf(name)), { force: true })
}
