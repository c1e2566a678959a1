import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeAllTypes } from '../../support/all-types'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
let columns: string[]
beforeAll(async () => {
  service = await startGrid(0)
  const { id } = await makeAllTypes(service)
  const table = (await (await call(`${service.url}/api/v1/tables/${id}`, { token: service.token })).json()) as {
    columns: { name: string }[]
  }
  columns = table.columns.map(({ name }) => name)
  for (const person of [
    { email: 'grace@example.org', name: 'Grace Hopper', role: 'editor', password: 'another good horse' },
    { email: 'alan@example.org', name: 'Alan Turing', role: 'viewer', password: 'another good horse' },
    { kind: 'service', name: 'Grace’s feed', role: 'editor' },
  ])
    await call(`${service.url}/api/v1/users`, { token: service.token, body: person })
  const moments = {
    title: 'To the microsecond',
    clock: '08:30:00.123456',
    moment: '2026-01-31T11:00:00.123456Z',
    owner: await idOf('Grace Hopper'),
  }
  await call(`${service.url}/api/v1/tables/everything/records`, { token: service.token, body: moments })
})
afterAll(() => service.stop())

async function idOf(wanted: string): Promise<string> {
  const answer = await call(`${service.url}/api/v1/users/names`, { token: service.token })
  const { users } = (await answer.json()) as { users: { id: string; name: string }[] }
  return users.find(({ name }) => name === wanted)!.id
}

const storedIn = async (name: string) => (await service.recordOf('everything', 1))[name]
const textOf = async (key: number) =>
  (await call(`${service.url}/api/v1/tables/everything/records/${key}`, { token: service.token })).text()

/** Goes to a cell by keyboard, wherever its column is. */
async function goTo(page: Page, row: number, name: string) {
  await page.locator('.grid [tabindex="0"]').focus()
  await page.keyboard.press('Control+Home')
  for (let at = 0; at < row; at++) await page.keyboard.press('ArrowDown')
  for (let at = 0; at < columns.indexOf(name); at++) await page.keyboard.press('ArrowRight')
  return cell(page, row, columns.indexOf(name))
}
const editorOf = (page: Page, name: string, row = 0) => page.getByLabel(`${name}, row ${row + 1}`)
const isFocused = (page: Page, row: number, name: string) =>
  cell(page, row, columns.indexOf(name)).evaluate((element) => element === document.activeElement)

/** What the service itself says of a value. */
async function refusalOf(name: string, value: unknown): Promise<string> {
  const answer = await call(`${service.url}/api/v1/tables/everything/records/1`, {
    token: service.token,
    method: 'PATCH',
    body: { [name]: value },
  })
  return ((await answer.json()) as { errors: { message: string }[] }).errors[0]!.message
}

