import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const create = (body: object | string) => app.call('/api/v1/tables', { as: 'admin', body })
const tableCount = async () =>
  (await app.deps.db.query("select 1 from pg_class where relnamespace = 'data'::regnamespace and relkind = 'r'")).length

const hostile = [
  'a"; drop table rowhouse.users; --',
  '"',
  '""',
  "'",
  "'); select pg_sleep(9); --",
  '\\',
  '$1',
  '%s',
  '?',
  'a b',
  ' lead',
  'a.b',
  'a/b',
  'a,b',
  'a&b=c',
  '#',
  'select',
  'user',
  'table',
  'true',
  '1',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'ü'.repeat(31),
  '🦊'.repeat(15),
  '‮abc',
  'İ',
  '{a}',
  '<script>',
  ...['t', 'r', 'x', 'p', 'e', 'n', 'item', 'record', 'records', 'key', 'version', 'limit', 'data', 'excluded', 'value', 'ordinality'],
]

describe.each(hostile.map((name) => [name]))('the name %p', (name) => {
  test('is only a name: for a table, a column and a value', async () => {
    const made = await create({
      name,
      columns: [
        { name, type: 'text' },
        { name: 'other', type: 'integer', default: 7 },
      ],
    })
    const table = await json(made)
    expect({ status: made.status, name: table.name, column: table.columns[1]?.name }).toEqual({ status: 201, name, column: name })
    const records = `/api/v1/tables/${encodeURIComponent(name)}/records`
    const body = (value: string) => `{${JSON.stringify(name)}:${JSON.stringify(value)}}`
    const first = await app.call(records, { as: 'editor', body: body(name) })
    expect({ status: first.status, text: await first.text() }).toEqual({
      status: 201,
      text: `{"id":1,${JSON.stringify(name)}:${JSON.stringify(name)},"other":7}`,
    })
    const mixed = await app.call(records, { as: 'editor', body: `[${body('two')},{"other":3}]` })
    expect(mixed.status).toBe(201)
    const patched = await app.call(`${records}/3`, { as: 'editor', method: 'PATCH', body: body('three') })
    expect(await patched.text()).toBe(`{"id":3,${JSON.stringify(name)}:"three","other":3}`)
    const list = await (await app.call(`/api/v1/tables/${table.id}/records?limit=2`, { as: 'viewer' })).text()
    expect(list).toStartWith(`{"records":[{"id":1,${JSON.stringify(name)}:${JSON.stringify(name)},"other":7},{"id":2,`)
    expect((await app.call(`${records}/1`, { as: 'editor', method: 'DELETE' })).status).toBe(204)
  })

  test('is a name of the primary key as well', async () => {
    const table = await json(create({ name: `key ${name}`.slice(0, 20).toWellFormed(), primaryKey: { name, type: 'text' }, columns: [] }))
    const response = await app.call(`/api/v1/tables/${table.id}/records`, { as: 'editor', body: `{${JSON.stringify(name)}:"a/b,c%"}` })
    expect(response.status).toBe(201)
    expect((await app.call(response.headers.get('location')!, { as: 'viewer' })).status).toBe(200)
    const again = await app.call(`/api/v1/tables/${table.id}/records`, { as: 'editor', body: `{${JSON.stringify(name)}:"a/b,c%"}` })
    expect(again.status).toBe(409)
  })
})

test('all of them lived beside each other, and our own tables are still there', async () => {
  expect(await tableCount()).toBe(hostile.length * 2)
  expect((await app.call('/auth/me', { as: 'admin' })).status).toBe(200)
})

