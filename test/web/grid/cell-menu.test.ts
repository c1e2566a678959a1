import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
  const columns = [
    { name: 'name', type: 'text', required: true },
    { name: 'code', type: 'text', unique: true },
    { name: 'state', type: 'text', default: 'new' },
  ]
  const body = { name: 'parts', columns }
  await call(`${service.url}/api/v1/tables`, { token: service.token, body })
  const records = [{ name: 'axle', code: 'A' }, { name: 'brake', state: null }, { name: 'chain' }]
  await call(`${service.url}/api/v1/tables/parts/records`, { token: service.token, body: records })
})
afterAll(() => service.stop())

const valuesOf = async (column: 'name' | 'state') => {
  const answer = await call(`${service.url}/api/v1/tables/parts/records?order=id`, { token: service.token })
  return ((await answer.json()) as { records: Record<string, string | null>[] }).records.map((record) => record[column])
}
const names = () => valuesOf('name')
const item = (page: Page, name: string) => page.getByRole('menuitem', { name })
async function open(): Promise<Page> {
  const page = await openTable(service, 'parts')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  return page
}

test('the right button opens what can be done with a cell: copy, paste, clear', async () => {
  const page = await open()
  await cell(page, 0, 1).click({ button: 'right' })
  await item(page, 'Open record').waitFor()
  await expectAccessible(page)
  await item(page, 'Copy').click()
  await page.getByText('1 cell copied.').waitFor()
  await cell(page, 1, 2).click({ button: 'right' })
  await item(page, 'Paste').click()
  await becomes(async () => (await service.recordOf('parts', 2)).code, 'axle')
  await cell(page, 1, 2).click({ button: 'right' })
  await item(page, 'Clear').click()
  await becomes(async () => (await service.recordOf('parts', 2)).code, null)
  await cell(page, 0, 1).click({ button: 'right' })
  await item(page, 'Open record').click()
  await page.waitForURL('**#record=1')
})

test('Shift+F10 opens it without the mouse, for all rows of the selection; Escape goes back to the cell', async () => {
  const page = await open()
  await cell(page, 1, 1).click()
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+F10')
  await item(page, 'Duplicate 2 records').waitFor()
  await page.keyboard.press('Escape')
  await item(page, 'Duplicate 2 records').waitFor({ state: 'detached' })
  expect(await cell(page, 1, 1).evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('ContextMenu')
  await item(page, 'Duplicate 2 records').click()
  await becomes(names, ['axle', 'brake', 'chain', 'brake', 'chain'])
  // An empty cell does not get the default of its column.
  expect(await valuesOf('state')).toEqual(['new', null, 'new', null, 'new'])
  await page.getByText('5 records', { exact: true }).waitFor()

  await cell(page, 3, 1).click()
  await cell(page, 4, 1).click({ modifiers: ['Shift'] })
  await cell(page, 4, 1).click({ button: 'right' })
  await item(page, 'Delete 2 records…').click()
  await page.getByRole('dialog', { name: 'Delete 2 records' }).getByRole('button', { name: 'Delete 2 records' }).click()
  await becomes(names, ['axle', 'brake', 'chain'])
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await becomes(names, ['axle', 'brake', 'chain', 'brake', 'chain'])
})

test('a copy that is refused stays to be changed, or is discarded', async () => {
  const page = await open()
  const before = await names()
  await cell(page, 0, 1).click({ button: 'right' })
  await item(page, 'Duplicate record').click()
  const copy = page.locator('.grid-row.is-draft')
  await copy.locator('[data-column="2"][aria-invalid="true"]').waitFor()
  await copy.locator('[data-column="1"]').click({ button: 'right' })
  await item(page, 'Discard this row').click()
  await copy.waitFor({ state: 'detached' })
  expect(await names()).toEqual(before)
})

test('a record is shared from it, as from its own menu', async () => {
  const page = await open()
  await cell(page, 1, 1).click({ button: 'right' })
  await item(page, 'Share').click()
  const dialog = page.getByRole('dialog', { name: 'Share this record' })
  await dialog.getByRole('button', { name: 'Create link' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await becomes(() => cell(page, 1, 1).evaluate((element) => element === document.activeElement), true)
  await cell(page, 1, 1).click({ button: 'right' })
  await item(page, 'Share').click()
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const url = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue()
  const shared = await (await fetch(url)).text()
  expect(shared).toContain('brake')
  expect(shared).not.toContain('axle')
  await page.getByRole('dialog').getByRole('button', { name: 'I have copied it' }).click()
  // A link is to one record.
  await cell(page, 2, 1).click({ modifiers: ['Shift'] })
  await page.keyboard.press('Shift+F10')
  await item(page, 'Duplicate 2 records').waitFor()
  expect(await item(page, 'Share').count()).toBe(0)
})
