import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, visit } from '../support/browser'
import { call } from '../support/executable'
import { type GridService, manyRows, rowCount, startGrid } from '../support/grid'
import { signInAt } from '../support/ui'

let service: GridService
beforeAll(async () => {
  service = await startGrid()
}, 120_000)
afterAll(() => service.stop())

async function atTable(name: string, options: Parameters<typeof visit>[0] = {}, search = ''): Promise<Page> {
  const { page } = await visit(options)
  await signInAt(page, service.url)
  await page.goto(`${service.url}/tables/${service.tableId(name)}${search}`)
  await page.getByRole('grid').waitFor()
  await page.locator('.grid-skeleton').first().waitFor({ state: 'detached' })
  return page
}

const cell = (page: Page, row: number, column: number) => page.locator(`[data-row="${row}"][data-column="${column}"]`)

describe('120 000 rows', () => {
  test('are counted by estimate and then exactly, and say where they stand', async () => {
    const page = await atTable(manyRows)
    await page.getByText(`${rowCount.toLocaleString('en')} records`, { exact: true }).waitFor()
    const grid = page.getByRole('grid', { name: `Records of ${manyRows}` })
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(rowCount + 1))
    expect(await grid.getAttribute('aria-colcount')).toBe('7')
    expect(await page.getByRole('row').nth(1).getAttribute('aria-rowindex')).toBe('2')
    expect(await cell(page, 0, 1).textContent()).toBe('Person 1')
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    await expectAccessible(page)
  })

  test('are read by cursor while one scrolls on, and by offset after a jump', async () => {
    const page = await atTable(manyRows)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/records?')) asked.push(new URL(request.url()).search)
    })
    await cell(page, 0, 1).click()
    for (let step = 0; step < 10; step++) await page.keyboard.press('PageDown')
    const row = Number(await page.locator('[data-row]:focus').getAttribute('data-row'))
    expect(row).toBeGreaterThan(120)
    await cell(page, row, 1)
      .getByText(`Person ${row + 1}`)
      .waitFor()
    expect(asked.some((search) => search.includes('cursor='))).toBe(true)
    expect(asked.filter((search) => search.includes('offset='))).toEqual([])
    await page.keyboard.press('Control+End')
    await cell(page, rowCount - 1, 5).waitFor()
    await cell(page, rowCount - 1, 1)
      .getByText(`Person ${rowCount}`)
      .waitFor()
    expect(asked.at(-1)).toContain('offset=')
    await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo({ top: 34 * 60_020 }))
    await cell(page, 60_025, 1).getByText('Person 60026').waitFor()
    await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo({ top: 34 * 60_110 }))
    await cell(page, 60_115, 1).getByText('Person 60116').waitFor()
    expect(asked.at(-1)).toContain('cursor=')
  })
})

describe('the keyboard', () => {
  const focused = (page: Page) =>
    page.evaluate(() => {
      const { dataset } = document.activeElement as HTMLElement
      return `${dataset.row}:${dataset.column}`
    })
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
    return focused(page)
  }

  test('moves as in a spreadsheet', async () => {
    const page = await atTable('contacts')
    await cell(page, 0, 1).click()
    expect(await press(page, 'ArrowDown', 'ArrowDown', 'ArrowRight')).toBe('2:2')
    expect(await press(page, 'Home')).toBe('2:0')
    expect(await press(page, 'ArrowLeft')).toBe('2:-1')
    expect(await press(page, 'Control+Home', 'ArrowUp')).toBe('-1:0')
    expect(await press(page, 'Control+End')).toBe('11:8')
    expect(await press(page, 'Control+ArrowUp', 'Control+ArrowLeft')).toBe('0:0')
    expect(await press(page, 'Tab', 'Tab', 'Shift+Tab')).toBe('0:1')
    expect(await press(page, 'End', 'Tab')).toBe('1:0')
    expect(await press(page, 'PageDown', 'PageUp')).toBe('0:0')
  })

  test('is no trap: Escape and Tab leave', async () => {
    const page = await atTable('contacts')
    await cell(page, 0, 1).click()
    await press(page, 'Escape', 'Shift+Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('[role="grid"]') === null)).toBe(true)
  })

  test('and the mouse choose ranges', async () => {
    const page = await atTable('contacts')
    await cell(page, 0, 1).click()
    await press(page, 'Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowRight')
    await page.getByText('6 cells', { exact: true }).waitFor()
    expect(await page.locator('[role="gridcell"][aria-selected="true"]').count()).toBe(6)
    await cell(page, 3, 1).hover()
    await page.mouse.down()
    await cell(page, 5, 3).hover()
    await page.mouse.up()
    await page.getByText('9 cells', { exact: true }).waitFor()
    expect(await focused(page)).toBe('3:1')
  })
})

const recordOf = async (name: string, key: number) =>
  (await (await call(`${service.url}/api/v1/tables/${service.tableId(name)}/records/${key}`, { token: service.token })).json()) as Record<
    string,
    unknown
  >

