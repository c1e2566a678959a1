import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../support/browser'
import { chooseOption, chooseType } from '../support/column-form'
import { call } from '../support/executable'
import { becomes } from '../support/grid-page'
import { startUi, takeSession } from '../support/ui'

const service = await startUi()
afterAll(() => service.stop())

const send = async (path: string, body: unknown) => {
  const response = await call(`${service.url}/api/v1/tables${path}`, { token: service.token, body })
  expect({ path, status: response.status }).toEqual({ path, status: 201 })
}
await send('', { name: 'clients', columns: [{ name: 'name', type: 'text' }] })
await send('', {
  name: 'jobs',
  columns: [
    { name: 'title', type: 'text' },
    { name: 'price', type: 'decimal', options: { precision: 8, scale: 2 } },
    { name: 'done', type: 'boolean' },
    { name: 'state', type: 'select', options: { choices: ['planned', 'built'] } },
  ],
})
await send('/clients/records', [{ name: 'Alder' }, { name: 'Birch' }])
await send('/jobs/records', [
  { title: 'Roof', price: 1200.5, done: true, state: 'built' },
  { title: 'Door', price: 99.5, done: false, state: 'planned' },
])

const dialog = (page: Page) => page.getByRole('dialog')
const field = (page: Page, label: string) => dialog(page).getByRole('combobox', { name: label, exact: true })
async function choose(page: Page, label: string, option: string) {
  await field(page, label).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
async function create(page: Page) {
  await dialog(page).getByRole('button', { name: 'Create', exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
}
async function openColumns(page: Page, table: string) {
  await page.goto(`${service.url}/tables/${table}/columns`)
  await page.getByRole('button', { name: 'New column' }).waitFor()
}
async function add(page: Page, name: string, type: string) {
  await page.getByRole('button', { name: 'New column' }).click()
  await dialog(page).getByLabel('Name', { exact: true }).fill(name)
  await chooseType(page, type)
}
const records = async (table: string) =>
  ((await (await call(`${service.url}/api/v1/tables/${table}/records?order=id`, { token: service.token })).json()) as { records: object[] })
    .records

describe('columns of linked records', () => {
  test('are made from a link to its other side, a lookup, a rollup with a condition and a count', async () => {
    const { page } = await visit()
    await takeSession(page, service.url)
    await openColumns(page, 'jobs')
    await add(page, 'client', 'Link to a record')
    await chooseOption(page, dialog(page).getByRole('combobox', { name: 'Table' }), 'clients')
    expect(await dialog(page).getByLabel('Also add a column to clients that shows these records').isChecked()).toBe(true)
    await create(page)

    await openColumns(page, 'clients')
    await add(page, 'income', 'Rollup')
    // The only link is chosen.
    await becomes(() => field(page, 'Link').inputValue(), 'jobs')
    await choose(page, 'Summary', 'Sum')
    // The only numbers, besides the keys.
    await becomes(() => field(page, 'Column of jobs').inputValue(), 'price')
    await dialog(page).getByRole('button', { name: 'Add condition' }).click()
    await choose(page, 'Column', 'done')
    expect(await field(page, 'Condition').inputValue()).toBe('is yes')
    await expectAccessible(page)
    await create(page)
    await add(page, 'jobs built', 'Count of links')
    await choose(page, 'Link', 'jobs')
    await dialog(page).getByRole('button', { name: 'Add condition' }).click()
    await choose(page, 'Column', 'state')
    await choose(page, 'Condition', 'is none of')
    // Without a value, the form is not sent.
    const value = field(page, 'Value')
    await becomes(() => value.evaluate((input) => (input as HTMLInputElement).validity.valueMissing), true)
    await choose(page, 'Value', 'planned')
    await becomes(() => value.evaluate((input) => (input as HTMLInputElement).validity.valueMissing), false)
    await page.keyboard.press('Escape')
    await create(page)
    await openColumns(page, 'jobs')
    await add(page, 'client name', 'Lookup')
    await choose(page, 'Link', 'client')
    await choose(page, 'Column of clients', 'name')
    await create(page)

    await page.goto(`${service.url}/tables/clients/records/1`)
    await page.getByRole('heading', { name: 'Alder' }).waitFor()
    const jobs = page.getByRole('combobox', { name: 'jobs', exact: true })
    await jobs.fill('Roof')
    await page.getByRole('option', { name: 'Roof' }).click()
    await jobs.fill('Door')
    await page.getByRole('option', { name: 'Door' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .locator('.value-text')
      .getByText(/1,?200\.50/)
      .waitFor()
    expect(await records('clients')).toMatchObject([
      { name: 'Alder', jobs: [1, 2], income: 1200.5, 'jobs built': 1 },
      { name: 'Birch', jobs: [], income: 0, 'jobs built': 0 },
    ])
    expect(await records('jobs')).toMatchObject([
      { client: 1, 'client name': 'Alder' },
      { client: 1, 'client name': 'Alder' },
    ])

    await page.goto(`${service.url}/tables/clients`)
    await page.getByRole('gridcell', { name: /Roof/ }).waitFor()
    await page.getByRole('gridcell', { name: /1,?200\.50/ }).waitFor()
    await expectNoSideways(page)
  }, 240_000)

  test('come from the links of another table at once, with the column that shows them', async () => {
    await send('', { name: 'suppliers', columns: [{ name: 'name', type: 'text' }] })
    const { id } = await (await call(`${service.url}/api/v1/tables/suppliers`, { token: service.token })).json()
    await send('', {
      name: 'bills',
      columns: [
        { name: 'amount', type: 'currency', options: { currency: 'EUR' } },
        { name: 'supplier', type: 'link', options: { table: id } },
      ],
    })
    await send('/suppliers/records', [{ name: 'Oak' }])
    await send('/bills/records', [
      { amount: 10.5, supplier: 1 },
      { amount: 2, supplier: 1 },
    ])
    const { page } = await visit()
    await takeSession(page, service.url)
    await openColumns(page, 'suppliers')
    await add(page, 'spent', 'Text')
    const type = dialog(page).getByRole('combobox', { name: 'Type' })
    await type.click()
    await type.fill('sum')
    await page.getByRole('option', { name: /^Rollup/ }).click()
    await choose(page, 'Link', 'bills: supplier')
    await dialog(page).getByText('Also adds the column “bills”').waitFor()
    expect(await field(page, 'Summary').inputValue()).toBe('Sum')
    await becomes(() => field(page, 'Column of bills').inputValue(), 'amount')
    await expectAccessible(page)
    await create(page)
    await becomes(() => records('suppliers'), [{ id: 1, name: 'Oak', bills: [1, 2], spent: 12.5 }])
  })

  test('are edited in the form of their column, and say on a phone what they are made of', async () => {
    const { page } = await visit({ size: 'phone' })
    await takeSession(page, service.url)
    await openColumns(page, 'clients')
    await page
      .getByRole('button', { name: /^Edit income|Edit.*income/ })
      .first()
      .click()
    expect(await field(page, 'Column').inputValue()).toBe('done')
    await choose(page, 'Condition', 'is no')
    await expectNoSideways(page)
    await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect((await records('clients'))[0]).toMatchObject({ income: 99.5 })
  }, 240_000)
})
