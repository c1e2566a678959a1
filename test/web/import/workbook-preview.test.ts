import { afterAll, expect, test } from 'bun:test'
import { expectAccessible, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { startUi, takeSession } from '../../support/ui'
import { makeWorkbook, rowOf } from '../../support/workbooks'

const service = await startUi()
afterAll(() => service.stop())

test('the preview shows the dates and numbers of a workbook as pages do, and its texts as they are', async () => {
  const { page } = await visit({ language: 'de-DE' })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/import`)
  const cell = (place: string, style: number, value: number) => `<c r="${place}" s="${style}"><v>${value}</v></c>`
  const values = [cell('A2', 1, 45933), cell('B2', 0, 100.25), cell('C2', 2, 1234.5), cell('D2', 0, 2026), cell('E2', 3, 0.25)]
  const texts = rowOf(3, '2025-10-03', '100.25', '7', '0.5', 'x')
  const sheet = `${rowOf(1, 'day', 'sum', 'price', 'year', 'share')}<row r="2">${values.join('')}</row>${texts}`
  const formats: [number, string?][] = [[14], [170, '#,##0.00 "€"'.replaceAll('"', '&quot;')], [9]]
  const buffer = makeWorkbook({ sheets: { Payments: sheet }, formats })
  await page.locator('input[type=file]').setInputFiles({ name: 'payments.xlsx', mimeType: 'application/octet-stream', buffer })
  const rows = page.getByRole('region', { name: 'Vorschau' }).getByRole('row')
  await rows.nth(2).waitFor()
  const cells = async (row: number) => (await rows.nth(row).getByRole('cell').allTextContents()).map((text) => text.trim())
  expect(await cells(1)).toEqual(['03.10.2025', '100,25', '1.234,50\u00a0€', '2026', '25\u00a0%'])
  expect(await cells(2)).toEqual(['2025-10-03', '100.25', '7', '0.5', 'x'])
  await expectAccessible(page)
})

test('a workbook without a header has the columns of its longest row', async () => {
  const names = ['name', 'age', 'mail']
  const body = { name: 'guests', columns: names.map((name) => ({ name, type: 'text' })) }
  const made = await call(`${service.url}/api/v1/tables`, { token: service.token, body })
  const { id } = (await made.json()) as { id: string }
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${id}/import`)
  const buffer = makeWorkbook({ sheets: { Guests: rowOf(1, 'Ann', '30') + rowOf(2, 'Bob', '25', 'bob@x.example') } })
  await page.locator('input[type=file]').setInputFiles({ name: 'guests.xlsx', mimeType: 'application/octet-stream', buffer })
  await page.getByLabel('First line contains column names').uncheck()
  for (const [index, name] of names.entries()) await page.getByLabel(`Table column for Column ${index + 1}`).selectOption(name)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('2 records added').waitFor()
  const answer = await call(`${service.url}/api/v1/tables/${id}/records?order=id&select=${names}`, { token: service.token })
  expect(((await answer.json()) as { records: object[] }).records).toEqual([
    { name: 'Ann', age: '30', mail: null },
    { name: 'Bob', age: '25', mail: 'bob@x.example' },
  ])
})
