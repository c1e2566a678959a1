import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { launch } from '../support/backups'
import { isDrilling } from '../support/drill'
import { call, newFolder, run, startService } from '../support/executable'
import { findInitdb, isAlive, until } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { isRoot } from '../support/scratch'
import { mayMountDisk, withSmallDisk } from '../support/small-disk'
import { setUp, usedDataDir } from '../support/used-data'

/** Starts it where it cannot run. @returns its one sentence */
async function refusal(dataDir: string, more: { asNobody?: boolean; environment?: Record<string, string> } = {}): Promise<string> {
  const { environment, asNobody } = more
  const { code, stderr, stdout } = await run([], { asNobody, environment: { PORT: '0', ROWHOUSE_DATA_DIR: dataDir, ...environment } })
  expect({ code, stdout: stdout.includes('listening on') }).toEqual({ code: 1, stdout: false })
  expect(stderr).toMatch(/^rowhouse: [^\n]*\n$/)
  return stderr
}

test('a folder that may not be written: its name and what to do', async () => {
  const parent = newFolder()
  chmodSync(parent, 0o555)
  expect(await refusal(join(parent, 'data'), { asNobody: true })).toContain(`${parent}/data cannot be made`)
  const folder = newFolder()
  const existing = join(folder, 'data')
  mkdirSync(existing)
  chmodSync(existing, 0o555)
  expect(await refusal(existing, { asNobody: true })).toContain(`${existing}`)
  expect(readdirSync(existing)).toEqual([])
})

test('a file in the way: its name', async () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, 'precious')
  expect(await refusal(file)).toContain(file)
  expect(await refusal(join(file, 'data'))).toContain(file)
  expect(readFileSync(file, 'utf8')).toBe('precious')
})

test('a path that is too long for a socket, and one with signs that mean something elsewhere, work', async () => {
  const odd = join(newFolder(), `o'dd name, ünï & 100% (1); #*`, 'x'.repeat(120), 'data')
  await using service = await startService({ dataDir: odd })
  expect(existsSync(join(odd, 'postgres/PG_VERSION'))).toBe(true)
  expect(await setUp(service)).toBeString()
  expect(await service.stop()).toBe(0)
  await using again = await startService({ dataDir: odd })
  await untilReadyz(again)
})

test('a short path with a comma, which separates the folders of sockets, works', async () => {
  await using service = await startService({ dataDir: join(newFolder(), 'a,b') })
  expect(await setUp(service)).toBeString()
  expect(existsSync(join(service.dataDir, 'run'))).toBe(false)
})

test('a path that would mean something to a shell is refused', async () => {
  const folder = newFolder()
  expect(await refusal(join(folder, '$(touch snapped)'))).toContain('ROWHOUSE_DATA_DIR')
  expect(readdirSync(folder)).toEqual([])
})

test('a folder made by another PostgreSQL major version: what to do, and nothing is changed', async () => {
  const { dataDir } = await usedDataDir()
  writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '17\n')
  const before = snapshot(join(dataDir, 'postgres'))
  const sentence = await refusal(dataDir)
  expect(sentence).toContain('PostgreSQL 17')
  expect(sentence).toContain('rowhouse upgrade --postgres')
  expect(snapshot(join(dataDir, 'postgres'))).toEqual(before)
})

const snapshot = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path, Bun.hash(readFileSync(path))])

/** The folders in which a database is being made, or was. */
const unfinishedIn = (dataDir: string): string[] =>
  existsSync(dataDir) ? readdirSync(dataDir).filter((name) => name.startsWith('postgres.new')) : []

test('a first start that was cut off leaves nothing that the next one trips over', async () => {
  const { dataDir } = await usedDataDir()
  const half = join(newFolder(), 'data')
  const version = readdirSync(join(dataDir, 'runtime'))[0]!
  mkdirSync(join(half, `runtime/${version}.unpacking/bin`), { recursive: true })
  for (const name of ['postgres.new', 'postgres.new-1a2B3c']) mkdirSync(join(half, name, 'base'), { recursive: true })
  await using service = await startService({ dataDir: half })
  await untilReadyz(service)
  expect(readdirSync(join(half, 'runtime'))).toEqual([version])
  expect(unfinishedIn(half)).toEqual([])
})

