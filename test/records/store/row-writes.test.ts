import { expect, test } from 'bun:test'
import { advanceIdentity } from '../../../src/records/store/writes/row-writes'
import { json, startApp } from '../../support/app'

const app = await startApp()
const { db } = app.deps
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'counted', columns: [{ name: 'v', type: 'text' }] } })
const [table] = (await app.deps.catalog.current()).list.filter(({ name }) => name === 'counted')
const sequence = `pg_get_serial_sequence('data.counted', 'id')::regclass`
const next = async () => Number((await db.query<{ n: string }>(`select nextval(${sequence})::text as n`))[0]!.n)
const advance = (key: number) => advanceIdentity(db.query, table!, ['id', 'v'], `[{"id": ${key}}]`)

test.each([1, 2, 500, 10_000, 10_001, 5_000_000])('a key that is chosen %d beyond the counter is where it goes on', async (distance) => {
  const before = await next()
  await advance(before + distance)
  expect(await next()).toBe(before + distance + 1)
  await advance(before)
  expect(await next()).toBe(before + distance + 2)
})

test('a counter never gives a number twice, however many choose keys beside', async () => {
  const given: number[] = []
  await Promise.all([
    ...Array.from({ length: 3 }, async () => {
      for (let round = 0; round < 400; round++) given.push(await next())
    }),
    ...Array.from({ length: 3 }, async () => {
      for (let round = 0; round < 400; round++) await advance((given.at(-1) ?? 0) + 4)
    }),
  ])
  expect(new Set(given).size).toBe(given.length)
})

test('a key that was chosen is not given again', async () => {
  const chosen = (await next()) + 3
  const put = await app.call(`/api/v1/tables/counted/records/${chosen}`, { as: 'editor', method: 'PUT', body: { v: 'x' } })
  expect(put.status).toBe(201)
  expect((await json(app.call('/api/v1/tables/counted/records', { as: 'editor', body: { v: 'y' } }))).id).toBe(chosen + 1)
})
