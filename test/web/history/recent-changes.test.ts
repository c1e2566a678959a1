import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import postgres from 'postgres'
import { json } from '../../support/app'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { becomes } from '../../support/grid-page'
import { startPostgres } from '../../support/postgres'
import { chooseAction } from '../../support/table-menu'
import { startUi, takeSession } from '../../support/ui'

const server = await startPostgres()
const uri = await server.createDatabase('changes')
const sql = postgres(uri, { max: 1, onnotice: () => {} })
await sql.unsafe(`create schema crm; create table crm.invoices (id int primary key, total int);
  create view crm.sums as select sum(total) as sum from crm.invoices`)
const service = await startUi({ DATABASE_URL: uri, ROWHOUSE_SCHEMAS: 'crm' })
afterAll(async () => {
  await sql.end()
  await service.stop()
  await server[Symbol.asyncDispose]()
})

const api = (path: string, more: object = {}) => json(call(`${service.url}/api/v1/${path}`, { token: service.token, ...more }))
const password = 'a quiet little harbour'
const [grace, eve] = ['grace', 'eve'].map((name) => ({ email: `${name}@example.org`, password })) as [Login, Login]
type Login = { email: string; password: string }
await api('users', { body: { ...grace, name: 'Grace Hopper', role: 'editor' } })
await api('users', { body: { ...eve, name: 'Eve Adams', role: 'viewer' } })

type Told = { name: string }
let made = 0
/** A table of its own for each test. */
async function makeTable(): Promise<string> {
  const name = `boats${made++}`
  const columns = [
    { name: 'name', type: 'text', unique: true },
    { name: 'seats', type: 'integer' },
  ]
  await api('tables', { body: { name, columns } })
  return name
}
const namesIn = async (table: string) => (await api(`tables/${table}/records?order=id`)).records.map(({ name }: Told) => name)

async function open(path: string, { as, ...options }: Parameters<typeof visit>[0] & { as?: Login } = {}): Promise<Page> {
  const { page } = await visit(options)
  await takeSession(page, service.url, as)
  await page.goto(`${service.url}/tables/${path}`)
  return page
}
const rows = (page: Page) => page.locator('.rows > li')
const undoButton = (page: Page, row: number) =>
  rows(page)
    .nth(row)
    .getByRole('button', { name: /^Undo the changes of / })

describe('the recent changes of a table', () => {
  test('are undone by request, and that is undone again', async () => {
    const table = await makeTable()
    const added = await api(`tables/${table}/records`, { body: [{ name: 'Ada' }, { name: 'Bea' }] })
    await sql.unsafe(`update data.${table} set seats = 4`)
    await api(`tables/${table}/records/${added[0].id}`, { method: 'PATCH', body: { name: 'Anna' } })
    await api(`tables/${table}/records`, { body: [{ name: 'Cleo' }, { name: 'Dora' }] })
    const page = await open(table, { as: grace })
    await page.getByRole('gridcell', { name: 'Dora' }).waitFor()
    await chooseAction(page, 'Recent changes')
    await page.getByRole('heading', { name: `Recent changes in ${table}` }).waitFor()
    await rows(page).first().waitFor()
    expect(await rows(page).getByRole('heading').allTextContents()).toEqual([
      '2 records created',
      '1 record changed',
      '2 records changed',
      '2 records created',
    ])
    await rows(page).nth(0).getByText('Ada Lovelace, by token').waitFor()
    await rows(page)
      .nth(2)
      .getByText(/^database role app · .* · from outside of Rowhouse, cannot be undone as one$/)
      .waitFor()
    expect(await undoButton(page, 2).count()).toBe(0)
    // An editor has no switch.
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await expectAccessible(page)

    await undoButton(page, 0).click()
    const dialog = page.getByRole('dialog', { name: 'Undo these changes?' })
    await dialog.getByText('2 records are deleted.').waitFor()
    await expectAccessible(page)
    expect(await namesIn(table)).toEqual(['Anna', 'Bea', 'Cleo', 'Dora'])
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('The changes are undone. 2 records are deleted.').waitFor()
    expect(await namesIn(table)).toEqual(['Anna', 'Bea'])
    await rows(page).getByText('Grace Hopper').waitFor()

    await page.getByRole('button', { name: 'Undo this undo…' }).click()
    await dialog.getByText('2 records are restored.').waitFor()
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('The changes are undone. 2 records are restored.').waitFor()
    expect(await namesIn(table)).toEqual(['Anna', 'Bea', 'Cleo', 'Dora'])
    // The list is fetched again.
    await page.getByRole('link', { name: table, exact: true }).first().click()
    await page.getByRole('gridcell', { name: 'Dora' }).waitFor()
  })

  test('that somebody has changed since are listed, and left as they are', async () => {
    const table = await makeTable()
    const added = await api(`tables/${table}/records`, { body: [{ name: 'Ada' }, { name: 'Bea' }, { name: 'Cleo' }] })
    await api(`tables/${table}/records/${added[1].id}`, { method: 'PATCH', body: { seats: 3 } })
    const page = await open(`${table}/history`, { as: grace, size: 'phone' })
    await undoButton(page, 1).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 of the records was changed since:').waitFor()
    expect(await dialog.getByRole('listitem').first().textContent()).toMatch(
      new RegExp(`^${table} ${added[1].id}: Ada Lovelace, by token, .+`),
    )
    await dialog.getByText('With the others this happens:').waitFor()
    await dialog.getByText('2 records are deleted.').waitFor()
    await expectNoSideways(page)
    await expectAccessible(page)
    // Another one is changed while the dialog is open.
    await api(`tables/${table}/records/${added[2].id}`, { method: 'PATCH', body: { seats: 5 } })
    await dialog.getByRole('button', { name: 'Leave these as they are' }).click()
    await page.getByText('The changes are undone. 1 record is deleted. 2 records are left as they are.').waitFor()
    expect(await namesIn(table)).toEqual(['Bea', 'Cleo'])
  })

  test('that the user has no right to undo say so, and offer no second attempt', async () => {
    const table = await makeTable()
    await api(`tables/${table}/records`, { body: { name: 'Ada' } })
    const page = await open(`${table}/history`, { as: grace })
    const body = { code: 'forbidden', message: 'You may not delete this record.' }
    await page.route('**/undo**', (route) => route.fulfill({ status: 403, json: body }))
    await undoButton(page, 0).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('You may not delete this record.').waitFor()
    expect(await dialog.getByText('Loading failed').count()).toBe(0)
    expect(await dialog.getByRole('button').allTextContents()).toEqual([''])
    await expectAccessible(page)
  })

  test('that change while an undo is confirmed are asked about', async () => {
    const table = await makeTable()
    const added = await api(`tables/${table}/records`, { body: [{ name: 'Ada' }, { name: 'Bea' }] })
    const page = await open(`${table}/history`, { as: grace })
    await undoButton(page, 0).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 records are deleted.').waitFor()
    await api(`tables/${table}/records/${added[0].id}`, { method: 'PATCH', body: { seats: 3 } })
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
    await dialog.getByText('1 of the records was changed since:').waitFor()
    expect(await namesIn(table)).toEqual(['Ada', 'Bea'])
    await api(`tables/${table}/records/${added[1].id}`, { method: 'PATCH', body: { seats: 3 } })
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.reload()
    await undoButton(page, 2).click()
    await dialog.getByText('2 of the records were changed since:').waitFor()
    await dialog.getByText('There are no other records to undo.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Leave these as they are' }).count()).toBe(0)
  })
})

