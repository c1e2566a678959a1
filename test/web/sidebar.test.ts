import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../support/browser'
import type { VisitOptions } from '../support/chromium'
import { call } from '../support/executable'
import { becomes } from '../support/grid-page'
import { signInAt, startUi } from '../support/ui'

const service = await startUi()
afterAll(() => service.stop())

const names = ['companies', 'contacts', 'orders', 'products', 'projects']
const place = async (name: string, body: object) => {
  const answer = await call(`${service.url}/api/v1/tables/${name}`, { token: service.token, method: 'PATCH', body })
  expect(answer.status).toBe(200)
}

beforeEach(async () => {
  for (const { id } of service.tables) await place(id, { section: null, position: null })
})

async function open(options: VisitOptions = {}): Promise<Page> {
  const { page } = await visit(options)
  await signInAt(page, service.url)
  return page
}

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const list = (page: Page, heading: string) => sidebar(page).getByRole('list', { name: heading, exact: true })
const link = (page: Page, name: string) => sidebar(page).getByRole('link', { name, exact: true })
const namesIn = async (page: Page, heading: string) => {
  const shown = await list(page, heading).getByRole('link').allTextContents()
  return shown.filter((name) => names.includes(name))
}

async function choose(page: Page, table: string, action: string) {
  await sidebar(page)
    .getByRole('button', { name: `Menu for ${table}`, exact: true })
    .press('Enter')
  await page.getByRole('menuitem', { name: action, exact: true }).press('Enter')
}

/** The part of an element at which something is dropped, from its top. */
async function dragTo(source: Locator, target: Locator, part: number) {
  const { width, height } = (await target.boundingBox())!
  await source.dragTo(target, { targetPosition: { x: width / 2, y: height * part } })
}

describe('the order of the tables', () => {
  test('is changed by dragging, and is that of others, too', async () => {
    const page = await open()
    await dragTo(link(page, 'projects'), link(page, 'contacts'), 0.2)
    await becomes(() => namesIn(page, 'Tables'), ['companies', 'projects', 'contacts', 'orders', 'products'])
    await dragTo(link(page, 'companies'), link(page, 'products'), 0.8)
    const moved = ['projects', 'contacts', 'orders', 'products', 'companies']
    await becomes(() => namesIn(page, 'Tables'), moved)
    await page.reload()
    await becomes(() => namesIn(page, 'Tables'), moved)
    await becomes(async () => namesIn(await open(), 'Tables'), moved)
  })

  test('shows where a dragged table would be, until it leaves the list', async () => {
    const page = await open()
    const move = async (name: string, part: number) => {
      const { x, y, height } = (await link(page, name).boundingBox())!
      await page.mouse.move(x + 60, y + height * part, { steps: 3 })
    }
    await move('companies', 0.5)
    await page.mouse.down()
    const shown = () => sidebar(page).locator('.is-target-below, .is-target-above').allTextContents()
    for (const part of [0.7, 0.75, 0.8]) await move('orders', part)
    await becomes(shown, ['orders'])
    expect(await sidebar(page).locator('.is-target-below').count()).toBe(1)
    for (const part of [0.3, 0.25, 0.2]) await move('orders', part)
    await becomes(() => sidebar(page).locator('.is-target-above').count(), 1)
    await page.mouse.move(700, 400, { steps: 3 })
    await becomes(shown, [])
    await page.mouse.up()
    expect(await namesIn(page, 'Tables')).toEqual(names)
  })

  test('is changed from the menu by keyboard, which keeps the focus there', async () => {
    const page = await open()
    await choose(page, 'contacts', 'Move up')
    await becomes(() => namesIn(page, 'Tables'), ['contacts', 'companies', 'orders', 'products', 'projects'])
    await sidebar(page).getByRole('status').filter({ hasText: 'contacts is table 1 of' }).waitFor({ state: 'attached' })
    await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Menu for contacts')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Move down' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Move up' }).count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('menuitem', { name: 'Move down' }).press('Enter')
    await becomes(() => namesIn(page, 'Tables'), names)
  })

  test('says why a table was not moved that somebody else has deleted, and lists it no longer', async () => {
    await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name: 'short-lived', columns: [] } })
    const page = await open()
    await link(page, 'short-lived').waitFor()
    await call(`${service.url}/api/v1/tables/short-lived?confirm=short-lived`, { token: service.token, method: 'DELETE' })
    await dragTo(link(page, 'short-lived'), link(page, 'companies'), 0.2)
    await sidebar(page).getByRole('alert').filter({ hasText: 'There is no such table' }).waitFor()
    await link(page, 'short-lived').waitFor({ state: 'detached' })
  })
})

