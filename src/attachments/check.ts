import { pagesById } from '../db/id-pages'
import type { Deps } from '../deps'
import { idIn } from './storage/storage'
import { type FileFault, faultOf } from './storage/verified-bytes'

/** A problem with one file: missing, orphaned or altered bytes. */
export type Finding = { kind: FileFault | 'orphaned'; name: string; about: string }

type Checking = Pick<Deps, 'db' | 'storage'>

type FileRow = { id: string; name: string; size: number; sha256: string; table_id: string }

const pageSize = 1000

/**
 * Compares the database with the storage, and every byte with the hash from its upload. May run while the service does:
 * a finding is checked again before it counts, since files may change meanwhile.
 * @param tell gets each finding as soon as it is certain
 * @returns the numbers of checked files and bytes
 */
export async function checkFiles(deps: Checking, tell: (finding: Finding) => void): Promise<{ files: number; bytes: number }> {
  const total = { files: 0, bytes: 0 }
  for await (const page of fileRows(deps)) {
    for (const row of page) {
      total.files++
      total.bytes += row.size
      const kind = await faultOf(deps.storage, row)
      if (kind && (await isFile(deps, row.id))) tell({ kind, name: row.id, about: `${row.name}, of the table ${row.table_id}` })
    }
  }
  for await (const { name, size } of deps.storage.list()) {
    if (!(await isKnown(deps, idIn(name)))) tell({ kind: 'orphaned', name, about: `${size} bytes` })
  }
  return total
}

/**
 * Returns the number of files, and how many of them have no bytes in the storage. Reads only names.
 * @throws Failure unavailable
 */
export async function countMissing(deps: Checking): Promise<{ files: number; missing: number }> {
  const names = new Set<string>()
  for await (const { name } of deps.storage.list()) names.add(name)
  const total = { files: 0, missing: 0 }
  for await (const page of fileRows(deps)) {
    total.files += page.length
    total.missing += page.filter(({ id }) => !names.has(id)).length
  }
  return total
}

const fileRows = ({ db }: Checking): AsyncGenerator<FileRow[]> =>
  pagesById(pageSize, (after) =>
    db.query<FileRow>(
      'select id, name, size::float8 as size, sha256, table_id from rowhouse.files where id > $1::uuid order by id limit $2::int',
      [after, String(pageSize)],
    ),
  )

/** The sweep deletes a file's row before its bytes. */
const isFile = async ({ db }: Checking, id: string): Promise<boolean> =>
  (await db.query('select from rowhouse.files where id = $1::uuid', [id])).length > 0

/** Whether the id belongs to a file, an upload in progress, or a file that waits for deletion. */
const isKnown = async ({ db }: Checking, id: string): Promise<boolean> => {
  const both = 'select from rowhouse.files where id = $1::uuid union all select from rowhouse.loose_files where id = $1::uuid'
  return (await db.query(both, [id])).length > 0
}
