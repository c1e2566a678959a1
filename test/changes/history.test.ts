import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'

const app = await startApp()
const { db } = app.deps

const makeTable = async (name: string, columns: object[], primaryKey?: unknown) => {
  const response = await app.call('/api/v1/tables', { as: 'admin', body: { name, columns, ...(primaryKey ? { primaryKey } : {}) } })
  expect(response.status).toBe(201)
}
await makeTable('clients', [{ name: 'name', type: 'text' }])
await makeTable('orders', [
  { name: 'title', type: 'text', unique: true },
  { name: 'amount', type: 'decimal' },
  { name: 'client', type: 'link', options: { table: 'clients' } },
  { name: 'others', type: 'manyLinks', options: { table: 'clients' } },
  { name: 'changed', type: 'updatedBy' },
  { name: 'made', type: 'createdBy' },
])

type Caller = 'admin' | 'editor' | 'viewer'
const records = (table: string, rest = '') => `/api/v1/tables/${table}/records${rest}`
const create = async (table: string, body: object, as: Caller = 'editor') => json(app.call(records(table), { as, body }))
const patch = (table: string, pk: unknown, body: object, headers: Record<string, string> = {}) =>
  app.call(records(table, `/${pk}`), { as: 'editor', method: 'PATCH', body, headers })
const remove = (table: string, pk: unknown, headers: Record<string, string> = {}) =>
  app.call(records(table, `/${pk}`), { as: 'editor', method: 'DELETE', headers })
const history = async (table: string, pk: unknown, query = '', as: Caller = 'viewer') =>
  json(app.call(`${records(table, `/${pk}`)}/history${query}`, { as }))
const post = (path: string, headers: Record<string, string> = {}, as: Caller = 'editor') => app.call(path, { as, method: 'POST', headers })
const read = async (table: string, pk: unknown) => json(app.call(records(table, `/${pk}`), { as: 'viewer' }))
const undo = (requestId: string, query = '', as: Caller = 'editor') => post(`/api/v1/changes/${requestId}/undo${query}`, {}, as)

type Shown = { changes: { action: string; changes: { name: string; old: unknown; new: unknown }[] }[] }
const short = ({ changes }: Shown) =>
  changes.map(({ action, changes: values }) => [action, Object.fromEntries(values.map((value) => [value.name, [value.old, value.new]]))])

