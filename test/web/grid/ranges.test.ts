import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible } from '../../support/browser'
import { chooseOption } from '../../support/column-form'
import { call } from '../../support/executable'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(9_000)
})
afterAll(() => service.stop())

const recordOf = (name: string, key: number) => service.recordOf(name, key)

describe('ranges', () => {
  const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
  const lend = (page: Page, text: string) => page.evaluate((value) => navigator.clipboard.writeText(value), text)

  async function atContacts(): Promise<Page> {
    const page = await openTable(service, 'contacts')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    return page
  }

  test('are copied at the first press though they were never shown, links by their names', async () => {
    const { url, token } = service
    const made = (name: string, columns: object[]) => call(`${url}/api/v1/tables`, { token, body: { name, columns } })
    await made('towns', [{ name: 'name', type: 'text' }])
    await made('visits', [
      { name: 'title', type: 'text' },
      { name: 'town', type: 'link', options: { table: 'towns' } },
    ])
    const operations = Array.from({ length: 300 }, (_, index) => index + 1)
    const create = (table: string, record: (number: number) => object) =>
      call(`${url}/api/v1/batch`, {
        token,
        body: { operations: operations.map((number) => ({ method: 'POST', table, body: record(number) })) },
      })
    expect((await create('towns', (number) => ({ name: `Town ${number}` }))).status).toBe(200)
    expect((await create('visits', (number) => ({ title: `Visit ${number}`, town: number }))).status).toBe(200)
    const page = await openTable(service, 'visits')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+Shift+End')
    await page.keyboard.press('Control+c')
    await page.getByText('600 cells copied.').waitFor()
    expect((await clipboard(page)).split('\n')).toEqual(operations.map((number) => `Visit ${number}\tTown ${number}`))

    // The names lead to the records that were copied, though another one has come that is called the same.
    await call(`${url}/api/v1/tables/towns/records`, { token, body: { name: 'Town 1' } })
    await cell(page, 0, 2).click()
    await page.keyboard.press('Control+c')
    await cell(page, 1, 2).click()
    await page.keyboard.press('Control+v')
    await becomes(async () => (await recordOf('visits', 2)).town, 1)
  })

  test('go to other programs as text and as a table, and come back; undo and redo', async () => {
    const page = await atContacts()
    await cell(page, 8, 1).click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Control+c')
    await page.getByText('2 cells copied.').waitFor()
    expect(await clipboard(page)).toBe('Liis Tamm\nAiko Mori')
    const html = await page.evaluate(async () => (await (await navigator.clipboard.read())[0]!.getType('text/html')).text())
    expect(html).toMatch(/<td [^>]*mso-number-format[^>]*>Liis Tamm<\/td>/)

    await lend(page, '"One ""quoted"""\tone@example.org\r\nTwo\ttwo@example.org\r\n')
    await cell(page, 9, 1).click()
    await page.keyboard.press('Control+v')
    await page.getByText('4 cells updated.').waitFor()
    const both = async () => [await recordOf('contacts', 10), await recordOf('contacts', 11)].map(({ name, email }) => [name, email])
    expect(await both()).toEqual([
      ['One "quoted"', 'one@example.org'],
      ['Two', 'two@example.org'],
    ])
    await page.keyboard.press('Control+z')
    await page.getByText('Undone.').waitFor()
    expect(await both()).toEqual([
      ['Aiko Mori', 'aiko@ember.example'],
      ['Jonas Eliassen', 'jonas@fjordlys.example'],
    ])
    await page.keyboard.press('Control+y')
    await page.getByText('Redone.').waitFor()
    expect((await both())[1]).toEqual(['Two', 'two@example.org'])
    await page.keyboard.press('Control+z')
    await page.getByText('Undone.').waitFor()
  })

  test('of one cell are its plain text, one cell of a table, and the same value again by keys and by the menu', async () => {
    const { url, token } = service
    const columns = [
      { name: 'text', type: 'longText' },
      { name: 'colors', type: 'multiSelect', options: { choices: ['Red, dark', 'Red', 'dark'] } },
    ]
    await call(`${url}/api/v1/tables`, { token, body: { name: 'copies', columns } })
    const copied = { text: '"Anna" \n=1+1\t<b>', colors: ['Red', 'dark'] }
    await call(`${url}/api/v1/tables/copies/records`, { token, body: [copied, { text: 'b' }, { text: 'c' }] })
    const page = await openTable(service, 'copies')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+c')
    await page.getByText('1 cell copied.').waitFor()
    expect(await clipboard(page)).toBe(copied.text)
    const html = await page.evaluate(async () => (await (await navigator.clipboard.read())[0]!.getType('text/html')).text())
    expect(html).toMatch(/<br [^>]*mso-data-placement: ?same-cell/)
    await cell(page, 1, 1).click()
    await page.keyboard.press('Control+v')
    await becomes(async () => (await recordOf('copies', 2)).text, copied.text)
    await cell(page, 2, 1).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Paste' }).click()
    await becomes(async () => (await recordOf('copies', 3)).text, copied.text)
    await cell(page, 0, 2).click()
    await page.keyboard.press('Control+c')
    await cell(page, 1, 2).click()
    await page.keyboard.press('Control+v')
    await becomes(async () => (await recordOf('copies', 2)).colors, copied.colors)
  })

  test('of days are taken as spreadsheets copy them', async () => {
    const page = await atContacts()
    await lend(page, '7/4/1990\n31.12.1999\n1985-01-02')
    await cell(page, 0, 1).click()
    await page.keyboard.press('End')
    await page.keyboard.press('Control+v')
    await page.getByText('3 cells updated.').waitFor()
    const days = async () => [1, 2, 3].map(async (key) => (await recordOf('contacts', key)).birthday)
    expect(await Promise.all(await days())).toEqual(['1990-04-07', '1999-12-31', '1985-01-02'])
    await page.keyboard.press('Control+z')
    await page.getByText('Undone.').waitFor()
  })

  test('are filled with one value, cut and cleared', async () => {
    const page = await atContacts()
    await lend(page, 'Guest')
    await cell(page, 9, 5).click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Control+v')
    const roles = async () => [(await recordOf('contacts', 10)).role, (await recordOf('contacts', 11)).role]
    await becomes(roles, ['Guest', 'Guest'])
    await page.keyboard.press('Control+x')
    await becomes(roles, [null, null])
    expect(await clipboard(page)).toBe('Guest\nGuest')
    await page.keyboard.press('Control+z')
    await becomes(roles, ['Guest', 'Guest'])
    await page.keyboard.press('Delete')
    await becomes(roles, [null, null])
  })

  test('of which one cell is refused are not written at all', async () => {
    const page = await atContacts()
    await lend(page, 'Somebody\n\n')
    await cell(page, 9, 1).click()
    await page.keyboard.press('Control+v')
    // The column is named, not the place in a request.
    await page.locator('.grid-notice.is-failure').getByText('name: ').waitFor()
    expect(await page.locator('.grid-notice').textContent()).not.toContain('/')
    expect((await recordOf('contacts', 10)).name).toBe('Aiko Mori')
    await cell(page, 10, 1).click()
    await page.locator('.grid-problem').waitFor()
  })

  test('of which a part cannot be read are not written at all', async () => {
    const page = await openTable(service, manyRows)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.route(/records\?.*(cursor|offset)=/, (route) => route.abort('internetdisconnected'))
    await lend(page, Array.from({ length: 150 }, (_, at) => `Line ${at + 1}`).join('\n'))
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+v')
    await page.locator('.grid-notice.is-failure').waitFor()
    expect((await recordOf(manyRows, 1)).name).toBe('Person 1')
  })

  test('longer than what is kept of a list are written line by line, from the first', async () => {
    const page = await openTable(service, manyRows)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await lend(page, Array.from({ length: 8_500 }, (_, at) => `Line ${at + 1}`).join('\n'))
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+v')
    await page.getByText(/ cells updated\.$/).waitFor()
    expect(await page.locator('.grid-notice').textContent()).toBe('8,500 cells updated.')
    for (const key of [1, 4_321, 8_500]) expect((await recordOf(manyRows, key)).name).toBe(`Line ${key}`)
    expect((await recordOf(manyRows, 8_501)).name).toBe('Person 8501')
    await cell(page, 0, 1).getByText('Line 1', { exact: true }).waitFor()
  })
})

