import { join } from 'node:path'
import { arrayLiteral } from '../../db/arrays'
import { createScratch } from '../../db/embedded/scratch'
import type { Config } from '../../ops/settings/config'
import { clusterFolder } from '../archive/names'
import { readBackup } from '../archive/reader'
import type { Bytes } from '../archive/seal'
import { type CopyLoadOptions, withLoaded } from '../copy/loaded'
import { type OpenCopy, throwaway, withCopy } from '../copy/open-copy'
import { drain, unpackBackup } from '../copy/unpack'
import { BackupError, DamagedBackup, UnreadableStore, UntriedBackup } from '../errors'
import { MissingExtension } from '../logical/prepare'
import { checkPages, endWalsender } from '../source/base-backup'
import type { WrittenBackup } from '../source/create'
import { openReplication } from '../source/replication'
import { countTableRows, requireRows } from '../source/row-counts'
import { checkRelations } from './indexes'
import { createFileList, type FileList, loadFileList, requireStoredFiles } from './stored-files'

export type ProofOptions = {
  /** Reads the file from its beginning. */
  open: () => Bytes
  passphrase: string | undefined
  rows: WrittenBackup['rows']
  /** A folder with room for the database. */
  scratchParent: string
  dataDir: string
  config: Config
  signal: AbortSignal
  onBytes: (count: number) => void
}

/** What the proof examined. */
export type BackupProof = { tables: number; indexes: number }

/**
 * Restores the database of a backup into a temporary folder, starts PostgreSQL on it, and checks the checksum of every
 * page, every table and B-tree index with amcheck, the number of rows, and the size and hash of the attachments.
 * @throws DamagedBackup naming the damage, UntriedBackup, the signal's reason
 */
export async function proveBackup(options: ProofOptions): Promise<BackupProof> {
  const { passphrase, rows, scratchParent, dataDir, config, signal, onBytes } = options
  const scratch = createScratch(scratchParent)
  try {
    const { folder } = scratch
    const list = createFileList(join(folder, 'files.list'))
    // Leaves out postgresql.auto.conf, whose settings could send the log of this copy to the service's archive.
    const isWanted = (name: string) => name.startsWith(`${clusterFolder}/`) && name !== `${clusterFolder}/postgresql.auto.conf`
    const unpacking = { folder, passphrase, isWanted, begin: () => {}, onFile: list.add }
    const open = () => counted(options.open(), onBytes)
    if (rows === null) {
      return await proveLogical(options, { folder, settings: throwaway, dataDir, config, signal }, open(), unpacking, list)
    }
    const { counts, boundary } = rows
    const read = await unpackBackup(open(), { ...unpacking, signal })
    list.close()
    return await withCopy({ folder, settings: throwaway, dataDir, config, signal }, async (sql, target) => {
      const session = await openReplication(target)
      const abort = () => session.close()
      signal.addEventListener('abort', abort)
      try {
        await checkPages(session)
      } finally {
        signal.removeEventListener('abort', abort)
        await endWalsender(session, sql)
      }
      requireRows(counts, await countTableRows(sql, boundary, config.schemas, signal))
      if (read.manifest.attachments === 'disk') {
        await loadFileList(sql, list.path)
        await requireStoredFiles(sql)
      }
      return await checkRelations(sql, signal)
    })
  } finally {
    scratch.remove()
  }
}

/**
 * Loads the definitions, rows and constraints of a logical copy into an empty PostgreSQL, and compares the number and
 * the checksums of the rows.
 */
async function proveLogical(
  { open, passphrase, signal }: ProofOptions,
  copy: OpenCopy,
  source: Bytes,
  unpacking: CopyLoadOptions,
  list: FileList,
): Promise<BackupProof> {
  try {
    return await withLoaded(copy, source, unpacking, async (sql, _, { manifest }) => {
      list.close()
      if (manifest.attachments === 'disk') {
        await loadFileList(sql, list.path)
        await requireStoredFiles(sql)
      }
      const [row] = await sql<BackupProof[]>`
        select count(*) filter (where relkind = 'r')::int as tables, count(*) filter (where relkind = 'i')::int as indexes
        from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = relnamespace
        where nspname = any(${arrayLiteral(manifest.logical!.schemas)}::text[])`
      return row!
    })
  } catch (error) {
    if (signal.aborted || !(error instanceof BackupError)) throw error
    if (error instanceof DamagedBackup || error instanceof UnreadableStore || error instanceof UntriedBackup) throw error
    if (!(error instanceof MissingExtension)) throw new DamagedBackup(`It cannot be restored. ${error.message}`)
    await readBackup(open(), { passphrase, signal, begin: () => {}, take: drain })
    throw new DamagedBackup(
      `It was read back but not restored, since the embedded PostgreSQL cannot hold it. ${error.message} Every byte is the one that was written.`,
    )
  }
}

async function* counted(source: Bytes, onBytes: (count: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    onBytes(chunk.byteLength)
    yield chunk
  }
}
