import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createScratch } from '../../db/embedded/scratch'
import type { Config } from '../../ops/config'
import { clusterFolder } from '../archive/names'
import type { Bytes } from '../archive/seal'
import { throwaway, withCopy } from '../copy/open-copy'
import { unpackBackup } from '../copy/unpack'
import { checkPages, endWalsender } from '../source/base-backup'
import type { WrittenBackup } from '../source/create'
import { openReplication } from '../source/replication'
import { countTableRows, requireRows } from '../source/row-counts'
import { checkRelations } from './indexes'
import { createFileList, loadFileList, requireStoredFiles } from './stored-files'

export type ProofOptions = {
  file: string
  passphrase: string | undefined
  written: WrittenBackup
  /** Where there is room for the database. */
  scratchParent: string
  dataDir: string
  config: Config
  signal: AbortSignal
  onBytes: (count: number) => void
}

/** What was looked at. */
export type BackupProof = { tables: number; indexes: number }

/**
 * Restores the database of a backup into a folder of its own, starts PostgreSQL on it and compares: the checksum of
 * every page, every table and B-tree index by amcheck, the rows with those that were counted, the attachments with what
 * the database says of them. Nothing of it remains.
 * @throws DamagedBackup saying what is wrong, the signal's reason
 */
export async function proveBackup(options: ProofOptions): Promise<BackupProof> {
  const { file, passphrase, written, scratchParent, dataDir, config, signal, onBytes } = options
  const scratch = createScratch(scratchParent)
  try {
    const { folder } = scratch
    const list = createFileList(join(folder, 'files.list'))
    // PostgreSQL's own settings stay away: they could name a command that archives the log of this copy where that of
    // the service goes.
    const isWanted = (name: string) => name.startsWith(`${clusterFolder}/`) && name !== `${clusterFolder}/postgresql.auto.conf`
    const read = await unpackBackup(counted(createReadStream(file), onBytes), {
      folder,
      passphrase,
      signal,
      isWanted,
      begin: () => {},
      onFile: list.add,
    })
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
      requireRows(written.counts, await countTableRows(sql, written.boundary, config.schemas, signal))
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

async function* counted(source: Bytes, onBytes: (count: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    onBytes(chunk.byteLength)
    yield chunk
  }
}
