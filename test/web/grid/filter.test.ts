import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { linkedOperators } from '../../../src/web/browser/records/filters/filter-operators'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

/** A given one: no day ends while a test runs. */
const now = new Date('2026-06-17T10:00:00Z')
const days = (count: number) => new Date(now.getTime() + count * 86_400_000)

/** The day in the time zone of the tests' browser. */
const day = (count: number) => days(count).toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' })

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
  const columns = [
    { name: 'amount', type: 'integer' },
    { name: 'title', type: 'text' },
    { name: 'state', type: 'select', options: { choices: ['open', 'done, or so', 'late'] } },
    { name: 'tags', type: 'multiSelect', options: { choices: ['red', 'green', 'blue'] } },
    { name: 'due', type: 'date' },
    { name: 'at', type: 'dateTime' },
    { name: 'company', type: 'link', options: { table: 'companies' } },
    { name: 'peers', type: 'manyLinks', options: { table: 'companies' } },
  ]
  const made = await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name: 'tasks', columns } })
  const table = (await made.json()) as { id: string; name: string }
  service.tables.push(table)
  const body = [
    { title: '50% off', state: 'open', tags: ['red', 'blue'], due: day(0), at: days(0).toISOString(), amount: 10, company: 1 },
    {
      title: 'Fix it',
      state: 'done, or so',
      tags: ['green'],
      due: day(-3),
      at: days(-3).toISOString(),
      amount: 20,
      company: 2,
      peers: [1, 2],
    },
    { title: 'Plan it', state: 'late', tags: [], due: day(-40), at: days(-40).toISOString(), amount: 30, company: 1 },
    { title: '', due: day(400), amount: 40 },
    { amount: 50 },
  ]
  expect((await call(`${service.url}/api/v1/tables/tasks/records`, { token: service.token, body })).status).toBe(201)
})
afterAll(() => service.stop())

/** What the first column behind the key shows. */
const amounts = async (page: Page) => {
  const texts = await page.locator('.grid-row [data-column="1"]').allTextContents()
  // The row to type into shows nothing.
  return texts.filter(Boolean).map(Number)
}

/** Chooses from a list of Mantine. @param line which condition, from 0 */
async function choose(page: Page, label: string, option: string, line = 0) {
  await page.getByRole('combobox', { name: label, exact: true }).nth(line).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

const shows = (page: Page, ...wanted: number[]) => becomes(() => amounts(page), wanted)

test('tables are listed as people sort them', async () => {
  const columns = [{ name: 'name', type: 'text' }]
  for (const name of ['Zoo', 'item 10', 'item 9', 'äpfel'])
    expect((await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name, columns } })).status).toBe(201)
  const page = await openTable(service, 'tasks')
  const names = await page.getByRole('list', { name: 'Tables' }).getByRole('link').allTextContents()
  const wanted = ['äpfel', 'companies', 'item 9', 'item 10', 'tasks', 'Zoo']
  expect(names.filter((name) => wanted.includes(name))).toEqual(wanted)
})

// The user's last search is kept, so each test after a search opens the table with one of its own.
describe('the search', () => {
  test('finds names of linked records and choices, and marks what it has found', async () => {
    const page = await openTable(service, 'tasks')
    const marked = () => page.evaluate(() => [...(CSS.highlights.get('search-hit') ?? [])].map((range) => (range as Range).toString()))
    await page.getByRole('searchbox', { name: 'Search records' }).fill('bright')
    await shows(page, 20)
    await becomes(marked, ['Bright'])
    await page.getByRole('searchbox', { name: 'Search records' }).fill('GREEN')
    await becomes(marked, ['green'])
    await shows(page, 20)
    await page.getByRole('searchbox', { name: 'Search records' }).fill('')
    await shows(page, 10, 20, 30, 40, 50)
    await becomes(marked, [])
  })
})

