import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { json, startApp, type TestApp } from '../../support/app'
import { makeContacts, upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

const app = await startApp({ ROWHOUSE_MAX_UPLOAD_BYTES: '64MB' })
await makeContacts(app, 'contacts')

const count = async (which: TestApp, table = 'contacts') =>
  (await which.deps.db.sql.unsafe(`select count(*)::int as n from data."${table}"`))[0]!.n as number

const copying = async (which: TestApp) =>
  (
    await which.deps.db.sql`select pid from pg_stat_activity where datname = current_database() and query like 'copy%' and state = 'active'`
  ).map(({ pid }) => pid as number)

/** A client that sends a head and some of its body, and stays on the line. */
function begin(
  which: TestApp,
  head: string[],
  body: string,
  { path = 'contacts/import', token = which.tokens.editor } = {},
): Promise<Socket & { received: () => string }> {
  const { hostname, port } = new URL(which.url)
  return new Promise((done) => {
    let received = ''
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      const lines = [
        `POST /api/v1/tables/${path} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${token}`,
        'Content-Type: text/csv',
        ...head,
      ]
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
      done(Object.assign(socket, { received: () => received }))
    })
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => {})
  })
}

test('a client that leaves in the middle leaves nothing behind', async () => {
  const socket = await begin(app, ['Content-Length: 10000000'], `name,age\n${'A,1\n'.repeat(20_000)}`)
  await until('the import runs', async () => (await copying(app)).length === 1)
  socket.destroy()
  await until('the import has ended', async () => (await copying(app)).length === 0)
  expect(await count(app)).toBe(0)
})

test('a client that leaves while PostgreSQL writes ends that, too', async () => {
  await app.deps.db.sql.unsafe(`create function data.dawdle() returns trigger language plpgsql as 'begin perform pg_sleep(0.05); return new; end';
    create trigger dawdle before insert on data.contacts for each row execute function data.dawdle()`)
  const leave = new AbortController()
  const sent = fetch(`${app.url}/api/v1/tables/contacts/import`, {
    method: 'POST',
    body: `name\n${'A\n'.repeat(1000)}`,
    headers: { authorization: `Bearer ${app.tokens.editor}`, 'content-type': 'text/csv' },
    signal: leave.signal,
  }).catch(() => null)
  const writing = () =>
    app.deps.db
      .sql`select from pg_stat_activity where query like 'insert into "data"."contacts"%' and state = 'active' and datname = current_database()`
  await until('it writes', async () => (await writing()).length === 1)
  leave.abort()
  await sent
  await until('it has ended', async () => (await writing()).length === 0)
  await app.deps.db.sql.unsafe('drop trigger dawdle on data.contacts; drop function data.dawdle')
  expect(await count(app)).toBe(0)
})

test('a database that ends the import answers 503, and the next import works', async () => {
  const socket = await begin(app, ['Content-Length: 1000000'], 'name,age\nA,1\n')
  await until('the import runs', async () => (await copying(app)).length === 1)
  for (const pid of await copying(app)) await app.deps.db.sql`select pg_terminate_backend(${pid})`
  await until('an answer', async () => {
    socket.write(`${'A,1\n'.repeat(1000)}`)
    return socket.received().includes('\r\n\r\n')
  })
  expect(socket.received()).toStartWith('HTTP/1.1 503')
  socket.destroy()
  expect((await upload(app, 'contacts', 'name\nA\n', { query: '?dryRun=true' })).status).toBe(200)
})

test('a body beyond the limit is refused while it comes, with and without a length', async () => {
  const socket = await begin(app, [`Content-Length: ${65 * 2 ** 20}`], 'name\n')
  await until('an answer', async () => socket.received().includes('\r\n\r\n'))
  expect(socket.received()).toStartWith('HTTP/1.1 413')
  socket.destroy()
  const small = await startApp({ ROWHOUSE_MAX_UPLOAD_BYTES: '100KB' })
  await makeContacts(small, 'contacts')
  const stream = new ReadableStream({
    async pull(controller) {
      await Bun.sleep(1)
      controller.enqueue(new TextEncoder().encode('name\nA\n'.repeat(2000)))
    },
  })
  await expectProblem(await upload(small, 'contacts', stream), 413, 'payload_too_large')
  expect(await count(small)).toBe(0)
})

test('a sender that stalls, or dribbles, is ended, and its place is free again', async () => {
  const small = await startApp({ ROWHOUSE_TRANSFER_IDLE_TIMEOUT: '1s', ROWHOUSE_IMPORT_CONCURRENCY: '1' })
  await makeContacts(small, 'contacts')
  for (const everyMs of [0, 100]) {
    const socket = await begin(small, ['Content-Length: 1000000'], 'name\n')
    const dribble = everyMs ? setInterval(() => socket.write('A\n'), everyMs) : undefined
    await until('an answer', async () => socket.received().includes('stalled'))
    clearInterval(dribble)
    expect(socket.received()).toStartWith('HTTP/1.1 400')
    socket.destroy()
    expect((await upload(small, 'contacts', 'name\nA\n', { query: '?dryRun=true' })).status).toBe(200)
  }
  expect(await count(small)).toBe(0)
})

