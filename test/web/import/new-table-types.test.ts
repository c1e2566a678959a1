import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { startUi, takeSession } from '../../support/ui'

/** The types of a new table's columns, and what a type needs besides. */
const service = await startUi()
afterAll(() => service.stop())
const api = (path: string, body?: unknown) => call(`${service.url}/api/v1${path}`, { token: service.token, body })

async function openPlan(name: string, text: string | Buffer, size: 'desktop' | 'phone' = 'desktop'): Promise<Page> {
  const { page } = await visit({ size })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/import`)
  await page.locator('input[type=file]').setInputFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer: Buffer.from(text as string) })
  await page.getByLabel('Table name').waitFor()
  return page
}
const importNow = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  return (await (await api(`/tables/${name}`)).json()).columns
}

test('a check asks for the currency first', async () => {
  const page = await openPlan('unpriced', 'rest\n7\n')
  await page.getByLabel('Type of rest').selectOption('Currency')
  await page.getByRole('button', { name: 'Check without importing' }).click()
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Currency of rest')
})

test.each(['desktop', 'phone'] as const)('the currency is asked, and proposed by the file (%s)', async (size) => {
  const name = `prices_${size}`
  const page = await openPlan(name, 'price,Total (CHF),fee,rest\n$1.50,2,£1,7\n$2,3,1,8\n', size)
  expect(await page.getByLabel('Currency of price').inputValue()).toBe('USD')
  for (const header of ['Total (CHF)', 'fee', 'rest']) await page.getByLabel(`Type of ${header}`).selectOption('Currency')
  expect(await page.getByLabel('Currency of Total (CHF)').inputValue()).toBe('CHF')
  expect(await page.getByLabel('Currency of fee').inputValue()).toBe('GBP')
  // Nothing says which it is: it has to be chosen.
  expect(await page.getByLabel('Currency of rest').inputValue()).toBe(size === 'desktop' ? '' : 'EUR')
  await page.getByLabel('Currency of rest').selectOption('EUR')
  await page.getByLabel('Currency of price').selectOption('EUR')
  await expectAccessible(page)
  await expectNoSideways(page)
  const columns = await importNow(page, name)
  expect(columns.slice(1)).toMatchObject(['EUR', 'CHF', 'GBP', 'EUR'].map((currency) => ({ type: 'currency', options: { currency } })))
})

test('on a phone, columns are stacked and controls are large enough for a finger', async () => {
  await api('/tables', { name: 'a_table_with_quite_a_long_name_to_link_to', columns: [{ name: 'name', type: 'text' }] })
  const header = 'A column with a rather long name that breaks,price,Donaudampfschifffahrtsgesellschaftskapitänsmütze'
  const page = await openPlan('phone', `${header}\nx,1.50 €,01/02/2026\ny,2 €,03/04/2026\n`, 'phone')
  await page.getByLabel(/^Type of A column/).selectOption('Link to a_table_with_quite_a_long_name_to_link_to')
  await page.getByRole('button', { name: 'Check without importing' }).waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
  const controls = page.locator('main').locator('select, input:not([type=file], [type=checkbox]), button, .mantine-Checkbox-label')
  const small = await controls.evaluateAll((elements) =>
    elements.flatMap((element) => {
      const { width, height } = element.getBoundingClientRect()
      return width < 44 || height < 44 ? [`${element.tagName} ${element.ariaLabel ?? element.textContent}: ${width} × ${height}`] : []
    }),
  )
  expect(small).toEqual([])
  // Each control of a column has a line of its own.
  const lefts = await page
    .getByRole('list', { name: 'Columns' })
    .locator('select, input[type=text]')
    .evaluateAll((elements) => elements.map((element) => Math.round(element.getBoundingClientRect().left)))
  expect(new Set(lefts).size).toBe(1)
})

test('another currency than that of the file keeps its type, whatever the cells are', async () => {
  const page = await openPlan('fees', `fee\n${'$1\n'.repeat(1000)}none\n`)
  await page.getByLabel('Currency of fee').selectOption('EUR')
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByText('The file has 1 error.').waitFor()
})

test('a long file in UTF-16 has a plan', async () => {
  const lines = Array.from({ length: 30_000 }, (_, index) => `Größe ${index}\t${index}\r\n`)
  const page = await openPlan('unicode', Buffer.from(`\ufeffname\tn\r\n${lines.join('')}`, 'utf16le'))
  expect(await page.getByLabel('Type of n', { exact: true }).inputValue()).toBe('integer')
})

test('of two columns with the same header one is left out, and the types are their own', async () => {
  const page = await openPlan('phones', 'Phone,Phone,Phone\n1,2,3\n')
  await page.getByLabel('Phone', { exact: true }).nth(1).uncheck()
  await page.getByLabel('Type of Phone').last().selectOption('text')
  expect(await importNow(page, 'phones')).toMatchObject([
    { name: 'id' },
    { name: 'Phone', type: 'integer' },
    { name: 'Phone 3', type: 'text' },
  ])
})