const change = (name: string, key: number, body: object) =>
  call(`${service.url}/api/v1/tables/${service.tableId(name)}/records/${key}`, { token: service.token, method: 'PATCH', body })

/** Waits until the service has what it is to have. */
async function becomes(read: () => Promise<unknown>, wanted: unknown) {
  const until = Date.now() + 5000
  while (!Bun.deepEquals(await read(), wanted) && Date.now() < until) await Bun.sleep(50)
  expect(await read()).toEqual(wanted)
}

describe('a cell', () => {
  test('is edited by typing, and the next one by going on', async () => {
    const page = await atTable('contacts')
    await cell(page, 0, 5).click()
    await page.keyboard.type('Owner')
    await page.keyboard.press('Enter')
    await cell(page, 0, 5).getByText('Owner').waitFor()
    await page.keyboard.type('Builder')
    await page.keyboard.press('Tab')
    await becomes(async () => [(await recordOf('contacts', 1)).role, (await recordOf('contacts', 2)).role], ['Owner', 'Builder'])
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('F2')
    await page.keyboard.type(' of houses')
    await page.keyboard.press('Escape')
    await cell(page, 1, 5).getByText('Builder', { exact: true }).waitFor()
  })

  test('keeps every digit of a number', async () => {
    const page = await atTable(manyRows)
    await cell(page, 0, 3).click()
    await page.keyboard.type('123456789012345678.90')
    await page.keyboard.press('Enter')
    await cell(page, 0, 3).getByText('123,456,789,012,345,678.90').waitFor()
    const text = async () =>
      (await call(`${service.url}/api/v1/tables/${service.tableId(manyRows)}/records/1`, { token: service.token })).text()
    await becomes(async () => (await text()).includes('"balance":123456789012345678.90'), true)
  })

  test('of each type has its editor', async () => {
    const page = await atTable('contacts')
    await cell(page, 2, 4).click()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'company, row 3' }).fill('ember')
    await page.getByRole('option', { name: 'Ember Software' }).waitFor()
    await page.getByRole('option', { name: 'Brightwater' }).waitFor({ state: 'detached' })
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await cell(page, 2, 4).getByText('Ember Software').waitFor()
    await cell(page, 2, 6).dblclick()
    await page.getByRole('option', { name: 'Prices' }).click()
    await page.keyboard.press('Enter')
    await cell(page, 2, 7).click()
    await page.keyboard.press('Space')
    await cell(page, 2, 8).dblclick()
    await page.getByLabel('birthday, row 3').fill('1981-07-22')
    await page.keyboard.press('Enter')
    await cell(page, 2, 8).getByText('22 Jul 1981').waitFor()
    const wanted = { company: 5, interests: ['Newsletter', 'Events', 'Prices'], active: false, birthday: '1981-07-22' }
    await becomes(async () => {
      const { company, interests, active, birthday } = await recordOf('contacts', 3)
      return { company, interests, active, birthday }
    }, wanted)
  })

  test('goes back to what it was when it is refused, and says why', async () => {
    const page = await atTable('contacts')
    await cell(page, 3, 2).click()
    await page.keyboard.type('nobody')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    await page.locator('.grid-problem').filter({ hasText: 'must be' }).waitFor()
    await cell(page, 3, 2).getByText('samuel@brightwater.example').waitFor()
    expect(await cell(page, 3, 2).getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
  })

  test('that somebody else has changed shows both values', async () => {
    const page = await atTable('contacts')
    await change('contacts', 5, { role: 'Head chef' })
    await cell(page, 4, 5).click()
    await page.keyboard.type('Cook')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Changed by somebody else' })
    await dialog.getByText('Head chef').waitFor()
    await dialog.getByText('Cook').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Keep yours' }).click()
    await becomes(async () => (await recordOf('contacts', 5)).role, 'Cook')

    await cell(page, 5, 5).click()
    await page.keyboard.press('F2')
    await page.waitForLoadState('networkidle')
    await change('contacts', 6, { role: 'Head buyer' })
    await page.keyboard.type('s')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Keep theirs' }).click()
    await cell(page, 5, 5).getByText('Head buyer').waitFor()
    expect((await recordOf('contacts', 6)).role).toBe('Head buyer')
  })

  test('that somebody else’s change of another cell does not concern is simply written', async () => {
    const page = await atTable('contacts')
    await cell(page, 6, 5).click()
    await page.keyboard.press('F2')
    await page.waitForLoadState('networkidle')
    await change('contacts', 7, { phone: '+31 10 700 9999' })
    await page.keyboard.type('!')
    await page.keyboard.press('Enter')
    await cell(page, 6, 3).getByText('+31 10 700 9999').waitFor()
    await becomes(async () => (await recordOf('contacts', 7)).role, 'Dispatcher!')
  })
})
