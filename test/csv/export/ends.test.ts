import { afterAll, describe, expect, test } from 'bun:test'
import { connectDirectly } from '../../../src/db/pool/open'
import { startApp } from '../../support/app'
import { inThisDatabase } from '../../support/locks'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

const environment = { ROWHOUSE_SCHEMAS: 'slow', ROWHOUSE_EXPORT_CONCURRENCY: '2' }
const app = await startApp(environment)
const outside = connectDirectly(app.target, app.deps.config)
afterAll(() => outside.end())
await outside.unsafe(
  'create schema slow; create view slow.sleepers as select 1 as id, pg_sleep(600)::text as nap; create view slow.quick as select 1 as id',
)
await app.deps.catalog.refresh()

const path = '/api/v1/tables/sleepers/export.csv'
/** How many exports PostgreSQL works on. */
const running = async () =>
  (await outside.unsafe(`select 1 from pg_stat_activity where state = 'active' and query like 'copy%' and datname = current_database()`))
    .length
const leavingReader = (as: 'viewer' | 'editor') => {
  const client = new AbortController()
  const request = fetch(app.url + path, { headers: { authorization: `Bearer ${app.tokens[as]}` }, signal: client.signal }).catch(() => null)
  return { leave: () => client.abort(), request }
}

describe('an export ends', () => {
  test('when its reader leaves before the first row, and gives its place back', async () => {
    const readers = [leavingReader('viewer'), leavingReader('editor')]
    await until('two are under way', async () => (await running()) === 2)
    // Both places are taken; who waits for one may leave, too.
    const waiting = leavingReader('viewer')
    const begun = () => outside.unsafe(`select from rowhouse.exports where state = 'running'`)
    await until('the third one waits', async () => (await begun()).length === 3)
    waiting.leave()
    for (const { leave } of readers) leave()
    await until('PostgreSQL works on none', async () => (await running()) === 0)
    const states = async () =>
      (await outside.unsafe('select state from rowhouse.exports order by started_at')).map(({ state }) => state as string)
    await until('all are over', async () => !(await states()).includes('running'))
    expect(new Set(await states())).toEqual(new Set(['cancelled']))
    expect(app.events.filter(({ kind }) => kind === 'request_failed')).toEqual([])
    expect((await app.call('/api/v1/tables/quick/export.csv', { as: 'viewer' })).status).toBe(200)
  })

  test('when the first row takes longer than a query may', async () => {
    const hasty = await startApp({ ...environment, ROWHOUSE_QUERY_TIMEOUT: '1s' }, { beside: app })
    await outside.unsafe('delete from rowhouse.exports')
    await expectProblem(await hasty.call(path, { as: 'viewer' }), 503, 'query_timeout')
    await until('PostgreSQL has ended it', async () => (await running()) === 0)
    const states = await outside<{ state: string }[]>`select state from rowhouse.exports`
    expect(states.map(({ state }) => state)).toEqual(['failed'])
  })
})

test('an export that failed before its first row is answered, however long it takes to record that', async () => {
  await outside.unsafe('create table slow.renamed (id integer primary key, v text)')
  await app.deps.catalog.refresh()
  const [table, exports] = [await app.deps.db.sql.reserve(), await app.deps.db.sql.reserve()]
  await table.unsafe('begin; lock table slow.renamed in access exclusive mode')
  // On a connection of its own: Bun repeats a GET whose kept connection was reset.
  const headers = { authorization: `Bearer ${app.tokens.viewer}` }
  const answer = fetch(`${app.url}/api/v1/tables/renamed/export.csv`, { headers, keepalive: false })
  const waiting = `select from pg_locks where not granted and relation = 'slow.renamed'::regclass and ${inThisDatabase}`
  await until('it waits for the table', async () => (await outside.unsafe(waiting)).length > 0)
  await exports.unsafe('begin; lock table rowhouse.exports in exclusive mode')
  await table.unsafe('alter table slow.renamed rename v to w; commit')
  // Longer than an export that was broken off keeps its connection, which is counted in steps of four seconds.
  await exports.unsafe('select pg_sleep(9); commit')
  for (const session of [table, exports]) session.release()
  const response = await answer
  expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: 'id,w\n' })
})
