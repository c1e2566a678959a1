import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
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
const names = async () => {
  const { records } = (await (await api(`/${table}/records?order=id`)).json()) as { records: { name: string; size: number | null }[] }
  return records.map(({ name, size }) => (size === null ? name : `${name} ${size}`))
}

/** A table of its own for each test: `name` has to be filled in, `size` need not. */
beforeEach(async () => {
  table = `sheet${++count}`
  const columns = [
    { name: 'name', type: 'text', required: true },
    { name: 'size', type: 'integer' },
  ]
  await api('', { name: table, columns })
})

const newRow = (page: Page) => page.getByRole('button', { name: 'New record' }).first()
const begun = (page: Page) => page.locator('.grid-row.is-draft')

test('an empty table has its head and a row to type into', async () => {
  await api(`/${table}/columns`, { name: 'plan', type: 'attachment' })
  const page = await openTable(service, table)
  await page.getByRole('columnheader', { name: 'size' }).waitFor()
  await page.getByText('No records yet').waitFor()
  await expectAccessible(page)
  // Files belong to a record that is there: Enter opens no text field for them.
  await cell(page, 0, 3).click()
  await page.keyboard.press('Enter')
  await page.getByText('Add files after the record is saved.').waitFor()
  expect(await page.locator('.grid-editor').count()).toBe(0)
  await cell(page, 0, -1).click()
  await page.keyboard.type('wheel')
  await page.keyboard.press('Enter')
  await page.getByText('No records yet').waitFor({ state: 'detached' })
  await becomes(names, ['wheel'])
})

async function openEmpty(): Promise<Page> {
  const page = await openTable(service, 'companies')
  await page.getByRole('navigation').getByRole('link', { name: table, exact: true }).click()
  await page.getByRole('heading', { name: table, level: 1 }).waitFor()
  await newRow(page).click()
  return page
}

test('a row that is asked for before the list is there is begun when it is', async () => {
  const page = await openTable(service, 'companies')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/records?*', async (route) => {
    await released
    await route.continue()
  })
  await page.getByRole('navigation').getByRole('link', { name: table, exact: true }).click()
  await page.getByRole('heading', { name: table, level: 1 }).waitFor()
  await newRow(page).click()
  release()
  await page.locator('.grid-cell:focus').waitFor()
  await page.keyboard.type('wheel')
  await page.keyboard.press('Enter')
  await becomes(names, ['wheel'])
})

describe('a row that was begun in an empty table is saved', () => {
  test.each<[string, (page: Page) => Promise<unknown>]>([
    ['by Enter', (page) => page.keyboard.press('Enter')],
    [
      'by Tab past the last column',
      async (page) => {
        for (let times = 0; times < 3; times++) await page.keyboard.press('Tab')
      },
    ],
    ['by Ctrl+Enter', (page) => page.keyboard.press('Tab').then(() => page.keyboard.press('Control+Enter'))],
    ['by “New record”', (page) => newRow(page).click()],
    ['by a click on the title', (page) => page.getByRole('heading', { level: 1 }).click()],
    ['by Arrow down', (page) => page.keyboard.press('Enter').then(() => page.keyboard.press('ArrowDown'))],
    [
      'by Escape, then Tab out of the grid',
      (page) =>
        page.keyboard
          .press('Enter')
          .then(() => page.keyboard.press('Escape'))
          .then(() => page.keyboard.press('Tab')),
    ],
    ['by going to another table', (page) => page.getByRole('navigation').getByRole('link', { name: 'contacts' }).click()],
    ['by going back', (page) => page.evaluate(() => history.back())],
  ])('%s', async (_how, leave) => {
    const page = await openEmpty()
    await page.keyboard.type('wheel')
    await leave(page)
    await becomes(names, ['wheel'])
  })

  test('one after the other, without the mouse, and no count counts what is not saved', async () => {
    const page = await openEmpty()
    await page.keyboard.type('wheel')
    await page.keyboard.press('Tab')
    await page.getByText('0 records', { exact: true }).waitFor()
    await page.keyboard.type('28')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+Enter')
    await page.getByText('1 record', { exact: true }).waitFor()
    await begun(page).waitFor({ state: 'detached' })
    await page.keyboard.type('spoke')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+Enter')
    await page.getByText('2 records', { exact: true }).waitFor()
    await page.keyboard.type('bell')
    await page.keyboard.press('Enter')
    await page.getByText('3 records', { exact: true }).waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Tab')
    await page.keyboard.type('3')
    await page.keyboard.press('Enter')
    await becomes(names, ['wheel 28', 'spoke', 'bell 3'])
    expect(await begun(page).count()).toBe(0)
  })
})

