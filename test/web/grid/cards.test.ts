import { afterAll, beforeAll, expect, test } from 'bun:test'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'
import { chooseAction } from '../../support/table-menu'

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
