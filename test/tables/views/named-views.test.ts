import { beforeAll, describe, expect, test } from 'bun:test'
import { maxNamedViews } from '../../../src/tables/views/model'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

type Who = 'admin' | 'editor' | 'viewer'

const app = await startApp()
const path = (id = '') => `/api/v1/tables/books/views${id && `/${id}`}`
const save = (as: Who, body: object) => app.call(path(), { as, body: { settings: {}, ...body } })
const saved = async (as: Who, body: object) => (await json(save(as, body))) as { id: string; name: string; isShared: boolean }
const read = (as: Who, id: string) => app.call(path(id), { as })
const change = (as: Who, id: string, body: object) => app.call(path(id), { as, method: 'PATCH', body })
const remove = (as: Who, id: string) => app.call(path(id), { as, method: 'DELETE' })
const names = async (as: Who) => ((await json(app.call(path(), { as }))).views as { name: string }[]).map(({ name }) => name)

const columns: Record<string, string> = {}
const rule = (column: string, ...values: string[]) => ({ kind: 'rule', column: columns[column], operator: 'eq', values })
const group = (...items: object[]) => ({ kind: 'group', join: 'and', items })

beforeAll(async () => {
  const body = { name: 'books', columns: ['title', 'price', 'state'].map((name) => ({ name, type: 'text' })) }
  const table = (await json(app.call('/api/v1/tables', { as: 'admin', body }))) as { columns: { id: string; name: string }[] }
  for (const { id, name } of table.columns) columns[name] = id
})

test('a view is for oneself, also of who may only read, or for everyone', async () => {
  const settings = {
    hidden: [columns.price],
    sort: [{ column: columns.title, isDescending: true }],
    filter: group(rule('state', 'open')),
  }
  const own = await save('viewer', { name: '  Open ', settings })
  expect(own.status).toBe(201)
  const view = (await own.json()) as { id: string }
  expect(view as object).toEqual({ id: expect.any(String), name: 'Open', isShared: false, canChange: true, version: 1, settings })
  expect(await json(read('viewer', view.id))).toEqual(view)
  for (const call of [read, remove]) await expectProblem(await call('admin', view.id), 404, 'not_found')
  await expectProblem(await change('admin', view.id, { name: 'Mine' }), 404, 'not_found')
  const shared = await saved('editor', { name: 'Open', isShared: true })
  expect([await names('viewer'), await names('admin')]).toEqual([['Open', 'Open'], ['Open']])
  expect((await app.call(path())).status).toBe(401)
  expect((await remove('viewer', view.id)).status).toBe(204)
  expect((await remove('admin', shared.id)).status).toBe(204)
  expect(await names('viewer')).toEqual([])
})

test('who may not change records reads views for everyone only', async () => {
  await expectProblem(await save('viewer', { name: 'All', isShared: true }), 403, 'forbidden')
  const { id } = await saved('editor', { name: 'All', isShared: true })
  expect((await read('viewer', id)).status).toBe(200)
  await expectProblem(await change('viewer', id, { name: 'None' }), 403, 'forbidden')
  await expectProblem(await remove('viewer', id), 403, 'forbidden')
  expect((await json(change('admin', id, { name: 'Every' }))).name).toBe('Every')
  await remove('editor', id)
})

