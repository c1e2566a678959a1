import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import postgres from 'postgres'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { startPostgres, uriOf } from '../../support/postgres'
import { startUi, takeSession } from '../../support/ui'

const prepared = `create schema rowhouse authorization app; create schema data authorization app; create schema crm; grant usage on schema crm to app;
create table crm.customers (id int primary key, name text); grant select, insert, update, delete on crm.customers to app;
create table crm.salaries (id int primary key, amount numeric);
create table crm.visits (at date); grant select on crm.visits to app;
create schema empty; grant usage on schema empty to app;`

const server = await startPostgres()
await server.admin.unsafe('create database shop')
const owner = postgres({
  path: join(server.socketDir, `.s.PGSQL.${server.port}`),
  user: 'rowhouse',
  database: 'shop',
  max: 1,
  onnotice: () => {},
})
await owner.unsafe(prepared)
const service = await startUi({ DATABASE_URL: uriOf(server.port, 'shop'), ROWHOUSE_SCHEMAS: 'crm' })
afterAll(async () => {
  await service.stop()
  await owner.end()
  await server[Symbol.asyncDispose]()
})

test('the report of a schema says what is served, why the rest is not, and what its owner has to run', async () => {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/settings/schemas`)
  await page.getByRole('heading', { name: 'customers full access' }).waitFor()
  await page.getByRole('heading', { name: 'visits read-only' }).waitFor()
  await page.getByRole('heading', { name: 'salaries not served' }).waitFor()
  const grants = page.getByRole('region', { name: 'SQL for the owner of the tables to run' })
  expect(await grants.textContent()).toContain('GRANT SELECT ON "crm"."salaries" TO "app";')
  await expectAccessible(page)
  await page.setViewportSize({ width: 375, height: 800 })
  await expectNoSideways(page)

  await owner.unsafe((await grants.textContent()) ?? '')
  await page.reload()
  await page
    .getByRole('heading', { name: 'salaries read-only' })
    .or(page.getByRole('heading', { name: 'salaries full access' }))
    .waitFor()

  const schema = page.getByLabel('Database schema')
  await schema.fill('empty')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('No tables').waitFor()
  await page.getByText('The schema “empty” is not served.').waitFor()
  await schema.fill('cmr')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('Did you mean "crm"?').waitFor()
})
