import { join } from 'node:path'
import type { Config } from '../ops/config'
import type { Events } from '../ops/events'
import type { Storage } from './storage'
import { diskStorage } from './storage-disk'
import { s3Storage } from './storage-s3'

/** Says in the log, once for a start, that the storage cannot be reached: a wrong bucket, secret or endpoint would else show with the first upload. Never throws. */
export async function warnOfStorage(storage: Storage, events: Events): Promise<void> {
  try {
    for await (const _ of storage.list()) return
  } catch {
    const message = `The storage of files, ${storage.place}, cannot be used: uploads and downloads of attachments are answered with 503. Check S3_BUCKET, S3_ENDPOINT, S3_REGION and the keys; the log says what the storage answered.`
    events.emit({ kind: 'warning', message })
  }
}

/** A bucket where S3_BUCKET names one, else the folder `files` in the data directory. */
export const openStorage = (config: Config, events: Events): Storage =>
  config.s3Bucket ? s3Storage(config, events) : diskStorage(join(config.dataDir, 'files'), events)
