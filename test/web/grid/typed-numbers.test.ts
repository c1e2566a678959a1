import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const paste = async (page: Page, text: string) => {
  await page.evaluate((value) => navigator.clipboard.writeText(value), text)
  await page.keyboard.press('Control+v')
}

async function makeSums(name: string, count: number) {
  const columns = [
    { name: 'sum', type: 'currency', options: { precision: 12, scale: 2, currency: 'USD' } },
    { name: 'day', type: 'date' },
    { name: 'at', type: 'time' },
  ]
  await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name, columns } })
  await call(`${service.url}/api/v1/tables/${name}/records`, { token: service.token, body: Array.from({ length: count }, () => ({})) })
}

const idOf = async (name: string) =>
  (await (await call(`${service.url}/api/v1/tables/${name}`, { token: service.token })).json()).id as string

const sumsIn = async (name: string) => {
  const answer = await call(`${service.url}/api/v1/tables/${name}/records?order=id`, { token: service.token })
  return ((await answer.json()) as { records: { sum: number | null }[] }).records.map(({ sum }) => sum)
}

test('numbers, dates and times are typed and pasted as people write them', async () => {
  await makeSums('sums', 4)
  const page = await openTable(service, await idOf('sums'), { language: 'en-US' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const column = (name: string) => page.getByRole('columnheader', { name })
  const place = Number(await column('sum').getAttribute('aria-colindex')) - 2
  await cell(page, 0, place).click()
  await paste(page, '"1,234.50"\t12/24/1980\t2:30 PM\n$12.00\tJan 5, 2026\t9:05\n5%\t\t\n12.345\t\t')
  await becomes(() => sumsIn('sums'), [1234.5, 12, 0.05, 12.35])
  await page.getByText('1 value was rounded to the decimal places of its column.').waitFor()
  expect(await cell(page, 0, place + 1).textContent()).toBe('Dec 24, 1980')
  expect(await cell(page, 0, place).textContent()).toBe('$1,234.50')
  // The same form of time wherever one is shown.
  expect((await cell(page, 0, place + 2).textContent())?.replace('\u202f', ' ')).toBe('2:30 PM')
  await cell(page, 1, place).click()
  await page.keyboard.type('(3,000.006)')
  await page.keyboard.press('Enter')
  await becomes(() => sumsIn('sums'), [1234.5, -3000.01, 0.05, 12.35])
  await page.getByText('1 value was rounded').waitFor()
})

test('in the user’s own locale, and what is copied comes back and suits a spreadsheet', async () => {
  await makeSums('summen', 2)
  const page = await openTable(service, await idOf('summen'), { language: 'de-DE' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const place = Number(await page.getByRole('columnheader', { name: 'sum' }).getAttribute('aria-colindex')) - 2
  await cell(page, 0, place).click()
  await page.keyboard.type('1.234,50 €')
  await page.keyboard.press('Enter')
  await becomes(() => sumsIn('summen'), [1234.5, null])
  await cell(page, 0, place).click()
  await page.keyboard.press('Control+c')
  await page.getByText(/kopiert/).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('1234,50')
  await cell(page, 1, place).click()
  await page.keyboard.press('Control+v')
  await becomes(() => sumsIn('summen'), [1234.5, 1234.5])
  // The form takes them as the grid does, and shows what it rounds.
  await page.goto(`${page.url()}/records/1`)
  await page.getByLabel('sum', { exact: true }).fill('2.000,125')
  await page.keyboard.press('Tab')
  expect(await page.getByLabel('sum', { exact: true }).inputValue()).toBe('2000,13')
  await page.getByText(/gerundet/).waitFor()
  await page.keyboard.press('Control+s')
  await becomes(() => sumsIn('summen'), [2000.13, 1234.5])
})
