import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'

const app = await startApp()
const { sql } = app.deps.db

const makeTable = async (name: string, columns: object[], primaryKey?: object) => {
  const response = await app.call('/api/v1/tables', { as: 'admin', body: { name, columns, ...(primaryKey ? { primaryKey } : {}) } })
  expect(response.status).toBe(201)
}
/** Makes a table by SQL, and logs it. */
async function adopt(name: string, definition: string): Promise<void> {
  await sql.unsafe(`create table data.${name} ${definition}`)
  await app.deps.catalog.refresh()
  const response = await app.call(`/api/v1/tables/${name}/history`, { as: 'admin', method: 'PUT', body: { logged: true } })
  expect(response.status).toBe(204)
}

const records = (table: string, rest = '') => `/api/v1/tables/${table}/records${rest}`
const undo = (requestId: string, query = '') => app.call(`/api/v1/changes/${requestId}/undo${query}`, { as: 'editor', method: 'POST' })
const id = (requestId: string) => ({ 'x-request-id': requestId })
const remove = (table: string, rest: string, requestId: string) =>
  app.call(records(table, rest), { as: 'editor', method: 'DELETE', headers: id(requestId) })
const rows = async (table: string) => [...(await sql.unsafe(`select * from data.${table} order by id`))]

/** Until a session of this database waits for a lock. */
async function lockAwaited(): Promise<void> {
  const waiting = () => sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await waiting()).length === 0) await Bun.sleep(5)
}

await makeTable('clients', [{ name: 'name', type: 'text' }])
await makeTable('orders', [{ name: 'client', type: 'link', options: { table: 'clients' } }])
await adopt('items', '(id int primary key, client int not null references data.clients on delete cascade)')
await adopt('parts', '(id int primary key, item int not null references data.items on delete cascade)')
await makeTable('nodes', [{ name: 'name', type: 'text' }])
const link = await app.call('/api/v1/tables/nodes/columns', {
  as: 'admin',
  body: { name: 'parent', type: 'link', options: { table: 'nodes' } },
})
expect(link.status).toBe(201)
await adopt('leaves', '(id int primary key, node bigint references data.nodes on delete cascade)')
await makeTable('names', [{ name: 'name', type: 'text', unique: true }])