describe('a table is refused', () => {
  const column = (more: object) => ({ name: 'x', columns: [{ name: 'a', type: 'text', ...more }] })
  test.each([
    ['without a name', { name: '', columns: [] }, '/name'],
    ['with a name of spaces', { name: '  ', columns: [] }, '/name'],
    ['with a name of 64 bytes', { name: 'x'.repeat(64), columns: [] }, '/name'],
    ['with a name of 32 letters in 64 bytes', { name: 'ü'.repeat(32), columns: [] }, '/name'],
    ['with a NUL in its name', { name: 'a\0', columns: [] }, '/name'],
    ['with a lone surrogate in its name', { name: '\ud800', columns: [] }, '/name'],
    ['with a UUID as its name', { name: Bun.randomUUIDv7(), columns: [] }, '/name'],
    ['with a column of an unknown type', column({ type: 'varchar' }), '/columns/0/type'],
    ['with a type that is a property of every object', column({ type: 'constructor' }), '/columns/0/type'],
    ['with a column that has no name', column({ name: '' }), '/columns/0/name'],
    [
      'with two columns of one name',
      {
        name: 'x',
        columns: [
          { name: 'a', type: 'text' },
          { name: 'a', type: 'text' },
        ],
      },
      '/columns/1/name',
    ],
    ['with a column named as the key', { name: 'x', columns: [{ name: 'id', type: 'text' }] }, '/columns/0/name'],
    ...['xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'tableoid'].map((name) => [
      `with a column named ${name}, which PostgreSQL keeps for itself`,
      column({ name }),
      '/columns/0/name',
    ]),
    ['with a default of a wrong type', column({ type: 'integer', default: 'many' }), '/columns/0/default'],
    ...['1e10', '999.995', '-0.1e4', 1000].map((value) => [
      `with a default that has too many digits (${value})`,
      column({ type: 'decimal', options: { precision: 5, scale: 2 }, default: value }),
      '/columns/0/default',
    ]),
    [
      'with a default that JavaScript cannot hold',
      '{"name":"x","columns":[{"name":"a","type":"json","default":[1e400]}]}',
      '/columns/0/default',
    ],
    ['with a default that holds a NUL', column({ default: '\0' }), '/columns/0/default'],
    ['with an option that is unknown', column({ options: { length: 5 } }), '/columns/0/options/length'],
    ['with a precision of 0', column({ type: 'decimal', options: { precision: 0 } }), '/columns/0/options/precision'],
    ['with more scale than precision', column({ type: 'decimal', options: { precision: 2, scale: 3 } }), '/columns/0/options/scale'],
    ['with SQL for a precision', column({ type: 'decimal', options: { precision: '1);drop' } }), '/columns/0/options/precision'],
    ['with a key of no columns', { name: 'x', primaryKey: [], columns: [] }, '/primaryKey'],
    ['with a key that is no column', { name: 'x', primaryKey: ['b'], columns: [{ name: 'a', type: 'text' }] }, '/primaryKey/0'],
    ['with a column twice in the key', { name: 'x', primaryKey: ['a', 'a'], columns: [{ name: 'a', type: 'text' }] }, '/primaryKey/1'],
    ['with JSON in the key', { name: 'x', primaryKey: ['a'], columns: [{ name: 'a', type: 'json' }] }, '/primaryKey/0'],
    ['with a key of another type', { name: 'x', primaryKey: { name: 'id', type: 'json' }, columns: [] }, '/primaryKey'],
    ['with a field that nobody asked for', { name: 'x', columns: [], schema: 'rowhouse' }, '/schema'],
    [
      'with more than 500 columns',
      { name: 'x', columns: Array.from({ length: 501 }, (_, n) => ({ name: `c${n}`, type: 'text' })) },
      '/columns',
    ],
  ] as [string, object | string, string][])('%s', async (_what, body, path) => {
    const before = await tableCount()
    const { errors } = await expectProblem(await create(body), 422, 'validation_failed')
    expect(errors!.map((error) => error.path)).toEqual(expect.arrayContaining([expect.stringMatching(new RegExp(`^${path}(/|$)`))]))
    expect(await tableCount()).toBe(before)
  })

  test('when its name is that of an index that another table brought along: 409', async () => {
    await create({ name: 'shelf', columns: [] })
    await expectProblem(await create({ name: 'shelf_pkey', columns: [] }), 409, 'conflict')
  })
})

