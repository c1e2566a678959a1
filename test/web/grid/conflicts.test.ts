import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways } from '../../support/browser'
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
const names = async () => {
  const { records } = (await (await api(`/${table}/records?order=id`)).json()) as { records: { name: string | null }[] }
  return records.map(({ name }) => name)
}
const change = (id: number, name: string) => api(`/${table}/records/${id}`, { name }, 'PATCH')

beforeEach(async () => {
  table = `queens${++count}`
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'reign', type: 'integer' },
  ]
  await api('', { name: table, columns })
  await api(`/${table}/records`, [{ name: 'Anne' }, { name: 'Boudica' }, { name: 'Cleo' }, { name: 'Dido' }])
})

async function open(): Promise<Page> {
  const page = await openTable(service, table)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  return page
}

async function paste(page: Page, text: string) {
  await page.evaluate((value) => navigator.clipboard.writeText(value), text)
  await cell(page, 0, 1).click()
  await page.keyboard.press('Control+v')
}

const question = (page: Page) => page.getByRole('dialog', { name: 'Changed by someone else' })
const line = (page: Page, name: string) => question(page).getByRole('group', { name })

describe('what others have changed since it was seen', () => {
  test('is asked about in one list before it is pasted over, and stays where theirs is kept', async () => {
    const page = await open()
    await change(1, 'Anne II')
    await change(3, 'Cleopatra')
    await paste(page, 'one\ntwo\nthree\nfour')
    await line(page, 'Anne II · name').getByText('one').waitFor()
    await line(page, 'Cleopatra · name').getByText('three').waitFor()
    expect(await question(page).getByRole('group').count()).toBe(2)
    await expectAccessible(page)
    await line(page, 'Anne II · name').getByLabel('Yours').check()
    expect(await names()).toEqual(['Anne II', 'Boudica', 'Cleopatra', 'Dido'])
    await question(page).getByRole('button', { name: 'Keep selected values' }).click()
    await page.getByText('3 cells updated.').waitFor()
    expect(await names()).toEqual(['one', 'two', 'Cleopatra', 'four'])
    await cell(page, 2, 1).getByText('Cleopatra').waitFor()

    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+z')
    await page.getByText('Undone.').waitFor()
    expect(await names()).toEqual(['Anne II', 'Boudica', 'Cleopatra', 'Dido'])
    await page.keyboard.press('Control+y')
    await page.getByText('Redone.').waitFor()
    expect(await names()).toEqual(['one', 'two', 'Cleopatra', 'four'])
  })

  test('is kept as a whole, on a phone too', async () => {
    const page = await openTable(service, table, { size: 'phone' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await change(1, 'Anne II')
    await change(2, 'Boudicca')
    await paste(page, 'one\ntwo\nthree')
    await line(page, 'Anne II · name').waitFor()
    await expectNoSideways(page)
    await question(page).getByRole('button', { name: 'Keep all theirs' }).click()
    await becomes(names, ['Anne II', 'Boudicca', 'three', 'Dido'])
  })

  test('is not written back to an older value by undo without a question', async () => {
    const page = await open()
    await paste(page, 'one\ntwo\nthree')
    await page.getByText('3 cells updated.').waitFor()
    await change(3, 'Cleopatra')
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+z')
    await question(page).getByRole('button', { name: 'Keep theirs' }).click()
    await page.getByText('Undone.').waitFor()
    expect(await names()).toEqual(['Anne', 'Boudica', 'Cleopatra', 'Dido'])
  })

  test('is not written back after another table was open either, whose history is another', async () => {
    const page = await open()
    await paste(page, 'one\ntwo')
    await page.getByText('2 cells updated.').waitFor()
    await page.getByRole('link', { name: 'contacts', exact: true }).first().click()
    await page.waitForURL(`**/tables/${service.tableId('contacts')}*`)
    await cell(page, 0, 1).click()
    expect(await page.getByLabel('Undo (Ctrl+Z)').isDisabled()).toBe(true)
    await page.goBack()
    await cell(page, 1, 1).getByText('two').click()
    await change(2, 'Boudicca')
    await page.keyboard.press('Control+z')
    await question(page).getByRole('button', { name: 'Keep theirs' }).click()
    await page.getByText('Undone.').waitFor()
    expect(await names()).toEqual(['Anne', 'Boudicca', 'Cleo', 'Dido'])
  })

  test('is asked about before a range is cleared', async () => {
    const page = await open()
    await change(1, 'Anne II')
    await change(2, 'Boudicca')
    await cell(page, 0, 1).click()
    for (let times = 0; times < 2; times++) await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Delete')
    await question(page).getByRole('button', { name: 'Keep all yours' }).click()
    await becomes(names, [null, null, null, 'Dido'])
  })

  test('is asked about before selected records are changed', async () => {
    const page = await open()
    await change(2, 'Boudicca')
    await cell(page, 0, -1).click()
    await cell(page, 2, -1).click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Edit…' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit 3 records' })
    await edit.getByLabel('Column').selectOption('name')
    await edit.getByLabel('Value').fill('Queen')
    await edit.getByRole('button', { name: 'Update 3 records' }).click()
    await question(page).getByRole('button', { name: 'Keep theirs' }).click()
    await page.getByText('2 records updated.').waitFor()
    expect(await names()).toEqual(['Queen', 'Boudicca', 'Queen', 'Dido'])
  })

  test('between the look and the write is asked about, too', async () => {
    const page = await open()
    let isFirst = true
    // Right before the values are sent, and after the versions were read.
    await page.route('**/api/v1/batch', async (route) => {
      if (isFirst && route.request().postData()?.includes('one')) {
        isFirst = false
        await change(2, 'Boudicca')
      }
      await route.continue()
    })
    await paste(page, 'one\ntwo')
    await question(page).getByText('Boudicca').waitFor()
    await question(page).getByRole('button', { name: 'Keep theirs' }).click()
    await becomes(names, ['one', 'Boudicca', 'Cleo', 'Dido'])
  })
})
