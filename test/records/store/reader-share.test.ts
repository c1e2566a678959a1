import { expect, test } from 'bun:test'
import { startApp } from '../../support/app'
import { until } from '../../support/processes'

const poolSize = 8
const names = ['one', 'two', 'three', 'four', 'five', 'six']
const app = await startApp({ DATABASE_POOL_SIZE: String(poolSize) })
const { db } = app.deps
for (const name of [...names, 'free']) {
  const columns = [
    { name: 'title', type: 'text' },
    { name: 'files', type: 'attachment' },
  ]
  await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
  await app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body: { title: 'x' } })
}
const rest = { 'accept-profile': 'data' }
const ways: [string, (name: string) => [string, Record<string, string>]][] = [
  ['records', (name) => [`/api/v1/tables/${name}/records/1`, {}]],
  ['rows', (name) => [`/rest/v1/${name}?id=eq.1`, { ...rest, accept: 'application/vnd.pgrst.object+json' }]],
  ['files', (name) => [`/api/v1/tables/${name}/records/1/attachments/files/${crypto.randomUUID()}`, {}]],
]

test.each(ways)(
  'reads of %s by key of several tables take no more than their caller’s share of the connections',
  async (_what, addressOf) => {
    // As a token that was seen before, of which only a part goes the long way.
    for (const name of names) await app.call(addressOf(name)[0], { as: 'viewer', headers: addressOf(name)[1] })
    const waiting = async () =>
      Number(
        (await db.sql`select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)[0]!.count,
      )
    const reads: Promise<Response>[] = []
    await db.longTransaction(async ({ query }) => {
      await query(`lock table ${names.map((name) => `data.${name}`).join(', ')}`, [], { prepare: false })
      for (let turn = 1; turn <= 6; turn++) {
        for (const name of names) {
          const [path, headers] = addressOf(name)
          reads.push(app.call(path, { as: 'viewer', headers }))
        }
        await Bun.sleep(20)
      }
      await until('as many wait as may', async () => (await waiting()) >= poolSize / 2)
      const [path, headers] = addressOf('free')
      for (let turn = 0; turn < 5; turn++) expect([200, 404]).toContain((await app.call(path, { as: 'editor', headers })).status)
      expect(await waiting()).toBeLessThanOrEqual(poolSize / 2)
    })
    for (const { status } of await Promise.all(reads)) expect([200, 404]).toContain(status)
  },
)
