import { afterAll, expect, test } from 'bun:test'
import postgres from 'postgres'
import { expectAccessible, visit } from '../support/browser'
import { startPostgres } from '../support/postgres'
import { signInAt, startUi } from '../support/ui'

const server = await startPostgres()
const uri = await server.createDatabase('adopted')
const sql = postgres(uri, { max: 1, onnotice: () => {} })
await sql.unsafe(`create schema crm;
  create table crm.places (country text, code text, name text not null, area int4range, primary key (country, code));
  insert into crm.places values ('DE', 'a,b', 'Somewhere', '[1,5)'), ('DE', 'c', 'Elsewhere', null);
  create table crm.visits (at timestamptz, note text)`)
await sql.end()
const service = await startUi({ DATABASE_URL: uri, ROWHOUSE_SCHEMAS: 'crm' })
afterAll(async () => {
  await service.stop()
  await server[Symbol.asyncDispose]()
})

test('a table that Rowhouse did not make says why its columns cannot be changed here, and what is missing', async () => {
  const { page } = await visit()
  await signInAt(page, service.url)
  await page.goto(`${service.url}/tables/crm.visits/columns`)
  await page.getByText(/its columns are changed in the database/).waitFor()
  await page.getByText(/It has no primary key/).waitFor()
  await page.getByText('Date and time').waitFor()
  expect(await page.getByRole('button', { name: /^Edit|^Delete|New column/ }).count()).toBe(0)
  await expectAccessible(page)
})

test('its records are changed like others, also in columns of types that Rowhouse has no word for', async () => {
  const { page } = await visit()
  await signInAt(page, service.url)
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
