import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { chooseOption, chooseType } from '../../support/column-form'
import { call } from '../../support/executable'
import { startUi, takeSession } from '../../support/ui'

const service = await startUi()
afterAll(() => service.stop())

const api = async (path: string, body?: object) => {
  const answer = await call(`${service.url}/api/v1/tables${path}`, { token: service.token, ...(body ? { body } : {}) })
  return (await answer.json()) as { records: Record<string, unknown>[] }
}
await api('', { name: 'makers', columns: [{ name: 'name', type: 'text' }] })
await api('/makers/records', [{ name: 'Alder' }, { name: 'Birch, Cedar' }, { name: 'Twin' }, { name: 'Twin' }])
await api('', { name: 'works', columns: [{ name: 'maker', type: 'text' }] })
await api('/works/records', [{ maker: 'Alder' }, { maker: 'Birch, Cedar' }, { maker: 'Nobody' }, { maker: 'Twin' }, { maker: null }])
const makers = async () => (await api('/works/records?order=id')).records.map(({ maker }) => maker)

const dialog = (page: Page) => page.getByRole('dialog')
const says = (page: Page, text: string) => dialog(page).getByText(text).waitFor()
const act = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true })

async function retype(page: Page, type: string) {
  await page.getByRole('button', { name: 'Edit maker' }).click()
  await chooseType(page, type)
}
async function finish(page: Page, action: string) {
  await act(page, action).click()
  await dialog(page).waitFor({ state: 'detached' })
}

test('a column of names becomes links: the report names those that are missing, which are created or left out', async () => {
  const { page } = await visit({ size: 'phone' })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/works/columns`)
  await retype(page, 'Link to a record')
  await chooseOption(page, dialog(page).getByRole('combobox', { name: 'Table' }), 'makers')
  await act(page, 'Save').click()
  await says(page, '2 names were found.')
  await says(page, '1 name was not found: Nobody')
  await says(page, '1 name belongs to several records: Twin')
  await act(page, 'Change column and clear 1 value').waitFor()
  const create = dialog(page).getByLabel('Create 1 record in makers')
  expect(await create.isChecked()).toBe(true)
  await expectNoSideways(page)
  await expectAccessible(page)
  await create.focus()
  await page.keyboard.press('Space')
  await act(page, 'Change column and clear 2 values').waitFor()
  await dialog(page).getByRole('cell', { name: 'is neither the name nor the key of a record there' }).waitFor()
  expect(await makers()).toEqual(['Alder', 'Birch, Cedar', 'Nobody', 'Twin', null])
  await create.press('Space')
  await act(page, 'Change column and clear 1 value').press('Enter')
  await dialog(page).waitFor({ state: 'detached' })
  expect(await makers()).toEqual([1, 2, 5, null, null])

  // A list goes to the same table, and back to the names.
  await retype(page, 'Links to several records')
  await act(page, 'Save').click()
  await says(page, '5 records can be converted.')
  await finish(page, 'Change column')
  expect(await makers()).toEqual([[1], [2], [5], [], []])
  await retype(page, 'Text')
  await act(page, 'Save').click()
  await finish(page, 'Change column')
  expect(await makers()).toEqual(['Alder', 'Birch, Cedar', 'Nobody', null, null])
  await page.getByRole('link', { name: 'works', exact: true }).first().click()
  await page.getByText('Birch, Cedar').waitFor()
})

test('why no records can be created stands in the report', async () => {
  await call(`${service.url}/api/v1/tables/makers/columns`, { token: service.token, body: { name: 'city', type: 'text' } })
  await call(`${service.url}/api/v1/tables/makers/records?id=gt.0`, { token: service.token, method: 'PATCH', body: { city: 'Bonn' } })
  await call(`${service.url}/api/v1/tables/makers/columns/city`, { token: service.token, method: 'PATCH', body: { required: true } })
  await api('/works/records', [{ maker: 'Somebody' }])
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/works/columns`)
  await retype(page, 'Links to several records')
  await chooseOption(page, dialog(page).getByRole('combobox', { name: 'Table' }), 'makers')
  await act(page, 'Save').click()
  await says(page, 'No records can be created in "makers": they need a value in "city".')
  expect(await dialog(page).getByRole('checkbox').count()).toBe(0)
  await act(page, 'Change column and clear 1 value').waitFor()
  await expectAccessible(page)
  await act(page, 'Back').click()
  await dialog(page).getByRole('combobox', { name: 'Type' }).waitFor()
})
