import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { fittingCount } from '../../../src/web/browser/fields/cells/text-width'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(300)
  const { user } = (await (await api('/auth/me')).json()) as { user: { id: string } }
  const columns = [
    { name: 'title', type: 'text' },
    { name: 'story', type: 'longText' },
    { name: 'stage', type: 'select', options: { choices: ['idea', 'draft', { value: 'print', color: 'gold' }] } },
    { name: 'genres', type: 'multiSelect', options: { choices: ['crime', 'history', 'poetry', 'travel', 'cooking'] } },
    { name: 'editor', type: 'user' },
    { name: 'pages', type: 'integer' },
  ]
  await api('/api/v1/tables', { name: 'plans', columns })
  const genres = ['history', 'crime', 'poetry', 'travel', 'cooking']
  await api('/api/v1/tables/plans/records', [
    { title: 'Emma', story: 'One line,\nanother one,\nand the last.', stage: 'draft', genres, editor: user.id, pages: 474 },
    { title: 'Nana', story: 'short', stage: 'print', genres: ['crime'] },
  ])
})
afterAll(() => service.stop())

const api = (path: string, body?: object) => call(`${service.url}${path}`, { token: service.token, body })

describe('cells', () => {
  test('do not cover the row numbers and the columns that stay in place', async () => {
    const page = await openTable(service, 'plans', { hasDefaultView: true })
    await cell(page, 0, 1).click()
    await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo({ left: 130 }))
    const covered = await cell(page, 0, 1).evaluate((active) => {
      const { left, top, height } = active.getBoundingClientRect()
      const number = document.querySelector('[data-row="0"][data-column="-1"]')!.getBoundingClientRect()
      const there = (x: number) =>
        document
          .elementFromPoint(x, top + height / 2)
          ?.closest('[data-column]')
          ?.getAttribute('data-column')
      return [left < number.right + 180, there(number.left + 30), there(number.right + 60)]
    })
    expect(covered).toEqual([true, '-1', '0'])
  })

  test('show choices on soft grounds, people by initials, and how many values do not fit', async () => {
    const page = await openTable(service, 'plans')
    const chip = (row: number, column: number) => cell(page, row, column).locator('.grid-chip')
    const colors = (row: number, column: number) =>
      chip(row, column).evaluateAll((all) => all.map((each) => getComputedStyle(each).getPropertyValue('--chip')))
    // By the place of a choice, unless it has a color of its own.
    expect(await colors(0, 3)).toEqual(['seagreen'])
    expect(await colors(1, 3)).toEqual(['gold'])
    const shown = await chip(0, 4).allTextContents()
    expect(shown[0]).toBe('history')
    expect(shown.length).toBeLessThan(5)
    expect(await cell(page, 0, 4).locator('.grid-more').textContent()).toStartWith(`+${5 - shown.length}`)
    expect(await cell(page, 0, 4).textContent()).toContain('cooking')
    expect(await chip(1, 4).count()).toBe(1)
    await cell(page, 0, 5).getByText('Ada Lovelace').waitFor()
    expect(await cell(page, 0, 5).locator('.initials').getAttribute('data-initials')).toBe('AL')
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'light' })

    // The column is fitted to all values, also those that were not shown.
    await page
      .getByRole('columnheader', { name: /genres/ })
      .locator('.grid-resize')
      .dblclick()
    await becomes(() => chip(0, 4).count(), 5)
    expect(await cell(page, 0, 4).locator('.grid-more').count()).toBe(0)
  })

  test('take a new choice from whoever may change the column, by its own option alone', async () => {
    const columns = [
      { name: 'stage', type: 'select', options: { choices: ['idea', { value: 'print', color: 'gold' }] } },
      { name: 'marks', type: 'multiSelect', options: { choices: ['a'] } },
    ]
    await api('/api/v1/tables', { name: 'boards', columns })
    await api('/api/v1/tables/boards/records', [{ stage: 'idea' }, {}])
    const choicesOf = async (name: string) => {
      const { columns: all } = (await (await api('/api/v1/tables/boards')).json()) as {
        columns: { name: string; options: { choices: unknown[] } }[]
      }
      return all.find((column) => column.name === name)!.options.choices
    }
    const page = await openTable(service, 'boards')
    await cell(page, 0, 1).click()
    // Tab leaves the cell as it was: nobody adds a choice by the way.
    await page.keyboard.type('Late')
    await page.getByRole('option', { name: 'Add “Late”' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await choicesOf('stage')).toHaveLength(2)
    await cell(page, 0, 1).click()
    await page.keyboard.type('Late')
    await page.getByRole('option', { name: 'Add “Late”' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await becomes(async () => (await service.recordOf('boards', 1)).stage, 'Late')
    expect(await choicesOf('stage')).toEqual(['idea', { value: 'print', color: 'gold' }, 'Late'])
    await cell(page, 0, 1).locator('.grid-chip').getByText('Late').waitFor()
    // Several at once; one that is there in another case is not offered.
    await cell(page, 1, 2).click()
    await page.keyboard.press('Enter')
    for (const choice of ['b', 'c']) {
      await page.keyboard.type(choice)
      await page.getByRole('option', { name: `Add “${choice}”` }).click()
      await page.getByRole('option', { name: `Add “${choice}”` }).waitFor({ state: 'detached' })
    }
    await page.keyboard.type('A')
    await page.getByRole('option', { name: 'a', exact: true }).waitFor()
    expect(await page.getByRole('option', { name: /^Add/ }).count()).toBe(0)
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Control+Enter')
    await becomes(async () => (await service.recordOf('boards', 2)).marks, ['b', 'c'])
    expect(await choicesOf('marks')).toEqual(['a', 'b', 'c'])
  })

  test('show the names of linked records once the service answers again, and copy no keys until then', async () => {
    const made = await api('/api/v1/tables', { name: 'owners', columns: [{ name: 'name', type: 'text' }] })
    const { id } = (await made.json()) as { id: string }
    await api('/api/v1/tables/owners/records', { name: 'Alder' })
    await api('/api/v1/tables', { name: 'houses', columns: [{ name: 'owner', type: 'link', options: { table: 'owners' } }] })
    await api('/api/v1/tables/houses/records', { owner: 1 })
    const page = await openTable(service, 'houses')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.evaluate(() => navigator.clipboard.writeText('before'))
    let isDown = true
    await page.route(
      ({ pathname }) => pathname === '/readyz' || pathname === `/api/v1/tables/${id}/records`,
      (route) => (isDown ? route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Down.' } }) : route.fallback()),
    )
    const refused = page.waitForResponse((response) => response.status() === 503)
    await page.reload()
    await refused
    await cell(page, 0, 1).getByText('1', { exact: true }).click()
    await page.keyboard.press('Control+c')
    await page.locator('.grid-notice.is-failure').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('before')
    isDown = false
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await cell(page, 0, 1).getByText('Alder').waitFor()
  })

  test('show a long text on one line', async () => {
    const page = await openTable(service, 'plans')
    const text = cell(page, 0, 2).locator('.grid-text')
    expect(await text.evaluate((each) => [each.clientHeight < 24, getComputedStyle(each).textOverflow])).toEqual([true, 'ellipsis'])
  })

  test('name the records of their own table anew once another column names them', async () => {
    const columns = ['name', 'nick'].map((name) => ({ name, type: 'text' }))
    await api('/api/v1/tables', { name: 'crew', columns })
    await api('/api/v1/tables/crew/columns', { name: 'boss', type: 'link', options: { table: 'crew' } })
    await api('/api/v1/tables/crew/records', { name: 'Ada', nick: 'Countess' })
    await api('/api/v1/tables/crew/records', { name: 'Bob', nick: 'Builder', boss: 1 })
    const page = await openTable(service, 'crew')
    await cell(page, 1, 3).getByText('Ada', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Menu for column nick' }).click()
    await page.getByRole('menuitem', { name: 'Use as record name' }).click()
    await cell(page, 1, 3).getByText('Countess', { exact: true }).waitFor()
  })
})

describe('the height of rows', () => {
  const choose = async (page: Page, ...names: string[]) => {
    for (const name of names) {
      await page.getByRole('button', { name: 'Row height' }).click()
      await page.getByRole(name === 'Wrap text' ? 'menuitemcheckbox' : 'menuitemradio', { name }).click()
    }
  }
  const box = async (page: Page, row: number, column: number) => (await cell(page, row, column).boundingBox())!

  test('is chosen, shows more of texts and chips, and is remembered', async () => {
    const page = await openTable(service, 'plans')
    const text = cell(page, 0, 2).locator('.grid-text')
    await choose(page, 'Tall')
    await becomes(async () => (await box(page, 0, 2)).height, 104)
    expect(await text.evaluate((each) => each.clientHeight)).toBeGreaterThan(50)
    expect(await cell(page, 0, 4).locator('.grid-chip').count()).toBe(5)
    expect((await box(page, 1, 2)).y - (await box(page, 0, 2)).y).toBe(104)
    await page.getByRole('button', { name: 'Row height' }).click()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await choose(page, 'Wrap text', 'Medium')
    await becomes(async () => (await box(page, 0, 2)).height, 60)
    expect(await text.evaluate((each) => each.clientHeight)).toBeLessThan(24)
    await choose(page, 'Short', 'Wrap text')
    await becomes(async () => (await box(page, 0, 2)).height, 60)
    await cell(page, 0, 2).click()
    await page.keyboard.press('ArrowDown')
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-row') === '1')
  })

  test('leaves the first row where it is', async () => {
    const page = await openTable(service, manyRows)
    await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo({ top: 34 * 200 }))
    await cell(page, 200, 1).getByText('Person 201').waitFor()
    const { y } = await box(page, 200, 1)
    const saved = page.waitForResponse((response) => response.request().postData()?.includes('"rowSize":"tall"') === true)
    await choose(page, 'Tall')
    await becomes(async () => (await box(page, 200, 1)).height, 104)
    expect((await box(page, 200, 1)).y).toBe(y)
    await saved
    await page.reload()
    await becomes(async () => (await box(page, 0, 1)).height, 104)
  })
})

test('values are shown as long as they fit into the lines, with room for the mark', () => {
  const room = { width: 100, lines: 1, gap: 4, mark: 20 }
  const count = (widths: number[], lines = 1) => fittingCount(widths, { ...room, lines })
  expect(count([])).toBe(0)
  expect(count([48, 48])).toBe(2)
  expect(count([48, 49])).toBe(1)
  expect(count([300])).toBe(1)
  expect(count([300, 10])).toBe(1)
  expect(count([30, 30, 30])).toBe(3)
  expect(count([30, 30, 30, 10])).toBe(2)
  expect(count([60, 60, 60], 2)).toBe(2)
  expect(count([60, 60, 30, 60], 3)).toBe(4)
  expect(count([300, 300, 300], 2)).toBe(1)
})
