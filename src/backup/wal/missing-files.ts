import { mkdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Sql } from 'postgres'
import { storageKeyOf } from '../../attachments/storage/storage'
import { writeAll } from '../../ops/write-file'
import { filesFolder } from '../archive/names'
import type { Bytes } from '../archive/seal'
import { DamagedBackup, isSystemError, UnreadableStore } from '../errors'
import { readStored } from '../store'
import type { FollowedArchive } from './follow'
import { fileNameOf } from './new-files'
import { openBytes } from './sealed'

/**
 * The attachments of the recovered database that are missing or altered in both the backup and the archive. `brought`
 * is the number of attachments that were fetched from the archive.
 */
export type LostFiles = { count: number; first: { id: string; name: string } | null; brought: number }

type MissingFilesOptions = { archive: FollowedArchive; folder: string; signal: AbortSignal; onBytes: (count: number) => void }

/**
 * Fetches attachments from the archive that were added after the backup. `backup_files` (`proof/stored-files.ts`) lists
 * those of the backup.
 * @throws UnreadableStore, errors of the operating system
 */
export async function fetchMissingFiles(sql: Sql, { archive, folder, signal, onBytes }: MissingFilesOptions): Promise<LostFiles> {
  const lost: LostFiles = { count: 0, first: null, brought: 0 }
  const { stores, identity } = archive
  // A store that cannot be listed does not mean that the backup is damaged.
  const kept = await stores.files.list().catch((error) => {
    throw isSystemError(error) ? error : new UnreadableStore(`${stores.files.place} cannot be read: ${(error as Error).message}`)
  })
  // Within the grace time, an undo may restore references to removed files.
  const missing = sql<{ id: string; name: string; sha256: string; is_named: boolean }[]>`
    select f.id::text as id, f.name, f.sha256, f.removed_at is null as is_named from rowhouse.files f
    where not exists (select from backup_files b where b.name = f.id::text)`.cursor(1000)
  for await (const rows of missing) {
    for (const { id, name, sha256, is_named } of rows) {
      signal.throwIfAborted()
      const stored = [fileNameOf(id, true), fileNameOf(id, false)].find((candidate) => kept.has(candidate))
      const path = join(folder, filesFolder, storageKeyOf(id))
      const source = stored && openBytes(readStored(stores.files, stored), stored === id ? null : identity)
      if (source && (await writeFile(path, source, onBytes)) === sha256) {
        lost.brought++
        continue
      }
      rmSync(path, { force: true })
      if (!is_named) continue
      lost.count++
      lost.first ??= { id, name }
    }
  }
  return lost
}

/** @returns the SHA-256 of the bytes in base64url; null if the archived file is damaged */
async function writeFile(path: string, source: Bytes, onBytes: (count: number) => void): Promise<string | null> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const handle = await open(path, 'w', 0o600)
  const hash = new Bun.CryptoHasher('sha256')
  try {
    for await (const chunk of source) {
      hash.update(chunk)
      await writeAll(handle, chunk)
      onBytes(chunk.byteLength)
    }
    return hash.digest('base64url')
  } catch (error) {
    if (error instanceof DamagedBackup) return null
    throw error
  } finally {
    await handle.close()
  }
}