describe('the history of a record', () => {
  test('has its changes, the last first, page by page, with every digit', async () => {
    const { id } = await create('orders', { title: 'first', amount: '12345678901234567890.10' })
    await patch('orders', id, { title: 'second' })
    await patch('orders', id, { amount: null })
    const whole = await app.call(`${records('orders', `/${id}`)}/history`, { as: 'viewer' })
    const text = await whole.text()
    expect(text).toContain('12345678901234567890.10')
    const page = JSON.parse(text)
    expect(page.changes.map(({ action, changes }: Shown['changes'][number]) => [action, changes.map(({ name }) => name)])).toEqual([
      ['update', ['amount']],
      ['update', ['title']],
      ['create', ['id', 'title', 'amount', 'client', 'changed', 'made']],
    ])
    const { by, requestId, pk, at } = page.changes[0]
    const { users } = await json(app.call('/api/v1/users', { as: 'admin' }))
    const editor = users.find(({ email }: { email: string }) => email === 'editor@example.org')
    expect(by).toEqual({ userId: editor.id, credential: { kind: 'token', id: expect.any(String) }, plugin: null, role: null })
    expect([requestId, pk, Date.parse(at) > 0]).toEqual([expect.any(String), String(id), true])
    const first = await history('orders', id, '?limit=2')
    expect(first.changes).toEqual(page.changes.slice(0, 2))
    expect(await history('orders', id, `?limit=2&before=${first.nextBefore}`)).toEqual({ changes: page.changes.slice(2), nextBefore: null })
  })

  test('has the names of today, and what a column that is gone held', async () => {
    await makeTable('renamed', [
      { name: 'a', type: 'text' },
      { name: 'b', type: 'text' },
    ])
    const column = (name: string, change: object, method = 'PATCH') =>
      app.call(`/api/v1/tables/renamed/columns/${name}${method === 'DELETE' ? `?confirm=${name}` : ''}`, {
        as: 'admin',
        method,
        ...(method === 'DELETE' ? {} : { body: change }),
      })
    const { id } = await create('renamed', { a: 'old a', b: 'old b' })
    await column('a', { name: 'c' })
    await column('b', { name: 'a' })
    await patch('renamed', id, { a: 'new b', c: 'new a' })
    await column('c', {}, 'DELETE')
    const page = await history('renamed', id)
    expect(short(page)).toEqual([
      ['update', { a: ['old b', 'new b'], c: ['old a', 'new a'] }],
      ['create', { id: [null, id], c: [null, 'old a'], a: [null, 'old b'] }].map((each) =>
        typeof each === 'string' ? each : expect.objectContaining({ a: [null, 'old b'] }),
      ),
    ])
    const gone = page.changes[0].changes.find(({ columnId }: { columnId: string | null }) => columnId === null)
    expect(gone.old).toBe('old a')
  })

  test('follows a change of the key, and is there for a record that was deleted', async () => {
    await makeTable('codes', [{ name: 'text', type: 'text' }], { name: 'code', type: 'text' })
    await create('codes', { code: 'a/b c', text: '1' })
    await patch('codes', encodeURIComponent('a/b c'), { text: '2' })
    await db.sql`update data.codes set code = 'd' where code = 'a/b c'`
    await patch('codes', 'd', { text: '3' })
    const page = await history('codes', 'd')
    expect(page.changes.map(({ pk, oldPk, action }: Record<string, string>) => [action, pk, oldPk])).toEqual([
      ['update', 'd', null],
      ['update', 'd', 'a%2Fb%20c'],
      ['update', 'a%2Fb%20c', null],
      ['create', 'a%2Fb%20c', null],
    ])
    expect(page.changes[1].by).toMatchObject({ userId: null, role: expect.any(String) })
    await remove('codes', 'd')
    expect((await history('codes', 'd')).changes).toHaveLength(5)
    await expectProblem(await app.call(`${records('codes', '/never')}/history`, { as: 'viewer' }), 404, 'not_found')
    await expectProblem(await app.call(`${records('codes', '/d')}/history`), 401, 'unauthenticated')
  })

  test('has its links to many, and those that others of them made', async () => {
    const [one, two, three] = await json(
      app.call(records('clients'), { as: 'editor', body: [{ name: '1' }, { name: '2' }, { name: '3' }] }),
    )
    const { id } = await create('orders', { title: 'linked', others: [one.id, two.id] })
    // Another record, whose key begins alike.
    await create('orders', { title: 'linked too', others: [one.id] })
    await patch('orders', id, { others: [two.id, three.id] })
    await db.sql`delete from data.clients where id = ${two.id}`
    const { changes } = await history('orders', id)
    const links = changes.map(({ changes: values }: Shown['changes'][number]) => values.find(({ name }) => name === 'others'))
    expect(links).toEqual([
      { columnId: expect.any(String), name: 'others', old: [two.id], new: [] },
      { columnId: expect.any(String), name: 'others', old: [one.id], new: [three.id] },
      { columnId: expect.any(String), name: 'others', old: [], new: [one.id, two.id] },
    ])
    expect(changes.map(({ action, by }: Record<string, unknown>) => [action, (by as { userId: unknown }).userId !== null])).toEqual([
      ['update', false],
      ['update', true],
      ['create', true],
    ])
    const first = await history('orders', id, '?limit=1')
    expect(await history('orders', id, `?limit=2&before=${first.nextBefore}`)).toEqual({ changes: changes.slice(1), nextBefore: null })
  })

  test('goes on with its links to many as keys change', async () => {
    const key = { name: 'code', type: 'text' }
    await makeTable('tags', [{ name: 'title', type: 'text' }], key)
    await makeTable('boxes', [{ name: 'tags', type: 'manyLinks', options: { table: 'tags' } }], key)
    for (const code of ['t1', 't3']) await create('tags', { code })
    await create('boxes', { code: 'a', tags: ['t1'] })
    await patch('boxes', 'a', { tags: ['t1', 't3'] })
    await patch('boxes', 'a', { code: 'b' })
    await patch('tags', 't1', { code: 't2' })
    const page = await history('boxes', 'b')
    expect(short(page)).toEqual([
      ['update', { tags: [['t1'], ['t2']] }],
      ['update', { code: ['a', 'b'] }],
      ['update', { tags: [[], ['t3']] }],
      ['create', { code: [null, 'a'], tags: [[], ['t1']] }],
    ])
    expect(page.changes.map(({ pk }: { pk: string }) => pk)).toEqual(['b', 'b', 'a', 'a'])
  })

  test('of keys that are moments and of keys of several columns', async () => {
    await db.sql.unsafe(`create table data.moments (at timestamptz, place int, note text, primary key (at, place))`)
    await app.deps.catalog.refresh()
    const put = await app.call('/api/v1/tables/moments/history', { as: 'admin', method: 'PUT', body: { logged: true } })
    expect(put.status).toBe(204)
    const { at } = await create('moments', { at: '2026-01-02T03:04:05.678Z', place: 7, note: 'x' })
    const pk = `${encodeURIComponent(at)},7`
    expect((await patch('moments', pk, { note: 'y' })).status).toBe(200)
    expect(short(await history('moments', pk))).toEqual([
      ['update', { note: ['x', 'y'] }],
      ['create', expect.any(Object)],
    ])
    await expectProblem(
      await app.call('/api/v1/tables/moments/history', { as: 'editor', method: 'PUT', body: { logged: false } }),
      403,
      'forbidden',
    )
    expect((await app.call('/api/v1/tables/moments/history', { as: 'admin', method: 'PUT', body: { logged: false } })).status).toBe(204)
    await patch('moments', pk, { note: 'z' })
    expect((await history('moments', pk)).changes).toHaveLength(2)
  })
})

