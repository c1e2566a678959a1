import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { de } from '../../../src/web/browser/strings/de'
import { en } from '../../../src/web/browser/strings/en'
import { expectAccessible } from '../../support/browser'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

test.each([en, de])('a summary has one name at the end of a column, in the selection and in a rollup', ({ columns, grid }) => {
  const { avg, ...rollups } = columns.rollupFunctions
  expect({ ...grid.summaries, ...rollups, average: avg }).toMatchObject(grid.summaries)
})

let service: GridService
const count = 3_000
beforeAll(async () => {
  service = await startGrid(count)
  const columns = [
    { name: 'title', type: 'text' },
    { name: 'pages', type: 'integer' },
    { name: 'price', type: 'currency', options: { currency: 'EUR' } },
    { name: 'printed', type: 'date' },
    { name: 'sold', type: 'boolean' },
    { name: 'genres', type: 'multiSelect', options: { choices: ['crime', 'history'] } },
  ]
  await api('', { name: 'books', columns })
  await api('/books/records', [
    { title: 'Emma', pages: 474, price: '8.70', printed: '1815-12-23', sold: true, genres: ['crime'] },
    { title: 'Nana', pages: 470, price: '9.90', printed: '1880-02-15', sold: false, genres: [] },
    { title: '', pages: null, price: null, printed: null, sold: null },
    { title: 'Emma', pages: 1, price: '0.05', printed: '2001-01-01', sold: true },
  ])
})
afterAll(() => service.stop())

const api: GridService['api'] = (...request) => service.api(...request)

const statistics = async (page: Page) => (await page.locator('.grid-statistics').textContent()) ?? ''
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Summary' })
const summary = (page: Page, column: string) => bar(page).getByRole('button', { name: new RegExp(`^${column}: `) })
const choose = async (page: Page, column: string, name: string) => {
  await summary(page, column).click()
  await page.getByRole('menuitemradio', { name, exact: true }).click()
}
const isSummarized = (page: Page, column: string, text: string) => becomes(() => summary(page, column).textContent(), `${column}: ${text}`)

describe('the selection', () => {
  test('is counted, added and averaged with all digits', async () => {
    const page = await openTable(service, 'books')
    await cell(page, 0, 1).click()
    await page.keyboard.press('Shift+ArrowRight')
    for (let row = 0; row < 3; row++) await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('8 cells', { exact: true }).waitFor()
    await becomes(() => statistics(page), 'Count 6Sum 945Average 315Min 1Max 474')
    // Pages and euros are not added, and keys are no amounts.
    await page.keyboard.press('Shift+ArrowRight')
    await becomes(() => statistics(page), 'Count 9')
    await cell(page, 0, 0).click()
    await page.keyboard.press('Shift+ArrowDown')
    await becomes(() => statistics(page), 'Count 2')
    await cell(page, 0, 3).click()
    for (let row = 0; row < 3; row++) await page.keyboard.press('Shift+ArrowDown')
    await becomes(() => statistics(page), 'Count 3Sum €18.65Average €6.22Min €0.05Max €9.90')
    await cell(page, 0, 1).click()
    await page.keyboard.press('Shift+ArrowDown')
    await becomes(() => statistics(page), 'Count 2')
    await cell(page, 0, 1).click()
    await becomes(() => page.locator('.grid-statistics').count(), 0)
  })

  test('is computed by the service where it is the whole list, and else says that it is partial', async () => {
    const page = await openTable(service, manyRows, { search: '?age=lt.45' })
    const { records } = (await (await api(`/${manyRows}/records?select=n:count(),age.sum(),balance.sum()&age=lt.45`)).json()) as {
      records: { n: number; sum: number }[]
    }
    const { n } = records[0]!
    await page.getByText(`${n.toLocaleString('en')} records`, { exact: true }).waitFor()
    await cell(page, 0, 2).click()
    await page.keyboard.press('Control+Shift+ArrowDown')
    await becomes(async () => (await statistics(page)).startsWith(`Count ${n.toLocaleString('en')}Sum `), true)
    expect(await statistics(page)).toEndWith('Min 0Max 44')
    await page.keyboard.press('Shift+ArrowUp')
    await becomes(async () => /of \d+ loaded rows$/.test(await statistics(page)), true)
  })
})

