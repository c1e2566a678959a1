import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { makeContacts, upload } from '../../support/csv'
import { inThisDatabase } from '../../support/locks'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

/** A file that is sent again with its Idempotency-Key is imported once. */
// With places for two imports of one user.
const app = await startApp({ ROWHOUSE_IMPORT_CONCURRENCY: '3' })
await makeContacts(app, 'contacts')
const { sql } = app.deps.db
const count = async () => (await sql`select count(*)::int as n from data.contacts`)[0]!.n as number
const keyed = (key: string, more: Record<string, string> = {}) => ({ headers: { 'idempotency-key': key, ...more } })
const form = (text: string) => {
  const sent = new FormData()
  sent.append('file', new File([text], 'contacts.csv', { type: 'text/csv' }))
  return sent
}

test.each([
  ['a file', (name: string) => `name,age\n"${name}",1\n`],
  ['a form, whose boundary is another one each time', (name: string) => form(`name,age\n"${name}",1\n`)],
] as const)('%s is imported once, and answered as before', async (kind, fileOf) => {
  const [key, before] = [Bun.randomUUIDv7(), await count()]
  const first = await upload(app, 'contacts', fileOf(kind), keyed(key))
  const again = await upload(app, 'contacts', fileOf(kind), keyed(key))
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
  expect(await json(again)).toEqual(await json(first))
  expect(await count()).toBe(before + 1)
  await expectProblem(await upload(app, 'contacts', fileOf('another one'), keyed(key)), 422, 'idempotency_key_reused')
  expect(await count()).toBe(before + 1)
})

test('a table is made once, and its name is not taken the second time', async () => {
  const key = Bun.randomUUIDv7()
  const make = () => upload(app, 'import', 'a,b\n1,2\n', { as: 'admin', query: '?name=made', ...keyed(key) })
  const [first, again] = [await make(), await make()]
  expect([first.status, again.status]).toEqual([201, 201])
  expect(await json(again)).toEqual(await json(first))
})

test('an import that goes on after its request is begun once: the answer names the first one', async () => {
  const [key, before] = [Bun.randomUUIDv7(), await count()]
  const begin = () => upload(app, 'contacts', 'name\nasynchronous\n', keyed(key, { prefer: 'respond-async' }))
  const first = await begin()
  expect(first.status).toBe(202)
  const path = first.headers.get('location')!
  await until('it is over', async () => (await json(app.call(path, { as: 'editor' }))).state !== 'running')
  const again = await begin()
  expect([again.status, again.headers.get('location')]).toEqual([202, path])
  expect(await count()).toBe(before + 1)
})

test('while it is imported, the same key is told so', async () => {
  const key = Bun.randomUUIDv7()
  const [file, before] = ['name\nwaiting\n', await count()]
  await sql
    .begin(async (tx) => {
      await tx`lock table data.contacts in share mode`
      const first = upload(app, 'contacts', file, keyed(key))
      const waiting = () => sql.unsafe(`select 1 from pg_locks where not granted and ${inThisDatabase}`)
      await until('it waits for the table', async () => (await waiting()).length > 0)
      await expectProblem(await upload(app, 'contacts', file, keyed(key)), 409, 'request_in_progress')
      return { first }
    })
    .then(async ({ first }) => expect((await first).status).toBe(200))
  expect(await count()).toBe(before + 1)
})

test('a key that is malformed is refused before the file is read', async () => {
  await expectProblem(await upload(app, 'contacts', 'name\nx\n', keyed('"open')), 400, 'invalid_request')
})
