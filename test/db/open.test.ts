import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'
import { until } from '../support/processes'

describe.each([
  ['with named prepared statements', '1'],
  ['without them, as behind PgBouncer', '0'],
])('%s', (_how, prepare) => {
  test('the main path works', async () => {
    const app = await startApp({ DATABASE_PREPARE: prepare })
    const columns = [
      { name: 'v', type: 'json' },
      { name: 'at', type: 'dateTime' },
      { name: 'is', type: 'boolean' },
    ]
    expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns } })).status).toBe(201)
    const body = { v: { a: [1, 'x'] }, at: '2026-01-31T12:00:00Z', is: true }
    const made = await json(app.call('/api/v1/tables/notes/records', { as: 'editor', body }))
    expect(made).toEqual({ id: 1, ...body, at: '2026-01-31T12:00:00+00:00' })
    expect(await json(app.call('/api/v1/tables/notes/records/1', { as: 'viewer' }))).toEqual(made)
    expect(await json(app.call('/api/v1/tables/notes/records?limit=1', { as: 'viewer' }))).toEqual({ records: [made], nextCursor: null })
    expect((await app.call('/auth/login', { body: { email: 'editor@example.org', password: 'correct horse battery' } })).status).toBe(200)
  })

  test('a query ends when its time is over, and the connection serves the next', async () => {
    const app = await startApp()
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'slow', columns: [] } })
    await app.deps.db.query('drop table data.slow')
    await app.deps.db.query('create view data.slow as select 1::bigint as id from pg_sleep(600)')
    const limits = { DATABASE_PREPARE: prepare, ROWHOUSE_QUERY_TIMEOUT: '300ms', DATABASE_POOL_SIZE: '1' }
    const hasty = await startApp(limits, { beside: app })
    await expectProblem(await hasty.call('/api/v1/tables/slow/records', { as: 'viewer' }), 503, 'query_timeout')
    await until('the next query is in time', async () => (await hasty.call('/api/v1/tables', { as: 'viewer' })).status === 200)
  })

  test('parameters are text, whatever the type', async () => {
    const { deps } = await startApp({ DATABASE_PREPARE: prepare }, { users: false })
    const [row] = await deps.db.query<Record<string, unknown>>(
      'select $1::boolean::text as yes, $2::boolean::text as no, $3::timestamptz::text as at, $4::jsonb::text as json, $5::bigint::text as big, $6::text as none, $7::bytea::text as bytes',
      ['true', 'false', '2026-01-31T12:00:00.123456Z', '{"a":1.10}', '9223372036854775807', null, '\\xdead'],
    )
    expect(row).toEqual({
      yes: 'true',
      no: 'false',
      at: '2026-01-31 12:00:00.123456+00',
      json: '{"a": 1.10}',
      big: '9223372036854775807',
      none: null,
      bytes: '\\xdead',
    })
  })
})

test('of connections that wait for work the one that worked last goes first: its memory is warm', async () => {
  const { deps } = await startApp({ DATABASE_POOL_SIZE: '5' }, { users: false })
  const busy = Array.from({ length: 5 }, () => deps.db.query<{ pid: number }>('select pg_backend_pid() as pid from pg_sleep(0.2)'))
  const opened = await Promise.all(busy)
  expect(new Set(opened.map(([row]) => row!.pid)).size).toBe(5)
  const used = new Set<number>()
  for (let time = 0; time < 20; time++) used.add((await deps.db.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]!.pid)
  expect(used.size).toBe(1)
})
