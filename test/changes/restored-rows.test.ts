import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'

const app = await startApp()
type As = 'admin' | 'editor'
const tables = (path: string, method: string, body?: object) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const makeTable = async (name: string, columns: object[]) => expect((await tables('', 'POST', { name, columns })).status).toBe(201)
const records = (table: string, rest = '') => `/api/v1/tables/${table}/records${rest}`
const create = async (table: string, body: object, as: As = 'admin') => (await json(app.call(records(table), { as, body }))).id as number
const read = (table: string, id: number) => json(app.call(records(table, `/${id}`), { as: 'admin' }))
const remove = async (table: string, rest: string, request = 'r') => {
  const answer = await app.call(records(table, rest), { as: 'editor', method: 'DELETE', headers: { 'x-request-id': request } })
  expect(answer.status).toBeLessThan(300)
}
const trash = async (table: string) => (await json(app.call(`/api/v1/tables/${table}/trash`, { as: 'editor' }))).records
const restore = async (table: string, entry?: string) =>
  app.call(`/api/v1/tables/${table}/trash/${entry ?? (await trash(table))[0].id}/restore`, { as: 'editor', method: 'POST' })
const undo = (request: string) => app.call(`/api/v1/changes/${request}/undo`, { as: 'editor', method: 'POST' })
const convert = async (table: string, column: string, body: object) =>
  expect((await tables(`/${table}/columns/${column}`, 'PATCH', body)).status).toBe(200)

