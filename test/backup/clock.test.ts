import { expect, test } from 'bun:test'
import { readLastBackups, recordBackup, stoppedProblem } from '../../src/backup/log'
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

test('a backup of a time when the clock was ahead is neither the last failure nor the last success', async () => {
  const { db } = (await startApp()).deps
  const end = (state: 'proven' | 'failed', started: string, finished = started) =>
    db.query(
      `insert into rowhouse.backups (id, state, origin, started_at, finished_at)
        values (gen_random_uuid(), $1::text, 'schedule', now() + $2::interval, now() + $3::interval)`,
      [state, started, finished],
    )
  await end('failed', '4 years')
  // The clock was set while it was made.
  await end('failed', '-3 days', '4 years')
  await end('proven', '-2 days')
  expect(await readLastBackups(db, null)).toMatchObject({ hasFailed: false, failures: 0, failedAt: null })
  await end('proven', '4 years')
  await end('failed', '-1 day')
  const { hasFailed, failures, failedAt } = await readLastBackups(db, null)
  expect([hasFailed, failures, Math.round((Date.now() - failedAt!.getTime()) / 3_600_000)]).toEqual([true, 1, 24])
})

test('a damaged backup is not the last proven one', async () => {
  const { db } = (await startApp()).deps
  const startedAt = [2, 1].map((days) => new Date(Date.now() - days * 86_400_000))
  const ended = { state: 'proven', origin: 'schedule', requestedBy: null, bytes: 1, contents: null, problem: null } as const
  for (const [index, at] of startedAt.entries()) await recordBackup(db.query, { ...ended, place: `/b/${index}`, startedAt: at })
  const file = { bytes: 1, changedAt: new Date() }
  const provenOf = async (newer: object) => {
    const stored = new Map(Object.entries({ 0: file, 1: { ...file, ...newer } }))
    return (await readLastBackups(db, stored)).proven
  }
  expect(await provenOf({})).toEqual(startedAt[1]!)
  expect(await provenOf({ isDamaged: true })).toEqual(startedAt[0]!)
})

test('a backup that a stop of the service interrupted has not failed, and does not hide one that has', async () => {
  const { db } = (await startApp()).deps
  const ended = { origin: 'request', requestedBy: null, place: null, bytes: null, contents: null, startedAt: new Date() } as const
  const stopped = { ...ended, state: 'failed', problem: `${stoppedProblem} Interrupted; nothing was left behind.` } as const
  await recordBackup(db.query, stopped)
  expect((await readLastBackups(db, null)).hasFailed).toBe(false)
  await recordBackup(db.query, { ...ended, state: 'failed', problem: 'The disk is full.' })
  await recordBackup(db.query, stopped)
  expect((await readLastBackups(db, null)).hasFailed).toBe(true)
})
