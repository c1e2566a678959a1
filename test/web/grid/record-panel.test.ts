import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const panel = (page: Page) => page.getByRole('complementary', { name: 'Open record' })
const title = (page: Page, name: string) => panel(page).getByRole('heading', { name, exact: true })
const stored = (key: number) => service.recordOf('contacts', key)

describe('a record beside the grid', () => {
  test('is opened by Space, changed, followed by the next one, and closed; grid and form show the same', async () => {
    const page = await openTable(service, 'contacts')
    const names = (await Promise.all([0, 1, 2].map((row) => cell(page, row, 1).textContent()))) as string[]
    await cell(page, 1, 1).click()
    await page.keyboard.press('Space')
    await title(page, names[1]!).waitFor()
    await becomes(() => page.evaluate(() => document.activeElement?.tagName), 'H2')
    expect(new URL(page.url()).hash).toBe('#record=2')
    await expectAccessible(page)
    await expectNoSideways(page)

    await panel(page).getByLabel('email').fill('keeper@keys.example')
    await page.keyboard.press('Control+s')
    await page.getByRole('gridcell', { name: 'keeper@keys.example' }).waitFor()
    expect((await stored(2)).email).toBe('keeper@keys.example')
    // What the form has saved is undone as a cell is.
    await cell(page, 1, 1).click()
    await page.keyboard.press('Control+z')
    await becomes(async () => (await stored(2)).email !== 'keeper@keys.example', true)
    await becomes(() => panel(page).getByLabel('email').inputValue(), (await stored(2)).email)
    await page.keyboard.press('Control+y')
    await becomes(async () => (await stored(2)).email, 'keeper@keys.example')
    await becomes(() => panel(page).getByLabel('email').inputValue(), 'keeper@keys.example')
    // The other way round: a cell that is changed is changed in the form.
    await page.getByRole('gridcell', { name: 'keeper@keys.example' }).dblclick()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('garden@er.example')
    await page.keyboard.press('Enter')
    await becomes(() => panel(page).getByLabel('email').inputValue(), 'garden@er.example')

    await panel(page).getByRole('button', { name: 'Next record' }).click()
    await title(page, names[2]!).waitFor()
    await panel(page).getByRole('button', { name: 'Previous record' }).click()
    await panel(page).getByRole('button', { name: 'Previous record' }).click()
    await title(page, names[0]!).waitFor()
    expect(await panel(page).getByRole('button', { name: 'Previous record' }).getAttribute('aria-disabled')).toBe('true')
    await panel(page).getByRole('heading').first().click()
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'detached' })
    await becomes(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset.row), '0')
    expect(new URL(page.url()).hash).toBe('')
  })

  test('has the menu of its page: it is shared, and deleted from the list, which is undone', async () => {
    const page = await openTable(service, 'contacts', { size: 'phone' })
    await page.goto(`${page.url().split('#')[0]}#record=12`)
    await panel(page).getByLabel('role').waitFor()
    const before = await stored(12)
    const menu = panel(page).getByRole('button', { name: 'Record menu' })
    await menu.click()
    await expectNoSideways(page)
    await page.getByRole('menuitem', { name: 'Share' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    const url = await page.getByRole('dialog', { name: 'Link created' }).getByLabel('Link', { exact: true }).inputValue()
    expect((await fetch(url)).status).toBe(200)
    await page.getByRole('dialog').getByRole('button', { name: 'I have copied it' }).click()
    await menu.click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await panel(page).waitFor({ state: 'detached' })
    expect((await fetch(url)).status).toBe(404)
    expect(new URL(page.url()).hash).toBe('')
    await page.getByText('1 record deleted.').waitFor()
    await page.getByRole('link', { name: 'Trash' }).waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('1 record restored.').waitFor()
    expect(await stored(12)).toEqual(before)
  })

  test('asks before it loses what was typed, also on the way back', async () => {
    const page = await openTable(service, 'contacts')
    await cell(page, 3, 1).hover()
    await page.getByRole('button', { name: 'Open record 4', exact: true }).click()
    await panel(page).getByLabel('role').fill('Never saved')
    await panel(page).getByRole('button', { name: 'Next record' }).click()
    const question = page.getByRole('dialog')
    await question.waitFor()
    await expectAccessible(page)
    await question.getByRole('button', { name: 'Stay' }).click()
    await question.waitFor({ state: 'detached' })
    expect(new URL(page.url()).hash).toBe('#record=4')
    expect(await panel(page).getByLabel('role').inputValue()).toBe('Never saved')
    await page.goBack()
    await question.waitFor()
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await panel(page).waitFor({ state: 'detached' })
    expect((await stored(4)).role).not.toBe('Never saved')
  })

  test('has its fields in the order of the columns, and the grid has the files that are added to it', async () => {
    const page = await openTable(service, 'projects')
    const names = () => page.locator('.grid-head .grid-name').allTextContents()
    const moved = (await names()).indexOf('status')
    expect(moved).toBeGreaterThan(1)
    await page.getByRole('button', { name: 'Menu for column status' }).click()
    await page.getByRole('menuitem', { name: 'Move left' }).click()
    await becomes(async () => (await names()).indexOf('status'), moved - 1)
    // The grid renders only the columns that fit.
    const { columns } = await (await call(`${service.url}/api/v1/tables/projects`, { token: service.token })).json()
    const order = (columns as { name: string }[]).map(({ name }) => name)
    order.splice(moved - 1, 0, ...order.splice(moved, 1))
    await cell(page, 0, 1).click()
    await page.keyboard.press('Space')
    await panel(page).getByLabel('title').waitFor()
    const fields = await panel(page)
      .locator('[data-field]')
      .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset.field))
    expect(fields).toEqual(order.filter((name) => fields.includes(name)))

    await panel(page)
      .locator('input[type=file]')
      .setInputFiles({ name: 'depth.txt', mimeType: 'text/plain', buffer: Buffer.from('All in metres.') })
    await panel(page).getByText('depth.txt').first().waitFor()
    await panel(page).getByRole('button', { name: 'Close', exact: true }).click()
    await cell(page, 0, 1).click()
    await page.keyboard.press('End')
    await page.locator('[data-row="0"]').getByText('depth.txt').waitFor()
  })

  test('goes on uploading the files of a record that was closed, and shows those that failed when it is opened again', async () => {
    const page = await openTable(service, 'projects')
    const released = Promise.withResolvers<void>()
    await page.route('**/attachments/**', async (route) => {
      if (route.request().url().includes('second.txt')) return route.fulfill({ status: 413, body: '' })
      await released.promise
      await route.continue()
    })
    await cell(page, 1, 1).click()
    await page.keyboard.press('Space')
    await panel(page).getByLabel('title').waitFor()
    const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })
    await panel(page).locator('input[type=file]').setInputFiles(['first.txt', 'second.txt', 'third.txt'].map(file))
    await panel(page).getByRole('button', { name: 'Close', exact: true }).click()
    await panel(page).waitFor({ state: 'detached' })
    released.resolve()
    await cell(page, 1, 1).click()
    await page.keyboard.press('End')
    for (const name of ['first.txt', 'third.txt']) await page.locator('[data-row="1"]').getByText(name).waitFor()
    await page.keyboard.press('Space')
    await panel(page).getByRole('alert').waitFor()
    await page.unroute('**/attachments/**')
    await panel(page).getByRole('button', { name: 'Retry' }).click()
    await page.locator('[data-row="1"]').getByText('second.txt').waitFor()
  })

  test('saves what was typed when asked to, and goes on', async () => {
    const page = await openTable(service, 'contacts')
    await cell(page, 5, 1).click()
    await page.keyboard.press('Space')
    await panel(page).getByLabel('role').fill('Saved on the way')
    await panel(page).getByRole('button', { name: 'Next record' }).click()
    const question = page.getByRole('dialog')
    await question.getByRole('button', { name: 'Save' }).click()
    await title(page, (await stored(7)).name as string).waitFor()
    expect((await stored(6)).role).toBe('Saved on the way')
    // What cannot be saved keeps the record open.
    await panel(page).getByLabel('name').fill('')
    await panel(page).getByRole('button', { name: 'Previous record' }).click()
    await question.getByRole('button', { name: 'Save' }).click()
    await question.waitFor({ state: 'detached' })
    await panel(page).getByRole('alert').first().waitFor()
    expect(new URL(page.url()).hash).toBe('#record=7')
    await panel(page).getByRole('button', { name: 'Discard' }).click()
  })

  test('is there by its address, in the dark, with the list as it was; and on a phone as a page', async () => {
    const table = service.tableId('contacts')
    const page = await openTable(service, 'contacts', { scheme: 'dark', search: '?order=name.desc#record=5' })
    const { name } = await stored(5)
    await title(page, name as string).waitFor()
    // Its row is the active one.
    const shownIn = await page
      .getByRole('gridcell', { name: name as string })
      .first()
      .getAttribute('data-row')
    await becomes(() => page.evaluate(() => document.querySelector<HTMLElement>('[role="grid"] [tabindex="0"]')?.dataset.row), shownIn!)
    await expectAccessible(page)
    // A new order keeps it open.
    await page.getByRole('columnheader', { name: 'name' }).hover()
    await page.getByRole('button', { name: 'Menu for column name' }).click()
    await page.getByRole('menuitem', { name: 'Sort ascending', exact: true }).click()
    await page.waitForURL(/order=name#record=5/)
    await panel(page).getByRole('link', { name: 'Open as a page' }).click()
    await page.waitForURL(`**/tables/${table}/records/5?order=name`)
    await page.getByRole('heading', { name: name as string, level: 1 }).waitFor()

    const phone = await openTable(service, 'contacts', { size: 'phone', search: '?order=id' })
    await cell(phone, 0, 1).hover()
    await phone.getByRole('button', { name: 'Open record 1', exact: true }).click()
    await phone.waitForURL(`**/tables/${table}/records/1?order=id`)
  })

  test('tells of a record that is gone', async () => {
    const made = await call(`${service.url}/api/v1/tables/contacts/records`, { token: service.token, body: { name: 'Soon gone' } })
    const { id } = (await made.json()) as { id: number }
    const page = await openTable(service, 'contacts', { search: `?order=id#record=${id}` })
    await title(page, 'Soon gone').waitFor()
    await call(`${service.url}/api/v1/tables/contacts/records/${id}`, { token: service.token, method: 'DELETE' })
    await page.reload()
    await panel(page).getByText('No record with this key').waitFor()
    await panel(page).getByRole('button', { name: 'Close' }).click()
    await panel(page).waitFor({ state: 'detached' })
  })
})

