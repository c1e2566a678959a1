import { expect, test } from 'bun:test'
import { startApp } from '../support/app'

const rows = 200_000
const copy = `copy (select n, repeat('x', 60) from generate_series(1, ${rows}) n) to stdout`

const pool = async () => (await startApp({ DATABASE_POOL_SIZE: '1' }, { users: false })).deps.db

/** Bounded, since what these tests are about is a query that is never answered. */
const answer = (work: Promise<unknown>) =>
  Promise.race([work, Bun.sleep(10_000).then(() => Promise.reject(new Error('The connection serves no more.')))])

test('a connection serves again after a COPY whose reader was slower than the database', async () => {
  const { sql } = await pool()
  let lines = 0
  for await (const chunk of await sql.unsafe(copy).readable()) {
    lines += Buffer.from(chunk).toString().split('\n').length - 1
    if (lines % 500 === 0) await Bun.sleep(0)
  }
  expect(lines).toBe(rows)
  expect(await answer(sql`select 1 as one`)).toEqual([{ one: 1 }] as never)
}, 30_000)

test('a connection serves again after a COPY that nobody reads to its end', async () => {
  const { sql } = await pool()
  const stream = await sql.unsafe(copy).readable()
  for await (const _chunk of stream) break
  expect(stream.destroyed).toBe(true)
  expect(await answer(sql`select 1 as one`)).toEqual([{ one: 1 }] as never)
}, 30_000)

test('a COPY that fails on its way ends its reader with the error', async () => {
  const { sql } = await pool()
  const read = async () => {
    for await (const _chunk of await sql.unsafe(`copy (select 1 / (100000 - n) from generate_series(1, ${rows}) n) to stdout`).readable()) {
      await Bun.sleep(0)
    }
  }
  await expect(answer(read())).rejects.toThrow('division by zero')
  expect(await answer(sql`select 1 as one`)).toEqual([{ one: 1 }] as never)
}, 60_000)
