import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createHandler, dialects } from '../../../src/app'
import { createDeps } from '../../../src/commands/bootstrap'
import { serve } from '../../../src/http/server/serve'
import { json, startApp } from '../../support/app'
import { makeContacts, upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

const app = await startApp()
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

const count = async () => (await sql`select count(*)::int as n from data.contacts`)[0]!.n as number
const begin = (file: string, { query = '', as = 'editor' as 'admin' | 'editor' } = {}) =>
  upload(app, 'contacts', file, { as, query, headers: { prefer: 'respond-async' } })
const ask = (path: string, { method = 'GET', as = 'editor' as 'admin' | 'editor', url = app.url } = {}) =>
  fetch(url + path, { method, headers: { authorization: `Bearer ${app.tokens[as]}` } })
const stateOf = async (path: string) => json(ask(path))
/** The place of an import is given back behind its end, so the next one may be queued for a moment. */
const isUnfinished = ({ state }: { state: string }) => state === 'queued' || state === 'running'
const ended = (path: string) => until('it has ended', async () => !isUnfinished(await stateOf(path)))
const writing = () =>
  sql`select from pg_stat_activity where query like 'insert into "data"."contacts"%' and state = 'active' and datname = current_database()`

/** Lets no import write the record `wait` until it is called. */
async function hold(): Promise<() => Promise<unknown>> {
  const connection = await sql.reserve()
  await connection`select pg_advisory_lock(1)`
  return async () => {
    await connection`select pg_advisory_unlock(1)`
    connection.release()
  }
}

test('with Prefer: respond-async the answer comes when the file has been read, and an id tells the rest', async () => {
  const release = await hold()
  const before = await count()
  const answer = await begin('name,age\nwait,1\nA,2\n')
  expect(answer.status).toBe(202)
  expect(answer.headers.get('preference-applied')).toBe('respond-async')
  const path = answer.headers.get('location')!
  const { id } = await json(answer)
  expect(path).toBe(`/api/v1/imports/${id}`)
  expect(await stateOf(path)).toMatchObject({ id, state: 'running', rows: 2, bytes: 20, result: null, problem: null, finishedAt: null })
  await release()
  await ended(path)
  expect(await stateOf(path)).toMatchObject({
    state: 'complete',
    result: { inserted: 2, updated: 0, dryRun: false },
    finishedAt: expect.any(String),
  })
  expect(await count()).toBe(before + 2)
})

test('no import ends before it has started, since the database tells both times by the same clock', async () => {
  const path = (await begin('name\nA\n')).headers.get('location')!
  await ended(path)
  const { startedAt, finishedAt } = await stateOf(path)
  expect(Date.parse(finishedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
})

test('what is wrong with the file is told there, with the lines', async () => {
  const path = (await begin('name,age\nA,x\n')).headers.get('location')!
  await ended(path)
  expect(await stateOf(path)).toMatchObject({
    state: 'failed',
    result: null,
    problem: { status: 422, code: 'validation_failed', errors: [{ line: 2, column: 'age' }], requestId: expect.any(String) },
  })
})

test('a dry run tells its result, too, and leaves nothing', async () => {
  const before = await count()
  const path = (await begin('name\nA\n', { query: '?dryRun=true' })).headers.get('location')!
  await ended(path)
  expect(await stateOf(path)).toMatchObject({ state: 'complete', result: { inserted: 1, dryRun: true } })
  expect(await count()).toBe(before)
})

test('what can be said before the file is read to its end is said at once', async () => {
  // As somebody who has no import: one behind another of the same user may be queued, and then its answer comes first.
  await expectProblem(await begin('nothing\nA\n', { as: 'admin' }), 422, 'validation_failed')
})

test('a new table is told by its id', async () => {
  const answer = await upload(app, 'import', 'a\n1\n', { as: 'admin', query: '?name=made', headers: { prefer: 'respond-async' } })
  expect(answer.status).toBe(202)
  const path = answer.headers.get('location')!
  const state = async () => json(ask(path, { as: 'admin' }))
  await until('it has ended', async () => !isUnfinished(await state()))
  const { tableId, result } = await state()
  expect(result).toMatchObject({ name: 'made', inserted: 1, table: { id: tableId } })
})

test.each(['the instance that runs it', 'another instance'])('a DELETE at %s cancels it, and nothing is imported', async (where) => {
  const url = where === 'another instance' ? other.url : app.url
  const release = await hold()
  const before = await count()
  const path = (await begin('name\nwait\n')).headers.get('location')!
  await until('it writes', async () => (await writing()).length === 1)
  expect(await json(ask(path, { method: 'DELETE', url }))).toMatchObject({ state: 'cancelled', result: null })
  await until('its statement has ended', async () => (await writing()).length === 0)
  await release()
  expect(await stateOf(path)).toMatchObject({ state: 'cancelled' })
  expect(await count()).toBe(before)
})

test('a DELETE that comes too late says that the import is complete', async () => {
  const path = (await begin('name\nA\n')).headers.get('location')!
  await ended(path)
  expect(await json(ask(path, { method: 'DELETE' }))).toMatchObject({ state: 'complete', result: { inserted: 1 } })
})

test('an import that was given up because nothing was heard of it cannot be done afterwards', async () => {
  const release = await hold()
  const before = await count()
  const path = (await begin('name\nwait\n')).headers.get('location')!
  await until('it writes', async () => (await writing()).length === 1)
  // As if its instance had stood still for two minutes.
  await until('it is given up', async () => {
    await sql`update rowhouse.imports set seen_at = now() - interval '2 minutes' where state = 'running'`
    return (await stateOf(path)).state === 'failed'
  })
  await release()
  await until('its statement has ended', async () => (await writing()).length === 0)
  expect(await stateOf(path)).toMatchObject({ state: 'failed', problem: { code: 'unavailable' } })
  expect(await count()).toBe(before)
})

test('only who imported may ask and cancel', async () => {
  const path = (await begin('name\nA\n')).headers.get('location')!
  await ended(path)
  for (const method of ['GET', 'DELETE']) await expectProblem(await ask(path, { method, as: 'admin' }), 404, 'not_found')
  await expectProblem(await ask('/api/v1/imports/nothing'), 404, 'not_found')
  expect((await fetch(app.url + path)).status).toBe(401)
})

test('no byte of an answer comes before the file has been sent to its end, whatever is wrong with it', async () => {
  const { hostname, port } = new URL(app.url)
  let received = ''
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('data', (chunk) => {
    received += chunk
  })
  const file = `nothing\n${'A\n'.repeat(1000)}`
  socket.write(
    `POST /api/v1/tables/contacts/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${app.tokens.editor}\r\nContent-Type: text/csv\r\n` +
      `Content-Length: ${file.length + 1}\r\n\r\n${file}`,
  )
  // Others are answered meanwhile; this one waits for its last byte.
  for (let turn = 0; turn < 20; turn++) expect((await ask('/api/v1/tables')).status).toBe(200)
  expect(received).toBe('')
  socket.write('B')
  await until('it is answered', async () => received.includes('validation_failed'))
  socket.destroy()
})
