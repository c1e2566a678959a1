import { expect, test } from 'bun:test'
import { openDb } from '../../src/db/pool/open'
import { startApp } from '../support/app'

const app = await startApp({}, { users: false })

/** What is told of the statements that `work` makes. */
async function told(slowQueryMs: number, work: (db: ReturnType<typeof openDb>) => Promise<unknown>): Promise<string[]> {
  const texts: string[] = []
  const db = openDb(
    app.target,
    { ...app.deps.config, slowQueryMs },
    {
      onSlow: (text, durationMs) => {
        expect(durationMs).toBeGreaterThanOrEqual(slowQueryMs)
        texts.push(text)
      },
    },
  )
  await work(db).catch(() => {})
  await db.close()
  return texts
}

test.each([
  ['a statement', (db: ReturnType<typeof openDb>) => db.query('select pg_sleep(0.2), $1::text', ['zebra7'])],
  ['one in a transaction', (db) => db.transaction(({ query }) => query(`select pg_sleep(0.2), $1::text as "a"`, ['zebra7']))],
  ['one of an import or export', (db) => db.bulk.unsafe('select pg_sleep(0.2), $1::text', ['zebra7'])],
  ['one that fails', (db) => db.query('select pg_sleep(0.2), $1::int', ['zebra7'])],
  ['one with values in its text', (db) => db.bulk.unsafe(`select pg_sleep(0.2), 'zebra7', $$zebra7$$`)],
] as [string, (db: ReturnType<typeof openDb>) => Promise<unknown>][])(
  '%s that took so long is told, without its values',
  async (_what, work) => {
    const texts = await told(1, work)
    expect(texts.filter((text) => text.startsWith('select pg_sleep(0.2), '))).toHaveLength(_what === 'one that fails' ? texts.length : 1)
    expect(texts.join()).not.toContain('zebra7')
  },
)

test.each([0, 3_600_000])('with a limit of %d ms none is told', async (slowQueryMs) => {
  expect(await told(slowQueryMs, (db) => db.query('select pg_sleep(0.05)'))).toEqual([])
})
