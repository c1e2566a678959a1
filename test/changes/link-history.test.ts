import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp()
const makeTable = async (name: string, columns: object[]) =>
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })).status).toBe(201)
await makeTable('clients', [{ name: 'name', type: 'text' }])
await makeTable('orders', [
  { name: 'title', type: 'text' },
  { name: 'others', type: 'manyLinks', options: { table: 'clients' } },
])

const records = (table: string, rest = '') => `/api/v1/tables/${table}/records${rest}`
const create = async (table: string, body: object) => (await json(app.call(records(table), { as: 'editor', body }))).id as number
const patch = async (id: number, body: object, request = 'r') => {
  const sent = { as: 'editor', method: 'PATCH', body, headers: { 'x-request-id': request } } as const
  expect((await app.call(records('orders', `/${id}`), sent)).status).toBe(200)
}

type Changed = { name: string; old: unknown; new: unknown }
type Page = { changes: { id: string; action: string; changes: Changed[] }[]; nextBefore: string | null }
const history = (id: number, query = ''): Promise<Page> =>
  json(app.call(`${records('orders', `/${id}`)}/history${query}`, { as: 'viewer' }))
const namesOf = ({ changes }: Page) => changes.map((change) => [change.action, change.changes.map(({ name }) => name)])

test('a history shows more links than a page has in parts', async () => {
  await app.deps.db.sql`insert into data.clients (name) select 'client' from generate_series(1, 2500)`
  const all = Array.from({ length: 2500 }, (_, index) => index + 1)
  const id = await create('orders', { title: 'many', others: all })
  await patch(id, { title: 'very many' })
  const first = await history(id)
  expect(namesOf(first)).toEqual([
    ['update', ['title']],
    ['update', ['others']],
  ])
  expect(first.nextBefore).not.toBeNull()
  const second = await history(id, `?before=${first.nextBefore}`)
  expect(second).toMatchObject({ changes: [{ action: 'create' }], nextBefore: null })
  const added = [first, second].map(({ changes }) => changes.at(-1)!.changes.find(({ name }) => name === 'others')!.new as number[])
  expect(added.map(({ length }) => length)).toEqual([2000, 500])
  expect(added.flat().sort((one, other) => one - other)).toEqual(all)
})

test('a change with links that were logged before its own values is on one page', async () => {
  const [one, other] = [await create('clients', { name: 'one' }), await create('clients', { name: 'other' })]
  const id = await create('orders', { title: 'a', others: [one] })
  await patch(id, { title: 'b', others: [other] }, 'both')
  expect((await app.call('/api/v1/changes/both/undo', { as: 'editor', method: 'POST' })).status).toBe(200)
  const whole = await history(id)
  expect(namesOf(whole)).toEqual([
    ['update', ['title', 'others']],
    ['update', ['title', 'others']],
    ['create', ['id', 'title', 'others']],
  ])
  const pages = [await history(id, '?limit=1')]
  while (pages.at(-1)!.nextBefore !== null) pages.push(await history(id, `?limit=1&before=${pages.at(-1)!.nextBefore}`))
  expect(pages.map(({ changes }) => changes)).toEqual(whole.changes.map((change) => [change]))
})
