import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

/** An answer of a write is what a GET right after it shows, with its ETag, also where values come from other records. */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'data' })
const admin = (path: string, body: object) => json(app.call(`/api/v1/tables${path}`, { as: 'admin', body }))
await admin('', { name: 'orders', columns: [{ name: 'name', type: 'text' }] })
await admin('', {
  name: 'lines',
  columns: [
    { name: 'po', type: 'link', options: { table: 'orders' } },
    { name: 'qty', type: 'integer' },
    { name: 'twice', type: 'formula', options: { expression: 'qty * 2' } },
    { name: 'also', type: 'manyLinks', options: { table: 'orders' } },
  ],
})
await admin('/orders/columns', { name: 'lines', type: 'reverseLinks', options: { table: 'lines', column: 'po' } })
for (const [name, column] of [
  ['total', 'qty'],
  ['double', 'twice'],
])
  await admin('/orders/columns', { name, type: 'rollup', options: { link: 'lines', column, function: 'sum' } })
await admin('/orders/columns', { name: 'count', type: 'count', options: { link: 'lines' } })
for (const name of ['total', 'double', 'count'])
  await admin('/lines/columns', { name: `order ${name}`, type: 'lookup', options: { link: 'po', column: name } })
await admin('', { name: 'staff', columns: [{ name: 'pay', type: 'integer' }] })
await admin('/staff/columns', { name: 'boss', type: 'link', options: { table: 'staff' } })
await admin('/staff/columns', { name: 'reports', type: 'reverseLinks', options: { table: 'staff', column: 'boss' } })
await admin('/staff/columns', { name: 'boss pay', type: 'lookup', options: { link: 'boss', column: 'pay' } })
await admin('/staff/columns', { name: 'cost', type: 'rollup', options: { link: 'reports', column: 'pay', function: 'sum' } })

const recordsOf = (table: string) => `/api/v1/tables/${table}/records`
type Options = { method?: string; body?: unknown; headers?: Record<string, string> }
const call = (path: string, options: Options = {}) => app.call(path, { as: 'editor', ...options })
/** Without the order of names, since /rest/v1 may have another one. */
const read = async (table: string, id: number | string) => {
  const response = await call(`${recordsOf(table)}/${id}`)
  return { record: await json(response), etag: response.headers.get('etag') }
}
const newOrder = async (...quantities: number[]): Promise<{ id: number; lines: number[] }> => {
  const { id } = await json(call(recordsOf('orders'), { body: { name: 'order' } }))
  const body = quantities.map((qty) => ({ po: id, qty }))
  const lines = body.length > 0 ? await json(call(recordsOf('lines'), { body })) : []
  return { id, lines: lines.map((line: { id: number }) => line.id) }
}

/** @returns the record, which is the one that a GET shows now, with its ETag */
async function expectCurrent(table: string, response: Response) {
  const record = await json(response)
  const current = await read(table, record.id)
  expect(record).toEqual(current.record)
  expect(response.headers.get('etag')).toBe(current.etag)
  return record
}

describe('a record that is', () => {
  test('made, changed or replaced counts in its own lookups', async () => {
    const order = await newOrder()
    const path = recordsOf('lines')
    const response = await call(path, { body: { po: order.id, qty: 5 } })
    const etag = response.headers.get('etag')!
    const made = await expectCurrent('lines', response)
    expect(made).toMatchObject({ 'order total': 5, 'order double': 10, 'order count': 1 })
    const changed = await call(`${path}/${made.id}`, { method: 'PATCH', body: { qty: 7 }, headers: { 'if-match': etag } })
    expect(await expectCurrent('lines', changed)).toMatchObject({ 'order total': 7, 'order double': 14 })
    const next = { 'if-match': changed.headers.get('etag')! }
    const replaced = await call(`${path}/${made.id}`, { method: 'PUT', body: { po: order.id, qty: 3 }, headers: next })
    expect(await expectCurrent('lines', replaced)).toMatchObject({ 'order total': 3 })
    const moved = await call(`${path}/${made.id}`, { method: 'PATCH', body: { po: (await newOrder(1, 2)).id } })
    expect(await expectCurrent('lines', moved)).toMatchObject({ 'order total': 6, 'order count': 3 })
    const linked = await call(`${path}/${made.id}`, { method: 'PATCH', body: { qty: 4, also: [order.id] } })
    expect(await expectCurrent('lines', linked)).toMatchObject({ 'order total': 7, also: [order.id] })
  })

  test('answered by its headers alone has the ETag of a GET', async () => {
    const order = await newOrder(1)
    const minimal = { prefer: 'return=minimal' }
    const made = await call(recordsOf('lines'), { body: { po: order.id, qty: 2 }, headers: minimal })
    const { etag } = await read('lines', made.headers.get('location')!.split('/').at(-1)!)
    expect(made.headers.get('etag')).toBe(etag)
  })

  test('linked to itself shows its new values', async () => {
    const path = recordsOf('staff')
    const made = await expectCurrent('staff', await call(`${path}/1000`, { method: 'PUT', body: { pay: 1, boss: 1000 } }))
    expect(made).toMatchObject({ reports: [1000], 'boss pay': 1, cost: 1 })
    const changed = await call(`${path}/1000`, { method: 'PATCH', body: { pay: 2 } })
    expect(await expectCurrent('staff', changed)).toMatchObject({ 'boss pay': 2, cost: 2 })
    const put = await call(`${path}/2000`, { method: 'PUT', body: { pay: 3, boss: 2000 } })
    expect(await expectCurrent('staff', put)).toMatchObject({ reports: [2000], 'boss pay': 3 })
  })

  test('given another key keeps what others link to it by', async () => {
    const order = await newOrder(1, 2)
    await app.deps.db.sql.unsafe(`do $$ declare name text; begin
      for name in select conname from pg_constraint where conrelid = 'data.lines'::regclass and contype = 'f' loop
        execute format('alter table data.lines drop constraint %I', name);
      end loop;
      alter table data.lines add foreign key (po) references data.orders (id) on update cascade;
    end $$`)
    await app.deps.catalog.refresh()
    const id = order.id + 5000
    const options = { method: 'PATCH', body: { id }, headers: { prefer: 'return=representation' } }
    const [changed] = await json(call(`/rest/v1/orders?id=eq.${order.id}`, options))
    expect(changed).toEqual((await read('orders', id)).record)
    expect(changed).toMatchObject({ id, lines: order.lines, total: 3, count: 2 })
  })
})

