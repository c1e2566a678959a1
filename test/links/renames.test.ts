import { expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { makeLink, openAsJson, statusOf } from '../support/links'

const app = await startApp()
const goods = (path: string, method: string, body?: object) => app.call(`/api/v1/tables/goods${path}`, { as: 'admin', method, body })

test('a link of a list goes on after a column was deleted and others got its name', async () => {
  const columns = ['title', 'cost', 'price'].map((name) => ({ name, type: 'text' }))
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'goods', columns } })
  await goods('/records', 'POST', [
    { title: 'a', cost: '1', price: 'canary' },
    { title: 'b', cost: '2', price: 'canary' },
  ])
  const { path } = await makeLink(app, { table: 'goods', query: 'select=title,cost&title=neq.b&order=title' })
  expect((await goods('/columns/cost?confirm=cost', 'DELETE')).status).toBe(204)
  expect((await goods('/columns/title', 'PATCH', { name: 'label' })).status).toBe(200)
  expect((await goods('/columns/price', 'PATCH', { name: 'cost' })).status).toBe(200)
  expect(await statusOf(app, path)).toBe(200)
  const shown = JSON.stringify(await openAsJson(app, path))
  expect([shown.includes('"label":"a"'), shown.includes('"b"'), shown.includes('canary')]).toEqual([true, false, false])
})
