import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { visit } from '../../support/browser'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell } from '../../support/grid-page'
import { takeSession } from '../../support/ui'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

/** Opens a table. The code of dialogs and panels waits for `release`. */
async function openHeld(name: string): Promise<{ page: Page; release: () => void }> {
  const { page } = await visit()
  await takeSession(page, service.url)
  const { promise, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/lazy-pages-*.js', async (route) => {
    await promise
    await route.continue()
  })
  await page.goto(`${service.url}/tables/${service.tableId(name)}`)
  await page.locator('[role="grid"][aria-busy="false"]').waitFor()
  return { page, release }
}

const chooseInHead = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'Menu for column role' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const isFocusIn = (page: Page, selector: string) => page.evaluate((within) => document.activeElement?.closest(within) !== null, selector)

describe('keys that come before the code of what was opened', () => {
  for (const [what, open, opened] of [
    ['a new column', (page) => page.getByRole('button', { name: 'Add column' }).click(), '[role="dialog"]'],
    ['a column', (page) => chooseInHead(page, 'Edit column'), '[role="dialog"]'],
    ['the filter', (page) => chooseInHead(page, 'Filter'), '.filter-panel'],
    ['the sort order', (page) => page.getByRole('button', { name: 'Sort', exact: true }).click(), '.filter-panel'],
    ['a record, by a key', (page) => page.keyboard.press('Space'), '.record-panel'],
    ['a record, by its button', (page) => page.getByRole('button', { name: 'Open record 3', exact: true }).click(), '.record-panel'],
    [
      'an edit of several records',
      async (page) => {
        await page.keyboard.press('Shift+Space')
        await page.getByRole('button', { name: 'Edit…', exact: true }).click()
      },
      '[role="dialog"]',
    ],
  ] satisfies [string, (page: Page) => Promise<unknown>, string][])
    test(`do not write into the selected cell: ${what}`, async () => {
      const { page, release } = await openHeld('contacts')
      const before = await Promise.all([1, 2, 3].map((key) => service.recordOf('contacts', key)))
      await cell(page, 1, 1).click()
      const text = await cell(page, 1, 1).textContent()
      await open(page)
      await page.keyboard.type('Qwerty')
      await page.keyboard.press('Delete')
      expect(await page.locator('.grid-editor').count()).toBe(0)
      release()
      await page.locator(opened).waitFor()
      await becomes(() => isFocusIn(page, opened), true)
      expect(await cell(page, 1, 1).textContent()).toBe(text)
      expect(await Promise.all([1, 2, 3].map((key) => service.recordOf('contacts', key)))).toEqual(before)
    })

  test('the focus returns to the button when a new column is not made after all', async () => {
    const { page, release } = await openHeld('contacts')
    release()
    await cell(page, 1, 1).click()
    await page.getByRole('button', { name: 'Add column' }).click()
    await becomes(() => isFocusIn(page, 'input[name="name"]'), true)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await becomes(() => isFocusIn(page, '.grid-add'), true)
  })
})

describe('the focus returns to the button of the menu that opened a dialog', () => {
  for (const [button, item] of [
    ['View: All records', 'Save as new view…'],
    ['More actions', 'Export'],
    ['More actions', 'Share'],
    ['Menu for contacts', 'Rename'],
  ] as const)
    test(`${button}, ${item}`, async () => {
      const { page, release } = await openHeld('contacts')
      release()
      // The second time the code is there, and the dialog opens as the menu closes. The first is as it may.
      for (const _ of [1, 2]) {
        await page.getByRole('button', { name: button, exact: true }).click()
        await page.getByRole('menu').getByText(item, { exact: true }).click()
        await becomes(() => isFocusIn(page, '[role="dialog"]'), true)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), button)
      }
    })
})
