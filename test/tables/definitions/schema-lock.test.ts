import { afterAll, expect, test } from 'bun:test'
import { narrowTables } from '../../../src/access/narrow-tables'
import { createHandler, dialects } from '../../../src/app'
import { serve } from '../../../src/http/server/serve'
import { createEvents } from '../../../src/ops/log/events'
import { readConfig } from '../../../src/ops/settings/config'
import { createCatalog } from '../../../src/tables/catalog/catalog'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

const app = await startApp()
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const waitingForLock = async () =>
  (await app.deps.db.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`).length
const statuses = async (answers: Promise<Response>[]) => (await Promise.all(answers)).map(({ status }) => status).sort()

/** A second connection that holds what the statement takes, until it is let go. */
async function holding(statement: string): Promise<() => Promise<void>> {
  const held = await app.deps.db.sql.reserve()
  await held.unsafe('begin')
  await held.unsafe(statement)
  return async () => {
    await held.unsafe('rollback')
    held.release()
  }
}

const made = (name: string) => admin('', 'POST', { name, columns: [{ name: 'a', type: 'text' }] })

test('a change gives up while a transaction has the table, and reads beside it are answered', async () => {
  await made('held')
  const release = await holding('select * from data.held')
  let isOver = false
  const change = admin('/held/columns', 'POST', { name: 'b', type: 'text' }).finally(() => {
    isOver = true
  })
  let reads = 0
  while (!isOver) {
    expect((await app.call('/api/v1/tables/held/records', { as: 'viewer' })).status).toBe(200)
    reads++
  }
  const answer = await change
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  await expectProblem(answer, 503, 'unavailable')
  expect(reads).toBeGreaterThan(3)
  await release()
  expect((await admin('/held/columns', 'POST', { name: 'b', type: 'text' })).status).toBe(201)
})

test('it goes on as soon as the table is free', async () => {
  await made('freed')
  const release = await holding('select * from data.freed')
  const change = admin('/freed', 'PATCH', { name: 'freedom' })
  await until('the change waits for the table', async () => (await waitingForLock()) > 0)
  await release()
  expect((await change).status).toBe(200)
})

test('of changes that exclude each other one is made', async () => {
  await Promise.all([made('x'), made('y')])
  expect(await statuses(Array.from({ length: 10 }, () => made('race')))).toEqual([201, ...Array(9).fill(409)])
  expect(await statuses(['x', 'y'].map((name) => admin(`/${name}`, 'PATCH', { name: 'z' })))).toEqual([200, 409])
  expect(await statuses(Array.from({ length: 8 }, () => admin('/z/columns', 'POST', { name: 'n', type: 'integer' })))).toEqual([
    201,
    ...Array(7).fill(409),
  ])
  expect(await statuses(Array.from({ length: 8 }, () => admin('/z/columns/n?confirm=n', 'DELETE')))).toEqual([204, ...Array(7).fill(404)])
  expect(await statuses(Array.from({ length: 8 }, () => admin('/z?confirm=z', 'DELETE')))).toEqual([204, ...Array(7).fill(404)])
})

test('two instances change the same tables, and each sees what the other did with its next request', async () => {
  const config = readConfig({ HOST: '127.0.0.1', PORT: '0' })
  const other = serve(
    createHandler({ ...app.deps, catalog: createCatalog(app.deps.db, [], narrowTables) }),
    config,
    createEvents(),
    dialects,
  )
  afterAll(() => other.stop())
  const asAdmin = (path: string, method: string, body?: object) =>
    fetch(`${other.url}/api/v1/tables${path}`, {
      method,
      headers: { authorization: `Bearer ${app.tokens.admin}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
  await made('both')
  for (let n = 0; n < 10; n++) {
    const answers = await Promise.all([
      admin('/both/columns', 'POST', { name: `here${n}`, type: 'text' }),
      asAdmin('/both/columns', 'POST', { name: `there${n}`, type: 'integer' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    const [here, there] = await Promise.all([json(app.call('/api/v1/tables/both', { as: 'viewer' })), json(asAdmin('/both', 'GET'))])
    expect({ ...here, can: null }).toEqual({ ...there, can: null })
    expect(here.columns).toHaveLength(2 + 2 * (n + 1))
  }
})

test('a change by psql in between is seen: the change is made for what is there now', async () => {
  await made('raced')
  for (let n = 0; n < 5; n++) {
    const [, answer] = await Promise.all([
      app.deps.db.sql.unsafe(`alter table data.raced add column psql${n} int`),
      admin('/raced/columns', 'POST', { name: `ours${n}`, type: 'text' }),
    ])
    expect(answer.status).toBe(201)
  }
})

test('records written while a column comes and goes are refused or whole', async () => {
  await made('busy')
  let isOver = false
  const writes = (async () => {
    const seen = new Set<number>()
    while (!isOver) seen.add((await app.call('/api/v1/tables/busy/records', { as: 'editor', body: { a: 'x' } })).status)
    return seen
  })()
  for (let n = 0; n < 8; n++) {
    expect((await admin('/busy/columns', 'POST', { name: 'b', type: 'integer', default: n, required: true })).status).toBe(201)
    expect((await admin('/busy/columns/b?confirm=b', 'DELETE')).status).toBe(204)
  }
  isOver = true
  const seen = await writes
  for (const status of seen) expect([201, 404, 409, 503]).toContain(status)
  expect(seen).toContain(201)
})
