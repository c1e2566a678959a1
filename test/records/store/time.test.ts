import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'slow' })
await app.deps.db.sql.unsafe(`create schema slow;
  create view slow.sleepy as select 1 as id, pg_sleep(20)::text as v;
  create table slow.rows (id int primary key, v text unique);
  insert into slow.rows select n, 'v' || n from generate_series(1, 20) n;`)
await app.deps.catalog.refresh()
const limits = { ROWHOUSE_SCHEMAS: 'slow', ROWHOUSE_QUERY_TIMEOUT: '1s', DATABASE_POOL_SIZE: '4' }
const hasty = await startApp(limits, { beside: app })

const call = (path: string) => hasty.call(`/api/v1/tables/${path}`, { as: 'editor' })

describe('a query that takes too long', () => {
  test.each(['sleepy/records', 'sleepy/records?count=exact&v=eq.x', 'sleepy/records?select=v.max()'])(
    '%s: 503, and the connection is free again',
    async (path) => {
      const response = await call(path)
      expect(response.headers.get('retry-after')).toBe('5')
      await expectProblem(response, 503, 'query_timeout')
      await until('the next query is in time', async () => (await call('rows/records')).status === 200)
    },
  )

  test('of a write that waits for somebody’s lock is refused, and those beside it are not', async () => {
    // The others share a statement with it, and have to be done within the same time.
    const slower = await startApp({ ...limits, ROWHOUSE_QUERY_TIMEOUT: '5s' }, { beside: app })
    const change = (id: number) =>
      slower.call(`/api/v1/tables/rows/records/${id}`, { as: 'editor', method: 'PATCH', body: { v: `new ${id}` } })
    const held = await app.deps.db.sql.reserve()
    try {
      await held.unsafe(`begin; update slow.rows set v = 'held' where id = 1`)
      const answered: number[] = []
      const answers = await Promise.all([1, 2, 3, 4, 5].map((id) => change(id).finally(() => answered.push(id))))
      expect(answers.map(({ status }) => status)).toEqual([503, 200, 200, 200, 200])
      expect(answered.at(-1)).toBe(1)
    } finally {
      await held.unsafe('rollback')
      held.release()
    }
  })
})

describe('writes that wait for each other', () => {
  test('are tried again', async () => {
    const patient = await startApp()
    await patient.call('/api/v1/tables', { as: 'admin', body: { name: 'rows', columns: [{ name: 'v', type: 'text' }] } })
    const ids = Array.from({ length: 10 }, (_, n) => n + 1)
    await patient.call('/api/v1/tables/rows/records', { as: 'editor', body: ids.map((id) => ({ v: `${id}` })) })
    const batch = (order: number[]) => {
      const operations = order.map((id) => ({ method: 'PATCH', table: 'rows', pk: String(id), body: { v: `b${id}` } }))
      return patient.call('/api/v1/batch', { as: 'editor', body: { operations } })
    }
    const { db } = patient.deps
    // Each takes its first row, and waits. Let go, each wants the first row of the other one: a deadlock for certain.
    let answers: Promise<Response>[] = []
    await db.transaction(async ({ query }) => {
      await query('select from data.rows where id in (3, 4) for update')
      answers = [batch([1, 3, 2]), batch([2, 4, 1])]
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      await until('both wait', async () => (await db.query(waiting)).length === 2)
    })
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
    const deadlocks = 'select from pg_stat_database where datname = current_database() and deadlocks > 0'
    await until('PostgreSQL has counted the deadlock', async () => (await db.query(deadlocks)).length === 1)
    const { records } = await json(patient.call('/api/v1/tables/rows/records', { as: 'viewer' }))
    expect(records.map(({ v }: { v: string }) => v)).toEqual(ids.map((id) => (id > 4 ? `${id}` : `b${id}`)))
  })
})
