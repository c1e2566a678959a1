import { expect, test } from 'bun:test'
import { takeUploadLease } from '../../src/attachments/loose-files'
import { startApp } from '../support/app'
import { until } from '../support/processes'

const { db } = (await startApp({}, { users: false })).deps

test('an upload renews its lease once at a time, so that a slow database gets no pile of renewals', async () => {
  const lease = takeUploadLease(db, 20)
  const id = await lease.add()
  const expiry = async () => String((await db.sql`select expires_at::text as at from rowhouse.loose_files`)[0]!.at)
  const waiting = async () =>
    (await db.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`).length
  let locked = ''
  await db.transaction(async ({ query }) => {
    await query('select from rowhouse.loose_files where id = $1::uuid for update', [id])
    locked = await expiry()
    await until('a renewal waits', async () => (await waiting()) > 0)
    let ticks = 0
    const clock = setInterval(() => ticks++, 20)
    await until('many more are due', () => ticks >= 20)
    clearInterval(clock)
    expect(await waiting()).toBe(1)
  })
  await until('it is renewed', async () => (await expiry()) > locked)
  lease.end()
})
