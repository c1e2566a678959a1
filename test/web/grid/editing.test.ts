import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(200)
})
afterAll(() => service.stop())

const atTable = (name: string) => openTable(service, name)
const recordOf = (name: string, key: number) => service.recordOf(name, key)
const change = (name: string, key: number, body: object) =>
  call(`${service.url}/api/v1/tables/${service.tableId(name)}/records/${key}`, { token: service.token, method: 'PATCH', body })

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
    expect(await cell(page, 1, 5).evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('takes a character that is typed with Option on a Mac', async () => {
    const page = await atTable('contacts')
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'userAgent', { value: 'Macintosh; Intel Mac OS X 10_15_7' })
    })
    await cell(page, 8, 5).click()
    await page.keyboard.press('Alt+@')
    await page.keyboard.press('Enter')
    await becomes(async () => (await recordOf('contacts', 9)).role, '@')
  })

  test('is written by a click on another one, which is then the active one', async () => {
    const page = await atTable('contacts')
    await cell(page, 11, 5).click()
    await page.keyboard.type('Gardener')
    await cell(page, 9, 1).click()
    await becomes(async () => (await recordOf('contacts', 12)).role, 'Gardener')
    expect(await page.locator('.grid-editor').count()).toBe(0)
    expect(await cell(page, 9, 1).evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('that was typed into is left by arrow keys; in one that was opened they move the cursor', async () => {
    const page = await atTable(manyRows)
    await cell(page, 20, 1).click()
    for (const [text, key] of [
      ['one', 'ArrowDown'],
      ['two', 'ArrowRight'],
      ['22', 'ArrowUp'],
      ['21', 'ArrowLeft'],
    ] as const) {
      await page.keyboard.type(text)
      await page.keyboard.press(key)
    }
    const both = async () => [21, 22].map(async (key) => recordOf(manyRows, key).then(({ name, age }) => [name, age]))
    await becomes(
      async () => Promise.all(await both()),
      [
        ['one', 21],
        ['two', 22],
      ],
    )
    await page.keyboard.press('F2')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('b')
    await page.keyboard.press('Enter')
    await becomes(async () => (await recordOf(manyRows, 21)).name, 'onbe')
  })

  test('is left by Enter for the column where a run of Tabs began, by Shift+Enter and arrow keys for its own', async () => {
    const page = await atTable(manyRows)
    const focused = () => page.evaluate(() => Object.values((document.activeElement as HTMLElement).dataset).join(':'))
    await cell(page, 14, 1).click()
    await page.keyboard.type('Ada')
    await page.keyboard.press('Tab')
    await page.keyboard.type('36')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.type('37')
    await page.keyboard.press('Enter')
    await becomes(focused, '15:1')
    await page.keyboard.type('Grace')
    await page.keyboard.press('Tab')
    await page.keyboard.type('85')
    await page.keyboard.press('Shift+Enter')
    await becomes(focused, '14:2')
    const both = async () => Promise.all([15, 16].map(async (key) => recordOf(manyRows, key).then(({ name, age }) => [name, age])))
    await becomes(both, [
      ['Ada', 37],
      ['Grace', 85],
    ])
    // Without an editor, too; what is selected by other means begins anew.
    await page.keyboard.press('Shift+Enter')
    await becomes(focused, '13:2')
    await cell(page, 16, 1).click()
    await page.keyboard.press('Tab')
    await cell(page, 16, 2).click()
    await page.keyboard.type('5')
    await page.keyboard.press('Enter')
    await becomes(focused, '17:2')
  })

  test('stays selected after Ctrl+Enter, which writes it', async () => {
    const page = await atTable(manyRows)
    const focused = () => page.evaluate(() => Object.values((document.activeElement as HTMLElement).dataset).join(':'))
    await cell(page, 17, 2).click()
    await page.keyboard.type('61')
    await page.keyboard.press('Control+Enter')
    await becomes(async () => (await recordOf(manyRows, 18)).age, 61)
    await becomes(focused, '17:2')
    // What cannot be read stays in the editor.
    await page.keyboard.type('x')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('alert').getByText('Enter a number.').waitFor()
    expect(await page.locator('.grid-editor').inputValue()).toBe('x')
  })

  test('with a box reacts to one click on it, and to yes and no, and to nothing else', async () => {
    const page = await atTable(manyRows)
    const active = async () => (await recordOf(manyRows, 11)).active
    const box = cell(page, 10, 4).locator('.grid-tick')
    await box.click()
    await becomes(active, false)
    await box.click()
    await becomes(active, true)
    await page.keyboard.type('n')
    await becomes(active, false)
    await page.keyboard.type('q')
    await page.getByText('“q” is neither yes nor no.').waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.evaluate(() => navigator.clipboard.writeText('x'))
    await page.keyboard.press('Control+v')
    await becomes(active, true)
    await page.evaluate(() => navigator.clipboard.writeText('perhaps'))
    await page.keyboard.press('Control+v')
    await page.locator('.grid-problem').waitFor()
    expect(await page.locator('.grid-notice.is-failure').textContent()).toContain('1 value could not be read')
    expect(await active()).toBe(true)
  })

  test('with an address is selected by a click, and opens it by its icon', async () => {
    const page = await atTable('contacts')
    await cell(page, 0, 2).locator('.grid-text').click()
    expect(page.context().pages()).toHaveLength(1)
    const link = cell(page, 0, 2).getByTitle(/^Open /)
    expect(await link.getAttribute('href')).toStartWith('mailto:')
    await expectAccessible(page)
  })

  test('of a paste that cannot be read says why, and the others are saved', async () => {
    const page = await atTable(manyRows)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.evaluate(() => navigator.clipboard.writeText('5\nfive'))
    await cell(page, 14, 2).click()
    await page.keyboard.press('Control+v')
    const message = page.locator('.grid-notice.is-failure')
    await message.waitFor()
    expect(await message.textContent()).toContain('1 of 2 values could not be read')
    expect(await cell(page, 15, 2).getAttribute('aria-invalid')).toBe('true')
    expect(await cell(page, 15, 2).getAttribute('aria-description')).toContain('number')
    expect(await cell(page, 14, 2).getAttribute('aria-invalid')).toBeNull()
    await becomes(async () => (await recordOf(manyRows, 15)).age, 5)
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
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' })
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