describe('a cell of the type', () => {
  test.each([
    ['text', 'title', 'Renamed', 'Renamed', 'x'.repeat(81), null],
    ['longText', 'body', 'One line', 'One line', null, null],
    ['integer', 'whole', '42', 42, '1001', null],
    ['bigint', 'long', '-7', -7, '1.5', 'Enter a whole number.'],
    ['decimal', 'exact', '10.5', 10.5, 'ten', 'Enter a number.'],
    ['float', 'rough', '1e-7', 1e-7, 'abc', 'Enter a number.'],
    ['date', 'day', '2027-03-01', '2027-03-01', '2027-02-30', 'There is no such day.'],
    ['time', 'clock', '23:59:58.125', '23:59:58.125', '25:00', 'Enter a time, such as 14:30.'],
    [
      'dateTime',
      'moment',
      '2026-07-01T12:30:15.250',
      '2026-07-01T10:30:15.25+00:00',
      'tomorrow',
      'Not a date with a time. It looks like 31 Dec 2026, 14:30.',
    ],
    ['uuid', 'code', '0198c0de-0000-7000-8000-000000000002', '0198c0de-0000-7000-8000-000000000002', 'none', null],
    ['email', 'mail', 'grace@example.org', 'grace@example.org', 'nobody', null],
    ['url', 'site', 'https://example.org/b', 'https://example.org/b', 'nowhere', null],
    ['phone', 'call', '+49 30 4321', '+49 30 4321', 'abc', null],
  ])('%s is written, refused with its reason, and left', async (_type, name, typed, stored, wrong, words) => {
    const page = await openTable(service, 'everything')
    const here = await goTo(page, 0, name)
    await page.keyboard.press('F2')
    await editorOf(page, name).fill(typed)
    await page.keyboard.press('Enter')
    await becomes(() => storedIn(name), stored)
    expect(await isFocused(page, 1, name)).toBe(true)

    await page.keyboard.press('ArrowUp')
    if (wrong !== null) {
      // Typed over what is there: the first key is part of it.
      await page.keyboard.type(wrong)
      await page.keyboard.press('Tab')
      if (words) {
        // The text stays where it was typed.
        expect(await here.getByRole('alert').textContent()).toBe(words)
        expect(await editorOf(page, name).inputValue()).toBe(wrong)
        await page.keyboard.press('Escape')
      } else {
        await page.keyboard.press('Shift+Tab')
        expect(await here.locator('.grid-problem').textContent()).toBe(await refusalOf(name, wrong))
      }
      expect(await storedIn(name)).toEqual(stored)
    }
    const shown = await here.locator('.grid-text').textContent()
    await page.keyboard.press('Enter')
    await editorOf(page, name).waitFor()
    await editorOf(page, name).fill(typed.replace(/\d$/, '0'))
    await page.keyboard.press('Escape')
    expect(await isFocused(page, 0, name)).toBe(true)
    expect(await here.locator('.grid-text').textContent()).toBe(shown)
    expect(await storedIn(name)).toEqual(stored)
  })

  test('json is written; what is none stays in the editor, and the digits stay', async () => {
    const page = await openTable(service, 'everything')
    const here = await goTo(page, 0, 'data')
    expect(await here.textContent()).toBe('{"deep":{"yes":true},"list":[1,2]}')
    await page.keyboard.press('Enter')
    await editorOf(page, 'data').fill('{"list": [1, ')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Invalid JSON.').waitFor()
    await expectAccessible(page)
    await editorOf(page, 'data').fill('[1.10, 12345678901234567890]')
    await page.keyboard.press('Enter')
    await becomes(async () => (await textOf(1)).includes('"data":[1.10, 12345678901234567890]'), true)
    await page.keyboard.press('ArrowUp')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.keyboard.press('Control+c')
    await page.getByText('1 cell copied.').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('[1.10,12345678901234567890]')
    await page.evaluate(() => navigator.clipboard.writeText('{no}'))
    await page.keyboard.press('Control+v')
    await page.locator('.grid-problem').getByText('Invalid JSON.').waitFor()
    await page.keyboard.type('"a')
    await cell(page, 0, columns.indexOf('data') - 1).click()
    await page.locator('.grid-notice.is-failure').waitFor()
    expect(await textOf(1)).toContain('"data":[1.10, 12345678901234567890]')
  })

  test('longText has a new line by Alt+Enter and Ctrl+Enter, and is left by Shift+Enter', async () => {
    const page = await openTable(service, 'everything')
    await goTo(page, 1, 'body')
    await page.keyboard.type('one')
    await page.keyboard.press('Alt+Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Control+Enter')
    await page.keyboard.type('x')
    await page.keyboard.press('Control+z')
    await page.keyboard.type('three')
    await page.keyboard.press('Shift+Enter')
    await becomes(async () => (await service.recordOf('everything', 2)).body, 'one\ntwo\nthree')
    expect(await isFocused(page, 0, 'body')).toBe(true)
  })

  test('time and dateTime with more digits than their form shows is edited with all of them', async () => {
    const page = await openTable(service, 'everything')
    const before = await textOf(2)
    for (const [name, text] of [
      ['clock', '08:30:00.123456'],
      ['moment', '2026-01-31T11:00:00.123456+00:00'],
    ] as const) {
      await goTo(page, 1, name)
      await page.keyboard.press('F2')
      expect(await editorOf(page, name, 1).inputValue()).toBe(text)
      await page.keyboard.press('Enter')
    }
    expect(await textOf(2)).toBe(before)
    await goTo(page, 1, 'moment')
    await page.keyboard.press('F2')
    await editorOf(page, 'moment', 1).fill('2026-01-31T11:00:00.654321+00:00')
    await page.keyboard.press('Enter')
    await becomes(async () => (await service.recordOf('everything', 2)).moment, '2026-01-31T11:00:00.654321+00:00')
  })

  test('select, multiSelect, link and manyLinks is chosen', async () => {
    const page = await openTable(service, 'everything')
    await goTo(page, 0, 'state')
    await page.keyboard.type('don')
    await page.getByRole('option', { name: 'done' }).waitFor()
    await page.keyboard.press('Enter')
    await becomes(() => storedIn('state'), 'done')
    const chip = cell(page, 0, columns.indexOf('state')).locator('.grid-chip')
    expect(await chip.evaluate((each) => getComputedStyle(each).getPropertyValue('--chip'))).toBe('seagreen')
    expect(await chip.evaluate((each) => getComputedStyle(each).backgroundColor)).toStartWith('color(srgb 0.')
    await goTo(page, 0, 'marks')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'green' }).click()
    await page.keyboard.press('Enter')
    await becomes(() => storedIn('marks'), ['red', 'blue', 'green'])
    await goTo(page, 0, 'company')
    await page.keyboard.press('F2')
    await page.keyboard.type('fjord')
    await page.getByRole('option', { name: 'Brightwater' }).waitFor({ state: 'detached' })
    await page.getByRole('option', { name: 'Fjordlys' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await storedIn('company')).toBe(2)
    await goTo(page, 0, 'people')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Aiko Mori' }).click()
    await page.keyboard.press('Control+Enter')
    await becomes(() => storedIn('people'), [1, 5, 10])
  })

  test('link is searched again each time, so that a record that was made meanwhile is found', async () => {
    const page = await openTable(service, 'everything')
    await goTo(page, 0, 'company')
    await page.keyboard.type('zenith')
    await page.getByText('No matches.').waitFor()
    await page.keyboard.press('Escape')
    expect((await service.api('/companies/records', { name: 'Zenith' })).status).toBe(201)
    await goTo(page, 0, 'company')
    await page.keyboard.type('zenith')
    await page.getByRole('option', { name: 'Zenith' }).waitFor()
    await page.keyboard.press('Escape')
  })

  test('multiSelect is chosen by keys, and screen readers hear where one stands', async () => {
    const page = await openTable(service, 'everything')
    await goTo(page, 1, 'marks')
    await page.keyboard.press('Enter')
    const box = page.getByRole('combobox', { name: 'marks, row 2' })
    const list = page.getByRole('listbox', { name: 'marks, row 2' })
    const marked = async () => {
      const id = await box.getAttribute('aria-activedescendant')
      return id === null ? null : page.locator(`[id="${id}"]`).textContent()
    }
    const chosen = () => list.locator('[aria-selected="true"]').allTextContents()
    await list.waitFor()
    expect(await box.getAttribute('aria-expanded')).toBe('true')
    expect(await box.getAttribute('aria-controls')).toBe(await list.getAttribute('id'))
    expect(await list.getAttribute('aria-multiselectable')).toBe('true')
    expect(await marked()).toBeNull()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await marked()).toBe('green')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    expect(await chosen()).toEqual(['red', 'green'])
    await page.keyboard.press('Backspace')
    expect(await chosen()).toEqual(['green'])
    await page.keyboard.type('nothing like it')
    await becomes(marked, 'Add “nothing like it”')
    await expectAccessible(page)
    await box.fill('bl')
    expect(await marked()).toBe('blue')
    await page.keyboard.press('Enter')
    expect(await box.inputValue()).toBe('')
    await page.keyboard.press('Tab')
    await becomes(async () => (await service.recordOf('everything', 2)).marks, ['green', 'blue'])
    expect(await isFocused(page, 1, columns[columns.indexOf('marks') + 1]!)).toBe(true)
  })

  test('that the database fills in says so', async () => {
    const page = await openTable(service, 'everything')
    for (const name of ['double', 'number', 'made', 'maker']) {
      await goTo(page, 0, name)
      await page.keyboard.type('x')
      await page.getByText(`“${name}” is set by the database and cannot be edited.`).waitFor()
    }
  })
})

