import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { json, startApp } from '../../support/app'
import { newFolder } from '../../support/executable'
import { endpoints, pluginsWith } from '../../support/plugins'
import { expectProblem } from '../../support/problem'

/** What the caller is to do, as code: this is how the tests reach the facade. */
const run = (isPublic: boolean, path: string, allow: string) =>
  `{ method: 'POST', path: '${path}', public: ${isPublic}, body: t.Object({ code: t.String() }), allow: ${allow},
     handle: (call) => new (async () => {}).constructor('call', call.body.code)(call) }`
const text = endpoints(
  run(false, '/closed', '() => true'),
  run(true, '/open', '() => true'),
  run(true, '/asks', 'async ({ auth }) => (await auth.optional(), true)'),
)
const plugins = pluginsWith({ 'try/plugin.ts': text })
const app = await startApp({ ROWHOUSE_DATA_DIR: join(newFolder(), 'data') }, { plugins })
const table = async (name: string, columns: object[]): Promise<string> =>
  (await json(app.call('/api/v1/tables', { as: 'admin', body: { name, columns } }))).id
const books = await table('books', [
  { name: 'title', type: 'text', required: true },
  { name: 'order', type: 'bigint' },
  { name: 'a "b", c', type: 'text' },
  { name: 'price', type: 'decimal', options: { precision: 30, scale: 10 } },
  { name: 'cover', type: 'attachment' },
  { name: 'made', type: 'createdBy' },
])
await table('films', [{ name: 'title', type: 'text' }])

type Caller = { as?: 'admin' | 'editor' | 'viewer'; token?: string; path?: string }
const code = (source: string, { as, token, path = '/closed' }: Caller = { as: 'editor' }) =>
  app.call(`/api/v1/custom/try${path}`, { as, body: { code: source }, headers: token ? { authorization: `Bearer ${token}` } : {} })
const result = async (source: string, caller?: Caller) => {
  const response = await code(source, caller)
  expect({ status: response.status, problem: response.ok ? null : await response.clone().text() }).toEqual({ status: 200, problem: null })
  return json(response)
}
/** On an instance of the same database that gives calls up after a second. */
const { call: callHurried } = await startApp(
  { ROWHOUSE_DATA_DIR: join(newFolder(), 'data'), ROWHOUSE_PLUGIN_TIMEOUT: '1s' },
  { plugins, target: app.target, users: false },
)
const codeHurried = (source: string) =>
  callHurried('/api/v1/custom/try/closed', { body: { code: source }, headers: { authorization: `Bearer ${app.tokens.editor}` } })
const token = async (body: object, as: 'admin' | 'editor' = 'editor'): Promise<string> =>
  (await json(app.call('/auth/tokens', { as, body: { name: 'test', ...body } }))).token

