import { chmodSync, lchownSync, mkdirSync, readdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Owner } from '../db/embedded/become'
import { syncFilesystem } from '../db/embedded/libc'
import { clusterName } from './cluster-copy'
import { filesName } from './create'
import { BackupError } from './problem'
import { type Content, type Received, readBackup } from './reading'
import { customConf } from './rehearsal'

const isOurs = (name: string) => name === customConf || [clusterName, filesName].includes(name.split('/')[0]!)

/**
 * Unpacks a backup into `folder`, a new data directory. Until all is there and on disk nobody but us may enter the cluster, so that nobody can put a
 * link where we write.
 * @param owner whom PostgreSQL's files are to belong to
 * @param isWanted what is not wanted is read and checked all the same
 */
export async function unpackBackup(
  source: Readable,
  folder: string,
  owner: Owner,
  signal: AbortSignal,
  isWanted: (name: string) => boolean = () => true,
): Promise<Content> {
  const cluster = join(folder, clusterName)
  const made = new Set<string>()
  const makeFolder = (path: string) => {
    if (made.has(path)) return
    mkdirSync(path, { recursive: true, mode: 0o700 })
    made.add(path)
  }
  const content = await readBackup(
    source,
    signal,
    () => makeFolder(cluster),
    async (received) => {
      if (!isOurs(received.name))
        throw new BackupError(`This backup holds something that does not belong into it: ${JSON.stringify(received.name)}.`)
      const path = join(folder, received.name)
      const keeps = isWanted(received.name)
      if (keeps) makeFolder(received.isFolder ? path : dirname(path))
      await (keeps && !received.isFolder ? writeFile(path, received) : drain(received))
    },
  )
  for (const name of ['PG_VERSION', 'backup_label']) {
    if (!content.entries.has(`${clusterName}/${name}`)) throw new BackupError('There is no database in this backup.')
  }
  // PostgreSQL's user reads it, and so may everybody: as in an installation.
  if (content.entries.has(customConf) && isWanted(customConf)) {
    chmodSync(join(folder, dirname(customConf)), 0o755)
    chmodSync(join(folder, customConf), 0o644)
  }
  if (owner) giveTo(cluster, owner)
  syncFilesystem(folder)
  return content
}

async function writeFile(path: string, { bytes }: Received) {
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of bytes) {
      for (let offset = 0; offset < chunk.byteLength; ) {
        offset += (await handle.write(chunk, offset, chunk.byteLength - offset)).bytesWritten
      }
    }
  } finally {
    await handle.close()
  }
}

async function drain({ bytes }: Received) {
  for await (const _ of bytes);
}

/** From the inside out: the outermost folder, which keeps everybody out, comes last. */
function giveTo(folder: string, owner: NonNullable<Owner>) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) giveTo(path, owner)
    else lchownSync(path, owner.uid, owner.gid)
  }
  lchownSync(folder, owner.uid, owner.gid)
}
