import { afterAll, describe, expect, test } from 'bun:test'
import { createHandler, dialects } from '../../src/app'
import { createDeps } from '../../src/commands/bootstrap'
import { connectDirectly } from '../../src/db/pool/open'
import { serve } from '../../src/http/server/serve'
import { createEvents } from '../../src/ops/log/events'
import { pruneIdempotencyKeys } from '../../src/records/idempotency'
import { json, startApp } from '../support/app'
import { inThisDatabase } from '../support/locks'
import { expectProblem } from '../support/problem'
import { until } from '../support/processes'

/**
 * Whoever sends a request again because nobody told them of its end gets the answer of the first one, and nothing is
 * done twice.
 */
const app = await startApp({ ROWHOUSE_RPC: 'data.add_note,data.add_late,data.look' })
const { db, config } = app.deps
const outside = connectDirectly(app.target, config)
afterAll(() => outside.end())
const columns = [{ name: 'title', type: 'text', unique: true }]
for (const name of ['books', 'slow', 'locked', 'late']) await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
await db.sql.unsafe(`create function data.look(n int) returns int language sql stable as $$ select n + 1 $$;
  create function data.add_note(title text) returns bigint language sql as $$
  insert into data.books (title) values (title) returning id $$`)
await db.sql.unsafe(`alter table data.late add constraint at_commit unique (title) deferrable initially deferred;
  do $$ declare c text; begin select conname into c from pg_constraint where conrelid = 'data.late'::regclass and contype = 'u' and not condeferrable;
    if c is not null then execute format('alter table data.late drop constraint %I', c); end if; end $$;
  create function data.add_late(title text) returns bigint language sql as $$ insert into data.late (title) values (title) returning id $$;
  insert into data.late (title) values ('twice')`)

// The second instance of a service on this database.
const other = createDeps({ ...config, port: 0 }, createEvents(), app.target, () => true)
const otherServer = serve(createHandler(other), other.config, other.events, dialects)
afterAll(async () => {
  await otherServer.stop()
  await other.db.close()
})

type Sent = { key?: string; as?: 'admin' | 'editor' | 'viewer'; body: unknown; url?: string; headers?: Record<string, string> }

