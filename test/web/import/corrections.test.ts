import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { startUi, takeSession } from '../../support/ui'
import { makeWorkbook, rowOf } from '../../support/workbooks'

const service = await startUi()
afterAll(() => service.stop())
const api = (path: string, body?: unknown) => call(`${service.url}/api/v1${path}`, { token: service.token, body })
const records = async (table: string) => (await (await api(`/tables/${table}/records?order=id`)).json()).records

const columns = [
  { name: 'title', type: 'text', required: true },
  { name: 'pages', type: 'integer' },
  { name: 'read', type: 'date' },
]
async function openImport(
  name: string,
  file: string | Buffer,
  { size = 'desktop', fileName = 'file.csv', dates }: { size?: 'desktop' | 'phone'; fileName?: string; dates?: string } = {},
): Promise<Page> {
  const { id } = await (await api('/tables', { name, columns })).json()
  const { page } = await visit({ size })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${id}/import`)
  await page.locator('input[type=file]').setInputFiles({ name: fileName, mimeType: 'text/csv', buffer: Buffer.from(file) })
  if (dates) await page.getByLabel('Dates').selectOption(dates)
  await page.getByRole('button', { name: 'Check without importing' }).click()
  return page
}
const cell = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))

test('faulty cells are corrected by keyboard, checked at once, and imported', async () => {
  const page = await openImport('novels', 'title,pages,read\nEmma,many,2020-01-01\nMary,12,yesterday\nSanditon,few,\n')
  await page.getByRole('button', { name: 'Leave 3 cells empty' }).waitFor()
  await page.getByText('Type another value to correct a cell').waitFor()
  await expectAccessible(page)
  await cell(page, 'pages, Line 2').click()
  await page.keyboard.type('474')
  await page.keyboard.press('Enter')
  expect(await focused(page)).toBe('read, Line 3')
  await page.getByRole('button', { name: 'Leave 2 cells empty' }).waitFor()
  await page.getByRole('row', { name: /^2 pages .*Corrected/ }).waitFor()
  expect(await focused(page)).toBe('read, Line 3')
  await page.keyboard.type('2020-02-30')
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('pages, Line 4')
  // The correction is faulty itself.
  await page.getByRole('row', { name: /^3 read .*"2020-02-30"/ }).waitFor()
  await page.keyboard.type('1')
  await page.keyboard.press('Shift+Tab')
  await page.getByRole('button', { name: 'Leave 1 cell empty' }).waitFor()
  expect(await focused(page)).toBe('read, Line 3')
  await page.keyboard.type('2020-02-29')
  await page.keyboard.press('Enter')
  await page.getByText('3 records would be added').waitFor()
  expect(await focused(page)).toBe('pages, Line 4')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('3 records added').waitFor()
  expect(await records('novels')).toMatchObject([
    { title: 'Emma', pages: 474 },
    { title: 'Mary', read: '2020-02-29' },
    { title: 'Sanditon', pages: 1 },
  ])
})

test('on a phone, in a workbook, a correction is taken back, and the rest left empty', async () => {
  const sheet = rowOf(1, 'title', 'pages') + rowOf(2, 'bolt', 'none') + rowOf(5, 'nut', 'few')
  const page = await openImport('parts', makeWorkbook({ sheets: { Parts: sheet } }), { size: 'phone', fileName: 'parts.xlsx' })
  await cell(page, 'pages, B2').fill('0')
  await cell(page, 'pages, B5').fill('3')
  await page.getByRole('button', { name: 'Leave 1 cell empty' }).waitFor()
  await cell(page, 'pages, B2').fill('none')
  await page.keyboard.press('Tab')
  await page.getByText('The file has 1 error.').waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
  await page.getByRole('button', { name: 'Leave 1 cell empty' }).click()
  await page.getByText('1 cell was left empty.').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('2 records added').waitFor()
  expect(await records('parts')).toMatchObject([
    { title: 'bolt', pages: null },
    { title: 'nut', pages: 3 },
  ])
})

test('of more faults than are listed, the next come when the first are corrected', async () => {
  const page = await openImport('long', `title,pages\n${Array.from({ length: 101 }, (_, index) => `t${index},x\n`).join('')}`)
  await page.getByText('The file has 101 errors. Nothing was imported. Showing the first 100:').waitFor()
  expect(await cell(page, 'pages, Line 102').count()).toBe(0)
  await cell(page, 'pages, Line 2').fill('1')
  await page.keyboard.press('Enter')
  await page.getByText('The file has 100 errors.').waitFor()
  await cell(page, 'pages, Line 102').waitFor()
  await page.getByRole('row', { name: /^2 pages .*Corrected/ }).waitFor()
})

test('the cells of a new table are corrected for the import', async () => {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/import`)
  const buffer = Buffer.from('title,pages\nEmma,474\nPersuasion,many\n')
  await page.locator('input[type=file]').setInputFiles({ name: 'books.csv', mimeType: 'text/csv', buffer })
  await page.getByLabel('Type of pages').selectOption('integer')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await cell(page, 'pages, Line 3').fill('249')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /^3 pages .*Corrected/ }).waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'books', level: 1 }).waitFor()
  expect(await records('books')).toMatchObject([{ pages: 474 }, { pages: 249 }])
})