describe('sections', () => {
  test('are made by naming one, and vanish with their last table', async () => {
    const page = await open()
    const name = '<b>Sales</b>'
    await choose(page, 'orders', 'Move to section…')
    await page.getByRole('dialog').getByLabel('Name of the section').fill(name)
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await becomes(() => namesIn(page, name), ['orders'])
    await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Menu for orders')
    await choose(page, 'contacts', 'Move to section…')
    await page.getByRole('dialog').getByLabel('Section', { exact: true }).selectOption(name)
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await becomes(() => namesIn(page, name), ['contacts', 'orders'])
    expect(await namesIn(page, 'Tables')).toEqual(['companies', 'products', 'projects'])
    await expectAccessible(page)
    for (const table of ['orders', 'contacts']) {
      await choose(page, table, 'Move to section…')
      await page.getByRole('dialog').getByLabel('Section', { exact: true }).selectOption('No section')
      await page.getByRole('button', { name: 'Move', exact: true }).click()
      await becomes(() => namesIn(page, 'Tables').then((shown) => shown.includes(table)), true)
    }
    expect(await sidebar(page).getByRole('button', { name }).count()).toBe(0)
  })

  test('say what is wrong with a name', async () => {
    const page = await open()
    await choose(page, 'orders', 'Move to section…')
    await page.getByRole('dialog').getByLabel('Name of the section').fill(' ')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'A section needs at least one visible character' }).first().waitFor()
  })

  test('take a table that is dropped on their heading or among their tables', async () => {
    await place('orders', { section: 'Sales' })
    await place('products', { section: 'Sales' })
    const page = await open()
    await dragTo(link(page, 'companies'), sidebar(page).getByRole('button', { name: 'Sales', exact: true }), 0.5)
    await becomes(() => namesIn(page, 'Sales'), ['companies', 'orders', 'products'])
    await dragTo(link(page, 'contacts'), link(page, 'orders'), 0.8)
    await becomes(() => namesIn(page, 'Sales'), ['companies', 'orders', 'contacts', 'products'])
    await dragTo(link(page, 'companies'), link(page, 'projects'), 0.2)
    await becomes(() => namesIn(page, 'Sales'), ['orders', 'contacts', 'products'])
    expect((await namesIn(page, 'Tables'))[0]).toBe('companies')
  })

  test('are collapsed and stay so in this browser, but not for a search', async () => {
    await place('orders', { section: 'Sales' })
    const page = await open()
    const heading = sidebar(page).getByRole('button', { name: 'Sales', exact: true })
    expect(await heading.getAttribute('aria-expanded')).toBe('true')
    await heading.press('Enter')
    await link(page, 'orders').waitFor({ state: 'detached' })
    await page.reload()
    await heading.waitFor()
    expect(await heading.getAttribute('aria-expanded')).toBe('false')
    expect(await link(page, 'orders').count()).toBe(0)
    await expectAccessible(page)
    await sidebar(page).getByRole('searchbox').fill('order')
    await link(page, 'orders').waitFor()
    await sidebar(page).getByRole('searchbox').fill('')
    await link(page, 'orders').waitFor({ state: 'detached' })
    await heading.click()
    await link(page, 'orders').waitFor()
  })

  test('are in the navigation of a phone, too, where the menu moves tables', async () => {
    await place('orders', { section: 'Vertrieb und alles, was sonst noch dazugehört, auch sehr lange Namen' })
    const page = await open({ size: 'phone' })
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Vertrieb/ })
      .waitFor()
    await choose(page, 'projects', 'Move up')
    await becomes(() => namesIn(page, 'Tables'), ['companies', 'contacts', 'projects', 'products'])
    await expectNoSideways(page)
    await expectAccessible(page)
  })

  test('cannot be changed by others than administrators', async () => {
    await place('orders', { section: 'Sales' })
    const body = { email: 'eve@example.org', role: 'editor', password: 'a quiet little harbour' }
    expect((await call(`${service.url}/api/v1/users`, { token: service.token, body })).status).toBe(201)
    const { page } = await visit()
    await signInAt(page, service.url, { email: body.email, password: body.password })
    await becomes(() => namesIn(page, 'Sales'), ['orders'])
    expect(
      await sidebar(page)
        .getByRole('button', { name: /^Menu for/ })
        .count(),
    ).toBe(0)
    let isSent = false
    page.on('request', (request) => {
      isSent ||= request.method() === 'PATCH'
    })
    await dragTo(link(page, 'companies'), link(page, 'orders'), 0.8)
    await link(page, 'companies').click()
    await page.getByRole('heading', { name: 'companies', level: 1 }).waitFor()
    expect(isSent).toBe(false)
  })
})
