import { expect, test } from 'bun:test'
import { join } from 'node:path'
import postgres from 'postgres'
import { call, run, startService } from '../support/executable'
import { isAlive, postmasterPid, until, wasShutDown } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { startUsed } from '../support/used-data'

const items = '/api/v1/tables/items/records'

/** A connection beside the service's own, to hold it up. */
const connectBeside = (dataDir: string) =>
  postgres({
    path: join(dataDir, 'run/.s.PGSQL.5432'),
    user: 'rowhouse',
    database: 'rowhouse',
    max: 1,
    fetch_types: false,
    onnotice: () => {},
  })

test.each(['SIGTERM', 'SIGINT'] as const)('%s: what is under way is answered, then all of it ends cleanly', async (signal) => {
  await using service = await startUsed()
  const { url, token, dataDir } = service
  const postmaster = postmasterPid(dataDir)
  const idle = await call(`${url}${items}`, { token })
  await idle.text()
  const beside = connectBeside(dataDir)
  await beside`select 1`
  const blocker = await beside.reserve()
  await blocker`begin`
  await blocker`lock table data.items in exclusive mode`
  const underWay = call(`${url}${items}`, { token, body: { number: 1, note: 'under way' } })
  await until('the insert waits for the lock', async () => (await waiting(blocker)) === 1)
  service.kill(signal)
  await until('it takes no more requests', () =>
    call(`${url}/healthz`, { limitMs: 1000 }).then(
      (r) => !r.ok,
      () => true,
    ),
  )
  await blocker`commit`
  blocker.release()
  await beside.end()
  expect((await underWay).status).toBe(201)
  expect(await service.exited).toBe(0)
  expect(isAlive(postmaster)).toBe(false)
  expect(wasShutDown(dataDir)).toBe(true)
  // PostgreSQL's own lines may come between.
  const told = service.log.map(({ msg }) => msg)
  expect(told.filter((msg) => msg.startsWith('stop')).slice(-2)).toEqual([`stopping: ${signal}`, 'stopped'])
  expect(told.at(-1)).toBe('stopped')
  await using again = await startService({ dataDir })
  expect((await call(`${again.url}${items}/1`, { token })).status).toBe(200)
})

const waiting = async (sql: postgres.Sql): Promise<number> => {
  // Within a transaction PostgreSQL goes on showing the connections that it saw first.
  await sql`select pg_stat_clear_snapshot()`
  const [row] = await sql`select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'`
  return row!.count as number
}

test('a request that never ends does not keep it from ending', async () => {
  await using service = await startUsed()
  const beside = connectBeside(service.dataDir)
  await beside`select 1`
  const blocker = await beside.reserve()
  await blocker`begin`
  await blocker`lock table data.items in exclusive mode`
  const underWay = call(`${service.url}${items}`, { token: service.token, body: { number: 1 } }).then(
    ({ status }) => status,
    () => 'closed',
  )
  await until('the insert waits for the lock', async () => (await waiting(blocker)) === 1)
  expect(await service.stop()).toBe(0)
  expect([503, 'closed']).toContain(await underWay)
  expect(wasShutDown(service.dataDir)).toBe(true)
  await beside.end({ timeout: 1 })
})

test('with nothing under way it ends at once, also while clients keep connections open', async () => {
  await using service = await startUsed()
  await Promise.all(Array.from({ length: 8 }, async () => (await call(`${service.url}${items}`, { token: service.token })).text()))
  expect(await service.stop()).toBe(0)
})

test('a second start on the same data directory ends, says who holds it, and leaves the first alone', async () => {
  await using first = await startUsed()
  const second = await run([], { environment: { PORT: '0', ROWHOUSE_DATA_DIR: first.dataDir } })
  expect(second.code).toBe(1)
  expect(second.stderr).toContain(`process ${first.pid}`)
  expect(second.stderr.trim().split('\n')).toHaveLength(1)
  await untilReadyz(first)
  expect(postmasterPid(first.dataDir)).toBeGreaterThan(1)
})