describe('undo brings back', () => {
  test('a record before what the database deleted or emptied with it', async () => {
    await sql.unsafe(`insert into data.clients (name) values ('a'), ('b'); insert into data.orders (client) values (1), (2), (null);
      insert into data.items values (1, 1), (2, 1), (3, 2); insert into data.parts values (1, 1), (2, 3), (3, 2)`)
    const all = async () => [await rows('clients'), await rows('orders'), await rows('items'), await rows('parts')]
    const before = await all()
    await remove('clients', '?id=not.is.null', 'cascade')
    expect((await all()).map(({ length }) => length)).toEqual([0, 3, 0, 0])
    expect(await json(undo('cascade'))).toMatchObject({ created: 8, updated: 2 })
    expect(await all()).toEqual(before)
  })

  test('records that link to each other, more than one statement has', async () => {
    await sql.unsafe(`insert into data.nodes (name) select n::text from generate_series(1, 2500) n;
      update data.nodes set parent = 2501 - id where id > 10; update data.nodes set parent = id where id = 5`)
    const before = await rows('nodes')
    await remove('nodes', '?id=not.is.null', 'circles')
    expect(await json(undo('circles'))).toMatchObject({ created: 2500 })
    expect(await rows('nodes')).toEqual(before)
    await sql.unsafe('update data.nodes set parent = 1 where id between 2 and 9')
    const linked = await rows('nodes')
    await remove('nodes', '/1', 'parent')
    expect((await rows('nodes')).filter(({ parent }) => parent === '1')).toEqual([])
    expect(await json(undo('parent'))).toMatchObject({ created: 1 })
    expect(await rows('nodes')).toEqual(linked)
  })

  test('records that link to each other before what was deleted with one of them', async () => {
    await sql.unsafe(`truncate data.nodes, data.leaves restart identity; insert into data.nodes (name) values ('a'), ('b'), ('c');
      update data.nodes set parent = 4 - id; insert into data.leaves values (1, 1)`)
    const before = [await rows('nodes'), await rows('leaves')]
    await remove('nodes', '?id=not.is.null', 'pairs')
    expect(await json(undo('pairs'))).toMatchObject({ created: 4 })
    expect([await rows('nodes'), await rows('leaves')]).toEqual(before)
  })

  test('a record that was deleted and made again, and its links, step by step', async () => {
    const before = [await rows('items'), await rows('parts')]
    const operations = [
      { method: 'DELETE', table: 'items', pk: '1' },
      { method: 'POST', table: 'items', body: { id: 1, client: 2 } },
      { method: 'POST', table: 'parts', body: { id: 1, item: 1 } },
      { method: 'PATCH', table: 'parts', pk: '2', body: { item: 1 } },
      { method: 'DELETE', table: 'items', pk: '1' },
    ]
    const done = await app.call('/api/v1/batch', { as: 'editor', body: { operations }, headers: id('again') })
    expect(done.status).toBe(200)
    expect((await undo('again')).status).toBe(200)
    expect([await rows('items'), await rows('parts')]).toEqual(before)
  })

  test('unique values that records have exchanged', async () => {
    await sql.unsafe(`insert into data.names (name) values ('a'), ('b'), ('c')`)
    const before = await rows('names')
    const change = (pk: string, name: string) => ({ method: 'PATCH', table: 'names', pk, body: { name } })
    const operations = [change('1', 'aside'), change('2', 'a'), change('1', 'b')]
    await app.call('/api/v1/batch', { as: 'editor', body: { operations }, headers: id('swap') })
    expect((await undo('swap')).status).toBe(200)
    expect(await rows('names')).toEqual(before)
    const merged = await app.call('/rest/v1/names', {
      as: 'editor',
      body: [
        { id: 1, name: 'z' },
        { id: 2, name: 'a' },
        { id: 3, name: 'b' },
      ],
      headers: { ...id('merge'), prefer: 'resolution=merge-duplicates' },
    })
    expect(merged.status).toBeLessThan(300)
    expect((await undo('merge')).status).toBe(200)
    expect(await rows('names')).toEqual(before)
  })

  test('the key of a record whose links to many change with it', async () => {
    const code = { name: 'code', type: 'text' }
    await makeTable('tags', [{ name: 'title', type: 'text' }], code)
    await makeTable('boxes', [{ name: 'tags', type: 'manyLinks', options: { table: 'tags' } }], code)
    await app.call(records('tags'), { as: 'editor', body: { code: 't1' } })
    expect((await app.call(records('boxes'), { as: 'editor', body: { code: 'a', tags: ['t1'] } })).status).toBe(201)
    const changesOfKeys = [
      { table: 'boxes', keys: ['a', 'b'] },
      { table: 'tags', keys: ['t1', 't2'] },
      { table: 'boxes', keys: ['a', 'b', 'c'] },
    ]
    for (const { table, keys } of changesOfKeys) {
      const operations = keys.slice(1).map((next, index) => ({ method: 'PATCH', table, pk: keys[index]!, body: { code: next } }))
      const request = `${table}-${keys.length}`
      expect((await app.call('/api/v1/batch', { as: 'editor', body: { operations }, headers: id(request) })).status).toBe(200)
      expect(await json(undo(request))).toMatchObject({ updated: operations.length })
      expect(await json(app.call(records('boxes', '/a'), { as: 'viewer' }))).toMatchObject({ code: 'a', tags: ['t1'] })
    }
  })

  test('links of several columns, of which the database emptied one', async () => {
    await adopt('writers', '(tenant int, id int, primary key (tenant, id))')
    const key = 'foreign key (tenant, writer) references data.writers on delete set null (writer)'
    await adopt('works', `(id int primary key, tenant int not null, writer int, ${key})`)
    await sql.unsafe(`insert into data.writers values (1, 2), (1, 3), (2, 2);
      insert into data.works values (1, 1, 2), (2, 2, 2), (3, 1, 3), (4, 2, null)`)
    const all = async () => [...(await sql`select * from data.writers order by tenant, id`), ...(await rows('works'))]
    const before = await all()
    await remove('writers', '/1,2', 'one-writer')
    expect((await rows('works')).map(({ writer }) => writer)).toEqual([null, 2, 3, null])
    expect(await json(undo('one-writer'))).toMatchObject({ created: 1, updated: 1 })
    expect(await all()).toEqual(before)
    await remove('writers', '?id=not.is.null', 'all-writers')
    expect(await json(undo('all-writers'))).toMatchObject({ created: 3, updated: 3 })
    expect(await all()).toEqual(before)
  })

  test('the key of a record that PostgreSQL alone counts', async () => {
    await adopt(
      'counted',
      '(id int generated always as identity primary key, name text, length int generated always as (length(name)) stored)',
    )
    await sql.unsafe(`insert into data.counted (name) values ('a'), ('bb'), ('ccc')`)
    const before = await rows('counted')
    await remove('counted', '/2', 'counted-1')
    expect((await undo('counted-1')).status).toBe(200)
    expect(await rows('counted')).toEqual(before)
    await remove('counted', '/3', 'counted-2')
    const { records: deleted } = await json(app.call('/api/v1/tables/counted/trash', { as: 'viewer' }))
    const restored = await app.call(`/api/v1/tables/counted/trash/${deleted[0].id}/restore`, { as: 'editor', method: 'POST' })
    expect([restored.status, await rows('counted')]).toEqual([201, before])
  })
})

