import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditEntry } from '../../src/auth/audit/audit-log'
import { stoppedProblem } from '../../src/backup/log'
import type { BackupOverview } from '../../src/backup/model'
import { ask, backUp, dryRun, listAsScheduled, openFolder, restoreFrom, scratchIn, yearly } from '../support/backups'
import { call, newFolder, run, type Service, startService } from '../support/executable'
import { until } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { startS3 } from '../support/s3'
import { administrator, cookieOf, startUsed } from '../support/used-data'

type Used = Service & { token: string }

const address = '/api/v1/backups'

/** 30 February: only what is asked for is made. */
const never = '0 0 30 2 *'

const makeOld = (service: Used) => ask(service, `update rowhouse.migrations set applied_at = '2020-06-01'`)

const overview = async ({ url, token }: Used): Promise<BackupOverview> =>
  (await call(url + address, { token })).json() as Promise<BackupOverview>

const ended = async (service: Used, count: number) => {
  let found = await overview(service)
  await until(`${count} backups have ended`, async () => {
    found = await overview(service)
    return found.backups.length >= count && found.running === null
  })
  return found
}

/** The backups that the audit log has as downloaded, once for each entry. */
const downloadsOf = async ({ url, token }: Used): Promise<(string | null)[]> => {
  const answer = await call(`${url}/api/v1/audit?kind=backup_downloaded`, { token })
  return ((await answer.json()) as { entries: AuditEntry[] }).entries.map(({ subjectId }) => subjectId)
}

const ask202 = async (service: Used) => {
  const answer = await call(service.url + address, { token: service.token, method: 'POST' })
  expect(answer.status).toBe(202)
}

