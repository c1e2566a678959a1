import { expect, test } from 'bun:test'
import { createToken } from '../../../src/auth/accounts/tokens'
import { createUser } from '../../../src/users/service'
import { password, startApp } from '../../support/app'
import { inThisDatabase } from '../../support/locks'
import { endpoints, pluginsWith } from '../../support/plugins'
import { until } from '../../support/processes'

const plugins = pluginsWith({
  'shelf/plugin.ts': endpoints(
    `{ method: 'GET', path: '/own', public: false, allow: async ({ auth }) => Boolean(await auth.require()), handle: ({ records, query }) => records('slow.things').list({ limit: Number(query.limit) }) }`,
    `{ method: 'GET', path: '/public', public: true, allow: () => true, handle: (call) => call.asSystem().records('slow.things').list({ limit: Number(call.query.limit) }) }`,
  ),
})
const app = await startApp({ ROWHOUSE_SCHEMAS: 'slow,data' }, { plugins })
const { db, passwords } = app.deps
// Reading it lasts until the lock is let go.
await db.query('create schema slow')
await db.query(`create function slow.waiting() returns bigint language sql volatile as 'select 1 from pg_advisory_xact_lock_shared(7)'`)
await db.query('create view slow.things as select i as id, slow.waiting() as waited from generate_series(1, 3) i')
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns: [{ name: 'word', type: 'text' }] } })
await app.call('/api/v1/tables/notes/records', { as: 'editor', body: { word: 'here' } })

const tokenOf = async (email: string, scope: 'read' | 'full' = 'read') => {
  const { user } = await createUser(db, passwords, { email, role: 'viewer', password }, null)
  return (await createToken(db, { user, via: 'cookie', catalogVersion: 0 }, { name: 'reads', scope }, null)).token
}

const waitingCount = async () => {
  const [row] = await db.query<{ count: string }>(
    `select count(*)::text as count from pg_locks where locktype = 'advisory' and not granted and ${inThisDatabase}`,
  )
  return Number(row!.count)
}

const routes = [
  '/api/v1/custom/shelf/own?limit=',
  '/api/v1/custom/shelf/public?limit=',
  '/api/v1/tables/things/records?limit=',
  '/rest/v1/things?limit=',
  '/api/v1/tables/things/records?count=exact&limit=',
]

test.each(routes)('one token that reads slowly leaves the connections to others: %s', async (route) => {
  const token = await tokenOf(`slow${routes.indexOf(route)}@example.org`)
  const lock = await holdLock()
  const answers: number[] = []
  const slow = Array.from({ length: 30 }, async (_, number) => {
    const headers = { authorization: `Bearer ${token}`, 'accept-profile': 'slow' }
    answers.push((await fetch(`${app.url}${route}${number + 1}`, { headers })).status)
  })
  try {
    await until('its share is taken', async () => answers.length > 0 || (await waitingCount()) >= 5)
    expect(answers).toEqual([])
    const statuses = await Promise.all([
      ...Array.from({ length: 20 }, (_, number) => app.call(`/api/v1/tables/notes/records?limit=${number + 1}`, { as: 'viewer' })),
      ...Array.from({ length: 5 }, () => app.call('/api/v1/tables/notes/records/1', { as: 'viewer' })),
      app.call('/api/v1/tables/notes/records', { as: 'editor', body: { word: 'there' } }),
      app.call('/auth/me', { as: 'viewer' }),
      app.call('/auth/login', { body: { email: 'viewer@example.org', password } }),
      app.call('/readyz'),
    ])
    expect(statuses.map(({ status }) => status).filter((status) => status !== 200)).toEqual([201])
    expect(answers).toEqual([])
    expect(await waitingCount()).toBe(5)
  } finally {
    await lock.release()
    await Promise.all(slow)
  }
  expect(answers).toEqual(slow.map(() => 200))
})

async function holdLock() {
  const { promise: wanted, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>()
  const holding = db.transaction(async ({ query }) => {
    await query('select pg_advisory_xact_lock(7)')
    isLocked()
    await wanted
  })
  await locked
  return {
    release: () => {
      release()
      return holding
    },
  }
}

test('one token that changes its own account at a slow time leaves the connections to others', async () => {
  const token = await tokenOf('busy@example.org', 'full')
  // Of those who wait for a row the first waits for a transaction, which belongs to no database.
  const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
  const waiters = async () => (await db.query(waiting)).length
  const lock = await db.sql.reserve()
  await lock.unsafe("begin; select from rowhouse.users where email = 'busy@example.org' for update")
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const renaming = Array.from({ length: 30 }, (_, number) =>
    fetch(`${app.url}/auth/me`, { method: 'PATCH', headers, body: JSON.stringify({ name: `Name ${number}` }) }),
  )
  try {
    await until('its share is taken', async () => (await waiters()) >= 5)
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => app.call('/auth/me', { as: 'editor' })),
      app.call('/auth/login', { body: { email: 'viewer@example.org', password } }),
      app.call('/readyz'),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(await waiters()).toBe(5)
  } finally {
    await lock.unsafe('rollback')
    lock.release()
  }
  for (const answer of await Promise.all(renaming)) expect(answer.status).toBe(200)
})
