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

async function open(options: Parameters<typeof visit>[0] = {}, table = 'people'): Promise<Page> {
  const { page } = await visit(options)
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${table}/columns`)
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

test('columns and functions are completed while they are typed, and half a formula has no problem yet', async () => {
  const page = await open()
  await dialog(page).getByLabel('Name').fill('Completed')
  await field(page).focus()
  await page.keyboard.type('=UPP')
  const offers = page.getByRole('listbox', { name: 'Columns and functions' })
  await page.getByRole('option', { name: 'UPPER(' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await page.keyboard.type('c')
  await page.getByRole('option', { name: 'City' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type(') & "C" & ne')
  await page.getByRole('option', { name: 'Net price' }).click()
  expect(await field(page).inputValue()).toBe('=UPPER(City) & "C" & {Net price}')
  await preview(page).getByText('LONDONC10.5').waitFor()
  expect(await offers.count()).toBe(0)
  // Escape closes the list and not the dialog.
  await page.keyboard.type(' + {C')
  await page.getByRole('option', { name: 'City' }).waitFor()
  expect(await field(page).getAttribute('aria-invalid')).toBeNull()
  await page.keyboard.press('Escape')
  await offers.waitFor({ state: 'detached' })
  const top = await field(page).boundingBox()
  await dialog(page).getByLabel('Name').focus()
  await dialog(page).getByText('without the closing brace').waitFor()
  expect(await field(page).boundingBox()).toEqual(top)
})

test('a formula shows its numbers as amounts, rounded', async () => {
  const page = await open()
  await dialog(page).getByLabel('Name').fill('Third')
  await field(page).fill('{Net price} / 3')
  await dialog(page).getByText('More', { exact: true }).click()
  await dialog(page).getByLabel('Decimals shown').selectOption('2')
  const currency = dialog(page).getByRole('combobox', { name: 'Currency' })
  await currency.click()
  // As people type: a list that has just opened forgets the option that is marked in the same moment.
  await page.getByRole('option', { name: 'EUR – Euro' }).waitFor()
  await currency.fill('EUR')
  await page.keyboard.press('Enter')
  await expectAccessible(page)
  await act(page, 'Create').click()
  await dialog(page).waitFor({ state: 'detached' })
  expect(await optionsOf('Third')).toMatchObject({ formula: '{Net price} / 3', decimals: 2, currency: 'EUR' })
  await page.getByText('Decimals shown: 2').waitFor()
  await page.getByRole('link', { name: 'people', exact: true }).first().click()
  await page.getByText('€3.50', { exact: true }).first().waitFor()
})

test('a formula of amounts shows amounts, unless its author chooses otherwise', async () => {
  const amount = (name: string) => ({ name, type: 'currency', options: { currency: 'EUR' } })
  await api('', { name: 'members', columns: [{ name: 'Name', type: 'text' }, amount('Fee'), amount('Paid')] })
  await api('/members/records', [{ Name: 'Ada', Fee: 120.5, Paid: 75 }])
  const page = await open({}, 'members')
  const optionsOf = async (name: string) => (await api('/members')).columns.find((column) => column.name === name)?.options
  await dialog(page).getByLabel('Name').fill('Open')
  await field(page).fill('=Fee-Paid')
  await preview(page).getByText('€45.50', { exact: true }).waitFor()
  await dialog(page).getByText('More', { exact: true }).click()
  const currency = dialog(page).getByRole('combobox', { name: 'Currency' })
  expect(await currency.inputValue()).toBe('EUR – Euro (€)')
  // What is proposed follows the formula.
  await field(page).fill('Fee / Paid')
  await preview(page).getByText('1.60', { exact: false }).waitFor()
  expect(await currency.inputValue()).toBe('')
  // Created before the preview has come.
  await field(page).fill('Fee / 3')
  await act(page, 'Create').click()
  await dialog(page).waitFor({ state: 'detached' })
  expect(await optionsOf('Open')).toMatchObject({ formula: 'Fee / 3', currency: 'EUR', decimals: 2 })

  await page.getByRole('button', { name: 'New column' }).click()
  await dialog(page).getByLabel('Name').fill('Points')
  await chooseType(page, 'Formula')
  await field(page).fill('Fee - Paid')
  await preview(page).getByText('€45.50', { exact: true }).waitFor()
  await dialog(page).getByText('More', { exact: true }).click()
  // The chosen one again takes the choice back.
  await chooseOption(page, currency, 'EUR – Euro (€)')
  await preview(page).getByText('45.5', { exact: true }).waitFor()
  await act(page, 'Create').click()
  await dialog(page).waitFor({ state: 'detached' })
  expect(await optionsOf('Points')).not.toHaveProperty('currency')
  // An existing column keeps its display.
  await page.getByRole('button', { name: 'Edit Points' }).click()
  await preview(page).getByText('45.5', { exact: true }).waitFor()
  await field(page).fill('Fee + Paid')
  await preview(page).getByText('195.5', { exact: true }).waitFor()
  await act(page, 'Save').click()
  await dialog(page).waitFor({ state: 'detached' })
  expect(await optionsOf('Points')).not.toHaveProperty('currency')
})

test('every function has its line of help, in both languages', () => {
  for (const help of [english, german]) expect(Object.keys(help)).toEqual(Object.keys(formulaFunctions))
})
