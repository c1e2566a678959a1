import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkFiles, countMissing } from '../../../src/attachments/check'
import {
  adoptStorage,
  createStorageIdentity,
  identifiedStorage,
  isOwnStorage,
  StorageMismatch,
} from '../../../src/attachments/storage/identity'
import { openStorage } from '../../../src/attachments/storage/open'
import type { Query } from '../../../src/db/pool/open'
import { createEvents } from '../../../src/ops/log/events'
import { json } from '../../support/app'
import { filesIn, startFiles } from '../../support/attachments'
import { until } from '../../support/processes'
import { rejection } from '../../support/rejection'
import { startS3 } from '../../support/s3'

const s3 = await startS3()
const files = await startFiles()
const { db } = files.deps
const folders: string[] = []
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-storage-'))
  folders.push(folder)
  return folder
}

/** What an instance with these settings has, on the one database. */
function instance(settings: Partial<typeof files.deps.config>) {
  const events = createEvents()
  const [told, notes]: [string[], string[]] = [[], []]
  events.subscribe((event) => void (event.kind === 'warning' && told.push(event.message)))
  events.subscribe((event) => void (event.kind === 'note' && notes.push(event.message)))
  const storage = openStorage({ ...files.deps.config, ...settings }, events)
  const identity = createStorageIdentity(db, storage, events)
  return { storage, identity, files: identifiedStorage(storage, identity), told, notes }
}

const inFolder = (dataDir: string) => instance({ dataDir })

const markerIn = (dataDir: string) => join(dataDir, 'files/storage-id')

const addFile = (query: Query = db.query) =>
  query(`insert into rowhouse.files (id, table_id, column_id, name, size, type, sha256, created_by)
    select gen_random_uuid(), nobody, nobody, 'a', 1, 'text/plain', '', nobody from gen_random_uuid() as n (nobody)`)

/** A database that has neither a storage nor files. */
const forget = () => db.query('with storage as (delete from rowhouse.storage) delete from rowhouse.files')

const outcome = (identity: { verify: () => Promise<void> }) =>
  identity.verify().then(
    () => 'ok',
    (error) => (error instanceof StorageMismatch ? error.message : Promise.reject(error)),
  )

/** A database with a file, the folder that is its storage, and another. */
async function claimed() {
  await forget()
  const [own, other] = [newDataDir(), newDataDir()]
  expect(await outcome(inFolder(own).identity)).toBe('ok')
  await addFile()
  return { own, other }
}

describe('a second folder on one database', () => {
  test('is refused with the places and what to do', async () => {
    const { own, other } = await claimed()
    const message = await outcome(inFolder(other).identity)
    for (const part of [other, own, 'rowhouse files adopt', 'S3_BUCKET', 'no storage-id']) expect(message).toContain(part)
    expect(existsSync(join(other, 'files'))).toBe(false)
    expect(await outcome(inFolder(own).identity)).toBe('ok')
  })

  test('of another database is refused, by its database and by this one', async () => {
    const { own, other } = await claimed()
    const marker = readFileSync(markerIn(own), 'utf8')
    await forget()
    expect(await outcome(inFolder(own).identity)).toContain('its storage-id is that of another database')
    expect(await outcome(inFolder(other).identity)).toBe('ok')
    expect(await outcome(inFolder(own).identity)).toContain('its storage-id is that of another database')
    expect(readFileSync(markerIn(own), 'utf8')).toBe(marker)
  })

  test('of several that start at once is that of one of them when the first file is there', async () => {
    await forget()
    const instances = Array.from({ length: 6 }, () => inFolder(newDataDir()))
    expect(await Promise.all(instances.map(({ identity }) => outcome(identity)))).toEqual(Array<string>(6).fill('ok'))
    await addFile()
    const outcomes = await Promise.all(instances.map(({ identity }) => outcome(identity)))
    expect(outcomes.filter((one) => one === 'ok')).toHaveLength(1)
    expect(outcomes.filter((one) => one.includes('rowhouse files adopt'))).toHaveLength(5)
  })

  test('gets no file, loses none and lends none, even when nobody asked before', async () => {
    const { own, other } = await claimed()
    const id = Bun.randomUUIDv7()
    const writing = await inFolder(own).files.create(id)
    await writing.finish()
    const { files: wrong, told } = inFolder(other)
    for (const work of [() => wrong.create(id), () => wrong.read(id), () => wrong.remove([id])])
      expect(await rejection(work())).toMatchObject({ kind: 'unavailable' })
    expect(told).toEqual([expect.stringContaining('is not that of this database')])
    expect([filesIn(own), filesIn(other)]).toEqual([[id], []])
  })
})