describe('records', () => {
  test('are made, found, listed, changed and removed', async () => {
    const seen = await result(`
      const books = call.records('books')
      const [one, two] = await books.create([{ title: 'Emma', order: 5, price: 1.5 }, { title: 'O\\'Hara "x", (y)', 'a "b", c': 'q' }])
      const changed = await books.update(one.id, { title: 'Emma II' })
      const lists = [
        await books.list({ where: { id: [one.id, two.id] }, order: '-id', select: ['id', 'title'], count: 'exact' }),
        await books.list({ where: { title: two.title, 'a "b", c': { in: ['q', 'r,"'] } } }),
        await books.list({ where: { order: { gte: 5, lt: 6 }, made: { neq: null } }, limit: 1 }),
        await books.list('order=id.desc&limit=1&select=id'),
      ]
      const found = [await books.find(one.id), await books.find(String(two.id)), await books.find(0), await books.find('x'), await books.find('\\ud800'), await books.find({ title: 'Nobody' }), await books.find({ title: two.title })]
      await books.remove(two.id)
      return { one, two, changed, lists, found, left: await books.find(two.id) }`)
    const { one, two, changed, lists, found } = seen
    expect([one.title, one.order, one.price, one.made !== null]).toEqual(['Emma', 5, 1.5, true])
    expect(changed).toEqual({ ...one, title: 'Emma II' })
    expect(lists[0]).toEqual({
      records: [
        { id: two.id, title: two.title },
        { id: one.id, title: 'Emma II' },
      ],
      nextCursor: null,
      totalCount: 2,
    })
    expect(lists.slice(1).map(({ records }: { records: { id: number }[] }) => records.map(({ id }) => id))).toEqual([
      [two.id],
      [one.id],
      [two.id],
    ])
    expect(found).toEqual([changed, two, null, null, null, null, two])
    expect(seen.left).toBe(null)
  })

  test('keep all digits of their numbers', async () => {
    const [first, second] = await result(`
      const books = call.records('books')
      const one = await books.create({ title: 'x', order: 9007199254740993n, price: '12345678901234567.0123456789' })
      return [one, await books.create({ ...one, id: undefined, made: undefined, cover: undefined })]`)
    expect([first.order, first.price]).toEqual(['9007199254740993', '12345678901234567.0123456789'])
    expect([second.order, second.price]).toEqual([first.order, first.price])
  })

  test.each([
    [`call.records('books').create({})`, 422, 'validation_failed'],
    [`call.records('books').create({ title: 'x', order: 'many' })`, 422, 'validation_failed'],
    [`call.records('books').update(0, { title: 'x' })`, 404, 'not_found'],
    [`call.records('books').update('\\ud800', { title: 'x' })`, 404, 'not_found'],
    [`call.records('books').remove('\\ud800')`, 404, 'not_found'],
    [`call.records('nothing').list()`, 404, 'not_found'],
    [`call.records('books').list('nothing=eq.1')`, 400, 'invalid_request'],
    [`call.records('books').list({ where: { 'id"=eq.1&or=(id': 1 } })`, 400, 'invalid_request'],
    [`call.records('books').list({ where: { id: { '=': 1 } } })`, 500, 'internal'],
    [`call.records('books').list({ where: { title: undefined } })`, 500, 'internal'],
    [`call.records('books').list({ where: { title: { like: undefined } } })`, 500, 'internal'],
    [`call.records('books').list({ where: { id: [1, undefined] } })`, 500, 'internal'],
    [`call.records('books').list({ where: { order: { lt: null } } })`, 500, 'internal'],
    [`call.records('books').find({ title: undefined })`, 500, 'internal'],
    [`call.records('rowhouse.users').list()`, 404, 'not_found'],
    [`call.asSystem().records('rowhouse.users').list()`, 404, 'not_found'],
  ] as const)('%s answers %i', async (source, status, kind) => {
    await expectProblem(await code(`return ${source}`), status, kind)
  })
})

describe('the caller reaches', () => {
  const list = `return (await call.records('books').list()).records.length`
  const create = `return (await call.records('books').create({ title: 'x' })).title`
  const films = `return (await call.records('films').list()).records`

  test('nothing as a stranger, nor where nobody has asked who it is', async () => {
    await expectProblem(await code(list, { path: '/open' }), 401, 'unauthenticated')
    await expectProblem(await code(list, { path: '/open', as: 'admin' }), 401, 'unauthenticated')
    await expectProblem(await code(list, { path: '/asks' }), 401, 'unauthenticated')
    expect(await result(list, { path: '/asks', as: 'viewer' })).toBeGreaterThan(0)
  })

  test('what their role allows', async () => {
    await expectProblem(await code(create, { as: 'viewer' }), 403, 'forbidden')
    await expectProblem(
      await code(`return call.transaction((tx) => tx.records('books').create({ title: 'x' }))`, { as: 'viewer' }),
      403,
      'forbidden',
    )
    expect(await result(create)).toBe('x')
  })

  test('what their token allows: its tables, and no write by one that reads', async () => {
    const narrow = { token: await token({ tables: [books] }) }
    expect(await result(list, narrow)).toBeGreaterThan(0)
    await expectProblem(await code(films, narrow), 403, 'insufficient_scope')
    await expectProblem(await code(create, { token: await token({ scope: 'read' }), path: '/closed' }), 403, 'insufficient_scope')
  })

  test('everything as the system, which is nobody in createdBy', async () => {
    const source = `const { title, made } = await call.asSystem().records('books').create({ title: 'x' }); return { title, made }`
    expect(await result(source, { path: '/open' })).toEqual({ title: 'x', made: null })
    expect(await result(source, { as: 'viewer' })).toEqual({ title: 'x', made: null })
    expect(await result(films.replace('call.', 'call.asSystem().'), { token: await token({ tables: [books] }) })).toEqual([])
  })
})