const send = (path: string, { key, as = 'editor', body, url = app.url, headers = {} }: Sent) =>
  fetch(url + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      authorization: `Bearer ${app.tokens[as]}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...headers,
    },
  })

const seen = async (answer: Response) => {
  const { status, headers } = answer
  const names = ['etag', 'location', 'content-type', 'content-range', 'preference-applied']
  return { status, headers: names.map((name) => headers.get(name)), body: await answer.text() }
}
const titled = async (title: string, table = 'books') =>
  (await json(app.call(`/api/v1/tables/${table}/records?title=eq.${encodeURIComponent(title)}`, { as: 'viewer' }))).records.length as number
const newKey = () => `"${Bun.randomUUIDv7()}"`
const books = '/api/v1/tables/books/records'

describe('a request that is sent again with its key', () => {
  const representation = { prefer: 'return=representation' }
  const operations = (title: string) => ({ operations: [{ method: 'POST', table: 'books', body: { title } }] })
  test.each([
    ['one record', books, (title: string) => ({ title }), {}],
    ['several records', books, (title: string) => [{ title }], {}],
    ['one without its record', books, (title: string) => ({ title }), { prefer: 'return=minimal' }],
    ['a batch', '/api/v1/batch', operations, {}],
    ['a row at /rest/v1', '/rest/v1/books', (title: string) => ({ title }), representation],
    [
      'a row at /rest/v1, of which nothing is answered',
      '/rest/v1/books',
      (title: string) => ({ title }),
      { prefer: 'return=headers-only' },
    ],
    ['a function', '/rest/v1/rpc/add_note', (title: string) => ({ title }), {}],
  ] as const)('is answered as before, by both instances, and made once: %s', async (kind, path, bodyOf, headers) => {
    const key = newKey()
    const first = await send(path, { key, body: bodyOf(kind), headers })
    expect([first.ok, first.headers.get('idempotent-replayed')]).toEqual([true, null])
    const answer = await seen(first)
    for (const url of [app.url, otherServer.url]) {
      const again = await send(path, { key, body: bodyOf(kind), headers, url })
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(await seen(again)).toEqual(answer)
    }
    expect(await titled(kind)).toBe(1)
  })

  test('is answered also by a function that only reads', async () => {
    const key = newKey()
    const ask = async () => {
      const answer = await send('/rest/v1/rpc/look', { key, body: { n: 1 } })
      return [answer.status, await answer.text(), answer.headers.get('idempotent-replayed')]
    }
    expect([await ask(), await ask()]).toEqual([
      [200, '2', null],
      [200, '2', 'true'],
    ])
  })

  test('is another request when it says something else', async () => {
    const key = newKey()
    expect((await send(books, { key, body: { title: 'said once' } })).status).toBe(201)
    for (const different of [
      () => send(books, { key, body: { title: 'said otherwise' } }),
      () => send(`${books}?dryRun=true`, { key, body: { title: 'said once' } }),
      () => send('/api/v1/tables/slow/records', { key, body: { title: 'said once' } }),
      () => send(books, { key, body: { title: 'said once' }, headers: { prefer: 'return=minimal' } }),
    ])
      await expectProblem(await different(), 422, 'idempotency_key_reused')
    const rest = await send('/rest/v1/books', { key, body: { title: 'said once' } })
    expect([rest.status, (await json(rest)).code]).toEqual([422, 'idempotency_key_reused'])
    expect(await titled('said otherwise')).toBe(0)
  })

  test('is nobody else’s', async () => {
    const key = newKey()
    expect((await send(books, { key, body: { title: 'of the editor' } })).status).toBe(201)
    expect((await send(books, { key, as: 'admin', body: { title: 'of the admin' } })).status).toBe(201)
  })

  test('is not shown to a token of the same user that reaches less', async () => {
    const key = newKey()
    const body = { operations: [{ method: 'POST', table: 'books', body: { title: 'for a wide token' } }] }
    expect((await send('/api/v1/batch', { key, body })).status).toBe(200)
    const { tables } = await json(app.call('/api/v1/tables', { as: 'admin' }))
    const id = tables.find(({ name }: { name: string }) => name === 'slow').id
    const narrow = await json(app.call('/api/v1/auth/tokens', { as: 'editor', body: { name: 'narrow', scope: 'write', tables: [id] } }))
    const answer = await send('/api/v1/batch', { key, body, headers: { authorization: `Bearer ${narrow.token}` } })
    await expectProblem(answer, 422, 'idempotency_key_reused')
  })

  test('is another request when it accepts another form of the answer', async () => {
    const key = newKey()
    const as = (accept: string) => ({ key, body: { title: 'in a form' }, headers: { prefer: 'return=representation', accept } })
    expect((await send('/rest/v1/books', as('text/csv'))).status).toBe(201)
    const other = await send('/rest/v1/books', as('application/json'))
    expect(other.status).toBe(422)
    expect((await send('/rest/v1/books', as('text/csv'))).headers.get('idempotent-replayed')).toBe('true')
  })

  test('is tried again when it was refused', async () => {
    const key = newKey()
    const blocking = await json(send(books, { body: { title: 'taken' } }))
    await expectProblem(await send(books, { key, body: { title: 'taken' } }), 409, 'conflict')
    await app.call(`${books}/${blocking.id}`, { as: 'editor', method: 'DELETE' })
    expect((await send(books, { key, body: { title: 'taken' } })).status).toBe(201)
  })

  test('is told that the first one is under way, by both instances', async () => {
    const key = newKey()
    await outside.unsafe('begin')
    await outside.unsafe('lock table data.locked')
    const path = '/api/v1/tables/locked/records'
    const first = send(path, { key, body: { title: 'under way' } })
    const isWaiting = () => db.sql.unsafe(`select 1 from pg_locks where locktype = 'relation' and not granted and ${inThisDatabase}`)
    await until('the first one waits', async () => (await isWaiting()).length > 0)
    for (const url of [app.url, otherServer.url]) {
      const answer = await send(path, { key, body: { title: 'under way' }, url })
      expect(answer.headers.get('retry-after')).not.toBeNull()
      await expectProblem(answer, 409, 'request_in_progress')
    }
    await outside.unsafe('rollback')
    expect((await first).status).toBe(201)
    expect(await seen(await send(path, { key, body: { title: 'under way' } }))).toMatchObject({ status: 201 })
    expect(await titled('under way', 'locked')).toBe(1)
  })

  test.each([books.replace('books', 'slow'), '/rest/v1/slow'])(
    'finds out what nobody knew: the connection was lost at the commit (%s)',
    async (path) => {
      const key = newKey()
      await outside.unsafe(`create or replace function data.lose() returns trigger language plpgsql as $$ begin
          perform pg_terminate_backend(pg_backend_pid()), pg_sleep(60); return new; end $$;
        create constraint trigger lose after insert on data.slow deferrable initially deferred for each row execute function data.lose()`)
      const first = send(path, { key, body: { title: path } })
      expect((await json(first)).code).toBe('outcome_unknown')
      await outside.unsafe('drop trigger lose on data.slow')
      expect([(await send(path, { key, body: { title: path } })).status, await titled(path, 'slow')]).toEqual([201, 1])
    },
  )

  test('a day later is a new request, and the old answer is pruned', async () => {
    const key = newKey()
    expect((await send(books, { key, body: { title: 'yesterday' } })).status).toBe(201)
    await db.query(`update rowhouse.idempotency_keys set created_at = created_at - interval '25 hours' where key = $1`, [JSON.parse(key)])
    expect((await send(books, { key, body: { title: 'today' } })).status).toBe(201)
    await db.query(`update rowhouse.idempotency_keys set created_at = created_at - interval '25 hours' where key = $1`, [JSON.parse(key)])
    await pruneIdempotencyKeys(db)
    expect(await db.query('select 1 from rowhouse.idempotency_keys where key = $1', [JSON.parse(key)])).toHaveLength(0)
  })
})

describe('what PostgreSQL refuses only at the commit', () => {
  const operations = (title: string) => ({ operations: [{ method: 'POST', table: 'late', body: { title } }] })
  const record = (title: string) => ({ title })
  test.each([
    ['/api/v1/tables/late/records', record],
    ['/api/v1/batch', operations],
    ['/rest/v1/late', record],
    ['/rest/v1/rpc/add_late', record],
  ] as const)('is answered as without a key (%s)', async (path, bodyOf) => {
    const answers = [await send(path, { body: bodyOf('twice') }), await send(path, { key: newKey(), body: bodyOf('twice') })]
    expect(answers.map(({ status }) => status)).toEqual([409, 409])
    const [without, withKey] = await Promise.all(answers.map((answer) => json(answer)))
    expect({ ...withKey, requestId: null }).toEqual({ ...without, requestId: null })
  })
})

describe('the header', () => {
  test.each(['"a key"', '"with \\" and \\\\"', 'bare-token', '8e03978e-40d5-43dd-bc93-6894a57f9324', 'c29tZQ==', 'x'.repeat(255)])(
    'takes %s',
    async (key) => {
      expect((await send(books, { key, body: { title: key } })).status).toBe(201)
    },
  )

  test.each(['', '""', '"open', 'two keys', '"a", "b"', 'a, b', '"a";x=1', '"\\x"', 'x'.repeat(256), `"${'x'.repeat(256)}"`])(
    'is refused when it is malformed: %s',
    async (key) => {
      await expectProblem(await send(books, { key, body: { title: 'malformed' } }), 400, 'invalid_request')
      expect((await send('/rest/v1/books', { key, body: { title: 'malformed' } })).status).toBe(400)
    },
  )

  test('is what costs: without it nothing is kept', async () => {
    const count = async () => (await db.query<{ n: string }>('select count(*)::text as n from rowhouse.idempotency_keys'))[0]!.n
    const before = await count()
    for (const path of [books, '/rest/v1/books']) expect((await send(path, { body: { title: `plain ${path}` } })).status).toBe(201)
    expect(await count()).toBe(before)
  })
})
