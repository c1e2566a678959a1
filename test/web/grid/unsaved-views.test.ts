import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { openTable } from '../../support/grid-page'
import { act, chooseOfColumn, viewButton, viewsApi } from '../../support/named-views'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const changed = (name: string) => `${name}, with unsaved changes`

async function addView(table: string, name: string): Promise<string> {
  const created = await viewsApi(service, table, '', { name, isShared: true, settings: {} })
  return ((await created.json()) as { id: string }).id
}

async function openWithChanges(table: string, name: string, hidden: string): Promise<Page> {
  const page = await openTable(service, table)
  await act(page, 'All records', name)
  await viewButton(page, name).waitFor()
  await chooseOfColumn(page, hidden, 'Hide for me')
  await viewButton(page, changed(name)).waitFor()
  return page
}

test('an administrator who looks at a view as somebody else finds their own changes of it afterwards', async () => {
  const view = await addView('companies', 'Shared')
  const body = { email: 'grace@example.org', name: 'Grace', role: 'editor', password: 'a quiet little harbour' }
  const made = await call(`${service.url}/api/v1/users`, { token: service.token, body })
  const { user } = (await made.json()) as { user: { id: string } }
  const page = await openWithChanges('companies', 'Shared', 'founded')
  const lookAs = (options: { method: string; body?: string }) =>
    page.evaluate(async (init) => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch('/api/v1/access/view', { ...init, headers })).ok
    }, options)
  const open = () => page.goto(`${service.url}/tables/${service.tableId('companies')}?view=${view}`)
  expect(await lookAs({ method: 'POST', body: JSON.stringify({ userId: user.id }) })).toBe(true)
  await open()
  await viewButton(page, 'Shared').waitFor()
  expect(await lookAs({ method: 'DELETE' })).toBe(true)
  await open()
  await viewButton(page, changed('Shared')).waitFor()
})

test('changes stay when the copy of a view that nothing shows is dropped', async () => {
  await addView('projects', 'Kept')
  const page = await openWithChanges('projects', 'Kept', 'ends')
  await page.clock.install()
  await page.goto(`${service.url}/tables/${service.tableId('projects')}?order=id`)
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const path = '**/views/*'
  await page.route(path, async (route) => {
    const response = await route.fetch()
    begun.resolve()
    await released.promise
    await route.fulfill({ response })
  })
  await act(page, 'All records', 'Kept')
  await begun.promise
  await page.getByRole('navigation').getByRole('link', { name: 'companies', exact: true }).click()
  await page.getByRole('heading', { name: 'companies', level: 1 }).waitFor()
  released.resolve()
  await page.unrouteAll({ behavior: 'wait' })
  await page.clock.fastForward('10:00')
  await page.getByRole('navigation').getByRole('link', { name: 'projects', exact: true }).click()
  await viewButton(page, changed('Kept')).waitFor()
})
