import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible } from '../../support/browser'
import { type GridService, manyRows, rowCount, startGrid } from '../../support/grid'
import { cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid()
})
afterAll(() => service.stop())

const atTable = (name: string) => openTable(service, name)

describe('120 000 rows', () => {
  test('are counted by estimate and then exactly, and say where they stand', async () => {
    const page = await atTable(manyRows)
    await page.getByText(`${rowCount.toLocaleString('en')} records`, { exact: true }).waitFor()
    const grid = page.getByRole('grid', { name: `Records in ${manyRows}` })
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(rowCount + 2))
    expect(await grid.getAttribute('aria-colcount')).toBe('7')
    expect(await page.getByRole('row').nth(1).getAttribute('aria-rowindex')).toBe('2')
    expect(await cell(page, 0, 1).textContent()).toBe('Person 1')
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    await expectAccessible(page)
  })

  test('are read by cursor while one scrolls on, and by offset after a jump', async () => {
    const page = await atTable(manyRows)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/records?')) asked.push(new URL(request.url()).search)
    })
    await cell(page, 0, 1).click()
    for (let step = 0; step < 10; step++) await page.keyboard.press('PageDown')
    const row = Number(await page.locator('[data-row]:focus').getAttribute('data-row'))
    expect(row).toBeGreaterThan(120)
    await cell(page, row, 1)
      .getByText(`Person ${row + 1}`)
      .waitFor()
    expect(asked.some((search) => search.includes('cursor='))).toBe(true)
    expect(asked.filter((search) => search.includes('offset='))).toEqual([])
    await page.keyboard.press('Control+End')
    await cell(page, rowCount - 1, 5).waitFor()
    await cell(page, rowCount - 1, 1)
      .getByText(`Person ${rowCount}`)
      .waitFor()
    expect(asked.at(-1)).toContain('offset=')
    await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo({ top: 34 * 60_020 }))
    await cell(page, 60_025, 1).getByText('Person 60026').waitFor()
    await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo({ top: 34 * 60_110 }))
    await cell(page, 60_115, 1).getByText('Person 60116').waitFor()
    expect(asked.at(-1)).toContain('cursor=')
  })
})

describe('the keyboard', () => {
  const focused = (page: Page) =>
    page.evaluate(() => {
      const { dataset } = document.activeElement as HTMLElement
      return `${dataset.row}:${dataset.column}`
    })
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
    return focused(page)
  }

  test('moves as in a spreadsheet', async () => {
    const page = await atTable('contacts')
    await cell(page, 0, 1).click()
    expect(await press(page, 'ArrowDown', 'ArrowDown', 'ArrowRight')).toBe('2:2')
    expect(await press(page, 'Home')).toBe('2:0')
    expect(await press(page, 'ArrowLeft')).toBe('2:-1')
    expect(await press(page, 'Control+Home', 'ArrowUp')).toBe('-1:0')
    expect(await press(page, 'Control+End')).toBe('11:8')
    expect(await press(page, 'Control+ArrowUp', 'Control+ArrowLeft')).toBe('0:0')
    expect(await press(page, 'Tab', 'Tab', 'Shift+Tab')).toBe('0:1')
    expect(await press(page, 'End', 'Tab')).toBe('1:0')
    expect(await press(page, 'PageDown', 'PageUp')).toBe('0:0')
  })

  test('is no trap: Escape and Tab leave', async () => {
    const page = await atTable('contacts')
    await cell(page, 0, 1).click()
    await press(page, 'Escape', 'Shift+Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('[role="grid"]') === null)).toBe(true)
  })

  test('and the mouse choose ranges', async () => {
    const page = await atTable('contacts')
    await cell(page, 0, 1).click()
    await press(page, 'Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowRight')
    await page.getByText('6 cells', { exact: true }).waitFor()
    expect(await page.locator('[role="gridcell"][aria-selected="true"]').count()).toBe(6)
    await cell(page, 3, 1).hover()
    await page.mouse.down()
    await cell(page, 5, 3).hover()
    await page.mouse.up()
    await page.getByText('9 cells', { exact: true }).waitFor()
    expect(await focused(page)).toBe('3:1')
  })
})
