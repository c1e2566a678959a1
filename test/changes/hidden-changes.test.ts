import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp()
const columns = ['name', 'salary'].map((name) => ({ name, type: 'text' }))
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'people', columns } })
const rules = [{ group: 'role:viewer', table: 'people', read: 'all', columns: { read: ['id', 'name'] } }]
expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)

const records = '/api/v1/tables/people/records'
type Page = { changes: { id: string; action: string; changes: { name: string; new: unknown }[] }[]; nextBefore: string | null }
const history = (id: number, query = '', as: 'admin' | 'viewer' = 'viewer'): Promise<Page> =>
  json(app.call(`${records}/${id}/history${query}`, { as }))
const create = async () => (await json(app.call(records, { as: 'admin', body: { name: 'Ann', salary: '0' } }))).id as number
const change = async (id: number, body: object) =>
  expect((await app.call(`${records}/${id}`, { as: 'admin', method: 'PATCH', body })).status).toBe(200)
const changeHidden = (id: number, times: number) =>
  app.deps.db.query(`do $$ begin for n in 1..${times} loop update data.people set salary = n::text where id = ${id}; end loop; end $$`)

test('a change of only hidden columns is not in the history', async () => {
  const id = await create()
  await change(id, { salary: '1' })
  expect((await history(id)).changes.map(({ action }) => action)).toEqual(['create'])
  await change(id, { name: 'Bea', salary: '2' })
  const { changes, nextBefore } = await history(id)
  expect(changes.map(({ changes: values }) => values.map(({ name }) => name))).toEqual([['name'], ['id', 'name']])
  expect(nextBefore).toBeNull()
  expect((await history(id, '', 'admin')).changes).toHaveLength(3)
})

test('its pages are full, however many hidden changes are between the others', async () => {
  const id = await create()
  for (const name of ['Bea', 'Cid', 'Dan']) {
    await changeHidden(id, 250)
    await change(id, { name })
  }
  await changeHidden(id, 5)
  const pages: Page[] = []
  for (let next: string | null = ''; next !== null; next = pages.at(-1)!.nextBefore)
    pages.push(await history(id, `?limit=2${next && `&before=${next}`}`))
  const names = pages.map(({ changes }) => changes.map(({ changes: values }) => values.find(({ name }) => name === 'name')!.new))
  expect(names).toEqual([
    ['Dan', 'Cid'],
    ['Bea', 'Ann'],
  ])
})

test('more hidden changes than are read at once leave a page to be continued', async () => {
  const id = await create()
  await changeHidden(id, 950)
  const first = await history(id, '?limit=1')
  expect(first.changes).toEqual([])
  const second = await history(id, `?limit=1&before=${first.nextBefore}`)
  expect([second.changes.map(({ action }) => action), second.nextBefore]).toEqual([['create'], null])
})
