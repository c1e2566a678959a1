import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
type Body = Record<string, unknown>
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const records = (table: string, rest = '') => json(app.call(`/api/v1/tables/${table}/records${rest}`, { as: 'editor' }))
const insert = (table: string, body: Body | Body[]) => json(app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body }))
const patch = (table: string, key: number, body: Body) =>
  app.call(`/api/v1/tables/${table}/records/${key}`, { as: 'editor', method: 'PATCH', body })
const add = (table: string, name: string, type: string, options: Body) => admin(`/${table}/columns`, 'POST', { name, type, options })
const link = (name: string, table: string, more: Body = {}) => ({ name, type: 'link', options: { table }, ...more })

await admin('', 'POST', {
  name: 'companies',
  columns: [
    { name: 'name', type: 'text' },
    { name: 'rating', type: 'decimal' },
  ],
})
await admin('', 'POST', {
  name: 'orders',
  columns: [
    link('company', 'companies'),
    { name: 'title', type: 'text' },
    { name: 'amount', type: 'integer' },
    { name: 'paid', type: 'boolean', default: false },
    { name: 'due', type: 'date' },
    { name: 'tags', type: 'multiSelect', options: { choices: ['a', 'b'] } },
    { name: 'sellers', type: 'manyLinks', options: { table: 'companies' } },
  ],
})
await insert('companies', [{ name: 'Alder' }, { name: "O'Brien & \\ Söhne", rating: 2.5 }, { name: 'Empty' }])
await insert('orders', [
  { company: 1, title: 'one', amount: 10, paid: true, due: '2026-01-01', tags: ['a'], sellers: [2, 3] },
  { company: 1, title: 'two', amount: 5, due: '2026-03-01' },
  { company: 2, title: 'three', amount: 7, paid: true },
  { title: 'free' },
])

test('a lookup through a link is the value of the linked record, always the one of now', async () => {
  const made = await add('orders', 'company name', 'lookup', { link: 'company', column: 'name' })
  expect(await made.json()).toMatchObject({ type: 'lookup', readOnly: true, options: { valueType: 'text' } })
  const names = async () => (await records('orders', '?select=company name&order=id')).records.map((row: Body) => row['company name'])
  expect(await names()).toEqual(['Alder', 'Alder', "O'Brien & \\ Söhne", null])
  await patch('companies', 1, { name: 'Birch' })
  expect((await names())[0]).toBe('Birch')
  await patch('companies', 1, { name: 'Alder' })
  const changed = await json(patch('orders', 4, { company: 2 }))
  expect(changed['company name']).toBe("O'Brien & \\ Söhne")
  await patch('orders', 4, { company: null })
})

test('the other side of a link shows and changes the records that link here', async () => {
  const made = await add('companies', 'orders', 'reverseLinks', { table: 'orders', column: 'company' })
  expect(made.status).toBe(201)
  const orders = async () => (await records('companies', '?select=id,orders&order=id')).records.map((row: Body) => row.orders)
  expect(await orders()).toEqual([[1, 2], [3], []])
  expect((await json(patch('companies', 3, { orders: [2, 4] }))).orders).toEqual([2, 4])
  expect(await orders()).toEqual([[1], [3], [2, 4]])
  expect((await insert('companies', { name: 'New', orders: [3] })).orders).toEqual([3])
  expect(await orders()).toEqual([[1], [], [2, 4], [3]])
  await expectProblem(await patch('companies', 3, { orders: [99] }), 409, 'conflict')
  await expectProblem(await patch('companies', 3, { orders: ['x'] }), 422, 'validation_failed')
  expect(await orders()).toEqual([[1], [], [2, 4], [3]])
  const replaced = await app.call('/api/v1/tables/companies/records/3', { as: 'editor', method: 'PUT', body: { name: 'Empty' } })
  expect((await replaced.json()).orders).toEqual([2, 4])
  await patch('companies', 3, { orders: [] })
  await patch('companies', 1, { orders: [1, 2] })
  await patch('companies', 2, { orders: [3] })
  expect(await orders()).toEqual([[1, 2], [3], [], []])
  await app.call('/api/v1/tables/companies/records/4', { as: 'editor', method: 'DELETE' })
  const embedded = await records('companies', '?select=name,orders(title)&id=eq.1')
  expect(embedded.records).toEqual([{ name: 'Alder', orders: [{ title: 'one' }, { title: 'two' }] }])
})

