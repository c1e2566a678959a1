import type { Sql } from 'postgres'
import type { UploadLease } from '../../attachments/loose-files'
import type { NewFile } from '../../attachments/model'
import type { Storage } from '../../attachments/storage/storage'
import { writeVerified } from '../../attachments/storage/verified-bytes'
import type { Table } from '../../tables/model'
import { identifier, literal, qualifiedName } from '../../tables/sql-text'
import type { Bytes } from '../archive/seal'
import { DamagedBackup } from '../errors'

/** A file that a cell of the backup names. `createdAt` is in PostgreSQL's format. */
export type WantedFile = NewFile & { column: string; createdBy: string; createdAt: string }

/** A file with new bytes in storage, for the column of that name. */
export type RestoredFile = { column: string; file: Omit<WantedFile, 'column'> }

/** A source of files. It receives the list of missing files before any of them is requested. */
export type FileSource = { prepare: (wanted: readonly WantedFile[]) => Promise<void>; read: (id: string) => Promise<Bytes | null> }

/** The files that the cells of a table in the backup name. */
export async function listFilesOf(sql: Sql, table: Table): Promise<WantedFile[]> {
  const columns = table.columns.filter(({ type }) => type === 'attachment')
  const found = await Promise.all(
    columns.map(({ id, name }) =>
      sql.unsafe<
        WantedFile[]
      >(`select distinct on (f.id) ${literal(name)} as column, f.id::text as id, f.name, f.size::float8 as size, f.type, f.sha256,
          f.width, f.height, f.created_by::text as "createdBy", f.created_at::text as "createdAt"
        from only ${qualifiedName(table)} t, jsonb_array_elements(case jsonb_typeof(t.${identifier(name)}) when 'array' then t.${identifier(name)} else '[]' end) e
        join rowhouse.files f on f.id::text = e.value ->> 'id' and f.column_id = ${literal(id)}`),
    ),
  )
  return found.flat()
}

/**
 * Writes the files to storage under new ids, since files with the old ids may still exist there.
 * @param sources tried one after the other, each for the files that are missing or altered in the earlier ones
 * @returns the files by their id in the backup, and the lost files
 */
export async function restoreFiles(
  storage: Storage,
  lease: UploadLease,
  wanted: readonly WantedFile[],
  sources: readonly FileSource[],
): Promise<{ files: Map<string, RestoredFile>; lost: WantedFile[] }> {
  const files = new Map<string, RestoredFile>()
  let left = [...wanted]
  for (const source of sources) {
    if (left.length === 0) break
    await source.prepare(left)
    const missing: WantedFile[] = []
    for (const { column, ...file } of left) {
      const bytes = await source.read(file.id)
      const id = bytes && (await store(storage, lease, bytes, file.sha256))
      if (id) files.set(file.id, { column, file: { ...file, id } })
      else missing.push({ column, ...file })
    }
    left = missing
  }
  return { files, lost: left }
}

/** @returns the new id; null for altered bytes */
async function store(storage: Storage, lease: UploadLease, bytes: Bytes, sha256: string): Promise<string | null> {
  const id = await lease.add()
  const isStored = await writeVerified(storage, { id, sha256 }, bytes).catch((error) => {
    if (error instanceof DamagedBackup) return false
    throw error
  })
  return isStored ? id : null
}
