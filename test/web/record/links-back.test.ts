import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { becomes } from '../../support/grid-page'
import { makePayments } from '../../support/members'
import { startUi, takeSession } from '../../support/ui'

const service = await startUi()
afterAll(() => service.stop())

const api = (path: string, options: Parameters<typeof call>[1] = {}) =>
  call(`${service.url}/api/v1/tables${path}`, { token: service.token, ...options })
const create = async (path: string, body: object) => (await (await api(path, { body })).json()) as { id: string; columns: { id: string }[] }

const members = await create('', { name: 'members', columns: [{ name: 'name', type: 'text' }] })
const payments = await makePayments(create, members)
await create('/members/records', [{ name: 'Anna Bauer' }, { name: 'Boris Vogt' }])
await create('/payments/records', [
  { member: 1, 'paid on': '2025-10-03', amount: 20, purpose: 'Gift' },
  { member: null, 'paid on': '2025-11-04', amount: 1500.5, purpose: 'Fee' },
])

async function open(path: string, options: Parameters<typeof visit>[0] = {}): Promise<Page> {
  const { page } = await visit(options)
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${path}`)
  return page
}
const paymentsOf = async (key: number) => ((await (await api(`/members/records/${key}`)).json()) as { payments: number[] }).payments

describe('a record that others link to', () => {
  test.each([
    ['beside the list', `${members.id}#record=2`, 'desktop'],
    ['on its page', `${members.id}/records/2`, 'desktop'],
    ['on a phone', `${members.id}/records/2`, 'phone'],
  ] as const)('offers a new one that links to it, %s', async (_where, path, size) => {
    const before = (await paymentsOf(2)).length
    const page = await open(path, { size })
    await page.getByRole('heading', { name: 'Boris Vogt' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'New record in payments' }).click()
    await becomes(() => page.getByRole('combobox', { name: 'member', exact: true }).inputValue(), 'Boris Vogt')
    await expectNoSideways(page)
    await page.getByLabel('amount').fill('75')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    // Back where it was asked for, with the new one in the list.
    await page.getByRole('heading', { name: 'Boris Vogt' }).waitFor()
    await becomes(() => page.locator('[data-field="payments"] .linked li').count(), before + 1)
    expect((await paymentsOf(2)).length).toBe(before + 1)
  })

  test('offers none to those who may not create it', async () => {
    const page = await open(`${members.id}/records/1`)
    await page.getByRole('link', { name: 'New record in payments' }).waitFor()
    await page.route('**/api/v1/tables', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.json()) as { tables: { name: string; can: object }[] }
      for (const table of body.tables) if (table.name === 'payments') table.can = { ...table.can, create: false }
      await route.fulfill({ response: answer, json: body })
    })
    await page.reload()
    await page.getByRole('combobox', { name: 'payments', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'New record in payments' }).count()).toBe(0)
  })
})

describe('the list of records to link to', () => {
  test('shows the first values of each, those that link to none first, and from whom one is taken', async () => {
    const page = await open(`${members.id}/records/2`)
    const field = page.getByRole('combobox', { name: 'payments', exact: true })
    await field.click()
    await page.getByRole('option', { name: '2 4 Nov 2025 · €1,500.50 · Fee', exact: true }).waitFor()
    const taken = page.getByRole('option', { name: '1 3 Oct 2025 · €20.00 · Gift · now with Anna Bauer', exact: true })
    await taken.waitFor()
    const options = await page.getByRole('option').allTextContents()
    expect(options.findIndex((text) => text.startsWith('2 '))).toBeLessThan(options.findIndex((text) => text.startsWith('1 ')))
    await taken.click()
    await page.keyboard.press('Escape')
    await page.getByText('Takes 1 from Anna Bauer.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Takes 1 from Anna Bauer.').waitFor({ state: 'detached' })
  })

  test('stays on the screen', async () => {
    const page = await open(`${members.id}#record=2`)
    const field = page.getByRole('combobox', { name: 'payments', exact: true })
    await field.waitFor()
    const bottom = (await field.boundingBox())!
    await page.setViewportSize({ width: 1280, height: Math.ceil(bottom.y + bottom.height + 60) })
    await field.click()
    const last = page.getByRole('option').last()
    await last.waitFor()
    await becomes(async () => {
      const box = (await page.getByRole('listbox').boundingBox())!
      return box.y >= 0 && box.y + box.height <= page.viewportSize()!.height
    }, true)
  })
})

test('a record that only its key names is called by its first values', async () => {
  const page = await open(payments.id, { size: 'phone' })
  await page.getByRole('button', { name: 'Open 3 Oct 2025 · €20.00 · Gift' }).click()
  await page.getByRole('heading', { name: '3 Oct 2025 · €20.00 · Gift', level: 1 }).waitFor()
})

test('a new record gets the files that were chosen for it, also where the record that it links to is opened again', async () => {
  await create('/payments/columns', { name: 'receipt', type: 'attachment' })
  const page = await open(`${members.id}/records/1`)
  await page.getByRole('link', { name: 'New record in payments' }).click()
  await becomes(() => page.getByRole('combobox', { name: 'member', exact: true }).inputValue(), 'Anna Bauer')
  await page.getByLabel('amount').fill('31')
  const file = { name: 'paid.txt', mimeType: 'text/plain', buffer: Buffer.from('Paid.') }
  await page.locator('input[type=file]').setInputFiles([file])
  await page.getByText('paid.txt').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Anna Bauer' }).waitFor()
  const receipts = async () =>
    (await (await api('/payments/records?amount=eq.31')).json()) as { records: { receipt: { name: string }[] }[] }
  await becomes(async () => (await receipts()).records.map(({ receipt }) => receipt.map(({ name }) => name)), [['paid.txt']])
})

test('a link to a record with a namesake is changed by typing', async () => {
  await create('/members/records', { name: 'Anna Bauer' })
  const { id } = await create('/payments/records', { member: 1, amount: 12 })
  const page = await open(`${payments.id}/records/${id}`)
  const field = page.getByRole('combobox', { name: 'member', exact: true })
  await becomes(() => field.inputValue(), 'Anna Bauer')
  await field.click()
  await page.getByRole('option', { name: /^Anna Bauer \(/ }).waitFor()
  expect(await field.inputValue()).toBe('Anna Bauer')
  await field.fill('Boris')
  await page.getByRole('option', { name: 'Anna Bauer' }).nth(1).waitFor({ state: 'detached' })
  await page.getByRole('option', { name: 'Boris Vogt', disabled: false }).waitFor()
  expect(await field.inputValue()).toBe('Boris')
  await field.press('Enter')
  await becomes(() => field.inputValue(), 'Boris Vogt')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('All changes saved.').waitFor()
  expect(await (await api(`/payments/records/${id}`)).json()).toMatchObject({ member: 2 })
})