describe('a transaction', () => {
  const count = async (title: string) =>
    (await json(app.call(`/api/v1/tables/books/records?title=eq.${title}`, { as: 'viewer' }))).records.length

  test('sees what it has written, and is done whole', async () => {
    const seen = await result(`return call.transaction(async ({ records }) => {
      const { id } = await records('books').create({ title: 'inside' })
      await records('books').update(id, { title: 'whole' })
      return [(await records('books').find(id)).title, (await records('books').list({ where: { id } })).records.length]
    })`)
    expect(seen).toEqual(['whole', 1])
    expect(await count('whole')).toBe(1)
  })

  test('is undone by what is thrown', async () => {
    await expectProblem(
      await code(
        `return call.transaction(async ({ records }) => { await records('books').create({ title: 'undone' }); await records('books').create({}) })`,
      ),
      422,
      'validation_failed',
    )
    expect(await count('undone')).toBe(0)
  })

  test('of a call that was given up is undone', async () => {
    const source = `return call.transaction(async ({ records }) => { await records('books').create({ title: 'late' }); await Bun.sleep(1300); await records('books').create({ title: 'later' }) })`
    await expectProblem(await codeHurried(source), 503, 'unavailable')
    await Bun.sleep(600)
    expect([await count('late'), await count('later')]).toEqual([0, 0])
  })

  test.each([
    ['that does nothing more', 'await Bun.sleep(1300)'],
    ['that never ends', 'await new Promise(() => {})'],
    ['that is tried again', 'await Bun.sleep(1300); throw Object.assign(new Error("again"), { code: "40001" })'],
  ])('of a call that was given up is undone at once, also one %s', async (_what, rest) => {
    const source = `return call.asSystem().transaction(async ({ records }) => { await records('books').update(1, { title: 'too late' }); ${rest} })`
    await expectProblem(await codeHurried(source), 503, 'unavailable')
    // Nobody waits for its locks.
    const title = `in time ${crypto.randomUUID()}`
    expect(await json(app.call('/api/v1/tables/books/records/1', { as: 'editor', method: 'PATCH', body: { title } }))).toMatchObject({
      title,
    })
    await Bun.sleep(600)
    expect(await count('too late')).toBe(0)
  })
})

test('transactions of the system as many as there are connections wait for none', async () => {
  const source = `return Promise.all(Array.from({ length: 40 }, (_, n) => call.asSystem().transaction(async ({ records }) => { await Bun.sleep(20); return (await records('books').create({ title: 'many' })).title })))`
  expect(await result(source)).toEqual(Array.from({ length: 40 }, () => 'many'))
})

test('attachments are written and read, within the same bounds', async () => {
  const seen = await result(`
    const { id } = await call.records('books').create({ title: 'with a file' })
    const [file] = await call.files.write('books', id, 'cover', { name: 'note.txt', bytes: 'hello' })
    const read = await call.files.read('books', id, 'cover')
    return { id, file, read, text: new TextDecoder().decode(await read.bytes()), listed: await call.files.list('books', id, 'cover'), none: await call.files.read('books', 1, 'cover') }`)
  expect(seen).toMatchObject({
    file: { name: 'note.txt', size: 5, type: 'text/plain' },
    text: 'hello',
    listed: [{ name: 'note.txt' }],
    none: null,
  })
  const write = `return call.files.write('books', ${seen.id}, 'cover', { name: 'a', bytes: 'b' })`
  await expectProblem(await code(write, { as: 'viewer' }), 403, 'forbidden')
  await expectProblem(await code(`return call.files.read('books', ${seen.id}, 'cover')`, { path: '/open' }), 401, 'unauthenticated')
  const slow = `return call.files.write('books', ${seen.id}, 'cover', { name: 'slow.txt', bytes: (async function* () { yield new Uint8Array(9); await Bun.sleep(1300); yield new Uint8Array(9) })() })`
  await expectProblem(await codeHurried(slow), 503, 'unavailable')
  await Bun.sleep(600)
  expect(await result(`return (await call.files.list('books', ${seen.id}, 'cover')).map(({ name }) => name)`)).toEqual(['note.txt'])
  await expectProblem(await code(`return call.files.read('films', ${seen.id}, 'cover')`), 404, 'not_found')
})

test('fetch reaches others, and ends with the call', async () => {
  expect(await result(`return (await call.fetch(${JSON.stringify(app.url)} + '/healthz')).json()`)).toEqual({ status: 'ok' })
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Bun.sleep(5000).then(() => new Response('late')) })
  await expectProblem(await codeHurried(`return (await call.fetch('${server.url}')).text()`), 503, 'unavailable')
  await server.stop(true)
})

test('fetch ends with a signal of the plugin, in its options or in its Request', async () => {
  const ends = await result(`
    const [url, own] = [${JSON.stringify(app.url)} + '/healthz', { signal: AbortSignal.abort() }]
    const fetched = [call.fetch(url, own), call.fetch(new Request(url, own)), call.fetch(new Request(url))]
    return Promise.all(fetched.map((each) => each.then(() => 'answered', () => 'ended')))`)
  expect(ends).toEqual(['ended', 'ended', 'answered'])
})

