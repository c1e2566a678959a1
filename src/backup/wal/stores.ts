import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../ops/settings/config'
import { isUrl } from '../bucket'
import { BackupError } from '../errors'
import { type BackupStore, openStore } from '../store'

/** The parts of one archive. */
export type ArchiveStores = { root: BackupStore; segments: BackupStore; files: BackupStore }

const parts = ['', 'wal', 'files']

export function openArchiveStores(place: string, id: string, config: Config): ArchiveStores {
  const [root, segments, files] = parts.map((part) => openStore(`${withSlash(place)}${id}/${part}`, config))
  return { root: root!, segments: segments!, files: files! }
}

/**
 * Creates the folders of an archive, unless it is in a bucket.
 * @param isBegun whether the archive already existed: then a missing folder means a missing disk
 * @throws BackupError, errors of the operating system
 */
export function makeArchiveFolders(place: string, id: string, isBegun: boolean): void {
  if (isUrl(place)) return
  const folder = join(resolve(place), id)
  if (isBegun && !existsSync(folder)) throw new BackupError(`The archive of the log, ${folder}, is not there. Is its disk mounted?`)
  if (!existsSync(resolve(place))) throw new BackupError(`There is no folder ${resolve(place)} for the archive of the log.`)
  for (const part of parts) {
    const path = join(folder, part)
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
  }
}

/** Removes the remains of an archive without segments and files. */
export async function removeArchive(place: string, id: string, { root }: ArchiveStores): Promise<void> {
  if (!isUrl(place)) return rmSync(join(resolve(place), id), { recursive: true, force: true })
  for (const name of (await root.list()).keys()) await root.remove(name)
}

const withSlash = (place: string) => (place.endsWith('/') ? place : `${place}/`)
