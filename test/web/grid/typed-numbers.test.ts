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
  const sum = page.getByLabel('sum', { exact: true })
  expect(await sum.inputValue()).toBe('2.000,13\u00a0$')
  await sum.focus()
  expect(await sum.inputValue()).toBe('2000,13')
  await page.getByText(/gerundet/).waitFor()
  await page.keyboard.press('Control+s')
  await becomes(() => sumsIn('summen'), [2000.13, 1234.5])
})

test('percents, durations and ratings are typed and shown with their units, and columns have formats of their own', async () => {
  const columns = [
    { name: 'share', type: 'percent' },
    { name: 'took', type: 'duration' },
    { name: 'stars', type: 'rating' },
    { name: 'year', type: 'integer' },
    { name: 'seats', type: 'integer', options: { thousands: true } },
    { name: 'day', type: 'date', options: { dateFormat: 'iso' } },
    { name: 'at', type: 'dateTime', options: { dateFormat: 'long', timeFormat: '24' } },
  ]
  await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name: 'visits', columns } })
  await call(`${service.url}/api/v1/tables/visits/records`, { token: service.token, body: [{}, {}] })
  const page = await openTable(service, await idOf('visits'), { language: 'en-US' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const place = Number(await page.getByRole('columnheader', { name: 'share' }).getAttribute('aria-colindex')) - 2
  await cell(page, 0, place).click()
  for (const typed of ['12.5', '1:30', '4', '2026', '12345', '1/31/2026', '1/31/2026 2:30 PM']) {
    await page.keyboard.type(typed)
    await page.keyboard.press('Tab')
  }
  const shown = async (row: number) => {
    const cells = await Promise.all(columns.map((_, at) => cell(page, row, place + at).textContent()))
    return cells.map((text) => text?.replaceAll('\u202f', ' '))
  }
  const expected = ['12.5%', '1:30:00', '★★★★☆', '2026', '12,345', '2026-01-31', 'January 31, 2026 at 14:30']
  await becomes(() => shown(0), expected)
  await cell(page, 0, place).click()
  for (let at = 1; at < columns.length; at++) await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Control+c')
  await page.getByText(/copied/).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toStartWith('12.5%\t1:30:00\t4\t2026\t12345\t2026-01-31\t')
  await cell(page, 1, place).click()
  await page.keyboard.press('Control+v')
  await becomes(() => shown(1), expected)
  // The grid shows what was pasted before the service has it.
  const stored = async () => {
    const address = `${service.url}/api/v1/tables/visits/records?order=id&select=share,took,stars,year,seats,day`
    const answer = await call(address, { token: service.token })
    return ((await answer.json()) as { records: unknown[] }).records
  }
  const record = { share: 0.125, took: 5400, stars: 4, year: 2026, seats: 12345, day: '2026-01-31' }
  await becomes(stored, [record, record])
  await cell(page, 1, place + 2).click()
  await page.keyboard.type('6')
  await page.keyboard.press('Enter')
  const refusal = page.getByText('must be at least 1 and at most 5')
  await refusal.first().waitFor()
  // A rejected value is cleared as any other, though nothing is stored.
  await page.keyboard.press('Escape')
  await cell(page, 1, place + 2).click()
  await page.keyboard.type('4')
  await page.keyboard.press('Enter')
  await refusal.waitFor({ state: 'hidden' })
  await cell(page, 1, place + 1).click()
  await page.keyboard.type('soon')
  await page.keyboard.press('Enter')
  await page.getByText('Enter a duration, such as 1:30').first().waitFor()
})
