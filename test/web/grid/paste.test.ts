import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { pasteShape } from '../../../src/web/browser/pages/grid/edit/clipboard-formats'
import { expectAccessible } from '../../support/browser'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
let count = 0
let table = ''
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const api: GridService['api'] = (...request) => service.api(...request)
const listed = async () => {
  const { records } = (await (await api(`/${table}/records?order=id&limit=1000`)).json()) as { records: Record<string, unknown>[] }
  return records.map(({ name, size }) => [name, size])
}

beforeEach(async () => {
  table = `stock${++count}`
  const columns = [
    { name: 'name', type: 'text', required: true },
    { name: 'size', type: 'integer' },
  ]
  await api('', { name: table, columns })
})

/** Pastes at a cell of the table. Its columns are id, name and size. */
async function paste(page: Page, row: number, column: number, lines: unknown[][]) {
  await page.evaluate((text) => navigator.clipboard.writeText(text), lines.map((line) => line.join('\t')).join('\n'))
  await cell(page, row, column).click()
  await page.keyboard.press('Control+v')
}
async function open(): Promise<Page> {
  const page = await openTable(service, table)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  return page
}
const failure = (page: Page) => page.locator('.grid-notice.is-failure')

/** As Firefox sends it: to the body, although a cell has the focus. */
const sendToBody = (page: Page, name: 'copy' | 'paste', text = '') =>
  page.evaluate(
    ([event, copied]) => {
      const clipboardData = new DataTransfer()
      if (copied) clipboardData.setData('text/plain', copied)
      document.body.dispatchEvent(new ClipboardEvent(event, { clipboardData, bubbles: true, cancelable: true }))
      return clipboardData.getData('text/plain')
    },
    [name, text] as const,
  )

test('a cell is copied and pasted in Firefox, which sends these events to the body', async () => {
  await api(`/${table}/records`, { name: 'axle', size: 1 })
  const page = await openTable(service, table)
  await cell(page, 0, 1).click()
  expect(await sendToBody(page, 'copy')).toBe('axle')
  await sendToBody(page, 'paste', 'wheel')
  await becomes(listed, [['wheel', 1]])
  await page.getByRole('searchbox', { name: 'Search records' }).click()
  expect(await sendToBody(page, 'copy')).toBe('')
})