describe('several records', () => {
  test('of one body count in the lookups of each other', async () => {
    const order = await newOrder()
    const lines = await json(call(recordsOf('lines'), { body: [1, 2, 4].map((qty) => ({ po: order.id, qty })) }))
    expect(lines.map((line: { 'order total': number }) => line['order total'])).toEqual([7, 7, 7])
    for (const line of lines) expect(line).toEqual((await read('lines', line.id)).record)
  })

  test('changed by a filter, too', async () => {
    const order = await newOrder(1, 2, 4)
    const body = { qty: 10 }
    const options = { method: 'PATCH', body, headers: { prefer: 'return=representation' } }
    const { records } = await json(call(`${recordsOf('lines')}?po=eq.${order.id}&select=qty,order%20total`, options))
    expect(records).toEqual([10, 10, 10].map((qty) => ({ qty, 'order total': 30 })))
  })

  test('written at the same time by several requests have their own values in what is computed from all', async () => {
    const order = await newOrder()
    const path = recordsOf('lines')
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map((qty) => call(path, { body: { po: order.id, qty } })))
    const ids = (await Promise.all(made.map(json))).map(({ id }: { id: number }) => id)
    const changed = await Promise.all(ids.map((id) => call(`${path}/${id}`, { method: 'PATCH', body: { qty: 10 } })))
    const totals = (await Promise.all(changed.map(json))).map((line) => line['order total'])
    // Others only raise the total, and may not have ended yet.
    for (const [index, total] of totals.entries()) expect(total).toBeGreaterThanOrEqual(21 + 10 - (index + 1))
    expect((await read('orders', order.id)).record.total).toBe(60)
    expect(changed.map(({ status }) => status)).toEqual(ids.map(() => 200))
  })

  test('of a batch are answered as they are at its end, each by the last operation on it', async () => {
    const order = await newOrder()
    const [table, path] = ['lines', recordsOf('lines')]
    const operations = [
      { method: 'PUT', table, pk: '9001', body: { po: order.id, qty: 1 } },
      { method: 'POST', table, body: [2, 3].map((qty) => ({ po: order.id, qty })) },
      { method: 'PATCH', table, pk: '9001', body: { qty: 4 } },
      { method: 'PUT', table, pk: '9500', body: { po: order.id, qty: 5 } },
      { method: 'PATCH', table: 'orders', pk: String(order.id), body: { name: 'done' } },
      { method: 'PUT', table, pk: '9600', body: { po: order.id, qty: 6 } },
      { method: 'DELETE', table, pk: '9600' },
    ]
    const { results } = await json(call('/api/v1/batch', { body: { operations } }))
    const [first, several, changed, put, orders, gone] = results
    expect(first.body).toMatchObject({ qty: 1, 'order total': 1 })
    for (const line of several.body) expect(line).toEqual((await read(table, line.id)).record)
    for (const [result, id] of [
      [changed, 9001],
      [put, 9500],
    ]) {
      const current = await read(table, id)
      expect([result.body, result.etag]).toEqual([current.record, current.etag])
    }
    expect(changed.body['order total']).toBe(14)
    const current = await read('orders', order.id)
    expect([orders.body, orders.etag]).toEqual([current.record, current.etag])
    expect(gone).toMatchObject({ status: 201, body: { id: 9600, qty: 6 } })
    const next = await call(`${path}/9001`, { method: 'PATCH', body: { qty: 1 }, headers: { 'if-match': changed.etag } })
    expect(next.status).toBe(200)
  })
})

