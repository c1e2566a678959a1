import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { chooseType } from '../../support/column-form'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
let count = 0
let table = ''
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const api: GridService['api'] = (...request) => service.api(...request)
const first = async () => (await (await api(`/${table}/records/1`)).json()) as Record<string, unknown>

beforeEach(async () => {
  table = `sheet${++count}`
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'Amount', type: 'integer' },
  ]
  await api('', { name: table, columns })
  await api(`/${table}/records`, [
    { name: 'Anne', Amount: 99 },
    { name: 'Boudica', Amount: 7 },
  ])
})

/** As somebody goes there, without loading the page anew. */
async function openColumns(page: Page) {
  await page.getByRole('button', { name: `Menu for ${table}` }).click()
  await page.getByRole('menuitem', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'New column' }).waitFor()
}
const dialog = (page: Page) => page.getByRole('dialog')
async function finish(page: Page, action: string) {
  await dialog(page).getByRole('button', { name: action, exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
}
async function renameAmount(page: Page) {
  await openColumns(page)
  await page.getByRole('button', { name: 'Edit Amount' }).click()
  await dialog(page).getByLabel('Name').fill('Sum')
  await finish(page, 'Save')
  await page.getByRole('heading', { name: 'Sum' }).waitFor()
}
async function backToGrid(page: Page) {
  await page.getByRole('navigation').getByRole('link', { name: table, exact: true }).click()
  await cell(page, 0, 1).waitFor()
}
/** So that this browser has read the record by itself, too. */
async function editName(page: Page, name: string) {
  await cell(page, 0, 1).click()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await becomes(async () => (await first()).name, name)
}
async function openRecord(page: Page) {
  await cell(page, 0, -1).dblclick()
  await page.getByRole('link', { name: 'Open as a page' }).click()
  await page.waitForURL(/records\/1/)
}

describe('a record that was read before a column', () => {
  test('was renamed has its value in the form and in the grid, and pasting meets no conflict', async () => {
    const page = await openTable(service, table)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await editName(page, 'Anne II')
    await renameAmount(page)
    await backToGrid(page)
    await openRecord(page)
    await page.getByText('All changes saved.').waitFor()
    expect(await page.getByLabel('Sum').inputValue()).toBe('99')

    await backToGrid(page)
    await editName(page, 'Anne III')
    await cell(page, 0, 2).getByText('99', { exact: true }).waitFor()
    await page.evaluate(() => navigator.clipboard.writeText('100\n8'))
    await cell(page, 0, 2).click()
    await page.keyboard.press('Control+v')
    await page.getByText('2 cells updated.').or(dialog(page)).first().waitFor()
    expect(await dialog(page).count()).toBe(0)
    expect((await first()).Sum).toBe(100)
  })

  test('was added has its default in the form and in the grid', async () => {
    const page = await openTable(service, table)
    await editName(page, 'Anne II')
    await openColumns(page)
    await page.getByRole('button', { name: 'New column' }).click()
    await dialog(page).getByLabel('Name').fill('rank')
    await chooseType(page, 'Whole number')
    await dialog(page).getByText('More', { exact: true }).click()
    await dialog(page).getByLabel('Default value').fill('5')
    await finish(page, 'Create')
    await backToGrid(page)
    await editName(page, 'Anne III')
    await cell(page, 0, 3).getByText('5', { exact: true }).waitFor()
    await openRecord(page)
    await page.getByText('All changes saved.').waitFor()
    expect(await page.getByLabel('rank').inputValue()).toBe('5')
  })

  test('was renamed is not shown with an empty field while it is read again', async () => {
    const page = await openTable(service, table)
    await openRecord(page)
    await page.getByLabel('Amount').waitFor()
    await renameAmount(page)
    await backToGrid(page)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/records/1', async (route) => {
      await released
      await route.continue()
    })
    const asked = page.waitForRequest('**/records/1')
    await openRecord(page)
    await asked
    const shown = await page.getByLabel('Sum').count()
    release()
    await page.getByText('All changes saved.').waitFor()
    expect(await page.getByLabel('Sum').inputValue()).toBe('99')
    expect(shown).toBe(0)
  })
})