test('the other side of links to many goes through the table between', async () => {
  await add('companies', 'sold', 'reverseLinks', { table: 'orders', column: 'sellers' })
  const sold = async () => (await records('companies', '?select=sold&order=id')).records.map((row: Body) => row.sold)
  expect(await sold()).toEqual([[], [1], [1]])
  await patch('companies', 1, { sold: [1, 3] })
  expect(await sold()).toEqual([[1, 3], [1], [1]])
  expect((await records('orders', '?id=eq.3')).records[0].sellers).toEqual([1])
})

test('rollups and counts are computed when they are read, can be filtered and ordered by', async () => {
  const rollup = (name: string, fn: string, column: string, more: Body = {}) =>
    add('companies', name, 'rollup', { link: 'orders', column, function: fn, ...more })
  const paid = { filter: [{ column: 'paid', operator: 'is', value: 'true' }] }
  for (const made of [
    await rollup('total', 'sum', 'amount'),
    await rollup('paid total', 'sum', 'amount', paid),
    await rollup('average', 'avg', 'amount'),
    await rollup('first due', 'min', 'due'),
    await rollup('titles', 'list', 'title'),
    await add('companies', 'order count', 'count', { link: 'orders' }),
    await add('companies', 'big', 'count', {
      link: 'orders',
      filter: [
        { column: 'amount', operator: 'gte', value: '7' },
        { column: 'title', operator: 'in', value: ['one', "o'x"] },
      ],
    }),
    await add('companies', 'all titles', 'lookup', { link: 'orders', column: 'title' }),
    await add('companies', 'all tags', 'lookup', { link: 'orders', column: 'tags' }),
  ])
    expect(made.status).toBe(201)
  expect((await records('companies', '?order=id')).records).toMatchObject([
    {
      total: 15,
      'paid total': 10,
      'first due': '2026-01-01',
      titles: 'one, two',
      'order count': 2,
      big: 1,
      'all titles': ['one', 'two'],
      'all tags': [['a']],
    },
    { total: 7, 'paid total': 7, average: 7, 'first due': null, titles: 'three', 'order count': 1, big: 0, 'all titles': ['three'] },
    { total: 0, average: null, 'first due': null, titles: '', 'order count': 0, big: 0, 'all titles': [], 'all tags': [] },
  ])
  const names = async (query: string) => (await records('companies', `?select=name&${query}`)).records.map((row: Body) => row.name)
  expect(await names('order=total.desc')).toEqual(['Alder', "O'Brien & \\ Söhne", 'Empty'])
  expect(await names('order count=gte.1&order=order count')).toEqual(["O'Brien & \\ Söhne", 'Alder'])
  expect(await names('all titles=cs.{two}')).toEqual(['Alder'])
  const page = await records('companies', '?order=total.desc&limit=1')
  expect((await records('companies', `?order=total.desc&limit=1&cursor=${page.nextCursor}`)).records[0].total).toBe(7)
  const sums = await app.call('/rest/v1/companies?select=total.sum()', { as: 'editor', headers: { 'accept-profile': 'data' } })
  expect(await sums.json()).toEqual([{ sum: 22 }])
  const csv = await app.call('/api/v1/tables/companies/export.csv?select=name,total,titles&order=id', { as: 'editor' })
  expect(await csv.text()).toContain('Alder,15,"one, two"')
})

test('a computed column reads others that are computed, but never itself', async () => {
  expect((await add('orders', 'company total', 'lookup', { link: 'company', column: 'total' })).status).toBe(201)
  expect((await records('orders', '?select=company total&id=eq.1')).records[0]).toEqual({ 'company total': 15 })
  const total = (await json(admin('/companies', 'GET'))).columns.find(({ name }: Body) => name === 'total')
  await expectProblem(
    await admin('/companies/columns/total', 'PATCH', { options: { ...total.options, column: 'company total' } }),
    422,
    'validation_failed',
  )
  expect((await records('companies', '?select=total&id=eq.1')).records[0]).toEqual({ total: 15 })
})