test('names are unique among those of one person, and among those for everyone', async () => {
  const { id } = await saved('editor', { name: 'One' })
  await expectProblem(await save('editor', { name: ' One ' }), 409, 'conflict')
  expect((await save('editor', { name: 'One', isShared: true })).status).toBe(201)
  expect((await save('admin', { name: 'One' })).status).toBe(201)
  await expectProblem(await save('admin', { name: 'One', isShared: true }), 409, 'conflict')
  const two = await saved('editor', { name: 'Two' })
  await expectProblem(await change('editor', two.id, { name: 'One' }), 409, 'conflict')
  expect((await save('editor', { name: 'Caf\u00e9' })).status).toBe(201)
  await expectProblem(await save('editor', { name: 'Cafe\u0301' }), 409, 'conflict')
  expect((await change('editor', id, { name: 'One', settings: { wraps: true } })).status).toBe(200)
  const several = await Promise.all(Array.from({ length: 5 }, () => save('editor', { name: 'At once' })))
  expect(several.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  await app.deps.db.query('delete from rowhouse.named_views')
})

describe('refuses', () => {
  test.each([
    [{ name: '' }, 422],
    [{ name: '  ' }, 422],
    [{ name: 'a\u0000b' }, 422],
    [{ name: 'a\nb' }, 422],
    [{ name: '\ud800' }, 422],
    [{ name: '\u200b\u2060' }, 422],
    [{ name: 'a\u202eb' }, 422],
    [{ name: '\u2066a\u2069' }, 422],
    [{ name: 'x'.repeat(101) }, 422],
    [{ name: 'x', settings: null }, 422],
    [{ name: 'x', settings: [] }, 422],
    [{ name: 'x', settings: { search: { price: 'gt.5' } } }, 422],
    [{ name: 'x', settings: { hidden: ['price'] } }, 422],
    [{ name: 'x', settings: { hidden: ['01988C58-0000-7000-8000-00000000000A'] } }, 422],
    [{ name: 'x', settings: { widths: { price: 5 } } }, 422],
    [{ name: 'x', settings: { sort: [{ column: 'price', isDescending: true }] } }, 422],
    [{ name: 'x', settings: { filter: group({ kind: 'rule', column: 'price', operator: 'eq', values: [] }) } }, 422],
    [{ name: 'x', settings: { filter: group({ sql: 'true' }) } }, 422],
    [{ name: 'x', settings: { rowSize: '\u0000' } }, 422],
    [{ name: 'x', settings: { filter: Array.from({ length: 20 }).reduce((inner: object) => group(inner), group()) } }, 422],
    [{ name: 'x', userId: crypto.randomUUID() }, 422],
  ])('%#', async (body, status) => {
    expect((await save('editor', body)).status).toBe(status)
  })

  test('more than 64 KB, and an unknown or malformed id', async () => {
    const values = Array.from({ length: 10 }, () => 'x'.repeat(7000))
    const settings = { filter: group({ ...rule('title'), values }) }
    expect((await save('editor', { name: 'Large', settings })).status).toBe(413)
    await expectProblem(await read('editor', crypto.randomUUID()), 404, 'not_found')
    await expectProblem(await read('editor', 'x'), 404, 'not_found')
    await expectProblem(await app.call('/api/v1/tables/nowhere/views', { as: 'editor' }), 404, 'not_found')
  })

  test('more views than a table may have, also at once', async () => {
    const all = await Promise.all(Array.from({ length: maxNamedViews + 3 }, (_each, index) => save('viewer', { name: `View ${index}` })))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(maxNamedViews)
    await expectProblem(await save('viewer', { name: 'One more' }), 409, 'conflict')
    expect((await save('editor', { name: 'Another’s' })).status).toBe(201)
    await app.deps.db.query('delete from rowhouse.named_views')
  })
})

test('columns that rules hide are left out, and their conditions, and who does not see them does not overwrite them', async () => {
  const settings = {
    widths: { [columns.title!]: 100, [columns.price!]: 200 },
    summaries: { [columns.price!]: 'sum' },
    order: [columns.price, columns.title],
    hidden: [columns.price],
    sort: [
      { column: columns.price, isDescending: true },
      { column: columns.title, isDescending: false },
    ],
    filter: group(rule('price', 'secret'), { ...group(rule('price', 'secret'), rule('title', 'b')), join: 'or' }),
  }
  const { id } = await saved('admin', { name: 'Dear', isShared: true, settings })
  const seen = ['id', 'title', 'state']
  const rules = [{ group: 'role:editor', table: 'books', read: 'all', update: 'all', columns: { read: seen, write: seen } }]
  expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)
  const text = await (await read('editor', id)).text()
  expect(text).not.toContain(columns.price!)
  expect(text).not.toContain('secret')
  expect(JSON.parse(text).settings).toEqual({
    ...{ widths: { [columns.title!]: 100 }, summaries: {}, order: [columns.title], hidden: [] },
    sort: [{ column: columns.title, isDescending: false }],
    filter: group({ ...group(rule('title', 'b')), join: 'or' }),
  })
  await expectProblem(await change('editor', id, { settings: {} }), 403, 'forbidden')
  expect((await json(read('admin', id))).settings).toEqual(settings)
  await expectProblem(await read('viewer', id), 403, 'forbidden')
  await expectProblem(await app.call(path(), { as: 'viewer' }), 403, 'forbidden')
  await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules: [] } })
  await remove('admin', id)
})

test('names columns by id, so a rename changes nothing, and a deletion leaves the rest', async () => {
  const settings = { hidden: [columns.state, columns.title], filter: group(rule('state', 'open')) }
  const { id } = await saved('editor', { name: 'Kept', settings })
  await app.call('/api/v1/tables/books/columns/state', { as: 'admin', method: 'PATCH', body: { name: 'condition' } })
  expect((await json(read('editor', id))).settings).toEqual(settings)
  await app.call('/api/v1/tables/books/columns/condition?confirm=condition', { as: 'admin', method: 'DELETE' })
  expect((await json(read('editor', id))).settings).toEqual({ hidden: [columns.title], filter: group() })
  expect((await change('editor', id, { settings: { hidden: [columns.title] } })).status).toBe(200)
})

test('a view of another table is not found, and views go with their owner and their table', async () => {
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'films', columns: [{ name: 'title', type: 'text' }] } })
  const { id } = await saved('viewer', { name: 'Mine' })
  await saved('editor', { name: 'All', isShared: true })
  await expectProblem(await app.call(`/api/v1/tables/films/views/${id}`, { as: 'viewer' }), 404, 'not_found')
  const left = async () => (await app.deps.db.query('select 1 from rowhouse.named_views')).length
  const before = await left()
  const { user } = await json(app.call('/api/v1/auth/me', { as: 'viewer' }))
  expect((await app.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
  expect(await left()).toBe(before - 1)
  await app.call('/api/v1/tables/books?confirm=books', { as: 'admin', method: 'DELETE' })
  expect(await left()).toBe(0)
})