describe('/rest/v1', () => {
  const representation = { prefer: 'return=representation' }

  test('answers the values after a write', async () => {
    const order = await newOrder(1)
    const [made] = await json(call('/rest/v1/lines', { body: { po: order.id, qty: 2 }, headers: representation }))
    expect(made).toEqual((await read('lines', made.id)).record)
    expect(made['order total']).toBe(3)
    const path = `/rest/v1/lines?id=eq.${made.id}`
    const [changed] = await json(call(path, { method: 'PATCH', body: { qty: 5 }, headers: representation }))
    expect(changed).toEqual((await read('lines', made.id)).record)
    const body = { id: made.id, po: order.id, qty: 7, also: [order.id] }
    const [put] = await json(call(path, { method: 'PUT', body, headers: representation }))
    expect(put).toEqual((await read('lines', made.id)).record)
    expect(put).toMatchObject({ 'order total': 8, also: [order.id] })
    const merge = { prefer: 'return=representation,resolution=merge-duplicates' }
    const merged = await json(call('/rest/v1/lines', { body: [{ ...body, also: undefined, qty: 9 }], headers: merge }))
    expect(merged).toEqual([(await read('lines', made.id)).record])
  })

  test.each([
    ['in an order', '&order=qty.desc&limit=2', {}, '[{"qty":40,"order total":70},{"qty":20,"order total":70}]'],
    ['as CSV', '&order=qty', { accept: 'text/csv' }, 'qty,order total\n10,70\n20,70\n40,70'],
    ['without nulls', '&order=qty&limit=1', { accept: 'application/vnd.pgrst.array+json;nulls=stripped' }, '[{"qty":10,"order total":70}]'],
  ])('sorts and writes them %s', async (_how, query, headers, expected) => {
    const order = await newOrder()
    const body = [20, 10, 40].map((qty) => ({ po: order.id, qty }))
    const made = await call(`/rest/v1/lines?select=qty,"order total"${query}`, { body, headers: { ...representation, ...headers } })
    expect([made.status, await made.text()]).toEqual([201, expected])
    const ids = (await json(call(`${recordsOf('lines')}?po=eq.${order.id}`))).records.map(({ id }: { id: number }) => id)
    const change = { method: 'PATCH', body: { also: [order.id] }, headers: { ...representation, ...headers } }
    const changed = await call(`/rest/v1/lines?id=in.(${ids})&select=qty,"order total"${query}`, change)
    expect([changed.status, await changed.text()]).toEqual([200, expected])
  })

  test('embeds records as they are after the write', async () => {
    const order = await newOrder(1)
    const path = '/rest/v1/lines?select=qty,orders!po(name,lines!po(qty))&orders.lines.order=id'
    const [made] = await json(call(path, { body: { po: order.id, qty: 2 }, headers: representation }))
    expect(made).toEqual({ qty: 2, orders: { name: 'order', lines: [{ qty: 1 }, { qty: 2 }] } })
    const native = `${recordsOf('lines')}?select=qty,orders!po(lines!po(qty))&orders.lines.order=id`
    expect(await json(call(native, { body: { po: order.id, qty: 3 } }))).toEqual({
      qty: 3,
      orders: { lines: [{ qty: 1 }, { qty: 2 }, { qty: 3 }] },
    })
  })

  test('shows a deleted record as it was', async () => {
    const order = await newOrder(1, 2)
    const path = `/rest/v1/lines?id=eq.${order.lines[0]}&select=qty,"order total"`
    expect(await json(call(path, { method: 'DELETE', headers: representation }))).toEqual([{ qty: 1, 'order total': 3 }])
  })
})

test('what a trigger does for a write is in its answer', async () => {
  await app.deps.db.sql.unsafe(`create function data.add_fee() returns trigger language plpgsql as $$ begin
      if new.qty > 0 then insert into data.lines (po, qty) values (new.po, 0); end if; return null; end $$;
    create trigger add_fee after insert on data.lines for each row execute function data.add_fee()`)
  await app.deps.catalog.refresh()
  const order = await newOrder()
  const made = await expectCurrent('lines', await call(recordsOf('lines'), { body: { po: order.id, qty: 5 } }))
  expect(made).toMatchObject({ 'order total': 5, 'order count': 2 })
  await app.deps.db.sql.unsafe('drop trigger add_fee on data.lines; drop function data.add_fee()')
})

test('what a caller may not read is not in the answer of their write', async () => {
  const rules = [
    { group: 'role:editor', table: 'lines', read: 'qty=lt.100', create: 'all', update: 'all' },
    { group: 'role:editor', table: 'orders', read: 'all', create: 'all' },
  ]
  const order = await newOrder(1)
  expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)
  const made = await expectCurrent('lines', await call(recordsOf('lines'), { body: { po: order.id, qty: 2 } }))
  const hidden = await call(recordsOf('lines'), { body: { po: order.id, qty: 200 } })
  expect([hidden.status, await hidden.text()]).toEqual([201, '{}'])
  const changed = await call(`${recordsOf('lines')}/${made.id}`, { method: 'PATCH', body: { qty: 3 } })
  expect(await expectCurrent('lines', changed)).toMatchObject({ qty: 3, 'order total': 4, 'order count': 2 })
})
