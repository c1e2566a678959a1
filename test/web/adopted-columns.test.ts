import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import postgres from 'postgres'
import { expectAccessible, savedText, visit } from '../support/browser'
import { call } from '../support/executable'
import { becomes, cell } from '../support/grid-page'
import { startPostgres } from '../support/postgres'
import { chooseAction } from '../support/table-menu'
import { startUi, takeSession } from '../support/ui'

const server = await startPostgres()
const uri = await server.createDatabase('adopted')
const sql = postgres(uri, { max: 1, onnotice: () => {} })
await sql.unsafe(`create schema crm;
  create table crm.places (country text, code text, name text not null, area int4range, primary key (country, code));
  insert into crm.places values ('DE', 'a,b', 'Somewhere', '[1,5)'), ('DE', 'c', 'Elsewhere', null);
  create table crm.visits (at timestamptz, note text);
  insert into crm.visits values (null, 'Hello');
  create view crm.recent as select note from crm.visits;
  create table crm.orders (id bigint generated always as identity primary key, note text not null, net integer, gross integer generated always as (net * 2) stored);
  insert into crm.orders (note, net) values ('Chairs', 5), ('Tables', 7);
  create table crm.labels (code text primary key, shout text generated always as (upper(code)) stored);
  insert into crm.labels values ('a'), ('b')`)
await sql.end()
const service = await startUi({ DATABASE_URL: uri, ROWHOUSE_SCHEMAS: 'crm' })
afterAll(async () => {
  await service.stop()
  await server[Symbol.asyncDispose]()
})

test('a table that Rowhouse did not make says why its columns cannot be changed here, and what is missing', async () => {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/crm.visits/columns`)
  await page.getByText(/Change its columns in the database/).waitFor()
  await page.getByText(/It has no primary key/).waitFor()
  await page.getByText('Date and time').waitFor()
  expect(await page.getByRole('button', { name: /^Edit|^Delete|New column/ }).count()).toBe(0)
  await expectAccessible(page)
})

test('its records are changed like others, also in columns of types that Rowhouse has no word for', async () => {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/crm.places/records/DE,c`)
  await page.getByRole('heading', { name: 'Elsewhere' }).waitFor()
  await page.getByRole('link', { name: 'Previous record' }).click()
  await page.getByRole('heading', { name: 'Somewhere' }).waitFor()
  await page.getByRole('textbox', { name: 'area' }).fill('[2,7)')
  await page.getByRole('textbox', { name: 'code' }).fill('x/y')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // Its address has changed with its key.
  await page.waitForURL(/x%252Fy$/)
  await page.reload()
  await page.getByRole('heading', { name: 'Somewhere' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'area' }).inputValue()).toBe('[2,7)')
})

const listed = async (query: string) => {
  const answer = await call(`${service.url}/api/v1/tables/${query}`, { token: service.token })
  return ((await answer.json()) as { records: object[] }).records
}
async function openGrid(table: string): Promise<Page> {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${table}`)
  await page.locator('[role="grid"][aria-busy="false"]').waitFor()
  return page
}
/** @returns what was said before */
async function deleteFirst(page: Page): Promise<string> {
  await cell(page, 0, -1).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  const said = (await page.getByRole('dialog').textContent()) ?? ''
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 record' }).click()
  await page.getByText('1 record deleted.').waitFor()
  return said
}

describe('columns that the database alone fills in', () => {
  test('do not keep deleted records from coming back, and that the key is another one then is said before', async () => {
    const page = await openGrid('crm.orders')
    expect(await deleteFirst(page)).toContain('New values are generated for: id')
    await page.keyboard.press('Control+z')
    await page.getByText('1 record restored.').or(page.locator('.grid-notice.is-failure')).first().waitFor()
    expect(await listed('crm.orders/records?order=id')).toEqual([
      { id: 2, note: 'Tables', net: 7, gross: 14 },
      { id: 3, note: 'Chairs', net: 5, gross: 10 },
    ])
  })

  test('do not keep deleted records from coming back with the key that they had', async () => {
    const page = await openGrid('crm.labels')
    expect(await deleteFirst(page)).not.toContain('code')
    await page.keyboard.press('Control+z')
    await page.getByText('1 record restored.').or(page.locator('.grid-notice.is-failure')).first().waitFor()
    expect(await listed('crm.labels/records?order=code')).toEqual([
      { code: 'a', shout: 'A' },
      { code: 'b', shout: 'B' },
    ])
  })

  test('are not asked for in a new record, and cannot be edited', async () => {
    const page = await openGrid('crm.orders')
    await cell(page, 0, 3).click()
    await page.keyboard.type('9')
    await page.getByText('“gross” is set by the database and cannot be edited.').waitFor()
    await page.goto(`${service.url}/tables/crm.orders/records/new`)
    await page.getByLabel('note').fill('Lamps')
    expect(await page.getByLabel('gross').count()).toBe(0)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Lamps' }).waitFor()
    await page.getByRole('region', { name: 'Set by the service' }).getByText('gross').waitFor()
  })
})

test('a text keeps its line breaks when it is edited, in the list and in the form', async () => {
  const body = { note: 'Main St 1\nBerlin' }
  const made = await call(`${service.url}/api/v1/tables/crm.orders/records`, { token: service.token, body })
  const { id } = (await made.json()) as { id: number }
  const notes = () => listed(`crm.orders/records?id=eq.${id}&select=note`)
  const page = await openGrid(`crm.orders?id=eq.${id}`)
  await cell(page, 0, 1).click()
  await page.keyboard.press('F2')
  await page.locator('.grid-editor').press('Control+End')
  await page.keyboard.type(' 2')
  await page.keyboard.press('Enter')
  await becomes(notes, [{ note: 'Main St 1\nBerlin 2' }])
  await page.goto(`${service.url}/tables/crm.orders/records/${id}`)
  await page.getByRole('textbox', { name: 'note' }).press('Control+End')
  await page.keyboard.type(' c')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('All changes saved.').waitFor()
  expect(await notes()).toEqual([{ note: 'Main St 1\nBerlin 2 c' }])
})

test('records are found by a key that only the database gives', async () => {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/crm.orders/import`)
  const buffer = Buffer.from('id,note\n2,Stools\n9,Lamps\n')
  await page.locator('input[type=file]').setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer })
  await page.getByLabel('Import mode').selectOption('')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 record added, 1 record updated.').waitFor()
  expect(await listed('crm.orders/records?id=in.(2,9)&order=id')).toMatchObject([{ note: 'Stools' }, { note: 'Lamps' }])
})

test.each([
  ['visits', 'at,note\n,Hello\n'],
  ['recent', 'note\nHello\n'],
])('%s has no primary key, and is exported in each format', async (table, text) => {
  const page = await openGrid(`crm.${table}`)
  const download = async (format: string) => {
    await chooseAction(page, 'Export')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Format').selectOption(format)
    const [file] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Download' }).click()])
    await dialog.waitFor({ state: 'detached' })
    return file
  }
  expect((await download('Excel (.xlsx)')).suggestedFilename()).toBe(`${table}.xlsx`)
  expect(await savedText(await download('CSV for people'))).toBe(`\ufeff${text}`)
  expect(await savedText(await download('CSV for programs'))).toBe(`\ufeff${text}`)
})