test('a list keeps its place when a record opens, and another table begins at its top', async () => {
  for (const name of ['long', 'other']) {
    const body = { name, columns: [{ name: 'title', type: 'text' }] }
    await call(`${service.url}/api/v1/tables`, { token: service.token, body })
    const rows = Array.from({ length: 300 }, (_, at) => ({ title: `${name} ${at}` }))
    await call(`${service.url}/api/v1/tables/${name}/records`, { token: service.token, body: rows })
  }
  const page = await openTable(service, 'long')
  const top = () => page.evaluate(() => document.querySelector('.grid-frame')!.scrollTop)
  const goTo = async (name: string) => {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    await page.getByText(`${name} 0`, { exact: true }).waitFor()
  }
  await cell(page, 0, 1).click()
  await page.keyboard.press('Control+End')
  await page.getByText('long 299', { exact: true }).waitFor()
  await goTo('other')
  expect(await top()).toBe(0)
  await goTo('long')
  expect(await top()).toBe(0)
  await cell(page, 1, 1).click()
  await page.keyboard.press('Space')
  await title(page, 'long 1').waitFor()
  expect(await top()).toBe(0)
})

test('an undo links a record to the one again from which it was taken', async () => {
  const make = (path: string, body: object) => call(`${service.url}/api/v1/tables${path}`, { token: service.token, body })
  await make('', { name: 'members', columns: [{ name: 'name', type: 'text' }] })
  const member = { name: 'member', type: 'link', options: { table: 'members' } }
  await make('', { name: 'payments', columns: [{ name: 'purpose', type: 'text' }, member] })
  await make('/members/columns', { name: 'paid', type: 'reverseLinks', options: { table: 'payments', column: 'member' } })
  await make('/members/records', [{ name: 'Ada' }, { name: 'Ben' }])
  await make('/payments/records', { purpose: 'Fee of June', member: 1 })
  const owner = async () => (await service.recordOf('payments', 1)).member
  const nameOfBen = async () => (await service.recordOf('members', 2)).name

  const page = await openTable(service, 'members', { search: '#record=2' })
  await panel(page).getByLabel('name').fill('Benjamin')
  await panel(page).getByRole('combobox', { name: 'paid' }).click()
  await page.getByRole('option', { name: 'Fee of June' }).click()
  await page.keyboard.press('Escape')
  await panel(page).getByRole('button', { name: 'Save', exact: true }).click()
  await becomes(owner, 2)
  await page.getByRole('button', { name: 'Undo' }).click()
  await becomes(owner, 1)
  await becomes(nameOfBen, 'Ben')
  await page.getByRole('button', { name: 'Redo' }).click()
  await becomes(nameOfBen, 'Benjamin')
  await becomes(owner, 2)
  // Another change of the record since does not matter to the link.
  await cell(page, 1, 1).dblclick()
  await page.keyboard.type('!')
  await page.keyboard.press('Enter')
  await becomes(nameOfBen, 'Benjamin!')
  for (const name of ['Benjamin', 'Ben']) {
    await page.getByRole('button', { name: 'Undo' }).click()
    await becomes(nameOfBen, name)
  }
  await becomes(owner, 1)

  // A cell takes it as the form does.
  const take = async () => {
    await cell(page, 1, 2).dblclick()
    await page.getByRole('option', { name: 'Fee of June' }).click()
    await page.keyboard.press('Control+Enter')
    await becomes(owner, 2)
  }
  await take()
  await page.getByRole('button', { name: 'Undo' }).click()
  await becomes(owner, 1)
  // After another change of the payment the log cannot restore it, and it is not left with nobody.
  await take()
  const change = { token: service.token, method: 'PATCH', body: { purpose: 'Fee of July' } }
  expect((await call(`${service.url}/api/v1/tables/payments/records/1`, change)).status).toBe(200)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('have changed since').waitFor()
  expect(await owner()).toBe(2)
})
