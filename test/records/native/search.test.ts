import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { asJson } from '../../support/links'
import { bearer } from '../../support/people'

const app = await startApp()
const make = (name: string, columns: object[]) => app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
await make('companies', [{ name: 'name', type: 'text' }])
await make('people', [
  { name: 'name', type: 'text' },
  { name: 'topics', type: 'multiSelect', options: { choices: ['Newsletter', 'Prices'] } },
  { name: 'price', type: 'decimal', options: { precision: 12, scale: 2 } },
  { name: 'day', type: 'date' },
  { name: 'at', type: 'dateTime' },
  { name: 'company', type: 'link', options: { table: 'companies' } },
  { name: 'clients', type: 'manyLinks', options: { table: 'companies' } },
  { name: 'owner', type: 'user' },
])
const records = (table: string) => `/api/v1/tables/${table}/records`
const { user } = await json(app.call('/auth/me', { as: 'editor' }))
await app.call(records('companies'), { as: 'editor', body: [{ name: 'Café Kitchen' }, { name: 'Łódź Freight' }] })
for (const body of [
  { name: 'Zieliński', price: 1234.5, company: 1 },
  { name: 'Straße 9', topics: ['Newsletter'], day: '2026-03-05', clients: [2] },
  { name: 'A*(b)', price: 229, at: '2025-11-22T14:30:00Z', owner: user.id },
])
  expect((await app.call(records('people'), { as: 'editor', body })).status).toBe(201)

test('a table without texts is searched, too', async () => {
  await make('readings', [{ name: 'celsius', type: 'integer' }])
  await app.call(records('readings'), { as: 'editor', body: [{ celsius: 12 }, { celsius: 31 }] })
  const { records: rows } = await json(app.call(`${records('readings')}?q=12`, { as: 'viewer' }))
  expect(rows).toMatchObject([{ celsius: 12 }])
})

test('an empty text leaves no records out', async () => {
  await make('gauges', [{ name: 'celsius', type: 'integer' }])
  await app.call(records('gauges'), { as: 'editor', body: [{ celsius: 12 }, {}] })
  const { records: rows } = await json(app.call(`${records('gauges')}?q=`, { as: 'viewer' }))
  expect(rows).toMatchObject([{ celsius: 12 }, { celsius: null }])
})

test('a search finds numbers with the zeros that columns show and do not store', async () => {
  await make('fees', [
    { name: 'fee', type: 'currency', options: { currency: 'EUR' } },
    { name: 'weight', type: 'float', options: { decimals: 2 } },
    { name: 'day', type: 'date' },
  ])
  const body = [{ fee: 1234.5, day: '2026-03-05' }, { weight: 119 }, { fee: -7, weight: 12.25 }]
  expect((await app.call(records('fees'), { as: 'editor', body })).status).toBe(201)
  const found = async (q: string) => {
    const { records: rows } = await json(app.call(`${records('fees')}?q=${encodeURIComponent(q)}`, { as: 'viewer' }))
    return rows.map(({ id }: { id: number }) => id)
  }
  for (const [q, ids] of [
    ['1,234.50', [1]],
    ['1234.50', [1]],
    ['1.234,50', [1]],
    ['119.00', [2]],
    ['-7,00', [3]],
  ] as const)
    expect({ q, ids: await found(q) }).toEqual({ q, ids: [...ids] })
  // Neither a part of a day or of another number, nor the number 2.
  for (const q of ['5.00', '12.20', '2.000', '2,000', '2,000.00', '2.000,00']) expect({ q, ids: await found(q) }).toEqual({ q, ids: [] })
})

test.each<[string, number[]]>([
  ['zielinski', [1]],
  ['ZIELIŃ', [1]],
  ['strasse', [2]],
  ['straße', [2]],
  ['a*(b', [3]],
  ['newsl', [2]],
  ['cafe', [1]],
  ['lodz', [2]],
  ['1,234.50', [1]],
  ['1.234,5', [1]],
  ['229', [3]],
  ['2026', [2]],
  ['Mar 5, 2026', [2]],
  ['5. März', [2]],
  ['05.03.2026', [2]],
  ['3/5/2026', [2]],
  ['2:30 PM', [3]],
  ['nobody', []],
  ['[a-z', []],
  ['x'.repeat(500), []],
])('a search for %j finds what people see', async (q, found) => {
  const { records: rows } = await json(app.call(`${records('people')}?q=${encodeURIComponent(q)}&count=exact`, { as: 'viewer' }))
  expect(rows.map(({ id }: { id: number }) => id)).toEqual(found)
})

const words = [
  ...['한국 본사', 'データ', 'أحمد', 'আলো', 'ΟΔΟΣ', 'οδος 1'],
  ...['চা\u09dfের', 'क\u093cलम', 'ガ'.normalize('NFD'), '서울'.normalize('NFD')],
]
await make('words', [{ name: 'word', type: 'text' }])
await app.call(records('words'), { as: 'editor', body: words.map((word) => ({ word })) })