describe('sql', () => {
  test('reads with parameters, and sees no more than the served schemas', async () => {
    await result(
      `await call.records('books').create({ title: 'by sql', order: 9007199254740993n })`.replace('await call', 'return await call'),
    )
    const evil = `x' or true --`
    const seen = await result(`return [
      await call.sql\`select title, "order" from data.books where title = \${'by sql'} -- the end\`,
      await call.sql\`select title from data.books where title = \${${JSON.stringify(evil)}}\`,
      await call.sql\`select id from data.books where id = any(\${[1, 2]}::bigint[]) order by id\`,
      await call.sql\`select \${null}::text as a, \${{ b: 1 }}::jsonb as b\`,
    ]`)
    expect(seen[0]).toEqual([{ title: 'by sql', order: '9007199254740993' }])
    expect(await result(`return call.sql\`select count(*) as n from books where title = \${'by sql'}\``)).toEqual([{ n: 1 }])
    expect(seen[1]).toEqual([])
    expect(seen[3]).toEqual([{ a: null, b: { b: 1 } }])
  })

  test.each([
    'select * from rowhouse.users',
    'select * from rowhouse.sessions',
    'select rolpassword from pg_authid',
    "select pg_read_file('/etc/passwd')",
    "select set_config('role', 'none', false)",
    "select query_to_xml('select * from rowhouse.users', true, true, '')",
    "select pg_catalog.u&\"set\\005fconfig\"('role', 'none', true)",
    "select * from pg_catalog.u&\"query\\005fto\\005fxml\"('select * from rowhouse.users', true, true, '')",
    'reset role',
    'select 1) r; reset role; select * from rowhouse.users; select * from (select 1',
    "copy data.books to '/tmp/rowhouse-books'",
    "select lo_creat(-1), lo_create(1), lo_from_bytea(0, 'x')",
    "select lo_import('/etc/passwd')",
    "select 1+pg_catalog.lo_import('/etc/passwd')",
    'select "lo_creat"(-1)',
    "select pg_ls_dir('/')",
    'select * from pg_stat_file($$/etc/passwd$$)',
    'select pg_advisory_lock(1)',
    "select pg_notify('rowhouse', 'reload')",
    'select * from data.books for update',
    'select * into data.stolen from data.books',
    "values (current_setting('data_directory'))",
    'delete from data.books',
    'with gone as (delete from data.books returning *) select * from gone',
    "select nextval(pg_get_serial_sequence('data.books', 'id'))",
    'select 1) r; delete from data.books; select * from (select 1',
    'select 1 / 0',
    "select 'secret-value'::int",
  ])('%s is a mistake of the plugin, and the rest goes on', async (statement) => {
    for (const data of ['call', 'call.asSystem()']) {
      await expectProblem(await code(`return ${data}.sql([${JSON.stringify(statement)}])`), 500, 'internal')
    }
    expect(await result(`return (await call.sql\`select 1 as one\`)[0].one`)).toBe(1)
    expect(JSON.stringify(app.events.map((event) => ('error' in event ? String(event.error) : '')))).not.toContain('secret-value"')
  })

  test('reads columns whose names contain the name of a forbidden function', async () => {
    const names = ['articulo_importe', 'query_total', 'cursor_token', 'database_token', 'hello_created', 'slowrite', 'my_pg_reader']
    const columns = names.map((name) => `1 as ${name}`).join(', ')
    expect(await result(`return call.sql\`select ${columns}\``)).toEqual([Object.fromEntries(names.map((name) => [name, 1]))])
  })

  test('is closed to strangers and to tokens that are held to tables, and open to the system', async () => {
    const source = `return (await call.sql\`select 1 as one\`)[0].one`
    await expectProblem(await code(source, { path: '/open' }), 401, 'unauthenticated')
    await expectProblem(await code(source, { token: await token({ tables: [books] }) }), 403, 'insufficient_scope')
    expect(await result(source, { as: 'viewer' })).toBe(1)
    expect(await result(source.replace('call.', 'call.asSystem().'), { path: '/open' })).toBe(1)
  })

  test('sees tables that were made since, also when many ask at once', async () => {
    await table('later', [{ name: 'title', type: 'text' }])
    const asked = Array.from({ length: 12 }, () => result(`return call.sql\`select * from data.later\``))
    for (const seen of await Promise.all(asked)) expect(seen).toEqual([])
  })
})