describe('restoring a record', () => {
  test('gives back what it had behind a change, and only to one who saw the record as it is', async () => {
    const { id } = await create('orders', { title: 'r1', amount: 1 })
    await patch('orders', id, { title: 'r2', amount: 2 })
    await patch('orders', id, { title: 'r3' })
    const { changes } = await history('orders', id)
    const restore = (change: string, headers = {}, query = '') =>
      post(`${records('orders', `/${id}`)}/history/${change}/restore${query}`, headers)
    await expectProblem(await restore(changes[2].id, { 'if-match': '"0-0.0-000000000000"' }), 412, 'precondition_failed')
    const tried = await restore(changes[2].id, {}, '?dryRun=true')
    expect([tried.status, (await tried.json()).title, (await read('orders', id)).title]).toEqual([200, 'r1', 'r3'])
    const done = await restore(changes[2].id)
    expect([done.status, await done.json()]).toEqual([200, expect.objectContaining({ id, title: 'r1', amount: 1 })])
    // The way back is a change like any other.
    const [last] = (await history('orders', id)).changes
    expect((await (await restore(changes[0].id)).json()).title).toBe('r3')
    expect(last.action).toBe('update')
    await expectProblem(await restore('1'), 404, 'not_found')
    await expectProblem(await post(`${records('orders', `/${id}`)}/history/${changes[0].id}/restore`, {}, 'viewer'), 403, 'forbidden')
  })
})

