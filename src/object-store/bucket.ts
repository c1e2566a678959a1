import { S3Client, type S3ListObjectsResponse } from 'bun'
import { type Config, ConfigError } from '../ops/settings/config'
import { withRetries } from '../retries'
import { withTimeout } from '../timeout'
import type { RequestedFile } from './slice'

/** Two parts of 8 MB in flight bound the memory of one upload; S3 takes 10,000 parts, so 80 GB a file. */
export const minPartBytes = 8 * 2 ** 20
const partsUnderWay = 2

/** How long S3 may take to accept sent data, or to begin a response. */
const maxResponseMs = 30_000

/** How fast S3 has to take the parts of a large object, which may have a hundred megabytes each. */
const minBytesPerMs = 1000

/** S3 servers ask clients to retry under load. */
const underLoad = { waitsMs: [100, 100], isPassing: () => true }

/** A signed URL is used at once; S3 accepts clocks that differ by a quarter of an hour. */
const urlLifeS = 900

const addressPattern = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(?<key>[^?#]*))?$/

/** Parses `s3://bucket/key`; null for another kind of URL. */
export function readBucketAddress(address: string): { bucket: string; key: string } | null {
  const { bucket, key = '' } = addressPattern.exec(address)?.groups ?? {}
  return bucket === undefined ? null : { bucket, key }
}

/**
 * The address of S3 for a bucket. A virtual-hosted address has the name of its bucket in it, and Bun ignores any other:
 * for another bucket than that of the settings it gets the other name.
 * @throws ConfigError if S3_ENDPOINT names no bucket that could be replaced
 */
export function s3EndpointOf({ s3Endpoint, s3Bucket, s3Region, s3VirtualHosted }: Config, bucket: string): string {
  if (!s3VirtualHosted) return s3Endpoint ?? `https://s3.${s3Region}.amazonaws.com`
  if (s3Endpoint === undefined) return `https://${bucket}.s3.${s3Region}.amazonaws.com`
  const [own, other] = [`//${s3Bucket}.`, `//${bucket}.`]
  if (s3Endpoint.includes(own)) return s3Endpoint.replace(own, other)
  // The bucket may have its own domain.
  if (bucket === s3Bucket || s3Endpoint.includes(other)) return s3Endpoint
  throw new ConfigError(
    `S3_ENDPOINT is not for the bucket ${bucket}: with S3_VIRTUAL_HOSTED=1 its host name begins with the name of that bucket, or with S3_BUCKET.`,
  )
}

/** A client for a bucket, with the S3 settings. */
export function createS3Client(config: Config, bucket: string): S3Client {
  const { s3Region: region } = config
  return new S3Client({
    bucket,
    region,
    endpoint: s3EndpointOf(config, bucket),
    virtualHostedStyle: config.s3VirtualHosted,
    accessKeyId: config.s3AccessKeyId ?? '',
    secretAccessKey: config.s3SecretAccessKey ?? '',
    // Bun reads undefined options from the environment.
    sessionToken: '',
    retry: 3,
    partSize: minPartBytes,
    queueSize: partsUnderWay,
  })
}

/** An upload in parts. The object appears with `finish`; Bun cannot abort an upload. */
export function openObjectUpload(client: S3Client, key: string, partBytes = minPartBytes) {
  const options = { partSize: partBytes, queueSize: partsUnderWay, retry: 3 }
  const limitMs = maxResponseMs + ((partBytes - minPartBytes) * partsUnderWay) / minBytesPerMs
  const writer = client.file(key, { type: 'application/octet-stream' }).writer(options)
  return {
    write: async (chunk: Uint8Array): Promise<void> => {
      await withS3Limit(Promise.resolve(writer.write(chunk)), limitMs)
      await withS3Limit(Promise.resolve(writer.flush()), limitMs)
    },
    finish: async (): Promise<void> => void (await withS3Limit(Promise.resolve(writer.end()), limitMs)),
  }
}

type FoundObject = { body: ReadableStream<Uint8Array>; length: number | null }

/**
 * Waits for the head of S3's response, so that an outage can still be told from an empty file; passes the rest on as it
 * arrives.
 * @returns null if there is no such object, or one of another size
 */
export async function readObject(client: S3Client, key: string, { size, slice }: RequestedFile): Promise<FoundObject | null> {
  const url = client.presign(key, { expiresIn: urlLifeS, method: 'GET' })
  // Compression in transit would change its length.
  const headers = { 'accept-encoding': 'identity', ...(slice ? { range: `bytes=${slice.start}-${slice.end - 1}` } : {}) }
  const answer = await withS3Limit(fetch(url, { headers, redirect: 'error' }))
  const { status } = answer
  const body = answer.body ?? new Blob([]).stream()
  if (status === (slice ? 206 : 200)) {
    const said = answer.headers.get(slice ? 'content-range' : 'content-length')
    const found = said === null ? null : Number(/\d+$/.exec(said)?.[0] ?? Number.NaN)
    if (found === null || found === (size ?? found)) return { body, length: slice ? slice.end - slice.start : (size ?? found) }
  }
  if (status === 404 && (await withS3Limit(new Response(body).text())).includes('<Code>NoSuchBucket</Code>'))
    throw new Error('S3 has no such bucket')
  if (!body.locked) await body.cancel()
  // 416: the object is shorter than the file.
  if (status === (slice ? 206 : 200) || status === 404 || status === 416) return null
  throw new Error(`S3 answered ${status}`)
}

/** Sorts after all keys that begin with a prefix, because S3 orders keys by their bytes. */
const lastCharacter = '\u{10ffff}'

type ListedObject = NonNullable<S3ListObjectsResponse['contents']>[number]

/**
 * The objects whose keys begin with `prefix`, page by page.
 * @param delimiter leaves out keys that have it after the prefix
 */
export async function* listObjects(client: S3Client, prefix: string, delimiter?: string): AsyncGenerator<ListedObject[], undefined> {
  for (let startAfter: string | undefined; ; ) {
    const page = await withS3Limit(withRetries(() => client.list({ prefix, delimiter, startAfter, maxKeys: 1000 }), underLoad))
    const { contents = [], commonPrefixes = [] } = page
    yield contents
    const next = [...contents.slice(-1).map(({ key }) => key), ...commonPrefixes.slice(-1).map((folder) => folder.prefix + lastCharacter)]
      .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
      .at(-1)
    if (!page.isTruncated) return
    if (next === undefined || next === startAfter) throw new Error('S3 lists a page that does not go on after the page before.')
    startAfter = next
  }
}

/** Deleting a missing object succeeds on Amazon S3; other servers answer NoSuchKey or an internal error. */
export const removeObject = (client: S3Client, key: string): Promise<void> =>
  withS3Limit(
    withRetries(
      () =>
        client.delete(key).catch(async (error) => {
          if (await client.exists(key)) throw error
        }),
      underLoad,
    ),
  )

/** @throws Error when S3 has not answered in time */
export const withS3Limit = <T>(work: PromiseLike<T>, limitMs = maxResponseMs): Promise<T> =>
  withTimeout(work, limitMs, () => {
    throw new Error(`S3 has not answered in ${Math.round(limitMs)} ms`)
  })
