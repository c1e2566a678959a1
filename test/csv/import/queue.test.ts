import { afterAll, afterEach, expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createHandler, dialects } from '../../../src/app'
import { createDeps } from '../../../src/commands/bootstrap'
import { serve } from '../../../src/http/server/serve'
import { json, startApp } from '../../support/app'
import { makeContacts, upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

/** Of two places one user gets one: what the same user sends then waits for its turn, if it was sent to be told later. */
// With a database elsewhere, the data directory holds nothing but what waits.
const app = await startApp({ DATABASE_URL: 'postgres://elsewhere/rowhouse' })
await makeContacts(app, 'contacts')
const { sql } = app.deps.db
await sql.unsafe(`create function data.wait() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(1); return new; end';
  create trigger wait before insert on data.contacts for each row when (new.name = 'wait') execute function data.wait()`)

/** A second instance on the same database. */
const deps = createDeps(app.deps.config, app.deps.events, app.target, () => true)
const other = serve(createHandler(deps), app.deps.config, app.deps.events, dialects)
afterAll(async () => {
  await other.stop()
  await deps.renderer.stop()
  await deps.db.close()
})

const async = { prefer: 'respond-async' }
const count = async (name: string) => (await sql`select count(*)::int as n from data.contacts where name = ${name}`)[0]!.n as number
const begin = (file: string, headers: Record<string, string> = {}, query = '') =>
  upload(app, 'contacts', file, { query, headers: { ...async, ...headers } })
const ask = (path: string, method = 'GET', url = app.url) =>
  fetch(url + path, { method, headers: { authorization: `Bearer ${app.tokens.editor}` } })
const ended = async (path: string) => {
  await until('it has ended', async () => !['queued', 'running'].includes((await json(ask(path))).state))
  return json(ask(path))
}

/** An import that has the user's place until it is released. */
async function occupy(): Promise<{ path: string; release: () => Promise<void> }> {
  const connection = await sql.reserve()
  await connection`select pg_advisory_lock(1)`
  const path = (await begin('name\nwait\n')).headers.get('location')!
  let isHeld = true
  const release = async () => {
    if (!isHeld) return
    isHeld = false
    await connection`select pg_advisory_unlock(1)`
    connection.release()
    await ended(path)
  }
  held.push(release)
  return { path, release }
}
const held: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const release of held.splice(0)) await release()
  await until(
    'every import has ended',
    async () => !(await sql`select 1 from rowhouse.imports where state in ('queued', 'running')`).length,
  )
})

async function beginQueued(file: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await begin(file, headers)
  expect(answer.status).toBe(202)
  expect(await answer.clone().json()).toMatchObject({ state: 'queued' })
  return answer.headers.get('location')!
}

test('imports of one user are taken while another one runs, and run one after the other', async () => {
  const { path, release } = await occupy()
  const queued = [await beginQueued('name,age\nsecond,1\n'), await beginQueued('name,age\nthird,1\nthird,2\n')]
  expect(await json(ask(path))).toMatchObject({ state: 'running' })
  for (const one of queued) expect(await json(ask(one))).toMatchObject({ state: 'queued', rows: null, result: null, finishedAt: null })
  expect(await json(ask(queued[0]!))).toMatchObject({ bytes: 18 })
  await release()
  expect(await ended(queued[0]!)).toMatchObject({ state: 'complete', rows: 1, result: { inserted: 1 } })
  expect(await ended(queued[1]!)).toMatchObject({ state: 'complete', rows: 2, result: { inserted: 2 } })
})

test('a file that waits is kept byte by byte, and its room is free at once', async () => {
  const { release } = await occupy()
  const lines = Array.from({ length: 60_000 }, (_, line) => `large,${line}\n`).join('')
  const form = new FormData()
  form.append('file', new File([`name,age\n${lines}`], 'large.csv', { type: 'text/csv' }))
  const answer = await upload(app, 'contacts', form, { headers: async })
  expect(readdirSync(app.deps.config.dataDir).filter((name) => name.startsWith('import-'))).toEqual([])
  await release()
  expect(await ended(answer.headers.get('location')!)).toMatchObject({ state: 'complete', rows: 60_000 })
  expect(await sql`select sum(age)::int as sum from data.contacts where name = 'large'`).toMatchObject([{ sum: (60_000 * 59_999) / 2 }])
})

test('a request that waits for its result is told what to do', async () => {
  await occupy()
  const { message } = await expectProblem(await upload(app, 'contacts', 'name\nimpatient\n'), 503, 'unavailable')
  expect(message).toBe(
    'Another import of yours is running. Wait for it, or send Prefer: respond-async: then up to 10 imports wait for their turn.',
  )
})

