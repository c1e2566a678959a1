import { expect, test } from 'bun:test'
import { s3Storage } from '../../../src/attachments/storage/s3'
import { storageKeyOf } from '../../../src/attachments/storage/storage'
import { createEvents } from '../../../src/ops/log/events'
import { readConfig } from '../../../src/ops/settings/config'
import { rejection } from '../../support/rejection'

test('what S3 cannot do for one object names that object', async () => {
  using broken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<Error></Error>', { status: 500 }) })
  const keys = { S3_ENDPOINT: broken.url.origin, S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' }
  const config = readConfig({ ...keys, S3_BUCKET: 'files', S3_PREFIX: 'team/' })
  const events = createEvents()
  const problems: string[] = []
  events.subscribe((event) => void (event.kind === 'background_failed' && problems.push((event.error as Error).message)))
  const storage = s3Storage(config, events)
  const [one, other] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
  expect(await rejection(storage.read(one))).toMatchObject({ kind: 'unavailable' })
  expect(await rejection(storage.remove([other]))).toMatchObject({ kind: 'unavailable' })
  expect(new Set(problems.map((problem) => problem.split(': ')[0]))).toEqual(
    new Set([one, other].map((name) => `team/${storageKeyOf(name)}`)),
  )
  await broken.stop(true)
})
