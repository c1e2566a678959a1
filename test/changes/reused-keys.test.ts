import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'

const app = await startApp()
const { users } = await json(app.call('/api/v1/users', { as: 'admin' }))
const editor = users.find(({ email }: { email: string }) => email === 'editor@example.org').id as string
const columns = [
  { name: 'title', type: 'text' },
  { name: 'owner', type: 'text' },
]
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'codes', columns, primaryKey: { name: 'code', type: 'text' } } })
const own = 'owner=eq.@me'
const rule = { group: 'everyone', table: 'codes', read: own, create: own, update: own, delete: own }
expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules: [rule] } })).status).toBe(200)

type Caller = 'admin' | 'editor'
const records = '/api/v1/tables/codes/records'
const create = async (as: Caller, code: string, title: string, owner: string) =>
  expect((await app.call(records, { as, body: { code, title, owner } })).status).toBe(201)
const change = async (as: Caller, code: string, body: object) =>
  expect((await app.call(`${records}/${code}`, { as, method: 'PATCH', body })).status).toBe(200)
const remove = async (as: Caller, code: string) => expect((await app.call(`${records}/${code}`, { as, method: 'DELETE' })).status).toBe(204)
const history = (code: string, as: Caller = 'editor') => app.call(`${records}/${code}/history`, { as })
const actions = async (code: string) => (await json(history(code))).changes.map(({ action }: { action: string }) => action)
const restore = (code: string, id: string) => app.call(`${records}/${code}/history/${id}/restore`, { as: 'editor', method: 'POST' })
const everything = encodeURIComponent(`1~${Date.now().toString(36)}~3:3:~~0`)
/** All changes from the first one on. */
const feed = async () =>
  JSON.stringify((await json(app.call(`/api/v1/tables/codes/changes?wait=0&after=${everything}`, { as: 'editor' }))).changes)

/** Somebody else's record, which is out of the way in the end, and then a record of the editor with its key. */
const earlier: Record<string, (code: string) => Promise<void>> = {
  'was deleted': async (code) => {
    await create('admin', code, 'canary 1', 'somebody')
    await change('admin', code, { title: 'canary 2' })
    await remove('admin', code)
    await create('editor', code, 'mine', editor)
  },
  'got another key': async (code) => {
    await create('admin', code, 'canary 1', 'somebody')
    await change('admin', code, { code: `${code}-moved`, title: 'canary 2' })
    await create('editor', code, 'mine', editor)
  },
  'got another key before the later one came': async (code) => {
    await create('admin', code, 'canary 1', 'somebody')
    await change('admin', code, { code: `${code}-moved`, title: 'canary 2' })
    await create('editor', `${code}-other`, 'mine', editor)
    await change('editor', `${code}-other`, { code })
  },
}

describe.each(Object.entries(earlier))('the key of a hidden record that %s', (how, prepare) => {
  const code = how.replaceAll(' ', '-')

  test('leads to no change of that record', async () => {
    await prepare(code)
    const { changes } = await json(history(code, 'admin'))
    const shown = await history(code)
    expect([shown.status, (await shown.text()).includes('canary')]).toEqual([200, false])
    for (const { id, changes: values } of changes)
      if (JSON.stringify(values).includes('canary')) await expectProblem(await restore(code, id), 404, 'not_found')
    const told = await feed()
    expect([told.includes(code), told.includes('canary')]).toEqual([true, false])
    await remove('editor', code)
    expect(await (await history(code)).text()).not.toContain('canary')
    expect(await feed()).not.toContain('canary')
  })
})

test('a record that is restored keeps its history', async () => {
  await create('editor', 'kept', 'first', editor)
  await remove('editor', 'kept')
  const { records: trash } = await json(app.call('/api/v1/tables/codes/trash', { as: 'editor' }))
  const { id } = trash.find(({ pk }: { pk: string }) => pk === 'kept')
  expect((await app.call(`/api/v1/tables/codes/trash/${id}/restore`, { as: 'editor', method: 'POST' })).status).toBe(201)
  await change('editor', 'kept', { title: 'second' })
  expect(await actions('kept')).toEqual(['update', 'create', 'delete', 'create'])
})

test('without rules, the history of a key has all of its records, and none of a record that has left it', async () => {
  await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules: [] } })
  await create('admin', 'free', 'one', '')
  await remove('admin', 'free')
  await create('admin', 'free', 'two', '')
  expect(await actions('free')).toEqual(['create', 'delete', 'create'])
  await create('admin', 'left', 'three', '')
  await change('admin', 'left', { code: 'left for another' })
  await create('admin', 'came', 'four', '')
  await change('admin', 'came', { code: 'left' })
  expect(await actions('left')).toEqual(['update', 'create'])
})
