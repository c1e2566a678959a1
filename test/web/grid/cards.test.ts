import { afterAll, beforeAll, expect, test } from 'bun:test'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'
import { chooseAction, openActions } from '../../support/table-menu'

let service: GridService
beforeAll(async () => {
  service = await startGrid(3000)
})
afterAll(() => service.stop())

test('a phone lists records as cards; a tap opens one, and Back leads to it', async () => {
  const page = await openTable(service, 'contacts', { size: 'phone', scheme: 'dark', hasDefaultView: true, search: '?order=name' })
  const list = page.getByRole('list', { name: /contacts/ })
  expect(await list.getByRole('button').first().textContent()).toBe('Aiko Mori')
  await list.getByText('Ember Software').first().waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
  await page.getByPlaceholder('Search records').fill('rui')
  await becomes(() => list.getByRole('button').allTextContents(), ['Rui Tavares'])
  await list.getByText('Cardamom Kitchen').click({ force: true })
  await page.getByRole('heading', { name: 'Rui Tavares', level: 1 }).waitFor()
  await page.goBack()
  await list.locator('[data-row="0"]:focus').waitFor()
})

test('three thousand cards scroll, and the way back leads to the same place', async () => {
  const page = await openTable(service, manyRows, { size: 'phone', hasDefaultView: true })
  await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo(0, frame.scrollHeight))
  const last = page.locator('[data-row="2999"]')
  await last.waitFor()
  await last.click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.goBack()
  await page.locator('[data-row="2999"]:focus').waitFor()
  expect(await page.locator('.record-card').count()).toBeLessThan(60)
})

test('a new record begins in its form, and the grid is there on demand', async () => {
  const page = await openTable(service, 'companies', { size: 'phone', hasDefaultView: true })
  await page.getByRole('button', { name: 'New record' }).click()
  await page.waitForURL(/\/records\/new$/)
  await page.goBack()
  await chooseAction(page, 'Show as a grid')
  await cell(page, 0, 0).waitFor()
  const url = `${service.url}/api/v1/tables/${service.tableId('companies')}/view`
  await becomes(async () => ((await (await call(url, { token: service.token })).json()) as { isGridOnPhone?: boolean }).isGridOnPhone, true)
  await chooseAction(page, 'Show as a list')
  await page.getByRole('list', { name: /companies/ }).waitFor()
})

test('a column is added from the menu of the table, by those who may', async () => {
  const page = await openTable(service, 'projects', { size: 'phone', hasDefaultView: true })
  await chooseAction(page, 'Add column')
  const dialog = page.getByRole('dialog')
  const name = dialog.getByRole('textbox', { name: 'Name', exact: true })
  await becomes(() => name.evaluate((field) => field === document.activeElement), true)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'More actions')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Add column' }).click()
  await name.fill('on the way')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.waitFor({ state: 'detached' })
  const columns = async () =>
    ((await (await call(`${service.url}/api/v1/tables/projects`, { token: service.token })).json()) as { columns: { name: string }[] })
      .columns
  expect((await columns()).at(-1)?.name).toBe('on the way')
  await page.getByRole('list', { name: /projects/ }).waitFor()

  const editor = { email: 'ed@example.org', password: 'correct horse battery' }
  await call(`${service.url}/api/v1/users`, { token: service.token, body: { ...editor, name: 'Ed', role: 'editor' } })
  const theirs = await openTable(service, 'projects', { size: 'phone', hasDefaultView: true, as: editor })
  await openActions(theirs)
  await theirs.getByRole('menuitem', { name: 'Show as a grid' }).waitFor()
  expect(await theirs.getByRole('menuitem', { name: 'Add column' }).count()).toBe(0)
})