test.each<[string, number[]]>([
  ['한국', [1]],
  ['본', [1]],
  ['データ', [2]],
  ['テータ', []],
  ['أحمد', [3]],
  ['আলো', [4]],
  ['ΟΔΟΣ', [5, 6]],
  ['οδος', [5, 6]],
  ['οδοσ', [5, 6]],
  ['চা\u09dfের', [7]],
  ['\u0958लम', [8]],
  ['ガ', [9]],
  ['서울', [10]],
])('a search for %j finds the words of its script, composed and decomposed', async (word, found) => {
  for (const q of new Set([word, word.normalize('NFC'), word.normalize('NFD')])) {
    const { records: rows } = await json(app.call(`${records('words')}?order=id&q=${encodeURIComponent(q)}`, { as: 'viewer' }))
    expect(rows.map(({ id }: { id: number }) => id)).toEqual(found)
  }
})

test('a search finds what lookups and formulas show, and leaves rollups and counts out', async () => {
  const { id, columns } = await json(app.call('/api/v1/tables/people', { as: 'admin' }))
  const companies = await json(app.call('/api/v1/tables/companies', { as: 'admin' }))
  const idOf = (name: string) => columns.find((column: { name: string }) => column.name === name).id
  const column = companies.columns.find(({ name }: { name: string }) => name === 'name').id
  const add = (name: string, type: string, options: object) =>
    app.call(`/api/v1/tables/${id}/columns`, { as: 'admin', body: { name, type, options } })
  const added = [
    await add('of one', 'lookup', { link: idOf('company'), column }),
    await add('of several', 'lookup', { link: idOf('clients'), column }),
    await add('shout', 'formula', { expression: "'<' || upper(name) || '>'" }),
    await add('how many', 'count', { link: idOf('clients') }),
  ]
  expect(added.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  const found = async (q: string, select: string) => {
    const { records: rows } = await json(app.call(`${records('people')}?q=${encodeURIComponent(q)}&select=${select}`, { as: 'viewer' }))
    return rows
  }
  // The linked records are found by their names, too: by the lookups alone once the names are others'.
  await app.call('/api/v1/tables/companies/columns', { as: 'admin', body: { name: 'code', type: 'text' } })
  const named = await app.call('/api/v1/tables/companies', { as: 'admin', method: 'PATCH', body: { displayColumn: 'code' } })
  expect(named.status).toBe(200)
  expect(await found('cafe', 'id,"of one"')).toEqual([{ id: 1, 'of one': 'Café Kitchen' }])
  expect(await found('lodz', 'id,"of several"')).toEqual([{ id: 2, 'of several': ['Łódź Freight'] }])
  expect(await found('<zielinski', 'id,shout')).toEqual([{ id: 1, shout: '<ZIELIŃSKI>' }])
})

test('a search finds what lookups of links, users, numbers and dates show', async () => {
  await make('calls', [{ name: 'person', type: 'link', options: { table: 'people' } }])
  await make('teams', [{ name: 'people', type: 'manyLinks', options: { table: 'people' } }])
  const columns = ['company', 'owner', 'price', 'day', 'topics']
  for (const [table, link] of [
    ['calls', 'person'],
    ['teams', 'people'],
  ])
    for (const column of columns) {
      const body = { name: column, type: 'lookup', options: { link, column } }
      expect((await app.call(`/api/v1/tables/${table}/columns`, { as: 'admin', body })).status).toBe(201)
    }
  // Their own links have no names that could be found.
  const added = await json(app.call('/api/v1/tables/people/columns', { as: 'admin', body: { name: 'short', type: 'text' } }))
  const named = await app.call('/api/v1/tables/people', { as: 'admin', method: 'PATCH', body: { displayColumn: added.name } })
  expect(named.status).toBe(200)
  await app.call(records('calls'), { as: 'editor', body: [1, 2, 3].map((person) => ({ person })) })
  await app.call(records('teams'), { as: 'editor', body: [[1, 2], [2, 3], []].map((people) => ({ people })) })
  const found = async (table: string, q: string) => {
    const { records: rows } = await json(app.call(`${records(table)}?q=${encodeURIComponent(q)}&order=id`, { as: 'viewer' }))
    return rows.map(({ id }: { id: number }) => id)
  }
  await app.call('/api/v1/tables/companies', { as: 'admin', method: 'PATCH', body: { displayColumn: 'name' } })
  for (const [q, calls, teams] of [
    ['cafe', [1], [1]],
    [user.name, [3], [2]],
    ['1,234.50', [1], [1]],
    ['Mar 5, 2026', [2], [1, 2]],
    ['nobody', [], []],
  ] as const)
    expect({ q, calls: await found('calls', q), teams: await found('teams', q) }).toEqual({ q, calls: [...calls], teams: [...teams] })
})

test('a search finds a linked record by a name that is computed', async () => {
  const add = async (table: string, body: { name: string; type: string; options: object }) =>
    expect((await app.call(`/api/v1/tables/${table}/columns`, { as: 'admin', body })).status).toBe(201)
  const nameBy = async (table: string, displayColumn: string) =>
    expect((await app.call(`/api/v1/tables/${table}`, { as: 'admin', method: 'PATCH', body: { displayColumn } })).status).toBe(200)
  const found = async (table: string, q: string) => {
    const { records: rows } = await json(app.call(`${records(table)}?q=${encodeURIComponent(q)}&order=id`, { as: 'viewer' }))
    return rows.map(({ id }: { id: number }) => id)
  }
  await make('buyers', [{ name: 'name', type: 'text' }])
  await make('orders', [{ name: 'buyer', type: 'link', options: { table: 'buyers' } }])
  await add('orders', { name: 'buyer name', type: 'lookup', options: { link: 'buyer', column: 'name' } })
  await nameBy('orders', 'buyer name')
  await make('invoices', [
    { name: 'order', type: 'link', options: { table: 'orders' } },
    { name: 'others', type: 'manyLinks', options: { table: 'orders' } },
  ])
  await make('reminders', [{ name: 'invoice', type: 'link', options: { table: 'invoices' } }])
  await app.call(records('buyers'), { as: 'editor', body: [{ name: 'Ánn' }, { name: 'Bob' }] })
  await app.call(records('orders'), { as: 'editor', body: [{ buyer: 1 }, { buyer: 2 }] })
  const invoices = [
    { order: 1, others: [] },
    { order: 2, others: [] },
    { order: 2, others: [1] },
  ]
  await app.call(records('invoices'), { as: 'editor', body: invoices })
  await app.call(records('reminders'), { as: 'editor', body: [{ invoice: 1 }, { invoice: 2 }] })
  expect(await found('invoices', 'ann')).toEqual([1, 3])
  await add('invoices', { name: 'ordered by', type: 'lookup', options: { link: 'order', column: 'buyer name' } })
  await add('invoices', { name: 'title', type: 'formula', options: { formula: '"No. " & {ordered by}' } })
  await nameBy('invoices', 'title')
  expect(await found('reminders', 'no. ann')).toEqual([1])
  expect(await found('reminders', 'nobody')).toEqual([])
})

test('a search finds users by name', async () => {
  const { records: rows } = await json(app.call(`${records('people')}?q=${encodeURIComponent(user.name)}`, { as: 'viewer' }))
  expect(rows.map(({ id }: { id: number }) => id)).toContain(3)
})

test.each([
  ['full', false, [3]],
  ['full', true, []],
  ['write', false, []],
  ['read', true, []],
] as const)('a token with the scope %s, for one table %p, finds by a user’s name %j', async (scope, isForOne, found) => {
  const { id: people } = await json(app.call('/api/v1/tables/people', { as: 'admin' }))
  const limits = { scope, ...(isForOne ? { tables: [people] } : {}) }
  const { token } = await json(app.call('/auth/tokens', { as: 'editor', body: { name: 'names', ...limits } }))
  const query = `q=${encodeURIComponent(user.name)}&id=eq.3&select=id`
  const call = (path: string, options: { method?: string; body?: object } = {}) => app.call(path, { ...options, headers: bearer(token) })
  const { records: rows, totalCount } = await json(call(`${records('people')}?${query}&count=exact`))
  expect([rows.map(({ id }: { id: number }) => id), totalCount]).toEqual([[...found], found.length])
  expect((await (await call(`/api/v1/tables/people/export.csv?${query}`)).text()).includes('3')).toBe(found.length > 0)
  if (scope === 'read') return
  const removal = await json(call(`${records('people')}?${query}&dryRun=true`, { method: 'DELETE' }))
  expect(removal.affected).toBe(found.length)
  const { url } = await json(call('/api/v1/links', { body: { table: 'people', query } }))
  const shared = await json(fetch(url, { headers: asJson }))
  expect(shared.records).toHaveLength(found.length)
})

test('a search does not look into tables that a token may not read', async () => {
  const tables = (await json(app.call('/api/v1/tables', { as: 'admin' }))).tables as { id: string; name: string }[]
  const people = tables.find(({ name }) => name === 'people')!.id
  const { token } = await json(app.call('/auth/tokens', { as: 'editor', body: { name: 'one table', tables: [people] } }))
  const found = await json(app.call(`${records('people')}?q=cafe&token=${token}`))
  expect(found.records).toEqual([])
})
