import { describe, expect, spyOn, test } from 'bun:test'
import type { Executor, Query } from '../../../src/db/pool/open'
import { json, startApp } from '../../support/app'

/** Answers of writes by filter whose rows are more than an answer has, in tables whose answers are read again. */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'data' })
const { db } = app.deps
const admin = (path: string, body: object) => json(app.call(`/api/v1/tables${path}`, { as: 'admin', body }))
await admin('', { name: 'orders', columns: [{ name: 'name', type: 'text' }] })
await admin('', {
  name: 'lines',
  columns: [
    { name: 'po', type: 'link', options: { table: 'orders' } },
    { name: 'qty', type: 'integer' },
  ],
})
await admin('/lines/columns', { name: 'order name', type: 'lookup', options: { link: 'po', column: 'name' } })
const rows = 12_000
const maxRows = 10_000
await db.sql.unsafe(`insert into data.orders (name) values ('first');
  insert into data.lines (po, qty) select 1, n from generate_series(1, ${rows}) n`)

type Sent = { rows: number; bytes: number }

/** What a request's transaction has sent through the service: the most rows of an answer, the longest parameter. */
async function sentBy(request: () => Promise<Response>): Promise<Sent & { response: Response }> {
  const sent: Sent = { rows: 0, bytes: 0 }
  const { transaction } = db
  const watched = (query: Query): Query =>
    (async (text, values, options) => {
      const found = await query(text, values, options)
      sent.rows = Math.max(sent.rows, found.length)
      sent.bytes = Math.max(sent.bytes, ...(values ?? []).map((value) => String(value).length))
      return found
    }) as Query
  const spy = spyOn(db, 'transaction').mockImplementation(((work: (inside: Executor) => Promise<unknown>) =>
    transaction((inside) => work({ ...inside, query: watched(inside.query) }))) as typeof transaction)
  try {
    return { response: await request(), ...sent }
  } finally {
    spy.mockRestore()
  }
}

const call = (path: string, options: { method: string; body?: unknown; headers?: Record<string, string> }) =>
  app.call(path, { as: 'editor', ...options, headers: { prefer: 'return=representation', ...options.headers } })

describe('/rest/v1', () => {
  test('sorts all rows that were changed, whose keys stay in the database', async () => {
    const path = '/rest/v1/lines?qty=gt.0&select=id,order name&order=id.desc&limit=2'
    const { response, ...sent } = await sentBy(() => call(path, { method: 'PATCH', body: { po: 1 } }))
    expect([response.status, await response.json()]).toEqual([
      200,
      [
        { id: rows, 'order name': 'first' },
        { id: rows - 1, 'order name': 'first' },
      ],
    ])
    expect(sent.rows).toBe(1)
    expect(sent.bytes).toBeLessThan(1000)
  })

  test('answers at most 10 000 of them', async () => {
    const path = '/rest/v1/lines?qty=gt.0&select=id,order name'
    const { response, ...sent } = await sentBy(() => call(path, { method: 'PATCH', body: { po: 1 } }))
    expect([response.status, ((await response.json()) as unknown[]).length, sent.rows]).toEqual([200, maxRows, maxRows])
    const headers = { prefer: 'return=representation,max-affected=11999,handling=strict' }
    expect((await call(path, { method: 'PATCH', body: { po: 1 }, headers })).status).toBe(400)
  })
})

test('records that are more than an answer has are refused, and no more are fetched than it has', async () => {
  const path = '/api/v1/tables/lines/records?qty=gt.0'
  for (const [method, body] of [['PATCH', { qty: 1 }], ['DELETE']] as const) {
    const { response, ...sent } = await sentBy(() => call(path, { method, body }))
    expect(await response.json()).toMatchObject({ status: 409, details: { affected: rows, maxAffected: maxRows } })
    expect(sent.rows).toBe(maxRows)
  }
  const [found] = await db.query<{ count: number }>('select count(distinct qty)::int as count from data.lines')
  expect(found?.count).toBe(rows)
})

test('links of more records than a body may have are not written by filter', async () => {
  await admin('', { name: 'tags', columns: [] })
  await admin('/tags/records', [{}, {}])
  await admin('/lines/columns', { name: 'tags', type: 'manyLinks', options: { table: 'tags' } })
  const [join] = await db.query<{ name: string }>("select join_table ->> 'name' as name from rowhouse.columns where join_table is not null")
  const linked = async () => (await db.query(`select from data."${join!.name}"`)).length
  for (const path of ['/api/v1/tables/lines/records', '/rest/v1/lines']) {
    const patch = (filter: string) =>
      sentBy(() => call(`${path}?${filter}`, { method: 'PATCH', body: { tags: [1, 2] }, headers: { prefer: '' } }))
    const { response, ...sent } = await patch('qty=gt.0')
    expect([path, response.status, sent.rows, await linked()]).toEqual([path, 409, maxRows, 0])
    expect([path, (await patch('qty=lte.20')).response.ok, await linked()]).toEqual([path, true, 40])
    await db.query(`delete from data."${join!.name}"`)
  }
})
