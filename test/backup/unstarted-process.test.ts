import { expect, spyOn, test } from 'bun:test'
import { readLastBackups } from '../../src/backup/log'
import type { BackupOverview } from '../../src/backup/model'
import { plainConfig } from '../../src/backup/plain-config'
import { createBackups } from '../../src/backup/schedule/backups'
import { startVerificationProcess } from '../../src/backup/schedule/process'
import { json, startApp } from '../support/app'
import { newFolder } from '../support/executable'
import { until } from '../support/processes'

const app = await startApp({ ROWHOUSE_BACKUP_TO: newFolder(), ROWHOUSE_BACKUP_SCHEDULE: '* * * * * UTC' })
const { config, db, events, walArchiver } = app.deps
const sentence = 'Its process could not be started (EAGAIN: resource temporarily unavailable, posix_spawn).'

/** As on a machine that has as many processes as it may have. */
function refuseProcesses(): Disposable {
  const spawning = spyOn(Bun, 'spawn').mockImplementation(() => {
    throw new Error('EAGAIN: resource temporarily unavailable, posix_spawn')
  })
  return { [Symbol.dispose]: () => spawning.mockRestore() }
}

test('a backup of the schedule whose process cannot be started has failed, and is tried again after 15 minutes', async () => {
  await db.query(`update rowhouse.migrations set applied_at = now() - interval '1 hour'`)
  using _ = refuseProcesses()
  const backups = createBackups({ config, db, events, walArchiver, isServing: () => true })
  backups.start(undefined)
  await until('it is recorded', async () => (await readLastBackups(db, null)).failures === 1)
  const { failedAt, hasFailed } = await readLastBackups(db, null)
  const nextAt = await backups.nextAt()
  await backups.stop()
  expect([hasFailed, Math.round((nextAt!.getTime() - failedAt!.getTime()) / 60_000)]).toEqual([true, 15])
  expect(app.events).toContainEqual({ kind: 'alert', alert: 'backup_failed', message: `The backup failed. ${sentence}` })
  const { backups: listed } = (await (await app.call('/api/v1/backups', { as: 'admin' })).json()) as BackupOverview
  expect(listed).toMatchObject([{ state: 'failed', origin: 'schedule', problem: sentence }])
})

test('a backup whose process cannot connect to the database is in the list, and /readyz has it', async () => {
  // The service itself goes on with the connections that it has.
  const { call } = await startApp({ ROWHOUSE_BACKUP_TO: newFolder(), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere' })
  expect((await call('/api/v1/backups', { as: 'admin', method: 'POST' })).status).toBe(202)
  const readList = async () => ((await json(call('/api/v1/backups', { as: 'admin' }))) as BackupOverview).backups
  await until('it is in the list', async () => (await readList()).length > 0)
  expect(await readList()).toMatchObject([{ state: 'failed', origin: 'request', problem: expect.any(String) }])
  expect((await json(call('/readyz'))).checks.backup).toBe('failed')
})

test('a verification whose process cannot be started says why', async () => {
  using _ = refuseProcesses()
  const verification = { place: '/backups/', name: 'one.tar.zst', bytes: 1 }
  const { ended } = startVerificationProcess({ verification, passphrase: undefined, config: plainConfig(config) })
  expect(await ended).toEqual({ failed: sentence })
})
