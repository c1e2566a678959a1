import { afterAll, expect, test } from 'bun:test'
import { connectDirectly } from '../../../src/db/pool/open'
import { startApp } from '../../support/app'
import { until } from '../../support/processes'

/** What is read for a client who has left ends, so that nobody waits behind it. */
// Long enough that it is not the time limit of a query that ends it.
const app = await startApp({ ROWHOUSE_SCHEMAS: 'slow', ROWHOUSE_QUERY_TIMEOUT: '200s' })
const outside = connectDirectly(app.target, app.deps.config)
const holder = connectDirectly(app.target, app.deps.config)
afterAll(() => Promise.all([outside.end(), holder.end()]))
await outside.unsafe(`create schema slow; create view slow.sleepers as select 1 as id, pg_sleep(600)::text as nap;
  create view slow.waiters as select 1 as id, pg_advisory_xact_lock_shared(7)::text as turn`)
await app.deps.catalog.refresh()

const running = async (event = 'PgSleep') =>
  (await outside.unsafe(`select 1 from pg_stat_activity where wait_event = '${event}' and datname = current_database()`)).length

test.each(['/api/v1/tables/sleepers/records', '/rest/v1/sleepers'])('a list ends when all who share it have left (%s)', async (path) => {
  const headers = { authorization: `Bearer ${app.tokens.viewer}`, 'accept-profile': 'slow' }
  const clients = [new AbortController(), new AbortController()]
  const requests = clients.map(({ signal }) => fetch(app.url + path, { headers, signal }).catch(() => null))
  await until('the list is read', async () => (await running()) > 0)
  for (const client of clients) client.abort()
  await Promise.all(requests)
  await until('nothing is read', async () => (await running()) === 0)
})

test.each(['/api/v1/tables/waiters/records', '/rest/v1/waiters'])('a list goes on for who stays when another leaves (%s)', async (path) => {
  const headers = { authorization: `Bearer ${app.tokens.viewer}`, 'accept-profile': 'slow' }
  const [first, alone] = [new AbortController(), new AbortController()]
  const ask = (query: string, signal?: AbortSignal) => fetch(`${app.url}${path}${query}`, { headers, ...(signal && { signal }) })
  await holder.unsafe('select pg_advisory_lock(7)')
  const left = ask('', first.signal).catch(() => null)
  await until('the first list is read', async () => (await running('advisory')) > 0)
  const stayed = ask('')
  const other = ask('?limit=7', alone.signal).catch(() => null)
  await until('the other list is read', async () => (await running('advisory')) > 1)
  first.abort()
  await left
  // The one who left later has been noticed as soon as nothing is read for them any more; so has the first.
  alone.abort()
  await other
  await until('one is read no longer', async () => (await running('advisory')) < 2)
  expect(await running('advisory')).toBe(1)
  await holder.unsafe('select pg_advisory_unlock(7)')
  const answer = await stayed
  expect({ status: answer.status, first: await left, other: await other }).toEqual({ status: 200, first: null, other: null })
  expect(await answer.text()).toContain('"turn"')
})
