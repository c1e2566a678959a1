import { expect, test } from 'bun:test'
import { refreshIfStale } from '../../../src/tables/catalog/stale-definitions'
import { json, startApp } from '../../support/app'
import { inThisDatabase } from '../../support/locks'
import { until } from '../../support/processes'

/** Requests that are under way while a column gets another name. */
const app = await startApp()
const { sql } = app.deps.db

/** Starts the requests while somebody has the table for himself, who renames `v` to `w` then. */
async function racing(name: string, requests: ((records: string) => Promise<Response>)[]) {
  const records = `/api/v1/tables/${name}/records`
  await app.call('/api/v1/tables', { as: 'admin', body: { name, columns: [{ name: 'v', type: 'text' }] } })
  await app.call(records, { as: 'editor', body: { v: 'one' } })
  // What nobody tells us of is looked for once a second; it is not what finds this out.
  await refreshIfStale(app.deps.catalog, { code: '42P01' })
  const other = await sql.reserve()
  await other.unsafe(`begin; lock table data.${name} in access exclusive mode`)
  const answers = requests.map((send) => send(records))
  // Each has a connection while it waits, and those of one caller have at most half of the pool.
  const waiting = `select from pg_locks where not granted and relation = 'data.${name}'::regclass and ${inThisDatabase}`
  await until('they wait for the table', async () => (await other.unsafe(waiting)).length >= 3)
  await other.unsafe(`alter table data.${name} rename v to w; commit`)
  other.release()
  return Promise.all(answers)
}

test('reads answer with the columns of then', async () => {
  const read = (rest: string) => (records: string) => app.call(records + rest, { as: 'viewer' })
  const answers = await racing('read', [
    read(''),
    read('?order=id'),
    read('?limit=5'),
    read('/1'),
    () => app.call('/rest/v1/read', { as: 'viewer' }),
    () => app.call('/api/v1/tables/read/export.csv', { as: 'viewer' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
  const [listed, , , one, rest, exported] = answers as [Response, Response, Response, Response, Response, Response]
  expect((await json(listed)).records).toEqual([{ id: 1, w: 'one' }])
  expect(await json(one)).toEqual({ id: 1, w: 'one' })
  expect(await json(rest)).toEqual([{ id: 1, w: 'one' }])
  expect(await exported.text()).toBe('id,w\n1,one\n')
})

test('writes are done once, or say what is wrong with them now', async () => {
  const batch = { operations: [{ method: 'POST', table: 'write', body: {} }] }
  const answers = await racing('write', [
    (records) => app.call(records, { as: 'editor', body: {} }),
    () => app.call('/rest/v1/write', { as: 'editor', body: [{}, {}] }),
    () => app.call('/api/v1/batch', { as: 'editor', body: batch }),
    (records) => app.call(records, { as: 'editor', body: { v: 'two' } }),
    () => app.call('/rest/v1/write', { as: 'editor', body: { v: 'two' } }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 422, 400])
  expect((await json(app.call('/api/v1/tables/write/records', { as: 'viewer' }))).records).toHaveLength(5)
})