describe('while the database knows no file', () => {
  const starts = async (dataDir: string) => {
    const one = inFolder(dataDir)
    return { ...one, outcome: await outcome(one.identity) }
  }

  test('a container without a volume starts again and again, and the log says which storage it has', async () => {
    await forget()
    const folders = [newDataDir(), newDataDir(), newDataDir()]
    for (const folder of folders) expect((await starts(folder)).outcome).toBe('ok')
    const { notes } = await starts(newDataDir())
    expect(notes).toEqual([expect.stringContaining(folders[2]!)])
    expect((await starts(folders[0]!)).outcome).toBe('ok')
    await addFile()
    expect((await starts(folders[2]!)).outcome).toContain('its storage-id is that of another storage')
    expect(await starts(folders[0]!)).toMatchObject({ outcome: 'ok', notes: [] })
  })

  test('the storage of another database is refused all the same', async () => {
    const { own, other } = await claimed()
    await forget()
    expect((await starts(other)).outcome).toBe('ok')
    expect((await starts(own)).outcome).toContain('its storage-id is that of another database')
  })

  test('/readyz of instances with a storage each takes it from none', async () => {
    await forget()
    const [one, two] = [await starts(newDataDir()), await starts(newDataDir())]
    const before = await db.query('select id from rowhouse.storage')
    expect([await one.identity.state(), await two.identity.state()]).toEqual(['ok', 'ok'])
    expect(await db.query('select id from rowhouse.storage')).toEqual(before)
    await addFile()
    expect([await outcome(one.identity), await outcome(two.identity)]).toEqual([expect.stringContaining('is not that of this'), 'ok'])
  })

  test('a storage whose claim was broken off before the commit is claimed by the next start', async () => {
    await forget()
    const dataDir = newDataDir()
    expect((await starts(dataDir)).outcome).toBe('ok')
    const [{ id }] = (await db.query<{ id: string }>('select id::text as id from rowhouse.storage')) as [{ id: string }]
    writeFileSync(markerIn(dataDir), `${id.slice(0, 24)}${crypto.randomUUID().slice(24)}\n`)
    expect((await starts(dataDir)).outcome).toBe('ok')
  })
})

test('an upload that began before another instance took the place of the empty storage puts no file into a cell', async () => {
  await forget()
  await adoptStorage(db, inFolder(files.dataDir).storage)
  await files.deps.storageIdentity.requireAgain()
  const place = () => db.query<{ place: string }>('select place from rowhouse.storage')
  const here = await place()
  const body = new ReadableStream({
    start: async (controller) => {
      controller.enqueue(new Uint8Array(100_000))
      await until('the upload has begun', async () => (await db.query('select from rowhouse.loose_files')).length > 0)
      expect(await outcome(inFolder(newDataDir()).identity)).toBe('ok')
      expect(await place()).not.toEqual(here)
      controller.enqueue(new Uint8Array(100))
      controller.close()
    },
  })
  const answer = await files.send('slow', body as BodyInit)
  expect([answer.status, await db.query('select from rowhouse.files')]).toEqual([503, []])
  expect(await place()).toEqual(here)
  await files.attach('again', 'x')
  expect(await outcome(inFolder(newDataDir()).identity)).toContain('is not that of this database')
})

test('a storage is not given another place while a file is being put into a cell', async () => {
  await forget()
  await adoptStorage(db, inFolder(files.dataDir).storage)
  await files.deps.storageIdentity.requireAgain()
  const folder = newDataDir()
  let starting: Promise<string> = Promise.resolve('')
  await db.transaction(async ({ query }) => {
    await query('select from rowhouse.storage for share')
    starting = outcome(inFolder(folder).identity)
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await until('the start waits', async () => (await files.deps.db.sql.unsafe(waiting)).length > 0)
    await addFile(query)
  })
  expect(await starting).toContain('is not that of this database')
})

test('one folder is claimed once by several instances that start at once', async () => {
  await forget()
  const dataDir = newDataDir()
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => outcome(inFolder(dataDir).identity)))
  expect(outcomes).toEqual(Array<string>(6).fill('ok'))
})

test('a claim that was broken off behind the write is taken up by the next start', async () => {
  const { own } = await claimed()
  await db.query('with files as (delete from rowhouse.files) update rowhouse.storage set claimed_at = null')
  expect(await outcome(inFolder(own).identity)).toBe('ok')
  expect(await isOwnStorage(db.query, inFolder(own).storage)).toBe(true)
})

describe('an installation from before there were ids', () => {
  test('goes on with the storage that has one of its files, and not with another', async () => {
    await forget()
    await adoptStorage(db, inFolder(files.dataDir).storage)
    await files.deps.storageIdentity.requireAgain()
    await files.attach('a.txt', 'hello')
    await db.query('delete from rowhouse.storage')
    rmSync(markerIn(files.dataDir))
    expect(await outcome(inFolder(newDataDir()).identity)).toContain('the files of this database are not in it')
    expect(await outcome(inFolder(files.dataDir).identity)).toBe('ok')
  })
})

