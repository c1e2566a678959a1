import { afterAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inspectMove } from '../../../src/attachments/move/begin'
import { newIdLike } from '../../../src/attachments/storage/identity'
import { openStorageAt } from '../../../src/attachments/storage/open'
import { storageKeyOf } from '../../../src/attachments/storage/storage'
import { describeStart, readPlace, requireFolderForFiles } from '../../../src/commands/files/place'
import { createEvents } from '../../../src/ops/log/events'
import { filesIn, startFiles } from '../../support/attachments'
import { settled } from '../../support/rejection'
import { startS3 } from '../../support/s3'
import { moveTo, newStorageFolder, storageIn } from '../../support/storage-moves'

const s3 = await startS3()
const files = await startFiles()
const file = await files.attach('a.txt', 'one')
const own = join(files.dataDir, 'files')
const { config } = files.deps
const keys = { s3Endpoint: s3.environment.S3_ENDPOINT, s3AccessKeyId: 'S3RVER', s3SecretAccessKey: 'S3RVER' }
const folders: string[] = []
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = newStorageFolder()
  folders.push(dirname(folder))
  return folder
}

const inspect = (place: string) => inspectMove(moveTo(files, openStorageAt(place, { ...config, ...keys }, createEvents())))

const withMarker = (text: string) => {
  const folder = newFolder()
  mkdirSync(folder)
  writeFileSync(join(folder, 'storage-id'), text)
  return folder
}

test('a storage that has an id of another database, or of none, is refused and left as it is', async () => {
  for (const text of [crypto.randomUUID(), 'nonsense']) {
    const folder = withMarker(`${text}\n`)
    expect(await settled(inspect(folder))).toThrow('its storage-id is that of another storage')
    expect(filesIn(folder)).toEqual([])
  }
})

test('a place with files that no record has is refused, and one with anything else is taken', async () => {
  const strange = newFolder()
  const id = Bun.randomUUIDv7()
  mkdirSync(dirname(join(strange, storageKeyOf(id))), { recursive: true })
  writeFileSync(join(strange, storageKeyOf(id)), 'x')
  expect(await settled(inspect(strange))).toThrow('it has files of another one')
  writeFileSync(join(dirname(strange), 'letter.txt'), 'x')
  expect(await inspect(dirname(strange))).toEqual({ stage: 'new', looksForAll: false })
})

test('a copy with the same id is the same storage as far as anybody can tell, and is refused', async () => {
  const copy = newFolder()
  cpSync(own, copy, { recursive: true })
  expect(await settled(inspect(copy))).toThrow('or a copy of it')
  rmSync(join(copy, 'storage-id'))
  expect(await inspect(copy)).toEqual({ stage: 'new', looksForAll: true })
})

test('the storage of the settings itself is moved nowhere, by whatever name it goes', async () => {
  const link = newFolder()
  symlinkSync(own, link)
  for (const place of [own, link]) expect(await inspect(place)).toEqual({ stage: 'switched' })
})

test('with the new settings before the switch the command says where the files are', async () => {
  const folder = newFolder()
  const { storage } = storageIn(files, folder)
  expect(await settled(inspectMove(moveTo(files, storage, { source: storage })))).toThrow(`--from=${own}`)
})

test('a bucket with other things in it takes the files beside them, and they stay', async () => {
  const client = new Bun.S3Client({ bucket: 'files', endpoint: keys.s3Endpoint, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' })
  await client.write('other/letter.txt', 'x')
  await client.write('team/letter.txt', 'x')
  const target = openStorageAt('s3://files/team/', { ...config, ...keys }, createEvents())
  expect(await moveTo(files, target).switch()).toBe('switched')
  expect(await s3.keys()).toEqual(['other/letter.txt', 'team/letter.txt', `team/${storageKeyOf(file.id)}`].sort())
  const source = target
  const back = openStorageAt(own, config, createEvents())
  expect(await moveTo(files, back, { source }).switch()).toBe('switched')
})

test('a place is a folder, or a bucket with a prefix that S3_PREFIX takes', () => {
  const set = { ...config, ...keys }
  expect(readPlace('to', 's3://files', set)).toBe('s3://files/')
  expect(readPlace('to', 's3://files/a/b', set)).toBe('s3://files/a/b/')
  expect(readPlace('to', '/var/lib/x/../files', set)).toBe('/var/lib/files')
  for (const text of ['s3://', 's3://Big_Bucket/x/', 's3://files/a b/', 's3://files/a//b/', 'https://files/'])
    expect(() => readPlace('to', text, set)).toThrow('--to is a folder')
  expect(() => readPlace('from', 's3://files/', config)).toThrow('S3_SECRET_ACCESS_KEY')
})

test('within the data directory files are in one folder only', () => {
  const data = mkdtempSync(join(tmpdir(), 'rowhouse-data-'))
  folders.push(data)
  symlinkSync(data, `${data}-link`)
  folders.push(`${data}-link`)
  for (const place of [join(data, 'postgres'), join(data, 'files/more'), data, join(`${data}-link`, 'conf/x')])
    expect(() => requireFolderForFiles(place, data)).toThrow('is in the data directory')
  for (const place of [join(data, 'files'), join(`${data}-link`, 'files'), `${data}-other`, 's3://files/'])
    expect(requireFolderForFiles(place, data)).toBeUndefined()
})

test('the start with each place is told by the settings', () => {
  const inData = { ...config, dataDir: '/data' }
  expect(describeStart('s3://files/', inData)).toBe('with S3_BUCKET=files and without S3_PREFIX')
  expect(describeStart('s3://files/a/', inData)).toBe('with S3_BUCKET=files and S3_PREFIX=a/')
  const hosted = { ...inData, s3VirtualHosted: true, s3Bucket: 'files', s3Endpoint: 'https://files.s3.example.org' }
  expect(describeStart('s3://pictures/', hosted)).toBe(
    'with S3_ENDPOINT=https://pictures.s3.example.org, S3_BUCKET=pictures and without S3_PREFIX',
  )
  expect(describeStart('/data/files', inData)).toBe('without S3_BUCKET')
  expect(describeStart('/mnt/files', inData)).toBe(
    'without S3_BUCKET, and with /mnt/files in the place of /data/files (a mount, or a link)',
  )
})

test('an empty storage of this database, as a start without a bucket leaves it, is taken, and one with anything in it is not', async () => {
  const [row] = await files.deps.db.query<{ id: string }>('select id::text as id from rowhouse.storage')
  const folder = withMarker(newIdLike(row!.id))
  expect(await inspect(folder)).toEqual({ stage: 'new', looksForAll: false })
  mkdirSync(dirname(join(folder, storageKeyOf(file.id))), { recursive: true })
  writeFileSync(join(folder, storageKeyOf(file.id)), 'one')
  expect(await settled(inspect(folder))).toThrow('its storage-id is that of another storage')
})