describe('the trash', () => {
  test('has deleted records, and makes them again with their links', async () => {
    const [one, two, extra] = await json(
      app.call(records('clients'), { as: 'editor', body: [{ name: 'one' }, { name: 'two' }, { name: 'extra' }] }),
    )
    const { id } = await create('orders', { title: 'gone', amount: '0.30', client: one.id, others: [one.id, two.id, extra.id] })
    await remove('orders', id)
    await remove('clients', two.id)
    const { records: deleted } = await json(app.call('/api/v1/tables/orders/trash?limit=1', { as: 'viewer' }))
    expect(deleted).toEqual([
      {
        id: expect.any(String),
        at: expect.any(String),
        pk: String(id),
        by: expect.any(Object),
        requestId: expect.any(String),
        record: expect.objectContaining({ title: 'gone' }),
      },
    ])
    const restore = (query = '') => post(`/api/v1/tables/orders/trash/${deleted[0].id}/restore${query}`)
    expect((await restore('?dryRun=true')).status).toBe(201)
    expect((await app.call(records('orders', `/${id}`), { as: 'viewer' })).status).toBe(404)
    const again = await restore()
    expect([again.status, again.headers.get('location')]).toEqual([201, records('orders', `/${id}`)])
    const record = await read('orders', id)
    expect(record).toMatchObject({ id, title: 'gone', amount: 0.3, client: one.id, others: [one.id, extra.id] })
    expect(record.made).not.toBeNull()
    await expectProblem(await restore(), 409, 'conflict')
    expect((await json(app.call('/api/v1/tables/orders/trash', { as: 'viewer' }))).records).toEqual([])
    // The other side comes back with its link to the order, too.
    await remove('clients', extra.id)
    expect((await read('orders', id)).others).toEqual([one.id])
    const [client] = (await json(app.call('/api/v1/tables/clients/trash', { as: 'viewer' }))).records
    expect((await post(`/api/v1/tables/clients/trash/${client.id}/restore`)).status).toBe(201)
    expect((await read('orders', id)).others).toEqual([one.id, extra.id])
  })

  test('says what stands in the way', async () => {
    const { id } = await create('orders', { title: 'unique' })
    await remove('orders', id)
    await create('orders', { title: 'unique' })
    const [entry] = (await json(app.call('/api/v1/tables/orders/trash', { as: 'viewer' }))).records
    const { errors } = await expectProblem(await post(`/api/v1/tables/orders/trash/${entry.id}/restore`), 409, 'conflict')
    expect(JSON.stringify(errors)).toContain('/title')
    await expectProblem(await post(`/api/v1/tables/clients/trash/${entry.id}/restore`), 404, 'not_found')
  })
})

describe('the requests of a table', () => {
  test('go on before a change of more records than one page searches, which has its whole number', async () => {
    await makeTable('large', [{ name: 'name', type: 'text' }])
    for (const name of ['large-1', 'large-2'])
      await app.call(records('large'), { as: 'editor', body: { name }, headers: { 'x-request-id': name } })
    await db.sql`insert into data.large (name) select 'x' from generate_series(1, 100001)`
    const list = (query = '') => json(app.call(`/api/v1/tables/large/history${query}`, { as: 'viewer' }))
    const first = await list()
    expect(first.requests).toMatchObject([{ requestId: null, created: 100_001 }])
    const second = await list(`?before=${first.nextBefore}`)
    expect(second.requests).toMatchObject([
      { requestId: 'large-2', created: 1 },
      { requestId: 'large-1', created: 1 },
    ])
    expect(second.nextBefore).toBeNull()
    await db.sql`insert into data.large (name) values ('y'), ('z')`
    const latest = await list('?limit=1')
    expect(latest.requests).toMatchObject([{ requestId: null, created: 2 }])
    expect((await list(`?limit=1&before=${latest.nextBefore}`)).requests).toMatchObject([{ requestId: null, created: 100_001 }])
  })
})