describe('a block of cells', () => {
  test('fills an empty table, and undo and redo take it as one', async () => {
    const page = await open()
    const lines = [
      ['axle', 1],
      ['brake', 2],
      ['wheel', 3],
    ]
    await paste(page, 0, 1, lines)
    await page.getByText('3 records created.').waitFor()
    expect(await listed()).toEqual(lines)
    await page.getByText('3 records', { exact: true }).waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('3 records deleted.').waitFor()
    expect(await listed()).toEqual([])
    await page.keyboard.press('Control+y')
    await page.getByText('3 records restored.').waitFor()
    expect(await listed()).toEqual(lines)
    for (const [row, [name]] of lines.entries()) expect(await cell(page, row, 1).textContent()).toBe(String(name))
  })

  test('changes the rows that are there and adds those that are missing, in one request', async () => {
    await api(`/${table}/records`, [{ name: 'axle', size: 1 }, { name: 'brake' }])
    const page = await open()
    const sent: string[] = []
    page.on('request', (request) => request.url().endsWith('/batch') && sent.push(request.postData() ?? ''))
    await paste(page, 1, 1, [
      ['pedal', 7, 'over the edge'],
      ['saddle', 8],
    ])
    const message = page.getByText('2 cells updated. 1 record created. 1 column did not fit beside the others and was skipped.')
    await message.waitFor()
    await becomes(listed, [
      ['axle', 1],
      ['pedal', 7],
      ['saddle', 8],
    ])
    expect(sent.filter((text) => text.includes('saddle'))).toHaveLength(1)
    expect(sent.find((text) => text.includes('saddle'))).toContain('pedal')
    await page.keyboard.press('Control+z')
    await becomes(listed, [
      ['axle', 1],
      ['brake', null],
    ])
    await page.keyboard.press('Control+y')
    await becomes(async () => (await listed()).length, 3)
  })

  test('takes choices in any case, and does not guess between two that differ in case alone', async () => {
    await api(`/${table}/columns`, { name: 'land', type: 'select', options: { choices: ['Norway', 'no', 'NO'] } })
    await api(`/${table}/columns`, { name: 'tags', type: 'multiSelect', options: { choices: ['Red', 'Green'] } })
    await api(`/${table}/records`, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    const page = await open()
    await paste(page, 0, 1, [
      ['axle', 1, 'norway', 'GREEN, red'],
      ['brake', 2, 'NO', 'green'],
      ['chain', 3, 'No', ''],
    ])
    await failure(page).getByText('1 of 12 values could not be read and is not saved.').waitFor()
    const kept = async () => {
      const { records } = (await (await api(`/${table}/records?order=id&select=land,tags`)).json()) as { records: object[] }
      return records
    }
    await becomes(kept, [
      { land: 'Norway', tags: ['Green', 'Red'] },
      { land: 'NO', tags: ['Green'] },
      { land: null, tags: [] },
    ])
  })

  test('keeps each wrong text at its cell with its reason, and new rows wait for what is wrong in them', async () => {
    await api(`/${table}/columns`, { name: 'day', type: 'date' })
    await api(`/${table}/records`, [
      { name: 'axle', size: 1 },
      { name: 'brake', day: '2020-01-01' },
    ])
    const page = await open()
    await paste(page, 0, 1, [
      ['chain', 'few', '31.02.2020'],
      ['disc', 2, 'soon'],
      ['pedal', 7, '30.11.2020'],
      ['saddle', 'big', ''],
    ])
    await failure(page).getByText('4 of 11 values could not be read and are not saved.').waitFor()
    await failure(page).getByText('2 new records are created when they are correct.').waitFor()
    await becomes(listed, [
      ['chain', 1],
      ['disc', 2],
    ])
    const marked = () => page.locator('[role="gridcell"][aria-invalid="true"]').allTextContents()
    await page.keyboard.press('Control+Home')
    expect(await marked()).toEqual(['few', '31.02.2020', 'soon', 'big'])
    expect(await cell(page, 0, 3).getAttribute('aria-description')).toBe('There is no such day.')
    await expectAccessible(page)
    // The editor starts with the text that is wrong, and keeps what is still wrong.
    await cell(page, 0, 3).click()
    await page.keyboard.press('Enter')
    const editor = page.locator('.grid-editor')
    expect(await editor.inputValue()).toBe('31.02.2020')
    await editor.fill('30.02.2020')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('There is no such day.').waitFor()
    expect(await editor.inputValue()).toBe('30.02.2020')
    await editor.fill('29.02.2020')
    await page.keyboard.press('Enter')
    await becomes(async () => (await service.recordOf(table, 1)).day, '2020-02-29')
    await page.keyboard.press('Delete')
    await becomes(async () => (await service.recordOf(table, 2)).day, null)
    // The last one that is wrong in the new rows: then they are created, all of them.
    expect(await listed()).toHaveLength(2)
    await cell(page, 3, 2).click()
    await page.locator('.grid-problem').waitFor()
    await page.keyboard.type('8')
    await page.keyboard.press('Enter')
    await becomes(listed, [
      ['chain', 1],
      ['disc', 2],
      ['pedal', 7],
      ['saddle', 8],
    ])
    await page.getByText('4 records', { exact: true }).waitFor()
    await becomes(marked, ['few'])
    // Typed text that is left by a click stays, too.
    await cell(page, 2, 3).click()
    await page.keyboard.type('tomorrow?')
    await cell(page, 0, 1).click()
    await becomes(marked, ['few', 'tomorrow?'])
    expect((await service.recordOf(table, 3)).day).toBe('2020-11-30')
  })

  test('creates the rows that were not discarded, and counts no others', async () => {
    const page = await open()
    await paste(page, 0, 1, [
      ['axle', 'few'],
      ['brake', 2],
      ['chain', 3],
    ])
    await failure(page).getByText('1 of 6 values could not be read', { exact: false }).waitFor()
    await cell(page, 2, 1).click()
    await cell(page, 2, 1).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Discard this row' }).click()
    await becomes(() => page.getByText('chain').count(), 0)
    await cell(page, 0, 2).click()
    await page.keyboard.type('1')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await becomes(listed, [
      ['axle', 1],
      ['brake', 2],
    ])
    await page.getByText('2 records created.').waitFor()
  })

  test('is taken back but for the records that others have changed or deleted', async () => {
    const page = await open()
    const lines = [
      ['axle', 1],
      ['brake', 2],
      ['chain', 3],
      ['disc', 4],
    ]
    await paste(page, 0, 1, lines)
    await page.getByText('4 records created.').waitFor()
    await api(`/${table}/records/2`, { name: 'theirs' }, 'PATCH')
    await api(`/${table}/records/3`, undefined, 'DELETE')
    await page.keyboard.press('Control+z')
    await failure(page).waitFor()
    expect(await listed()).toEqual([['theirs', 2]])
    await page.keyboard.press('Control+y')
    await page.getByText('2 records restored.').waitFor()
    expect(await listed()).toEqual([
      ['axle', 1],
      ['theirs', 2],
      ['disc', 4],
    ])
  })

  test('asks before it adds many rows, and over what others have changed', async () => {
    await api(`/${table}/records`, { name: 'axle', size: 1 })
    const page = await open()
    const lines = Array.from({ length: 602 }, (_, at) => [`part ${at}`, at])
    await paste(page, 1, 1, lines)
    const question = page.getByRole('dialog', { name: 'Add 602 records?' })
    await expectAccessible(page)
    await question.getByRole('button', { name: 'Cancel' }).click()
    // A closed dialog gives the focus back to the cell.
    await page.locator('.grid-cell.is-active:focus').waitFor()
    await page.keyboard.press('Control+v')
    await question.getByRole('button', { name: 'Add 602 records' }).click()
    await page.getByText('602 records created.').waitFor()
    await page.getByText('603 records', { exact: true }).waitFor()
    // Another user goes on with one of them, which undo leaves to them.
    await api(`/${table}/records/5`, { name: 'theirs' }, 'PATCH')
    await page.keyboard.press('Control+z')
    await failure(page).waitFor()
    expect(await listed()).toEqual([
      ['axle', 1],
      ['theirs', 3],
    ])

    await api(`/${table}/records/1`, { name: 'changed meanwhile' }, 'PATCH')
    await page.keyboard.press('Control+Home')
    await page.evaluate(() => navigator.clipboard.writeText('mine\tmine too'))
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+v')
    const conflict = page.getByRole('dialog', { name: 'Changed by someone else' })
    await conflict.getByText('changed meanwhile').waitFor()
  })
})

test('the shape of a paste: what changes, what is added, what is lost', () => {
  const size = { rows: 4, columns: 3 }
  expect(pasteShape([['a']], { top: 3, left: 2 }, size)).toMatchObject({ isOne: true })
  const block = [
    ['a', 'b'],
    ['', ''],
    ['c', 'd'],
  ]
  expect(pasteShape(block, { top: 2, left: 2 }, size)).toEqual({ isOne: false, top: 2, left: 2, right: 2, added: [2], lost: 1 })
  expect(pasteShape(block, { top: 0, left: 0 }, size)).toEqual({ isOne: false, top: 0, left: 0, right: 1, added: [], lost: 0 })
})
