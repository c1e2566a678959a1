import { renameSync, rmSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { withS3Limit } from '../attachments/storage/s3'
import type { Slice } from '../attachments/storage/storage'
import type { Config } from '../ops/config'
import { syncFolder, writeAll } from '../ops/write-file'
import type { Bytes } from './archive/seal'
import { isBucketAddress, leastPartBytes, openBucket, openObject, putObject } from './bucket'
import { BackupError, DamagedBackup, explainSystemError, UnreadableStore } from './errors'

/** A stored file. `changedAt` is when it was written. */
export type Stored = { bytes: number; changedAt: Date }

/** A place that stores backups and the log by name: a folder, or the keys with a prefix in a bucket. */
export type BackupStore = {
  /** As the settings have it, with a slash at its end. */
  place: string
  /**
   * The files by name that begin with `prefix`; only those directly in the place, not in its folders.
   * @throws what the operating system says, Error of S3
   */
  list: (prefix?: string) => Promise<Map<string, Stored>>
  read: (name: string, slice?: Slice) => Promise<Blob | ReadableStream<Uint8Array>>
  /** Under its name it is whole and on disk. @throws what the operating system says, BackupError of S3 */
  write: (name: string, bytes: Bytes, signal: AbortSignal) => Promise<void>
  remove: (name: string) => Promise<void>
}

/** @throws BackupError for an address that is no bucket's */
export const openStore = (place: string, config: Config): BackupStore =>
  isBucketAddress(place) ? bucketStore(withSlash(place), config) : folderStore(withSlash(resolve(place)))

/** All bytes of a stored file. @throws UnreadableStore */
export async function* readStored(store: BackupStore, name: string): AsyncGenerator<Uint8Array> {
  try {
    const found = await store.read(name)
    yield* found instanceof Blob ? found.stream() : found
  } catch (error) {
    const explained = explainSystemError(error, store.place + name, 'read')
    if (explained instanceof DamagedBackup) throw explained
    const reason =
      explained instanceof BackupError ? explained.message : `${store.place}${name} cannot be read: ${(error as Error).message}`
    throw new UnreadableStore(reason)
  }
}

const withSlash = (place: string) => (place.endsWith('/') ? place : `${place}/`)

function folderStore(folder: string): BackupStore {
  return {
    place: folder,
    list: async (prefix = '') => {
      const found = new Map<string, Stored>()
      for (const name of await readdir(folder)) {
        if (!name.startsWith(prefix)) continue
        const stats = await stat(join(folder, name)).catch(nullIfGone)
        if (stats?.isFile()) found.set(name, { bytes: stats.size, changedAt: stats.mtime })
      }
      return found
    },
    read: async (name, slice) => {
      const file = Bun.file(join(folder, name))
      return slice ? file.slice(slice.start, slice.end) : file
    },
    write: (name, bytes) => writeStored(join(folder, name), bytes),
    remove: async (name) => rmSync(join(folder, name), { force: true }),
  }
}

function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

async function writeStored(path: string, bytes: Bytes) {
  const folder = dirname(path)
  // A unique name: another process may be writing the same file.
  const unfinished = join(folder, `.${basename(path)}.${Bun.randomUUIDv7()}.part`)
  const handle = await open(unfinished, 'wx', 0o600)
  try {
    for await (const chunk of bytes) await writeAll(handle, chunk)
    await handle.sync()
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  renameSync(unfinished, path)
  syncFolder(folder)
}

/** After all keys that begin with a prefix: S3 orders them by their bytes. */
const lastCharacter = '\u{10ffff}'

function bucketStore(place: string, config: Config): BackupStore {
  const { client, key: prefix } = openBucket(place, config)
  const object = (name: string) => ({ client, address: place + name, key: prefix + name })
  return {
    place,
    list: async (begin = '') => {
      const found = new Map<string, Stored>()
      for (let startAfter: string | undefined; ; ) {
        const page = await withS3Limit(client.list({ prefix: prefix + begin, delimiter: '/', startAfter, maxKeys: 1000 }))
        const { contents = [], commonPrefixes = [] } = page
        for (const { key, size = 0, lastModified } of contents)
          found.set(key.slice(prefix.length), { bytes: size, changedAt: new Date(lastModified ?? 0) })
        startAfter = [...contents.map(({ key }) => key), ...commonPrefixes.map((folder) => folder.prefix + lastCharacter)]
          .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
          .at(-1)
        if (!page.isTruncated || startAfter === undefined) return found
      }
    },
    read: (name, slice) => openObject(object(name), slice),
    write: (name, bytes, signal) => putObject(object(name), bytes, { partBytes: leastPartBytes, signal, onBytes: () => {} }),
    remove: async (name) => withS3Limit(client.delete(prefix + name)),
  }
}
