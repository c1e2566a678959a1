import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { connectDirectly } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'
import { json } from '../support/app'
import { isDrilling } from '../support/drill'
import { call, copyFolder, newFolder, run, type Service, startService } from '../support/executable'
import { newestMigration, undoMigrations } from '../support/last-migration'
import { freePort } from '../support/ports'
import { until } from '../support/processes'
import { setUp } from '../support/used-data'

const sqlOf = ({ dataDir }: Service) =>
  connectDirectly({ socketPath: join(dataDir, 'run/.s.PGSQL.5432'), user: 'rowhouse', database: 'rowhouse' }, readConfig({}))
const scratchIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('scratch'))

let made: ReturnType<typeof makeOlder> | null = null

/** A data directory as the release before `0001_queued_imports` has left it, with a record in it: a copy for each test. */
async function olderInstallation(): Promise<{ dataDir: string; token: string }> {
  made ??= makeOlder()
  const dataDir = join(newFolder(), 'data')
  copyFolder((await made).dataDir, dataDir)
  return { dataDir, token: (await made).token }
}

async function makeOlder(more = ''): Promise<{ dataDir: string; token: string }> {
  const service = await startService({ cwd: newFolder() })
  const token = await setUp(service)
  await call(`${service.url}/api/v1/tables`, { token, body: { name: 'books', columns: [{ name: 'title', type: 'text' }] } })
  await call(`${service.url}/api/v1/tables/books/records`, { token, body: { title: 'Emma' } })
  const sql = sqlOf(service)
  await sql.unsafe(`${undoMigrations} ${more}`)
  await sql.end()
  await service.stop()
  return { dataDir: service.dataDir, token }
}

const inPlace = (dataDir: string) => ({ ROWHOUSE_DATA_DIR: dataDir })
const titles = async ({ url }: Service, token: string) =>
  (await json(call(`${url}/api/v1/tables/books/records`, { token }))).records.map(({ title }: { title: string }) => title)
const notes = ({ log }: Service) => log.map(({ msg }) => msg)

test('an upgrade is said beforehand, rehearsed on a copy, and made behind a proven backup that brings the old data back', async () => {
  const { dataDir, token } = await olderInstallation()
  const plan = await run(['upgrade'], { environment: inPlace(dataDir) })
  expect({ code: plan.code, stdout: plan.stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `from 0000_initial to ${newestMigration}:\\n +0001_queued_imports +changes what is there\\n +0002_display_column +only adds`,
      ),
    ),
  })
  expect(plan.stdout).toContain(
    'makes a proven backup first, with the attachments (ROWHOUSE_UPGRADE_BACKUP=auto), in the folder upgrade-backup',
  )

  const rehearsed = await run(['upgrade', '--rehearse'], { environment: inPlace(dataDir) })
  expect({ code: rehearsed.code, stderr: rehearsed.stderr }).toMatchObject({ code: 0 })
  expect(rehearsed.stdout).toMatch(/0001_queued_imports: \d+ ms, locks rowhouse\.imports: AccessExclusiveLock/)
  expect(rehearsed.stdout).toContain('All records of all tables are there.')
  expect(scratchIn(dataDir)).toEqual([])
  expect((await run(['upgrade'], { environment: inPlace(dataDir) })).stdout).toBe(plan.stdout)

  const service = await startService({ dataDir })
  expect(notes(service)).toContainEqual(expect.stringMatching(/^Upgrading the database from 0000_initial: 0001_queued_imports, /))
  expect(notes(service)).toContainEqual(expect.stringMatching(/^Backed up and verified: /))
  expect(await titles(service, token)).toEqual(['Emma'])
  await call(`${service.url}/api/v1/tables/books/records`, { token, body: { title: 'Persuasion' } })
  await service.stop()
  expect((await run(['upgrade', '--rehearse'], { environment: inPlace(dataDir) })).stdout).toContain('The database is up to date')

  // The backup is of the release before, and is upgraded when it is started.
  const [backup, ...others] = readdirSync(join(dataDir, 'upgrade-backup'))
  expect(others).toEqual([])
  const restored = join(newFolder(), 'data')
  const restoring = await run(['restore', join(dataDir, 'upgrade-backup', backup!)], { environment: inPlace(restored) })
  expect({ code: restoring.code, stderr: restoring.stderr }).toMatchObject({ code: 0 })
  expect((await run(['upgrade'], { environment: inPlace(restored) })).stdout).toBe(plan.stdout)
  await using old = await startService({ dataDir: restored, environment: { ROWHOUSE_UPGRADE_BACKUP: 'off' } })
  expect(await titles(old, token)).toEqual(['Emma'])
  expect(existsSync(join(restored, 'upgrade-backup'))).toBe(false)
})