describe('people', () => {
  test('are shown by name and chosen by it, by whoever may write', async () => {
    const page = await openTable(service, 'everything', { as: { email: 'grace@example.org', password: 'another good horse' } })
    await goTo(page, 0, 'maker')
    await cell(page, 0, columns.indexOf('maker')).getByText('Ada Lovelace').waitFor()
    const here = await goTo(page, 1, 'owner')
    await here.getByText('Grace Hopper').waitFor()
    await page.keyboard.type('ada')
    await page.getByRole('option', { name: 'Grace Hopper' }).waitFor({ state: 'detached' })
    await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await here.getByText('Ada Lovelace').waitFor()
    await becomes(async () => (await service.recordOf('everything', 2)).owner, await idOf('Ada Lovelace'))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Delete')
    await here.getByText('Ada Lovelace').waitFor()

    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('combobox', { name: 'Column' }).click()
    await page.getByRole('option', { name: 'owner', exact: true }).click()
    await page.getByRole('combobox', { name: 'Value' }).click()
    await page.getByRole('option', { name: 'Ada Lovelace' }).click()
    await page.getByText('1 record', { exact: true }).waitFor()
  })

  test('are offered in the same order in the grid, in its form and for several records', async () => {
    const page = await openTable(service, 'everything', { as: { email: 'grace@example.org', password: 'another good horse' } })
    const options = () => page.getByRole('listbox').getByRole('option').allTextContents()
    await goTo(page, 1, 'owner')
    await page.keyboard.press('Enter')
    await page.getByRole('option').first().waitFor()
    const people = await options()
    expect(people.length).toBeGreaterThan(2)
    expect(people).not.toContain('Grace’s feed')
    await page.keyboard.press('Escape')
    for (const row of [0, 1]) await cell(page, row, -1).click()
    await page.getByRole('button', { name: 'Edit…' }).click()
    await page.getByRole('dialog').getByLabel('Column').selectOption('owner')
    await page.getByRole('dialog').getByRole('combobox', { name: 'Value' }).click()
    await becomes(options, people)
    await page.goto(`${service.url}/tables/everything/records/1`)
    await page.locator('[data-field="owner"]').getByRole('combobox').click()
    await becomes(options, people)
  })

  test('have their names in the form too, for viewers', async () => {
    const page = await openTable(service, 'everything', { as: { email: 'alan@example.org', password: 'another good horse' } })
    await page.goto(`${service.url}/tables/everything/records/2`)
    await page.locator('[data-field="owner"]').getByText('Ada Lovelace').waitFor()
  })
})
