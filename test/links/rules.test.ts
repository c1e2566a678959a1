import { expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { makeLink, openAsJson, statusOf } from '../support/links'

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
