import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupOverview } from '../../src/backup/model'
import { backUp, openFolder, yearly } from '../support/backups'
import { isDrilling } from '../support/drill'
import { call, newFolder, run, startService } from '../support/executable'
import { until } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { isRoot } from '../support/scratch'
import { mayMountDisk, withSmallDisk } from '../support/small-disk'
import { startUsed, usedDataDir } from '../support/used-data'
import {
  addNumber,
  archived,
  numbersOf,
  restoreTo,
  segmentsIn,
  startArchiving,
  switchSegment,
  type UsedService,
} from '../support/wal-archives'
import { startWriteLoad } from '../support/write-load'

const well = { status: 'ok', checks: { walArchive: 'ok' } }
const overview = async ({ url, token }: UsedService): Promise<BackupOverview> =>
  (await call(`${url}/api/v1/backups`, { token })).json() as Promise<BackupOverview>
const messages = ({ log }: UsedService) => log.map(({ msg }) => msg)
const outbox = (dataDir: string) => readdirSync(join(dataDir, 'wal/outbox')).filter((name) => /^[0-9A-F]{24}$/.test(name))
const inPlace = (dataDir: string) => ({ environment: { ROWHOUSE_DATA_DIR: dataDir } })

/** The first one that an archive has behind it is missing from none of the next. */
const expectUnbroken = (segments: readonly string[]) => {
  const numbers = segments.map((name) => Number.parseInt(name.slice(16, 24), 16))
  expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index))
}

