import { describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { json } from '../support/app'
import { ask, backUp, launch, openFolder } from '../support/backups'
import { call, newFolder, run, startService } from '../support/executable'
import { childrenOf, postmasterPid, until } from '../support/processes'
import { startUsed } from '../support/used-data'
import {
  addNumber,
  archived,
  numbersOf,
  restoreTo,
  segmentsIn,
  startArchiving,
  switchSegment,
  timeBetween,
  type UsedService,
} from '../support/wal-archives'

const messages = ({ log }: UsedService) => log.map(({ msg }) => msg)
const newDataDir = () => join(newFolder(), 'data')

describe('the archive of the log, and what others do to it:', () => {
  test('two services on a copy of one data directory', async () => {
    const archive = openFolder()
    const first = await startArchiving(archive)
    const { dataDir, token } = first
    const file = join(openFolder(), 'base')
    expect(await backUp(dataDir, file)).toMatchObject({ code: 0 })
    await addNumber(first, 1)
    const at = await timeBetween()
    await addNumber(first, 2)
    await archived(first, archive)
    await first.stop()
    const copy = newDataDir()
    expect(Bun.spawnSync(['cp', '-a', dataDir, copy]).exitCode).toBe(0)
    // As after a clone of the whole machine: nothing tells it from the original.
    const state = join(copy, 'wal/archive.json')
    const ino = Number(Bun.spawnSync(['stat', '-c', '%i', join(copy, 'wal/outbox')]).stdout.toString())
    writeFileSync(state, JSON.stringify({ ...JSON.parse(readFileSync(state, 'utf8')), inode: ino }))
    const environment = { ROWHOUSE_WAL_ARCHIVE: archive }
    const both = await Promise.all(
      [dataDir, copy].map(async (folder) => ({ ...(await startService({ dataDir: folder, environment })), token })),
    )
    for (const [index, service] of both.entries()) {
      await addNumber(service, 10 + index)
      await switchSegment(service)
      await Bun.sleep(2500)
    }
    await until('another one begins', () => readdirSync(archive).length > 1)
    await Promise.all(both.map((service) => service.stop()))
    const restored = newDataDir()
    expect(await restoreTo(file, archive, at, restored)).toMatchObject({ code: 0 })
    expect(await numbersOf(restored, token)).toEqual([1])
  })

  test('an archiver that is slow for some seconds still brings the last of it when the service stops', async () => {
    const archive = openFolder()
    const service = await startArchiving(archive)
    await addNumber(service, 1)
    const [archiver = 0] = childrenOf(service.pid, '__archive-wal')
    process.kill(archiver, 'SIGSTOP')
    const stoppedAt = performance.now()
    const stopped = service.stop()
    await until('it is slow', () => performance.now() - stoppedAt > 12_000)
    process.kill(archiver, 'SIGCONT')
    expect(await stopped).toBe(0)
    expect(readdirSync(join(service.dataDir, 'wal/outbox'))).toEqual([])
    expect(segmentsIn(archive)).not.toEqual([])
  })

  test('another passphrase, settings of PostgreSQL, and an attachment that cannot be read', async () => {
    const [archive, secrets] = [openFolder(), openFolder()]
    const passphrases = ['one', 'two'].map((text) => {
      writeFileSync(join(secrets, text), `a secret of ${text}\n`)
      return { ROWHOUSE_WAL_ARCHIVE: archive, ROWHOUSE_PASSPHRASE_FILE: join(secrets, text) }
    })
    const first = await startUsed({ environment: passphrases[0]! })
    const { dataDir, token } = first
    await ask(first, "alter system set archive_command = 'true'")
    await ask(first, 'select pg_reload_conf()')
    await addNumber(first, 1)
    const file = join(openFolder(), 'base')
    expect(await backUp(dataDir, file, [], passphrases[0]!)).toMatchObject({ code: 0 })
    await addNumber(first, 2)
    await archived(first, archive)
    await first.stop()
    await using second = { ...(await startService({ dataDir, environment: passphrases[1]! })), token }
    await until('another archive begins', () => readdirSync(archive).length === 2)
    expect(messages(second)).toContainEqual(expect.stringContaining('The passphrase of backups is not that of the archive'))
    const restored = newDataDir()
    const done = await run(['restore', file, '--to=latest'], { environment: { ROWHOUSE_DATA_DIR: restored, ...passphrases[0]! } })
    expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 })
    expect(await numbersOf(restored, token)).toEqual([1, 2])

    const columns = [{ name: 'papers', type: 'attachment' }]
    await call(`${second.url}/api/v1/tables`, { token, body: { name: 'notes', columns } })
    await call(`${second.url}/api/v1/tables/notes/records`, { token, body: {} })
    const sent = await fetch(`${second.url}/api/v1/tables/notes/records/1/attachments/papers?name=a.txt`, {
      ...{ method: 'POST', body: 'x', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' } },
    })
    const [{ id }] = await json(Promise.resolve(sent))
    const path = join(dataDir, 'files', id.slice(-4, -2), id.slice(-2), id)
    rmSync(path)
    mkdirSync(path)
    writeFileSync(join(path, 'x'), '')
    await until('it is told', () => messages(second).some((text) => text.includes(`The attachment ${path} cannot be archived`)))
    await archived(second, archive)
  })

  test('a place in the data directory, which is refused; a state that is torn; a process that is away', async () => {
    const archive = openFolder()
    const service = await startArchiving(archive)
    const { dataDir, token } = service
    for (const place of ['wal', '.', 'mine/wal']) {
      mkdirSync(join(dataDir, 'mine/wal'), { recursive: true })
      const started = await run([], { environment: { ROWHOUSE_DATA_DIR: dataDir, PORT: '0', ROWHOUSE_WAL_ARCHIVE: join(dataDir, place) } })
      expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining('ROWHOUSE_WAL_ARCHIVE is in the data directory') })
    }
    const segment = await archived(service, archive)
    const state = join(dataDir, 'wal/archive.json')
    await until('it is written down', () => readFileSync(state, 'utf8').includes(segment))
    renameSync(state, `${state}.away`)
    await until('it is told', () => messages(service).some((text) => text.includes('archive.json is missing')))
    writeFileSync(state, '{"id": ')
    await until('it is told', () => messages(service).some((text) => text.includes('archive.json is damaged')))
    expect(await run(['users', 'list'], { environment: { ROWHOUSE_DATA_DIR: dataDir } })).toMatchObject({ code: 0 })
    await service.stop()
    expect(await run(['users', 'list'], { environment: { ROWHOUSE_DATA_DIR: dataDir } })).toMatchObject({ code: 0 })
    await using again = { ...(await startService({ dataDir, environment: { ROWHOUSE_WAL_ARCHIVE: archive } })), token }
    expect(messages(again)).toContainEqual(expect.stringContaining('archive.json was damaged'))
    await archived(again, archive)
    expect(readdirSync(archive)).toHaveLength(2)
  })

  test('an emptied archive begins another one, and a damaged head of an encrypted segment is damage', async () => {
    const [archive, secrets] = [openFolder(), openFolder()]
    writeFileSync(join(secrets, 'one'), 'a secret of one\n')
    const settings = { ROWHOUSE_WAL_ARCHIVE: archive, ROWHOUSE_PASSPHRASE_FILE: join(secrets, 'one') }
    const service = await startUsed({ environment: settings })
    const { dataDir, token } = service
    const file = join(openFolder(), 'base')
    expect(await backUp(dataDir, file, [], settings)).toMatchObject({ code: 0 })
    await addNumber(service, 1)
    const at = await timeBetween()
    await addNumber(service, 2)
    await archived(service, archive)
    await addNumber(service, 3)
    const segment = await archived(service, archive)
    await service.stop()
    const [id = ''] = readdirSync(archive)
    const folder = join(archive, id, 'wal')
    const path = join(folder, segmentsIn(archive).find((name) => name.startsWith(segment))!)
    const bytes = readFileSync(path)
    bytes[60]! ^= 1
    writeFileSync(path, bytes)
    const restore = (to: string, into: string) =>
      run(['restore', file, `--to=${to}`], { environment: { ROWHOUSE_DATA_DIR: into, ...settings } })
    const refused = await restore('latest', newDataDir())
    const [, until3 = ''] = /It is complete until then: --to=(\S+)/.exec(refused.stderr) ?? []
    expect({ code: refused.code, until3 }).toEqual({ code: 3, until3: expect.stringMatching(/^2.*Z$/) })
    for (const to of [at, until3]) {
      const restored = newDataDir()
      const done = await restore(to, restored)
      expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 })
      expect(await numbersOf(restored, token)).toContain(1)
    }
    rmSync(folder, { recursive: true })
    mkdirSync(folder, { mode: 0o777 })
    Bun.spawnSync(['chmod', '777', folder])
    await using again = { ...(await startService({ dataDir, environment: settings })), token }
    await until('another one begins', () => readdirSync(archive).length === 2)
    expect(messages(again)).toContainEqual(expect.stringContaining('has lost its last segments'))
  })

  test('a recovery has as much as the original had, and a restored original is one of its own', async () => {
    const archive = openFolder()
    const service = await startArchiving(archive)
    const { dataDir, token } = service
    await service.stop()
    writeFileSync(join(dataDir, 'conf/custom.conf'), 'max_locks_per_transaction = 512\nmax_worker_processes = 100\n')
    await using larger = { ...(await startService({ dataDir, environment: { ROWHOUSE_WAL_ARCHIVE: archive } })), token }
    expect(postmasterPid(dataDir)).toBeGreaterThan(1)
    const file = join(openFolder(), 'base')
    expect(await backUp(dataDir, file)).toMatchObject({ code: 0 })
    await addNumber(larger, 1)
    await archived(larger, archive)
    const restored = newDataDir()
    const done = await restoreTo(file, archive, 'latest', restored)
    expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 })
    expect(await numbersOf(restored, token)).toEqual([1])
    const cloned = newDataDir()
    cpSync(restored, cloned, { recursive: true })
    // The time between two changes of the calendar that is none.
    expect(await restoreTo(file, archive, '2026-02-30 10:00', newDataDir())).toMatchObject({ code: 2 })
  })
})

test('a restore to a time that is killed leaves nothing that starts, and is begun again', async () => {
  const archive = openFolder()
  const service = await startArchiving(archive)
  const file = join(openFolder(), 'base.tar.zst')
  expect(await backUp(service.dataDir, file)).toMatchObject({ code: 0 })
  await addNumber(service, 1)
  await archived(service, archive)
  await service.stop()
  const dataDir = newDataDir()
  for (const after of [0, 100, 300, 600]) {
    const { kill, ended } = launch(['restore', file, `--wal-archive=${archive}`, '--to=latest'], dataDir)
    await until('it has begun', () => existsSync(join(dataDir, 'restoring')))
    await Bun.sleep(after)
    kill('SIGKILL')
    await ended
    if (existsSync(join(dataDir, 'restoring')))
      expect(await run([], { environment: { ROWHOUSE_DATA_DIR: dataDir, PORT: '0' } })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('was not finished'),
      })
  }
  expect(await restoreTo(file, archive, 'latest', dataDir)).toMatchObject({ code: 0 })
  expect(await numbersOf(dataDir, service.token)).toEqual([1])
})
