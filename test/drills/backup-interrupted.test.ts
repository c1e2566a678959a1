import { expect, test } from 'bun:test'
import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { backUp, dryRun, heldBy, isHeld, launch, openFolder, restoreFrom, scratchIn, stopCheckpoints } from '../support/backups'
import { run, startService } from '../support/executable'
import { postmasterPid, until } from '../support/processes'
import { printedRandom } from '../support/random'
import { untilReadyz } from '../support/ready'
import { mayMountDisk, withSmallDisk } from '../support/small-disk'
import { startUsed, usedDataDir } from '../support/used-data'
import { startWriteLoad, storedNumbers } from '../support/write-load'

const nothing = { slots: 0, sessions: 0 }

test('a backup that ends by kill -9 holds no log when the checkpoint is done; the next one writes over what it left', async () => {
  await using service = await startUsed()
  const folder = openFolder()
  const checkpoints = await stopCheckpoints(service)
  const backup = launch(['backup', join(folder, 'b')], service.dataDir)
  await until('the log is held', () => isHeld(service))
  backup.kill('SIGKILL')
  expect(await backup.ended).toBe('SIGKILL')
  checkpoints.goOn()
  await until('the log is let go', async () => !(await isHeld(service)))
  expect(readdirSync(folder)).toEqual(['b.part'])
  expect((await backUp(service.dataDir, join(folder, 'b'))).code).toBe(0)
  expect(readdirSync(folder)).toEqual(['b'])
}, 600_000)

test.each(['SIGINT', 'SIGKILL'] as const)(
  'a backup that ends by %s while it is tried out leaves no file that looks whole, and nothing behind the next start',
  async (signal) => {
    const service = await startUsed()
    const { dataDir } = service
    const folder = openFolder()
    const backup = launch(['backup', join(folder, 'b')], dataDir)
    const isTried = () => scratchIn(dataDir).some((name) => existsSync(join(dataDir, name, 'postgres/postmaster.pid')))
    await until('it is tried out', isTried)
    backup.kill(signal)
    expect(await backup.ended).toBe(signal === 'SIGINT' ? 1 : signal)
    expect(readdirSync(folder)).toEqual(signal === 'SIGINT' ? [] : ['b.part'])
    expect(await heldBy(service)).toEqual(nothing)
    if (signal === 'SIGINT') expect(scratchIn(dataDir)).toEqual([])
    expect((await dryRun(join(folder, 'b.part'))).code).toBe(signal === 'SIGINT' ? 1 : 0)
    await service.stop()
    await using again = await startService({ dataDir })
    expect(scratchIn(dataDir)).toEqual([])
    await untilReadyz(again)
  },
  600_000,
)

const kills = Number(process.env.KILLS ?? 30)
const random = printedRandom()

test('kill -9 of backup, service or PostgreSQL at any moment: no acknowledged write is lost, and a backup that has its name is whole', async () => {
  const { dataDir, token } = await usedDataDir()
  const acknowledged: number[] = []
  const made: string[] = []
  let offset = 0
  for (let round = 0; round < kills; round++) {
    await using service = await startService({ dataDir })
    expect(scratchIn(dataDir)).toEqual([])
    const folder = openFolder()
    const load = startWriteLoad(service.url, token, 2, offset)
    const backup = launch(['backup', join(folder, 'b')], dataDir)
    const ended = backup.ended
    await Promise.race([ended, Bun.sleep(random() * 6000)])
    const victim = round % 3
    if (victim === 0) backup.kill('SIGKILL')
    if (victim === 1) process.kill(postmasterPid(dataDir), 'SIGKILL')
    if (victim === 2) service.kill('SIGKILL')
    const code = await ended
    if (victim === 0) await until('no log is held', async () => (await heldBy(service)).slots === 0)
    if (victim === 1) await untilReadyz(service)
    await load.stop()
    offset = load.sent
    acknowledged.push(...load.acknowledged)
    const names = readdirSync(folder)
    expect(names.filter((name) => !['b', 'b.part'].includes(name))).toEqual([])
    // It has its name a moment before the command ends.
    if (code === 0) expect(names).toContain('b')
    if (names.includes('b')) made.push(join(folder, 'b'))
  }
  await using service = await startService({ dataDir })
  const stored = await storedNumbers(service.url, token)
  expect(acknowledged.filter((number) => !stored.has(number))).toEqual([])
  for (const file of made) expect((await dryRun(file)).code).toBe(0)
}, 3_600_000)