test('undo deletes and empties nothing that others have made since', async () => {
  const [{ id: client }] = [
    await json(app.call(records('clients'), { as: 'editor', body: { name: 'new' }, headers: id('parent-made') })),
  ] as [{ id: number }]
  await app.call(records('items'), { as: 'admin', body: { id: 900, client } })
  const order = await json(app.call(records('orders'), { as: 'admin', body: { client } }))
  const before = [await rows('items'), await rows('orders'), await rows('clients')]
  const [admin] = await sql<{ id: string }[]>`select id from rowhouse.users where email = 'admin@example.org'`
  for (const query of ['', '?skipChanged=true', '?dryRun=true']) {
    const { details } = await expectProblem(await undo('parent-made', query), 409, 'conflict')
    const found = details!.changedSince as { table: string; pk: string; by: { userId: string } }[]
    expect(new Set(found.map(({ by }) => by.userId))).toEqual(new Set([admin!.id]))
    expect(found.map(({ table, pk }) => `${table} ${pk}`).sort()).toEqual(['items 900', `orders ${order.id}`])
  }
  expect([await rows('items'), await rows('orders'), await rows('clients')]).toEqual(before)
  await remove('items', '/900', 'item-gone')
  await remove('orders', `/${order.id}`, 'order-gone')
  expect(await json(undo('parent-made'))).toMatchObject({ deleted: 1 })
})

test('undo finds the records whose keys others have changed since', async () => {
  await makeTable('codes', [{ name: 'title', type: 'text' }], { name: 'code', type: 'text' })
  const body = ['x', 'y', 'z'].map((code) => ({ code }))
  expect((await app.call(records('codes'), { as: 'editor', body, headers: id('codes-made') })).status).toBe(201)
  const change = async (from: string, to: string, requestId: string) => {
    const headers = id(requestId)
    const changed = await app.call(records('codes', `/${from}`), { as: 'admin', method: 'PATCH', body: { code: to }, headers })
    expect(changed.status).toBe(200)
  }
  const expectChanged = async (requestId: string, pk: string) => {
    const { details } = await expectProblem(await undo(requestId), 409, 'conflict')
    expect(details).toMatchObject({ count: 1, changedSince: [{ table: 'codes', pk }] })
  }
  await change('x', 'x2', 'first')
  await expectChanged('codes-made', 'x')
  await change('x2', 'x3', 'second')
  await expectChanged('first', 'x2')
  // A change back is one changed record, not one under each key.
  await change('x3', 'x2', 'third')
  await expectChanged('second', 'x2')
})

describe('undo at the same time', () => {
  test('as somebody changes one of the records loses nothing', async () => {
    for (const query of ['', '?skipChanged=true']) {
      const [one] = await sql<{ id: string }[]>`insert into data.clients (name) values ('before') returning id`
      await app.call(records('clients', `/${one!.id}`), {
        as: 'editor',
        method: 'PATCH',
        body: { name: 'asked' },
        headers: id(`race${query.length}`),
      })
      const undone = await sql.begin(async (tx) => {
        await tx`update data.clients set name = 'by somebody else' where id = ${one!.id}`
        const waiting = undo(`race${query.length}`, query)
        await lockAwaited()
        return { waiting }
      })
      await expectProblem(await undone.waiting, 409, 'conflict')
      expect([...(await sql`select name from data.clients where id = ${one!.id}`)]).toEqual([{ name: 'by somebody else' }])
    }
  })

  test('by two is done once', async () => {
    await sql.unsafe('truncate data.nodes, data.leaves')
    await app.call(records('nodes'), { as: 'editor', body: Array.from({ length: 200 }, (_, n) => ({ name: `${n}` })) })
    await app.call(records('nodes', '?id=not.is.null'), { as: 'editor', method: 'PATCH', body: { name: 'x' }, headers: id('twice') })
    const answers = await Promise.all([undo('twice'), undo('twice'), undo('twice')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect((await rows('nodes')).map(({ name }) => Number(name)).sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n))
  })
})
