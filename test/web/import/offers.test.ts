import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { startUi, takeSession } from '../../support/ui'

/** What the import page offers beside the import itself. */
const service = await startUi()
afterAll(() => service.stop())
const api = (path: string, body?: unknown) => call(`${service.url}/api/v1${path}`, { token: service.token, body })
const records = async (table: string) => (await (await api(`/tables/${table}/records?order=id`)).json()).records

async function at(path: string): Promise<Page> {
  const { page } = await visit({ size: 'phone' })
  await takeSession(page, service.url)
  await page.goto(service.url + path)
  return page
}

const choose = (page: Page, text: string) =>
  page.locator('input[type=file]').setInputFiles({ name: 'file.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

test('the linked records that are missing are created, when the user says so', async () => {
  const makers = await (await api('/tables', { name: 'makers', columns: [{ name: 'name', type: 'text' }] })).json()
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'maker', type: 'link', options: { table: makers.id } },
  ]
  const { id } = await (await api('/tables', { name: 'tools', columns })).json()
  const page = await at(`/tables/${id}/import`)
  await choose(page, 'name,maker\nsaw,Ash & Sons\naxe,Birch\nhoe,Birch\n')
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByRole('button', { name: 'Create 2 linked records' }).click()
  await page.getByText('2 records would be added to makers.').waitFor()
  expect(await records('makers')).toEqual([])
  await expectAccessible(page)
  await expectNoSideways(page)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('2 records added to makers.').waitFor()
  expect((await records('makers')).map(({ name }: { name: string }) => name)).toEqual(['Ash & Sons', 'Birch'])
  expect(await records('tools')).toMatchObject([{ name: 'saw' }, { name: 'axe' }, { name: 'hoe' }])
})

test('an import is undone, except for what others have changed since', async () => {
  const columns = [
    { name: 'name', type: 'text', unique: true },
    { name: 'pages', type: 'integer' },
  ]
  const { id } = await (await api('/tables', { name: 'novels', columns })).json()
  await api('/tables/novels/records', { name: 'Emma', pages: 1 })
  const page = await at(`/tables/${id}/import`)
  await choose(page, 'name,pages\nEmma,474\nPersuasion,249\nSanditon,100\n')
  await page.getByLabel('Import mode').selectOption('name')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('2 records added, 1 record updated.').waitFor()
  await call(`${service.url}/api/v1/tables/novels/records?name=eq.Sanditon`, {
    token: service.token,
    method: 'PATCH',
    body: { pages: 101 },
  })
  await page.getByRole('button', { name: 'Undo import' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 of the records was changed since:').waitFor()
  await dialog.getByText('1 record is deleted.').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Leave these as they are' }).click()
  await page.getByText('1 record is left as it is.').waitFor()
  expect(await records('novels')).toMatchObject([
    { name: 'Emma', pages: 1 },
    { name: 'Sanditon', pages: 101 },
  ])
})

test('choices that a column does not have are added by an administrator', async () => {
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'level', type: 'select', options: { choices: [{ value: 'low', color: 'red' }] } },
  ]
  const { id } = await (await api('/tables', { name: 'risks', columns })).json()
  const page = await at(`/tables/${id}/import`)
  await choose(page, 'name,level\na,low\nb,mid\nc,high\nd,mid\n')
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByText('Choices that level does not have: high, mid').waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
  await page.getByRole('button', { name: 'Add 2 choices to the table' }).click()
  await page.getByText('4 records would be added').waitFor()
  const table = await (await api('/tables/risks')).json()
  expect(table.columns.at(-1).options.choices).toEqual([{ value: 'low', color: 'red' }, 'high', 'mid'])
})