test('what a computed column reads may be renamed, and is not deleted or retyped without naming it', async () => {
  await admin('/orders/columns/amount', 'PATCH', { name: 'price' })
  await admin('/orders', 'PATCH', { name: 'sales' })
  expect((await records('companies', '?select=total,big&id=eq.1')).records[0]).toEqual({ total: 15, big: 1 })
  for (const [path, method, body] of [
    ['/sales/columns/price?confirm=price', 'DELETE', undefined],
    ['/sales/columns/company?confirm=company', 'DELETE', undefined],
    ['/sales/columns/sellers?confirm=sellers', 'DELETE', undefined],
    ['/sales/columns/price', 'PATCH', { type: 'text' }],
    ['/sales/columns/company', 'PATCH', { type: 'text' }],
    ['/sales?confirm=sales', 'DELETE', undefined],
  ] as const) {
    const { message } = await expectProblem(await admin(path, method, body), 409, 'conflict')
    expect(message).toContain('"companies"."')
  }
  const renamed = await json(admin('/companies/columns/total', 'PATCH', { name: 'sum of all', description: 'Of all orders', position: 1 }))
  expect(renamed).toMatchObject({ name: 'sum of all', description: 'Of all orders', position: 1, options: { function: 'sum' } })
  expect(Object.keys(renamed.options).sort()).toEqual(['column', 'function', 'link', 'valueType'])
  expect((await records('sales', '?select=company total&id=eq.1')).records[0]).toEqual({ 'company total': 15 })
  await expectProblem(await admin('/companies/columns/sum%20of%20all?confirm=sum%20of%20all', 'DELETE'), 409, 'conflict')
  expect((await admin('/sales/columns/company%20total?confirm=company%20total', 'DELETE')).status).toBe(204)
  expect((await admin('/companies/columns/sum%20of%20all?confirm=sum%20of%20all', 'DELETE')).status).toBe(204)
})

test('values cannot be sent, and a wrong definition says what is wrong', async () => {
  await expectProblem(await patch('companies', 1, { 'order count': 3 }), 422, 'validation_failed')
  const wrong = async (type: string, options: Body) => {
    const { errors } = await expectProblem(await add('companies', 'wrong', type, options), 422, 'validation_failed')
    return errors![0]
  }
  expect(await wrong('lookup', { link: 'ordrs', column: 'title' })).toEqual({
    path: '/options/link',
    message: 'There is no such column; did you mean "orders"?',
  })
  expect(await wrong('lookup', { link: 'name', column: 'title' })).toEqual({
    path: '/options/link',
    message: '"name" is not a link to records.',
  })
  expect(await wrong('lookup', { link: 'orders', column: 'titel' })).toMatchObject({
    path: '/options/column',
    message: expect.stringContaining('"title"'),
  })
  expect(await wrong('rollup', { link: 'orders', column: 'title', function: 'sum' })).toMatchObject({
    message: expect.stringContaining('no numbers'),
  })
  expect(await wrong('rollup', { link: 'orders', column: 'title', function: 'median' })).toMatchObject({ path: '/options/function' })
  expect(await wrong('count', { link: 'orders', filter: [{ column: 'price', operator: 'gt', value: 'many' }] })).toMatchObject({
    path: '/options/filter',
  })
  expect(await wrong('reverseLinks', { table: 'sales', column: 'title' })).toMatchObject({
    message: expect.stringContaining('not a link to this table'),
  })
  expect(
    (
      await expectProblem(
        await admin('', 'POST', { name: 'x', columns: [{ name: 'n', type: 'count', options: { link: 'a' } }] }),
        422,
        'validation_failed',
      )
    ).errors,
  ).toHaveLength(1)
})

test('an ETag changes with what is read from other tables, and a change needs the one of now', async () => {
  const read = () => app.call('/api/v1/tables/companies/records/1', { as: 'editor' })
  const before = (await read()).headers.get('etag')!
  expect((await read()).headers.get('etag')).toBe(before)
  await patch('sales', 1, { title: 'ONE' })
  const after = (await read()).headers.get('etag')!
  expect(after).not.toBe(before)
  const change = (tag: string) =>
    app.call('/api/v1/tables/companies/records/1', { as: 'editor', method: 'PATCH', body: { rating: 1 }, headers: { 'if-match': tag } })
  expect((await change(before)).status).toBe(412)
  expect((await change(after)).status).toBe(200)
})

