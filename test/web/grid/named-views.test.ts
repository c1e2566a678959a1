import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const button = (page: Page, name: string) => page.getByRole('button', { name: `View: ${name}`, exact: true })
const item = (page: Page, name: string) => page.getByRole('menu').getByText(name, { exact: true })

async function act(page: Page, view: string, action: string) {
  await button(page, view).click()
  await item(page, action).click()
}

async function save(page: Page, from: string, name: string, isShared = false) {
  await act(page, from, 'Save as new view…')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  if (isShared) await dialog.getByRole('checkbox', { name: 'For everyone' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await button(page, name).waitFor()
}

async function chooseOfColumn(page: Page, column: string, action: string) {
  await page.getByRole('columnheader', { name: column }).hover()
  await page.getByRole('button', { name: `Menu for column ${column}` }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

const viewIdIn = (page: Page) => new URL(page.url()).searchParams.get('view')
const api = (table: string, path = '', body?: object, method?: string) =>
  call(`${service.url}/api/v1/tables/${service.tableId(table)}/views${path}`, { token: service.token, body, method })
const names = async (table: string) =>
  ((await (await api(table)).json()) as { views: { name: string }[] }).views.map(({ name }) => name).sort()

test('a view is saved, left, chosen, changed, renamed and deleted', async () => {
  const page = await openTable(service, 'contacts', { search: '?name=ilike.*li*' })
  await page.getByText('12 records').waitFor({ state: 'hidden' })
  const count = await page.locator('.grid-count').textContent()
  await save(page, 'All records', 'With li')
  expect(viewIdIn(page)).toBeString()
  expect(new URL(page.url()).searchParams.get('name')).toBe('ilike.*li*')
  await expectAccessible(page)
  await act(page, 'With li', 'All records')
  await page.getByText('12 records').waitFor()
  expect(new URL(page.url()).search).toBe('')
  await act(page, 'All records', 'With li')
  await page.getByText(count!, { exact: true }).waitFor()

  await chooseOfColumn(page, 'role', 'Hide for me')
  await button(page, 'With li, with unsaved changes').waitFor()
  await act(page, 'With li, with unsaved changes', 'With li')
  await page.getByRole('columnheader', { name: 'role' }).waitFor()
  await chooseOfColumn(page, 'role', 'Hide for me')
  await chooseOfColumn(page, 'name', 'Sort descending')
  await act(page, 'With li, with unsaved changes', 'Save changes')
  await button(page, 'With li').waitFor()

  await act(page, 'With li', 'Rename view')
  await page.getByRole('dialog').getByRole('textbox').fill('Known')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await button(page, 'Known').waitFor()
  // The user’s last view opens with the table, and nothing of it has gone into their own.
  const again = await openTable(service, 'contacts', { hasDefaultView: true })
  await button(again, 'Known').waitFor()
  await again.waitForURL(/view=.*order=name\.desc/)
  expect(await again.getByRole('columnheader', { name: 'role' }).count()).toBe(0)
  await act(again, 'Known', 'All records')
  await again.getByRole('columnheader', { name: 'role' }).waitFor()

  await act(page, 'Known', 'Delete view')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await act(page, 'Known', 'Delete view')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click()
  await button(page, 'All records').waitFor()
  await becomes(() => names('contacts'), [])
})

test('a link opens a view, also one whose columns were renamed, and the grid tells if it is gone', async () => {
  const page = await openTable(service, 'companies')
  await chooseOfColumn(page, 'founded', 'Sort descending')
  await page.waitForURL(/order=founded/)
  await save(page, 'All records', 'Youngest', true)
  const id = viewIdIn(page)
  const table = `${service.url}/api/v1/tables/${service.tableId('companies')}`
  await call(`${table}/columns/founded`, { token: service.token, method: 'PATCH', body: { name: 'since when' } })
  const linked = await openTable(service, 'companies', { search: `?view=${id}` })
  await linked.waitForURL(/order=since\+when\.desc|order=since%20when\.desc/)
  await button(linked, 'Youngest').waitFor()
  await chooseOfColumn(linked, 'since when', 'Hide for me')
  await button(linked, 'Youngest, with unsaved changes').waitFor()

  await api('companies', `/${id}`, undefined, 'DELETE')
  const late = await openTable(service, 'companies', { search: `?view=${id}` })
  await late.getByText('This view no longer exists.').waitFor()
  await button(late, 'All records').waitFor()
  expect(viewIdIn(late)).toBeNull()
  // A copy with changes is still there to be saved.
  await act(linked, 'Youngest, with unsaved changes', 'Save changes')
  await linked.getByText('There is no such view.').waitFor()
  await save(linked, 'Youngest, with unsaved changes', 'Youngest again')
})

test('a name that is taken is told in the dialog, and keys reach everything', async () => {
  await api('projects', '', { name: 'Mine', settings: {} })
  const page = await openTable(service, 'projects')
  await cell(page, 0, 0).click()
  await button(page, 'All records').focus()
  await page.keyboard.press('Enter')
  await item(page, 'Save as new view…').waitFor()
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

test('a phone has room for the menu in the dark, too', async () => {
  const page = await openTable(service, 'contacts', { size: 'phone', scheme: 'dark', hasDefaultView: true })
  const name = 'A view with a name that is far too long for a telephone'
  await save(page, 'All records', name)
  await expectNoSideways(page)
  await button(page, name).click()
  await item(page, 'Delete view').waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
})
