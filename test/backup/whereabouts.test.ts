import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BackupOverview } from '../../src/backup/model'
import { createBackups } from '../../src/backup/schedule/backups'
import { startApp, type TestApp } from '../support/app'
import { newFolder } from '../support/executable'
import { until } from '../support/processes'
import { startS3 } from '../support/s3'

const list = ({ deps: { db } }: TestApp, place: string, startedAt = new Date()) =>
  db.query(
    `insert into rowhouse.backups (id, state, origin, place, bytes, started_at) values (gen_random_uuid(), 'proven', 'command', $1::text, 5, $2::timestamptz)`,
    [place, startedAt.toISOString()],
  )

const overview = async (app: TestApp) => (await (await app.call('/api/v1/backups', { as: 'admin' })).json()) as BackupOverview

test('only a backup that is in its place still counts as the last proven one', async () => {
  const folder = newFolder()
  const app = await startApp({ ROWHOUSE_BACKUP_TO: folder, ROWHOUSE_BACKUP_SCHEDULE: '* * * * *' })
  const { backups } = app.deps
  const file = join(folder, 'rowhouse-20261126T031500Z.tar.zst')
  writeFileSync(file, 'bytes')
  await list(app, file, new Date(Date.now() - 60_000))
  const elsewhere = join(newFolder(), 'mine.tar.zst')
  writeFileSync(elsewhere, 'bytes')
  await list(app, elsewhere)
  const { ageSeconds } = await backups.state()
  expect(ageSeconds).toBeGreaterThanOrEqual(60)

  rmSync(file)
  await until('it does not count any more', async () => (await backups.state()).ageSeconds === null)
  const { backups: listed } = await overview(app)
  expect(listed.map(({ place, isThere }) => [basename(place!), isThere])).toEqual([
    ['mine.tar.zst', true],
    [basename(file), false],
  ])
})

test('no backup counts any more whose folder is gone, also after a restart', async () => {
  const folder = newFolder()
  const app = await startApp({ ROWHOUSE_BACKUP_TO: folder })
  const file = join(folder, 'rowhouse-20261126T031500Z.tar.zst')
  writeFileSync(file, 'bytes')
  await list(app, file)
  expect((await app.deps.backups.state()).ageSeconds).toBeGreaterThanOrEqual(0)
  rmSync(folder, { recursive: true })
  await until('it does not count any more', async () => (await app.deps.backups.state()).ageSeconds === null)
  const { config, events, walArchiver, db } = app.deps
  const restarted = createBackups({ config, db, events, walArchiver, isServing: () => true })
  expect((await restarted.state()).ageSeconds).toBeNull()
})

test('the schedule tries a failed backup again after 15 minutes, also after a restart, and at most three times', async () => {
  const app = await startApp({ ROWHOUSE_BACKUP_TO: newFolder(), ROWHOUSE_BACKUP_SCHEDULE: '0 0 30 2 * UTC' })
  const { config, events, walArchiver, db } = app.deps
  const nextAt = () => createBackups({ config, db, events, walArchiver, isServing: () => true }).nextAt()
  const end = (state: string, at: string) =>
    db.query(
      `insert into rowhouse.backups (id, state, origin, started_at, finished_at) values (gen_random_uuid(), $1::text, 'schedule', $2::timestamptz, $2::timestamptz)`,
      [state, at],
    )
  const found: (string | undefined)[] = []
  for (const [state, at] of [
    ['proven', '2026-11-24T03:15Z'],
    ['failed', '2026-11-25T03:15Z'],
    ['unproven', '2026-11-25T03:30Z'],
    ['failed', '2026-11-25T03:45Z'],
    ['failed', '2026-11-25T04:00Z'],
    ['proven', '2026-11-26T03:15Z'],
  ] as const) {
    await end(state, at)
    found.push((await nextAt())?.toISOString().slice(11, 16))
  }
  expect(found).toEqual([undefined, '03:30', '03:45', '04:00', undefined, undefined])
})

test('the page does not wait for a bucket that does not answer', async () => {
  using silent = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) })
  const app = await startApp({
    ROWHOUSE_BACKUP_TO: 's3://files/nightly',
    S3_ENDPOINT: silent.url.origin,
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
  })
  await list(app, 's3://files/nightly/one')
  expect((await overview(app)).backups.map(({ isThere }) => isThere)).toEqual([null])
  await silent.stop(true)
})

test('a backup in a bucket is there, gone, or nobody knows', async () => {
  await using s3 = await startS3()
  const { S3_BUCKET: bucket, S3_PREFIX: _, ...keys } = s3.environment
  const client = new Bun.S3Client({ bucket, endpoint: keys.S3_ENDPOINT!, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' })
  const app = await startApp({ ...keys, ROWHOUSE_BACKUP_TO: `s3://${bucket}/nightly` })
  for (const key of ['nightly/one', 'nightly/wal/id/wal/0', 'elsewhere/two']) await client.write(key, 'bytes')
  expect([...(await app.deps.backups.store!.list()).keys()]).toEqual(['one'])
  for (const key of ['nightly/one', 'nightly/gone', 'elsewhere/two', 'elsewhere/gone']) await list(app, `s3://${bucket}/${key}`)
  const found = async () =>
    Object.fromEntries((await overview(app)).backups.map(({ place, isThere }) => [place!.split('/').slice(3).join('/'), isThere]))
  const whereabouts = (wanted: object) => until(JSON.stringify(wanted), async () => Bun.deepEquals(await found(), wanted))
  // A bucket that is slow to answer leaves it open.
  await whereabouts({ 'nightly/one': true, 'nightly/gone': false, 'elsewhere/two': true, 'elsewhere/gone': false })
  await s3.stop()
  await whereabouts({ 'nightly/one': null, 'nightly/gone': null, 'elsewhere/two': null, 'elsewhere/gone': null })
  const { id } = (await overview(app)).backups.find(({ place }) => place?.endsWith('nightly/one'))!
  expect((await app.call(`/api/v1/backups/${id}/file`, { as: 'admin' })).status).toBe(503)
  await s3.start()
})

test('the last backup that the service has made and that failed is a state of its own', async () => {
  const app = await startApp({ ROWHOUSE_BACKUP_TO: newFolder() })
  const end = (state: string, origin: string) =>
    app.deps.db.query(
      `insert into rowhouse.backups (id, state, origin, started_at, finished_at) values (gen_random_uuid(), $1::text, $2::text, now(), clock_timestamp())`,
      [state, origin],
    )
  const state = async () => (await overview(app)).state
  await end('failed', 'command')
  expect(await state()).toBe('ok')
  await end('failed', 'schedule')
  expect(await state()).toBe('failed')
  await end('proven', 'request')
  expect(await state()).toBe('ok')
})
