import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, type KeyInput, launch, type Page } from 'puppeteer-core'
import { call } from '../support/executable'
import { type GridService, manyRows, startGrid } from '../support/grid'
import { becomes } from '../support/grid-page'
import { hangMs } from '../support/processes'
import { administrator } from '../support/used-data'

/** The main ways through the grid in Debian's Firefox: the other browser tests run in Chromium. */
let service: GridService
let browser: Browser
let page: Page
const troubles: string[] = []

beforeAll(async () => {
  service = await startGrid(5000)
  browser = await launch({ browser: 'firefox', executablePath: Bun.which('firefox-esr')!, headless: true })
  page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 800 })
  page.setDefaultTimeout(hangMs)
  page.on('pageerror', (error) => troubles.push(String(error)))
  await page.goto(`${service.url}/sign-in`)
  await type('input[type=email]', administrator.email)
  await type('input[type=password]', administrator.password)
  await press('Enter')
  await page.waitForSelector('header')
})
afterAll(async () => {
  await browser.close()
  await service.stop()
  expect(troubles).toEqual([])
})

const type = async (selector: string, text: string) => {
  await page.locator(selector).click()
  await page.keyboard.type(text)
}
const press = async (...keys: KeyInput[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
const withControl = async (key: KeyInput) => {
  await page.keyboard.down('Control')
  await press(key)
  await page.keyboard.up('Control')
}
const cellAt = (row: number, column: number) => `[data-row="${row}"][data-column="${column}"]`
const clickCell = (row: number, column: number) => page.locator(cellAt(row, column)).click()
/** Undefined while the page loads. */
const textAt = async (row: number, column: number) => await page.$$eval(cellAt(row, column), (cells) => cells[0]?.textContent.trim())
const active = () => page.evaluate(() => Object.values((document.activeElement as HTMLElement).dataset).join(':'))
const storedAt = (key: number, column: string) => async () => (await service.recordOf(manyRows, key))[column]

async function openTable(name: string) {
  await page.goto(`${service.url}/tables/${service.tableId(name)}`)
  await page.waitForSelector('[role="grid"][aria-busy="false"]')
  await page.waitForSelector(cellAt(0, 1))
}

test('cells are chosen by keys, typed into, emptied, and restored', async () => {
  await openTable(manyRows)
  await clickCell(0, 0)
  await press('ArrowDown', 'ArrowRight', 'ArrowLeft')
  expect(await active()).toBe('1:0')
  await page.keyboard.type('Grace')
  await press('Tab')
  await page.keyboard.type('85')
  await press('Enter')
  await becomes(storedAt(2, 'name'), 'Grace')
  await becomes(storedAt(2, 'age'), 85)
  expect(await active()).toBe('2:0')
  await press('ArrowUp', 'F2')
  await page.keyboard.type(' Hopper')
  await press('Enter')
  await becomes(storedAt(2, 'name'), 'Grace Hopper')
  await press('ArrowUp', 'Delete')
  await becomes(storedAt(2, 'name'), null)
  await withControl('z')
  await becomes(storedAt(2, 'name'), 'Grace Hopper')
})

test('a block is copied and pasted, and filled down', async () => {
  await openTable(manyRows)
  await clickCell(10, 0)
  await page.keyboard.down('Shift')
  await press('ArrowDown', 'ArrowRight')
  await page.keyboard.up('Shift')
  await withControl('c')
  await clickCell(20, 0)
  await withControl('v')
  await becomes(storedAt(21, 'name'), 'Person 11')
  await becomes(storedAt(22, 'age'), 12)
  await clickCell(30, 0)
  await page.keyboard.down('Shift')
  await press('ArrowDown', 'ArrowDown')
  await page.keyboard.up('Shift')
  await withControl('d')
  await becomes(storedAt(33, 'name'), 'Person 31')
})

test('a linked record is found by its name, and chosen', async () => {
  await openTable('contacts')
  const column = await columnOf('company')
  await clickCell(2, column)
  await press('Enter')
  await page.waitForSelector('[role="combobox"]')
  await page.keyboard.type('ember')
  await page.waitForFunction(() => document.querySelectorAll('[role="option"]').length === 1)
  await press('Enter')
  await becomes(() => textAt(2, column), 'Ember Software')
})

test('the list is searched, sorted by its head, and scrolled to its end', async () => {
  await openTable(manyRows)
  await type('.grid-search input', 'Person 4999')
  await becomes(() => textAt(0, 0), 'Person 4999')
  await withControl('a')
  await press('Backspace')
  await becomes(() => textAt(0, 0), 'Person 1')
  await page.goto(`${service.url}/tables/${service.tableId(manyRows)}?order=age.desc`)
  await becomes(() => textAt(0, 1), '89')
  await clickCell(0, 0)
  await withControl('End')
  await becomes(active, '4999:4')
  await page.waitForSelector(cellAt(4999, 0))
})

test('a record is made in the new row', async () => {
  await openTable('companies')
  await page.$$eval('button', (buttons) => buttons.find(({ textContent }) => textContent.trim() === 'New record')!.click())
  await page.keyboard.type('Lighthouse')
  await press('Enter')
  await becomes(async () => (await recordsNamed('Lighthouse')).length, 1)
})

const recordsNamed = async (name: string) => {
  const path = `${service.url}/api/v1/tables/companies/records?name=eq.${name}`
  return ((await (await call(path, { token: service.token })).json()) as { records: object[] }).records
}

async function columnOf(name: string): Promise<number> {
  const heads = await page.$$eval('[role="columnheader"]', (found) => found.map((head) => head.textContent.trim()))
  return heads.findIndex((head) => head.includes(name)) - 1
}
