import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { grace, matrixCell, openAs, startWithDeals } from '../../support/access-page'
import { expectAccessible, visit } from '../../support/browser'
import { call, setupCodeOf, startService } from '../../support/executable'
import { chooseAction, openActions } from '../../support/table-menu'
import { takeSession } from '../../support/ui'
import { administrator, cookieOf } from '../../support/used-data'

const service = await startWithDeals()
afterAll(() => service.stop())

/** The table that a usual rule starts with. */
async function expectTable(page: Page, recipe: string, table: string) {
  await page.getByRole('button', { name: new RegExp(`^${recipe}`) }).click()
  const dialog = page.getByRole('dialog', { name: recipe })
  const chosen = dialog.getByLabel('Table', { exact: true }).locator('option:checked')
  expect(await chosen.textContent()).toBe(table)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
}

test('the menus of a table open the rules at this table, for administrators alone', async () => {
  const page = await openAs(service, '/tables/deals')
  await chooseAction(page, 'Access…')
  const cell = matrixCell(page, 'Everyone', 'deals')
  await cell.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('ArrowDown')
  await matrixCell(page, 'Editors', 'deals').and(page.locator(':focus')).waitFor()
  await expectAccessible(page)
  await expectTable(page, 'Some columns are hidden', 'deals')

  await page.getByRole('button', { name: 'Menu for companies' }).click()
  await page.getByRole('menuitem', { name: 'Access…', exact: true }).click()
  await matrixCell(page, 'Everyone', 'companies').and(page.locator(':focus')).waitFor()
  // Of the tables, only deals has a person.
  await expectTable(page, 'Each person sees their own records', 'companies')

  const asGrace = await openAs(service, '/tables/deals', { as: grace })
  await openActions(asGrace)
  await asGrace.getByRole('menuitem', { name: /Export/ }).waitFor()
  expect(await asGrace.getByRole('menuitem', { name: 'Access…' }).count()).toBe(0)
})

test('without a table, the page says that one has to be made first', async () => {
  const empty = await startService()
  const { url } = empty
  const made = await call(`${url}/auth/setup`, { body: { ...administrator, name: 'Ada Lovelace', code: setupCodeOf(empty.dataDir) } })
  expect(made.status).toBe(201)
  const { page } = await visit({ language: 'de-DE' })
  await takeSession(page, url)
  await page.goto(`${url}/settings/access`)
  await page.getByText('Es gibt noch keine Tabelle.').waitFor()
  await expectAccessible(page)
  const body = { name: 'orders', columns: [{ name: 'customer', type: 'text' }] }
  expect((await call(`${url}/api/v1/tables`, { cookie: cookieOf(made), body })).status).toBe(201)
  await page.reload()
  await page.getByRole('columnheader', { name: /orders/ }).waitFor()
  expect(await page.getByText('Es gibt noch keine Tabelle.').count()).toBe(0)
  await empty.stop()
})
