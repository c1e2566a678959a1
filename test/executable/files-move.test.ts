import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { filesIn } from '../support/attachments'
import { call, run, startService } from '../support/executable'
import { moveFiles, s3Keys, startUploads, unreadable } from '../support/file-moves'
import { startTwo } from '../support/instances'
import { makePets, type Stored, upload } from '../support/pets'
import { until } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { startS3 } from '../support/s3'
import { setUp, startUsed } from '../support/used-data'

const bucket = 's3://files/team/one/'

test('files move to a bucket and back while they are uploaded, and none that was acknowledged is lost', async () => {
  await using s3 = await startS3()
  const inFolder = s3Keys(s3)
  const inBucket = s3.environment
  const first = await startUsed({ environment: inFolder })
  const { dataDir, token } = first
  const place = { ROWHOUSE_DATA_DIR: dataDir }
  const files = join(dataDir, 'files')
  await makePets(first)
  const load = startUploads(first)
  await until('files are there', () => load.acknowledged.length > 20)
  // Files come meanwhile, also between the two numbers.
  const rehearsed = await moveFiles([`--to=${bucket}`, '--dry-run'], { ...place, ...inFolder })
  expect([rehearsed.code, rehearsed.stdout]).toEqual([
    0,
    expect.stringMatching(/^\d+ files, .* of \d+ files, .* from .* to s3:\/\/files\/team\/one\/\.\n/),
  ])
  expect(await s3.keys()).toEqual([])

  const copied = await moveFiles([`--to=${bucket}`], { ...place, ...inFolder })
  expect([copied.code, copied.stdout]).toEqual([0, expect.stringContaining('run the same command with --switch')])
  const { length } = load.acknowledged
  await until('uploads go on', () => load.acknowledged.length > length + 10)
  expect(load.refused).toEqual([])

  const switched = await moveFiles([`--to=${bucket}`, '--switch'], { ...place, ...inFolder })
  expect([switched.code, switched.stdout]).toEqual([0, expect.stringContaining('with S3_BUCKET=files and S3_PREFIX=team/one/.')])
  await until('uploads are refused', () => load.refused.length > 8)
  await load.stop()
  expect(new Set(load.refused)).toEqual(new Set([503]))
  const kept = load.acknowledged
  expect(await unreadable(first, kept)).toEqual([])
  await untilReadyz(first, { status: 'degraded', checks: { storage: 'moved' } })
  await first.stop()
  const refused = await run([], { environment: { ...place, ...inFolder, PORT: '0' } })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`were moved from ${files} to ${bucket}`)])

  {
    await using second = await startService({ dataDir, environment: inBucket })
    const pets = { url: second.url, token }
    expect(await unreadable(pets, kept)).toEqual([])
    const again = startUploads(pets)
    await until('files are uploaded to the bucket', () => again.acknowledged.length > 20)
    const back = await moveFiles([`--to=${files}`, '--switch'], { ...place, ...inBucket })
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('without S3_BUCKET.')])
    await again.stop()
    kept.push(...again.acknowledged)
  }
  await using third = await startService({ dataDir, environment: inFolder })
  expect(await unreadable({ url: third.url, token }, kept)).toEqual([])
  expect((await upload({ url: third.url, token }, 'last', 'x')).status).toBe(201)
  const removed = await moveFiles([`--from=${bucket}`, `--to=${files}`, '--remove'], { ...place, ...inFolder })
  expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining('was compared with')])
  expect(await s3.keys()).toEqual([])
  expect(filesIn(files).length).toBeGreaterThan(kept.length)
  const checked = await run(['files', 'check'], { environment: { ...place, ...inFolder } })
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining(`${kept.length + 1} files`)])
})

test('two instances on one database: each starts with the new storage when it may, and until then says what it lacks', async () => {
  await using s3 = await startS3()
  await using both = await startTwo({ ...s3Keys(s3), SETUP_CODE: 'abcdefgh12345678' })
  const { one, two, uri } = both
  const token = await setUp({ url: one.url, dataDir: one.dataDir })
  const [here, there] = [one, two].map(({ url }) => ({ url, token }))
  await makePets(here!)
  const [first] = (await (await upload(here!, 'first', 'before')).json()) as [Stored]
  const database = { DATABASE_URL: uri }
  const old = { ...database, ...s3Keys(s3), ROWHOUSE_DATA_DIR: one.dataDir }
  expect((await moveFiles([`--to=${bucket}`], old)).code).toBe(0)
  const early = await run([], { environment: { ...database, ...s3.environment, PORT: '0' } })
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('the move is not finished')])
  expect((await upload(there!, 'between', 'x')).status).toBe(201)
  expect(await moveFiles([`--to=${bucket}`, '--switch'], old)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 file, ') })

  await using third = await startService({ environment: { ...database, ...s3.environment } })
  const now = { url: third.url, token }
  const [last] = (await (await upload(now, 'last', 'behind')).json()) as [Stored]
  for (const url of [one.url, two.url]) {
    expect((await upload({ url, token }, 'late', 'x')).status).toBe(503)
    const [readable, elsewhere] = [await call(url + first.url, { token }), await call(url + last.url, { token })]
    expect([readable.status, await readable.text(), elsewhere.status]).toEqual([200, 'before', 503])
    await untilReadyz({ url }, { status: 'degraded', checks: { storage: 'moved' } })
  }
  for (const { url } of [first, last]) expect((await call(now.url + url, { token })).status).toBe(200)
  await untilReadyz(now, { checks: { storage: 'ok' } })
  const check = await run(['files', 'check'], { environment: { ...database, ...s3.environment } })
  expect([check.code, check.stdout]).toEqual([0, expect.stringContaining('3 files')])
})
