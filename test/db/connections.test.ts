import { expect, test } from 'bun:test'
import { databaseFailure } from '../../src/db/errors'
import { type Db, openDb } from '../../src/db/pool/open'
import { startApp, type TestApp } from '../support/app'
import { inThisDatabase } from '../support/locks'
import { until } from '../support/processes'
import { startProxy } from '../support/proxy'

/** As many connections as the pool size says. */
const exact = { reserved: 0 }

/** Holds a lock that `waitForLock` waits for, until it is let go. */
async function holdLock(db: Db, key: number): Promise<() => Promise<void>> {
  const { promise: held, resolve: isHeld } = Promise.withResolvers<void>()
  const { promise: wanted, resolve: release } = Promise.withResolvers<void>()
  const done = db.transaction(async ({ query }) => {
    await query('select pg_advisory_xact_lock($1::bigint)', [String(key)])
    isHeld()
    await wanted
  })
  await held
  return async () => {
    release()
    await done
  }
}

const waitForLock = (db: Db, key: number) => db.query('select pg_advisory_xact_lock_shared($1::bigint)', [String(key)])

const isWaiting = async ({ deps }: TestApp) => {
  const [row] = await deps.db.query<{ count: string }>(
    `select count(*)::text as count from pg_locks where locktype = 'advisory' and not granted and ${inThisDatabase}`,
  )
  return Number(row!.count) > 0
}

test('no query waits behind one that waits for a lock while another connection is free', async () => {
  const app = await startApp({}, { users: false })
  const db = openDb(app.target, { ...app.deps.config, databasePoolSize: 2 }, exact)
  // Prepared on both connections, as after some use.
  await Promise.all([waitForLock(db, 1), waitForLock(db, 1)])
  const release = await holdLock(app.deps.db, 1)
  let isWaitingStill = true
  const waiting = waitForLock(db, 1).finally(() => {
    isWaitingStill = false
  })
  await Promise.all(Array.from({ length: 50 }, (_, number) => db.query('select $1::int', [String(number)])))
  expect(isWaitingStill).toBe(true)
  await release()
  await waiting
  await db.close()
})

test.each([
  ['with named prepared statements', true],
  ['without them, as behind PgBouncer', false],
])('a cancel request that comes late does not hit the next query of the connection: %s', async (_how, databasePrepare) => {
  const app = await startApp({}, { users: false })
  await using proxy = await startProxy(app.target)
  const db = openDb(proxy.target, { ...app.deps.config, databasePoolSize: 1, databasePrepare }, exact)
  const release = await holdLock(app.deps.db, 2)
  const pass = proxy.holdCancels()
  const first = db.sql.unsafe('select pg_advisory_xact_lock_shared(2)').execute()
  await until('the query waits', () => isWaiting(app))
  first.cancel()
  await until('the request to cancel is on its way', () => proxy.cancels() === 1)
  await release()
  await first
  const next = db.query<{ word: string }>(`select 'next'::text as word, pg_sleep(0.2)::text`)
  for (let turn = 0; turn < 20; turn++) await app.deps.db.query('select 1')
  expect(proxy.sent()).not.toContain("'next'")
  pass()
  expect((await next)[0]!.word).toBe('next')
  await db.close()
})

test('connections that have fallen silent are replaced, those that nobody uses at the time as well', async () => {
  const app = await startApp({}, { users: false })
  await using proxy = await startProxy(app.target)
  const db = openDb(proxy.target, { ...app.deps.config, databasePoolSize: 3, queryTimeoutMs: 1000 }, exact)
  const use = () => Promise.all([1, 2, 3].map((number) => db.query('select $1::int, pg_sleep(0.1)', [String(number)])))
  await use()
  proxy.silence()
  const failure = await db.query('select 1').catch(databaseFailure)
  expect(failure).toMatchObject({ kind: 'unavailable' })
  await use()
  await db.close()
})

test('a transaction whose connection falls silent fails', async () => {
  const app = await startApp({}, { users: false })
  await using proxy = await startProxy(app.target)
  const db = openDb(proxy.target, { ...app.deps.config, databasePoolSize: 1, queryTimeoutMs: 1000 }, exact)
  const work = db.transaction(async ({ query }) => {
    await query('select 1')
    proxy.silence()
    await query('select 2')
  })
  expect(await work.catch(databaseFailure)).toMatchObject({ kind: 'unavailable' })
  expect(await db.query<{ one: number }>('select 1 as one')).toMatchObject([{ one: 1 }])
  await db.close()
})

test('a query that is cancelled before it begins takes no connection with it', async () => {
  const app = await startApp({}, { users: false })
  const db = openDb(app.target, { ...app.deps.config, databasePoolSize: 1 }, exact)
  const cancelled = () => expect.objectContaining({ code: '57014' })
  // While its connection is opened.
  const early = db.sql.unsafe('select 1').execute()
  early.cancel()
  expect(await early.catch((error) => error)).toEqual(cancelled())
  expect(await db.query<{ one: number }>('select 1 as one')).toMatchObject([{ one: 1 }])
  // While it waits for the one before it in a transaction.
  const done = await db.sql
    .begin(async (tx) => {
      const before = tx.unsafe('select pg_sleep(0.1)').execute()
      const queued = tx.unsafe('select 1').execute()
      queued.cancel()
      const after = tx.unsafe('select 3 as three').execute()
      await before
      return [await queued.catch((error) => error), await after]
    })
    .catch((error) => error)
  expect(done).toEqual(cancelled())
  expect(await db.query<{ one: number }>('select 1 as one')).toMatchObject([{ one: 1 }])
  await db.close()
})
