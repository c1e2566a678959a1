import { readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withS3Limit } from '../attachments/storage/s3'
import type { Slice } from '../attachments/storage/storage'
import type { Config } from '../ops/config'
import { isBucketAddress, openBucket, openObject } from './bucket'

/** Where backups are kept by their names: a folder, or what begins with a prefix in a bucket. */
export type BackupStore = {
  /** As the settings have it, with a slash at its end. */
  place: string
  /** Bytes by name. @throws what the operating system says, Error of S3 */
  list: () => Promise<Map<string, number>>
  read: (name: string, slice?: Slice) => Promise<Blob | ReadableStream<Uint8Array>>
  remove: (name: string) => Promise<void>
}

/** @throws BackupError for an address that is no bucket's */
export const openStore = (place: string, config: Config): BackupStore =>
  isBucketAddress(place) ? bucketStore(withSlash(place), config) : folderStore(withSlash(resolve(place)))

const withSlash = (place: string) => (place.endsWith('/') ? place : `${place}/`)

function folderStore(folder: string): BackupStore {
  return {
    place: folder,
    list: async () => {
      const sizes = new Map<string, number>()
      for (const name of readdirSync(folder)) {
        const found = statSync(join(folder, name), { throwIfNoEntry: false })
        if (found?.isFile()) sizes.set(name, found.size)
      }
      return sizes
    },
    read: async (name, slice) => {
      const file = Bun.file(join(folder, name))
      return slice ? file.slice(slice.start, slice.end) : file
    },
    remove: async (name) => rmSync(join(folder, name), { force: true }),
  }
}

function bucketStore(place: string, config: Config): BackupStore {
  const { client, key: prefix } = openBucket(place, config)
  const object = (name: string) => ({ client, address: place + name, key: prefix + name })
  return {
    place,
    list: async () => {
      const sizes = new Map<string, number>()
      for (let startAfter: string | undefined; ; ) {
        const page = await withS3Limit(client.list({ prefix, startAfter, maxKeys: 1000 }))
        for (const { key, size = 0 } of page.contents ?? []) sizes.set(key.slice(prefix.length), size)
        startAfter = page.contents?.at(-1)?.key
        if (!page.isTruncated || startAfter === undefined) return sizes
      }
    },
    read: (name, slice) => openObject(object(name), slice),
    remove: async (name) => withS3Limit(client.delete(prefix + name)),
  }
}
