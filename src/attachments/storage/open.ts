import { join } from 'node:path'
import { readBucketAddress, s3EndpointOf } from '../../object-store/bucket'
import type { Events } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { diskStorage } from './disk'
import { s3Storage } from './s3'
import type { MarkedStorage } from './storage'

/** Whether the files are in the data directory, where a backup copies them and the archive of the log finds them. */
export const keepsFilesOnDisk = (config: Config): boolean => config.s3Bucket === undefined

/** The bucket named by S3_BUCKET, or else the folder `files` in the data directory. */
export const openStorage = (config: Config, events: Events): MarkedStorage =>
  keepsFilesOnDisk(config) ? diskStorage(join(config.dataDir, 'files'), events) : s3Storage(config, events)

/** @param place the path of a folder, or `s3://bucket/prefix/`, accessed with the S3 settings */
export function openStorageAt(place: string, config: Config, events: Events): MarkedStorage {
  const address = readBucketAddress(place)
  if (!address) return diskStorage(place, events)
  const { bucket: s3Bucket, key: s3Prefix } = address
  return s3Storage({ ...config, s3Bucket, s3Prefix, s3Endpoint: s3EndpointOf(config, s3Bucket) }, events)
}