describe('the line below the records', () => {
  test('shows a long sum as a whole, and its name where there is room', async () => {
    const page = await openTable(service, 'books')
    const shown = (column: string) =>
      summary(page, column).evaluate((button) => {
        const { top, bottom } = button.getBoundingClientRect()
        return ['.grid-summary-name', '.grid-text'].map((part) => {
          const element = button.querySelector(part)!
          const { top: above, bottom: below } = element.getBoundingClientRect()
          return above >= top - 1 && below <= bottom + 1 && element.scrollWidth <= element.clientWidth
        })
      })
    await choose(page, 'price', 'Sum')
    await isSummarized(page, 'price', 'Sum €18.65')
    expect(await shown('price')).toEqual([true, true])
    await cell(page, 0, 3).click()
    await page.keyboard.type('5995630.25')
    await page.keyboard.press('Enter')
    await isSummarized(page, 'price', 'Sum €5,995,640.20')
    expect(await shown('price')).toEqual([false, true])
    const sign = () =>
      summary(page, 'price')
        .locator('.grid-text')
        .evaluate((text) => getComputedStyle(text, '::before').content)
    expect(await sign()).toStartWith('"Σ"')
    await page.keyboard.press('Control+z')
    await isSummarized(page, 'price', 'Sum €18.65')
    await choose(page, 'price', 'None')
  })

  test('summarizes columns over the list, follows edits and filters, and is remembered', async () => {
    const page = await openTable(service, 'books')
    await choose(page, 'pages', 'Sum')
    await isSummarized(page, 'pages', 'Sum 945')
    await choose(page, 'price', 'Average')
    await isSummarized(page, 'price', 'Average €6.22')
    await choose(page, 'title', 'Unique')
    await isSummarized(page, 'title', 'Unique 2')
    await choose(page, 'printed', 'Max')
    await isSummarized(page, 'printed', 'Max 1 Jan 2001')
    await choose(page, 'sold', 'Checked')
    await isSummarized(page, 'sold', 'Checked 2')
    await choose(page, 'genres', 'Empty')
    await isSummarized(page, 'genres', 'Empty 3')
    await expectAccessible(page)
    await cell(page, 3, 2).click()
    await page.keyboard.type('100')
    await page.keyboard.press('Enter')
    await isSummarized(page, 'pages', 'Sum 1044')
    await choose(page, 'title', 'Empty')
    await isSummarized(page, 'title', 'Empty 1')
    const saved = page.waitForResponse((response) => response.request().postData()?.includes('"filled"') === true)
    await choose(page, 'title', 'Filled')
    await isSummarized(page, 'title', 'Filled 3')
    await page.getByRole('searchbox', { name: 'Search records' }).fill('emma')
    await isSummarized(page, 'pages', 'Sum 574')
    await isSummarized(page, 'title', 'Filled 2')
    await saved
    await page.reload()
    await isSummarized(page, 'pages', 'Sum 574')
    await choose(page, 'title', 'None')
    await isSummarized(page, 'title', 'Summary')
  })

  test('is computed again for a table that is opened again, and for a formula that is edited', async () => {
    await api('', { name: 'sums', columns: [{ name: 'amount', type: 'integer' }] })
    await api('/sums/columns', { name: 'multiple', type: 'formula', options: { formula: 'amount * 2' } })
    await api('/sums/records', [{ amount: 10 }, { amount: 5 }])
    const page = await openTable(service, 'sums')
    await choose(page, 'amount', 'Sum')
    await isSummarized(page, 'amount', 'Sum 15')
    await choose(page, 'multiple', 'Sum')
    await isSummarized(page, 'multiple', 'Sum 30')
    await page.getByRole('navigation').getByRole('link', { name: 'books', exact: true }).click()
    await summary(page, 'title').waitFor()
    expect((await api('/sums/records/1', { amount: 99 }, 'PATCH')).status).toBe(200)
    await page.goBack()
    await cell(page, 0, 1).getByText('99', { exact: true }).waitFor()
    await isSummarized(page, 'amount', 'Sum 104')
    await isSummarized(page, 'multiple', 'Sum 208')
    await page.getByRole('button', { name: 'Menu for column multiple' }).click()
    await page.getByRole('menuitem', { name: 'Edit column' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Formula' }).fill('amount * 3')
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await cell(page, 0, 2).getByText('297', { exact: true }).waitFor()
    await isSummarized(page, 'multiple', 'Sum 312')
  })

  test('is used by keys, and does not cover the last row', async () => {
    const page = await openTable(service, manyRows)
    await summary(page, 'id').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('F9')
    await page.getByText('Records refreshed.').waitFor()
    // The records are rendered again, and the focus stays.
    await page.locator('.grid-summary button:focus').getByText('name').waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitemradio', { name: 'Average' }).focus()
    await page.keyboard.press('Enter')
    await becomes(async () => (await summary(page, 'age').textContent())?.startsWith('age: Average 4'), true)
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+End')
    const last = page.locator(`[data-row="${count - 1}"]:focus`)
    await last.waitFor()
    const [{ y, height }, { y: top }] = [(await last.boundingBox())!, (await bar(page).boundingBox())!]
    // Both may stand at half a pixel.
    expect(y + height).toBeLessThan(top + 1)
  })

  test('works on a phone', async () => {
    const page = await openTable(service, 'books', { size: 'phone', search: '?order=title' })
    await choose(page, 'title', 'Unique')
    await isSummarized(page, 'title', 'Unique 2')
    await expectAccessible(page)
  })
})
