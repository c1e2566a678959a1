import { expect, test } from 'bun:test'
import type { Query } from '../../src/db/open'
import { changeTogether, createTogether } from '../../src/records/sharing'
import { json, startApp } from '../support/app'

/** What requests that arrive together have to do with each other: nothing that anybody could see. */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
const { db, catalog } = app.deps
await db.sql.unsafe(`create schema crm; create table crm.hosts (address inet primary key, name text);
  insert into crm.hosts select ('10.0.0.' || n)::inet, 'host ' || n from generate_series(1, 20) n`)
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns: [{ name: 'text', type: 'text' }] } })

test.each(['/api/v1/tables/hosts/records/', '/rest/v1/hosts?address=eq.'])(
  'a key that is none keeps nobody from the records that were asked for with it (%s)',
  async (address) => {
    const keys = Array.from({ length: 20 }, (_, n) => (n % 5 === 0 ? 'no-address' : `10.0.0.${n + 1}`))
    const read = (key: string) => app.call(address + key, { as: 'viewer', headers: { 'accept-profile': 'crm' } })
    const answers = await Promise.all(keys.map(async (key) => ({ key, answer: await read(key) })))
    for (const { key, answer } of answers.filter(({ key }) => key !== 'no-address')) {
      expect(answer.status).toBe(200)
      expect([await json(answer)].flat()).toEqual([{ address: key, name: `host ${key.split('.')[3]}` }])
    }
  },
)

/** The database, but for its next answer, which is lost on the way. */
function losing() {
  let isLost = false
  const query: Query = async (...statement) => {
    const rows = await db.query(...statement)
    if (isLost) return rows as never
    isLost = true
    throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
  }
  return { ...db, query }
}

const shared = async (text: string) => ({
  table: (await catalog.reread()).byName.get('notes')!,
  names: ['text'],
  body: { text },
  text: JSON.stringify({ text }),
  userId: (await json(app.call('/api/v1/auth/me', { as: 'editor' }))).user.id as string,
  returning: { hasKey: true, hasVersion: true },
})

test('records whose answer was lost are not made a second time', async () => {
  const [one, two] = [await shared('one'), await shared('two')]
  const lost = losing()
  const made = await Promise.allSettled([createTogether(lost, one), createTogether(lost, two)])
  expect(made.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const { records } = await json(app.call('/api/v1/tables/notes/records', { as: 'viewer' }))
  expect(records.map(({ text }: { text: string }) => text)).toEqual(['one', 'two'])
})

test('changes whose answer was lost are not made a second time', async () => {
  const change = async (id: string, text: string) => ({ ...(await shared(text)), key: [id], versions: null })
  const [one, two] = [await change('1', 'first'), await change('2', 'second')]
  const lost = losing()
  const made = await Promise.allSettled([changeTogether(lost, one), changeTogether(lost, two)])
  expect(made.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
