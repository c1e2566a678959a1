import { join } from 'node:path'
import type { Config } from '../ops/config'
import type { Events } from '../ops/events'
import type { MarkedStorage } from './storage'
import { diskStorage } from './storage-disk'
import { s3Storage } from './storage-s3'

/** A bucket where S3_BUCKET names one, else the folder `files` in the data directory. */
export const openStorage = (config: Config, events: Events): MarkedStorage =>
  config.s3Bucket ? s3Storage(config, events) : diskStorage(join(config.dataDir, 'files'), events)