describe('backups by schedule', () => {
  test('are made when their time has come, are listed, downloaded, and what they replace is removed', async () => {
    const folder = openFolder()
    const old = ['rowhouse-20200101T031500Z.tar.zst', 'rowhouse-20200102T031500Z.tar.zst', 'rowhouse-20200102T041500Z.tar.zst.unproven']
    for (const name of [...old, 'mine.tar.zst']) writeFileSync(join(folder, name), 'x')
    const environment = { ROWHOUSE_BACKUP_TO: folder, ROWHOUSE_BACKUP_SCHEDULE: yearly, ROWHOUSE_BACKUP_KEEP: '2 daily' }
    await using service = await startUsed({ environment })
    expect((await overview(service)).state).toBe('ok')
    await listAsScheduled(
      service,
      old.map((name) => join(folder, name)),
    )
    const { backups, folder: told, state, nextAt } = await ended(service, 4)
    expect([told, state]).toEqual([`${folder}/`, 'ok'])
    expect(Number.isNaN(Date.parse(nextAt!))).toBe(false)
    const [backup] = backups
    expect(backup).toMatchObject({
      state: 'proven',
      origin: 'schedule',
      requestedBy: null,
      isThere: true,
      tables: 1,
      records: 0,
      problem: null,
    })
    const place = backup!.place!
    expect(statSync(place).size).toBe(backup!.bytes!)
    await until('old ones are removed', () => readdirSync(folder).length <= 4)
    const names = readdirSync(folder)
    expect(names).toContain('mine.tar.zst')
    expect(names).not.toContain(old[0]!)
    expect(names).toContain(old[1]!)
    await untilReadyz(service, { status: 'ok', checks: { backup: 'ok' } })

    const file = `${service.url}${address}/${backup!.id}/file`
    const whole = await call(file, { token: service.token })
    const bytes = Buffer.from(await whole.arrayBuffer())
    expect(whole.headers.get('content-disposition')).toStartWith('attachment; filename="rowhouse-')
    expect(bytes.equals(readFileSync(place))).toBe(true)
    const part = await call(file, { token: service.token, headers: { range: 'bytes=10-19' } })
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))]).toEqual([206, true])
    const copy = join(newFolder(), 'downloaded')
    writeFileSync(copy, bytes)
    expect((await dryRun(copy)).code).toBe(0)
    expect(await downloadsOf(service)).toEqual([backup!.id])

    // No byte of the file is sent.
    expect((await call(file, { token: service.token, method: 'HEAD' })).status).toBe(200)
    expect((await call(file, { token: service.token, headers: { 'if-none-match': `"${backup!.id}"` } })).status).toBe(304)
    expect(await downloadsOf(service)).toHaveLength(1)
    const allBytes: Record<string, string>[] = [
      { range: 'BYTES=0-' },
      { range: 'x=1' },
      { range: 'bytes=1-1,3-3' },
      { range: 'bytes=-999999999999' },
      { range: 'bytes=5-', 'if-range': '"other"' },
    ]
    for (const headers of allBytes)
      expect((await (await call(file, { token: service.token, headers })).arrayBuffer()).byteLength).toBe(bytes.length)
    expect(await downloadsOf(service)).toHaveLength(1 + allBytes.length)
    const cookie = cookieOf(await call(`${service.url}/auth/login`, { body: administrator }))
    for (const first of [1, 2]) {
      const rest = await call(file, { cookie, headers: { range: `bytes=${first}-` } })
      expect((await rest.arrayBuffer()).byteLength).toBe(bytes.length - first)
    }
    expect(await downloadsOf(service)).toHaveLength(2 + allBytes.length)
  }, 600_000)

  test('are made on request, one at a time, and only by administrators', async () => {
    const folder = openFolder()
    await using service = await startUsed({ environment: { ROWHOUSE_BACKUP_TO: folder, ROWHOUSE_BACKUP_SCHEDULE: never } })
    const { url, token } = service
    const person = { email: 'vera@example.org', name: 'Vera', role: 'editor', password: 'another good horse' }
    expect((await call(`${url}/api/v1/users`, { token, body: person })).status).toBe(201)
    const cookie = cookieOf(await call(`${url}/auth/login`, { body: { email: person.email, password: person.password } }))
    for (const [path, method] of [
      [address, 'GET'],
      [address, 'POST'],
      [`${address}/00000000-0000-7000-8000-000000000000/file`, 'GET'],
    ] as const) {
      expect((await call(url + path, { method, cookie })).status).toBe(403)
      expect((await call(url + path, { method })).status).toBe(401)
    }
    await ask202(service)
    const second = await call(url + address, { token, method: 'POST' })
    expect([second.status, await second.text()]).toEqual([409, expect.stringContaining('A backup is under way.')])
    const { running } = await overview(service)
    expect(running?.origin).toBe('request')
    const { backups } = await ended(service, 1)
    expect(backups).toMatchObject([{ state: 'proven', origin: 'request' }])
    expect(backups[0]!.requestedBy).not.toBeNull()
    const restored = join(newFolder(), 'data')
    expect((await restoreFrom(backups[0]!.place!, restored)).code).toBe(0)
    expect((await call(`${url}${address}/00000000-0000-7000-8000-000000000000/file`, { token })).status).toBe(404)
  }, 600_000)

  test('that the command line has made are in the list, and one whose file is gone says so', async () => {
    const folder = openFolder()
    await using service = await startUsed()
    const file = join(folder, 'mine')
    expect((await backUp(service.dataDir, file)).code).toBe(0)
    expect((await overview(service)).backups).toMatchObject([{ origin: 'command', state: 'proven', place: file, isThere: true }])
    // Its row could name any file of this machine.
    const elsewhere = await call(`${service.url}${address}/${(await overview(service)).backups[0]!.id}/file`, { token: service.token })
    expect([elsewhere.status, await elsewhere.text()]).toEqual([404, expect.stringContaining('Only backups in the location of')])
    writeFileSync(file, 'another')
    const { backups, folder: none } = await overview(service)
    expect([none, backups[0]!.isThere]).toEqual([null, false])
    expect((await call(`${service.url}${address}/${backups[0]!.id}/file`, { token: service.token })).status).toBe(404)
    const refused = await call(service.url + address, { token: service.token, method: 'POST' })
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('ROWHOUSE_BACKUP_TO')])
  }, 600_000)

  test('end with the service and leave nothing; a killed one is told as failed', async () => {
    const folder = openFolder()
    const environment = { ROWHOUSE_BACKUP_TO: folder, ROWHOUSE_BACKUP_SCHEDULE: never }
    const service = await startUsed({ environment })
    const { dataDir, token } = service
    const parts = () => readdirSync(folder).filter((name) => name.endsWith('.part'))
    await ask202(service)
    await until('it is being written', () => parts().length === 1)
    const [child] = await processesOf(dataDir)
    process.kill(child!, 'SIGKILL')
    const { backups } = await ended(service, 1)
    expect(backups).toMatchObject([{ state: 'failed', origin: 'request', place: null, problem: expect.stringContaining('SIGKILL') }])
    await ask202(service)
    await until('the next one is being written', async () => typeof (await overview(service)).running?.step === 'string')
    expect(parts()).toHaveLength(1)
    await service.stop()
    // What it could not remove in its six seconds the next start and the next backup remove.
    expect(readdirSync(folder)).toEqual(parts())
    expect(await processesOf(dataDir)).toEqual([])
    await using again = { ...(await startService({ dataDir, environment })), token }
    expect(scratchIn(dataDir)).toEqual([])
    const rows = await ask<{ state: string; problem: string }>(again, 'select state, problem from rowhouse.backups order by finished_at')
    expect(rows).toEqual([
      { state: 'failed', problem: expect.stringContaining('SIGKILL') },
      { state: 'failed', problem: expect.stringContaining(stoppedProblem) },
    ])
    await ask202(again)
    await ended(again, 3)
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/\.tar\.zst$/)])
  }, 600_000)

  test('of the schedule that a stop interrupts did not fail: the next start makes up for them', async () => {
    const environment = { ROWHOUSE_BACKUP_TO: openFolder(), ROWHOUSE_BACKUP_SCHEDULE: yearly }
    const service = await startUsed({ environment })
    await makeOld(service)
    await until('it is being made', async () => typeof (await overview(service)).running?.step === 'string')
    await service.stop()
    await using again = { ...(await startService({ dataDir: service.dataDir, environment })), token: service.token }
    const { backups, state } = await ended(again, 1)
    expect([state, backups]).toMatchObject(['ok', [{ state: 'proven', origin: 'schedule' }]])
  }, 600_000)

  test('are encrypted with the passphrase, which only root may be able to read', async () => {
    const folder = openFolder()
    const secret = join(newFolder(), 'passphrase')
    writeFileSync(secret, 'correct horse battery staple\n', { mode: 0o600 })
    const environment = { ROWHOUSE_BACKUP_TO: folder, ROWHOUSE_BACKUP_SCHEDULE: never, ROWHOUSE_PASSPHRASE_FILE: secret }
    await using service = await startUsed({ environment })
    await ask202(service)
    const { backups } = await ended(service, 1)
    expect(backups[0]!.place).toEndWith('.tar.zst.age')
    expect((await dryRun(backups[0]!.place!, [`--passphrase-file=${secret}`])).code).toBe(0)
  }, 600_000)

  test('that are due twice are late, and a folder that cannot be used is told at the start', async () => {
    const environment = { ROWHOUSE_BACKUP_TO: join(newFolder(), 'missing'), ROWHOUSE_BACKUP_SCHEDULE: yearly }
    await using service = await startUsed({ environment })
    await makeOld(service)
    expect(service.log.map(({ msg }) => msg).join()).toContain('missing/, so no backup will be made')
    await untilReadyz(service, { status: 'degraded', checks: { backup: 'late' } })
  }, 600_000)

  test('go to a bucket, come back from there, and leave nothing when it is away', async () => {
    await using s3 = await startS3()
    const { S3_BUCKET: bucket, S3_PREFIX: _, ...keys } = s3.environment
    const place = `s3://${bucket}/nightly`
    const client = new Bun.S3Client({ bucket, endpoint: keys.S3_ENDPOINT!, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' })
    const [older, newer] = ['rowhouse-20200101T031500Z.tar.zst', 'rowhouse-20200102T031500Z.tar.zst']
    for (const name of [older, newer, 'mine.tar.zst']) await client.write(`nightly/${name}`, 'x')
    const environment = { ...keys, ROWHOUSE_BACKUP_TO: place, ROWHOUSE_BACKUP_SCHEDULE: never, ROWHOUSE_BACKUP_KEEP: '1 daily' }
    await using service = await startUsed({ environment })
    await listAsScheduled(service, [`${place}/${older}`, `${place}/${newer}`])
    await ask202(service)
    const { backups, folder } = await ended(service, 3)
    expect([folder, backups[0]!.state]).toEqual([`${place}/`, 'proven'])
    // A bucket that is slow to answer leaves it open.
    await until('it is there', async () => (await overview(service)).backups[0]!.isThere === true)
    const address = backups[0]!.place!
    expect(address).toMatch(/^s3:\/\/files\/nightly\/rowhouse-\d{8}T\d{6}Z\.tar\.zst$/)
    await until('old ones are removed', async () => (await s3.keys()).length === 3)
    expect((await s3.keys()).map((key) => `s3://files/${key}`)).toEqual(['s3://files/nightly/mine.tar.zst', `${place}/${newer}`, address])
    expect(scratchIn(service.dataDir)).toEqual([])

    const file = `${service.url}/api/v1/backups/${backups[0]!.id}/file`
    const whole = Buffer.from(await (await call(file, { token: service.token })).arrayBuffer())
    const part = await call(file, { token: service.token, headers: { range: 'bytes=100-199' } })
    expect([whole.length, part.status]).toEqual([backups[0]!.bytes!, 206])
    expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(100, 200))).toBe(true)

    const restored = join(newFolder(), 'data')
    const from = (more: string[], dataDir = restored) => run(['restore', ...more], { environment: { ...keys, ROWHOUSE_DATA_DIR: dataDir } })
    expect((await from(['--dry-run', address])).stdout).toContain('It is intact')
    expect((await from([address])).code).toBe(0)
    await using again = await startService({ dataDir: restored })
    expect((await call(`${again.url}/api/v1/tables`, { token: service.token })).status).toBe(200)

    const missing = await from(['--dry-run', `${place}/nothing`])
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no backup at')])
    const taken = await run(['backup', address], { environment: { ...keys, ROWHOUSE_DATA_DIR: service.dataDir } })
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('already exists')])
    await client.write('nightly/cut', whole.subarray(0, whole.length - 5))
    expect((await from(['--dry-run', `${place}/cut`])).code).toBe(3)

    await s3.stop()
    const away = await run(['backup', `${place}/`], { environment: { ...keys, ROWHOUSE_DATA_DIR: service.dataDir } })
    expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/S3 .* failed/)])
    expect(scratchIn(service.dataDir)).toEqual([])
    expect((await call(`${service.url}/api/v1/backups`, { token: service.token })).status).toBe(200)
    await s3.start()
  }, 600_000)

  test.each([
    [{ ROWHOUSE_BACKUP_SCHEDULE: 'daily' }, 'ROWHOUSE_BACKUP_SCHEDULE must be five fields as in crontab'],
    [{ ROWHOUSE_BACKUP_KEEP: '7' }, 'ROWHOUSE_BACKUP_KEEP must be numbers'],
    [{ ROWHOUSE_BACKUP_TO: 'ftp://b/c' }, 'ROWHOUSE_BACKUP_TO must be a folder, or s3://bucket/folder/'],
    [{ ROWHOUSE_BACKUP_TO: 's3://some-bucket' }, 'needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY'],
    [{ ROWHOUSE_BACKUP_TO: '/b', ROWHOUSE_PASSPHRASE_FILE: '/nowhere' }, 'names a file that cannot be read'],
  ])('refuse to start with %p', async (environment, sentence) => {
    const { code, stderr } = await run(['serve'], { environment: { ROWHOUSE_DATA_DIR: join(newFolder(), 'data'), ...environment } })
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
  })
})

/** The processes that make a backup of this data directory, by their number. */
async function processesOf(dataDir: string): Promise<number[]> {
  const found: number[] = []
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      if (!args.includes('__backup')) continue
      const { ppid } = /^PPid:\s+(?<ppid>\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!.groups!
      if (readFileSync(`/proc/${ppid}/environ`, 'utf8').includes(`ROWHOUSE_DATA_DIR=${dataDir}`)) found.push(Number(pid))
    } catch {
      // It has ended meanwhile.
    }
  }
  return found
}