if (process.platform === 'linux') {
  test('kill -9 while initdb runs: the next start works, and initdb, which goes on, does not empty its folder', async () => {
    const dataDir = join(newFolder(), 'data')
    const first = launch([], dataDir, { PORT: '0' })
    const findFilling = (isWanted: (pid: number) => boolean) =>
      findInitdb(dataDir).find(({ pid, folder }) => isWanted(pid) && existsSync(join(folder, 'global/pg_control')))?.pid
    await until('initdb fills its folder', () => findFilling(() => true) !== undefined)
    const initdb = findFilling(() => true)!
    process.kill(initdb, 'SIGSTOP')
    first.kill('SIGKILL')
    await first.ended
    const second = startService({ dataDir })
    await until('the next one fills its folder, too', () => findFilling((pid) => pid !== initdb) !== undefined)
    if (isAlive(initdb)) process.kill(initdb, 'SIGCONT')
    await using service = await second
    await untilReadyz(service)
    await until('initdb has ended', () => !isAlive(initdb))
    expect(unfinishedIn(dataDir)).toEqual([])
  })
}

/** For root alone: PostgreSQL is somebody else then. */
const asRoot = () => {
  test('below a folder that PostgreSQL’s user may not enter: which one, and what to do', async () => {
    const closed = join(newFolder(), 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const sentence = await refusal(join(closed, 'below/data'))
    expect(sentence).toContain(`may not enter ${closed}.`)
    expect(sentence).toContain(`chmod o+x ${closed}`)
    expect(readdirSync(closed)).toEqual([])
  })

  test('with a strict umask', async () => {
    const dataDir = join(newFolder(), 'data')
    const umask = process.umask(0o077)
    await using service = await startService({ dataDir }).finally(() => process.umask(umask))
    await untilReadyz(service)
  })

  test('a service user that is not there: its name', async () => {
    expect(await refusal(join(newFolder(), 'data'), { environment: { ROWHOUSE_USER: 'no-such-user' } })).toContain('"no-such-user"')
  })

  test('a directory of an ordinary user, started by that user again', async () => {
    const folder = newFolder()
    chownSync(folder, 65534, 65534)
    const dataDir = join(folder, 'data')
    await using first = await startService({ dataDir, asNobody: true })
    const token = await setUp(first)
    await first.stop()
    await using second = await startService({ dataDir, asNobody: true })
    expect((await call(`${second.url}/auth/me`, { token })).status).toBe(200)
  })
}
if (isRoot) describe('started by root', asRoot)

const onFullDisk = () => {
  test('before the first start: how much is needed, and nothing is left behind', () =>
    withSmallDisk('60m', async (disk) => {
      expect(await refusal(join(disk, 'data'))).toMatch(/has \d+ MB free; the first start needs 200 MB/)
      expect(existsSync(join(disk, 'data/postgres'))).toBe(false)
    }))

  test.each([
    ['while PostgreSQL is unpacked', 300],
    ['while the database is made', 1500],
  ])('%s: a sentence, nothing half-made, and the next start works', (_when, files) =>
    withSmallDisk(`400m,nr_inodes=${files}`, async (disk, enlarge) => {
      const dataDir = join(disk, 'data')
      expect(await refusal(dataDir)).toContain('full')
      expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
      expect(unfinishedIn(dataDir)).toEqual([])
      enlarge('400m,nr_inodes=10000')
      await using service = await startService({ dataDir })
      await untilReadyz(service)
    }),
  )

  test('while it runs: writes are refused with 507, reads go on, and with room again writes do too', () =>
    withSmallDisk('400m', async (disk) => {
      const used = await usedDataDir()
      expect(spawnSync('cp', ['-a', used.dataDir, join(disk, 'data')]).status).toBe(0)
      await using service = await startService({ dataDir: join(disk, 'data') })
      const records = `${service.url}/api/v1/tables/items/records`
      const insert = async () => (await call(records, { token: used.token, body: { number: 1, note: randomText() } })).status
      expect(await insert()).toBe(201)
      const ballast = join(disk, 'ballast')
      spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=64k'])
      const statuses: number[] = []
      for (let time = 0; time < 5; time++) statuses.push(await insert())
      expect(statuses).toContain(507)
      expect((await call(`${records}/1`, { token: used.token })).status).toBe(200)
      spawnSync('rm', [ballast])
      expect(await insert()).toBe(201)
    }))

  test.each([
    ['is known to be too long', 120, true],
    ...(isDrilling ? [['turns out to be too long while it comes', 200, false] as const] : []),
    ['fits, and its records would not', 70, true],
  ] as const)(
    'a file that %s is refused with 507 before PostgreSQL has no room for its log, and reads go on',
    (_what, megabytes, hasLength) =>
      withSmallDisk('420m', async (disk) => {
        const used = await usedDataDir()
        expect(spawnSync('cp', ['-a', used.dataDir, join(disk, 'data')]).status).toBe(0)
        await using service = await startService({ dataDir: join(disk, 'data'), environment: { ROWHOUSE_MIN_FREE_BYTES: '128MB' } })
        const before = service.log.length
        const lines = new TextEncoder().encode('1,a note of some length\n'.repeat(2 ** 20 / 24))
        const header = new TextEncoder().encode('number,note\n')
        const chunks = [header, ...Array.from({ length: megabytes }, () => lines)]
        const body = hasLength ? new Blob(chunks) : Readable.toWeb(Readable.from(chunks))
        let isOver = false
        const importing = fetch(`${service.url}/api/v1/tables/items/import`, {
          method: 'POST',
          body: body as never,
          headers: { authorization: `Bearer ${used.token}`, 'content-type': 'text/csv' },
        }).finally(() => {
          isOver = true
        })
        const records = `${service.url}/api/v1/tables/items/records`
        const read = async () => (await call(records, { token: used.token })).status
        for (; !isOver; await Bun.sleep(20)) expect(await read()).toBe(200)
        const answer = await importing
        expect(answer.status).toBe(507)
        expect(await answer.json()).toMatchObject({ code: 'insufficient_storage' })
        expect(await (await call(records, { token: used.token })).json()).toEqual({ records: [], nextCursor: null })
        expect((await call(records, { token: used.token, body: { number: 1 } })).status).toBe(201)
        expect(service.log.slice(before).filter(({ level, status }) => level >= 40 && status !== 507)).toEqual([])
      }),
  )
}
if (mayMountDisk()) describe('a full disk', onFullDisk)
else console.warn('Not run: what happens on a full disk. It takes the right to mount a small one.')

const randomText = () =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
    .toString('base64')
    .repeat(5)

test('custom.conf reaches the log of PostgreSQL, and cannot take its socket away', async () => {
  const { dataDir } = await usedDataDir()
  writeFileSync(
    join(dataDir, 'conf/custom.conf'),
    "port = 5544\nunix_socket_directories = '/nonexistent'\nlog_min_duration_statement = 0\n",
  )
  await using service = await startService({ dataDir })
  await untilReadyz(service)
  await until('a statement is in the log', () =>
    service.log.some(({ level, msg }) => level === 30 && msg.startsWith('postgres: LOG:  duration')),
  )
})

test('slow statements are warnings in the log', async () => {
  const { dataDir } = await usedDataDir()
  await using service = await startService({ dataDir, environment: { ROWHOUSE_SLOW_QUERY: '1ms' } })
  const isSlow = ({ level, msg, statement }: { level: number; msg: string; statement?: unknown }) =>
    level === 40 && msg === 'a statement was slow' && typeof statement === 'string'
  await until('one is there', async () => (await call(`${service.url}/readyz`)).ok && service.log.some(isSlow))
})
