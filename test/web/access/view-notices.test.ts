import { afterAll, expect, test } from 'bun:test'
import postgres from 'postgres'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { startPostgres } from '../../support/postgres'
import { startUi, takeSession } from '../../support/ui'

const server = await startPostgres()
const uri = await server.createDatabase('views')
const sql = postgres(uri, { max: 1, onnotice: () => {} })
await sql.unsafe(`create schema crm;
  create table crm.salaries (id int primary key, person text, amount int);
  create view crm."all salaries" as select * from crm.salaries;
  create materialized view crm."sums of salaries" as select sum(amount) as sum from crm."all salaries"`)
await sql.end()
const service = await startUi({ DATABASE_URL: uri, ROWHOUSE_SCHEMAS: 'crm' })
afterAll(async () => {
  await service.stop()
  await server[Symbol.asyncDispose]()
})

test('views that show more than the rules are named before they are saved, and afterwards', async () => {
  const { page } = await visit({ size: 'phone' })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/settings/access`)
  await page.getByRole('button', { name: /^Only one group uses a table/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Only one group uses a table' })
  await dialog.getByLabel('Table', { exact: true }).selectOption('salaries')
  await dialog.getByLabel('Who').selectOption('Editors')
  await dialog.getByRole('button', { name: 'Add rule' }).click()
  await page.getByRole('button', { name: 'Check and save…' }).click()
  const impact = page.getByRole('dialog', { name: 'What changes' })
  const noticeOf = (view: string) => `The view “${view}” shows rows of “salaries”, and has no rule of its own.`
  for (const view of ['all salaries', 'sums of salaries']) await impact.getByText(noticeOf(view)).waitFor()
  await expectAccessible(page)
  await impact.getByRole('button', { name: 'Save rules' }).click()
  await page.getByText('The rules are saved.').waitFor()
  const notices = page.getByRole('region', { name: 'Views show more than the rules let people see:' })
  expect(await notices.getByRole('listitem').allTextContents()).toEqual(['all salaries', 'sums of salaries'].map(noticeOf))
  await expectNoSideways(page)
})
