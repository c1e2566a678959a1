import { afterAll, expect, test } from 'bun:test'
import { connectDirectly } from '../../src/db/open'
import { startApp } from '../support/app'

/** What is read for a client who has left ends, so that nobody waits behind it. */
// Long enough that it is not the time limit of a query that ends it.
const app = await startApp({ ROWHOUSE_SCHEMAS: 'slow', ROWHOUSE_QUERY_TIMEOUT: '200s' })
const outside = connectDirectly(app.target, app.deps.config)
afterAll(() => outside.end())
await outside.unsafe('create schema slow; create view slow.sleepers as select 1 as id, pg_sleep(600)::text as nap')
await app.deps.catalog.reread()

const running = async () =>
  (await outside.unsafe(`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)).length

test.each(['/api/v1/tables/sleepers/records', '/rest/v1/sleepers'])('a list ends when all who share it have left (%s)', async (path) => {
  const headers = { authorization: `Bearer ${app.tokens.viewer}`, 'accept-profile': 'slow' }
  const clients = [new AbortController(), new AbortController()]
  const requests = clients.map(({ signal }) => fetch(app.url + path, { headers, signal }).catch(() => null))
  while ((await running()) === 0);
  for (const client of clients) client.abort()
  await Promise.all(requests)
  while ((await running()) > 0);
  expect(await running()).toBe(0)
})
