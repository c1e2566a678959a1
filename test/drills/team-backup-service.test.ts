import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupOverview } from '../../src/backup/model'
import { json } from '../support/app'
import { openFolder, scratchIn, yearly } from '../support/backups'
import { call, newFolder, run, type Service, startService } from '../support/executable'
import { undoMigrations } from '../support/last-migration'
import { login } from '../support/postgres'
import { until } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { startTeamPostgres } from '../support/team-postgres'
import { setUp } from '../support/used-data'

const overview = (service: Service, token: string): Promise<BackupOverview> => json(call(`${service.url}/api/v1/backups`, { token }))

test('two instances on one database make each backup of the schedule once, and one when it is asked for', async () => {
  await using team = await startTeamPostgres()
  const folder = openFolder()
  const uri = await team.createDatabase('team')
  const cwd = newFolder()
  const environment = { DATABASE_URL: uri, ROWHOUSE_BACKUP_TO: folder, ROWHOUSE_BACKUP_SCHEDULE: yearly }
  await using one = await startService({ cwd, environment })
  const token = await setUp(one)
  await using two = await startService({ dataDir: one.dataDir, environment })
  // It is due on both now, and not again for a year.
  await team.connect('team')`update rowhouse.migrations set applied_at = '2020-06-01'`
  const both = () => Promise.all([one, two].map((service) => overview(service, token)))
  await until('a backup of the schedule has ended', async () =>
    (await both()).every(({ backups, running }) => backups.length > 0 && running === null),
  )
  for (const { backups, nextAt } of await both()) {
    expect(backups).toMatchObject([{ origin: 'schedule', state: 'proven', problem: null }])
    expect(Date.parse(nextAt!)).toBeGreaterThan(Date.now())
  }
  await untilReadyz(one, { checks: { backup: 'ok' } })
  expect((await call(`${one.url}/api/v1/backups`, { token, method: 'POST' })).status).toBe(202)
  await until('it has ended', async () => (await overview(one, token)).backups.length > 1)
  expect((await overview(one, token)).backups[0]).toMatchObject({ isThere: true, tables: 1 })
}, 600_000)

test('an upgrade is rehearsed on a copy, and made behind a proven backup', async () => {
  await using team = await startTeamPostgres()
  const uri = await team.createDatabase('team')
  const environment = { DATABASE_URL: uri }
  const service = await startService({ environment })
  const token = await setUp(service)
  await call(`${service.url}/api/v1/tables/items/records`, { token, body: { number: 1, note: 'kept' } })
  await service.stop()
  const admin = team.connect('team')
  // As the release before `0001_queued_imports` has left it.
  await admin.unsafe(`set role ${login.user}`)
  await admin.unsafe(undoMigrations)
  const { dataDir } = service
  const given = { environment: { ...environment, ROWHOUSE_DATA_DIR: dataDir } }
  const rehearsed = await run(['upgrade', '--rehearse'], given)
  expect([rehearsed.code, rehearsed.stdout]).toEqual([0, expect.stringContaining('All records of all tables are there.')])
  expect(rehearsed.stdout).toContain('makes a proven backup first')
  expect(rehearsed.stdout).toMatch(/0001_queued_imports: \d+ ms, locks rowhouse\.imports: AccessExclusiveLock/)
  expect(scratchIn(dataDir)).toEqual([])
  {
    await using upgraded = await startService({ dataDir, environment })
    expect(upgraded.log.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(/^Backed up and verified: /))
  }
  const [name, ...others] = readdirSync(join(dataDir, 'upgrade-backup'))
  expect(others).toEqual([])
  const restored = join(newFolder(), 'data')
  const file = join(dataDir, 'upgrade-backup', name!)
  const back = await run(['restore', file], { environment: { ROWHOUSE_DATA_DIR: restored } })
  expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('Restored into')])
  await using inside = await startService({ dataDir: restored, environment: { ROWHOUSE_UPGRADE_BACKUP: 'off' } })
  expect((await json(call(`${inside.url}/api/v1/tables/items/records`, { token }))).records).toMatchObject([{ note: 'kept' }])
  // What the role may not read keeps the upgrade from beginning.
  await admin.unsafe('reset role')
  await admin.unsafe(`create table data.closed (a int); revoke all on data.closed from ${login.user};
    delete from rowhouse.migrations where position > 0`)
  const refused = await run(['migrate'], given)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/may not read data\.closed.*The upgrade has not begun/s)])
}, 600_000)
