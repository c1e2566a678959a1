import { mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeAll } from '../../ops/write-file'
import { clusterFolder, customConf, databaseFolder, filesFolder } from '../archive/names'
import { type ReadBackup, type ReadBackupOptions, type ReceivedEntry, readBackup } from '../archive/reader'
import type { Bytes } from '../archive/seal'
import { BackupError, damagedBackup } from '../errors'

const isOurs = (name: string) => name === customConf || [clusterFolder, databaseFolder, filesFolder].includes(name.split('/')[0]!)

export type UnpackOptions = Omit<ReadBackupOptions, 'take'> & {
  /** A new folder, which becomes a data directory. */
  folder: string
  /** All other entries are also read and checked. */
  isWanted: (name: string) => boolean
  /** Receives each file after its last byte was read. */
  onFile?: (file: ReceivedEntry) => void | Promise<void>
  /** Receives the entries of a logical copy, which a backup has instead of a cluster. */
  onDatabase?: (received: ReceivedEntry) => Promise<void>
}

/** @throws BackupError, DamagedBackup; errors of the operating system */
export async function unpackBackup(
  source: Bytes,
  { folder, isWanted, onFile, onDatabase, ...options }: UnpackOptions,
): Promise<ReadBackup> {
  const made = new Set<string>()
  const makeFolder = (path: string) => {
    if (made.has(path)) return
    mkdirSync(path, { recursive: true, mode: 0o700 })
    // Attachments are in many folders, which come one after the other.
    if (made.size > 1000) made.clear()
    made.add(path)
  }
  const ofCluster = onDatabase ? [] : ['PG_VERSION', 'backup_label', 'global/pg_control']
  const needed = new Set(ofCluster.map((name) => `${clusterFolder}/${name}`))
  const read = await readBackup(source, {
    ...options,
    take: async (received) => {
      const { name, isFolder } = received
      requireOwnName(name)
      if (name.split('/')[0] === (onDatabase ? clusterFolder : databaseFolder)) throw damagedBackup('it has two kinds of copies')
      if (onDatabase && name.startsWith(`${databaseFolder}/`)) return onDatabase(received)
      needed.delete(name)
      const path = join(folder, name)
      if (!isWanted(name)) await drain(received)
      else if (isFolder) makeFolder(path)
      else {
        makeFolder(dirname(path))
        await writeFile(path, received)
      }
      if (!isFolder) await onFile?.(received)
    },
  })
  if (needed.size > 0) throw damagedBackup(`${[...needed][0]} is missing`)
  return read
}

/** @throws BackupError for an entry that does not belong in a backup */
export function requireOwnName(name: string): void {
  if (!isOurs(name)) throw new BackupError(`This backup contains something unexpected: ${JSON.stringify(name.slice(0, 200))}.`)
}

async function writeFile(path: string, { bytes }: ReceivedEntry) {
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of bytes) await writeAll(handle, chunk)
  } finally {
    await handle.close()
  }
}

export async function drain({ bytes }: Pick<ReceivedEntry, 'bytes'>): Promise<void> {
  for await (const _ of bytes);
}