describe('rows', () => {
  test('are made at the end', async () => {
    const page = await openTable(service, 'companies')
    await page.getByRole('button', { name: 'New record' }).click()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('row').count()).toBe(8)
    await page.getByRole('button', { name: 'New record' }).click()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('Oslo')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowUp')
    await page.locator('.grid-notice.is-failure').waitFor()
    await cell(page, 6, 1).click()
    await page.keyboard.type('Glacier')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowUp')
    await page.getByText('7 records').waitFor()
    // What was missing is there now.
    await page.locator('.grid-notice.is-failure').waitFor({ state: 'detached' })
    await cell(page, 6, 1).getByText('Glacier').waitFor()
    await cell(page, 6, 3).getByText('Oslo').waitFor()
  })

  test('are chosen, changed together and deleted after one question', async () => {
    const page = await openTable(service, 'projects')
    await cell(page, 1, -1).click()
    await cell(page, 3, -1).click({ modifiers: ['Shift'] })
    await page.getByText('3 records selected').waitFor()
    await page.getByRole('button', { name: 'Edit…' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit 3 records' })
    // What is different in each record cannot be the same in all.
    expect(await edit.getByLabel('Column').locator('option').allInnerTexts()).not.toContain('id')
    await edit.getByLabel('Column').selectOption('status')
    await chooseOption(page, edit.getByRole('combobox', { name: 'Value' }), 'Done')
    await expectAccessible(page)
    await edit.getByRole('button', { name: 'Update 3 records' }).click()
    await becomes(async () => (await recordOf('projects', 4)).status, 'Done')
    // The key asks for the selected rows, wherever the selected cell is.
    await cell(page, 5, 1).click()
    await page.keyboard.press('Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await cell(page, 5, 1).textContent()).not.toBe('')
    await cell(page, 3, -1).focus()
    await page.keyboard.press('Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 3 records' }).click()
    await page.getByText('3 records deleted.').waitFor()
    await page.getByText('5 records').waitFor()
    await becomes(() => page.getByRole('row').count(), 7)
  })

  test('are linked together by name, and cleared only when that is said', async () => {
    const page = await openTable(service, 'contacts')
    const linked = async () => [(await recordOf('contacts', 4)).company, (await recordOf('contacts', 5)).company]
    await cell(page, 3, -1).click()
    await cell(page, 4, -1).click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Edit…' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit 2 records' })
    const update = edit.getByRole('button', { name: 'Update 2 records' })
    await edit.getByLabel('Column').selectOption('company')
    await update.click()
    await edit.getByRole('alert').getByText('Enter a value.').waitFor()
    await edit.getByRole('combobox', { name: 'Value' }).click()
    await page.keyboard.type('ember')
    await page.getByRole('option', { name: 'Ember Software' }).click()
    await expectAccessible(page)
    await update.click()
    await becomes(linked, [5, 5])
    await cell(page, 3, 4).getByText('Ember Software').waitFor()

    await page.getByRole('button', { name: 'Edit…' }).click()
    await edit.getByLabel('Column').selectOption('interests')
    await edit.getByRole('combobox', { name: 'Value' }).click()
    for (const name of ['Events', 'Prices']) await page.getByRole('option', { name }).click()
    await page.keyboard.press('Tab')
    await update.click()
    await becomes(async () => (await recordOf('contacts', 5)).interests, ['Events', 'Prices'])

    await page.getByRole('button', { name: 'Edit…' }).click()
    await edit.getByLabel('Column').selectOption('company')
    await edit.getByLabel('Clear the cells').check()
    await expectAccessible(page)
    await update.click()
    await becomes(linked, [null, null])
  })

  test('are chosen up to one far below, with those between that are not loaded', async () => {
    const page = await openTable(service, manyRows)
    await cell(page, 0, -1).click()
    await page.getByText('1 record selected').waitFor()
    await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo(0, 34 * 445))
    await cell(page, 450, 3).getByText('451.50').waitFor()
    await cell(page, 450, -1).click({ modifiers: ['Shift'] })
    await page.getByText('451 records selected').waitFor()
  })

  test('of a whole filter are changed by filter', async () => {
    const page = await openTable(service, manyRows, { search: '?age=eq.7' })
    await page.getByText('100 records', { exact: true }).waitFor()
    await cell(page, -1, -1).click()
    await page.getByText('100 records selected').waitFor()
    await page.getByRole('button', { name: 'Edit…' }).click()
    await page.getByRole('dialog').getByLabel('Column').selectOption('active')
    await page.getByRole('dialog').getByLabel('Value').selectOption('no')
    await page.getByRole('button', { name: 'Update 100 records' }).click()
    await page.getByText('100 records updated.').waitFor()
    expect((await recordOf(manyRows, 97)).active).toBe(false)
  })

  test('of a whole filter are all but one, if that one is unticked', async () => {
    const page = await openTable(service, manyRows, { search: '?age=eq.8' })
    await page.getByText('100 records', { exact: true }).waitFor()
    await cell(page, -1, -1).click()
    await page.getByText('100 records selected').waitFor()
    await cell(page, 2, -1).click()
    await page.getByText('99 records selected').waitFor()
    await page.getByRole('button', { name: 'Edit…' }).click()
    await page.getByRole('dialog').getByLabel('Column').selectOption('active')
    await page.getByRole('dialog').getByLabel('Value').selectOption('no')
    await page.getByRole('button', { name: 'Update 99 records' }).click()
    await page.getByText('99 records updated.').waitFor()
    expect([(await recordOf(manyRows, 98)).active, (await recordOf(manyRows, 188)).active]).toEqual([false, true])
  })
})

test('a selection shrinks to one cell when a search changes the list', async () => {
  const page = await openTable(service, 'contacts')
  await cell(page, 0, 1).click()
  await page.keyboard.press('Control+a')
  await page.getByRole('searchbox', { name: 'Search records' }).fill('Fiona MacRae')
  await cell(page, 0, 1).getByText('Fiona MacRae').waitFor()
  await cell(page, 0, 1).focus()
  await page.keyboard.press('Control+c')
  await page.getByText('1 cell copied.').waitFor()
})
