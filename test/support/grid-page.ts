import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { visit } from './browser'
import type { VisitOptions } from './chromium'
import { call } from './executable'
import type { GridService } from './grid'
import { hangMs } from './processes'
import { silenceFeed } from './silent-feed'
import { takeSession } from './ui'
import type { administrator } from './used-data'

type Opened = VisitOptions & { search?: string; as?: typeof administrator; hasDefaultView?: boolean; isLive?: boolean }

/**
 * Signs in, opens a table and waits for its records. Columns are in the order of the table, including the key, unless
 * the user has hidden or pinned some or `hasDefaultView` is set. Changes by others appear only on focus, unless
 * `isLive`: many tests are about a row that is older than its record.
 */
export async function openTable(
  service: GridService,
  name: string,
  { search = '', as, hasDefaultView = false, isLive = false, ...options }: Opened = {},
): Promise<Page> {
  const { page } = await visit(options)
  await takeSession(page, service.url, as)
  if (!isLive) await page.addInitScript(silenceFeed)
  if (!hasDefaultView) await showAllColumns(page, service, name)
  await page.goto(`${service.url}/tables/${service.tableId(name)}${search}`)
  await page.locator('[role="grid"][aria-busy="false"], .cards[aria-busy="false"]').waitFor()
  return page
}

/** Opens a table that follows changes by others. */
export async function openLiveTable(service: GridService, name: string, options: Opened = {}): Promise<Page> {
  const following = Promise.withResolvers<void>()
  const page = await openTable(service, name, { ...options, isLive: true })
  page.on('request', (request) => request.url().includes('after=') && following.resolve())
  await following.promise
  return page
}

async function showAllColumns(page: Page, { url, tableId }: GridService, name: string) {
  const cookie = (await page.context().cookies(url)).map((each) => `${each.name}=${each.value}`).join('; ')
  const view = `${url}/api/v1/tables/${encodeURIComponent(tableId(name))}/view`
  const settings = (await (await call(view, { cookie })).json()) as object
  await call(view, { cookie, method: 'PUT', body: { hidden: [], pinned: [], isGridOnPhone: true, ...settings } })
}

/** Rows and columns count from 0; -1 is the header or the column of row numbers. */
export const cell = (page: Page, row: number, column: number) => page.locator(`[data-row="${row}"][data-column="${column}"]`)

/** Types a text into a cell instead of its value. */
export async function typeInCell(page: Page, row: number, column: number, text: string) {
  await cell(page, row, column).click()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Waits until a value is the expected one. */
export async function becomes(read: () => Promise<unknown>, wanted: unknown) {
  const until = Date.now() + hangMs
  while (!Bun.deepEquals(await read(), wanted) && Date.now() < until) await Bun.sleep(50)
  expect(await read()).toEqual(wanted)
}
