import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { makeLink, openAsJson, statusOf } from '../support/links'
import { makeMembers } from '../support/members'

const app = await startApp()
const columns = ['title', 'team', 'secret'].map((name) => ({ name, type: 'text' }))
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'tasks', columns } })
await app.call('/api/v1/tables/tasks/records', {
  as: 'admin',
  body: [
    { title: 'shown', team: 'north', secret: 'canary-1' },
    { title: 'canary-2', team: 'south', secret: 'canary-3' },
  ],
})

const save = (rules: object[]) => app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })
const rule = { group: 'role:editor', table: 'tasks', read: 'team=eq.north', columns: { read: ['title', 'team'] } }

test('a link shows what the rules of access leave to its issuer at each opening', async () => {
  const list = await makeLink(app, { table: 'tasks' })
  const hidden = await makeLink(app, { table: 'tasks', pk: '2' })
  const filtered = await makeLink(app, { table: 'tasks', query: 'secret=eq.canary-1' })
  expect(JSON.stringify(await openAsJson(app, list.path))).toContain('canary-3')
  expect((await save([rule])).status).toBe(200)
  const shown = JSON.stringify(await openAsJson(app, list.path))
  expect([shown.includes('shown'), shown.includes('canary')]).toEqual([true, false])
  const page = await (await app.call(list.path)).text()
  expect([page.includes('shown'), page.includes('canary'), page.includes('secret')]).toEqual([true, false, false])
  expect(await statusOf(app, hidden.path)).toBe(404)
  expect(JSON.stringify(await openAsJson(app, filtered.path))).not.toContain('shown')
  expect((await app.call('/api/v1/links', { as: 'editor', body: { table: 'tasks', pk: '2' } })).status).toBe(404)
  await save([{ ...rule, group: 'role:viewer' }])
  expect(await statusOf(app, list.path)).toBe(404)
})

describe('the table names the columns that rules hide from some people', () => {
  const restricted = async (as: 'admin' | 'editor' | 'viewer', ...rules: object[]) => {
    expect((await save(rules)).status).toBe(200)
    return (await json(app.call('/api/v1/tables/tasks', { as }))).restrictedColumns
  }
  const whole = { group: 'everyone', table: 'tasks', read: 'all' }
  const partial = { group: 'role:viewer', table: 'tasks', read: 'all', columns: { read: ['title', 'id'] } }

  test.each([
    ['none', [], undefined],
    ['one for all columns', [whole], undefined],
    ['one that shows some', [partial], ['team', 'secret']],
    ['one that shows some, and one that shows everybody all', [partial, whole], undefined],
    ['one that shows some, and one that shows everybody some rows', [partial, { ...whole, read: 'team=eq.north' }], ['team', 'secret']],
    ['one that lets some be read of no row', [{ ...partial, read: 'none' }], undefined],
    ['one of the columns that are written', [{ ...partial, columns: { write: ['title'] } }], undefined],
  ])('with these rules: %s', async (_name, rules, expected) => {
    expect(await restricted('admin', ...rules)).toEqual(expected!)
  })

  test('but none that is hidden from the caller', async () => {
    const editors = { group: 'role:editor', table: 'tasks', read: 'all', columns: { read: ['title', 'team'] } }
    expect(await restricted('editor', partial, editors)).toEqual(['team'])
    const { tables } = await json(app.call('/api/v1/tables', { as: 'editor' }))
    expect(tables.find(({ name }: { name: string }) => name === 'tasks').restrictedColumns).toEqual(['team'])
  })

  test('and those that are computed along them', async () => {
    const add = (body: object) => app.call('/api/v1/tables/tasks/columns', { as: 'admin', body })
    expect((await add({ name: 'parent', type: 'link', options: { table: 'tasks' } })).status).toBe(201)
    expect((await add({ name: 'parent title', type: 'lookup', options: { link: 'parent', column: 'title' } })).status).toBe(201)
    const columns = { read: ['id', 'title', 'team', 'secret', 'parent title'] }
    expect(await restricted('admin', { ...partial, columns })).toEqual(['parent', 'parent title'])
  })

  test('of those that are computed from other tables, too', async () => {
    const add = async (table: string, body: object) =>
      expect((await app.call(`/api/v1/tables/${table}/columns`, { as: 'admin', body })).status).toBe(201)
    for (const [name, columns] of Object.entries({ staff: ['name', 'salary'], deals: ['title'] }))
      await app.call('/api/v1/tables', { as: 'admin', body: { name, columns: columns.map((each) => ({ name: each, type: 'text' })) } })
    await add('deals', { name: 'seller', type: 'link', options: { table: 'staff' } })
    await add('deals', { name: 'called', type: 'lookup', options: { link: 'seller', column: 'name' } })
    await add('deals', { name: 'paid', type: 'lookup', options: { link: 'seller', column: 'salary' } })
    await add('deals', { name: 'boss', type: 'link', options: { table: 'deals' } })
    await add('deals', { name: 'boss paid', type: 'lookup', options: { link: 'boss', column: 'paid' } })
    const filter = [{ column: 'salary', operator: 'eq', value: '1' }]
    await add('deals', { name: 'rich', type: 'count', options: { link: 'seller', filter } })
    const ofDeals = async (...rules: object[]) => {
      expect((await save(rules)).status).toBe(200)
      return (await json(app.call('/api/v1/tables/deals', { as: 'admin' }))).restrictedColumns
    }
    const staff = { table: 'staff', read: 'all' }
    const columns = { read: ['id', 'name'] }
    const roles = [
      { ...staff, group: 'role:editor' },
      { ...staff, group: 'role:viewer' },
    ]
    expect(await ofDeals({ ...staff, group: 'everyone', columns })).toEqual(['paid', 'boss paid', 'rich'])
    expect(await ofDeals(roles[0]!, { ...roles[1], columns })).toEqual(['paid', 'boss paid', 'rich'])
    expect(await ofDeals(...roles)).toBeUndefined()
    expect(await ofDeals({ ...staff, group: 'everyone', read: 'name=eq.Ann' })).toEqual(['called', 'paid', 'boss paid', 'rich'])
  })

  test('to those who can make links', async () => {
    await save([partial])
    const [read, write] = await Promise.all(
      ['read', 'write'].map(async (scope) => {
        const { token } = await json(app.call('/auth/tokens', { as: 'admin', body: { name: scope, scope } }))
        const { tables } = await json(app.call('/api/v1/tables', { headers: { authorization: `Bearer ${token}` } }))
        return tables.find(({ name }: { name: string }) => name === 'tasks').restrictedColumns
      }),
    )
    expect([read, write]).toEqual([undefined, ['team', 'secret', 'parent', 'parent title']])
  })
})

test('a linked record is shown by its first values, without those that rules hide from some people', async () => {
  expect((await save([])).status).toBe(200)
  const { member } = await makeMembers(app)
  const rule = { group: 'role:viewer', table: 'payments', read: 'all', columns: { read: ['member', 'paid on', 'purpose'] } }
  expect((await save([rule, { group: 'role:editor', table: 'payments', read: 'all' }])).status).toBe(200)
  const { path } = await makeLink(app, { table: 'members', pk: String(member) })
  expect(await (await app.call(path)).text()).toContain('<li>1 · 3 Oct 2025 · Gift</li>')
})
