import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
let count = 0
beforeAll(async () => {
  service = await startGrid(3_000)
})
afterAll(() => service.stop())

const api: GridService['api'] = (...request) => service.api(...request)

/** A table that others change. */
async function makeTable(): Promise<string> {
  const table = `rivers${++count}`
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'length', type: 'integer' },
  ]
  await api('', { name: table, columns })
  await api(`/${table}/records`, [{ name: 'Aare' }, { name: 'Bode' }, { name: 'Cher' }, { name: 'Donau' }, { name: 'Elbe' }])
  return table
}

const names = async (page: Page) => (await page.locator('[role="gridcell"][data-column="1"]').allTextContents()).filter(Boolean)
const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent)
const deletedToast = (page: Page, text = '1 record was deleted by someone else.') => page.getByRole('status').getByText(text)

/** The user comes back to the window, again until something is as it is to be. */
const comesBack = (page: Page, read: () => Promise<unknown>, wanted: unknown) =>
  becomes(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    return read()
  }, wanted)

describe('on focus, what others have changed', () => {
  test('is shown: the selection follows its record, a row that is typed stays, a deletion is told', async () => {
    const table = await makeTable()
    const page = await openTable(service, table)
    await cell(page, 5, 1).click()
    await page.keyboard.type('Fulda')
    await page.keyboard.press('Tab')
    await api(`/${table}/records/2`, { name: 'Bode II' }, 'PATCH')
    await comesBack(page, () => names(page), ['Aare', 'Bode II', 'Cher', 'Donau', 'Elbe', 'Fulda'])
    expect(await page.locator('.grid-row.is-draft').count()).toBe(1)
    await api(`/${table}/records/1`, undefined, 'DELETE')
    await comesBack(page, () => names(page), ['Bode II', 'Cher', 'Donau', 'Elbe', 'Fulda'])
    await deletedToast(page).waitFor()
    // The row that is typed has moved up with its focus.
    await becomes(() => page.locator('[data-row]:focus').evaluate(({ dataset }) => `${dataset.row}:${dataset.column}`), '4:2')
    await page.keyboard.press('Control+Enter')
    await page.locator('.grid-row.is-draft').waitFor({ state: 'detached' })

    await cell(page, 1, 1).click()
    await page.keyboard.press('Shift+ArrowDown')
    await api(`/${table}/records/2`, undefined, 'DELETE')
    await comesBack(page, () => names(page), ['Cher', 'Donau', 'Elbe', 'Fulda'])
    expect(await focusedText(page)).toBe('Cher')
    expect(await page.locator('.is-range').allTextContents()).toEqual(['Cher', 'Donau'])
    await page.getByText('4 records', { exact: true }).waitFor()
  })

  test('waits for an editor whose row would move, and is shown beside one that stays', async () => {
    const table = await makeTable()
    const page = await openTable(service, table)
    await cell(page, 3, 1).dblclick()
    await page.keyboard.type(' (Danube)')
    await api(`/${table}/records/1`, { name: 'Aare II' }, 'PATCH')
    await comesBack(page, async () => (await names(page))[0], 'Aare II')
    expect(await page.locator('.grid-editor').inputValue()).toBe('Donau (Danube)')
    await api(`/${table}/records/2`, undefined, 'DELETE')
    let answers = 0
    page.on('response', (response) => response.url().includes('id%22=in.') && answers++)
    await comesBack(page, async () => answers > 0, true)
    expect(await page.locator('.grid-editor').inputValue()).toBe('Donau (Danube)')
    expect(await cell(page, 1, 1).textContent()).toBe('Bode')
    await page.keyboard.press('Enter')
    await deletedToast(page).waitFor()
    await becomes(() => names(page), ['Aare II', 'Cher', 'Donau (Danube)', 'Elbe'])
    await becomes(async () => (await service.recordOf(table, 4)).name, 'Donau (Danube)')
  })

  test('does not overwrite what was typed here before: both values are offered', async () => {
    const table = await makeTable()
    const page = await openTable(service, table)
    await cell(page, 1, 1).dblclick()
    await page.keyboard.type('!')
    await api(`/${table}/records/2`, { name: 'Bodensee' }, 'PATCH')
    await api(`/${table}/records/1`, { name: 'Aare II' }, 'PATCH')
    await comesBack(page, async () => (await names(page))[0], 'Aare II')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' })
    await dialog.getByText('Bodensee').waitFor()
    await dialog.getByRole('button', { name: 'Keep yours' }).click()
    await becomes(async () => (await service.recordOf(table, 2)).name, 'Bode!')
  })

  test('is fetched for the visible rows only, which stay in their place', async () => {
    const page = await openTable(service, manyRows)
    await page.getByText('3,000 records', { exact: true }).waitFor()
    await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo({ top: 34 * 1_515 }))
    await cell(page, 1_520, 1).getByText('Person 1521').waitFor()
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('/records') && asked.push(new URL(request.url()).search))
    await api(`/${manyRows}/records?id=lt.8`, undefined, 'DELETE')
    await api(`/${manyRows}/records/1522`, { name: 'Ada' }, 'PATCH')
    await comesBack(page, () => page.getByRole('gridcell', { name: 'Ada', exact: true }).count(), 1)
    const top = await page.locator('.grid-frame').evaluate((frame) => frame.scrollTop)
    expect(top).toBe(34 * (1_515 - 7))
    await cell(page, 1_513, 1).getByText('Person 1521').waitFor()
    await page.getByText('2,993 records', { exact: true }).waitFor()
    // The page, the count, and the records that have gone to the page before.
    expect(asked.filter((search) => search.includes('offset=1500')).length).toBe(1)
    expect(asked.length).toBeLessThanOrEqual(4)
    expect(await page.locator('.grid-notice').textContent()).toBe('')
  })

  test('is shown in links, too', async () => {
    const parent = await makeTable()
    const table = `boats${count}`
    await api('', { name: table, columns: [{ name: 'river', type: 'link', options: { table: parent } }] })
    await api(`/${table}/records`, [{ river: 2 }])
    const page = await openTable(service, table)
    await cell(page, 0, 1).getByText('Bode').waitFor()
    await api(`/${parent}/records/2`, { name: 'Oder' }, 'PATCH')
    await comesBack(page, () => cell(page, 0, 1).textContent(), 'Oder')
  })
})

