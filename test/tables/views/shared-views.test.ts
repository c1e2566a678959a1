import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

type Who = 'admin' | 'editor' | 'viewer'
type Columns = Record<string, string>

const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
const { db, catalog } = app.deps
await db.sql.unsafe('create schema crm; create table crm.people (id int primary key, name text, salary text)')
await catalog.refresh()

const send = (as: Who, path: string, method: string, body?: unknown) => app.call(`/api/v1/${path}`, { as, method, body })
const save = (as: Who, table: string, body: object) => send(as, `tables/${table}/views`, 'POST', { isShared: true, settings: {}, ...body })
const saved = async (table: string, body: object) => (await json(save('admin', table, body))) as { id: string; version: number }
const at = (table: string, { id }: { id: string }) => `tables/${table}/views/${id}`
const columnsOf = async (table: string): Promise<Columns> => {
  const { columns } = (await json(send('admin', `tables/${table}`, 'GET'))) as { columns: { id: string; name: string }[] }
  return Object.fromEntries(columns.map(({ id, name }) => [name, id]))
}
const create = async (name: string, ...columns: (string | object)[]): Promise<Columns> => {
  const body = { name, columns: columns.map((column) => (typeof column === 'string' ? { name: column, type: 'text' } : column)) }
  expect((await send('admin', 'tables', 'POST', body)).status).toBe(201)
  return columnsOf(name)
}
const setRules = async (...rules: object[]) => expect((await send('admin', 'access', 'PUT', { rules })).status).toBe(200)
const open = (table: string, ...read: string[]) => ({
  ...{ group: 'role:editor', table, read: 'all', update: 'all' },
  ...(read.length > 0 ? { columns: { read, write: read } } : {}),
})
const rule = (column: string, ...values: string[]) => ({ kind: 'rule', column, operator: 'contains', values })
const group = (...items: object[]) => ({ kind: 'group', join: 'and', items })
const stored = async (table: string): Promise<number> => {
  const rows = await db.query('select from rowhouse.named_views where table_id = $1::uuid', [table])
  return rows.length
}

test('what a view says about a hidden column stays hidden after the column was deleted, or renamed in psql', async () => {
  const own = await create('staff', 'name', 'salary')
  const adopted = await columnsOf('people')
  const settings = ({ name, salary }: Columns) => ({
    ...{
      widths: { [name!]: 100, [salary!]: 200 },
      summaries: { [salary!]: 'sum' },
      order: [salary, name],
      hidden: [salary],
      pinned: [salary],
    },
    sort: [{ column: salary, isDescending: true }],
    filter: group(rule(salary!, 'secret'), rule(name!, salary!)),
  })
  const visible = ({ name, salary }: Columns) => ({
    ...{ widths: { [name!]: 100 }, summaries: {}, order: [name], hidden: [], pinned: [], sort: [] },
    filter: group(rule(name!, salary!)),
  })
  const views = {
    staff: await saved('staff', { name: 'Paid', settings: settings(own) }),
    people: await saved('people', { name: 'Paid', settings: settings(adopted) }),
  }
  await setRules(open('staff', 'id', 'name'), open('people', 'id', 'name'))
  const read = async (as: Who) => [
    (await json(send(as, at('staff', views.staff), 'GET'))).settings,
    (await json(send(as, at('people', views.people), 'GET'))).settings,
  ]
  expect(await read('editor')).toEqual([visible(own), visible(adopted)])
  expect(await read('admin')).toEqual([settings(own), settings(adopted)])
  expect((await send('admin', 'tables/staff/columns/salary?confirm=salary', 'DELETE')).status).toBe(204)
  await db.sql.unsafe('alter table crm.people rename column salary to pay')
  for (const who of ['editor', 'admin'] as const) expect(await read(who)).toEqual([visible(own), visible(adopted)])
  const [row] = await db.query<{ settings: unknown }>('select settings from rowhouse.named_views where id = $1::uuid', [views.staff.id])
  expect(row!.settings).toEqual(settings(own))
  // Nobody can read the column any more, so nobody is asked to keep it.
  expect((await send('editor', at('staff', views.staff), 'PATCH', { settings: {} })).status).toBe(200)
  await setRules()
})