describe('a deleted record is restored', () => {
  const link = (name: string, table: string, more = {}) => ({ name, type: 'link', options: { table }, ...more })

  test('without the user and the record that were deleted since', async () => {
    await makeTable('people', [{ name: 'name', type: 'text' }])
    await makeTable('tasks', [{ name: 'owner', type: 'user' }, link('person', 'people'), link('other', 'people')])
    const { user } = await json(app.call('/api/v1/users', { as: 'admin', body: { email: 'ann@example.org', name: 'Ann', role: 'editor' } }))
    const [gone, left] = [await create('people', { name: 'gone' }), await create('people', { name: 'left' })]
    const body = { owner: user.id, person: gone, other: left }
    const [one, other] = [await create('tasks', body), await create('tasks', body)]
    await remove('tasks', `/${one}`)
    await remove('tasks', `/${other}`, 'second')
    await remove('people', `/${gone}`)
    expect((await app.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
    const answer = await restore('tasks', (await trash('tasks')).find(({ pk }: { pk: string }) => pk === String(one)).id)
    expect([answer.status, await answer.json()]).toMatchObject([201, { id: one, owner: null, person: null, other: left }])
    expect(await json(undo('second'))).toMatchObject({ created: 1 })
    expect(await read('tasks', other)).toMatchObject({ owner: null, person: null, other: left })
  })

  test('without a record that was deleted since, also where the link is checked at the commit', async () => {
    await makeTable('places', [{ name: 'name', type: 'text' }])
    await makeTable('visits', [link('place', 'places'), link('other', 'places')])
    const { sql } = app.deps.db
    const keys =
      await sql`select conname from pg_constraint where conrelid = 'data.visits'::regclass and contype = 'f' and confrelid = 'data.places'::regclass`
    expect(keys).toHaveLength(2)
    for (const { conname } of keys) await sql`alter table data.visits alter constraint ${sql(conname)} deferrable initially deferred`
    const [gone, left] = [await create('places', { name: 'gone' }), await create('places', { name: 'left' })]
    const [one, other] = [await create('visits', { place: gone, other: left }), await create('visits', { place: gone, other: left })]
    await remove('visits', `/${one}`)
    await remove('visits', `/${other}`, 'late')
    await remove('places', `/${gone}`)
    const answer = await restore('visits', (await trash('visits')).find(({ pk }: { pk: string }) => pk === String(one)).id)
    expect([answer.status, await answer.json()]).toMatchObject([201, { id: one, place: null, other: left }])
    expect(await json(undo('late'))).toMatchObject({ created: 1 })
    expect(await read('visits', other)).toMatchObject({ place: null, other: left })
  })

  test('not without a required link', async () => {
    await makeTable('rooms', [{ name: 'name', type: 'text' }])
    await makeTable('beds', [link('room', 'rooms', { required: true })])
    const room = await create('rooms', { name: 'a' })
    const bed = await create('beds', { room })
    await remove('beds', `/${bed}`)
    await remove('rooms', `/${room}`)
    await expectProblem(await restore('beds'), 409, 'conflict')
  })

  test('with the other record of the same undo that it links to', async () => {
    await makeTable('nodes', [{ name: 'owner', type: 'text' }])
    await tables('/nodes/columns', 'POST', link('parent', 'nodes'))
    const root = await create('nodes', {})
    const child = await create('nodes', { parent: root })
    await remove('nodes', `?id=in.(${root},${child})`, 'family')
    expect(await json(undo('family'))).toMatchObject({ created: 2 })
    expect(await read('nodes', child)).toMatchObject({ parent: root })
  })
})

test('an adopted record is restored with ranges, and with a column of any name', async () => {
  const { sql } = app.deps.db
  await sql.unsafe(`create table data.stays (id int primary key, v text, record int, index int references data.people (id), period daterange,
    spans datemultirange, at timestamptz, amount numeric)`)
  await app.deps.catalog.refresh()
  expect((await tables('/stays/history', 'PUT', { logged: true })).status).toBe(204)
  const gone = await create('people', { name: 'gone' })
  await sql`insert into data.stays values (1, 'v', 2, ${gone}, '[2026-01-01,2026-02-01)', '{[2026-01-01,2026-02-01)}', '2026-01-01T10:00:00Z', 12.3456)`
  const before = await read('stays', 1)
  await remove('stays', '/1')
  await remove('people', `/${gone}`)
  expect((await restore('stays')).status).toBe(201)
  expect(await read('stays', 1)).toEqual({ ...before, index: null })
})

test('a record is restored with links of several columns, of which the database emptied one', async () => {
  const { sql } = app.deps.db
  await sql.unsafe(`create table data.owners (tenant int, id int, primary key (tenant, id));
    create table data.pets (id int primary key, tenant int not null, owner int,
      foreign key (tenant, owner) references data.owners on delete set null (owner));
    create table data.visits_of (id int primary key, tenant int, owner int, same_owner int generated always as (owner) stored,
      foreign key (tenant, same_owner) references data.owners)`)
  await app.deps.catalog.refresh()
  for (const name of ['owners', 'pets', 'visits_of']) expect((await tables(`/${name}/history`, 'PUT', { logged: true })).status).toBe(204)
  await sql`insert into data.owners values (1, 2), (2, 2)`
  await sql`insert into data.pets values (1, 1, 2), (2, 1, 2), (3, 2, 2), (4, 1, null)`
  await remove('owners', '/1,2')
  await sql`update data.pets set tenant = 2 where id = 2`
  expect((await restore('owners')).status).toBe(201)
  const owners = [...(await sql<{ owner: number | null }[]>`select owner from data.pets order by id`)].map(({ owner }) => owner)
  expect(owners).toEqual([2, null, 2, null])
})

describe('a value that was logged under another type', async () => {
  for (const name of ['writers', 'publishers']) {
    await makeTable(name, [{ name: 'name', type: 'text' }])
    // The first one is called as the key of the second one.
    for (const text of ['2', 'b']) await create(name, { name: text })
  }

  test.each([
    ['a date by days first', { type: 'text' }, '01.02.2026', { type: 'date' }],
    ['digits beyond the scale', { type: 'decimal' }, '12.3456', { type: 'decimal', options: { precision: 8, scale: 2 } }],
    ['a number with a comma', { type: 'text' }, '1.234', { type: 'decimal', notation: { decimals: 'comma' } }],
  ])('is refused if PostgreSQL would read or round it: %s', async (name, before, value, after) => {
    const table = name.replaceAll(' ', '_')
    await makeTable(table, [{ name: 'value', ...before }])
    const [id, kept] = [await create(table, { value }), await create(table, { value })]
    await app.call(records(table, `/${kept}`), { as: 'editor', method: 'PATCH', body: { value: '7' }, headers: { 'x-request-id': table } })
    const { changes } = await json(app.call(`${records(table, `/${kept}`)}/history`, { as: 'editor' }))
    await remove(table, `/${id}`, `${table}-gone`)
    if (after.type === 'date') await app.call(records(table, `/${kept}`), { as: 'editor', method: 'PATCH', body: { value: '2026-01-01' } })
    await convert(table, 'value', after)
    const refused = [
      await restore(table),
      await undo(`${table}-gone`),
      await app.call(`${records(table, `/${kept}`)}/history/${changes.at(-1).id}/restore`, { as: 'editor', method: 'POST' }),
    ]
    for (const answer of refused) {
      const { errors } = await expectProblem(answer, 422, 'validation_failed')
      expect(errors?.[0]?.path).toBe('/value')
    }
    expect(await trash(table)).toHaveLength(1)
  })

  const link = (table: string) => ({ type: 'link', options: { table } })

  test.each([
    ['the key of a record of another table', link('writers'), 2, link('publishers')],
    ['a text that named a record', { type: 'text' }, '2', link('writers')],
    ['the key of a record whose name is there now', link('writers'), 2, { type: 'text' }],
    ['a text that was read as JSON', { type: 'text' }, '{"a":1}', { type: 'json' }],
    ['a list', { type: 'multiSelect', options: { choices: ['a', 'b'] } }, ['a', 'b'], { type: 'text' }],
  ])('is refused if it would mean something else: %s', async (name, before, value, after) => {
    const table = name.replaceAll(' ', '_')
    await makeTable(table, [{ name: 'value', ...before }])
    const [id, left] = [await create(table, { value }), await create(table, { value })]
    await app.call(records(table, `/${left}`), { as: 'editor', method: 'PATCH', body: { value: null }, headers: { 'x-request-id': table } })
    const { changes } = await json(app.call(`${records(table, `/${left}`)}/history`, { as: 'editor' }))
    await remove(table, `/${id}`, `${table}-gone`)
    await convert(table, 'value', after)
    const refused = [
      await restore(table),
      await undo(`${table}-gone`),
      await undo(table),
      await app.call(`${records(table, `/${left}`)}/history/${changes.at(-1).id}/restore`, { as: 'editor', method: 'POST' }),
    ]
    for (const answer of refused) {
      const { errors } = await expectProblem(answer, 422, 'validation_failed')
      expect(errors?.[0]?.path).toBe('/value')
    }
    expect(await read(table, left)).toMatchObject({ value: null })
  })

  test.each([
    ['a link', link('writers'), 2],
    ['a text', { type: 'text' }, '2'],
  ])('is refused if its value would be lost, as the column has become a list of links: %s', async (name, before, value) => {
    const table = `${name.replaceAll(' ', '_')}_listed`
    await makeTable(table, [{ name: 'value', ...before }])
    const id = await create(table, { value })
    await remove(table, `/${id}`, `${table}-gone`)
    await convert(table, 'value', { type: 'manyLinks', options: { table: 'writers' } })
    for (const answer of [await restore(table), await undo(`${table}-gone`)]) {
      const { errors } = await expectProblem(answer, 422, 'validation_failed')
      expect(errors?.[0]?.path).toBe('/value')
    }
    expect(await trash(table)).toHaveLength(1)
  })

  test('is restored if it was logged after the conversion, whatever the name of the column', async () => {
    await makeTable('volumes', [{ name: 'by', ...link('writers') }])
    await convert('volumes', 'by', { ...link('publishers'), name: 'source' })
    const id = await create('volumes', { source: 2 })
    await remove('volumes', `/${id}`)
    await convert('volumes', 'source', { name: 'house' })
    const answer = await restore('volumes')
    expect([answer.status, await answer.json()]).toMatchObject([201, { id, house: 2 }])
  })

  test('is restored if it means the same', async () => {
    await makeTable('same', [
      { name: 'count', type: 'text' },
      { name: 'price', type: 'decimal' },
      { name: 'day', type: 'date' },
    ])
    const id = await create('same', { count: '12', price: '12.50', day: '2026-02-01' })
    await remove('same', `/${id}`)
    await convert('same', 'count', { type: 'integer' })
    await convert('same', 'price', { type: 'decimal', options: { precision: 8, scale: 2 } })
    await convert('same', 'day', { type: 'text' })
    const answer = await restore('same')
    expect([answer.status, await answer.json()]).toMatchObject([201, { id, count: 12, price: 12.5, day: '2026-02-01' }])
  })
})

describe('under a rule that names the columns that may be written', async () => {
  await makeTable('deals', [
    { name: 'title', type: 'text' },
    { name: 'salary', type: 'integer', required: true },
    { name: 'made', type: 'createdBy' },
  ])
  const id = await create('deals', { title: 'a', salary: 90_000 })
  const secret = await create('deals', { title: 'b', salary: 90_001 })
  const made = (await read('deals', id)).made
  const put = async (columns: object) => {
    const etag = (await app.call('/api/v1/access', { as: 'admin' })).headers.get('etag')!
    const rules = [{ group: 'everyone', table: 'deals', read: 'all', create: 'all', update: 'all', delete: 'all', columns }]
    const answer = await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules }, headers: { 'if-match': etag } })
    expect(answer.status).toBe(200)
  }

  test('a record comes back once, with its key and its author', async () => {
    await put({ write: ['title', 'salary'] })
    await remove('deals', `/${id}`, 'deal')
    const [entry] = await trash('deals')
    const answer = await restore('deals', entry.id)
    expect([answer.status, await answer.json()]).toMatchObject([201, { id, made }])
    await expectProblem(await restore('deals', entry.id), 409, 'conflict')
    await remove('deals', `/${id}`, 'deal-2')
    expect(await json(undo('deal-2'))).toMatchObject({ created: 1 })
    expect(await read('deals', id)).toMatchObject({ made })
    await expectProblem(await undo('deal-2'), 409, 'conflict')
  })

  test('no error of an undo names a column that is hidden', async () => {
    await put({ read: ['id', 'title'], write: ['id', 'title'] })
    await remove('deals', `/${secret}`, 'secret')
    const { errors } = await expectProblem(await undo('secret'), 422, 'validation_failed')
    expect(JSON.stringify(errors)).not.toContain('salary')
  })
})
