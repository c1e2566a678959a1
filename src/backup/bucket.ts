import type { S3Client } from 'bun'
import { passOn } from '../attachments/storage/pass-on'
import { createS3Client, readBucketAddress, readObject, withS3Limit } from '../attachments/storage/s3'
import type { Slice } from '../attachments/storage/storage'
import type { Config } from '../ops/config'
import type { Bytes } from './archive/seal'
import { BackupError, DamagedBackup } from './errors'

/** An object of S3, as `s3://bucket/key`. */
export type BucketObject = { client: S3Client; address: string; key: string }

export const isBucketAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)

/** @throws BackupError for another kind of address, and without the key for S3 */
export function openBucket(address: string, config: Config): BucketObject {
  const found = readBucketAddress(address)
  if (!found) throw new BackupError('A backup is kept in a folder of this machine, or in a bucket: s3://bucket/folder/')
  if (!config.s3AccessKeyId || !config.s3SecretAccessKey)
    throw new BackupError('s3://… needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and S3_ENDPOINT where it is not Amazon’s.')
  return { client: createS3Client(config, found.bucket), address, key: found.key }
}

/** Bytes. S3 takes 10,000 parts of an object. */
export const leastPartBytes = 8 * 2 ** 20
const mostParts = 9000

const readSeconds = 24 * 3600

/** Where the operating system would name a file. */
const explained = (error: unknown, doing: string): BackupError => {
  if (error instanceof BackupError) return error
  const { message, code } = error as Error & { code?: string }
  return new BackupError(`S3 ${doing} failed: ${message || code || 'no reason given'}. Nothing was left behind.`)
}

/** @throws BackupError where S3 cannot be asked */
export async function objectSize({ client, key }: Pick<BucketObject, 'client' | 'key'>): Promise<number | null> {
  try {
    if (!(await withS3Limit(client.exists(key)))) return null
    return (await withS3Limit(client.stat(key))).size
  } catch (error) {
    throw explained(error, 'asking')
  }
}

/** @throws BackupError before creating anything that it could not store */
export async function requireNewObject(object: BucketObject): Promise<void> {
  if ((await objectSize(object)) === null) return
  throw new BackupError(`${object.address} already exists; a backup never overwrites another one. Choose another name.`)
}

type PutOptions = { partBytes: number; signal: AbortSignal; onBytes: (count: number) => void }

/**
 * An object appears with its last byte: one that was interrupted is not there. Its parts stay until the bucket's own
 * rule for unfinished uploads removes them, since Bun cannot give an upload up.
 * @throws BackupError, or the signal's reason
 */
export async function putObject({ client, key }: BucketObject, bytes: Bytes, { partBytes, signal, onBytes }: PutOptions): Promise<void> {
  // S3 may take its time, and an interruption does not wait for it.
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => {})
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  const limited = <T>(work: T | PromiseLike<T>) => Promise.race([withS3Limit(Promise.resolve(work)), aborted.promise])
  try {
    signal.throwIfAborted()
    const writer = client.file(key, { type: 'application/octet-stream' }).writer({ partSize: partBytes, queueSize: 2, retry: 3 })
    for await (const chunk of bytes) {
      signal.throwIfAborted()
      await limited(writer.write(chunk))
      await limited(writer.flush())
      onBytes(chunk.byteLength)
    }
    signal.throwIfAborted()
    await limited(writer.end())
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw explained(error, 'taking it')
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function* hashed(source: Bytes, hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
}

/**
 * Sends a file, and reads it back.
 * @throws BackupError, DamagedBackup where another object is read back than was sent, or the signal's reason
 */
export async function sendToBucket(
  object: BucketObject,
  path: string,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<void> {
  await requireNewObject(object)
  const { client, key, address } = object
  const file = Bun.file(path)
  const partBytes = Math.max(leastPartBytes, Math.ceil(file.size / mostParts))
  const sent = new Bun.CryptoHasher('sha256')
  await putObject(object, hashed(file.stream(), sent), { partBytes, signal, onBytes })
  const found = new Bun.CryptoHasher('sha256')
  let size = 0
  try {
    for await (const chunk of readFromBucket(object)) {
      signal.throwIfAborted()
      found.update(chunk)
      size += chunk.byteLength
    }
  } catch (error) {
    await withS3Limit(client.delete(key)).catch(() => {})
    if (signal.aborted) throw signal.reason
    throw explained(error, 'reading the backup again')
  }
  if (size === file.size && sent.digest('hex') === found.digest('hex')) return
  await withS3Limit(client.delete(key)).catch(() => {})
  throw new DamagedBackup(`S3 returned other bytes for ${address} than were sent. They were removed.`)
}

/** @throws BackupError where the object is not there or S3 is away */
export async function openObject({ client, key, address }: BucketObject, slice?: Slice): Promise<ReadableStream<Uint8Array>> {
  const found = await readObject(client.presign(key, { expiresIn: readSeconds, method: 'GET' }), slice ? { slice } : {}).catch((error) => {
    throw explained(error, 'reading')
  })
  if (!found) throw new BackupError(`There is no backup at ${address}.`)
  return passOn(found.body, found.length, () => {})
}

/** As `openObject`; a connection that breaks is an error. */
export async function* readFromBucket(object: BucketObject): AsyncGenerator<Uint8Array> {
  const body = await openObject(object)
  try {
    yield* body
  } catch (error) {
    throw explained(error, 'reading')
  }
}
