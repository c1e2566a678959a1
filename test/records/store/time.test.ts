import { beforeAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'slow', ROWHOUSE_QUERY_TIMEOUT: '1s', DATABASE_POOL_SIZE: '4' })
await app.deps.db.sql.unsafe(`create schema slow;
  create view slow.sleepy as select 1 as id, pg_sleep(20)::text as v;
  create table slow.rows (id int primary key, v text unique);
  insert into slow.rows select n, 'v' || n from generate_series(1, 20) n;`)
beforeAll(() => app.deps.catalog.refresh())

const call = (path: string, method = 'GET', body?: unknown) => app.call(`/api/v1/tables/${path}`, { as: 'editor', method, body })

describe('a query that takes too long', () => {
  test.each(['sleepy/records', 'sleepy/records?count=exact&v=eq.x', 'sleepy/records?select=v.max()'])(
    '%s: 503, and the connection is free again',
    async (path) => {
      const response = await call(path)
      expect(response.headers.get('retry-after')).toBe('5')
      await expectProblem(response, 503, 'query_timeout')
      expect((await call('rows/records')).status).toBe(200)
    },
  )

  test('of a write that waits for somebody’s lock is refused, and those beside it are not', async () => {
    const held = await app.deps.db.sql.reserve()
    try {
      await held.unsafe(`begin; update slow.rows set v = 'held' where id = 1`)
      const answered: number[] = []
      const answers = await Promise.all(
        [1, 2, 3, 4, 5].map((id) => call(`rows/records/${id}`, 'PATCH', { v: `new ${id}` }).finally(() => answered.push(id))),
      )
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
    const answers = await Promise.all([batch(ids), batch([...ids].reverse())])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const [deadlocks] = await patient.deps.db.query<{ n: string }>(
      'select deadlocks::text as n from pg_stat_database where datname = current_database()',
    )
    expect(Number(deadlocks!.n)).toBeLessThan(3)
    const { records } = await json(patient.call('/api/v1/tables/rows/records', { as: 'viewer' }))
    expect(records.map(({ v }: { v: string }) => v)).toEqual(ids.map((id) => `b${id}`))
  })
})