test('what psql takes away leaves a column without values, that says why', async () => {
  await add('sales', 'rating', 'lookup', { link: 'company', column: 'rating' })
  await app.deps.db.sql.unsafe('alter table data.companies drop column rating cascade')
  await app.deps.catalog.refresh()
  const column = (await json(admin('/sales', 'GET'))).columns.find(({ name }: Body) => name === 'rating')
  expect(column.options.problem).toContain('no longer has the column')
  expect((await records('sales', '?id=eq.1')).records[0].rating).toBeNull()
  expect((await admin('/sales/columns/rating?confirm=rating', 'DELETE')).status).toBe(204)
})

test('a token that is held to one table sees nothing of the others', async () => {
  const companies = (await json(admin('/companies', 'GET'))).id
  const { token } = await json(
    app.call('/api/v1/auth/tokens', { as: 'admin', body: { name: 'narrow', scope: 'write', tables: [companies] } }),
  )
  const headers = { authorization: `Bearer ${token}` }
  const call = (path: string, options: Body = {}) => app.call(`/api/v1/tables${path}`, { headers, ...options })
  const record = await json(call('/companies/records/1'))
  expect(Object.keys(record)).toEqual(['id', 'name'])
  expect((await json(call('/companies/records?order=id'))).records[0]).toEqual({ id: 1, name: 'Alder' })
  const refused = await call('/companies/records?titles=eq.x')
  expect([refused.status, (await json(refused)).message]).toEqual([403, 'You may not read the column "titles" of "companies".'])
  const body = { orders: [] }
  for (const [path, method] of [
    ['/api/v1/tables/companies/records/1', 'PATCH'],
    ['/api/v1/tables/companies/records?id=eq.1', 'PATCH'],
    ['/api/v1/tables/companies/records/1', 'PUT'],
    ['/api/v1/tables/companies/records', 'POST'],
    ['/rest/v1/companies?id=eq.1', 'PATCH'],
    ['/rest/v1/companies', 'POST'],
    ['/rest/v1/companies?id=eq.1', 'PUT'],
  ] as const) {
    const sent = path.includes('/rest/') && method === 'PUT' ? { id: 1, ...body } : body
    const response = await app.call(path, { method, body: sent, headers: { ...headers, 'content-profile': 'data' } })
    expect({ path, method, isRefused: [400, 401, 403, 422].includes(response.status) }).toEqual({ path, method, isRefused: true })
  }
  expect((await records('sales', '?company=eq.1')).records).toHaveLength(2)
  expect((await records('sales', '?company=eq.1')).records).toHaveLength(2)
})

test('more links than are shown are not taken away by a list of those that are', async () => {
  await admin('', 'POST', { name: 'regions', columns: [{ name: 'name', type: 'text' }] })
  await admin('', 'POST', { name: 'towns', columns: [link('region', 'regions')] })
  await insert('regions', [{ name: 'large' }, { name: 'small' }])
  await app.deps.db.sql.unsafe('insert into data.towns (region) select 1 from generate_series(1, 1200)')
  await add('regions', 'towns', 'reverseLinks', { table: 'towns', column: 'region' })
  await add('regions', 'number', 'count', { link: 'towns' })
  const [shown] = (await records('regions', '?id=eq.1')).records
  expect([shown.towns.length, shown.number]).toEqual([1000, 1200])
  const { message } = await expectProblem(await patch('regions', 1, { towns: shown.towns }), 409, 'conflict')
  expect(message).toContain('more than 1000 links')
  expect((await patch('regions', 2, { towns: [1, 2] })).status).toBe(200)
  expect((await records('regions', '?order=id')).records.map((row: Body) => row.number)).toEqual([1198, 2])
})

