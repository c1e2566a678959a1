import { S3Client } from 'bun'
import { unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import type { Config } from '../../ops/config'
import type { Events } from '../../ops/events'
import { withTimeout } from '../../timeout'
import { passOn } from './pass-on'
import {
  isStoredName,
  type MarkedStorage,
  markerName,
  maxMarkerBytes,
  type RequestedFile,
  type StorageWrite,
  storageKeyOf,
} from './storage'

/** Two parts of 8 MB in flight bound the memory of one upload; S3 takes 10,000 parts, so 80 GB a file. */
const partSize = 8 * 2 ** 20
const partsUnderWay = 2

/** How long S3 may take to accept sent data, or to begin a response. */
const maxResponseMs = 30_000
const addressLifeS = 300
const removalsAtOnce = 16

const addressPattern = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(?<key>[^?#]*))?$/

/** Parses `s3://bucket/key`; null for another kind of URL. */
export function readBucketAddress(address: string): { bucket: string; key: string } | null {
  const { bucket, key = '' } = addressPattern.exec(address)?.groups ?? {}
  return bucket === undefined ? null : { bucket, key }
}

/** A client for a bucket, with the S3 settings. */
export function createS3Client(config: Config, bucket: string): S3Client {
  const { s3Region: region } = config
  return new S3Client({
    bucket,
    region,
    endpoint: config.s3Endpoint ?? `https://s3.${region}.amazonaws.com`,
    virtualHostedStyle: config.s3VirtualHosted,
    accessKeyId: config.s3AccessKeyId ?? '',
    secretAccessKey: config.s3SecretAccessKey ?? '',
    // Bun reads undefined options from the environment.
    sessionToken: '',
    retry: 3,
    partSize,
    queueSize: partsUnderWay,
  })
}

/** Files in a bucket of S3 or a compatible server. */
export function s3Storage(config: Config, events: Events): MarkedStorage {
  const { s3Bucket: bucket = '', s3Prefix: prefix = '' } = config
  const client = createS3Client(config, bucket)
  const pathOf = (name: string) => prefix + storageKeyOf(name)

  /** @param path of the object: S3 may fail for one and not for others */
  const guarded = async <T>(work: () => T | Promise<T>, path?: string): Promise<T> => {
    try {
      return await withS3Limit(Promise.resolve(work()))
    } catch (error) {
      const named = path === undefined ? error : new Error(`${path}: ${(error as Error).message}`)
      events.emit({ kind: 'background_failed', task: 'keeping files in S3', error: named })
      throw unavailable(translatable('The file storage is unavailable.'), 5)
    }
  }

  const create = async (name: string): Promise<StorageWrite> => {
    const file = client.file(pathOf(name), { type: 'application/octet-stream' })
    const writer = file.writer({ partSize, queueSize: partsUnderWay, retry: 3 })
    return {
      write: (chunk) =>
        guarded(async () => {
          await writer.write(chunk)
          await writer.flush()
        }, pathOf(name)),
      finish: () => guarded(async () => void (await writer.end()), pathOf(name)),
      abandon: async () => {
        // Bun cannot abort an upload, and the parts of an unfinished one would stay (and cost money): it is finished
        // and removed.
        await withS3Limit(Promise.resolve(writer.end())).catch(() => {})
        await withS3Limit(file.delete()).catch(() => {})
      },
    }
  }

  return {
    place: `s3://${bucket}/${prefix}`,
    create,
    read: async (name, wanted = {}) => {
      const address = client.presign(pathOf(name), { expiresIn: addressLifeS, method: 'GET' })
      const found = await guarded(() => readObject(address, wanted), pathOf(name))
      return (
        found &&
        passOn(found.body, found.length, (error) => events.emit({ kind: 'background_failed', task: 'reading a file from S3', error }))
      )
    },
    remove: async (names) => {
      for (let start = 0; start < names.length; start += removalsAtOnce) {
        const some = names.slice(start, start + removalsAtOnce)
        await Promise.all(some.map((name) => guarded(() => remove(client, pathOf(name)), pathOf(name))))
      }
    },
    list: () => listObjects(client, prefix, guarded),
    freeBytes: async () => null,
    readId: () =>
      guarded(async () => {
        const address = client.presign(prefix + markerName, { expiresIn: addressLifeS, method: 'GET' })
        const found = await readObject(address, {})
        return found && (await new Response(found.body).text()).slice(0, maxMarkerBytes).trim()
      }),
    writeId: (id) => guarded(async () => void (await client.write(prefix + markerName, `${id}\n`))),
    // The parts of an interrupted upload belong to no object, and the bucket's own rule removes them.
    removeUnfinished: async () => {},
    dissolve: () => guarded(() => remove(client, prefix + markerName)),
  }
}

/**
 * Deleting a missing object succeeds on Amazon S3 and fails on some other servers. S3 servers ask clients to retry
 * under load.
 */
const remove = (client: S3Client, path: string): Promise<void> =>
  withTries(async () => {
    await client.delete(path).catch((error) => {
      if ((error as { code?: string }).code !== 'NoSuchKey') throw error
    })
  })

async function withTries<T>(work: () => Promise<T>, left = 3): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (left === 1) throw error
    await Bun.sleep(100)
    return withTries(work, left - 1)
  }
}

type Found = { body: ReadableStream<Uint8Array>; length: number | null }

/**
 * Waits for the head of S3's response, so that an outage can still be told from an empty file; passes the rest on as it
 * arrives.
 */
export async function readObject(address: string, { size, slice }: RequestedFile): Promise<Found | null> {
  // Compressed in transit it would have another length.
  const headers = { 'accept-encoding': 'identity', ...(slice ? { range: `bytes=${slice.start}-${slice.end - 1}` } : {}) }
  const answer = await fetch(address, { headers, redirect: 'error' })
  const { status } = answer
  const body = answer.body ?? new Blob([]).stream()
  if (status === (slice ? 206 : 200)) {
    const said = answer.headers.get(slice ? 'content-range' : 'content-length')
    const found = said === null ? null : Number(/\d+$/.exec(said)?.[0] ?? Number.NaN)
    if (found === null || found === (size ?? found)) return { body, length: slice ? slice.end - slice.start : (size ?? found) }
  }
  if (status === 404 && (await new Response(body).text()).includes('<Code>NoSuchBucket</Code>')) throw new Error('S3 has no such bucket')
  if (!body.locked) await body.cancel()
  // 416: the object is shorter than the file.
  if (status === (slice ? 206 : 200) || status === 404 || status === 416) return null
  throw new Error(`S3 answered ${status}`)
}

async function* listObjects(client: S3Client, prefix: string, guarded: <T>(work: () => Promise<T>) => Promise<T>) {
  for (let startAfter: string | undefined; ; ) {
    const page = await guarded(() => withTries(() => client.list({ prefix, startAfter, maxKeys: 1000 })))
    for (const { key, size = 0 } of page.contents ?? []) {
      const name = key.slice(key.lastIndexOf('/') + 1)
      if (isStoredName(name) && key === prefix + storageKeyOf(name)) yield { name, size }
    }
    startAfter = page.contents?.at(-1)?.key
    if (!page.isTruncated || startAfter === undefined) return
  }
}

/** @throws Error when S3 has not answered in time */
export const withS3Limit = <T>(work: PromiseLike<T>): Promise<T> =>
  withTimeout(work, maxResponseMs, () => {
    throw new Error(`S3 has not answered in ${maxResponseMs} ms`)
  })
