import { afterEach, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { makeContacts, upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

/** What an administrator changes while an import is under way, or waits for its turn. */
const app = await startApp({ ROWHOUSE_IMPORT_CONCURRENCY: '1' })
await makeContacts(app, 'contacts')
const { sql } = app.deps.db

const allowed = { group: 'everyone', table: 'contacts', read: 'all', create: 'all', update: 'all', delete: 'all' }
const save = async (...rules: object[]) =>
  expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)
const emails = async () => (await sql`select email from data.contacts order by id`).map(({ email }) => email)

afterEach(async () => {
  await sql`update rowhouse.users set role = 'admin' where email = 'admin@example.org'`
  await save()
  await sql`truncate data.contacts`
})

/** An import whose file ends when `finish` is called; its header and first records have been read before. */
async function beginSlow({ query = '', records = ['name,email\nA,a@example.org\n', 'B,b@example.org\n'] } = {}) {
  const file = new TransformStream<Uint8Array, Uint8Array>()
  const writer = file.writable.getWriter()
  const send = (text: string) => writer.write(new TextEncoder().encode(text))
  const answer = upload(app, 'contacts', file.readable, { query })
  await send(records[0]!)
  await until(
    'its records are copied',
    async () =>
      (await sql`select from pg_stat_activity where datname = current_database() and query like 'copy%' and state = 'active'`).length === 1,
  )
  const finish = async () => {
    await send(records[1]!)
    await writer.close()
    return answer
  }
  return { finish }
}

test.each([
  ['may create no records', { create: 'none' }],
  ['may not write one of its columns', { columns: { read: ['name', 'email'], write: ['name'] } }],
  ['may create other records only', { create: 'name=eq.B' }],
])('a file is refused whose sender %s at its end', async (_what, change) => {
  await save(allowed)
  const { finish } = await beginSlow()
  await save({ ...allowed, ...change })
  const { message, hint } = await expectProblem(await finish(), 403, 'forbidden')
  expect([message, hint]).toEqual([
    'The rules for you have changed since the import began; nothing was imported.',
    'Send the file again: it is then read under the present rules.',
  ])
  expect(await emails()).toEqual([])
})

test('a file is refused whose sender may not use its table at its end, by a dry run, too', async () => {
  for (const query of ['', '?dryRun=true']) {
    await save()
    const { finish } = await beginSlow({ query })
    await save({ ...allowed, group: 'role:viewer' })
    await expectProblem(await finish(), 403, 'forbidden')
  }
  expect(await emails()).toEqual([])
})

test('rules for others do not end an import', async () => {
  await save(allowed)
  const { finish } = await beginSlow()
  await save(allowed, { ...allowed, group: 'role:viewer', create: 'none' })
  expect((await finish()).status).toBe(200)
  expect(await emails()).toEqual(['a@example.org', 'b@example.org'])
})

test('an import that waited is read with the role and the rules of its turn', async () => {
  await save({ ...allowed, columns: { read: ['name'], write: ['name'] } })
  const { finish } = await beginSlow({ records: ['name\nA\n', 'B\n'] })
  const call = { as: 'admin', headers: { prefer: 'respond-async' } } as const
  const waiting = await upload(app, 'contacts', 'name,email\nC,c@example.org\n', call)
  expect([waiting.status, await waiting.json()]).toEqual([202, expect.objectContaining({ state: 'queued' })])
  await sql`update rowhouse.users set role = 'editor' where email = 'admin@example.org'`
  expect((await finish()).status).toBe(200)
  const state = async () => json(app.call(waiting.headers.get('location')!, { as: 'admin' }))
  await until('it has ended', async () => !['queued', 'running'].includes((await state()).state))
  expect(await state()).toMatchObject({ state: 'failed', problem: { code: 'validation_failed', errors: [{ line: 1, column: 'email' }] } })
  expect(await emails()).toEqual([null, null])
})
