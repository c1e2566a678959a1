import { afterAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { openEventStream } from '../support/event-stream'
import { expectProblem } from '../support/problem'

const app = await startApp()
const tables = (path: string, method: string, body?: object) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const records = (table: string, rest = '') => `/api/v1/tables/${table}/records${rest}`
const create = async (table: string, body: object) => (await json(app.call(records(table), { as: 'admin', body }))).id as number
const remove = (table: string, id: number) => app.call(records(table, `/${id}`), { as: 'admin', method: 'DELETE' })
const rename = (table: string, column: string, name: string) => tables(`/${table}/columns/${column}`, 'PATCH', { name })
const trash = async (table: string, as: 'admin' | 'editor') => (await json(app.call(`/api/v1/tables/${table}/trash`, { as }))).records

describe('a rule that also allows records without an owner', async () => {
  await tables('', 'POST', {
    name: 'deals',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'owner', type: 'text' },
    ],
  })
  const etag = (await app.call('/api/v1/access', { as: 'admin' })).headers.get('etag')!
  const read = 'or=(owner.is.null,owner.eq.@me)'
  const rules = [{ group: 'everyone', table: 'deals', read, create: 'all', update: read, delete: read }]
  const put = await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules }, headers: { 'if-match': etag } })
  const [hidden, free] = [await create('deals', { title: 'hidden', owner: 'somebody' }), await create('deals', { title: 'free' })]
  const position = await openEventStream(`${app.url}/api/v1/tables/deals/changes`, { token: app.tokens.editor })
  afterAll(() => position.stop())
  for (const id of [hidden, free]) await remove('deals', id)
  await rename('deals', 'owner', 'seller')

  test('hides in the trash the others, also after their column has another name', async () => {
    expect(put.status).toBe(200)
    expect((await trash('deals', 'editor')).map(({ record }: { record: object }) => record)).toEqual([
      { id: free, title: 'free', seller: null },
    ])
    const [, { id }] = await trash('deals', 'admin')
    await expectProblem(await app.call(`/api/v1/tables/deals/trash/${id}/restore`, { as: 'editor', method: 'POST' }), 404, 'not_found')
    await expectProblem(await app.call(records('deals', `/${hidden}/history`), { as: 'editor' }), 404, 'not_found')
  })

  test('hides their deletion from a feed that begins before it', async () => {
    const stream = await openEventStream(`${app.url}/api/v1/tables/deals/changes`, {
      token: app.tokens.editor,
      lastId: position.position(),
    })
    const after = await create('deals', { title: 'after' })
    const events = await stream.take(2)
    stream.stop()
    expect(events.map(({ data }) => [data.action, data.pk])).toEqual([
      ['delete', String(free)],
      ['create', String(after)],
    ])
  })
})

describe('a deleted record is restored with its links', async () => {
  const link = (name: string, type: string, table: string) => ({ name, type, options: { table } })
  await tables('', 'POST', { name: 'people', columns: [{ name: 'name', type: 'text' }] })
  await tables('', 'POST', { name: 'tasks', columns: [link('person', 'link', 'people'), link('helpers', 'manyLinks', 'people')] })
  const ada = await create('people', { name: 'Ada' })
  const task = await create('tasks', { person: ada, helpers: [ada] })
  const restore = async () => {
    const [{ id }] = await trash('people', 'admin')
    return (await app.call(`/api/v1/tables/people/trash/${id}/restore`, { as: 'admin', method: 'POST' })).status
  }

  test('after the columns of the links have other names', async () => {
    await remove('people', ada)
    await rename('tasks', 'person', 'assignee')
    await rename('tasks', 'helpers', 'assistants')
    expect(await restore()).toBe(201)
    expect(await json(app.call(records('tasks', `/${task}`), { as: 'admin' }))).toMatchObject({ assignee: ada, assistants: [ada] })
  })

  test('after the key that they contain has another name', async () => {
    await remove('people', ada)
    expect((await rename('people', 'id', 'number')).status).toBe(200)
    expect(await restore()).toBe(201)
    expect(await json(app.call(records('tasks', `/${task}`), { as: 'admin' }))).toMatchObject({ assignee: ada, assistants: [ada] })
  })
})

test('a name that two columns had belongs to the first one before, also if the ids of the log got a digit more since', async () => {
  const columns = ['a', 'b'].map((name) => ({ name, type: 'text' }))
  await tables('', 'POST', { name: 'swapped', columns })
  const advance = (id: number) => app.deps.db.sql.unsafe(`select setval('rowhouse.changes_id_seq', ${id})`)
  await advance(999_900)
  const id = await create('swapped', { a: 'of a', b: 'of b' })
  await rename('swapped', 'a', 'c')
  await rename('swapped', 'b', 'a')
  await advance(1_000_000)
  await rename('swapped', 'a', 'd')
  await remove('swapped', id)
  const { changes } = await json(app.call(records('swapped', `/${id}/history`), { as: 'admin' }))
  expect(changes.at(-1).changes).toMatchObject([
    { name: 'id', new: id },
    { name: 'c', new: 'of a' },
    { name: 'd', new: 'of b' },
  ])
})

test('a column may be called __proto__', async () => {
  await tables('', 'POST', { name: 'odd', columns: [{ name: '__proto__', type: 'text' }] })
  const send = (path: string, method: string, value: string) =>
    app.call(records('odd', path), { as: 'admin', method, body: `{"__proto__": "${value}"}` })
  const made = await send('', 'POST', 'first')
  expect(made.status).toBe(201)
  const { id } = await made.json()
  await send(`/${id}`, 'PATCH', 'second')
  const { changes } = await json(app.call(records('odd', `/${id}/history`), { as: 'admin' }))
  const restored = await app.call(records('odd', `/${id}/history/${changes.at(-1).id}/restore`), { as: 'admin', method: 'POST' })
  expect([restored.status, await restored.text()]).toEqual([200, expect.stringContaining('"__proto__":"first"')])
})