test('another notation keeps corrections, and reads them again', async () => {
  const page = await openImport('days', 'title,read\nEmma,01/02/2020\nMary,soon\n', { dates: 'day.month.year' })
  await cell(page, 'read, Line 3').fill('03/04/2020')
  await page.keyboard.press('Enter')
  await page.getByText('2 records would be added').waitFor()
  await page.getByLabel('Dates').selectOption('year-month-day')
  await page.getByText('The file has 2 errors.').waitFor()
  expect(await cell(page, 'read, Line 3').inputValue()).toBe('03/04/2020')
  await page.getByLabel('Dates').selectOption('month/day/year')
  await page.getByText('2 records would be added').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('2 records added').waitFor()
  expect(await records('days')).toMatchObject([{ read: '2020-01-02' }, { read: '2020-03-04' }])
  // What was imported is not checked again.
  await page.getByLabel('Dates').selectOption('day.month.year')
  await page.getByText('2 records added').waitFor({ state: 'detached' })
  expect(await page.getByText('would be added').count()).toBe(0)
})

test.each(['desktop', 'phone'] as const)(
  'the cells of a new table are checked, and keep their corrections with another notation (%s)',
  async (size) => {
    const { page } = await visit({ size })
    await takeSession(page, service.url)
    await page.goto(`${service.url}/tables/import`)
    const buffer = Buffer.from('title;price\nEmma;1.250\nMary;many\nSanditon;few\n')
    await page.locator('input[type=file]').setInputFiles({ name: `priced_${size}.csv`, mimeType: 'text/csv', buffer })
    await page.getByLabel('Type of price').selectOption('Decimal number')
    await page.getByLabel('Numbers').selectOption('1.234,50')
    await page.getByRole('button', { name: 'Check without importing' }).click()
    await page.getByRole('button', { name: 'Leave 2 cells empty' }).waitFor()
    await cell(page, 'price, Line 3').fill('2,5')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /^3 price .*Corrected/ }).waitFor()
    expect(await focused(page)).toBe('price, Line 4')
    await page.keyboard.type('3')
    await page.keyboard.press('Enter')
    await page.getByText('3 records would be added').waitFor()
    expect((await api(`/tables/priced_${size}`)).status).toBe(404)
    await page.getByLabel('Numbers').selectOption('1,234.50')
    await page.getByRole('row', { name: /^3 price .*"2,5"/ }).waitFor()
    await page.getByRole('row', { name: /^4 price .*Corrected/ }).waitFor()
    await cell(page, 'price, Line 3').fill('2.5')
    await page.keyboard.press('Tab')
    await page.getByText('3 records would be added').waitFor()
    await expectAccessible(page)
    await expectNoSideways(page)
    // Another type takes the result back, but not the corrections.
    await page.getByLabel('Type of price').selectOption('Currency')
    await page.getByText('would be added').waitFor({ state: 'detached' })
    expect(await cell(page, 'price, Line 3').inputValue()).toBe('2.5')
    await page.getByLabel('Currency of price').selectOption('EUR')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: `priced_${size}`, level: 1 }).waitFor()
    expect(await records(`priced_${size}`)).toMatchObject([{ price: 1.25 }, { price: 2.5 }, { price: 3 }])
  },
)

test('a cell with a line break that nobody changes stays as it is, and its text takes a correction back', async () => {
  const page = await openImport('broken', 'title,pages\nEmma,"4\n74"\nMary,few\n')
  await cell(page, 'pages, Line 2').click()
  expect(await cell(page, 'pages, Line 2').inputValue()).toBe('4 74')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await page.getByText('The file has 2 errors.').waitFor()
  await cell(page, 'pages, Line 4').fill('1')
  await page.keyboard.press('Tab')
  await page.getByText('The file has 1 error.').waitFor()
  expect(await page.getByRole('row', { name: /Corrected/ }).count()).toBe(1)
  await cell(page, 'pages, Line 2').fill('474')
  await page.keyboard.press('Tab')
  await page.getByText('2 records would be added').waitFor()
  await cell(page, 'pages, Line 2').fill('4 74')
  await page.keyboard.press('Tab')
  await page.getByText('The file has 1 error.').waitFor()
})

test('other options take corrections back', async () => {
  const page = await openImport('dated', 'title,pages,read\nEmma,many,\n')
  await cell(page, 'pages, Line 2').fill('1')
  await page.keyboard.press('Enter')
  await page.getByText('1 record would be added').waitFor()
  for (const mode of ['', '-']) await page.getByLabel('Import mode').selectOption(mode)
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByText('The file has 1 error.').waitFor()
  expect(await cell(page, 'pages, Line 2').inputValue()).toBe('many')
})

test('renaming a column of a new table takes corrections back', async () => {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/import`)
  const buffer = Buffer.from('title,pages\nEmma,many\n')
  await page.locator('input[type=file]').setInputFiles({ name: 'renamed.csv', mimeType: 'text/csv', buffer })
  await page.getByLabel('Type of pages').selectOption('integer')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await cell(page, 'pages, Line 2').fill('249')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /^2 pages .*Corrected/ }).waitFor()
  await page.getByLabel('Name of pages').fill('sheets')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await cell(page, 'sheets, Line 2').fill('250')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'renamed', level: 1 }).waitFor()
  expect(await records('renamed')).toMatchObject([{ sheets: 250 }])
})