describe('undo', () => {
  test('takes back an import, a bulk change and a bulk delete of 5,000 records', async () => {
    await makeTable('many', [
      { name: 'name', type: 'text' },
      { name: 'amount', type: 'integer' },
    ])
    const all = async () => (await json(app.call('/rest/v1/many?select=count(),sum:amount.sum()', { as: 'viewer' })))[0]
    const csv = `name,amount\n${Array.from({ length: 5000 }, (_, index) => `n${index},${index}`).join('\n')}\n`
    const headers = (id: string) => ({ 'x-request-id': id })
    const imported = await app.call('/api/v1/tables/many/import?mode=insert', {
      as: 'editor',
      method: 'POST',
      body: csv,
      headers: { 'content-type': 'text/csv', ...headers('import-1') },
    })
    expect(imported.status).toBe(200)
    expect((await all()).count).toBe(5000)
    await app.call('/api/v1/tables/many/records?amount=gte.0', {
      as: 'editor',
      method: 'PATCH',
      body: { amount: 1, name: 'x' },
      headers: headers('bulk-1'),
    })
    await app.call('/api/v1/tables/many/records?id=not.is.null', { as: 'editor', method: 'DELETE', headers: headers('delete-1') })
    expect(await all()).toEqual({ count: 0, sum: null })
    const { requests, logged } = await json(app.call('/api/v1/tables/many/history', { as: 'viewer' }))
    expect(logged).toBe(true)
    expect(
      requests.map(({ requestId, created, updated, deleted }: Record<string, unknown>) => [requestId, created, updated, deleted]),
    ).toEqual([
      ['delete-1', 0, 0, 5000],
      ['bulk-1', 0, 5000, 0],
      ['import-1', 5000, 0, 0],
    ])
    const report = (over: object) => ({ created: 0, updated: 0, deleted: 0, skipped: 0, changedSince: [], ...over })
    expect(await json(undo('delete-1', '?dryRun=true'))).toEqual(report({ requestId: 'delete-1', created: 5000 }))
    expect(await all()).toEqual({ count: 0, sum: null })
    // A change that was changed since is not taken back.
    const refused = await expectProblem(await undo('bulk-1'), 409, 'conflict')
    expect(refused.details).toMatchObject({ count: 5000 })
    expect(await json(undo('delete-1'))).toEqual(report({ requestId: 'delete-1', created: 5000 }))
    expect((await all()).count).toBe(5000)
    await expectProblem(await undo('bulk-1'), 409, 'conflict')
  })

  test('in the order of what was done, each time by itself', async () => {
    const headers = (id: string) => ({ 'x-request-id': id })
    const [a, b] = [await create('many', { name: 'a', amount: 1 }), await create('many', { name: 'b', amount: 2 })]
    await app.call(records('many', `?id=in.(${a.id},${b.id})`), {
      as: 'editor',
      method: 'PATCH',
      body: { amount: 9 },
      headers: headers('twice'),
    })
    await patch('many', b.id, { name: 'b2' }, headers('single'))
    const refused = await expectProblem(await undo('twice'), 409, 'conflict')
    expect(refused.details!.changedSince).toEqual([
      { table: 'many', tableId: expect.any(String), pk: String(b.id), at: expect.any(String), by: expect.any(Object) },
    ])
    expect(await json(undo('twice', '?skipChanged=true'))).toMatchObject({ updated: 1, skipped: 1 })
    expect([(await read('many', a.id)).amount, (await read('many', b.id)).amount]).toEqual([1, 9])
    expect(await json(undo('single'))).toMatchObject({ updated: 1 })
    expect(await read('many', b.id)).toMatchObject({ name: 'b', amount: 9 })
    await expectProblem(await undo('single'), 409, 'conflict')
    await expectProblem(await undo('unknown'), 404, 'not_found')
    await expectProblem(await undo('twice', '', 'viewer'), 403, 'forbidden')
  })

  test('of a batch over several tables, with links and cascades', async () => {
    const client = await create('clients', { name: 'batch' })
    const operations = [
      { method: 'POST', table: 'orders', body: { title: 'in a batch', client: client.id, others: [client.id] } },
      { method: 'PATCH', table: 'clients', pk: String(client.id), body: { name: 'batched' } },
      { method: 'PATCH', table: 'clients', pk: String(client.id), body: { name: 'batched twice' } },
    ]
    const done = await app.call('/api/v1/batch', { as: 'editor', body: { operations }, headers: { 'x-request-id': 'batch' } })
    expect(done.status).toBe(200)
    expect(await json(undo('batch'))).toMatchObject({ created: 0, updated: 2, deleted: 1 })
    expect((await read('clients', client.id)).name).toBe('batch')
    expect(await json(app.call('/api/v1/tables/orders/records?title=eq.in%20a%20batch', { as: 'viewer' }))).toMatchObject({ records: [] })
    // And the undo itself.
    const [{ requestId }] = (await history('clients', client.id)).changes
    expect(await json(undo(requestId))).toMatchObject({ created: 1, updated: 2, deleted: 0 })
    const [order] = (await json(app.call('/api/v1/tables/orders/records?title=eq.in%20a%20batch', { as: 'viewer' }))).records
    expect(order).toMatchObject({ client: client.id, others: [client.id] })
  })
})
