import { expect, test } from 'bun:test'
import { openDb } from '../../src/db/pool/open'
import { startApp } from '../support/app'
import { startPgBouncer } from '../support/pgbouncer'

test('behind PgBouncer in transaction mode every query of a first burst is answered, start after start', async () => {
  const { deps, target } = await startApp({}, { users: false })
  await using bouncer = await startPgBouncer(target)
  const config = { ...deps.config, databasePrepare: false, queryTimeoutMs: 2000 }
  for (let start = 0; start < 8; start++) {
    const db = openDb(bouncer.target, config)
    const ask = async (number: number) => {
      // Some have parameters, which the driver asks about first, and some have none.
      const query =
        number % 2
          ? db.query<{ n: string }>(`select ${number}::text as n`)
          : db.query<{ n: string }>('select $1::text as n', [String(number)])
      return Number((await query)[0]!.n)
    }
    const lanes = Array.from({ length: 48 }, async (_, lane) => {
      const answers: number[] = []
      for (let time = 0; time < 8; time++) answers.push(await ask(lane + time * 3))
      return answers
    })
    expect(await Promise.all(lanes)).toEqual(lanes.map((_, lane) => Array.from({ length: 8 }, (_, time) => lane + time * 3)))
    await db.close()
  }
  expect(bouncer.log()).not.toContain('when not linked')
})
