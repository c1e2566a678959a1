import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
  const columns = [
    { name: 'title', type: 'text' },
    { name: 'due', type: 'date' },
    { name: 'at', type: 'dateTime' },
    { name: 'opens', type: 'time' },
  ]
  const made = await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name: 'visits', columns } })
  service.tables.push((await made.json()) as { id: string; name: string })
  const body = Array.from({ length: 6 }, (_, index) => ({ title: `Visit ${index + 1}`, due: '2026-03-31', at: '2026-03-31T12:30:00Z' }))
  expect((await call(`${service.url}/api/v1/tables/visits/records`, { token: service.token, body })).status).toBe(201)
})
afterAll(() => service.stop())

const stored = async (key: number, name: string) => (await service.recordOf('visits', key))[name]
const field = (page: Page, name: string) => page.locator(`[data-field="${name}"] input[name]`)

async function openPanel(page: Page, row: number) {
  await cell(page, row, 1).click()
  await page.keyboard.press('Space')
  await field(page, 'due').waitFor()
}

const german = { language: 'de-DE' }

test('a German panel shows and takes dates as Germans write them, in a browser of any language', async () => {
  const page = await openTable(service, 'visits', german)
  await openPanel(page, 0)
  expect(await field(page, 'due').inputValue()).toBe('31.03.2026')
  expect(await field(page, 'at').inputValue()).toBe('31.03.2026, 14:30')
  await expectAccessible(page)
  await field(page, 'due').fill('12.1.2026')
  await field(page, 'at').fill('1.7.26 9:05')
  await field(page, 'opens').fill('8:30')
  await page.keyboard.press('Tab')
  expect([await field(page, 'due').inputValue(), await field(page, 'at').inputValue()]).toEqual(['12.01.2026', '01.07.2026, 09:05'])
  await page.keyboard.press('Control+s')
  await becomes(() => stored(1, 'due'), '2026-01-12')
  expect([await stored(1, 'at'), await stored(1, 'opens')]).toEqual(['2026-07-01T07:05:00+00:00', '08:30:00'])
  await cell(page, 0, 2).getByText('12.01.2026').waitFor()
})

test('an English one shows what the grid shows, and an empty date is none', async () => {
  const page = await openTable(service, 'visits', { language: 'en-US' })
  expect(await cell(page, 1, 2).textContent()).toBe('Mar 31, 2026')
  await openPanel(page, 1)
  expect(await field(page, 'due').inputValue()).toBe('Mar 31, 2026')
  await field(page, 'due').fill('1/12/2026')
  await page.keyboard.press('Control+s')
  await becomes(() => stored(2, 'due'), '2026-01-12')
  await field(page, 'due').fill('')
  await page.keyboard.press('Control+s')
  await becomes(() => stored(2, 'due'), null)
})

test('a text that is no date is refused at its field, and is not saved', async () => {
  const page = await openTable(service, 'visits', german)
  const writes: string[] = []
  page.on('request', (request) => void (request.method() === 'PATCH' && writes.push(request.url())))
  await openPanel(page, 2)
  for (const [text, problem] of [
    ['demnächst', 'Kein Datum. Ein Datum sieht so aus: 31.12.2026.'],
    ['31.2.2026', 'Diesen Tag gibt es nicht.'],
  ] as const) {
    await field(page, 'due').fill(text)
    await page.keyboard.press('Tab')
    await page.locator('[data-field="due"]').getByText(problem).waitFor()
    expect([await field(page, 'due').inputValue(), await field(page, 'due').getAttribute('aria-invalid')]).toEqual([text, 'true'])
  }
  await expectAccessible(page)
  await page.keyboard.press('Control+s')
  await page.getByRole('alert').getByText('due').waitFor()
  expect([await stored(3, 'due'), writes]).toEqual(['2026-03-31', []])
  await page.getByRole('button', { name: 'Verwerfen' }).click()
  await becomes(() => field(page, 'due').inputValue(), '31.03.2026')
  expect(await field(page, 'due').getAttribute('aria-invalid')).not.toBe('true')
})

test('a day is picked from the calendar by keyboard, in the panel and in a cell', async () => {
  const page = await openTable(service, 'visits', german)
  await openPanel(page, 3)
  await field(page, 'due').focus()
  await pickNextDay(page)
  await becomes(() => field(page, 'due').inputValue(), '01.04.2026')
  await page.keyboard.press('Control+s')
  await becomes(() => stored(4, 'due'), '2026-04-01')

  await cell(page, 4, 2).click()
  await page.keyboard.press('F2')
  const editor = page.locator('.grid-editor')
  expect(await editor.inputValue()).toBe('31.03.2026')
  await expectAccessible(page)
  await pickNextDay(page)
  await becomes(() => editor.inputValue(), '01.04.2026')
  await page.keyboard.press('Enter')
  await becomes(() => stored(5, 'due'), '2026-04-01')
})

test('a day is picked from the calendar by mouse, in a cell', async () => {
  const page = await openTable(service, 'visits', german)
  await cell(page, 5, 2).click()
  await page.keyboard.press('F2')
  await page.getByRole('gridcell').getByRole('button', { name: 'Kalender öffnen' }).click()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await becomes(() => page.locator('.grid-editor').inputValue(), '01.04.2026')
  await page.keyboard.press('Enter')
  await becomes(() => stored(6, 'due'), '2026-04-01')
})

/** In the browser's calendar, which is no part of the page. */
async function pickNextDay(page: Page) {
  await page.keyboard.press('Alt+ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
}

test.each(['light', 'dark'] as const)('a new record on a phone has its dates, %s', async (scheme) => {
  const page = await openTable(service, 'visits', { ...german, size: 'phone', scheme })
  await page.goto(`${service.url}/tables/${service.tableId('visits')}/records/new`)
  await field(page, 'due').fill('5. März 2027')
  await field(page, 'title').fill('Neu')
  await expectAccessible(page)
  await expectNoSideways(page)
  await page.keyboard.press('Control+s')
  await page.waitForURL(/records\/\d+$/)
  expect(await stored(Number(page.url().split('/').at(-1)), 'due')).toBe('2027-03-05')
})