describe('an undo', () => {
  test('far down in the list tells what it did where it is seen', async () => {
    const table = await makeTable()
    for (let count = 0; count < 20; count++) await api(`tables/${table}/records`, { body: { name: `boat ${count}` } })
    const page = await open(`${table}/history`, { as: grace, size: 'phone' })
    await undoButton(page, 19).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click()
    const told = page.getByText('The changes are undone. 1 record is deleted.')
    await told.waitFor()
    await becomes(() => told.evaluate((element) => element.getBoundingClientRect().top >= 0), true)
  })

  test('that would break the rules of the table is refused, which is said before', async () => {
    const table = await makeTable()
    const { id } = await api(`tables/${table}/records`, { body: { name: 'Ada' } })
    await call(`${service.url}/api/v1/tables/${table}/records/${id}`, { token: service.token, method: 'DELETE' })
    await api(`tables/${table}/records`, { body: { name: 'Ada' } })
    const page = await open(`${table}/history`, { as: grace })
    await undoButton(page, 1).click()
    await page.getByRole('dialog').getByRole('alert').getByText(/name/).waitFor()
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0)
  })
})

describe('the log of a table', () => {
  test('is switched on and off by an administrator', async () => {
    const page = await open('invoices/history')
    const box = page.getByRole('checkbox', { name: 'Log the changes of this table' })
    await page.getByText('Changes of this table are not logged.').waitFor()
    expect(await box.isChecked()).toBe(false)
    await expectAccessible(page)
    await box.click()
    await page.getByText('Records that are created, changed or deleted from now on are listed here.').waitFor()
    expect((await api('tables/invoices/history')).logged).toBe(true)
    await api('tables/invoices/records', { body: { id: 1, total: 5 } })
    await page.reload()
    await rows(page).getByText('1 record created').waitFor()
    await box.click()
    await page.waitForFunction(() => !document.querySelector<HTMLInputElement>('input[type=checkbox]')?.checked)
    expect((await api('tables/invoices/history')).logged).toBe(false)
  })

  test('of a view cannot be switched on, which is said', async () => {
    const page = await open('sums/history')
    await page.getByRole('checkbox').click()
    await page.getByText('Changes of "sums" cannot be logged: it is not an ordinary table, or has no primary key.').waitFor()
    await page.goto(`${service.url}/tables/sums`)
    await page.getByRole('button', { name: 'More actions', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Export' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Recent changes' }).count()).toBe(0)
  })

  test('cannot be switched on where ROWHOUSE_HISTORY_DAYS is 0, which is said', async () => {
    const other = await startUi({ ROWHOUSE_HISTORY_DAYS: '0' })
    const { page } = await visit()
    await takeSession(page, other.url)
    await page.goto(`${other.url}/tables/contacts/history`)
    await page.getByRole('checkbox').click()
    await page.getByText('The log is off for all tables: ROWHOUSE_HISTORY_DAYS is 0.').waitFor()
    await page.goto('about:blank')
    await other.stop()
  })

  test('is read by a viewer, who has no undo, in German', async () => {
    const table = await makeTable()
    await api(`tables/${table}/records`, { body: { name: 'Ada' } })
    const page = await open(`${table}/history`, { as: eve, language: 'de-DE', size: 'phone', scheme: 'dark' })
    await rows(page).getByText('1 Datensatz erstellt').waitFor()
    expect(await rows(page).getByRole('button').count()).toBe(0)
    await expectNoSideways(page)
    const silent = await open('invoices/history', { as: eve, language: 'de-DE' })
    await silent
      .getByText('Änderungen dieser Tabelle werden nicht protokolliert. Die Administration kann das Protokoll einschalten.')
      .waitFor()
  })
})
