import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'
import { act, chooseOfColumn, saveAsView, viewButton, viewIdIn, viewItem, viewsApi } from '../../support/named-views'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const api = (table: string, path = '', body?: object, method?: string) => viewsApi(service, table, path, body, method)
const names = async (table: string) =>
  ((await (await api(table)).json()) as { views: { name: string }[] }).views.map(({ name }) => name).sort()

test('a view is saved, left, chosen, changed, renamed and deleted', async () => {
  const page = await openTable(service, 'contacts', { search: '?name=ilike.*li*' })
  await page.getByText('12 records').waitFor({ state: 'hidden' })
  const count = await page.locator('.grid-count').textContent()
  await saveAsView(page, 'All records', 'With li')
  expect(viewIdIn(page)).toBeString()
  expect(new URL(page.url()).searchParams.get('name')).toBe('ilike.*li*')
  await expectAccessible(page)
  await act(page, 'With li', 'All records')
  await page.getByText('12 records').waitFor()
  expect(new URL(page.url()).search).toBe('')
  await act(page, 'All records', 'With li')
  await page.getByText(count!, { exact: true }).waitFor()

  await chooseOfColumn(page, 'role', 'Hide for me')
  await viewButton(page, 'With li, with unsaved changes').waitFor()
  await act(page, 'With li, with unsaved changes', 'Discard changes')
  await page.getByRole('columnheader', { name: 'role' }).waitFor()
  await chooseOfColumn(page, 'role', 'Hide for me')
  await chooseOfColumn(page, 'name', 'Sort descending')
  await act(page, 'With li, with unsaved changes', 'Save changes')
  await viewButton(page, 'With li').waitFor()

  await act(page, 'With li', 'Rename view')
  await page.getByRole('dialog').getByRole('textbox').fill('Known')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await viewButton(page, 'Known').waitFor()
  // The user’s last view opens with the table, and nothing of it has gone into their own.
  const again = await openTable(service, 'contacts', { hasDefaultView: true })
  await viewButton(again, 'Known').waitFor()
  await again.waitForURL(/view=.*order=name\.desc/)
  expect(await again.getByRole('columnheader', { name: 'role' }).count()).toBe(0)
  await act(again, 'Known', 'All records')
  await again.getByRole('columnheader', { name: 'role' }).waitFor()

  await act(page, 'Known', 'Delete view')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await act(page, 'Known', 'Delete view')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click()
  await viewButton(page, 'All records').waitFor()
  await becomes(() => names('contacts'), [])
})

test('a link opens a view, also one whose columns were renamed, and the grid tells if it is gone', async () => {
  const page = await openTable(service, 'companies')
  await chooseOfColumn(page, 'founded', 'Sort descending')
  await page.waitForURL(/order=founded/)
  await saveAsView(page, 'All records', 'Youngest', true)
  const id = viewIdIn(page)
  const table = `${service.url}/api/v1/tables/${service.tableId('companies')}`
  await call(`${table}/columns/founded`, { token: service.token, method: 'PATCH', body: { name: 'since when' } })
  const linked = await openTable(service, 'companies', { search: `?view=${id}` })
  await linked.waitForURL(/order=since\+when\.desc|order=since%20when\.desc/)
  await viewButton(linked, 'Youngest').waitFor()
  await chooseOfColumn(linked, 'since when', 'Hide for me')
  await viewButton(linked, 'Youngest, with unsaved changes').waitFor()

  await api('companies', `/${id}`, undefined, 'DELETE')
  const late = await openTable(service, 'companies', { search: `?view=${id}` })
  await late.getByText('This view does not exist, or it is not for you.').waitFor()
  await viewButton(late, 'All records').waitFor()
  expect(viewIdIn(late)).toBeNull()
  // A copy with changes is still there to be saved.
  await act(linked, 'Youngest, with unsaved changes', 'Save changes')
  await linked.getByText('There is no such view.').waitFor()
  await saveAsView(linked, 'Youngest, with unsaved changes', 'Youngest again')
})

test('a name that is taken is told in the dialog, and keys reach everything', async () => {
  await api('projects', '', { name: 'Mine', settings: {} })
  const page = await openTable(service, 'projects')
  await cell(page, 0, 0).click()
  await viewButton(page, 'All records').focus()
  await page.keyboard.press('Enter')
  await viewItem(page, 'Save as new view…').waitFor()
  await page.locator('[role="menu"]:focus-within').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('textbox').waitFor()
  await page.keyboard.type('Mine')
  await page.keyboard.press('Enter')
  await page.getByText('There is already a view with the name "Mine".').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'View: All records')
  expect(await names('projects')).toEqual(['Mine'])
})

test.each(['desktop', 'phone'] as const)('a search without a match in a view says so, and looks in all records: %s', async (size) => {
  const name = `Some on a ${size}`
  const page = await openTable(service, 'contacts', { search: '?name=ilike.*li*', size, hasDefaultView: size === 'phone' })
  await saveAsView(page, 'All records', name)
  const field = page.getByRole('searchbox', { name: 'Search records' })
  await field.fill('fiona@')
  await page.getByText(`looks only at the records that match the filter of “${name}”.`).waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
  await page.getByRole('button', { name: 'Clear the search' }).waitFor()
  await page.getByRole('button', { name: 'Search all records' }).click()
  await viewButton(page, 'All records').waitFor()
  await page.getByText('1 record', { exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe('?q=fiona%40')
  await field.fill('fiona@nowhere')
  await page.getByText('The search for “fiona@nowhere” finds none.').waitFor()
  expect(await page.getByRole('button', { name: 'Search all records' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Clear the search' }).click()
  await page.getByText('12 records').waitFor()
  await viewButton(page, 'All records').waitFor()
})

test('a phone has room for the menu in the dark, too', async () => {
  const page = await openTable(service, 'contacts', { size: 'phone', scheme: 'dark', hasDefaultView: true })
  const name = 'A view with a name that is far too long for a telephone'
  await saveAsView(page, 'All records', name)
  await expectNoSideways(page)
  const isCut = (text: Locator) => text.evaluate((element) => element.scrollWidth > element.clientWidth)
  expect(await isCut(page.getByRole('heading', { level: 1 }))).toBe(false)
  await viewButton(page, name).click()
  await viewItem(page, 'Delete view').waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
  await viewItem(page, 'All records').click()
  await viewButton(page, 'All records').getByText('All records').waitFor()
  expect(await isCut(viewButton(page, 'All records').locator('.view-name'))).toBe(false)
  expect(await page.getByRole('button', { name: 'New record' }).isVisible()).toBe(true)
})