const ends = isDrilling ? (['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) : (['SIGKILL'] as const)

describe('the archive of the log', () => {
  test('goes on over restarts, kills and commands beside the service, without a gap', async () => {
    const archive = openFolder()
    let service = await startArchiving(archive)
    const { dataDir, token } = service
    const file = join(openFolder(), 'base.tar.zst')
    expect(await backUp(dataDir, file)).toMatchObject({ code: 0 })
    const environment = { ROWHOUSE_WAL_ARCHIVE: archive }
    const written: number[] = []
    for (const [round, end] of ends.entries()) {
      const load = startWriteLoad(service.url, token, 4, 1000 * (round + 1))
      await until('some are written', () => load.acknowledged.length > 100)
      await switchSegment(service)
      service.kill(end)
      await service.exited
      await load.stop()
      written.push(...load.acknowledged)
      // Its log waits in the outbox: the command brings nothing, and breaks nothing.
      expect(await run(['users', 'list'], inPlace(dataDir))).toMatchObject({ code: 0 })
      service = { ...(await startService({ dataDir, environment })), token }
    }
    await archived(service, archive)
    expect(readdirSync(archive)).toHaveLength(1)
    expectUnbroken(segmentsIn(archive))
    await untilReadyz(service, well)
    await service.stop()
    const restored = join(newFolder(), 'data')
    expect(await restoreTo(file, archive, 'latest', restored)).toMatchObject({ code: 0 })
    const found = new Set(await numbersOf(restored, token))
    expect(written.filter((number) => !found.has(number))).toEqual([])
  })

  test('waits while its folder is away, says so, and brings what has waited', async () => {
    const archive = openFolder()
    await using service = await startArchiving(archive)
    await addNumber(service, 1)
    await archived(service, archive)
    const away = `${archive}-away`
    renameSync(archive, away)
    mkdirSync(archive)
    chmodSync(archive, 0o777)
    await until('it is told', () => messages(service).some((text) => /The log is not archived\. .*Is its disk mounted\?/.test(text)))
    await untilReadyz(service, { status: 'degraded', checks: { walArchive: 'late' } })
    expect((await overview(service)).walArchive).toMatchObject({ state: 'late', problem: expect.stringContaining('Is its disk mounted?') })
    await addNumber(service, 2)
    await switchSegment(service)
    await until('it waits', () => outbox(service.dataDir).length > 0)
    expect((await overview(service)).walArchive?.waiting).toBeGreaterThanOrEqual(0)
    rmSync(archive, { recursive: true })
    renameSync(away, archive)
    await archived(service, archive)
    await until('it is told', () => messages(service).includes('The log is archived again.'))
    expectUnbroken(segmentsIn(archive))
    await untilReadyz(service, well)
    await until('nothing waits', () => outbox(service.dataDir).length === 0)
  })

  test('begins anew behind a gap, where another one writes to it, and in another place', async () => {
    const archive = openFolder()
    const first = await startArchiving(archive)
    const { dataDir, token } = first
    await archived(first, archive)
    await first.stop()
    // A start without the setting archives nothing, and so leaves a gap.
    const off = await startService({ dataDir })
    expect(existsSync(join(dataDir, 'wal/outbox'))).toBe(false)
    await off.stop()
    const environment = { ROWHOUSE_WAL_ARCHIVE: archive }
    const second = { ...(await startService({ dataDir, environment })), token }
    await archived(second, archive)
    expect(readdirSync(archive)).toHaveLength(2)
    // As somebody who tidies up, or a release that knows nothing of it.
    second.kill('SIGSTOP')
    const segment = await switchSegment(second)
    await until('it waits', () => outbox(dataDir).includes(segment) || segmentsIn(archive).some((name) => name.startsWith(segment)))
    second.kill('SIGCONT')
    await second.stop()
    const state = join(dataDir, 'wal/archive.json')
    const before = JSON.parse(readFileSync(state, 'utf8')).id
    const gone = segmentsIn(archive).at(-1)!
    rmSync(join(archive, before, 'wal', gone))
    const third = { ...(await startService({ dataDir, environment })), token }
    await switchSegment(third)
    await until('a third one begins', () => readdirSync(archive).length === 3)
    await until('it is told', () => messages(third).some((text) => /has lost its last segments: .*needs a new backup/.test(text)))
    await third.stop()
    const other = openFolder()
    const fourth = { ...(await startService({ dataDir, environment: { ROWHOUSE_WAL_ARCHIVE: other } })), token }
    await archived(fourth, other)
    await fourth.stop()
    expect(readdirSync(archive)).toHaveLength(3)
    expect(readdirSync(other)).toHaveLength(1)
  })

  test('makes the backup that it needs at once, and is removed with the backups that it follows', async () => {
    const [archive, backups] = [openFolder(), openFolder()]
    const settings = { ROWHOUSE_BACKUP_TO: backups, ROWHOUSE_BACKUP_SCHEDULE: yearly }
    await using service = await startArchiving(archive, settings)
    await until('a backup is made', async () => (await overview(service)).backups.length === 1)
    const { backups: made, walArchive } = await overview(service)
    expect(made).toMatchObject([{ state: 'proven', origin: 'schedule' }])
    expect(walArchive).toMatchObject({ place: archive, state: 'ok', problem: null })
  })

  test('is not for a database of the team’s, and wants its folder and its key', async () => {
    const { dataDir } = await usedDataDir()
    const start = (environment: Record<string, string>) =>
      run([], { environment: { ROWHOUSE_DATA_DIR: dataDir, PORT: '0', ...environment } })
    expect(await start({ ROWHOUSE_WAL_ARCHIVE: '/tmp', DATABASE_URL: 'postgres://u@127.0.0.1:1/x' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ROWHOUSE_WAL_ARCHIVE is for the embedded database'),
    })
    expect(await start({ ROWHOUSE_WAL_ARCHIVE: 's3://files/wal' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('S3_ACCESS_KEY_ID'),
    })
    await using service = { ...(await startUsed({ environment: { ROWHOUSE_WAL_ARCHIVE: join(newFolder(), 'not-there') } })) }
    await until('it is told', () => messages(service).some((text) => text.includes('There is no folder')))
  })

  test.if(isRoot && mayMountDisk())('gives up what waits before the disk is full, and the service goes on', async () => {
    await withSmallDisk('700m', async (disk) => {
      const archive = openFolder()
      const { dataDir: used, token } = await usedDataDir()
      const dataDir = join(disk, 'data')
      renameOrCopy(used, dataDir)
      const environment = { ROWHOUSE_WAL_ARCHIVE: archive, ROWHOUSE_MIN_FREE_BYTES: String(400 * 2 ** 20) }
      await using service = { ...(await startService({ dataDir, environment })), token }
      await addNumber(service, 1)
      await archived(service, archive)
      renameSync(archive, `${archive}-away`)
      for (let number = 2; !messages(service).some((text) => text.includes('were discarded')); number++) {
        await addNumber(service, number)
        await switchSegment(service)
        expect(number).toBeLessThan(200)
        // The disk is looked at every second.
        await Bun.sleep(300)
      }
      renameSync(`${archive}-away`, archive)
      await switchSegment(service)
      await until('a new one begins', () => readdirSync(archive).length === 2)
      await archived(service, archive)
    })
  })
})

const renameOrCopy = (from: string, to: string) => expect(Bun.spawnSync(['cp', '-a', from, to]).exitCode).toBe(0)
