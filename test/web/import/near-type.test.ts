import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { startUi, takeSession } from '../../support/ui'

/** A few cells that keep a column of a new table from its type. */
const service = await startUi()
afterAll(() => service.stop())

async function openPlan(name: string, text: string, size: 'desktop' | 'phone' = 'desktop'): Promise<Page> {
  const { page } = await visit({ size })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/import`)
  await page.locator('input[type=file]').setInputFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.getByLabel('Table name').waitFor()
  return page
}
const typesOf = async (name: string) => {
  const answer = await call(`${service.url}/api/v1/tables/${name}`, { token: service.token })
  return (await answer.json()).columns.map(({ type }: { type: string }) => type)
}
const days = (count: number) => Array.from({ length: count }, (_, index) => `${(index % 28) + 1}.01.2026,x`)
const typeOf = (page: Page) => page.getByLabel('Type of day').inputValue()

test.each(['desktop', 'phone'] as const)('one cell that is no date is named, and the type can be used (%s)', async (size) => {
  const name = `near_${size}`
  const page = await openPlan(name, `day,rest\n${[...days(15), 'unknown,x', ...days(184)].join('\n')}\n`, size)
  await page.getByText('Text instead of “Date” because of 1 of 200 cells (line 17: “unknown”).').waitFor()
  expect(await typeOf(page)).toBe('text')
  await expectAccessible(page)
  await expectNoSideways(page)
  await page.getByRole('button', { name: 'Use “Date”' }).click()
  expect(await typeOf(page)).toBe('date')
  expect(await page.getByText('because').count()).toBe(0)
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByRole('button', { name: 'Leave 1 cell empty' }).click()
  await page.getByText('200 records would be added').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  expect((await typesOf(name))[1]).toBe('date')
})

test('what a record after the first ones contradicts is named by the check', async () => {
  const text = `day,rest\n${[...days(1100), 'unknown,x'].join('\n')}\n`
  const page = await openPlan('near_late', text)
  expect(await typeOf(page)).toBe('date')
  await page.getByRole('button', { name: 'Check without importing' }).click()
  const note = 'Text instead of “Date” because of 1 of 1,101 cells (line 1102: “unknown”).'
  await page.getByText(note).waitFor()
  expect(await typeOf(page)).toBe('text')
  // Chosen by hand, the type is requested as well.
  await page.getByLabel('Type of day').selectOption('Date')
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByText('The file has 1 error.').waitFor()
  expect(await typeOf(page)).toBe('date')
})

test('an import without a check tells the column that became text', async () => {
  const page = await openPlan('near_unchecked', `day,rest\n${[...days(1100), 'unknown,x'].join('\n')}\n`)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('day: Text instead of “Date” because of 1 of 1,101 cells (line 1102: “unknown”).').waitFor()
})

test('the column that names the records is proposed and can be chosen', async () => {
  const page = await openPlan('near_named', 'title,customer,mail\nchair,Ada,a@example.org\nlamp,Grace,b@example.org\n')
  const name = page.getByLabel('Name of a record')
  const chosen = () => name.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]!.textContent)
  expect(await chosen()).toBe('title')
  await page.getByLabel('Name of title').fill('article')
  expect(await chosen()).toBe('article')
  await page.getByLabel('Type of title').selectOption('Date')
  expect(await chosen()).toBe('customer')
  await page.getByLabel('Type of title').selectOption('Text')
  await name.selectOption('mail')
  // A column that is left out names nothing.
  await page.getByRole('checkbox', { name: 'mail' }).uncheck()
  expect(await chosen()).toBe('article')
  await page.getByRole('checkbox', { name: 'mail' }).check()
  expect(await chosen()).toBe('mail')
  await page.getByLabel('Name of mail').fill('address')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'near_named', level: 1 }).waitFor()
  const answer = await call(`${service.url}/api/v1/tables/near_named`, { token: service.token })
  expect((await answer.json()).displayColumn).toBe('address')
})

test('a table with one column of text asks for no name, also when that becomes a link', async () => {
  const page = await openPlan('near_linked', 'customer\nAda\nGrace\n')
  await page.getByLabel('Type of customer').waitFor()
  expect(await page.getByLabel('Name of a record').count()).toBe(0)
  await page.getByLabel('Type of customer').selectOption('Link to contacts')
  await page.getByLabel('Linked records and users').waitFor()
  // The keys of others name no record, so the key of the table is all there is.
  expect(await page.getByLabel('Name of a record').count()).toBe(0)
})

test('the types that a check has found stay while the form changes, and each of them can be taken', async () => {
  const rows = Array.from({ length: 1100 }, (_, index) => `${(index % 28) + 1}.01.2026,${(index % 28) + 1}.02.2026,x\n`).join('')
  const page = await openPlan('near_both', `day,until,rest\n${rows}unknown,open,x\n`)
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByRole('button', { name: 'Use “Date”: day', exact: true }).click()
  expect(await page.getByLabel('Type of until').inputValue()).toBe('text')
  // A type that is chosen is sent, even the one of the plan.
  await page.getByLabel('Type of until').selectOption('email')
  await page.getByLabel('Type of until').selectOption('date')
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByText('The file has 2 errors.').waitFor()
})

test('the records have the name that the form has shown, though a record turns another column into text', async () => {
  const lines = [...days(1100), 'unknown,x'].map((line, index) => `${line} ${index}\n`)
  const page = await openPlan('near_default', `day,rest\n${lines.join('')}`)
  const name = page.getByLabel('Name of a record')
  expect(await name.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]!.textContent)).toBe('rest')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'near_default', level: 1 }).waitFor()
  const answer = await call(`${service.url}/api/v1/tables/near_default`, { token: service.token })
  expect((await answer.json()).displayColumn).toBe('rest')
})

test('a key that the check has dropped can be changed, and a column be left out whatever its header', async () => {
  const page = await openPlan('near_key', `ID,__proto__\n${Array.from({ length: 1100 }, (_, index) => `${index},x\n`).join('')}5,x\n`)
  await page.getByRole('checkbox', { name: '__proto__' }).uncheck()
  expect(await page.getByLabel('Type of ID').count()).toBe(0)
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByLabel('Type of ID').selectOption('Text')
  await page.getByLabel('Name of ID').fill('number')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'near_key', level: 1 }).waitFor()
  expect(await typesOf('near_key')).toEqual(['bigint', 'text'])
})
