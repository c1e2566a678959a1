import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { continueSeries } from '../../../src/web/browser/pages/grid/edit/fill-series'
import { fillTarget } from '../../../src/web/browser/pages/grid/model/cell-selection'
import type { CellKind } from '../../../src/web/browser/records/values/cell-kinds'
import type { GridColumn } from '../../../src/web/browser/records/values/cell-values'
import { exactNumber } from '../../../src/web/browser/values/exact-json'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

const from = { name: 'x' } as GridColumn

test.each<[CellKind, unknown[], unknown[]]>([
  ['number', [1], [1, 1]],
  ['number', [1, 2], [3, 4]],
  ['number', [10, 7], [4, 1]],
  ['number', [1, 2, 4], [1, 2]],
  ['number', [1, null], [1, null]],
  ['number', [exactNumber('0.10'), exactNumber('0.25')], [exactNumber('0.40'), 0.55]],
  ['number', [exactNumber('-12345678901234567890.5'), exactNumber('-12345678901234567889.5')], [exactNumber('-12345678901234567888.5')]],
  ['date', ['2026-02-27'], ['2026-02-27', '2026-02-27']],
  ['date', ['2026-02-27', '2026-02-28'], ['2026-03-01', '2026-03-02']],
  ['date', ['2026-01-31', '2026-03-31'], ['2026-05-31', '2026-07-31']],
  ['date', ['2025-12-15', '2026-01-15'], ['2026-02-15', '2026-03-15']],
  ['text', ['1', '2'], ['1', '2']],
])('%s %j goes on with %j', (kind, values, next) => {
  const series = continueSeries(
    values.map((value) => ({ value, from })),
    kind,
  )
  expect(JSON.stringify(next.map((_value, index) => series(index).value))).toBe(JSON.stringify(next))
})

test('the handle fills along the longer way', () => {
  const range = { top: 2, bottom: 3, left: 1, right: 2 }
  expect(fillTarget(range, { row: 3, column: 2 })).toBeNull()
  expect(fillTarget(range, { row: 6, column: 4 })).toEqual({ top: 4, bottom: 6, left: 1, right: 2 })
  expect(fillTarget(range, { row: 0, column: 1 })).toEqual({ top: 0, bottom: 1, left: 1, right: 2 })
  expect(fillTarget(range, { row: 4, column: 5 })).toEqual({ top: 2, bottom: 3, left: 3, right: 5 })
})

