import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { formulaFunctions } from '../../../src/tables/formulas/language/functions'
import { functionHelp as german } from '../../../src/web/browser/strings/de/formula-functions'
import { functionHelp as english } from '../../../src/web/browser/strings/en/formula-functions'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { chooseOption, chooseType } from '../../support/column-form'
import { call } from '../../support/executable'
import { startUi, takeSession } from '../../support/ui'

const service = await startUi()
afterAll(() => service.stop())

const api = async (path: string, body?: object) => {
  const answer = await call(`${service.url}/api/v1/tables${path}`, { token: service.token, ...(body ? { body } : {}) })
  return (await answer.json()) as { columns: { name: string; options: object }[] }
}
const columns = [
  { name: 'Name', type: 'text' },
  { name: 'City', type: 'text' },
  { name: 'Net price', type: 'decimal' },
]
await api('', { name: 'people', columns })
await api('/people/records', [{ Name: 'Ada', City: 'London', 'Net price': 10.5 }, { Name: 'Bob' }])
const optionsOf = async (name: string) => (await api('/people')).columns.find((column) => column.name === name)?.options

const dialog = (page: Page) => page.getByRole('dialog')
const field = (page: Page) => dialog(page).getByRole('textbox', { name: 'Formula' })
const act = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true })
const preview = (page: Page) => dialog(page).getByRole('table', { name: 'In the first records' })

async function open(options: Parameters<typeof visit>[0] = {}): Promise<Page> {
  const { page } = await visit(options)
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/people/columns`)
  await page.getByRole('button', { name: 'New column' }).click()
  await dialog(page).getByLabel('Name').fill('Label')
  await chooseType(page, 'Formula')
  return page
}

test('a formula shows its values while it is typed, is saved, and fills the cells', async () => {
  const page = await open()
  await field(page).fill('Name & " (" & City & ")"')
  await preview(page).getByText('Ada (London)').waitFor()
  await preview(page).getByText('Bob ()').waitFor()
  await expectAccessible(page)
  await act(page, 'Create').click()
  await dialog(page).waitFor({ state: 'detached' })
  expect(await optionsOf('Label')).toMatchObject({ formula: 'Name & " (" & City & ")"', valueType: 'text' })
  await page.getByText('Name & " (" & City & ")"').waitFor()
  await page.getByRole('link', { name: 'people', exact: true }).first().click()
  await page.getByText('Ada (London)').waitFor()
})

test('a formula is put together from columns and functions, says its problem at the place, and goes on in SQL and back', async () => {
  const page = await open({ size: 'phone' })
  await dialog(page).getByLabel('Name').fill('Gross')
  await dialog(page).getByText('Columns and functions').click()
  await dialog(page).getByLabel('Search columns and functions').fill('round')
  await dialog(page)
    .getByRole('button', { name: /^ROUND\(/ })
    .click()
  await dialog(page).getByLabel('Search columns and functions').fill('')
  await dialog(page).getByRole('button', { name: 'Net price', exact: true }).click()
  await page.keyboard.type(' * 1.19, 1')
  expect(await field(page).inputValue()).toBe('ROUND({Net price} * 1.19, 1)')
  await preview(page).getByText('12.5').waitFor()
  await expectNoSideways(page)
  await expectAccessible(page)

  await field(page).fill('{Net prize} * 2')
  await dialog(page).getByText('did you mean {Net price}?').waitFor()
  expect(await dialog(page).locator('mark').textContent()).toBe('{Net prize} * 2')
  expect(await preview(page).count()).toBe(0)
  await field(page).fill('{Net price} * 2')
  await preview(page).getByText('21').waitFor()

  await act(page, 'SQL').click()
  const sql = dialog(page).getByLabel('Expression')
  expect(await sql.inputValue()).toContain('"Net price"')
  await act(page, 'Formula').click()
  expect(await field(page).inputValue()).toBe('{Net price} * 2')
  await act(page, 'SQL').click()
  await sql.fill('"Net price" * 3')
  await preview(page).getByText('31.5').waitFor()
  // The preview displays the values as the column will.
  await dialog(page).getByText('More', { exact: true }).click()
  await dialog(page).getByLabel('Decimals shown').selectOption('3')
  await preview(page).getByText('31.500', { exact: true }).waitFor()
  await chooseOption(page, dialog(page).getByRole('combobox', { name: 'Currency' }), 'EUR – Euro (€)')
  await preview(page).getByText('€31.500', { exact: true }).waitFor()
  await act(page, 'Create').click()
  await dialog(page).waitFor({ state: 'detached' })
  const display = { decimals: 3, currency: 'EUR' }
  expect(await optionsOf('Gross')).toEqual({ expression: '"Net price" * 3', valueType: 'decimal', ...display })

  await page.getByRole('button', { name: 'Edit Gross' }).click()
  expect(await sql.inputValue()).toBe('"Net price" * 3')
  await act(page, 'Formula').click()
  await field(page).fill('{Net price} * 4')
  await preview(page).getByText('42').waitFor()
  await act(page, 'Save').click()
  await dialog(page).waitFor({ state: 'detached' })
  expect(await optionsOf('Gross')).toMatchObject({ formula: '{Net price} * 4' })
})

test('a formula uses a column that is computed itself, which SQL does not offer', async () => {
  await api('/people/columns', { name: 'Initial', type: 'formula', options: { formula: 'LEFT(Name, 1)' } })
  const page = await open()
  await dialog(page).getByLabel('Name').fill('Signed')
  await dialog(page).getByText('Columns and functions').click()
  await act(page, 'Initial').click()
  await page.keyboard.type(' & IF(TODAY() > DATE(2020, 1, 1), "!")')
  await preview(page).getByText('A!').waitFor()
  await act(page, 'Create').click()
  await dialog(page).waitFor({ state: 'detached' })
  expect(await optionsOf('Signed')).toMatchObject({ valueType: 'text', atRead: true })
  await page.getByRole('button', { name: 'Edit Signed' }).click()
  await preview(page).getByText('A!').waitFor()
  await act(page, 'SQL').click()
  await dialog(page).getByText('a formula itself').waitFor()
  await dialog(page).getByText('Columns', { exact: true }).click()
  await act(page, 'City').waitFor()
  expect(await act(page, 'Initial').count()).toBe(0)
})

test('a formula shows its numbers as amounts, rounded', async () => {
  const page = await open()
  await dialog(page).getByLabel('Name').fill('Third')
  await field(page).fill('{Net price} / 3')
  await dialog(page).getByText('More', { exact: true }).click()
  await dialog(page).getByLabel('Decimals shown').selectOption('2')
  await dialog(page).getByRole('combobox', { name: 'Currency' }).fill('EUR')
  await page.keyboard.press('Enter')
  await expectAccessible(page)
  await act(page, 'Create').click()
  await dialog(page).waitFor({ state: 'detached' })
  expect(await optionsOf('Third')).toMatchObject({ formula: '{Net price} / 3', decimals: 2, currency: 'EUR' })
  await page.getByText('Decimals shown: 2').waitFor()
  await page.getByRole('link', { name: 'people', exact: true }).first().click()
  await page.getByText('€3.50', { exact: true }).first().waitFor()
})

test('every function has its line of help, in both languages', () => {
  for (const help of [english, german]) expect(Object.keys(help)).toEqual(Object.keys(formulaFunctions))
})
