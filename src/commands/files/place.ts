import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readBucketAddress, s3EndpointOf } from '../../object-store/bucket'
import type { Config } from '../../ops/settings/config'
import { objectPrefix } from '../../ops/settings/setting-readers'
import { UsageError } from '../arguments'
import { CommandError } from '../command'

/**
 * A storage named by a flag: `s3://bucket/prefix/`, or a path relative to the current folder.
 * @throws UsageError, and CommandError if the settings hold no key for S3
 */
export function readPlace(flag: string, text: string, { s3AccessKeyId, s3SecretAccessKey }: Config): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return resolve(text)
  const address = readBucketAddress(text)
  const key = address && (address.key === '' || address.key.endsWith('/') ? address.key : `${address.key}/`)
  if (key === null || !isPrefix(key))
    throw new UsageError(
      `--${flag} is a folder, or s3://bucket/prefix/ with a prefix of letters, digits, dots, - and _, each part followed by a slash.`,
    )
  if (!s3AccessKeyId || !s3SecretAccessKey)
    throw new CommandError(`--${flag}=${text} needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and S3_ENDPOINT where it is not Amazon’s.`)
  return `s3://${address!.bucket}/${key}`
}

function isPrefix(text: string): boolean {
  try {
    return objectPrefix(text) === text
  } catch {
    return false
  }
}

/** In the data directory, everything except `files` belongs to the database. @throws CommandError */
export function requireFolderForFiles(place: string, dataDir: string): void {
  if (place.startsWith('s3://')) return
  const [path, data] = [realPath(place), realPath(dataDir)]
  if (`${path}/`.startsWith(`${data}/`) && path !== realPath(join(dataDir, 'files')))
    throw new CommandError(
      `${place} is in the data directory, where files are in ${join(dataDir, 'files')} only. Name that, or a folder elsewhere.`,
    )
}

/** For a folder that may not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), path.slice(dirname(path).length))
  }
}

/** How to start the service with a storage. */
export function describeStart(place: string, config: Config): string {
  const address = readBucketAddress(place)
  if (address) {
    const { bucket, key } = address
    const endpoint = config.s3VirtualHosted && config.s3Endpoint ? `S3_ENDPOINT=${s3EndpointOf(config, bucket)}, ` : ''
    return `with ${endpoint}S3_BUCKET=${bucket} and ${key === '' ? 'without S3_PREFIX' : `S3_PREFIX=${key}`}`
  }
  const folder = join(config.dataDir, 'files')
  return place === folder ? 'without S3_BUCKET' : `without S3_BUCKET, and with ${place} in the place of ${folder} (a mount, or a link)`
}
