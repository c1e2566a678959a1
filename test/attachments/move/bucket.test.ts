import { afterAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { removeSource } from '../../../src/attachments/move/remove'
import { openStorageAt } from '../../../src/attachments/storage/open'
import { createEvents } from '../../../src/ops/log/events'
import { filesIn, startFiles } from '../../support/attachments'
import { startS3 } from '../../support/s3'
import { moveTo, newStorageFolder, storageIn } from '../../support/storage-moves'

const s3 = await startS3()
const folders: string[] = []
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

test('files go to a bucket and come back, an empty one among them, and nothing stays where they were', async () => {
  const files = await startFiles()
  const { config, db } = files.deps
  const empty = await files.attach('empty.txt', '')
  const { id } = await files.attach('a.txt', 'x')
  const own = storageIn(files, join(files.dataDir, 'files')).storage
  const ids = Array.from({ length: 200 }, () => Bun.randomUUIDv7())
  for (const name of ids) {
    const writing = await own.create(name)
    await writing.write(Buffer.from('x'))
    await writing.finish()
  }
  await db.query(
    `insert into rowhouse.files (id, table_id, column_id, name, size, type, sha256, created_by)
      select n.id, table_id, column_id, f.name, size, type, sha256, created_by from rowhouse.files f, unnest($1::uuid[]) as n (id) where f.id = $2::uuid`,
    [`{${ids.join(',')}}`, id],
  )
  const keys = { s3Endpoint: s3.environment.S3_ENDPOINT, s3AccessKeyId: 'S3RVER', s3SecretAccessKey: 'S3RVER' }
  const bucket = openStorageAt('s3://files/many/', { ...config, ...keys }, createEvents())
  expect(await moveTo(files, bucket).switch()).toBe('switched')
  expect(await s3.keys()).toHaveLength(202)
  expect(await removeSource(moveTo(files, bucket, { source: own }))).toEqual({
    outcome: 'removed',
    removed: 202,
    kept: 0,
  })
  expect(filesIn(join(files.dataDir, 'files'))).toEqual([])
  const folder = newStorageFolder()
  folders.push(dirname(folder))
  const { storage } = storageIn(files, folder)
  expect(await moveTo(files, storage, { source: bucket }).switch()).toBe('switched')
  expect(filesIn(folder)).toEqual([...ids, id, empty.id].sort())
  expect(await removeSource(moveTo(files, storage, { source: bucket }))).toMatchObject({ removed: 202 })
  expect(await s3.keys()).toEqual([])
})