test('a restore that ended where it had moved the first folders is begun again', async () => {
  const { dataDir } = await usedDataDir()
  const file = join(openFolder(), 'b')
  expect((await backUp(dataDir, file)).code).toBe(0)
  const target = join(openFolder(), 'data')
  expect((await restoreFrom(file, target)).code).toBe(0)
  // As it is just before the cluster is moved.
  const moved = join(target, 'restoring')
  await run(['version'])
  Bun.spawnSync(['sh', '-c', `mkdir ${moved} && chmod 777 ${moved} && mv ${join(target, 'postgres')} ${moved}/postgres`])
  expect((await run(['migrate'], { environment: { ROWHOUSE_DATA_DIR: target } })).stderr).toContain('was not finished')
  expect(await restoreFrom(file, target)).toMatchObject({ code: 0, stderr: expect.stringContaining('It is intact') })
  expect((await run(['users', 'list'], { environment: { ROWHOUSE_DATA_DIR: target } })).code).toBe(0)
}, 600_000)

test.if(mayMountDisk())(
  'the service’s own disk is not filled: the backup stops before',
  () =>
    withSmallDisk('800m', async (disk) => {
      const [dataDir, folder] = [join(disk, 'data'), join(disk, 'backups')]
      Bun.spawnSync(['sh', '-c', `cp -a ${(await usedDataDir()).dataDir} ${dataDir} && mkdir -m 777 ${folder}`])
      await using service = await startService({ dataDir })
      const { code, stderr } = await backUp(dataDir, join(folder, 'b'), ['--min-free-bytes=700MB'])
      expect([code, stderr]).toEqual([1, expect.stringMatching(/The backup takes up to .* are free/)])
      const checkpoints = await stopCheckpoints(service)
      try {
        const backup = launch(['backup', '--min-free-bytes=100MB', join(folder, 'b')], dataDir)
        await until('the log is held', () => isHeld(service))
        const { bavail, bsize } = statfsSync(disk)
        Bun.spawnSync(['fallocate', '-l', String(bavail * bsize - 50_000_000), join(disk, 'other')])
        expect(await backup.ended).toBe(1)
        expect(await backup.errors).toMatch(/has less than ROWHOUSE_MIN_FREE_BYTES \(.* MB\) left, which the service needs/)
        expect(await heldBy(service)).toEqual(nothing)
        expect([readdirSync(folder), scratchIn(dataDir)]).toEqual([[], []])
      } finally {
        checkpoints.goOn()
      }
      await untilReadyz(service)
    }),
  600_000,
)

test('a backup that is interrupted by the end of its service says so', async () => {
  const service = await startUsed()
  const folder = openFolder()
  const checkpoints = await stopCheckpoints(service)
  const backup = launch(['backup', join(folder, 'b')], service.dataDir)
  await until('the log is held', () => isHeld(service))
  const ended = service.stop('SIGKILL')
  checkpoints.goOn()
  await ended
  expect(await backup.ended).toBe(1)
  expect(await backup.errors).toContain('The database stopped while it was copied')
  expect(readdirSync(folder)).toEqual([])
}, 600_000)

test.if(mayMountDisk())(
  'a disk that somebody else fills while a backup is written ends it in a sentence, and nothing is left',
  async () => {
    await using service = await startUsed()
    const { dataDir } = service
    await withSmallDisk('20m', async (disk) => {
      Bun.spawnSync(['chmod', '777', disk])
      // Room for what is expected, and then somebody else takes it.
      const filled = join(disk, 'other')
      const backup = launch(['backup', join(disk, 'b')], dataDir)
      await until('it is written', () => existsSync(join(disk, 'b.part')))
      Bun.spawnSync(['sh', '-c', `head -c 25000000 /dev/zero > ${filled}`])
      const code = await backup.ended
      expect(readdirSync(disk).sort()).toEqual(code === 0 ? ['b', 'other'] : ['other'])
      if (code !== 0) expect(await backup.errors).toContain('is full')
      expect(await heldBy(service)).toEqual(nothing)
    })
    await untilReadyz(service)
  },
  600_000,
)

test('a backup that is interrupted while a bucket takes it ends at once, and leaves neither object nor file', async () => {
  await using service = await startUsed()
  const sent = Promise.withResolvers<void>()
  const asked: string[] = []
  // It has nothing, takes what comes, and never says so.
  const bucket = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ method }) => {
      asked.push(method)
      if (method === 'HEAD') return new Response(null, { status: 404 })
      sent.resolve()
      return new Promise<Response>(() => {})
    },
  })
  const keys = { S3_ENDPOINT: `http://127.0.0.1:${bucket.port}`, S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }
  const backup = launch(['backup', 's3://somewhere/b'], service.dataDir, keys)
  await sent.promise
  backup.kill('SIGINT')
  expect(await backup.ended).toBe(1)
  // A small backup is sent whole in one request, and S3 may have made its object.
  expect(await backup.errors).toMatch(
    /rowhouse: Interrupted(; nothing was left behind|\. s3:\/\/somewhere\/\S+ may be there nevertheless; look before you try again)\.\n$/,
  )
  expect(asked.filter((method) => method !== 'HEAD' && method !== 'PUT' && method !== 'POST')).toEqual([])
  expect(scratchIn(service.dataDir)).toEqual([])
  await bucket.stop(true)
}, 600_000)
