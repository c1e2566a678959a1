import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable, typeInCell } from '../../support/grid-page'

let service: GridService
let count = 0
let table = ''
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const api: GridService['api'] = (...request) => service.api(...request)
const stored = async () => {
  const { records } = (await (await api(`/${table}/records?order=code`)).json()) as { records: { code: string; note: string | null }[] }
  return records.map(({ code, note }) => `${code} ${note}`)
}

beforeEach(async () => {
  table = `coded${++count}`
  await api('', { name: table, primaryKey: { name: 'code', type: 'text' }, columns: [{ name: 'note', type: 'text' }] })
  await api(`/${table}/records`, [
    { code: 'A', note: 'first' },
    { code: 'C', note: 'third' },
  ])
})

/** The first record gets the key X, and the second one the key that the first had. */
async function passOnKey(page: Page) {
  await typeInCell(page, 0, 0, 'X')
  await becomes(stored, ['C third', 'X first'])
  await typeInCell(page, 1, 0, 'A')
  await becomes(stored, ['A third', 'X first'])
}

describe('a key that is changed in a cell', () => {
  test('is where the row is written from then on, and by undo and redo', async () => {
    const page = await openTable(service, table)
    await typeInCell(page, 0, 0, 'X')
    await becomes(stored, ['C third', 'X first'])
    await typeInCell(page, 0, 1, 'later')
    await becomes(stored, ['C third', 'X later'])
    await page.keyboard.press('Control+z')
    await becomes(stored, ['C third', 'X first'])
    await page.keyboard.press('Control+z')
    await becomes(stored, ['A first', 'C third'])
    await page.keyboard.press('Control+y')
    await becomes(stored, ['C third', 'X first'])
    await page.keyboard.press('Control+y')
    await becomes(stored, ['C third', 'X later'])
  })

  test('is where what was typed meanwhile goes', async () => {
    const page = await openTable(service, table)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const isKey = (body: string | null) => body?.includes('code') === true
    await page.route('**/batch', async (route) => {
      if (isKey(route.request().postData())) await released
      await route.continue()
    })
    const sent = page.waitForRequest((request) => isKey(request.postData()))
    await typeInCell(page, 0, 0, 'X')
    await sent
    await typeInCell(page, 0, 1, 'later')
    await cell(page, 0, 1).getByText('later').waitFor()
    release()
    await becomes(stored, ['C third', 'X later'])
    await cell(page, 0, 1).getByText('later').waitFor()
  })

  test('is saved once and written on, though the answer to it was lost', async () => {
    const page = await openTable(service, table)
    let isLost = true
    await page.route(/\/(batch|records\/A)$/, async (route) => {
      if (!isLost || route.request().method() === 'GET') return route.fallback()
      isLost = false
      await route.fetch()
      await route.abort('internetdisconnected')
    })
    await typeInCell(page, 0, 0, 'X')
    await becomes(stored, ['C third', 'X first'])
    await page.locator('.grid-row.is-saving').waitFor({ state: 'detached', timeout: 20_000 })
    await cell(page, 0, 0).getByText('X', { exact: true }).waitFor()
    await typeInCell(page, 0, 1, 'later')
    await becomes(stored, ['C third', 'X later'])
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await becomes(stored, ['A first', 'C third'])
  })

  test('is not that of the record which has the former key now, when the row is written', async () => {
    const page = await openTable(service, table)
    await passOnKey(page)
    await typeInCell(page, 0, 1, 'one')
    await becomes(stored, ['A third', 'X one'])
    await typeInCell(page, 1, 1, 'three')
    await becomes(stored, ['A three', 'X one'])
  })

  test('is not that of the record which has the former key now, when the row is deleted', async () => {
    const page = await openTable(service, table)
    await cell(page, 0, -1).click()
    await passOnKey(page)
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 record' }).click()
    await page.getByText('1 record deleted.').waitFor()
    expect(await stored()).toEqual(['A third'])
  })

  test('is no deletion by somebody else', async () => {
    const page = await openTable(service, table)
    await typeInCell(page, 0, 0, 'X')
    await becomes(stored, ['C third', 'X first'])
    await page.keyboard.press('F9')
    await page.getByText('Records refreshed.').waitFor()
    await cell(page, 1, 0).getByText('X', { exact: true }).waitFor()
  })

  test('is followed by the record beside the grid, whose own change of the key is undone as a cell is', async () => {
    const page = await openTable(service, table)
    const panel = page.getByRole('complementary', { name: 'Open record' })
    await cell(page, 0, 1).click()
    await page.keyboard.press('Space')
    await panel.getByRole('textbox', { name: 'note' }).waitFor()
    await typeInCell(page, 0, 0, 'X')
    await page.waitForURL(({ hash }) => hash === '#record=X')
    await becomes(() => panel.getByRole('textbox', { name: 'code' }).inputValue(), 'X')
    await panel.getByRole('textbox', { name: 'note' }).fill('later')
    await panel.getByRole('textbox', { name: 'code' }).fill('Z')
    await page.keyboard.press('Control+s')
    await page.waitForURL(({ hash }) => hash === '#record=Z')
    expect(await stored()).toEqual(['C third', 'Z later'])
    await cell(page, 0, 0).getByText('Z', { exact: true }).click()
    await page.keyboard.press('Control+z')
    await becomes(stored, ['C third', 'X first'])
    await page.waitForURL(({ hash }) => hash === '#record=X')
  })

  test('is saved once by the form beside the grid, though the answer to it was lost', async () => {
    const page = await openTable(service, table)
    const panel = page.getByRole('complementary', { name: 'Open record' })
    await cell(page, 0, 1).click()
    await page.keyboard.press('Space')
    await panel.getByRole('textbox', { name: 'code' }).fill('X')
    let isLost = true
    await page.route(/\/(batch|records\/A)$/, async (route) => {
      if (!isLost || route.request().method() === 'GET') return route.fallback()
      isLost = false
      await route.fetch()
      await route.abort('internetdisconnected')
    })
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await panel.getByRole('alert').filter({ hasText: 'The service cannot be reached.' }).waitFor()
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(({ hash }) => hash === '#record=X')
    expect(await stored()).toEqual(['C third', 'X first'])
    await cell(page, 0, 0).getByText('X', { exact: true }).click()
    await page.keyboard.press('Control+z')
    await becomes(stored, ['A first', 'C third'])
  })
})
