import { existsSync, rmSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { tryLock } from '../db/embedded/libc'
import { listObjects, minPartBytes, removeObject } from '../object-store/bucket'
import { createWhole } from '../object-store/folder'
import type { Slice } from '../object-store/slice'
import type { Config } from '../ops/settings/config'
import type { Bytes } from './archive/seal'
import { isUrl, openBucket, openObject, putObject } from './bucket'
import { BackupError, DamagedBackup, explainSystemError, UnreadableStore } from './errors'
import { isUnfinishedBackup, removeUnlocked } from './target-file'

/** A stored file. `changedAt` is the time when it was written. */
export type Stored = { bytes: number; changedAt: Date }

/** A store of backups and the log by name: a folder, or the keys with a prefix in a bucket. */
export type BackupStore = {
  /** The location from the settings, with a trailing slash. */
  place: string
  /**
   * The files, by name, whose names begin with `prefix`; only those directly in the store, not in its subfolders.
   * @throws errors of the operating system or S3
   */
  list: (prefix?: string) => Promise<Map<string, Stored>>
  read: (name: string, slice?: Slice) => Promise<Blob | ReadableStream<Uint8Array>>
  /**
   * A file gets its name when it is complete and on disk. @throws errors of the operating system, BackupError for S3
   */
  write: (name: string, bytes: Bytes, signal: AbortSignal) => Promise<void>
  remove: (name: string) => Promise<void>
  /** Removes the unfinished files of killed processes. In S3, a rule of the bucket does so. @throws like `list` */
  removeUnfinished: () => void
}

/** @throws BackupError for a URL that does not name a bucket */
export const openStore = (place: string, config: Config): BackupStore =>
  isUrl(place) ? bucketStore(withSlash(place), config) : folderStore(withSlash(resolve(place)))

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

export async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
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
    removeUnfinished: () => removeUnlocked(folder, (name) => isUnfinishedBackup(name) || unfinishedName.test(name), minUnfinishedAgeMs),
  }
}

function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

/**
 * No writer pauses for this long. This is the only sign of writers on other machines, and of releases without the
 * locks.
 */
const minUnfinishedAgeMs = 3_600_000

const unfinishedName = /^\..+\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.part$/

async function createLocked(path: string) {
  for (;;) {
    // A unique name: another process may be writing a file of the same name.
    const unfinished = join(dirname(path), `.${basename(path)}.${Bun.randomUUIDv7()}.part`)
    const file = await createWhole(unfinished, path)
    tryLock(file.descriptor)
    // Before it was locked, another process may have removed it (`removeUnfinished`).
    if (existsSync(unfinished)) return file
    await file.abandon()
  }
}

async function writeStored(path: string, bytes: Bytes) {
  const file = await createLocked(path)
  try {
    for await (const chunk of bytes) await file.write(chunk)
    await file.finish()
  } catch (error) {
    await file.abandon()
    throw error
  }
}

function bucketStore(place: string, config: Config): BackupStore {
  const { client, key: prefix } = openBucket(place, config)
  const object = (name: string) => ({ client, address: place + name, key: prefix + name })
  return {
    place,
    list: async (begin = '') => {
      const found = new Map<string, Stored>()
      for await (const page of listObjects(client, prefix + begin, '/'))
        for (const { key, size = 0, lastModified } of page)
          found.set(key.slice(prefix.length), { bytes: size, changedAt: new Date(lastModified ?? 0) })
      return found
    },
    read: (name, slice) => openObject(object(name), slice),
    write: (name, bytes, signal) => putObject(object(name), bytes, { partBytes: minPartBytes, signal, onBytes: () => {} }),
    remove: async (name) => removeObject(client, prefix + name),
    removeUnfinished: () => {},
  }
}
