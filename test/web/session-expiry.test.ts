import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible } from '../support/browser'
import { call } from '../support/executable'
import { type GridService, startGrid } from '../support/grid'
import { becomes, cell, openTable } from '../support/grid-page'
import { takeSession } from '../support/ui'
import { administrator } from '../support/used-data'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' })
const password = (page: Page) => dialog(page).getByLabel('Password', { exact: true })

/** Types a text of which the first letter makes the page notice that the session has ended. */
async function typeIntoTheEnd(page: Page, text: string) {
  await page.context().clearCookies()
  const noticed = page.waitForResponse((response) => response.status() === 401)
  await page.keyboard.type(text[0]!)
  await noticed
  await page.keyboard.type(text.slice(1))
}

async function signIn(page: Page) {
  await password(page).fill(administrator.password)
  await dialog(page).getByRole('button', { name: 'Sign in', exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
}

describe('a session that ends while somebody types', () => {
  test('into a cell is asked about when the cell is done with, and no key goes into the password', async () => {
    const page = await openTable(service, 'contacts')
    await cell(page, 0, 5).click()
    await typeIntoTheEnd(page, 'After expiry')
    expect(await page.locator('.grid-editor').inputValue()).toBe('After expiry')
    expect(await dialog(page).count()).toBe(0)
    await page.keyboard.press('Enter')
    await dialog(page).waitFor()
    await page.keyboard.type('and on')
    await page.keyboard.press('Enter')
    expect(await password(page).inputValue()).toBe('')
    expect(await dialog(page).getByRole('alert').count()).toBe(0)
    await expectAccessible(page)
    await signIn(page)
    await becomes(async () => (await service.recordOf('contacts', 1)).role, 'After expiry')
    await cell(page, 0, 5).getByText('After expiry').waitFor()
  })

  test('into a cell is asked about when somebody clicks elsewhere', async () => {
    const page = await openTable(service, 'contacts')
    await cell(page, 1, 5).click()
    await typeIntoTheEnd(page, 'By click')
    await cell(page, 3, 1).click()
    await dialog(page).waitFor()
    await signIn(page)
    await becomes(async () => (await service.recordOf('contacts', 2)).role, 'By click')
  })

  test('a search is asked about at once, since it waits for an answer', async () => {
    const page = await openTable(service, 'companies')
    await page.context().clearCookies()
    await page.getByRole('searchbox', { name: 'Search records' }).fill('ember')
    await dialog(page).waitFor()
    await page.keyboard.type('x')
    expect(await password(page).inputValue()).toBe('')
    await signIn(page)
    await page.getByText('1 record', { exact: true }).waitFor()
  })

  test('while nobody types is asked about at once, in the password', async () => {
    const page = await openTable(service, 'contacts')
    await cell(page, 4, 5).click()
    await page.context().clearCookies()
    await page.keyboard.press('Delete')
    await dialog(page).waitFor()
    await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('name')), 'password')
    await signIn(page)
    await becomes(async () => (await service.recordOf('contacts', 5)).role, null)
  })
})

describe('the question for a new session', () => {
  test('keeps the focus when another page comes up under it', async () => {
    const page = await openTable(service, 'companies')
    await page.getByRole('navigation').getByRole('link', { name: 'contacts', exact: true }).click()
    await page.getByRole('heading', { name: 'contacts', level: 1 }).waitFor()
    await cell(page, 5, 5).click()
    await page.context().clearCookies()
    await page.keyboard.press('Delete')
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'))
    await becomes(focused, 'password')
    await page.goBack()
    await page.locator('h1', { hasText: 'companies' }).waitFor({ state: 'attached' })
    expect(await focused()).toBe('password')
    await signIn(page)
  })

  test('is not put a second time for what was sent under the session that has ended', async () => {
    const page = await openTable(service, 'contacts')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const held = page.waitForRequest('**/records/3')
    await page.route(
      '**/records/3',
      async (route) => {
        const response = await route.fetch()
        await released
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await page.context().clearCookies()
    await cell(page, 2, 5).click()
    await page.keyboard.press('Delete')
    await held
    await cell(page, 3, 5).click()
    await page.keyboard.press('Delete')
    await dialog(page).waitFor()
    await signIn(page)
    await becomes(async () => (await service.recordOf('contacts', 4)).role, null)
    release()
    const isWritten = async () => (await service.recordOf('contacts', 3)).role === null
    const isAsked = async () => (await dialog(page).count()) > 0
    await becomes(async () => (await isWritten()) || (await isAsked()), true)
    expect(await isAsked()).toBe(false)
  })
})

test('what one user has not saved is not sent in the name of another who signs in in a second window', async () => {
  const other = { email: 'vera@example.org', name: 'Vera', role: 'editor', password: 'another good horse' }
  expect((await call(`${service.url}/api/v1/users`, { token: service.token, body: other })).status).toBe(201)
  const page = await openTable(service, 'contacts')
  await page.goto(`${service.url}/tables/${service.tableId('contacts')}/records/6`)
  const role = page.getByLabel('role', { exact: true })
  const before = await role.inputValue()
  await role.click()
  await page.keyboard.type('In the name of Ada')
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.type())
    void dialog.accept()
  })
  await takeSession(page, service.url, other)
  // The window asks again when it gets the focus, but for what it has just fetched.
  await page.evaluate(() => {
    const { now } = Date
    Date.now = () => now() + 120_000
    window.dispatchEvent(new Event('focus'))
  })
  await page.getByRole('button', { name: /^Vera/ }).waitFor()
  await becomes(() => role.inputValue(), before)
  expect(dialogs).toEqual([])
})
