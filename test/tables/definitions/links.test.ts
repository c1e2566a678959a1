import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
await app.deps.db.sql.unsafe(`create schema crm; create table crm.people (code text primary key, name text);
  create table crm.pairs (a int, b int, primary key (a, b)); create table crm.heap (a int); create view crm.seen as select * from crm.people;
  insert into crm.people values ('ada', 'Ada')`)
await app.deps.catalog.refresh()
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const insert = (table: string, body: object) => app.call(`/api/v1/tables/${encodeURIComponent(table)}/records`, { as: 'editor', body })
const linkTo = (table: string, more: object = {}) => ({ name: 'v', type: 'link', options: { table }, ...more })

test.each([
  ['a key of several columns', 'crm.pairs', 'several columns'],
  ['a table without a key', 'heap', 'no primary key'],
  ['a view', 'seen', 'The table to link to does not exist'],
  ['a table that is not there', 'peple', 'did you mean "people"'],
  ['a table of ours', 'rowhouse.users', 'The table to link to does not exist'],
])('a link to %s is refused', async (_what, table, message) => {
  for (const type of ['link', 'manyLinks']) {
    const { errors } = await expectProblem(
      await admin('', 'POST', { name: 'x', columns: [{ ...linkTo(table), type }] }),
      422,
      'validation_failed',
    )
    expect(errors).toEqual([{ path: '/columns/0/options/table', message: expect.stringContaining(message) }])
  }
})

test.each([
  ['an unlogged table', 'hot', 'unlogged table crm.hot (id int primary key)'],
  ['a table with a deferrable key', 'later', 'table crm.later (id int primary key deferrable)'],
])('a link to %s is refused, as PostgreSQL has no foreign key to it', async (_what, table, definition) => {
  await app.deps.db.sql.unsafe(`create ${definition}`)
  await app.deps.catalog.refresh()
  await admin('', 'POST', { name: `to ${table}`, columns: [] })
  for (const type of ['link', 'manyLinks']) {
    const { errors } = await expectProblem(await admin(`/to%20${table}/columns`, 'POST', { ...linkTo(table), type }), 409, 'conflict')
    expect(errors).toEqual([{ path: '/options/table', message: expect.stringMatching(/unlogged, or its key is deferrable/) }])
  }
})

test('links go to tables of other schemas and to keys of every kind', async () => {
  expect((await admin('', 'POST', { name: 'notes', columns: [linkTo('people')] })).status).toBe(201)
  expect((await insert('notes', { v: 'ada' })).status).toBe(201)
  expect((await insert('notes', { v: 'bob' })).status).toBe(409)
  await expectProblem(await insert('notes', { v: 5 }), 422, 'validation_failed')
  for (const type of ['uuid', 'text'] as const) {
    await admin('', 'POST', { name: `${type}s`, primaryKey: { name: 'k', type }, columns: [] })
    const k = type === 'uuid' ? (await json(insert('uuids', {}))).k : 'ü/%'
    if (type === 'text') await insert('texts', { k })
    await admin('', 'POST', {
      name: `to ${type}s`,
      columns: [linkTo(`${type}s`), { name: 'many', type: 'manyLinks', options: { table: `${type}s` } }],
    })
    const made = await insert(`to ${type}s`, { v: k, many: [k] })
    expect({ status: made.status, body: await made.json() }).toEqual({ status: 201, body: { id: 1, v: k, many: [k] } })
  }
})

test('what becomes of the record when the other is deleted', async () => {
  await admin('', 'POST', { name: 'targets', columns: [] })
  await admin('', 'POST', {
    name: 'pointing',
    columns: [
      { name: 'nulled', type: 'link', options: { table: 'targets' } },
      { name: 'kept', type: 'link', options: { table: 'targets', onDelete: 'restrict' } },
      { name: 'gone', type: 'link', options: { table: 'targets', onDelete: 'cascade' } },
      { name: 'one', type: 'link', unique: true, options: { table: 'targets' } },
    ],
  })
  await insert('targets', [{}, {}, {}, {}])
  await insert('pointing', [{ nulled: 1 }, { kept: 2 }, { gone: 3 }, { one: 4 }])
  const remove = async (id: number) => (await app.call(`/api/v1/tables/targets/records/${id}`, { as: 'editor', method: 'DELETE' })).status
  expect([await remove(1), await remove(2), await remove(3)]).toEqual([204, 409, 204])
  const { records } = await json(app.call('/api/v1/tables/pointing/records', { as: 'viewer' }))
  expect(records.map(({ id, nulled, kept }: Record<string, unknown>) => [id, nulled, kept])).toEqual([
    [1, null, null],
    [2, null, 2],
    [4, null, null],
  ])
  expect((await insert('pointing', { one: 4 })).status).toBe(409)
})