describe('a row that was begun', () => {
  const begin = async (search = '') => {
    await api(`/${table}/records`, [{ name: 'axle', size: 1 }, { name: 'brake' }])
    const page = await openTable(service, table, { search })
    await newRow(page).click()
    await page.keyboard.type('wheel')
    await page.keyboard.press('Tab')
    return page
  }
  const sort = async (page: Page) => {
    await page.getByRole('button', { name: 'Menu for column name' }).click()
    await page.getByRole('menuitem', { name: 'Sort descending' }).click()
  }

  test('is saved before the list is sorted, and stands in it once', async () => {
    const page = await begin()
    await sort(page)
    await becomes(names, ['axle 1', 'brake', 'wheel'])
    await cell(page, 0, 1).getByText('wheel').waitFor()
    await page.getByText('3 records', { exact: true }).waitFor()
    expect(await page.getByText('wheel', { exact: true }).count()).toBe(1)
  })

  test('is saved before a filter goes', async () => {
    const page = await begin('?size=eq.1')
    await page.getByRole('button', { name: 'Filter: 1' }).click()
    await page.getByRole('button', { name: 'Remove all' }).click()
    await becomes(names, ['axle 1', 'brake', 'wheel'])
  })

  test('that lacks what it needs stays through sorting, says why, and going elsewhere asks', async () => {
    await api(`/${table}/records`, [{ name: 'axle', size: 1 }, { name: 'brake' }])
    const page = await openTable(service, table)
    await newRow(page).click()
    await page.keyboard.press('Tab')
    await page.keyboard.type('7')
    await page.keyboard.press('Enter')
    await sort(page)
    await cell(page, 2, 2).getByText('7').waitFor()
    await page.locator('.grid-notice.is-failure').waitFor()
    await page.getByText('2 records', { exact: true }).waitFor()
    await cell(page, 2, 1).click()
    await page.locator('.grid-problem').getByText('Enter a value.').waitFor()
    const leave = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.getByRole('navigation').getByRole('link', { name: 'contacts' }).click()
    await expectAccessible(page)
    await leave.getByRole('button', { name: 'Stay' }).click()
    await cell(page, 2, 1).click()
    await page.keyboard.type('wheel')
    await page.getByRole('navigation').getByRole('link', { name: 'contacts' }).click()
    await page.getByRole('heading', { name: 'contacts' }).waitFor()
    expect(await names()).toEqual(['axle 1', 'brake', 'wheel 7'])
  })

  test('that lacks what it needs says so at the cell to which Enter leads', async () => {
    await api(`/${table}/columns`, { name: 'code', type: 'text', required: true })
    const page = await openTable(service, table)
    await newRow(page).click()
    await page.keyboard.press('Tab')
    await page.keyboard.type('7')
    await page.keyboard.press('Enter')
    await cell(page, 0, 1).getByText('Enter a value.').waitFor()
    expect(await cell(page, 0, 3).getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    await page.keyboard.type('wheel')
    await page.keyboard.press('Enter')
    await cell(page, 0, 3).getByText('Enter a value.').waitFor()
    expect(await cell(page, 0, 1).getAttribute('aria-invalid')).toBe(null)
    await page.keyboard.type('W')
    await page.keyboard.press('Enter')
    await becomes(names, ['wheel 7'])
  })

  test('need not be saved before the next one is typed, whatever the service makes of it', async () => {
    await api(`/${table}/columns`, { name: 'code', type: 'text', unique: true })
    await api(`/${table}/records`, { name: 'axle', code: 'A' })
    const page = await openTable(service, table)
    let held: () => void = () => {}
    const isHeld = new Promise<void>((done) => {
      held = done
    })
    await page.route('**/records', async (route) => {
      if (route.request().method() === 'POST') await isHeld
      await route.fallback()
    })
    await cell(page, 1, 1).click()
    await page.keyboard.type('wheel')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('A')
    await page.keyboard.press('Control+Enter')
    await page.keyboard.type('spoke')
    await page.keyboard.press('Control+Enter')
    await page.keyboard.type('bell')
    held()
    await page.keyboard.press('Enter')
    // The first is refused and stays with its message; the others are created, and each is where it was typed.
    await becomes(names, ['axle', 'spoke', 'bell'])
    await becomes(() => begun(page).count(), 1)
    await page.getByText('3 records', { exact: true }).waitFor()
    const refused = begun(page).locator('[data-column="3"]')
    expect(await refused.getAttribute('aria-invalid')).toBe('true')
    await refused.click()
    await page.keyboard.type('W')
    await page.keyboard.press('Enter')
    await becomes(names, ['axle', 'spoke', 'bell', 'wheel'])
  })

  test('is none any more when it is cleared', async () => {
    const page = await begin()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Delete')
    await page.keyboard.press('ArrowUp')
    await becomes(() => begun(page).count(), 0)
    await page.getByRole('navigation').getByRole('link', { name: 'contacts' }).click()
    await page.getByRole('heading', { name: 'contacts' }).waitFor()
    expect(await names()).toEqual(['axle 1', 'brake'])
  })

  test('is cleared by Delete, although records are selected, and the key asks nothing', async () => {
    await api(`/${table}/records`, [{ name: 'axle', size: 1 }, { name: 'brake' }])
    const page = await openTable(service, table)
    await cell(page, 0, -1).click()
    await newRow(page).click()
    await page.keyboard.type('wheel')
    await page.keyboard.press('Tab')
    await page.keyboard.type('7')
    await cell(page, 2, 1).click()
    await cell(page, 2, 2).click()
    await page.keyboard.press('Delete')
    await cell(page, 2, 2).getByText('7').waitFor({ state: 'detached' })
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await names()).toEqual(['axle 1', 'brake'])
    await page.keyboard.press('Control+Enter')
    await becomes(names, ['axle 1', 'brake', 'wheel'])
    // The row is seen, so only a screen reader says it.
    await page.locator('.visually-hidden[role="status"]').getByText('Record created.').waitFor({ state: 'attached' })
  })

  test('makes the browser ask before the page goes', async () => {
    const page = await begin()
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await page.keyboard.type('5')
    await page.reload()
    expect(asked).toEqual(['beforeunload'])
  })
})

test('a row that is typed offline stays, and is saved once when the service is back', async () => {
  const page = await openEmpty()
  await page.context().setOffline(true)
  await page.keyboard.type('wheel')
  await page.keyboard.press('Enter')
  await page.keyboard.type('axle')
  await page.keyboard.press('Tab')
  await page.keyboard.type('7')
  await page.keyboard.press('Enter')
  await page.getByText('wheel').waitFor()
  await page.getByText('axle').waitFor()
  // Another page is not opened without a question.
  await page.getByRole('navigation').getByRole('link', { name: 'contacts', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
  await page.context().setOffline(false)
  await becomes(async () => (await names()).toSorted(), ['axle 7', 'wheel'])
  await begun(page).locator('[aria-invalid]').waitFor({ state: 'detached' })
  expect((await names()).length).toBe(2)
})