describe('the filter', () => {
  test('has operators for each type, with pickers, and shows its result while it is edited', async () => {
    const page = await openTable(service, 'tasks', { search: '?order=id' })
    await page.getByRole('button', { name: 'Filter' }).click()
    // By keyboard: the first field has the focus.
    await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Column')
    const marked = page.locator('[role="option"][data-combobox-selected]')
    await page.keyboard.press('ArrowDown')
    await becomes(() => marked.allTextContents(), ['amount'])
    await page.keyboard.press('ArrowDown')
    await becomes(() => marked.allTextContents(), ['title'])
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Value' }).fill('50%')
    await shows(page, 10)
    await choose(page, 'Condition', 'does not contain')
    await shows(page, 20, 30, 40, 50)
    await choose(page, 'Condition', 'is empty')
    await shows(page, 40, 50)
    await choose(page, 'Column', 'state')
    await page.getByRole('combobox', { name: 'Value' }).click()
    await page.getByRole('option', { name: 'done, or so' }).click()
    await page.getByRole('option', { name: 'late' }).click()
    await shows(page, 20, 30)
    await page.keyboard.press('Escape')
    await choose(page, 'Condition', 'is none of')
    await shows(page, 10, 40, 50)
    await expectAccessible(page)
    await choose(page, 'Column', 'tags')
    await page.getByRole('combobox', { name: 'Value' }).fill('bl')
    await page.getByRole('option', { name: 'red' }).waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await shows(page, 10)
    await choose(page, 'Condition', 'is empty')
    await shows(page, 30, 40, 50)
    await choose(page, 'Column', 'company')
    await page.getByRole('combobox', { name: 'Value' }).fill('Alder')
    await page.getByRole('option', { name: 'Alder & Stone' }).click()
    await shows(page, 10, 30)
    expect(page.url()).toContain('company=in.')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Filter' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Filter: 1' }).evaluate((button) => button === document.activeElement)).toBe(true)
  })

  test('follows a filter that is removed elsewhere, and adds a condition for the column whose menu asks for it', async () => {
    const page = await openTable(service, 'tasks', { search: '?order=id' })
    await page.getByRole('button', { name: 'Filter' }).click()
    await choose(page, 'Column', 'title')
    await page.getByRole('textbox', { name: 'Value' }).fill('nothing like it')
    await page.getByRole('button', { name: 'Show all records' }).click()
    await shows(page, 10, 20, 30, 40, 50)
    await page.getByText('No conditions yet. All records are shown.').waitFor()
    for (const count of [1, 2]) {
      await page.getByRole('columnheader', { name: 'title' }).hover()
      await page.getByRole('button', { name: 'Menu for column title' }).click()
      await page.getByRole('menuitem', { name: 'Filter by this column…' }).click()
      await becomes(() => page.getByRole('textbox', { name: 'Value' }).count(), count)
      await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Value')
    }
    await page.getByRole('textbox', { name: 'Value' }).first().fill('it')
    await shows(page, 20, 30)
    await page.getByRole('button', { name: 'Done' }).click()
    await shows(page, 20, 30)
  })

  test('stays when a search without a match is cleared', async () => {
    const page = await openTable(service, 'tasks', { search: '?order=id&title=ilike.*it*' })
    await shows(page, 20, 30)
    await page.getByRole('searchbox', { name: 'Search records' }).fill('nobody at all')
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await shows(page, 20, 30)
    await page.waitForURL((url) => url.searchParams.has('title') && !url.searchParams.has('q'))
  })

  test('knows days by name, which stay names in the address and the view', async () => {
    const page = await openTable(service, 'tasks', { search: '?due=within.last_7_days', now })
    await shows(page, 10, 20)
    await page.getByRole('button', { name: 'Filter: 1' }).click()
    await choose(page, 'Value', 'this year')
    await page.waitForURL(/this_year/)
    await choose(page, 'Condition', 'is')
    await choose(page, 'Day', 'today')
    await shows(page, 10)
    await choose(page, 'Column', 'at')
    await choose(page, 'Condition', 'is before')
    await choose(page, 'Day', 'today')
    await shows(page, 20, 30)
    const kept = async () => {
      const view = await call(`${service.url}/api/v1/tables/${service.tableId('tasks')}/view`, { token: service.token })
      return ((await view.json()) as { search?: unknown }).search
    }
    await becomes(kept, { at: 'lt.today' })
    await choose(page, 'Day', 'exact date…')
    await page.getByLabel('Date', { exact: true }).fill(day(-3))
    await shows(page, 30)
    // The API gets the instant.
    const read = page.waitForRequest((request) => request.url().includes('/records?'))
    await page.getByRole('button', { name: 'Refresh' }).click()
    expect((await read).url()).toMatch(/at=lt\.\d{4}-\d\d-\d\dT/)
  })

  test('finds links by a part of the name of their records, in the address, in groups and by keyboard', async () => {
    const page = await openTable(service, 'tasks', { search: '?company(name)=ilike.*ald*&order=id' })
    await shows(page, 10, 30)
    await page.getByRole('button', { name: 'Filter: 1' }).click()
    await page.getByRole('textbox', { name: 'Value' }).fill('bright')
    await shows(page, 20)
    await choose(page, 'Condition', 'does not contain')
    await shows(page, 10, 30, 40, 50)
    await page.reload()
    await shows(page, 10, 30, 40, 50)
    const view = `${service.url}/api/v1/tables/${service.tableId('tasks')}/view`
    const saved = async () => ((await (await call(view, { token: service.token })).json()) as { search?: object }).search
    await becomes(saved, { 'company(name)': 'not.ilike.*bright*', order: 'id' })
    await page.getByRole('button', { name: 'Filter: 1' }).click()
    await choose(page, 'Column', 'peers')
    await page.getByRole('combobox', { name: 'Condition' }).focus()
    const marked = page.locator('[role="option"][data-combobox-selected]')
    await page.keyboard.press('ArrowDown')
    await becomes(() => marked.allTextContents(), ['has any of'])
    for (const _ of linkedOperators) await page.keyboard.press('ArrowUp')
    await becomes(() => marked.allTextContents(), ['contains'])
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Value' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('stone')
    await shows(page, 20)
    await page.getByRole('button', { name: 'Add condition' }).click()
    await choose(page, 'Column', 'amount', 1)
    await page.getByRole('textbox', { name: 'Value' }).nth(1).fill('40')
    await choose(page, 'All or any of the conditions', 'or')
    await shows(page, 20, 40)
    await expectAccessible(page)
  })

  test('joins conditions by and, or, and groups', async () => {
    const page = await openTable(service, 'tasks', { search: '?amount=gt.10' })
    await shows(page, 20, 30, 40, 50)
    await page.getByRole('button', { name: 'Filter: 1' }).click()
    await page.getByRole('button', { name: 'Add group' }).click()
    await choose(page, 'Column', 'title', 1)
    await page.getByRole('textbox', { name: 'Value' }).nth(1).fill('fix')
    await shows(page, 20)
    const group = page.getByRole('group', { name: 'Group of conditions' })
    await group.getByRole('button', { name: 'Add condition' }).click()
    await choose(page, 'Column', 'title', 2)
    await group.getByRole('textbox', { name: 'Value' }).nth(1).fill('plan')
    await shows(page, 20, 30)
    await choose(page, 'All or any of the conditions', 'or')
    await shows(page, 20, 30, 40, 50)
    await choose(page, 'All or any of the conditions', 'and')
    await page.getByRole('button', { name: 'Remove condition' }).first().click()
    // The rows are the same ones, so they do not tell whether the address has followed.
    await page.waitForURL((url) => !url.search.includes('amount'))
    await shows(page, 20, 30)
    await page.reload()
    await shows(page, 20, 30)
    await page.getByRole('button', { name: 'Filter: 2' }).click()
    await page.getByRole('button', { name: 'Remove all' }).click()
    await shows(page, 10, 20, 30, 40, 50)
  })

  test('marks a wrong value at its field, keeps the rows, and remembers nothing broken', async () => {
    const page = await openTable(service, 'tasks', { search: '?amount=lt.30' })
    await page.getByRole('button', { name: 'Filter: 1' }).click()
    const value = page.getByRole('textbox', { name: 'Value' })
    await value.fill('9,000.x')
    await page.getByText('Enter a whole number.').waitFor()
    await shows(page, 10, 20, 30, 40, 50)
    // Only the service knows how large a number may be.
    await value.fill('99999999999')
    await page.getByRole('alert').getByText('must be from').waitFor()
    await shows(page, 10, 20, 30, 40, 50)
    await page.getByRole('button', { name: 'Filter: 1, 1 condition is not applied' }).waitFor()
    await expectAccessible(page)
    await value.fill('15')
    await shows(page, 10)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Filter: 1', exact: true }).waitFor()
    // A window that closes would save it over the view of the next test.
    const url = `${service.url}/api/v1/tables/${service.tableId('tasks')}/view`
    const saved = async () => ((await (await call(url, { token: service.token })).json()) as { search?: object }).search
    await becomes(saved, { amount: 'lt.15' })
  })

  test('of a view that has broken meanwhile leaves out what is broken, and shows it', async () => {
    const url = `${service.url}/api/v1/tables/${service.tableId('tasks')}/view`
    const search = { amount: ['gt.99999999999', 'gt.30'], gone: 'eq.x', 'no.way': 'eq.1' }
    await call(url, { token: service.token, method: 'PUT', body: { search } })
    const page = await openTable(service, 'tasks')
    await shows(page, 40, 50)
    await page.getByRole('button', { name: 'Filter: 4, 3 conditions are not applied' }).click()
    await page.getByText('There is no such column any more.').waitFor()
    await page.getByRole('alert').getByText('must be from').waitFor()
    await page.getByRole('button', { name: 'Remove condition' }).last().click()
    const kept = async () => ((await (await call(url, { token: service.token })).json()) as { search?: unknown }).search
    await becomes(kept, { amount: 'gt.30' })
  })

  test.each(['desktop', 'phone'] as const)('covers none of the records that it filters: %s', async (size) => {
    const page = await openTable(service, 'tasks', { size, search: '?amount=gt.10' })
    await page.getByRole('button', { name: 'Filter: 1' }).click()
    await page.getByRole('textbox', { name: 'Value' }).fill('30')
    await shows(page, 40, 50)
    const box = async (selector: string) => (await page.locator(selector).boundingBox())!
    const [panel, rows] = [await box('.filter-panel'), await box('.grid-frame')]
    expect(rows.y).toBeGreaterThanOrEqual(panel.y + panel.height)
    expect(rows.height).toBeGreaterThan(150)
    // It stays while the records are read and edited.
    await cell(page, 0, 1).click()
    expect(await page.locator('.filter-panel').isVisible()).toBe(true)
    await expectAccessible(page)
  })

  test('opens below the title and the tools, which stay in their places', async () => {
    const page = await openTable(service, 'contacts')
    const places = async () => {
      const parts = [
        page.getByRole('heading', { level: 1 }),
        page.getByRole('button', { name: 'Filter' }),
        page.getByRole('searchbox', { name: 'Search records' }),
      ]
      return Promise.all(parts.map((part) => part.boundingBox()))
    }
    const before = await places()
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    expect(await places()).toEqual(before)
  })

  test('finds a column by a name that is typed over the one before', async () => {
    const page = await openTable(service, 'contacts', { search: '?order=id' })
    const field = page.getByRole('combobox', { name: 'Column' })
    await page.getByRole('button', { name: 'Filter' }).click()
    await becomes(() => field.evaluate((element) => element === document.activeElement), true)
    await page.keyboard.type('birth')
    await page.keyboard.press('Enter')
    await becomes(() => field.inputValue(), 'birthday')
    await field.click()
    await page.keyboard.type('rol')
    await page.keyboard.press('Enter')
    await becomes(() => field.inputValue(), 'role')
  })

  test('shows the word between two conditions on a phone in German', async () => {
    const page = await openTable(service, 'contacts', { size: 'phone', language: 'de-DE', search: '?name=ilike.*a*&email=ilike.*e*' })
    await page.getByRole('button', { name: 'Filter: 2' }).click()
    const word = page.locator('.filter-join input:not([type=hidden])')
    expect(await word.inputValue()).toBe('und')
    expect(await word.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false)
  })

  test('works on a phone', async () => {
    const page = await openTable(service, 'tasks', { size: 'phone', scheme: 'dark', search: '?or=(amount.eq.10,amount.eq.20)' })
    await shows(page, 10, 20)
    await page.getByRole('button', { name: 'Filter: 2' }).click()
    await choose(page, 'Column', 'state', 1)
    await page.getByRole('combobox', { name: 'Value' }).click()
    await page.getByRole('option', { name: 'late' }).click()
    await shows(page, 10, 30)
    await expectNoSideways(page)
    await expectAccessible(page)
    expect(await cell(page, 0, 0).count()).toBe(1)
  })
})

test('all records are shown in the order that the filtered ones had', async () => {
  const page = await openTable(service, 'tasks', { search: '?order=id.desc&title=eq.nothing' })
  await page.getByRole('button', { name: 'Show all records' }).click()
  await shows(page, 50, 40, 30, 20, 10)
  expect(new URL(page.url()).search).toBe('?order=id.desc')
})
