import { afterAll, expect, test } from 'bun:test'
import { grace, matrixCell, openAs, startWithDeals } from '../../support/access-page'
import { expectAccessible, visit } from '../../support/browser'
import { call, setupCodeOf, startService } from '../../support/executable'
import { chooseAction, openActions } from '../../support/table-menu'
import { takeSession } from '../../support/ui'
import { administrator, cookieOf } from '../../support/used-data'

const service = await startWithDeals()
afterAll(() => service.stop())

test('the menus of a table open the rules at this table, for administrators alone', async () => {
  const page = await openAs(service, '/tables/deals')
  await chooseAction(page, 'Access…')
  const cell = matrixCell(page, 'Everyone', 'deals')
  await cell.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('ArrowDown')
  await matrixCell(page, 'Editors', 'deals').and(page.locator(':focus')).waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Menu for companies' }).click()
  await page.getByRole('menuitem', { name: 'Access…', exact: true }).click()
  await matrixCell(page, 'Everyone', 'companies').and(page.locator(':focus')).waitFor()

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