test('of twenty tables of one name that are made at once, one is', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'race', columns: [{ name: 'a', type: 'text' }] })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
})

test('a table with 500 columns works', async () => {
  const columns = Array.from({ length: 500 }, (_, n) => ({ name: `c${n}`, type: 'integer' }))
  expect((await create({ name: 'wide', columns })).status).toBe(201)
  const body = Object.fromEntries(columns.map(({ name }, n) => [name, n]))
  expect(await json(app.call('/api/v1/tables/wide/records', { as: 'editor', body }))).toEqual({ id: 1, ...body })
})

test('a table that was just made is there for the very next request, on this and on another instance', async () => {
  for (let n = 0; n < 10; n++) {
    const { id } = await json(create({ name: `fresh${n}`, columns: [] }))
    expect((await app.call(`/api/v1/tables/fresh${n}`, { as: 'viewer' })).status).toBe(200)
    expect((await app.call(`/api/v1/tables/data.fresh${n}`, { as: 'viewer' })).status).toBe(200)
    expect((await app.call(`/api/v1/tables/${id.toUpperCase()}`, { as: 'viewer' })).status).toBe(200)
  }
})

const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })

test('the first text names a record, unless another column is chosen, also after it is gone', async () => {
  const columns = [
    { name: 'note', type: 'longText' },
    { name: 'title', type: 'text' },
    { name: 'code', type: 'integer' },
    { name: 'files', type: 'attachment' },
  ]
  expect((await json(admin('', 'POST', { name: 'named', columns }))).displayColumn).toBe('title')
  const choose = async (displayColumn: unknown) => admin('/named', 'PATCH', { displayColumn })
  expect((await json(choose('code'))).displayColumn).toBe('code')
  await admin('/named/columns/code', 'PATCH', { name: 'number' })
  expect((await json(admin('/named', 'GET'))).displayColumn).toBe('number')
  expect((await json(choose(null))).displayColumn).toBe('title')
  for (const wrong of ['nothing', 'files', '']) {
    const { errors } = await expectProblem(await choose(wrong), 422, 'validation_failed')
    expect(errors![0]!.path).toBe('/displayColumn')
  }
  await choose('number')
  await admin('/named/columns/number?confirm=number', 'DELETE')
  expect((await json(admin('/named', 'GET'))).displayColumn).toBe('title')
  await expectProblem(await admin('/named', 'PATCH', {}), 422, 'validation_failed')
})

test('a column whose values are keys cannot name a record, and one that has become a link does no longer', async () => {
  const create = async (name: string, columns: object[]) => json(admin('', 'POST', { name, columns }))
  await create('clients', [{ name: 'name', type: 'text' }])
  await create('deliveries', [
    { name: 'client', type: 'link', options: { table: 'clients' } },
    { name: 'driver', type: 'user' },
    { name: 'made by', type: 'createdBy' },
    { name: 'place', type: 'text' },
    { name: 'depot', type: 'text' },
  ])
  await admin('/deliveries/columns', 'POST', { name: 'client name', type: 'lookup', options: { link: 'client', column: 'name' } })
  const choose = async (displayColumn: string) => admin('/deliveries', 'PATCH', { displayColumn })
  for (const keys of ['client', 'driver', 'made by']) {
    const { errors } = await expectProblem(await choose(keys), 422, 'validation_failed')
    expect(errors!.map(({ path }) => path)).toEqual(['/displayColumn'])
  }
  expect((await json(choose('client name'))).displayColumn).toBe('client name')
  expect((await json(choose('depot'))).displayColumn).toBe('depot')
  await admin('/deliveries/columns/depot', 'PATCH', { type: 'link', options: { table: 'clients' } })
  expect((await json(admin('/deliveries', 'GET'))).displayColumn).toBe('place')
})
