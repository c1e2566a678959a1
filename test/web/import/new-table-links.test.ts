import { afterAll, expect, test } from 'bun:test'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { startUi, takeSession } from '../../support/ui'

/** A column of the file that becomes a link of the new table. */
const service = await startUi()
afterAll(() => service.stop())
const api = (path: string, body?: unknown) => call(`${service.url}/api/v1${path}`, { token: service.token, body })
const records = async (table: string) => (await (await api(`/tables/${table}/records?order=id`)).json()).records

test.each(['desktop', 'phone'] as const)('missing names are counted, tried and created (%s)', async (size) => {
  const target = `customers_${size}`
  await api('/tables', { name: target, columns: [{ name: 'name', type: 'text' }] })
  await api(`/tables/${target}/records`, { name: 'Ada' })
  const { page } = await visit({ size })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/import`)
  const buffer = Buffer.from('what,customer\nchair,Ada\ntable,Grace\nlamp,Grace\n')
  await page.locator('input[type=file]').setInputFiles({ name: `orders_${size}.csv`, mimeType: 'text/csv', buffer })
  await page.getByLabel('Type of customer').selectOption(`Link to ${target}`)
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByRole('button', { name: 'Create 1 linked record' }).click()
  await page.getByText(`1 record would be added to ${target}.`).waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
  expect([(await records(target)).length, (await api(`/tables/orders_${size}`)).status]).toEqual([1, 404])
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: `orders_${size}`, level: 1 }).waitFor()
  await page.getByText(`3 records created. 1 record added to ${target}.`).waitFor()
  expect(await records(target)).toMatchObject([{ name: 'Ada' }, { name: 'Grace' }])
  const orders = (await (await api(`/tables/orders_${size}/records?select=customer(name)&order=id`)).json()).records
  expect(orders.map(({ customer }: { customer: { name: string } }) => customer.name)).toEqual(['Ada', 'Grace', 'Grace'])
})

test('another choice takes the result of the trial back', async () => {
  await api('/tables', { name: 'makers', columns: [{ name: 'name', type: 'text' }] })
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/import`)
  const buffer = Buffer.from('what,maker\nsaw,Birch\n')
  await page.locator('input[type=file]').setInputFiles({ name: 'tools.csv', mimeType: 'text/csv', buffer })
  // Proposed because of the names alike, and not taken by itself.
  expect(await page.getByLabel('Type of maker').inputValue()).toBe('text')
  await page.getByText('Names of records in makers?').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Link to makers' }).click()
  await page.getByText('Names of records in makers?').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Check without importing' }).click()
  await page.getByRole('button', { name: 'Create 1 linked record' }).click()
  await page.getByText('1 record would be added to makers.').waitFor()
  await page.getByLabel('Type of maker').selectOption('Text')
  await page.getByText('would be added').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 record created.').waitFor()
  expect(await records('makers')).toEqual([])
  expect(await records('tools')).toMatchObject([{ what: 'saw', maker: 'Birch' }])
})