describe('rowhouse files adopt', () => {
  test('makes a storage without an id that of the database, and the one before is refused', async () => {
    const { own, other } = await claimed()
    await adoptStorage(db, inFolder(other).storage)
    expect(await outcome(inFolder(other).identity)).toBe('ok')
    expect(await outcome(inFolder(own).identity)).toContain('another database')
    await adoptStorage(db, inFolder(own).storage)
    expect(await outcome(inFolder(own).identity)).toBe('ok')
  })

  test('leaves the id that a storage has, and puts one in the place of what is none', async () => {
    const { own, other } = await claimed()
    const marker = readFileSync(markerIn(own), 'utf8')
    await adoptStorage(db, inFolder(other).storage)
    await adoptStorage(db, inFolder(own).storage)
    expect(readFileSync(markerIn(own), 'utf8')).toBe(marker)
    writeFileSync(markerIn(own), 'x'.repeat(1000))
    expect(await outcome(inFolder(own).identity)).toContain('another database')
    await adoptStorage(db, inFolder(own).storage)
    expect(await outcome(inFolder(own).identity)).toBe('ok')
  })

  test('counts the files that are missing', async () => {
    await forget()
    await adoptStorage(db, inFolder(files.dataDir).storage)
    await files.deps.storageIdentity.requireAgain()
    await files.attach('b.txt', 'hello')
    expect(await countMissing({ db, storage: inFolder(files.dataDir).storage })).toEqual({ files: 1, missing: 0 })
    expect(await countMissing({ db, storage: inFolder(newDataDir()).storage })).toEqual({ files: 1, missing: 1 })
  })
})

test('a bucket is held to its database as a folder is, and a check of files leaves it as it is', async () => {
  await forget()
  const settings = {
    s3Bucket: s3.environment.S3_BUCKET,
    s3Endpoint: s3.environment.S3_ENDPOINT,
    s3AccessKeyId: s3.environment.S3_ACCESS_KEY_ID,
    s3SecretAccessKey: s3.environment.S3_SECRET_ACCESS_KEY,
  }
  const one = instance({ ...settings, s3Prefix: 'one/' })
  expect(await isOwnStorage(db.query, one.storage)).toBe(false)
  await checkFiles({ db, storage: one.storage }, () => {})
  expect(await one.storage.readId()).toBeNull()
  expect(await outcome(one.identity)).toBe('ok')
  await addFile()
  expect(await outcome(instance({ ...settings, s3Prefix: 'one/' }).identity)).toBe('ok')
  expect(await outcome(instance({ ...settings, s3Prefix: 'two/' }).identity)).toContain('s3://files/two/')
  expect(await outcome(inFolder(newDataDir()).identity)).toContain('last in s3://files/one/')
  await s3.stop()
  expect(await instance({ ...settings, s3Prefix: 'one/' }).identity.state()).toBe('unavailable')
  await s3.start()
})

describe('/readyz', () => {
  const startWith = async (environment: Record<string, string>) => {
    const app = await startFiles(environment)
    const ready = async () => {
      const answer = await app.call('/readyz')
      const { status, checks } = await json(answer)
      return [answer.status, status, checks.storage]
    }
    return { app, ready }
  }

  test('is 503 for a storage that is not that of the database, and the log says it once', async () => {
    const { app, ready } = await startWith({})
    await addFile(app.deps.db.query)
    await app.deps.db.query(`insert into rowhouse.storage (id, place, claimed_at) values (gen_random_uuid(), 'elsewhere', now())`)
    for (let times = 0; times < 5; times++) expect(await ready()).toEqual([503, 'unavailable', 'mismatch'])
    const message = expect.stringContaining(app.deps.storage.place)
    expect(app.events.filter(({ kind }) => kind === 'warning')).toEqual([{ kind: 'warning', message }])
  })

  test('is 200 and `degraded` for a storage that is away', async () => {
    const { ready } = await startWith({ ...s3.environment, S3_ENDPOINT: 'http://127.0.0.1:9' })
    expect(await ready()).toEqual([200, 'degraded', 'unavailable'])
  })

  test('asks the storage once for many who ask at once', async () => {
    const { app } = await startWith({ ...s3.environment, S3_ENDPOINT: 'http://127.0.0.1:9' })
    const states = await Promise.all(Array.from({ length: 50 }, () => app.deps.storageIdentity.state()))
    expect(states).toEqual(Array<'unavailable'>(50).fill('unavailable'))
    expect(app.events.filter(({ kind }) => kind === 'background_failed')).toHaveLength(1)
  })
})