test('no value of linked records makes a table unreadable', async () => {
  await admin('', 'POST', { name: 'bins', columns: [] })
  await admin('', 'POST', {
    name: 'weights',
    columns: [link('bin', 'bins'), { name: 'kilos', type: 'float' }, { name: 'note', type: 'text' }],
  })
  await insert('bins', {})
  await insert('weights', [
    { bin: 1, kilos: 1e308, note: 'abc' },
    { bin: 1, kilos: 1.7e308, note: 'a\\' },
  ])
  await add('bins', 'weights', 'reverseLinks', { table: 'weights', column: 'bin' })
  for (const fn of ['sum', 'avg'])
    expect((await add('bins', fn, 'rollup', { link: 'weights', column: 'kilos', function: fn })).status).toBe(201)
  expect((await app.call('/api/v1/tables/bins/records/1', { as: 'viewer' })).status).toBe(200)
  const filtered = (operator: string, value: unknown) =>
    add('bins', 'filtered', 'count', { link: 'weights', filter: [{ column: 'note', operator, value }] })
  for (const [operator, value] of [
    ['like', 'a\\'],
    ['eq', 'a\0b'],
    ['eq', '\ud800'],
    ['in', ['x', '\0']],
  ] as const)
    await expectProblem(await filtered(operator, value), 422, 'validation_failed')
  expect((await filtered('like', 'a\\\\')).status).toBe(201)
  expect((await records('bins')).records).toHaveLength(1)
})

test('conditions on computed columns end where their text would grow without end', async () => {
  await admin('', 'POST', { name: 'nodes', columns: [link('parent', 'nodes')] })
  await add('nodes', 'children', 'reverseLinks', { table: 'nodes', column: 'parent' })
  const filterOn = (column: string) => Array.from({ length: 20 }, () => ({ column, operator: 'gte', value: '0' }))
  await add('nodes', 'n1', 'count', { link: 'children' })
  const made = []
  for (const level of [2, 3, 4, 5])
    made.push((await add('nodes', `n${level}`, 'count', { link: 'children', filter: filterOn(`n${level - 1}`) })).status)
  expect(made[0]).toBe(201)
  expect(made.at(-1)).toBe(422)
  expect((await app.call('/api/v1/tables/nodes/records', { as: 'viewer' })).status).toBe(200)
})

test('a column without values can still get another name and a description', async () => {
  await admin('', 'POST', { name: 'boxes', columns: [{ name: 'size', type: 'integer' }, link('inside', 'boxes')] })
  await add('boxes', 'outer size', 'lookup', { link: 'inside', column: 'size' })
  await app.deps.db.sql.unsafe('alter table data.boxes drop column size cascade')
  await app.deps.catalog.refresh()
  const changed = await json(admin('/boxes/columns/outer%20size', 'PATCH', { name: 'was', description: 'gone', position: 0 }))
  expect(changed).toMatchObject({ name: 'was', description: 'gone', position: 0, options: { problem: expect.any(String) } })
  const copied = { name: 'sum', type: 'formula', options: { expression: '1 + 1' }, copyValuesFrom: 'nothing' }
  await expectProblem(await admin('/boxes/columns', 'POST', copied), 422, 'validation_failed')
})

test('a lookup of several values has several values in the records that link to it, too', async () => {
  await admin('', 'POST', { name: 'firms', columns: [] })
  await admin('', 'POST', { name: 'parts', columns: [{ name: 'name', type: 'text' }, link('firm', 'firms')] })
  await add('firms', 'parts', 'reverseLinks', { table: 'parts', column: 'firm' })
  await add('firms', 'part names', 'lookup', { link: 'parts', column: 'name' })
  const beside = await json(add('parts', 'names beside', 'lookup', { link: 'firm', column: 'part names' }))
  expect(beside.options).toMatchObject({ valueType: 'text', isMany: true })
  const counted = await add('parts', 'how many', 'formula', { formula: 'COUNTA({names beside})' })
  const { errors } = await expectProblem(counted, 422, 'validation_failed')
  expect(errors![0]!.message).toContain('"names beside", whose values are lists')
  await insert('firms', [{}, {}])
  await insert('parts', [{ name: 'a', firm: 1 }, { name: 'b', firm: 1 }, { firm: 2 }, {}])
  const { records: found } = await records('parts', '?select=names beside&order=id')
  expect(found.map((row: Body) => row['names beside'])).toEqual([['a', 'b'], ['a', 'b'], [], null])
})
