import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(3_000)
})
afterAll(() => service.stop())

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const scrollTop = (page: Page) => page.locator('.grid-frame').evaluate((frame) => frame.scrollTop)
const focusedCell = (page: Page) =>
  page.evaluate(() => {
    const { row, column } = (document.activeElement as HTMLElement).dataset
    return `${row}:${column}`
  })

describe('a record is opened from the grid', () => {
  test('by the button of its row and by Space, and the way back leads to the same place and cell', async () => {
    const page = await openTable(service, manyRows)
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+End')
    for (let step = 0; step < 12; step++) await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    const place = await focusedCell(page)
    const row = Number(place.split(':')[0])
    await cell(page, row, 1)
      .getByText(`Person ${row + 1}`, { exact: true })
      .waitFor()
    const top = await scrollTop(page)
    expect(top).toBeGreaterThan(50_000)

    await page.keyboard.press('Space')
    await page.getByRole('link', { name: 'Open as a page' }).click()
    await heading(page, `Person ${row + 1}`)
    await page.goBack()
    // Beside the list, as it was left.
    await page.getByRole('heading', { level: 2, name: `Person ${row + 1}`, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await becomes(() => focusedCell(page), place)
    expect(await scrollTop(page)).toBe(top)

    await page.getByRole('button', { name: `Open record ${row}`, exact: true }).click()
    await page.getByRole('link', { name: 'Open as a page' }).click()
    await heading(page, `Person ${row}`)
    await page.getByRole('link', { name: manyRows, exact: true }).last().click()
    await becomes(() => focusedCell(page), `${row - 1}:${place.split(':')[1]}`)
    expect(await scrollTop(page)).toBe(top)
    expect(await page.getByRole('checkbox', { name: `Select row ${row}`, exact: true }).isChecked()).toBe(false)
  })

  test('while Space toggles a box and begins the text of a new row', async () => {
    const page = await openTable(service, 'contacts')
    await cell(page, 2, 7).click()
    const before = (await service.recordOf('contacts', 3)).active
    await page.keyboard.press('Space')
    await becomes(async () => (await service.recordOf('contacts', 3)).active, !before)
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('Space')
    await page.getByRole('textbox', { name: /^name, row/ }).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('.grid-row.is-new').getByRole('button').count()).toBe(0)
    for (const theme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await expectAccessible(page)
    }
  })

  test('by one press on a phone', async () => {
    const page = await openTable(service, 'contacts', { size: 'phone' })
    const button = page.getByRole('button', { name: 'Open record 2', exact: true })
    expect(await button.evaluate((element) => element.getBoundingClientRect().width)).toBeGreaterThanOrEqual(24)
    await expectAccessible(page)
    await button.click()
    await page.waitForURL(/\/records\/2/)
    await expectNoSideways(page)
  })
})
