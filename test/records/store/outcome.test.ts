import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connectDirectly } from '../../../src/db/pool/open'
import { json, startApp } from '../../support/app'
import { endpoints, pluginsWith } from '../../support/plugins'
import { until } from '../../support/processes'

/** What an answer says was not done is not done later either, and what nobody knows is called so. */
const plugins = pluginsWith({
  'slow/plugin.ts': endpoints(
    `{ method: 'POST', path: '/write', public: false, allow: () => true, handle: ({ transaction }) => transaction(async (tx) => {
       await tx.records('locked').create({ title: 'by a plugin' })
       return 'done'
     }) }`,
    `{ method: 'POST', path: '/late', public: false, allow: () => true, handle: ({ transaction }) => transaction(async (tx) => {
       await tx.records('free').create({ title: 'begun by a plugin' })
       await tx.records('locked').create({ title: 'late by a plugin' })
       return 'done'
     }) }`,
  ),
})
const app = await startApp({ ROWHOUSE_SCHEMAS: 'slow' }, { plugins })
const outside = connectDirectly(app.target, app.deps.config)
afterAll(() => outside.end())

const titles = [{ name: 'title', type: 'text' }]
for (const name of ['locked', 'free', 'slow', 'raised']) await app.call('/api/v1/tables', { as: 'admin', body: { name, columns: titles } })

const hasty = await startApp({ ROWHOUSE_QUERY_TIMEOUT: '1s', DATABASE_POOL_SIZE: '2', ROWHOUSE_SCHEMAS: 'slow' }, { plugins, beside: app })

type Answer = { title: string; status: number; retryAfter: string | null; code: string | undefined }

async function create(table: string, title: string, { route = `/api/v1/tables/${table}/records`, on = hasty } = {}): Promise<Answer> {
  const response = await on.call(route, { as: 'editor', body: { title } })
  const body = response.status === 201 ? {} : await json(response)
  return { title, status: response.status, retryAfter: response.headers.get('retry-after'), code: body.code }
}

const rows = async (table: string): Promise<string[]> =>
  (await outside.unsafe<{ title: string }[]>(`select title from data.${table} order by id`)).map(({ title }) => title)

describe('where a table is locked for longer than a request may take', () => {
  const counted = Array.from({ length: 60 }, (_, index) => `record ${index}`)
  let answers: Answer[] = []
  let batches: number[] = []
  let called: number[] = []

  beforeAll(async () => {
    // It has one connection, so that all it does is one transaction.
    await outside.unsafe('begin')
    await outside.unsafe('lock table data.locked')
    const statusOf = async (path: string, body: object) => (await hasty.call(path, { as: 'editor', body })).status
    const operation = { method: 'POST', table: 'locked', body: { title: 'in a batch' } }
    ;[answers, batches, called] = await Promise.all([
      Promise.all(counted.map((title, index) => create('locked', title, index % 2 ? { route: '/rest/v1/locked' } : {}))),
      Promise.all(counted.slice(0, 20).map(() => statusOf('/api/v1/batch', { operations: [operation] }))),
      Promise.all(counted.slice(0, 8).map((_, index) => statusOf(`/api/v1/custom/slow/${index % 2 ? 'late' : 'write'}`, {}))),
    ])
    await outside.unsafe('rollback')
    // Whatever still waited for a connection has had one when these are answered.
    await until('connections are free', async () =>
      (await Promise.all([create('free', 'behind all'), create('free', 'behind all')])).every(({ status }) => status === 201),
    )
  })

  test('no create that was answered with 503 is done afterwards', async () => {
    expect(answers.map(({ status }) => status)).toEqual(counted.map(() => 503))
    expect((await rows('locked')).filter((title) => title.startsWith('record'))).toEqual([])
  })

  test('the answers of those that were withdrawn ask for another try, since nothing was done', () => {
    const withdrawn = answers.filter(({ code }) => code !== 'outcome_unknown')
    // Only what was sent can be unknown, when it could not be cancelled in time: no more than there are connections.
    expect(answers.length - withdrawn.length).toBeLessThanOrEqual(4)
    for (const { retryAfter } of withdrawn) expect(Number(retryAfter)).toBeGreaterThan(0)
  })

  test('no batch either', async () => {
    expect(batches).toEqual(batches.map(() => 503))
    expect((await rows('locked')).filter((title) => title === 'in a batch')).toEqual([])
  })

  test('nor the transaction of a plugin, with what it had written before', async () => {
    expect(called).toEqual(called.map(() => 503))
    expect([...(await rows('locked')), ...(await rows('free'))].filter((title) => title.includes('plugin'))).toEqual([])
  })
})

describe('a trigger that works at the commit', () => {
  test('is ended in time, and nothing is there afterwards', async () => {
    await outside.unsafe(`create function data.dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
      create constraint trigger dawdle after insert on data.slow deferrable initially deferred for each row execute function data.dawdle()`)
    const [one, other] = await Promise.all([create('slow', 'at the commit'), create('slow', 'of a batch', { route: '/rest/v1/slow' })])
    expect([one.status, other.status]).toEqual([503, 503])
    const operations = [{ method: 'POST', table: 'slow', body: { title: 'of a batch' } }]
    const batch = await hasty.call('/api/v1/batch', { as: 'editor', body: { operations } })
    expect([batch.status, (await json(batch)).code]).toEqual([503, 'query_timeout'])
    const running = () =>
      outside.unsafe(
        `select 1 from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query ~ 'slow|commit'`,
      )
    await until('PostgreSQL has ended it', async () => (await running()).length === 0)
    expect(await rows('slow')).toEqual([])
  })
})

describe('where the connection is lost while PostgreSQL works', () => {
  beforeAll(async () => {
    // The backend that makes the record ends itself.
    await outside.unsafe(`create function data.lose() returns trigger language plpgsql as $$ begin
        perform pg_terminate_backend(pg_backend_pid()), pg_sleep(60); return new; end $$;
      create trigger lose before insert on data.raised for each row execute function data.lose()`)
  })

  test.each(['/api/v1/tables/raised/records', '/rest/v1/raised'])(
    'nobody knows whether a write was done, and the answer says so (%s)',
    async (route) => {
      const answer = await create('raised', 'lost', { route, on: app })
      expect(answer).toMatchObject({ status: 503, code: 'outcome_unknown', retryAfter: null })
    },
  )

  test('a transaction that had not come to its end was not done, and may be tried again', async () => {
    const operations = [{ method: 'POST', table: 'raised', body: { title: 'lost' } }]
    const answer = await app.call('/api/v1/batch', { as: 'editor', body: { operations } })
    expect([answer.status, (await json(answer)).code, answer.headers.has('retry-after')]).toEqual([503, 'unavailable', true])
    expect(await rows('raised')).toEqual([])
  })
})