describe('cells', () => {
  let service: GridService
  beforeAll(async () => {
    service = await startGrid(40)
  })
  afterAll(() => service.stop())

  const ages = (...keys: number[]) => Promise.all(keys.map(async (key) => (await service.recordOf(manyRows, key)).age))
  /** Drags the handle of the selection to a cell. */
  async function drag(page: Page, row: number, column: number) {
    await page.locator('.grid-fill').hover()
    await page.mouse.down()
    await cell(page, row, column).hover()
    await page.mouse.up()
  }

  test('are filled by the handle: a series, a copy, and backwards; one undo takes it back', async () => {
    const page = await openTable(service, manyRows)
    await cell(page, 2, 2).click()
    await page.keyboard.press('Shift+ArrowDown')
    await expectAccessible(page)
    await page.keyboard.type('50')
    await page.keyboard.press('Enter')
    await page.keyboard.type('60')
    await page.keyboard.press('Enter')
    await cell(page, 2, 2).click()
    await page.keyboard.press('Shift+ArrowDown')
    await drag(page, 5, 2)
    await becomes(() => ages(3, 4, 5, 6, 7), [50, 60, 70, 80, 7])
    await page.keyboard.press('Control+z')
    await becomes(() => ages(3, 4, 5, 6, 7), [50, 60, 5, 6, 7])
    await cell(page, 2, 2).click()
    await page.keyboard.press('Shift+ArrowDown')
    await drag(page, 0, 2)
    await becomes(() => ages(1, 2, 3), [30, 40, 50])
    await cell(page, 10, 2).click()
    await drag(page, 12, 2)
    await becomes(() => ages(11, 12, 13, 14), [11, 11, 11, 14])
  })

  test('are filled, and an undo before the answer takes back the fill, not what was done before it', async () => {
    const page = await openTable(service, manyRows)
    await cell(page, 22, 2).click()
    await page.keyboard.type('50')
    await page.keyboard.press('Enter')
    await becomes(() => ages(23), [50])
    await page.getByLabel('Undo (Ctrl+Z)').and(page.locator(':enabled')).waitFor()
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/api/v1/batch*', async (route) => {
      const response = await route.fetch()
      // Versions are read in batches too.
      if (route.request().postData()!.includes('"age":50')) await answered
      await route.fulfill({ response })
    })
    await cell(page, 22, 2).click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Control+d')
    await becomes(() => ages(23, 24, 25), [50, 50, 50])
    await page.keyboard.press('Control+z')
    answer()
    await becomes(() => ages(23, 24, 25), [50, 24, 25])
  })

  test('with links to another table, and texts beside links, stay as they are', async () => {
    const send = async (path: string, body: unknown) =>
      expect((await call(`${service.url}/api/v1/tables${path}`, { token: service.token, body })).status).toBe(201)
    for (const name of ['customers', 'suppliers']) {
      await send('', { name, columns: [{ name: 'name', type: 'text' }] })
      await send(`/${name}/records`, { name: `One of the ${name}` })
    }
    const links = ['customer', 'supplier'].map((name) => ({ name, type: 'link', options: { table: `${name}s` } }))
    await send('', { name: 'deals', columns: [{ name: 'note', type: 'text' }, ...links, { name: 'remark', type: 'text' }] })
    await send('/deals/records', [{ customer: 1 }, {}])
    const page = await openTable(service, 'deals')
    await cell(page, 0, 2).click()
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Control+r')
    await cell(page, 0, 2).click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Control+d')
    await becomes(async () => (await service.recordOf('deals', 2)).customer, 1)
    expect(await service.recordOf('deals', 1)).toMatchObject({ supplier: null, remark: null })
  })

  test('are filled by Ctrl+D and Ctrl+R', async () => {
    const page = await openTable(service, manyRows)
    const isOff = async () => [await page.getByLabel('Undo (Ctrl+Z)').isDisabled(), await page.getByLabel('Redo (Ctrl+Y)').isDisabled()]
    expect(await isOff()).toEqual([true, true])
    await cell(page, 14, 2).click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Control+d')
    await becomes(() => ages(15, 16, 17, 18), [15, 15, 15, 18])
    // The message of it has its own undo, and can be closed.
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await becomes(() => ages(15, 16, 17, 18), [15, 16, 17, 18])
    await becomes(isOff, [true, false])
    await page.getByLabel('Redo (Ctrl+Y)').click()
    await becomes(() => ages(15, 16, 17, 18), [15, 15, 15, 18])
    await page.getByText('Redone.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('Redone.').waitFor({ state: 'detached' })
    await cell(page, 18, 2).click()
    await page.keyboard.press('Control+d')
    await becomes(() => ages(19), [18])
    // With a message, which may be gone when this has ended.
    await expectAccessible(page)
    await cell(page, 15, 2).click()
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Control+r')
    await becomes(async () => (await service.recordOf(manyRows, 16)).balance, 15)
  })

  test('are copied with a message that goes by itself, also after one was closed by keyboard', async () => {
    const page = await openTable(service, manyRows)
    await page.clock.install()
    await page.reload()
    await page.locator('[role="grid"][aria-busy="false"]').waitFor()
    const copied = page.getByText('1 cell copied.')
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+c')
    await copied.waitFor()
    await page.getByRole('button', { name: 'Close' }).press('Enter')
    await copied.waitFor({ state: 'detached' })
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+c')
    await copied.waitFor()
    await page.clock.fastForward('10')
    await copied.waitFor({ state: 'detached' })
  })
})
