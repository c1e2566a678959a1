import { afterAll, expect, test } from 'bun:test'
import { checkFiles } from '../../../src/attachments/check'
import { checkStorage, createStorageIdentity } from '../../../src/attachments/storage/identity'
import { openStorage } from '../../../src/attachments/storage/open'
import { createEvents, type Event } from '../../../src/ops/log/events'
import { startFiles } from '../../support/attachments'
import { rejection } from '../../support/rejection'
import { startS3 } from '../../support/s3'

const s3 = await startS3()
const files = await startFiles(s3.environment)
afterAll(() => s3[Symbol.asyncDispose]())

/** The storage of an instance with other settings, and what it tells. */
function storageWith(settings: Partial<typeof files.deps.config>) {
  const events = createEvents()
  const told: Event[] = []
  events.subscribe((event) => void told.push(event))
  const storage = openStorage({ ...files.deps.config, ...settings }, events)
  return { storage, storageIdentity: createStorageIdentity(files.deps.db, storage, events), events, told }
}

test.each([
  ['a bucket that is not there', { s3Bucket: 'nowhere' }],
  ['an endpoint where nobody answers', { s3Endpoint: 'http://127.0.0.1:9' }],
])('%s is told from files that are missing, and warned of at the start', async (_, settings) => {
  const { id } = await files.attach('a.txt', 'hello')
  const { storage, told, ...deps } = storageWith(settings)
  expect(await rejection(storage.read(id))).toMatchObject({ kind: 'unavailable' })
  const found: unknown[] = []
  expect(await rejection(checkFiles({ db: files.deps.db, storage }, (finding) => found.push(finding)))).toMatchObject({
    kind: 'unavailable',
  })
  expect(found).toEqual([])
  await checkStorage(deps)
  expect(told.filter(({ kind }) => kind === 'warning')).toEqual([
    { kind: 'warning', message: expect.stringContaining(`The storage of files, ${storage.place}, cannot be used`) },
  ])
})

test('a storage that is there is not warned of, and what is missing in it is missing', async () => {
  const { id } = await files.attach('b.txt', 'hello')
  const { storage, told, ...deps } = storageWith({})
  await checkStorage(deps)
  expect(told).toEqual([])
  await storage.remove([id])
  expect(await storage.read(id)).toBeNull()
})