test('a table with a key of two columns has links to many, names that are too long are cut', async () => {
  const name = 'ü'.repeat(31)
  await admin('', 'POST', {
    name,
    primaryKey: ['a', 'b'],
    columns: [
      { name: 'a', type: 'text' },
      { name: 'b', type: 'integer' },
    ],
  })
  const added = await admin(`/${encodeURIComponent(name)}/columns`, 'POST', {
    name: 'v'.repeat(63),
    type: 'manyLinks',
    options: { table: 'people' },
  })
  expect(added.status).toBe(201)
  const again = await admin(`/${encodeURIComponent(name)}/columns`, 'POST', {
    name: 'w'.repeat(63),
    type: 'manyLinks',
    options: { table: 'people' },
  })
  expect(again.status).toBe(201)
  const made = await insert(name, { a: 'x', b: 1, ['v'.repeat(63)]: ['ada'] })
  expect({ status: made.status, body: await made.json() }).toEqual({
    status: 201,
    body: { a: 'x', b: 1, ['v'.repeat(63)]: ['ada'], ['w'.repeat(63)]: [] },
  })
})

test('the tables between are not listed, cannot be changed, and serve embedding', async () => {
  await admin('', 'POST', { name: 'tags', columns: [{ name: 'name', type: 'text' }] })
  await admin('', 'POST', { name: 'posts', columns: [{ name: 'tagged', type: 'manyLinks', options: { table: 'tags' } }] })
  await insert('tags', [{ name: 'x' }, { name: 'y' }])
  await insert('posts', { tagged: [2, 1] })
  const { tables } = await json(app.call('/api/v1/tables', { as: 'viewer' }))
  expect(tables.map(({ name }: { name: string }) => name)).not.toContain('posts_tagged')
  for (const [method, path, body] of [
    ['PATCH', '', { name: 'z' }],
    ['DELETE', '?confirm=posts_tagged', undefined],
    ['POST', '/columns', { name: 'z', type: 'text' }],
  ] as const) {
    await expectProblem(await admin(`/posts_tagged${path}`, method, body), 409, 'conflict')
  }
  const read = await json(app.call('/api/v1/tables/posts/records?select=id,tags(name)&tags.order=name', { as: 'viewer' }))
  expect(read.records).toEqual([{ id: 1, tags: [{ name: 'x' }, { name: 'y' }] }])
  expect((await admin('/tags', 'PATCH', { name: 'labels' })).status).toBe(200)
  expect((await json(app.call('/api/v1/tables/posts/records/1', { as: 'viewer' }))).tagged).toEqual([1, 2])
  expect((await admin('/posts/columns/tagged?confirm=tagged', 'DELETE')).status).toBe(204)
  expect(await app.deps.db.query("select 1 from pg_class where relname = 'posts_tagged'")).toHaveLength(0)
})

test('who made and changed a record is empty once the user is deleted', async () => {
  await admin('', 'POST', {
    name: 'signed',
    columns: [
      { name: 'by', type: 'createdBy' },
      { name: 'last', type: 'updatedBy' },
      { name: 'who', type: 'user' },
    ],
  })
  const { user } = await json(app.call('/api/v1/auth/me', { as: 'editor' }))
  expect(await json(insert('signed', { who: user.id }))).toEqual({ id: 1, by: user.id, last: user.id, who: user.id })
  const other = await json(app.call('/api/v1/tables/signed/records/1', { as: 'admin', method: 'PATCH', body: { who: user.id } }))
  expect(other.last).not.toBe(user.id)
  expect((await app.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
  expect(await json(app.call('/api/v1/tables/signed/records/1', { as: 'viewer' }))).toEqual({
    id: 1,
    by: null,
    last: other.last,
    who: null,
  })
})
