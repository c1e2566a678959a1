import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeAllTypes } from '../support/all-types'
import { expectAccessible, expectNoSideways, visit } from '../support/browser'
import { chooseOption, chooseType } from '../support/column-form'
import { call } from '../support/executable'
import { becomes } from '../support/grid-page'
import { startUi, takeSession } from '../support/ui'

const service = await startUi()
await makeAllTypes(service)
afterAll(() => service.stop())

type Column = { name: string; type: string; options: object; default: unknown; required: boolean; unique: boolean }

const columnOf = async (table: string, name: string): Promise<Column | undefined> => {
  const answer = await call(`${service.url}/api/v1/tables/${table}`, { token: service.token })
  return ((await answer.json()) as { columns: Column[] }).columns.find((column) => column.name === name)
}

async function open(table: string, options: Parameters<typeof visit>[0] = {}): Promise<Page> {
  const { page } = await visit(options)
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${table}/columns`)
  await page.getByRole('button', { name: 'New column' }).waitFor()
  return page
}

const dialog = (page: Page) => page.getByRole('dialog')
async function add(page: Page, name: string, type: string) {
  await page.getByRole('button', { name: 'New column' }).click()
  await dialog(page).getByLabel('Name').fill(name)
  await chooseType(page, type)
  const more = dialog(page).getByText('More', { exact: true })
  await more.click()
}
const finish = async (page: Page, action: string) => {
  await dialog(page).getByRole('button', { name: action, exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
}

test('the search index is switched on the page of the columns, which shows its state', async () => {
  const page = await open('companies')
  const state = async () => {
    const answer = await call(`${service.url}/api/v1/tables/companies`, { token: service.token })
    return ((await answer.json()) as { searchIndex: string }).searchIndex
  }
  const box = page.getByRole('checkbox', { name: 'Search index' })
  await box.press('Space')
  await becomes(state, 'ready')
  await becomes(() => box.isChecked(), true)
  await page.getByRole('status').getByText('Ready').waitFor()
  await expectAccessible(page)
  await box.click()
  await becomes(state, 'none')
  await becomes(() => box.isChecked(), false)
})

describe('columns', () => {
  test('are made with the options of their types', async () => {
    const page = await open('companies')
    await add(page, 'worth', 'Decimal number')
    await dialog(page).getByLabel('Total digits').fill('30')
    await dialog(page).getByLabel('Decimal places').fill('2')
    await dialog(page).getByLabel('Maximum').fill('12345678901234567890.5')
    await dialog(page).getByLabel('Default value').fill('0.50')
    await dialog(page)
      .getByLabel(/^Required/)
      .check()
    await finish(page, 'Create')
    expect(await columnOf('companies', 'worth')).toMatchObject({ required: true, options: { precision: 30, scale: 2 } })
    await page.getByText('Maximum: 12345678901234567890.5').waitFor()
    // The default stays when another type is only looked at.
    const made = await columnOf('companies', 'worth')
    await page.getByRole('button', { name: /^Edit.*worth/ }).click()
    await chooseType(page, 'Text')
    await chooseType(page, 'Decimal number')
    await finish(page, 'Save')
    expect(await columnOf('companies', 'worth')).toEqual(made)
    expect(made?.default).not.toBeNull()

    await add(page, 'grade', 'Single choice')
    await page.getByRole('button', { name: 'Add choice' }).click()
    await page.getByLabel('Choice 1', { exact: true }).fill('good')
    await page.keyboard.press('Enter')
    await page.keyboard.type('good')
    await page.getByLabel('Choice 2', { exact: true }).fill('better')
    await page.getByRole('button', { name: 'Colour of choice 2' }).click()
    await page.getByRole('button', { name: 'Green', pressed: true }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Colour of choice 2' }).press('Enter')
    await page.locator('[aria-label="Green"]:focus').waitFor()
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowUp', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
    await finish(page, 'Create')
    expect(await columnOf('companies', 'grade')).toMatchObject({
      options: {
        choices: [
          { value: 'good', color: 'royalblue' },
          { value: 'better', color: 'crimson' },
        ],
      },
    })

    await add(page, 'visited', 'Date and time')
    await dialog(page).getByLabel('Date format').selectOption({ label: '2026-01-31' })
    await dialog(page).getByLabel('Time format').selectOption({ label: '24 hours' })
    await expectAccessible(page)
    await finish(page, 'Create')
    expect(await columnOf('companies', 'visited')).toMatchObject({ options: { dateFormat: 'iso', timeFormat: '24' } })
    await add(page, 'seats', 'Whole number')
    expect(await dialog(page).getByLabel('Separate thousands').isChecked()).toBe(false)
    await dialog(page).getByLabel('Separate thousands').check()
    await finish(page, 'Create')
    expect(await columnOf('companies', 'seats')).toMatchObject({ options: { thousands: true } })
    await page.getByText('Separate thousands: Yes').waitFor()

    await add(page, 'head', 'Link to a record')
    await chooseOption(page, dialog(page).getByRole('combobox', { name: 'Table' }), 'contacts')
    const rule = dialog(page).getByLabel('When the linked record is deleted')
    expect(await rule.inputValue()).toBe('setNull')
    expect(await rule.getByRole('option').allTextContents()).toEqual(['clear the link', 'prevent the deletion', 'delete this record too'])
    await rule.selectOption('restrict')
    await dialog(page).getByLabel('Also add a column to contacts').uncheck()
    await finish(page, 'Create')
    expect(await columnOf('companies', 'head')).toMatchObject({ type: 'link', options: { onDelete: 'restrict' } })
  })

  test('of stars have up to ten of them, and a default among them', async () => {
    const page = await open('companies')
    const star = (name: string) => dialog(page).getByRole('radio', { name, exact: true })
    await add(page, 'rated', 'Rating')
    await becomes(() => star('5 of 5 stars').count(), 1)
    await star('8 of 10 stars').press('Space')
    await star('7 of 8 stars').press('Space')
    await finish(page, 'Create')
    expect(await columnOf('companies', 'rated')).toMatchObject({ type: 'rating', default: 7, options: { max: 8 } })
    await page.getByRole('button', { name: 'Edit rated' }).click()
    await becomes(() => star('8 of 10 stars').isChecked(), true)
    expect(await star('7 of 8 stars').isChecked()).toBe(true)
    // Another click on the same star takes the value back.
    await star('7 of 8 stars').locator('xpath=following-sibling::label').click()
    await becomes(() => star('7 of 8 stars').isChecked(), false)
    await star('3 of 10 stars').press('Space')
    await becomes(
      () =>
        dialog(page)
          .getByRole('radio', { name: / of 3 stars$/ })
          .count(),
      3,
    )
  })

  test('of addresses are unique regardless of case unless the box is cleared, and say which addresses prevent it', async () => {
    const page = await open('companies')
    await add(page, 'mail', 'E-mail')
    const box = dialog(page).getByLabel('Ignore upper and lower case')
    expect(await box.count()).toBe(0)
    await dialog(page)
      .getByLabel(/^Unique/)
      .check()
    expect(await box.isChecked()).toBe(true)
    await expectAccessible(page)
    await box.uncheck()
    await finish(page, 'Create')
    expect(await columnOf('companies', 'mail')).toMatchObject({ unique: true, options: { ignoreCase: false } })
    const body = [
      { name: 'One', mail: 'post@example.org' },
      { name: 'Two', mail: 'Post@example.org' },
    ]
    const answer = await call(`${service.url}/api/v1/tables/companies/records`, { token: service.token, body })
    const records = ((await answer.json()) as { id: number }[]).map(({ id }) => `${service.url}/api/v1/tables/companies/records/${id}`)
    await page.getByRole('button', { name: 'Edit mail' }).click()
    await box.check()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page)
      .getByText(/"post@example.org" and "Post@example.org"/)
      .waitFor()
    await call(records[0]!, { token: service.token, method: 'DELETE' })
    await finish(page, 'Save')
    expect(await columnOf('companies', 'mail')).toMatchObject({ unique: true, options: { ignoreCase: true } })
    await page.getByText('Ignore upper and lower case: Yes').waitFor()
    await call(records[1]!, { token: service.token, method: 'DELETE' })
  })

  test('take choices that are pasted as lines, each as one', async () => {
    const page = await open('companies')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await add(page, 'size', 'Single choice')
    await page.getByRole('button', { name: 'Add choice' }).click()
    await page.keyboard.type('tiny')
    await page.keyboard.press('Enter')
    await page.evaluate(() => navigator.clipboard.writeText('small\r\nmedium\r\ntiny\r\nlarge\r\n'))
    await page.keyboard.press('Control+v')
    await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Choice 4')
    // A single line goes where the cursor is, as in any field.
    await page.evaluate(() => navigator.clipboard.writeText('r\n'))
    await page.keyboard.press('Control+v')
    await finish(page, 'Create')
    expect(await columnOf('companies', 'size')).toMatchObject({
      options: {
        choices: [
          { value: 'tiny', color: 'royalblue' },
          { value: 'small', color: 'seagreen' },
          { value: 'medium', color: 'darkorange' },
          { value: 'larger', color: 'crimson' },
        ],
      },
    })
  })

  test('say at the field what is wrong', async () => {
    const page = await open('companies')
    await add(page, 'age', 'Formula')
    await dialog(page).getByRole('button', { name: 'SQL', exact: true }).click()
    await dialog(page).getByLabel('Expression').fill('2026 - foundet')
    await dialog(page).getByRole('button', { name: 'Create' }).click()
    await dialog(page)
      .getByText(/did you mean "founded"/)
      .waitFor()
    await page.locator('[name="expression"]:focus').waitFor()
    await dialog(page).getByLabel('Expression').fill('2026 - founded')
    await finish(page, 'Create')
    expect(await columnOf('companies', 'age')).toMatchObject({ options: { valueType: 'integer' } })
    // companies is linked to by more than one table, so none is chosen.
    await add(page, 'others', 'Links from another table')
    await dialog(page).getByRole('button', { name: 'Create' }).click()
    await dialog(page).getByText('is required', { exact: true }).waitFor()
  })

  test('are renamed, and only what was changed is sent', async () => {
    const page = await open('contacts')
    await page.getByRole('button', { name: 'Edit role' }).click()
    await dialog(page).getByLabel('Name').fill('position')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await finish(page, 'Save')
    expect((await sent).postDataJSON()).toEqual({ name: 'position' })
    await page.getByRole('heading', { name: 'position' }).waitFor()
  })

  test('take another type after it was shown which values would not fit', async () => {
    const body = [
      { name: 'Zeta', city: '1200' },
      { name: 'Eta', city: null },
    ]
    await call(`${service.url}/api/v1/tables/companies/records`, { token: service.token, body })
    const page = await open('companies')
    await page.getByRole('button', { name: 'Edit city' }).click()
    await chooseType(page, 'Whole number')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).getByText('2 records can be converted.').waitFor()
    await dialog(page).getByText('6 records cannot be converted.').waitFor()
    await dialog(page).getByRole('cell', { name: 'Bergen' }).waitFor()
    await expectAccessible(page)
    expect((await columnOf('companies', 'city'))?.type).toBe('text')
    await dialog(page).getByRole('button', { name: 'Back' }).click()
    expect(await dialog(page).getByRole('combobox', { name: 'Type' }).inputValue()).toBe('Whole number')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await finish(page, 'Change column and clear 6 values')
    expect((await columnOf('companies', 'city'))?.type).toBe('integer')
  })

  test('whose choices get other names keep their values, also where two are swapped, and the number of records is shown before', async () => {
    const statuses = async () => {
      const answer = await call(`${service.url}/api/v1/tables/projects/records?select=status&order=id`, { token: service.token })
      return ((await answer.json()) as { records: { status: string }[] }).records.map(({ status }) => status)
    }
    const before = await statuses()
    const { options } = (await columnOf('projects', 'status')) as unknown as { options: { choices: { value: string }[] } }
    const [first, second, third] = options.choices.map((choice) => (typeof choice === 'string' ? choice : choice.value))
    const page = await open('projects')
    await page.getByRole('button', { name: 'Edit status' }).click()
    await page.getByLabel('Choice 1', { exact: true }).fill(second!)
    await page.getByLabel('Choice 2', { exact: true }).fill(first!)
    await page.getByLabel('Choice 3', { exact: true }).fill('Elsewhere')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    const names: Record<string, string> = { [first!]: second!, [second!]: first!, [third!]: 'Elsewhere' }
    const count = before.filter((status) => status in names).length
    await dialog(page).getByText(`Renames the choices in ${count} records.`).waitFor()
    await expectAccessible(page)
    expect(await statuses()).toEqual(before)
    await finish(page, 'Change column')
    expect(await statuses()).toEqual(before.map((status) => names[status] ?? status))
  })

  test('are deleted by typing their name', async () => {
    const page = await open('everything')
    await page.getByRole('button', { name: 'Delete call' }).click()
    await dialog(page).getByRole('textbox').fill('everything')
    await dialog(page).getByRole('button', { name: 'Delete column' }).click()
    expect(await columnOf('everything', 'call')).toBeDefined()
    await dialog(page).getByRole('textbox').fill('call')
    await finish(page, 'Delete column')
    expect(await columnOf('everything', 'call')).toBeUndefined()
  })

  test('are moved by the mouse and by keys, which is the order of the grid, of forms and of exports', async () => {
    await call(`${service.url}/api/v1/tables`, {
      token: service.token,
      body: { name: 'ordered', columns: ['one', 'two', 'three'].map((name) => ({ name, type: 'text' })) },
    })
    const page = await open('ordered')
    const names = () => page.locator('.column-name').allTextContents()
    const stored = async () => {
      const answer = await call(`${service.url}/api/v1/tables/ordered`, { token: service.token })
      return ((await answer.json()) as { columns: Column[] }).columns.map(({ name }) => name)
    }
    expect(await names()).toEqual(['id', 'one', 'two', 'three'])
    const handle = (name: string) => page.getByRole('button', { name: `Move ${name}` })
    await handle('three').focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await names()).toEqual(['id', 'three', 'one', 'two'])
    await becomes(stored, ['id', 'three', 'one', 'two'])
    await page.getByText('three is column 2 of 4.').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Move three')
    await expectAccessible(page)

    const from = (await handle('three').boundingBox())!
    const to = (await handle('two').boundingBox())!
    await page.mouse.move(from.x + 10, from.y + 10)
    await page.mouse.down()
    await page.mouse.move(to.x + 10, to.y + to.height - 4, { steps: 5 })
    await page.mouse.up()
    expect(await names()).toEqual(['id', 'one', 'two', 'three'])
    await becomes(stored, ['id', 'one', 'two', 'three'])
    await handle('three').focus()
    await page.keyboard.press('ArrowUp')
    await becomes(stored, ['id', 'one', 'three', 'two'])
    await page.getByRole('navigation').getByRole('link', { name: 'ordered', exact: true }).click()
    await becomes(() => page.locator('.grid-head .grid-name').allTextContents(), ['one', 'three', 'two'])
  })

  test('are for administrators to change, and everybody can read them, on a phone too', async () => {
    const person = { email: 'ed@example.org', name: 'Ed', role: 'editor', password: 'another good horse' }
    await call(`${service.url}/api/v1/users`, { token: service.token, body: person })
    const { page } = await visit({ size: 'phone' })
    await takeSession(page, service.url, person)
    await page.goto(`${service.url}/tables/everything/columns`)
    await page.getByText('Only administrators can change columns.').waitFor()
    await page.getByRole('heading', { name: 'title' }).waitFor()
    expect(await page.getByRole('button', { name: /^Edit|^Delete|New column/ }).count()).toBe(0)
    await expectNoSideways(page)
    await expectAccessible(page)
  })
})
