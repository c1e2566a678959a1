import { unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import { createS3Client, listObjects, openObjectUpload, readObject, removeObject, withS3Limit } from '../../object-store/bucket'
import { passOn } from '../../object-store/pass-on'
import type { Events } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { isStoredName, type MarkedStorage, markerName, maxMarkerBytes, type StorageWrite, storageKeyOf } from './storage'

const removalsAtOnce = 16

/** Files in a bucket of S3 or a compatible server. */
export function s3Storage(config: Config, events: Events): MarkedStorage {
  const { s3Bucket: bucket = '', s3Prefix: prefix = '' } = config
  const client = createS3Client(config, bucket)
  const pathOf = (name: string) => prefix + storageKeyOf(name)

  /** @param path of the object: S3 may fail for some objects only */
  const guarded = async <T>(work: () => Promise<T>, path?: string): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const named = path === undefined ? error : new Error(`${path}: ${(error as Error).message}`)
      events.emit({ kind: 'background_failed', task: 'keeping files in S3', error: named })
      throw unavailable(translatable('The file storage is unavailable.'), 5)
    }
  }

  const create = async (name: string): Promise<StorageWrite> => {
    const path = pathOf(name)
    const upload = openObjectUpload(client, path)
    return {
      write: (chunk) => guarded(() => upload.write(chunk), path),
      finish: () => guarded(upload.finish, path),
      abandon: async () => {
        // The parts of an unfinished upload would remain and cost money, so it is finished and then removed.
        await upload.finish().catch(() => {})
        await removeObject(client, path).catch(() => {})
      },
    }
  }

  return {
    place: `s3://${bucket}/${prefix}`,
    create,
    read: async (name, wanted = {}) => {
      const found = await guarded(() => readObject(client, pathOf(name), wanted), pathOf(name))
      return (
        found &&
        passOn(found.body, found.length, (error) => {
          events.emit({ kind: 'background_failed', task: 'reading a file from S3', error })
          return undefined
        })
      )
    },
    remove: async (names) => {
      for (let start = 0; start < names.length; start += removalsAtOnce) {
        const some = names.slice(start, start + removalsAtOnce)
        await Promise.all(some.map((name) => guarded(() => removeObject(client, pathOf(name)), pathOf(name))))
      }
    },
    list: () => listStored(listObjects(client, prefix), prefix, guarded),
    freeBytes: async () => null,
    readId: () =>
      guarded(async () => {
        const found = await readObject(client, prefix + markerName, {})
        return found && (await withS3Limit(new Response(found.body).text())).slice(0, maxMarkerBytes).trim()
      }),
    writeId: (id) => guarded(async () => void (await withS3Limit(client.write(prefix + markerName, `${id}\n`)))),
    // The parts of an interrupted upload belong to no object, and the bucket's own rule removes them.
    removeUnfinished: async () => {},
    dissolve: () => guarded(() => removeObject(client, prefix + markerName)),
  }
}

async function* listStored(
  pages: ReturnType<typeof listObjects>,
  prefix: string,
  guarded: <T>(work: () => Promise<T>) => Promise<T>,
): AsyncGenerator<{ name: string; size: number }> {
  for (;;) {
    const { value: page } = await guarded(() => pages.next())
    if (!page) return
    for (const { key, size = 0 } of page) {
      const name = key.slice(key.lastIndexOf('/') + 1)
      if (isStoredName(name) && key === prefix + storageKeyOf(name)) yield { name, size }
    }
  }
}
