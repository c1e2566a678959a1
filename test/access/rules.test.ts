import { beforeAll, describe, expect, test } from 'bun:test'
import { createToken } from '../../src/auth/accounts/tokens'
import type { Role } from '../../src/auth/model'
import { createUser } from '../../src/users/service'
import { json, password, startApp } from '../support/app'

const app = await startApp()
const { db, passwords } = app.deps

type Person = { id: string; token: string }

async function person(name: string, role: Role = 'editor'): Promise<Person> {
  const { user } = await createUser(db, passwords, { email: `${name}@example.org`, name, role, password }, null)
  const { token } = await createToken(db, { user, via: 'cookie', catalogVersion: 0 }, { name: 'test' }, null)
  return { id: user.id, token }
}

const [grace, bob, eve] = [await person('grace'), await person('bob'), await person('eve')]

const send = (
  who: Person,
  path: string,
  { method, body, headers = {} }: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
) =>
  fetch(app.url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { authorization: `Bearer ${who.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  })

const records = async (who: Person, query = '', table = 'orders') =>
  (await json(send(who, `/api/v1/tables/${table}/records${query}`))).records as Record<string, unknown>[]
const titles = async (who: Person, query = '') => (await records(who, query)).map(({ title }) => title)

const save = (rules: object[], headers: Record<string, string> = {}) =>
  app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules }, headers })

async function group(name: string, members: Person[]) {
  const id = Bun.randomUUIDv7()
  await db.query('insert into rowhouse.groups (id, name) values ($1, $2)', [id, name])
  for (const member of members) await db.query('insert into rowhouse.group_members values ($1, $2)', [id, member.id])
}

const own = { group: 'sales', table: 'orders', read: 'owner=eq.@me', create: 'all', update: 'owner=eq.@me', delete: 'none' }

beforeAll(async () => {
  const made = async (body: object) => expect((await app.call('/api/v1/tables', { as: 'admin', body })).status).toBe(201)
  await made({
    name: 'customers',
    columns: [
      { name: 'name', type: 'text' },
      { name: 'region', type: 'text' },
    ],
  })
  const customers = await json(app.call('/api/v1/tables/customers', { as: 'admin' }))
  await made({
    name: 'orders',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'owner', type: 'user' },
      { name: 'amount', type: 'integer' },
      { name: 'secret', type: 'text' },
      { name: 'customer', type: 'link', options: { table: customers.id } },
    ],
  })
  await app.call('/api/v1/tables/customers/records', {
    as: 'admin',
    body: [
      { name: 'Acme', region: 'north' },
      { name: 'Hidden', region: 'south' },
    ],
  })
  await app.call('/api/v1/tables/orders/records', {
    as: 'admin',
    body: [
      { title: 'of grace', owner: grace.id, amount: 1, secret: 'canary-1', customer: 1 },
      { title: 'of bob', owner: bob.id, amount: 2, secret: 'canary-2', customer: 2 },
      { title: 'of nobody', owner: null, amount: 4, secret: 'canary-3', customer: 2 },
    ],
  })
  await group('sales', [grace, bob])
  await group('audit', [bob])
})

describe('a rule', () => {
  test('leaves everybody their own rows, from the very next request on', async () => {
    expect(await titles(grace)).toHaveLength(3)
    expect((await save([own])).status).toBe(200)
    expect(await titles(grace)).toEqual(['of grace'])
    expect(await titles(bob)).toEqual(['of bob'])
    expect((await send(eve, '/api/v1/tables/orders/records')).status).toBe(403)
    expect((await json(app.call('/api/v1/tables/orders/records', { as: 'admin' }))).records).toHaveLength(3)
    expect((await send(grace, '/api/v1/tables/orders/records/2')).status).toBe(404)
    expect((await send(grace, '/api/v1/tables/orders/records/1')).status).toBe(200)
    expect(await json(send(grace, '/api/v1/tables/orders/records?count=exact'))).toMatchObject({ totalCount: 1 })
    expect(await records(grace, '?select=total:amount.sum()')).toEqual([{ total: 1 }])
    expect(await records(grace, '?q=canary')).toHaveLength(1)
    expect(await json(send(grace, '/rest/v1/orders?select=title'))).toEqual([{ title: 'of grace' }])
    expect(await json(send(grace, '/rest/v1/orders?id=eq.2'))).toEqual([])
  })

  test('holds for what is written: 403, and nothing is done', async () => {
    const change = (who: Person, pk: number, body: object) => send(who, `/api/v1/tables/orders/records/${pk}`, { method: 'PATCH', body })
    expect((await change(grace, 2, { title: 'mine' })).status).toBe(404)
    expect((await change(grace, 1, { owner: bob.id })).status).toBe(403)
    expect((await change(grace, 1, { amount: 7 })).status).toBe(200)
    expect((await send(grace, '/api/v1/tables/orders/records/1', { method: 'DELETE' })).status).toBe(403)
    expect(
      (
        await send(grace, '/api/v1/tables/orders/records?id=gt.0', {
          method: 'PATCH',
          body: { amount: 9 },
          headers: { prefer: 'return=representation' },
        })
      ).status,
    ).toBe(200)
    expect((await json(app.call('/api/v1/tables/orders/records?select=amount&order=id', { as: 'admin' }))).records).toEqual([
      { amount: 9 },
      { amount: 2 },
      { amount: 4 },
    ])
    const made = await send(grace, '/api/v1/tables/orders/records', { body: { title: 'for bob', owner: bob.id } })
    expect([made.status, await made.json()]).toEqual([201, {}])
    expect((await send(grace, '/rest/v1/orders?id=eq.1', { method: 'PATCH', body: { owner: bob.id } })).status).toBe(403)
    expect(
      (await send(grace, '/rest/v1/orders', { body: { id: 2, title: 'taken' }, headers: { prefer: 'resolution=merge-duplicates' } }))
        .status,
    ).toBe(403)
    expect((await send(grace, '/api/v1/tables/orders/records/2', { method: 'PUT', body: { title: 'taken' } })).status).toBe(403)
    expect(await titles(bob)).toEqual(['of bob', 'for bob'])
  })

  test('shows a created record that its caller may not read as an empty object in each form', async () => {
    const form = 'application/vnd.pgrst.object+json'
    for (const [query, accept] of [
      ['', form],
      ['?order=title', form],
      ['', `${form};nulls=stripped`],
    ] as const) {
      const headers = { accept, prefer: 'return=representation, tx=rollback' }
      const made = await send(grace, `/rest/v1/orders${query}`, { body: { title: 'for bob', owner: bob.id }, headers })
      expect([made.status, await made.text()]).toEqual([201, '{}'])
    }
  })

  test('hides columns: they cannot be selected, filtered, ordered or searched by, and are in no answer', async () => {
    await save([{ ...own, columns: { read: ['title', 'owner'], write: ['title'] } }])
    expect(await records(grace)).toEqual([{ id: 1, title: 'of grace', owner: grace.id }])
    for (const query of ['?select=secret', '?secret=eq.canary-1', '?order=secret', '?select=secret.max()'])
      expect((await send(grace, `/api/v1/tables/orders/records${query}`)).status).toBe(400)
    expect(await records(grace, '?q=canary')).toEqual([])
    const table = await json(send(grace, '/api/v1/tables/orders'))
    expect(table.columns.map(({ name }: { name: string }) => name)).toEqual(['id', 'title', 'owner'])
    expect((await send(grace, '/api/v1/tables/orders/records/1', { method: 'PATCH', body: { secret: 'x' } })).status).toBe(422)
    expect((await send(grace, '/api/v1/tables/orders/records/1', { method: 'PATCH', body: { owner: grace.id } })).status).toBe(403)
    expect((await send(grace, '/api/v1/tables/orders/records/1', { method: 'PATCH', body: { title: 'ok' } })).status).toBe(200)
  })

  test('of several groups adds up, cell by cell', async () => {
    await save([
      { ...own, columns: { read: ['title'] } },
      { group: 'audit', table: 'orders', read: 'owner=is.null', columns: { read: ['amount'] } },
    ])
    expect(await records(bob, '?order=id&limit=2')).toEqual([
      { id: 2, title: 'of bob', amount: null },
      { id: 3, title: null, amount: 4 },
    ])
    expect(await records(bob, '?amount=eq.2')).toEqual([])
    expect(await records(bob, '?title=like.of*')).toHaveLength(1)
  })

  test('goes along links, and hides linked records in embeddings, names and searches', async () => {
    await save([{ group: 'sales', table: 'orders', read: 'customer.region=eq.north', update: 'all' }])
    expect(await titles(grace)).toEqual(['ok'])
    await save([{ group: 'everyone', table: 'customers', read: 'region=eq.north' }])
    const rows = await records(grace, '?select=id,customer,customers(name)&order=id')
    expect(rows.slice(0, 3)).toEqual([
      { id: 1, customer: 1, customers: { name: 'Acme' } },
      { id: 2, customer: 2, customers: null },
      { id: 3, customer: 2, customers: null },
    ])
    expect(await records(grace, '?q=Hidden')).toEqual([])
    expect(await records(grace, '?q=Acme&select=id')).toEqual([{ id: 1 }])
    const linked = (customer: number) => send(grace, '/api/v1/tables/orders/records/1', { method: 'PATCH', body: { customer } })
    const [hidden, missing] = [await linked(2), await linked(99)]
    expect([hidden.status, missing.status]).toEqual([409, 409])
    const [one, other] = [await hidden.json(), await missing.json()] as Record<string, unknown>[]
    expect({ ...one, instance: '', requestId: '' }).toEqual({ ...other, instance: '', requestId: '' })
    expect((await linked(1)).status).toBe(200)
  })

  test('is refused with the part that is wrong', async () => {
    const answer = await save([
      { group: 'sails', table: 'orders', read: 'all' },
      { group: 'sales', table: 'order', read: 'all' },
      { group: 'sales', table: 'orders', read: 'ownr=eq.@me' },
      { group: 'sales', table: 'orders', read: 'amount=eq.@me', columns: { read: ['titel'] } },
      { group: 'sales', table: 'orders', read: 'title=eq.\ud800' },
    ])
    expect(answer.status).toBe(422)
    expect((await answer.json()).errors.map(({ path }: { path: string }) => path)).toEqual([
      ...['/rules/0/group', '/rules/1/table', '/rules/2/read', '/rules/3/read', '/rules/3/columns/read/0', '/rules/4/read'],
    ])
  })

  test('is refused with a value that only PostgreSQL can judge', async () => {
    const columns = [
      { name: 'title', type: 'text' },
      { name: 'until', type: 'date' },
      { name: 'sale', type: 'link', options: { table: 'orders' } },
    ]
    expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'offers', columns } })).status).toBe(201)
    const put = (filters: string[], query: string, table = 'offers') => {
      const rules = filters.map((read) => ({ group: 'sales', table, read }))
      return app.call(`/api/v1/access${query}`, { as: 'admin', method: 'PUT', body: { rules } })
    }
    const wrong = [
      ...['title=fts.a b', 'title=fts(klingon).x', 'title=match.(', 'title=match(any).{a,(}', 'sale.title=match.('],
      ...['until=gte.2026-02-30', 'until=in.(2026-01-31,2026-02-30)', 'or=(until.is.null,not.and(title.eq.a,until.lt.2026-02-30))'],
    ]
    const right = ['title=fts.a', 'title=fts(english).x', 'title=match.a', 'until=in.(2026-01-31)', 'until=gte.@now', 'title=in.@me.groups']
    for (const query of ['?dryRun=true', '']) {
      const answer = await put([...right, ...wrong], query)
      expect(answer.status).toBe(422)
      const paths = wrong.map((_, index) => `/rules/${right.length + index}/read`)
      expect((await answer.json()).errors.map(({ path }: { path: string }) => path)).toEqual(paths)
      expect((await put(right, query)).status).toBe(200)
    }
    const { errors } = await json(put(['until=gte.2026-02-30'], '', '*'))
    expect(errors).toEqual([
      { path: '/rules/0/read', message: 'A value in the query does not fit the type of one of these columns: "until".' },
    ])
    expect(await records(grace, '', 'offers')).toEqual([])
  })

  test('compares an enum with those of the caller’s groups that are labels of it', async () => {
    await db.query("create type data.team as enum ('sales', 'north')")
    await db.query('create table data.squads (id int primary key, team data.team)')
    await db.query("insert into data.squads values (1, 'sales'), (2, 'north'), (3, null)")
    await app.deps.catalog.refresh()
    const ids = async (who: Person, read: string) => {
      expect((await save([{ group: 'everyone', table: 'squads', read }])).status).toBe(200)
      return (await records(who, '?order=id', 'squads')).map(({ id }) => id)
    }
    expect(await ids(bob, 'team=in.@me.groups')).toEqual([1])
    expect(await ids(bob, 'team=eq(any).@me.groups')).toEqual([1])
    expect(await ids(bob, 'team=not.in.@me.groups')).toEqual([2])
    expect(await ids(eve, 'team=in.@me.groups')).toEqual([])
    // Without the names that are no labels, these would hold for every record.
    await db.query('alter table data.squads add column teams data.team[]')
    await app.deps.catalog.refresh()
    for (const read of ['team=eq(all).@me.groups', 'teams=cs.@me.groups']) {
      const { errors } = await json(save([{ group: 'everyone', table: 'squads', read }]))
      expect(errors).toEqual([{ path: '/rules/0/read', message: 'On a column that holds no texts, @me.groups works only with "in".' }])
    }
  })

  test('is one document with an ETag, and a dry run says who loses what', async () => {
    const before = await app.call('/api/v1/access', { as: 'admin' })
    const etag = before.headers.get('etag')!
    expect((await save([own], { 'if-match': '"1"' })).status).toBe(412)
    expect((await save([own], { 'if-match': etag })).status).toBe(200)
    const dry = await json(
      app.call('/api/v1/access?dryRun=true', { as: 'admin', method: 'PUT', body: { rules: [{ ...own, read: 'all' }] } }),
    )
    const orders = dry.tables.find(({ name }: { name: string }) => name === 'orders')
    expect(orders.users.find(({ id }: { id: string }) => id === grace.id)).toMatchObject({
      read: { before: 'some', after: 'all', gained: 3, lost: 0 },
    })
    expect(await titles(grace)).toEqual(['ok'])
    const explained = (user: Person, action: string, pk?: number) =>
      json(app.call(`/api/v1/access/explain?user=${user.id}&table=orders&action=${action}${pk ? `&pk=${pk}` : ''}`, { as: 'admin' }))
    expect(await explained(grace, 'read', 1)).toMatchObject({ decision: 'allowed', rule: 0 })
    expect(await explained(grace, 'read', 2)).toMatchObject({ decision: 'denied', reason: 'no_rule_allows' })
    expect(await explained(eve, 'read')).toMatchObject({ decision: 'denied', reason: 'no_rule_for_user' })
    expect(await explained(grace, 'update')).toMatchObject({ decision: 'depends' })
  })
})

describe('a dry run', () => {
  const rowsOf = { group: 'sales', table: 'orders', read: 'owner=eq.@me', update: 'owner=eq.@me' }
  const withoutSecret = { read: ['title', 'owner', 'amount'], write: ['title', 'owner', 'amount'] }
  const changeOf = async (who: Person, ...rules: object[]) => {
    const dry = await json(app.call('/api/v1/access?dryRun=true', { as: 'admin', method: 'PUT', body: { rules } }))
    expect(dry.isPartial).toBe(false)
    return dry.tables.find(({ name }: { name: string }) => name === 'orders')?.users.find(({ id }: { id: string }) => id === who.id)
  }

  test('counts the records in which a column is no longer visible, or is again', async () => {
    const other = { group: 'sales', table: 'orders', read: 'all', update: 'all', columns: withoutSecret }
    await save([{ ...other, columns: undefined }])
    const all = (await records(grace)).length
    const mine = (await records(grace, `?owner=eq.${grace.id}`)).length
    expect(await changeOf(grace, rowsOf, other)).toEqual({
      ...{ id: grace.id, name: 'grace' },
      cells: ['secret', 'customer'].map((column) => ({ column, gained: 0, lost: all - mine })),
      writableCells: ['id', 'secret', 'customer'].map((column) => ({ column, gained: 0, lost: all - mine })),
    })
    await save([rowsOf, other])
    expect(await changeOf(grace, { ...other, columns: undefined })).toMatchObject({
      cells: ['secret', 'customer'].map((column) => ({ column, gained: all - mine, lost: 0 })),
    })
    // Records that are no longer read at all are not counted again.
    const changed = await changeOf(grace, rowsOf)
    expect(changed.read).toMatchObject({ before: 'all', after: 'some', lost: all - mine })
    expect(changed.cells).toBeUndefined()
  })

  test('names computed columns of tables that no rule names', async () => {
    const make = (path: string, body: object) => app.call(`/api/v1/tables${path}`, { as: 'admin', body })
    await make('', { name: 'staff', columns: ['name', 'salary'].map((name) => ({ name, type: 'text' })) })
    await make('', { name: 'deals', columns: [{ name: 'title', type: 'text' }] })
    await make('/deals/columns', { name: 'seller', type: 'link', options: { table: 'staff' } })
    await make('/deals/columns', { name: 'paid', type: 'lookup', options: { link: 'seller', column: 'salary' } })
    const rules = [{ group: 'everyone', table: 'staff', read: 'all', columns: { read: ['id', 'name'] } }]
    await save([])
    const dry = await json(app.call('/api/v1/access?dryRun=true', { as: 'admin', method: 'PUT', body: { rules } }))
    const deals = dry.tables.find(({ name }: { name: string }) => name === 'deals')
    expect(deals?.users.find(({ id }: { id: string }) => id === grace.id)).toMatchObject({ columns: { gained: [], lost: ['paid'] } })
  })

  test('names computed columns that read other records than before', async () => {
    const dryRun = async (read: string) => {
      const rules = [{ group: 'everyone', table: 'staff', read }]
      const dry = await json(app.call('/api/v1/access?dryRun=true', { as: 'admin', method: 'PUT', body: { rules } }))
      const deals = dry.tables.find(({ name }: { name: string }) => name === 'deals')
      return deals?.users.find(({ id }: { id: string }) => id === grace.id)
    }
    await save([{ group: 'everyone', table: 'staff', read: 'name=neq.Ann' }])
    const paid = { column: 'paid', gained: null, lost: null }
    expect((await dryRun('all')).cells).toEqual([paid])
    expect((await dryRun('name=neq.Bea')).cells).toEqual([paid])
    expect(await dryRun('name=neq.Ann')).toBeUndefined()
  })

  test('names lookups of a column that is visible in other records than before', async () => {
    await save([{ group: 'everyone', table: 'staff', read: 'all' }])
    const rules = [
      { group: 'everyone', table: 'staff', read: 'all', columns: { read: ['id', 'name'] } },
      { group: 'everyone', table: 'staff', read: 'name=eq.Ann' },
    ]
    const dry = await json(app.call('/api/v1/access?dryRun=true', { as: 'admin', method: 'PUT', body: { rules } }))
    const deals = dry.tables.find(({ name }: { name: string }) => name === 'deals')
    const change = deals?.users.find(({ id }: { id: string }) => id === grace.id)
    expect(change?.cells).toEqual([{ column: 'paid', gained: null, lost: null }])
  })

  test('names columns that are read as before and written no longer', async () => {
    await save([rowsOf])
    const change = await changeOf(grace, { ...rowsOf, columns: { write: ['title'] } })
    expect(change).toEqual({ id: grace.id, name: 'grace', writable: { gained: [], lost: ['id', 'owner', 'amount', 'secret', 'customer'] } })
    expect(await changeOf(grace, rowsOf)).toBeUndefined()
  })
})

test('a key is explained in any form that its record is found by', async () => {
  await save([own])
  const asked = `/api/v1/access/explain?user=${grace.id}&table=orders&action=read&pk=`
  expect(await json(app.call(`${asked}01`, { as: 'admin' }))).toMatchObject({ decision: 'allowed', rule: 0 })
  expect(await json(app.call(`${asked}999`, { as: 'admin' }))).toMatchObject({ decision: 'denied', reason: 'no_record' })
  await db.query('create table data.hosts (address inet primary key)')
  await app.deps.catalog.refresh()
  const ofHost = `/api/v1/access/explain?user=${grace.id}&table=hosts&action=read&pk=abc`
  expect(await json(app.call(ofHost, { as: 'admin' }))).toMatchObject({ decision: 'denied', reason: 'no_record' })
})

test('a record that its user may not read is not changed or deleted, and is explained so', async () => {
  const explained = async (action: string, pk = '') =>
    json(app.call(`/api/v1/access/explain?user=${grace.id}&table=orders&action=${action}${pk}`, { as: 'admin' }))
  const line = { group: 'everyone', table: 'orders', update: 'all', delete: 'all' }
  await save([{ ...line, read: 'title=neq.of bob' }])
  for (const action of ['update', 'delete']) {
    const reading = { text: 'title=neq.of bob' }
    const denied = { decision: 'denied', reason: 'not_readable', rule: null, lines: [{ ...reading, allows: false }] }
    expect(await explained(action, '&pk=2')).toMatchObject(denied)
    expect(await explained(action, '&pk=3')).toMatchObject({ decision: 'allowed', rule: 0, lines: [{ text: 'all' }] })
    expect(await explained(action)).toMatchObject({ decision: 'depends', reason: 'rule', rule: 0, lines: [{ ...reading, allows: null }] })
  }
  expect((await send(grace, '/api/v1/tables/orders/records/2', { method: 'DELETE' })).status).toBe(404)
  await save([line, { group: 'everyone', table: 'orders', read: 'title=neq.of bob' }])
  expect(await explained('update')).toMatchObject({ decision: 'depends', rule: 1 })
  await save([{ ...line, read: 'all', update: 'title=neq.of bob' }])
  expect(await explained('update')).toMatchObject({ decision: 'depends', rule: 0, lines: [{ text: 'title=neq.of bob' }] })
  await save([{ ...line, read: 'none' }])
  expect(await explained('update')).toMatchObject({ decision: 'denied', reason: 'not_readable', lines: [{ text: 'none' }] })
})
