import { expect, test } from 'bun:test'
import { readLastBackups, recordBackup } from '../../src/backup/log'
import { startApp } from '../support/app'

const app = await startApp()

test('a backup of a time when the clock was ahead does not keep the next one waiting', async () => {
  const { db } = app.deps
  const ended = { state: 'proven', origin: 'schedule', requestedBy: null, place: '/b/a', bytes: 1, contents: null, problem: null } as const
  const before = await readLastBackups(db, null)
  await recordBackup(db.query, { ...ended, startedAt: new Date(Date.now() + 4 * 365 * 86_400_000) })
  expect(await readLastBackups(db, null)).toEqual(before)
  const startedAt = new Date(Date.now() - 86_400_000)
  await recordBackup(db.query, { ...ended, startedAt })
  expect(await readLastBackups(db, null)).toMatchObject({ proven: startedAt, scheduled: startedAt })
  await db.query(`update rowhouse.migrations set applied_at = now() + interval '4 years'`)
  expect((await readLastBackups(db, null)).installed.getTime()).toBeLessThanOrEqual(Date.now() + 60_000)
})
