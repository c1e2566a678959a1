import { afterAll, expect, test } from 'bun:test'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { sqlState } from '../../src/db/errors'
import { connectDirectly } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'
import { testServer } from '../support/server'

/**
 * What the patched driver does with COPY (docs/decisions/005). One connection, so that one that is lost or stuck is
 * noticed.
 */
const target = await (await testServer()).createDatabase()
const sql = connectDirectly(target, readConfig({}))
const other = connectDirectly(target, readConfig({}))

afterAll(async () => {
  await sql.end({ timeout: 1 })
  await other.end({ timeout: 1 })
})

const copyOut = async (statement: string) => (await sql.unsafe(statement).readable()) as Readable & { rows?: number }

const isAlive = async () => (await sql`select 1 as one`)[0]!.one

async function codeOf(task: Promise<unknown>): Promise<string | undefined> {
  const error = await task.then(
    () => null,
    (thrown) => thrown,
  )
  return sqlState(error) ?? error?.code ?? error?.message
}

test('every row arrives, and the end tells how many there were', async () => {
  for (let round = 0; round < 5; round++) {
    const stream = await copyOut('copy (select g from generate_series(1, 200000) g) to stdout')
    let lines = 0
    for await (const chunk of stream) lines += String(chunk).split('\n').length - 1
    expect({ lines, rows: stream.rows }).toEqual({ lines: 200_000, rows: 200_000 })
  }
  expect(await isAlive()).toBe(1)
})

test('a slow reader gets every row, too', async () => {
  const stream = await copyOut('copy (select g from generate_series(1, 100000) g) to stdout')
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    await Bun.sleep(1)
  }
  expect({ bytes, rows: stream.rows }).toEqual({ bytes: 588_895, rows: 100_000 })
})

test('a failure at once and one in the middle reach the reader', async () => {
  const read = async (statement: string) => {
    for await (const _ of await copyOut(statement));
  }
  expect(await codeOf(read('copy (select 1 / (1 - g) from generate_series(1, 5) g) to stdout'))).toBe('22012')
  expect(await codeOf(read('copy (select 1 / (300000 - g) from generate_series(1, 400000) g) to stdout'))).toBe('22012')
  expect(await isAlive()).toBe(1)
})

test('a reader that leaves can cancel the query', async () => {
  const query = sql.unsafe(`copy (select repeat('x', 1000), generate_series(1, 100000000)) to stdout`)
  const stream = (await query.readable()) as unknown as Readable
  stream.destroy()
  await query.cancel()
  expect(await isAlive()).toBe(1)
})

test('an import that is refused hears of it, in the middle and at its end', async () => {
  const write = async (text: string) =>
    sql.begin(async (tx) => {
      await tx.unsafe('create temp table numbers (n int check (n < 10)) on commit drop')
      const stream = (await tx.unsafe('copy numbers from stdin').writable()) as Writable
      stream.end(text)
      await finished(stream)
    })
  expect(await codeOf(write('1\nx\n'))).toBe('22P02')
  expect(await codeOf(write('1\n11\n'))).toBe('23514')
  expect(await codeOf(write('1\n2\n'))).toBeUndefined()
  expect(await isAlive()).toBe(1)
})

test('the loss of the connection reaches reader and writer', async () => {
  const end = () => other`select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy%' and datname = current_database()`
  const read = async () => {
    const stream = await copyOut(`copy (select repeat('x', 1000), generate_series(1, 100000000)) to stdout`)
    await end()
    for await (const _ of stream);
  }
  expect(await codeOf(read())).toMatch(/^(57P01|CONNECTION_CLOSED)$/)
  const write = () =>
    sql.begin(async (tx) => {
      await tx.unsafe('create temp table numbers (n int) on commit drop')
      const stream = (await tx.unsafe('copy numbers from stdin').writable()) as Writable
      stream.write('1\n')
      await end()
      await Bun.sleep(100)
      stream.end('2\n')
      await finished(stream)
    })
  expect(await codeOf(write())).toMatch(/^(57P01|CONNECTION_CLOSED)$/)
  expect(await isAlive()).toBe(1)
})