test('more imports than there are places wait, and then get 503', async () => {
  const small = await startApp({ ROWHOUSE_IMPORT_CONCURRENCY: '1', DATABASE_POOL_SIZE: '1' })
  await makeContacts(small, 'contacts')
  const socket = await begin(small, ['Content-Length: 1000000'], 'name\nA\n')
  await until('the import runs', async () => (await copying(small)).length === 1)
  expect((await small.call('/api/v1/tables/contacts/records', { as: 'viewer' })).status).toBe(200)
  const refused = await upload(small, 'contacts', 'name\nA\n')
  expect(refused.headers.get('retry-after')).toBe('10')
  await expectProblem(refused, 503, 'unavailable')
  socket.destroy()
  await until('a place', async () => (await upload(small, 'contacts', 'name\nA\n', { query: '?dryRun=true' })).status === 200)
})

test('an import that takes too long is ended with 503 and undone', async () => {
  const small = await startApp({ ROWHOUSE_TRANSFER_TIMEOUT: '1s' })
  await makeContacts(small, 'contacts')
  const socket = await begin(small, ['Content-Length: 100000000'], 'name\n')
  const feed = setInterval(() => socket.write('A\n'.repeat(10_000)), 50)
  await until('an answer', async () => socket.received().includes('\r\n\r\n'))
  clearInterval(feed)
  expect(socket.received()).toStartWith('HTTP/1.1 503')
  socket.destroy()
  expect(await count(small)).toBe(0)
})

test('cells of ten megabytes, texts of all directions, formulas and line ends come back as they were', async () => {
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'texts', columns: [{ name: 'text', type: 'longText' }] } })
  const texts = [
    'x'.repeat(10_000_000),
    'שלום עולם',
    '=1+1',
    '@SUM(A1)',
    '\t',
    '\\.',
    '\\N',
    'a\r\nb',
    'c\rd',
    '',
    ' ',
    'N\u0301 😀',
    '"',
    '""',
    ',;|\t',
    "'",
    'null',
  ]
  const file = `text\n${texts.map((text) => `"${text.replaceAll('"', '""')}"\n`).join('')}`
  expect(await json(upload(app, 'texts', file))).toMatchObject({ inserted: texts.length })
  const stored = await app.deps.db.sql.unsafe('select text from data.texts order by id')
  expect(stored.map(({ text }) => text)).toEqual(texts)
  const out = await (await app.call('/api/v1/tables/texts/export.csv?select=text&order=id', { as: 'viewer' })).text()
  await app.deps.db.sql.unsafe('truncate data.texts')
  expect(await json(upload(app, 'texts', out))).toMatchObject({ inserted: texts.length })
  expect((await app.deps.db.sql.unsafe('select text from data.texts order by id')).map(({ text }) => text)).toEqual(texts)
})

test('a file of 1 600 columns is read, and what PostgreSQL cannot store is a sentence', async () => {
  await app.deps.db.sql.unsafe(
    `create table data.wide (id int primary key, ${Array.from({ length: 1599 }, (_, index) => `c${index} int`).join(', ')})`,
  )
  const head = ['id', ...Array.from({ length: 1599 }, (_, index) => `c${index}`)].join(',')
  const line = (id: number, value: string) => [id, ...Array.from({ length: 1599 }, () => value)].join(',')
  expect(await json(upload(app, 'wide', `${head}\n${line(1, '1')}\n${line(2, '')}\n`))).toMatchObject({ inserted: 2 })
  const problem = await expectProblem(await upload(app, 'wide', `${head}\n${line(3, '1234567890')}\n`), 422, 'validation_failed')
  expect(problem.errors).toEqual([{ line: 2, column: null, message: expect.stringContaining('too large') }] as never)
})

test('every address that comes twice is counted, and the answer names a hundred', async () => {
  await makeContacts(app, 'many')
  const line = (name: number) => `n,${name}@x\n`.repeat(4000)
  const file = `name,email\n${Array.from({ length: 10 }, (_, index) => line(index)).join('')}`
  const problem = await expectProblem(await upload(app, 'many', file), 422, 'validation_failed')
  expect([problem.details?.errorCount, problem.errors?.length]).toEqual([10 * 4000 - 10, 100])
})

test.each([
  [
    'a token that is revoked',
    'editor',
    'contacts/import',
    'delete from rowhouse.tokens where user_id = (select id from rowhouse.users where role = $1)',
    401,
  ],
  ['an editor who becomes a viewer', 'editor', 'contacts/import', `update rowhouse.users set role = 'viewer' where role = $1`, 403],
  ['an administrator who becomes a viewer', 'admin', 'import?name=made', `update rowhouse.users set role = 'viewer' where role = $1`, 403],
] as const)('%s while the file comes imports nothing (SEC-96)', async (_what, role, path, statement, status) => {
  const small = await startApp()
  await makeContacts(small, 'contacts')
  const file = 'name\nA\nB\n'
  const head = [`Content-Length: ${file.length}`]
  const socket = await begin(small, head, file.slice(0, -2), { path, token: small.tokens[role] })
  await until('the import runs', async () => (await copying(small)).length === 1 || path !== 'contacts/import')
  expect((await small.call('/api/v1/tables', { as: role })).status).toBe(200)
  await small.deps.db.sql.unsafe(statement, [role])
  socket.write(file.slice(-2))
  await until('an answer', async () => socket.received().includes('\r\n\r\n'))
  expect(socket.received()).toStartWith(`HTTP/1.1 ${status}`)
  socket.destroy()
  expect(await count(small)).toBe(0)
  const tables = await json(small.call('/api/v1/tables', { as: 'viewer' }))
  expect(tables.tables.map(({ name }: { name: string }) => name)).toEqual(['contacts'])
})