test('other commands do not upgrade: they refuse the older database, and work when it is upgraded', async () => {
  const { dataDir } = await olderInstallation()
  const environment = inPlace(dataDir)
  const plan = await run(['upgrade'], { environment })
  for (const args of [
    ['users', 'list'],
    ['files', 'check'],
  ])
    expect(await run(args, { environment })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^rowhouse: The database is of an older version \(0000_initial\)\. .*rowhouse migrate.*\n$/),
    })
  expect((await run(['upgrade'], { environment })).stdout).toBe(plan.stdout)
  expect(existsSync(join(dataDir, 'upgrade-backup'))).toBe(false)
  expect(await run(['migrate'], { environment })).toMatchObject({ code: 0, stdout: expect.stringContaining('Backed up and verified: ') })
  expect(await run(['users', 'list'], { environment })).toMatchObject({ code: 0, stdout: expect.stringContaining('ada@example.org') })
})

test('without a backup nothing is upgraded: the start says why, and the data are as they were', async () => {
  const { dataDir, token } = await olderInstallation()
  const environment = { ...inPlace(dataDir), PORT: '0', ROWHOUSE_BACKUP_TO: join(newFolder(), 'not-there') }
  const started = await run([], { environment })
  expect({ code: started.code, stderr: started.stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/The upgrade has not begun, and the previous release can be started/),
  })
  const plan = await run(['upgrade'], { environment: inPlace(dataDir) })
  expect(plan.stdout).toContain(`from 0000_initial to ${newestMigration}`)
  await using service = await startService({ dataDir })
  expect(await titles(service, token)).toEqual(['Emma'])
})

test('a migration that fails is found by the rehearsal, and leaves the database as it was', async () => {
  // The last of them cannot make its table, since there is another one of that name.
  const { dataDir } = await makeOlder('create table rowhouse.moved_files (something int)')
  const plan = await run(['upgrade'], { environment: inPlace(dataDir) })
  const rehearsed = await run(['upgrade', '--rehearse'], { environment: inPlace(dataDir) })
  expect({ code: rehearsed.code, stderr: rehearsed.stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('The upgrade would fail: relation "moved_files" already exists'),
  })
  const started = await run([], { environment: { ...inPlace(dataDir), PORT: '0', ROWHOUSE_UPGRADE_BACKUP: 'off' } })
  expect(started.code).toBe(1)
  expect(started.stderr).toMatch(
    /The upgrade of the database failed in \d{4}_\w+: relation "moved_files" already exists\. .*the previous release can be started/,
  )
  const after = await run(['upgrade'], { environment: inPlace(dataDir) })
  expect(after.stdout).toBe(plan.stdout)
  expect(scratchIn(dataDir)).toEqual([])
})

test.each(isDrilling ? (['SIGTERM', 'SIGKILL'] as const) : (['SIGKILL'] as const))(
  '%s while the backup is made leaves nothing that looks whole, and the next start upgrades',
  async (signal) => {
    const { dataDir, token } = await olderInstallation()
    const starting = await startService({ dataDir, url: `http://127.0.0.1:${freePort()}` })
    await until('the backup is under way', async () => notes(starting).some((note) => note.startsWith('Making a backup first')))
    starting.kill(signal)
    expect(await starting.exited).toBe(signal === 'SIGTERM' ? 0 : 'SIGKILL')
    expect(readdirSync(join(dataDir, 'upgrade-backup')).filter((name) => name.endsWith('.zst'))).toEqual([])
    if (signal === 'SIGTERM') expect(scratchIn(dataDir)).toEqual([])
    await using service = await startService({ dataDir })
    expect(await titles(service, token)).toEqual(['Emma'])
    expect(readdirSync(join(dataDir, 'upgrade-backup'))).toHaveLength(1)
    expect(scratchIn(dataDir)).toEqual([])
  },
)