test('a condition on the name of linked records is for those who may read the name', async () => {
  await create('firms', 'name', 'city')
  const { firm, title } = await create('deals', 'title', { name: 'firm', type: 'link', options: { table: 'firms' } })
  const condition = { ...rule(firm!, 'secret'), linked: true }
  const settings = { filter: group(condition, group(rule(title!, 'a'), condition)) }
  const view = await saved('deals', { name: 'Firms', settings })
  const read = async () => (await json(send('editor', at('deals', view), 'GET'))).settings
  const overwrite = () => send('editor', at('deals', view), 'PATCH', { settings })
  const readable = group(group(rule(title!, 'a')))
  for (const rules of [[open('deals')], [open('deals'), open('firms', 'id', 'city')]]) {
    await setRules(...rules, ...(rules.length === 1 ? [{ ...open('firms'), group: 'role:viewer' }] : []))
    expect(await read()).toEqual({ filter: readable })
    await expectProblem(await overwrite(), 403, 'forbidden')
  }
  await setRules(open('deals'), open('firms', 'id', 'name'))
  expect(await read()).toEqual(settings)
  expect((await overwrite()).status).toBe(200)
  await setRules()
})

test('a condition on another column of linked records is for those who may read that column', async () => {
  const { city } = await create('shops', 'name', 'city')
  const { shop, title } = await create('sales', 'title', { name: 'shop', type: 'link', options: { table: 'shops' } })
  const condition = { ...rule(shop!, 'secret'), linked: city }
  const settings = { filter: group(rule(title!, 'a'), condition) }
  const readable = { filter: group(rule(title!, 'a')) }
  const view = await saved('sales', { name: 'Cities', settings })
  const read = async () => (await json(send('editor', at('sales', view), 'GET'))).settings
  const overwrite = () => send('editor', at('sales', view), 'PATCH', { settings })
  for (const shops of [{ ...open('shops'), group: 'role:viewer' }, open('shops', 'id', 'name')]) {
    await setRules(open('sales'), shops)
    expect(await read()).toEqual(readable)
    await expectProblem(await overwrite(), 403, 'forbidden')
  }
  await setRules(open('sales'), open('shops', 'id', 'city'))
  expect(await read()).toEqual(settings)
  expect((await overwrite()).status).toBe(200)
  await setRules()
  const wrong = { filter: group({ ...condition, linked: 'city' }) }
  await expectProblem(await save('admin', 'sales', { name: 'Wrong', settings: wrong }), 422, 'validation_failed')
  expect((await send('admin', 'tables/shops/columns/city?confirm=city', 'DELETE')).status).toBe(204)
  expect(await read()).toEqual(readable)
  expect((await send('editor', at('sales', view), 'PATCH', { settings: {} })).status).toBe(200)
})

test('who may not read a column that a view for everyone uses does not change, rename or delete it', async () => {
  const { secret } = await create('notes', 'text', 'secret')
  const view = await saved('notes', { name: 'Secret', settings: { hidden: [secret] } })
  const other = await saved('notes', { name: 'Plain' })
  const list = async (as: Who) => (await json(send(as, 'tables/notes/views', 'GET'))).views
  const entry = ({ id }: { id: string }, name: string, canChange: boolean, isShared = true) => ({ id, name, isShared, canChange })
  await setRules(open('notes', 'id', 'text'), { group: 'role:viewer', table: 'notes', read: 'all' })
  const own = await json(save('viewer', 'notes', { name: 'Own', isShared: false }))
  expect(await list('admin')).toEqual([entry(other, 'Plain', true), entry(view, 'Secret', true)])
  expect(await list('editor')).toEqual([entry(other, 'Plain', true), entry(view, 'Secret', false)])
  expect(await list('viewer')).toEqual([entry(own, 'Own', true, false), entry(other, 'Plain', false), entry(view, 'Secret', false)])
  for (const body of [{ name: 'Mine' }, { settings: {} }, {}])
    await expectProblem(await send('editor', at('notes', view), 'PATCH', body), 403, 'forbidden')
  await expectProblem(await send('editor', at('notes', view), 'DELETE'), 403, 'forbidden')
  expect((await send('editor', at('notes', other), 'DELETE')).status).toBe(204)
  expect((await send('admin', at('notes', view), 'DELETE')).status).toBe(204)
  await setRules()
})