describe('the button and F9', () => {
  test('show what others have added, changed and deleted, and a new column', async () => {
    const table = await makeTable()
    const page = await openTable(service, table)
    await cell(page, 2, 1).click()
    await api(`/${table}/records`, { name: 'Fulda' })
    await page.keyboard.press('F9')
    await page.getByText('Records refreshed.').waitFor()
    await becomes(() => names(page), ['Aare', 'Bode', 'Cher', 'Donau', 'Elbe', 'Fulda'])
    expect(await focusedText(page)).toBe('Cher')
    await api(`/${table}/records?id=in.(1,5)`, undefined, 'DELETE')
    await page.getByRole('button', { name: 'Refresh (F9)' }).click()
    await deletedToast(page, '2 records were deleted by someone else.').waitFor()
    await becomes(() => names(page), ['Bode', 'Cher', 'Donau', 'Fulda'])
    await api(`/${table}/columns`, { name: 'source', type: 'text' })
    await page.keyboard.press('F9')
    await page.getByRole('columnheader', { name: /source/ }).waitFor()
  })
})

test('a record that was deleted elsewhere disappears when it is edited', async () => {
  const table = await makeTable()
  const page = await openTable(service, table)
  await api(`/${table}/records/3`, undefined, 'DELETE')
  await cell(page, 2, 1).click()
  await page.keyboard.type('Charente')
  await page.keyboard.press('Enter')
  await deletedToast(page).waitFor()
  await becomes(() => names(page), ['Aare', 'Bode', 'Donau', 'Elbe'])
})
