import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Sql } from 'postgres'
import { idIn, isStoredName } from '../attachments/storage'
import { arrayLiteral } from '../db/arrays'
import { filesName } from './create'
import { isTable } from './state'

const batchSize = 1000

/**
 * Files were copied behind the database, so some may have come in between: bytes that the restored database never heard of, and that no sweep would find.
 * @param names of the entries of the backup, which were unpacked into `folder`
 */
export async function removeStrays(sql: Sql, folder: string, names: Iterable<string>): Promise<void> {
  if (!(await isTable(sql, 'loose_files'))) return
  const stored = [...names].filter((name) => name.startsWith(`${filesName}/`) && isStoredName(basename(name)))
  for (let at = 0; at < stored.length; at += batchSize) {
    const batch = stored.slice(at, at + batchSize)
    const ids = arrayLiteral([...new Set(batch.map((name) => idIn(basename(name))))])
    const known = await sql<{ id: string }[]>`
      select id::text as id from rowhouse.files where id = any(${ids}::uuid[])
      union all select id::text from rowhouse.loose_files where id = any(${ids}::uuid[])`
    const kept = new Set(known.map(({ id }) => id))
    for (const name of batch) if (!kept.has(idIn(basename(name)))) rmSync(join(folder, name), { force: true })
  }
}