test('a change of a version that somebody else has changed is refused', async () => {
  await create('tasks', 'title')
  const view = await saved('tasks', { name: 'Open' })
  const change = (body: object) => send('editor', at('tasks', view), 'PATCH', body)
  expect(view.version).toBe(1)
  expect(await json(change({ name: 'Due' }))).toMatchObject({ name: 'Due', version: 1, canChange: true })
  const both = await Promise.all([
    change({ version: 1, settings: { rowSize: 'tall' } }),
    change({ version: 1, settings: { rowSize: 'short' } }),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  const refused = await expectProblem(await change({ version: 1, name: 'Late' }), 409, 'conflict')
  expect(refused).toMatchObject({
    message: 'Somebody has changed this view since you opened it.',
    hint: 'Open the view again and repeat your changes, or save them as another view.',
  })
  expect(await json(send('viewer', at('tasks', view), 'GET'))).toMatchObject({ name: 'Due', version: 2 })
  expect(await json(change({ settings: {} }))).toMatchObject({ version: 3 })
  expect((await change({ version: 'x' })).status).toBe(422)
})

test('a view is read as a newer instance has stored it', async () => {
  const { title } = await create('newer', 'title')
  const view = await saved('newer', { name: 'Newer' })
  const settings = { colours: [{ column: title, values: ['red'] }], wraps: 'always', groups: { [title!]: 1 } }
  await db.query('update rowhouse.named_views set settings = $2::json where id = $1::uuid', [view.id, JSON.stringify(settings)])
  expect((await json(send('viewer', at('newer', view), 'GET'))).settings).toEqual(settings)
})

test('a change does not wait for that of another person’s views', async () => {
  await create('busy', 'title')
  await db.sql.begin(async (tx) => {
    await tx`lock table rowhouse.named_views in row exclusive mode`
    expect((await save('editor', 'busy', { name: 'Now' })).status).toBe(201)
  })
})

test.each(['created', 'renamed'])(
  'the views of a table go with it, also if psql has dropped it and the name is used again (%s)',
  async (how) => {
    const name = `gone_${how}`
    await create(name, 'title')
    const { id } = await json(send('admin', `tables/${name}`, 'GET'))
    await save('editor', name, { name: 'All' })
    await send('viewer', `tables/${name}/view`, 'PUT', { hidden: [] })
    await db.sql.unsafe(`drop table data.${name}`)
    if (how === 'created') await create(name, 'title')
    else {
      await create('other', 'title')
      expect((await send('admin', 'tables/other', 'PATCH', { name })).status).toBe(200)
    }
    expect(await stored(id)).toBe(0)
    expect(await db.query('select from rowhouse.table_views where table_id = $1::uuid', [id])).toHaveLength(0)
  },
)

test('a view that is saved while its table is deleted is not left behind', async () => {
  await create('racing', 'title')
  const { id } = await json(send('admin', 'tables/racing', 'GET'))
  const saving = await db.sql.begin(async (tx) => {
    await tx`delete from rowhouse.tables where id = ${id}`
    const call = save('editor', 'racing', { name: 'Late' })
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until('the view waits for the deletion', async () => (await db.sql.unsafe(waits)).length > 0)
    return { call }
  })
  await expectProblem(await saving.call, 404, 'not_found')
  expect(await stored(id)).toBe(0)
})
