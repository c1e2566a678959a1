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

const sortButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const panel = (page: Page) => page.getByRole('region', { name: 'Sort' })
const line = (page: Page, column: string) => panel(page).getByRole('group', { name: column, exact: true })
const order = (page: Page) => async () => new URL(page.url()).searchParams.get('order')
const focused = (page: Page) => () =>
  page.evaluate(() => {
    const { activeElement: element } = document
    return [element?.closest('fieldset')?.getAttribute('aria-label'), element?.getAttribute('aria-label')]
  })

async function choose(page: Page, label: string, option: string) {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

test('sort columns are added, turned, moved and removed, and the menus of columns share them', async () => {
  const page = await openTable(service, 'contacts')
  await sortButton(page, 'Sort').click()
  await becomes(focused(page), [undefined, 'Add a column to sort by…'])
  await choose(page, 'Add a column to sort by…', 'role')
  await becomes(order(page), 'role')
  await becomes(focused(page), ['role', 'Order'])
  await choose(page, 'Add a column to sort by…', 'name')
  await becomes(order(page), 'role,name')
  await line(page, 'name').getByRole('combobox', { name: 'Order' }).click()
  await page.getByRole('option', { name: 'descending' }).click()
  await becomes(order(page), 'role,name.desc')
  await expectAccessible(page)
  // By keyboard; the focus goes with the column, also where it can go no further.
  await line(page, 'name').getByRole('button', { name: 'Move up' }).focus()
  for (const _ of [1, 2]) await page.keyboard.press('Enter')
  await becomes(order(page), 'name.desc,role')
  await becomes(focused(page), ['name', 'Move up'])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await becomes(order(page), 'role,name.desc')
  await becomes(focused(page), ['name', 'Move down'])
  await line(page, 'role').getByRole('combobox', { name: 'Column' }).click()
  await page.getByRole('option', { name: 'company' }).click()
  await becomes(order(page), 'company,name.desc')
  await line(page, 'company').getByRole('button', { name: 'Remove sort' }).click()
  await becomes(order(page), 'name.desc')
  await becomes(focused(page), ['name', 'Column'])
  await page.keyboard.press('Escape')
  await panel(page).waitFor({ state: 'detached' })
  expect(await sortButton(page, 'Sort: 1').evaluate((button) => button === document.activeElement)).toBe(true)

  await page.keyboard.press('Enter')
  await page.getByRole('columnheader', { name: 'role' }).hover()
  await page.getByRole('button', { name: 'Menu for column role' }).click()
  await page.getByRole('menuitem', { name: 'Then sort ascending' }).click()
  await line(page, 'role').waitFor()
  await sortButton(page, 'Sort: 2').waitFor()
  await panel(page).getByRole('button', { name: 'Remove all' }).click()
  await sortButton(page, 'Sort').waitFor()
  await becomes(order(page), null)
})

test('no more columns are offered than the service orders by', async () => {
  const names = Array.from({ length: 17 }, (_, at) => `c${at + 1}`)
  const columns = names.map((name) => ({ name, type: 'integer' }))
  const body = { name: 'wide', columns }
  expect((await call(`${service.url}/api/v1/tables`, { token: service.token, body })).status).toBe(201)
  const page = await openTable(service, 'wide', { search: `?order=${names.slice(1, 16).join()}` })
  await sortButton(page, 'Sort: 15').click()
  await choose(page, 'Add a column to sort by…', 'c17')
  await sortButton(page, 'Sort: 16').waitFor()
  expect(await panel(page).getByRole('combobox', { name: 'Add a column to sort by…' }).count()).toBe(0)
  await cell(page, -1, 1).hover()
  await page.getByRole('button', { name: 'Menu for column c1', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sort ascending' }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Then sort ascending' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await line(page, 'c3').getByRole('button', { name: 'Remove sort' }).click()
  await panel(page).getByRole('combobox', { name: 'Add a column to sort by…' }).waitFor()
})

test('changes made faster than the page follows are all kept', async () => {
  const page = await openTable(service, 'projects', { search: '?order=id,name' })
  await sortButton(page, 'Sort: 2').click()
  const up = line(page, 'name').getByRole('button', { name: 'Move up' })
  await up.evaluate((button: HTMLElement) => {
    button.click()
    for (const each of document.querySelectorAll<HTMLElement>('.sort-line:nth-of-type(2) [aria-label="Remove sort"]')) each.click()
  })
  await becomes(order(page), 'name')
  await becomes(() => panel(page).getByRole('group').count(), 1)
})

test('a phone sorts its cards, in German too', async () => {
  const page = await openTable(service, 'companies', { size: 'phone', language: 'de-DE', hasDefaultView: true })
  await page.setViewportSize({ width: 320, height: 640 })
  await expectNoSideways(page)
  const names = () =>
    page
      .getByRole('list', { name: /companies/ })
      .getByRole('button')
      .allTextContents()
  await sortButton(page, 'Sortieren').click()
  await choose(page, 'Spalte zum Sortieren hinzufügen …', 'name')
  await page.getByRole('combobox', { name: 'Reihenfolge' }).click()
  await page.getByRole('option', { name: 'absteigend' }).click()
  await becomes(
    names,
    (await names()).sort((a, b) => b.localeCompare(a)),
  )
  await sortButton(page, 'Sortieren: 1').waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
})