test('columns with commas in their names are filled by position, and records are found by them', async () => {
  const columns = [
    { name: 'Nr, old', type: 'text', unique: true },
    { name: 'Price, net', type: 'integer' },
  ]
  const { id } = await (await api('/tables', { name: 'prices', columns })).json()
  const page = await at(`/tables/${id}/import`)
  await choose(page, '"Nr, old",x,"Price, net"\na,,1\n')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 record added').waitFor()
  await page.reload()
  await choose(page, 'a,5,\nb,6,x\n')
  await page.getByLabel('First line contains column names').uncheck()
  await page.getByLabel('Table column for Column 1').selectOption('Nr, old')
  await page.getByLabel('Table column for Column 2').selectOption('Price, net')
  await page.getByLabel('Table column for Column 3').selectOption('')
  await page.getByLabel('Import mode').selectOption('Nr, old')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 record added, 1 record updated.').waitFor()
  expect(await records('prices')).toMatchObject([
    { 'Nr, old': 'a', 'Price, net': 5 },
    { 'Nr, old': 'b', 'Price, net': 6 },
  ])
})

test('of two columns with the same header one is imported', async () => {
  const columns = ['name', 'Phone'].map((name) => ({ name, type: 'text' }))
  const { id } = await (await api('/tables', { name: 'callers', columns })).json()
  const page = await at(`/tables/${id}/import`)
  await choose(page, 'name,Phone,Phone,\nAda,1,2,x\n')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 record added').waitFor()
  expect(await records('callers')).toMatchObject([{ name: 'Ada', Phone: '1' }])
  await page.reload()
  await choose(page, ';;\nname;Phone;Phone\nBob;3;4\n')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 record added').waitFor()
  expect(await records('callers')).toMatchObject([{ name: 'Ada' }, { name: 'Bob', Phone: '3' }])
})

test('several columns without a name are imported', async () => {
  const columns = ['name', 'phone', 'mail'].map((name) => ({ name, type: 'text' }))
  const { id } = await (await api('/tables', { name: 'reachable', columns })).json()
  const page = await at(`/tables/${id}/import`)
  await choose(page, 'name,,\nAda,1,a@x\n')
  await page.getByLabel('Table column for Column 2').selectOption('phone')
  await page.getByLabel('Table column for Column 3').selectOption('mail')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 record added').waitFor()
  expect(await records('reachable')).toMatchObject([{ name: 'Ada', phone: '1', mail: 'a@x' }])
})

test('records are found by a number that only the database gives', async () => {
  const columns = [
    { name: 'number', type: 'autoNumber', unique: true },
    { name: 'note', type: 'text' },
  ]
  const { id } = await (await api('/tables', { name: 'tickets', columns })).json()
  await api('/tables/tickets/records', { note: 'old' })
  const page = await at(`/tables/${id}/import`)
  await choose(page, 'number,note\n1,new\n5,five\n')
  const field = page.getByLabel('Table column for number')
  expect(await field.inputValue()).toBe('')
  await page.getByLabel('Import mode').selectOption('number')
  expect(await field.inputValue()).toBe('number')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 record added, 1 record updated.').waitFor()
  expect(await records('tickets')).toMatchObject([
    { number: 1, note: 'new' },
    { number: 5, note: 'five' },
  ])
})

test('apostrophes of an export are removed from a name, and beyond the beginning of a long file if the user says so', async () => {
  const columns = ['@handle', 'note'].map((name) => ({ name, type: 'text' }))
  const { id } = await (await api('/tables', { name: 'handles', columns })).json()
  const page = await at(`/tables/${id}/import`)
  await choose(page, "'@handle,note\nada,'-a\n")
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 record added').waitFor()
  expect(await records('handles')).toMatchObject([{ '@handle': 'ada', note: '-a' }])
  await page.reload()
  await choose(page, `note\n${'plain\n'.repeat(1500)}'- call back\n`)
  const box = page.getByLabel('Remove the apostrophes')
  expect(await box.isChecked()).toBe(false)
  await box.check()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1,501 records added').waitFor()
  const { records: found } = await (await api('/tables/handles/records?order=id.desc&limit=1')).json()
  expect(found).toMatchObject([{ note: '- call back' }])
})
