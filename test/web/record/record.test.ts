import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeAllTypes } from '../../support/all-types'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { until } from '../../support/processes'
import { startUi, takeSession } from '../../support/ui'

const service = await startUi()
const everything = await makeAllTypes(service)
afterAll(() => service.stop())

const api = (path: string, options: Parameters<typeof call>[1] = {}) =>
  call(`${service.url}/api/v1/tables/${path}`, { token: service.token, ...options })
const textOf = async (path: string) => (await api(path)).text()

async function open(path: string, options: Parameters<typeof visit>[0] = {}): Promise<Page> {
  const { page } = await visit(options)
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${path}`)
  return page
}
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
const saved = (page: Page) => page.getByText('All changes saved.').waitFor()
const field = (page: Page, name: string) => page.locator(`[data-field="${name}"]`)

describe('a record', () => {
  test('shows a value of every type, long numbers with all their digits', async () => {
    const page = await open(`${everything.id}/records/1`)
    await page.getByRole('heading', { name: 'The first one', level: 1 }).waitFor()
    expect(await page.getByLabel('long').inputValue()).toBe('9223372036854775807')
    expect(await page.getByLabel('exact').inputValue()).toBe('123456789012345678.100000000001')
    // Eleven o'clock in UTC is noon in Berlin, in winter.
    expect(await page.getByLabel('moment').inputValue()).toBe('31 Jan 2026, 12:00')
    await page.getByText('Time zone: Europe/Berlin.').waitFor()
    expect(await page.getByRole('checkbox', { name: 'sure' }).isChecked()).toBe(true)
    expect(JSON.parse(await page.getByLabel('data').inputValue())).toEqual({ list: [1, 2], deep: { yes: true } })
    await field(page, 'company').getByRole('link', { name: 'Brightwater Books' }).waitFor()
    await field(page, 'people').getByRole('link', { name: 'Beatriz Almeida' }).waitFor()
    const given = page.getByRole('region', { name: 'Set by the service' })
    await given.getByText('42', { exact: true }).waitFor()
    await given.getByText('Ada Lovelace').first().waitFor()
  })

  test('is changed, and only what was changed is sent', async () => {
    const page = await open(`${everything.id}/records/1`)
    await page.getByLabel('long').fill('9223372036854775806')
    await page.getByLabel('exact').fill('0.000000000001')
    await page.getByLabel('day').fill('2027-03-01')
    await page.getByLabel('moment').fill('2026-07-01T12:30')
    await page.getByLabel('maybe').selectOption('no')
    await page.getByText('5 unsaved changes').waitFor()
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.keyboard.press('Control+s')
    const request = await sent
    expect(request.headers()['if-match']).toMatch(/^"\w+"$/)
    expect(request.postData()).toBe(
      '{"long":9223372036854775806,"exact":0.000000000001,"maybe":false,"day":"2027-03-01","moment":"2026-07-01T10:30:00.000Z"}',
    )
    await saved(page)
    const stored = await textOf('everything/records/1')
    expect(stored).toContain('9223372036854775806')
    expect(stored).toContain('0.000000000001')
  })

  test('keeps every digit of a time and a moment, and takes new ones', async () => {
    const micro = { title: 'Exact', clock: '08:30:00.123456', moment: '2026-01-31T11:00:00.123456Z' }
    const made = (await (await api('everything/records', { body: micro })).json()) as { id: number }
    const page = await open(`${everything.id}/records/${made.id}`)
    expect(await page.getByLabel('clock').inputValue()).toBe('08:30:00.123456')
    expect(await page.getByLabel('moment').inputValue()).toBe('2026-01-31T11:00:00.123456+00:00')
    await page.getByLabel('moment').fill('never')
    await save(page)
    await field(page, 'moment').getByText('Not a date with a time. It looks like 31 Dec 2026, 14:30.').waitFor()
    await page.getByLabel('moment').fill('2026-07-01 12:30:15.2501')
    await page.getByLabel('clock').fill('')
    await page.getByLabel('clock').fill('23:59')
    await save(page)
    await saved(page)
    const stored = JSON.parse(await textOf(`everything/records/${made.id}`))
    expect([stored.clock, stored.moment]).toEqual(['23:59:00', '2026-07-01T10:30:15.2501+00:00'])
    await api(`everything/records/${made.id}`, { method: 'DELETE' })
  })

  test('says at the field and above all what is wrong, and leads there', async () => {
    const page = await open(`${everything.id}/records/1`)
    await page.getByLabel('whole').fill('1001')
    await page.getByLabel('mail').fill('nobody')
    await page.getByLabel('data').fill('{"a": }')
    await page
      .getByText(/Invalid JSON/)
      .first()
      .waitFor()
    await page.getByLabel('data').fill('{"a": 12345678901234567890}')
    await save(page)
    const summary = page.getByRole('alert').filter({ hasText: 'The record was not saved: 2 fields are invalid' })
    await summary.waitFor()
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('summary')
    await expectAccessible(page)
    await summary.getByRole('button', { name: 'whole' }).click()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('whole')
    await page.getByLabel('whole').fill('7')
    await page.getByLabel('mail').fill('somebody@example.org')
    await save(page)
    await saved(page)
    expect(await textOf('everything/records/1')).toContain('12345678901234567890')
  })

  test('finds what to link to by its words', async () => {
    const page = await open(`${everything.id}/records/1`)
    const option = page.getByRole('option', { name: 'Ember Software' })
    // Once more where the record came again from the service while the words were typed.
    await until('the company is found', async () => {
      await page.getByRole('combobox', { name: 'company' }).fill('')
      await page.getByRole('combobox', { name: 'company' }).fill('ember')
      return option.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      )
    })
    await option.click()
    await page.getByRole('combobox', { name: 'people' }).fill('Aiko')
    // A click on a list that shrinks meanwhile would select nothing.
    await page.getByRole('option', { name: 'Fiona MacRae' }).waitFor({ state: 'detached' })
    await page.getByRole('option', { name: 'Aiko Mori' }).click()
    await page.getByRole('heading', { level: 1 }).click()
    await save(page)
    await saved(page)
    expect(JSON.parse(await textOf('everything/records/1'))).toMatchObject({ company: 5, people: [1, 5, 10] })
  })

  test('lists linked records with their first values, and each is opened or removed there', async () => {
    const page = await open(`${everything.id}/records/1`)
    const people = field(page, 'people').getByRole('listitem')
    await people
      .filter({ hasText: 'Aiko Mori' })
      .getByText(/aiko@.* · /)
      .waitFor()
    expect(await field(page, 'company').getByRole('link', { name: 'Open Ember Software' }).textContent()).toBe('Open')
    await page.getByRole('button', { name: 'Remove Aiko Mori' }).click()
    await people.filter({ hasText: 'Aiko Mori' }).waitFor({ state: 'detached' })
    await expectAccessible(page)
    await save(page)
    await saved(page)
    expect(JSON.parse(await textOf('everything/records/1'))).toMatchObject({ people: [1, 5] })
    await people.getByRole('link', { name: 'Beatriz Almeida' }).click()
    await page.getByRole('heading', { name: 'Beatriz Almeida', level: 1 }).waitFor()
  })

  test('asks before what was typed is lost', async () => {
    const page = await open(`${everything.id}/records/1`)
    await page.getByLabel('title').fill('Half a word')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'contacts' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(await page.getByLabel('title').inputValue()).toBe('Half a word')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'contacts' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('heading', { name: 'contacts', level: 1 }).waitFor()
  })

  test('keeps what was typed while one signs in again', async () => {
    const page = await open('companies/records/1')
    await page.getByLabel('city').fill('Oslo')
    await page.context().clearCookies()
    await save(page)
    await page.getByRole('dialog', { name: 'Sign in again' }).getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await saved(page)
    expect(await textOf('companies/records/1')).toContain('Oslo')
  })

  test('is saved by a click that comes after the session has expired', async () => {
    const page = await open('companies/records/2')
    await page.getByLabel('city').fill('Bergen')
    await page.context().clearCookies()
    const refused = page.waitForResponse((response) => response.status() === 401)
    // The window asks again when it gets the focus, but for what it has just fetched.
    await page.evaluate(() => {
      const { now } = Date
      Date.now = () => now() + 120_000
      window.dispatchEvent(new Event('focus'))
    })
    await refused
    await page.getByRole('button', { name: 'Save', exact: true }).click({ delay: 200 })
    await page.getByRole('dialog', { name: 'Sign in again' }).getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await saved(page)
    expect(await textOf('companies/records/2')).toContain('Bergen')
  })

  test('that somebody else has changed shows both versions, and saves what is chosen', async () => {
    const page = await open('companies/records/3')
    await page.getByLabel('city').fill('Porto')
    await page.getByLabel('founded').fill('2015')
    await page.getByLabel('notes').fill('Mine')
    await api('companies/records/3', { method: 'PATCH', body: { city: 'Faro', notes: 'Theirs', industry: 'Software' } })
    await save(page)
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' })
    await dialog.getByText('Faro').waitFor()
    await dialog.getByText('Porto').waitFor()
    await expectAccessible(page)
    await dialog
      .getByRole('group', { name: 'notes' })
      .getByRole('radio', { name: /Theirs/ })
      .check()
    await dialog.getByRole('button', { name: 'Save selected values' }).click()
    await dialog.waitFor({ state: 'detached' })
    await saved(page)
    expect(JSON.parse(await textOf('companies/records/3'))).toMatchObject({
      ...{ city: 'Porto', founded: 2015, notes: 'Theirs', industry: 'Software' },
    })
    expect(await page.getByLabel('notes').inputValue()).toBe('Theirs')
  })

  test('that somebody else has changed elsewhere is saved without a question', async () => {
    const page = await open('companies/records/4')
    await page.getByLabel('city').fill('Antwerp')
    await api('companies/records/4', { method: 'PATCH', body: { founded: 1962 } })
    await save(page)
    await saved(page)
    expect(JSON.parse(await textOf('companies/records/4'))).toMatchObject({ city: 'Antwerp', founded: 1962 })
    expect(await page.getByLabel('founded').inputValue()).toBe('1962')
  })

  test('leads to the one before and the one after, and tells its addresses', async () => {
    const page = await open('contacts/records/1')
    await page.getByRole('heading', { name: 'Ingrid Solberg' }).waitFor()
    await page.getByRole('link', { name: 'Next record' }).click()
    await page.getByRole('heading', { name: 'Tomasz Zieliński' }).waitFor()
    await page.getByRole('link', { name: 'Previous record' }).click()
    await page.getByRole('heading', { name: 'Ingrid Solberg' }).waitFor()
    await page.getByRole('button', { name: 'Previous record' }).waitFor()
    await page.getByRole('button', { name: 'Record menu' }).click()
    await page.getByRole('menuitem', { name: 'Link and API' }).click()
    expect(await page.getByRole('textbox', { name: 'API request' }).inputValue()).toContain(`${service.url}/api/v1/tables/`)
  })

  test('has before and after it what the list has that it was opened from', async () => {
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
    const page = await open('contacts?order=birthday.desc&company=in.(1,2)')
    await page.locator('[data-row="0"][data-column="-1"]').dblclick()
    await page.getByRole('link', { name: 'Open as a page' }).click()
    // A contact without a birthday is last, as in the grid.
    await heading('Tomasz Zieliński')
    expect(await page.getByRole('button', { name: 'Previous record' }).isDisabled()).toBe(true)
    for (const name of ['Fiona MacRae', 'Ingrid Solberg', 'Samuel Okafor']) {
      await page.getByRole('link', { name: 'Next record' }).click()
      await heading(name)
    }
    expect(await page.getByRole('button', { name: 'Next record' }).isDisabled()).toBe(true)
    for (const name of ['Ingrid Solberg', 'Fiona MacRae', 'Tomasz Zieliński']) {
      await page.getByRole('link', { name: 'Previous record' }).click()
      await heading(name)
    }
    await page.getByRole('link', { name: 'contacts', exact: true }).last().click()
    await page.getByText('4 records', { exact: true }).waitFor()

    for (const refused of ['', '&company.nope=eq.5']) {
      await page.goto(`${service.url}/tables/contacts/records/4?q=brightwater&order=name.desc${refused}`)
      await page.getByRole('link', { name: 'Next record' }).click()
      await heading('Fiona MacRae')
      expect(await page.getByRole('button', { name: 'Next record' }).isDisabled()).toBe(true)
    }
    // A list that cannot be asked for any more is all records.
    await page.goto(`${service.url}/tables/contacts/records/4?gone=eq.5`)
    await page.getByRole('link', { name: 'Next record' }).click()
    await heading('Beatriz Almeida')
  })

  test('is deleted after one question', async () => {
    const page = await open('contacts/records/12')
    await page.getByRole('button', { name: 'Record menu' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'contacts', level: 1 }).waitFor()
    expect((await api('contacts/records/12')).status).toBe(404)
    await page.goto(`${service.url}/tables/contacts/records/12`)
    await page.getByRole('heading', { name: 'Record not found' }).waitFor()
    await expectAccessible(page)
  })

  test('is only to be read by viewers', async () => {
    const person = { email: 'vera@example.org', name: 'Vera', role: 'viewer', password: 'another good horse' }
    await call(`${service.url}/api/v1/users`, { token: service.token, body: person })
    const { page } = await visit()
    await takeSession(page, service.url, person)
    await page.goto(`${service.url}/tables/${everything.id}/records/1`)
    await page.getByText('You can view this record but not change it.').waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await expectAccessible(page)
  })

  test('can be worked on with a phone', async () => {
    const page = await open(`${everything.id}/records/1`, { size: 'phone' })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expectNoSideways(page)
    await expectAccessible(page)
  })
})

describe('a new record', () => {
  test('begins with the defaults, takes files along, and has its own address afterwards', async () => {
    const page = await open(`${everything.id}/records/new`)
    await page.getByRole('heading', { name: 'New record' }).waitFor()
    expect(await page.getByRole('combobox', { name: 'state' }).inputValue()).toBe('open')
    await save(page)
    await page.getByRole('alert').filter({ hasText: 'The record was not saved: 1 field is invalid' }).waitFor()
    await page.getByLabel('title').fill('Made by hand')
    const text = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('A note.') }
    await page.locator('input[type=file]').setInputFiles([text])
    await page.getByText('note.txt').waitFor()
    await save(page)
    await page.getByRole('heading', { name: 'Made by hand' }).waitFor()
    await page.getByRole('button', { name: 'View note.txt' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/\/records\/3$/)
    expect(JSON.parse(await textOf('everything/records/3'))).toMatchObject({ state: 'open', photos: [{ name: 'note.txt' }] })
  })

  test('keeps its fields in their places on a phone when the first linked record is chosen', async () => {
    const page = await open('contacts/records/new', { size: 'phone' })
    const link = page.getByRole('combobox', { name: 'company' })
    const below = page.getByText('More', { exact: true })
    const distance = async () => (await below.boundingBox())!.y - (await link.boundingBox())!.y
    await link.waitFor()
    const before = await distance()
    await link.click()
    await page.getByRole('option', { name: 'Alder & Stone' }).click()
    await page.getByRole('link', { name: 'Open Alder & Stone' }).waitFor()
    expect(await distance()).toBe(before)
  })

  test('may be given the number that the service would count otherwise', async () => {
    const page = await open('contacts/records/new')
    await page.getByLabel('name').fill('Number five hundred')
    await page.getByText('More', { exact: true }).click()
    await page.getByRole('textbox', { name: 'id' }).fill('500')
    await save(page)
    await page.getByRole('heading', { name: 'Number five hundred' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/\/records\/500$/)
    await page.getByRole('button', { name: 'Record menu' }).click()
    await page.getByRole('menuitem', { name: 'New record' }).click()
    await page.getByLabel('name').fill('Another one')
    expect(await page.getByRole('textbox', { name: 'id' }).isVisible()).toBe(false)
    await page.getByText('More', { exact: true }).click()
    await page.getByRole('textbox', { name: 'id' }).fill('500')
    await save(page)
    expect(await page.getByRole('textbox', { name: 'id' }).isVisible()).toBe(true)
    await page.getByRole('alert').filter({ hasText: 'The record was not saved' }).waitFor()
  })

  test.each([
    ['a text', 'codes', { name: 'code', type: 'text' }, { code: 'a/b, 50% #1?' }],
    ['the word of this page', 'words', { name: 'code', type: 'text' }, { code: 'new' }],
    ['two parts', 'pairs', ['left', 'right'], { left: 'a,b', right: 'c/d%2C' }],
  ] as const)('may have %s for a key', async (_what, name, primaryKey, key) => {
    const columns = Array.isArray(primaryKey) ? primaryKey.map((part) => ({ name: part, type: 'text', required: true })) : []
    await call(`${service.url}/api/v1/tables`, {
      token: service.token,
      body: { name, primaryKey, columns: [...columns, { name: 'note', type: 'text' }] },
    })
    const page = await open(`${name}/records/new`)
    for (const [part, value] of Object.entries(key)) await page.getByRole('textbox', { name: part }).fill(value)
    await page.getByLabel('note').fill('first')
    await save(page)
    await saved(page)
    await page.reload()
    await page.getByLabel('note').fill('second')
    await save(page)
    await saved(page)
    expect(JSON.parse(await textOf(`${name}/records`))).toMatchObject({ records: [{ ...key, note: 'second' }] })
  })
})

test('an amount is shown as in the grid until it is typed, and a date says how it is typed', async () => {
  const columns = [
    { name: 'fee', type: 'currency', options: { currency: 'EUR' } },
    { name: 'due', type: 'date' },
  ]
  await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name: 'dues', columns } })
  await api('dues/records', { body: { fee: 1500 } })
  const page = await open('dues/records/1', { language: 'de-DE' })
  const fee = page.getByLabel('fee', { exact: true })
  await fee.waitFor()
  expect(await fee.inputValue()).toBe('1.500,00\u00a0€')
  expect(await page.getByLabel('due', { exact: true }).getAttribute('placeholder')).toBe('TT.MM.JJJJ')
  await fee.focus()
  expect(await fee.inputValue()).toBe('1500')
  // Typing replaces the amount, as it does after any step into a field.
  await page.keyboard.type('1050,5')
  await page.keyboard.press('Tab')
  expect(await fee.inputValue()).toBe('1.050,50\u00a0€')
  await page.keyboard.press('Control+s')
  await page.getByText('Alle Änderungen gespeichert.').waitFor()
  expect(JSON.parse(await textOf('dues/records/1'))).toMatchObject({ fee: 1050.5 })
})
