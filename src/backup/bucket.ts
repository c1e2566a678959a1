import type { S3Client } from 'bun'
import {
  createS3Client,
  minPartBytes,
  openObjectUpload,
  readBucketAddress,
  readObject,
  removeObject,
  withS3Limit,
} from '../object-store/bucket'
import { passOn } from '../object-store/pass-on'
import type { Slice } from '../object-store/slice'
import type { Config } from '../ops/settings/config'
import type { Bytes } from './archive/seal'
import { BackupError, DamagedBackup, UncertainUpload } from './errors'

/** An object of S3, as `s3://bucket/key`. */
export type BucketObject = { client: S3Client; address: string; key: string }

export const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)

/** @throws BackupError for another kind of address, and if the S3 credentials are missing */
export function openBucket(address: string, config: Config): BucketObject {
  const found = readBucketAddress(address)
  if (!found) throw new BackupError('A backup is kept in a folder of this machine, or in a bucket: s3://bucket/folder/')
  if (!config.s3AccessKeyId || !config.s3SecretAccessKey)
    throw new BackupError('s3://… needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and S3_ENDPOINT where it is not Amazon’s.')
  return { client: createS3Client(config, found.bucket), address, key: found.key }
}

/** S3 allows 10,000. */
const maxParts = 9000

/** Turns an error of S3 into a sentence, as `explainSystemError` does for files. */
const explained = (error: unknown, doing: string, left = nothingLeft): BackupError => {
  if (error instanceof BackupError) return error
  const { message, code } = (error ?? {}) as Partial<Error & { code: string }>
  return new BackupError(`S3 ${doing} failed: ${message || code || 'no reason given'}. ${left}`.trimEnd())
}

const nothingLeft = 'Nothing was left behind.'

/** Removes an object that is useless. @returns a sentence about the resulting state of the bucket */
const removeSent = ({ client, key, address }: BucketObject): Promise<string> =>
  removeObject(client, key).then(
    () => nothingLeft,
    () => `${address} is still there; remove it.`,
  )

/** @throws BackupError if S3 does not respond */
export async function objectSize({ client, key }: Pick<BucketObject, 'client' | 'key'>): Promise<number | null> {
  try {
    if (!(await withS3Limit(client.exists(key)))) return null
    return (await withS3Limit(client.stat(key))).size
  } catch (error) {
    throw explained(error, 'asking')
  }
}

/** Checks that the bucket can store the backup before anything is created. @throws BackupError */
export async function requireNewObject(object: BucketObject): Promise<void> {
  if ((await objectSize(object)) === null) return
  throw new BackupError(`${object.address} already exists; a backup never overwrites another one. Choose another name.`)
}

type PutOptions = { partBytes: number; signal: AbortSignal; onBytes: (count: number) => void }

/**
 * An object appears once its last byte has arrived, so an interrupted upload creates none. Its parts stay until the
 * bucket's own rule for unfinished uploads removes them, since Bun cannot abort an upload.
 * @throws BackupError, UncertainUpload, or the signal's reason
 */
export async function putObject(
  { client, key, address }: BucketObject,
  bytes: Bytes,
  { partBytes, signal, onBytes }: PutOptions,
): Promise<void> {
  // S3 may be slow, and an interruption does not wait for it.
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => {})
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  const orAborted = (work: Promise<void>) => Promise.race([work, aborted.promise])
  let isEnding = false
  try {
    signal.throwIfAborted()
    const upload = openObjectUpload(client, key, partBytes)
    for await (const chunk of bytes) {
      signal.throwIfAborted()
      await orAborted(upload.write(chunk))
      onBytes(chunk.byteLength)
    }
    signal.throwIfAborted()
    isEnding = true
    await orAborted(upload.finish())
  } catch (error) {
    // S3 may have created the object although its response did not arrive, or may still create it.
    const left = isEnding ? `${address} may be there nevertheless; look before you try again.` : nothingLeft
    if (signal.aborted) throw isEnding ? new UncertainUpload(`Interrupted. ${left}`) : signal.reason
    throw explained(error, 'taking it', left)
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
 * Uploads a file and reads it back.
 * @throws BackupError, DamagedBackup if the object differs, or the signal's reason
 */
export async function sendToBucket(
  object: BucketObject,
  path: string,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<void> {
  await requireNewObject(object)
  const { address } = object
  const file = Bun.file(path)
  const partBytes = Math.max(minPartBytes, Math.ceil(file.size / maxParts))
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
    const left = await removeSent(object)
    if (signal.aborted) throw left === nothingLeft ? signal.reason : new UncertainUpload(`Interrupted. ${left}`)
    const failure = explained(error, 'reading the backup again', '')
    failure.message += ` ${left}`
    throw failure
  }
  if (size === file.size && sent.digest('hex') === found.digest('hex')) return
  throw new DamagedBackup(`S3 returned other bytes for ${address} than were sent. ${await removeSent(object)}`)
}

/** @throws BackupError if the object does not exist, or S3 is unavailable or breaks the connection */
export async function openObject({ client, key, address }: BucketObject, slice?: Slice): Promise<ReadableStream<Uint8Array>> {
  const found = await readObject(client, key, slice ? { slice } : {}).catch((error) => {
    throw explained(error, 'reading', '')
  })
  if (!found) throw new BackupError(`There is no backup at ${address}.`)
  return passOn(found.body, found.length, (error) => explained(error, 'reading', ''))
}

/** Like `openObject`, but returns all bytes. */
export async function* readFromBucket(object: BucketObject): AsyncGenerator<Uint8Array> {
  yield* await openObject(object)
}