test('what is wrong with the request is told at once, and what is wrong with the file when its turn has come', async () => {
  const { release } = await occupy()
  await expectProblem(await begin('name\nx\n', {}, '?mode=some'), 400, 'invalid_request')
  await expectProblem(await upload(app, 'nothing', 'name\nx\n', { headers: async }), 404, 'not_found')
  const path = await beginQueued('name,age\nA,x\n')
  await release()
  expect(await ended(path)).toMatchObject({ state: 'failed', problem: { code: 'validation_failed', errors: [{ line: 2, column: 'age' }] } })
})

test.each(['the instance where it waits', 'another instance'])('a DELETE at %s takes it out of the queue', async (where) => {
  const { release } = await occupy()
  const path = await beginQueued('name\nwithdrawn\n')
  expect(await json(ask(path, 'DELETE', where === 'another instance' ? other.url : app.url))).toMatchObject({ state: 'cancelled' })
  await release()
  const after = await beginAfter('name\nafter\n')
  expect(await ended(after)).toMatchObject({ state: 'complete' })
  expect(await json(ask(path))).toMatchObject({ state: 'cancelled' })
  expect(await count('withdrawn')).toBe(0)
})

const beginAfter = async (file: string) => (await begin(file)).headers.get('location')!

test('an import whose instance has stopped while it waited has failed', async () => {
  const { release } = await occupy()
  const path = await beginQueued('name\nlost\n')
  await until('it is given up', async () => {
    await sql`update rowhouse.imports set seen_at = now() - interval '2 minutes' where state = 'queued'`
    return (await json(ask(path))).state === 'failed'
  })
  expect(await json(ask(path))).toMatchObject({ problem: { code: 'unavailable' } })
  await release()
  expect(await ended(await beginAfter('name\nafter\n'))).toMatchObject({ state: 'complete' })
  expect(await count('lost')).toBe(0)
})

test.each([
  ['role was taken away', `update rowhouse.users set role = 'viewer' where id = $1::uuid`, 'forbidden'],
  ['account was disabled', `update rowhouse.users set disabled_at = now() where id = $1::uuid`, 'invalid_token'],
])('someone whose %s while the import waited imports nothing', async (_, change, code) => {
  const { release } = await occupy()
  const path = await beginQueued('name\nrevoked\n')
  const [row] = await sql<{ user_id: string }[]>`select user_id from rowhouse.imports where state = 'queued'`
  const id = path.split('/').at(-1)!
  await sql.unsafe(change, [row!.user_id])
  try {
    await release().catch(() => {})
    await until('it has failed', async () => (await sql`select 1 from rowhouse.imports where id = ${id} and state = 'failed'`).length === 1)
  } finally {
    await sql`update rowhouse.users set role = 'editor', disabled_at = null where id = ${row!.user_id}`
  }
  expect(await json(ask(path))).toMatchObject({ state: 'failed', problem: { code } })
  expect(await count('revoked')).toBe(0)
})

test('no more than ten wait for one user', async () => {
  const { release } = await occupy()
  for (let turn = 0; turn < 10; turn++) await beginQueued('name\nmany\n')
  await expectProblem(await begin('name\nmany\n'), 503, 'unavailable')
  await release()
  await until('all are imported', async () => (await count('many')) === 10)
})

test('of two with the same Idempotency-Key one is imported', async () => {
  const { release } = await occupy()
  const key = { 'idempotency-key': Bun.randomUUIDv7() }
  const paths = [await beginQueued('name\nonce\n', key), await beginQueued('name\nonce\n', key)]
  await release()
  expect(await ended(paths[0]!)).toMatchObject({ state: 'complete' })
  expect(await ended(paths[1]!)).toMatchObject({
    state: 'failed',
    problem: { code: 'conflict', message: expect.stringContaining(paths[0]!) },
  })
  expect((await begin('name\nonce\n', key)).headers.get('location')).toBe(paths[0]!)
  expect(await count('once')).toBe(1)
})

test('a data directory that is missing is made, and one that takes no file is told of', async () => {
  const { dataDir } = app.deps.config
  const { release } = await occupy()
  rmSync(dataDir, { recursive: true })
  const path = await beginQueued('name\nmade\n')
  rmSync(dataDir, { recursive: true })
  writeFileSync(dataDir, 'a file')
  await expectProblem(await begin('name\nno folder\n'), 503, 'unavailable')
  rmSync(dataDir)
  await release()
  expect(await ended(path)).toMatchObject({ state: 'complete' })
  expect([await count('made'), await count('no folder')]).toEqual([1, 0])
})
