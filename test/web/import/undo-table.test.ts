import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { chooseAction } from '../../support/table-menu'
import { startUi, takeSession } from '../../support/ui'

const service = await startUi()
afterAll(() => service.stop())
const api = (path: string, body?: unknown) => call(`${service.url}/api/v1${path}`, { token: service.token, body })

/** A table from a file, made in the web UI. */
async function importTable(name: string, size: 'desktop' | 'phone' = 'desktop'): Promise<Page> {
  const { page } = await visit({ size })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/import`)
  const buffer = Buffer.from('title,pages\nEmma,474\nPersuasion,249\n')
  await page.locator('input[type=file]').setInputFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  return page
}
const status = async (name: string) => (await api(`/tables/${name}`)).status

test('an import that made a table is undone from its message, by keyboard', async () => {
  const page = await importTable('novels')
  await page.getByText('2 records created.').waitFor()
  await page.locator('.grid-toast').getByRole('button', { name: 'Undo' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The import created the table “novels”. It is deleted with its 2 records.').waitFor()
  expect(await dialog.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete table' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${service.url}/`)
  await page.getByRole('list', { name: 'Tables' }).getByRole('link', { name: 'novels' }).waitFor({ state: 'detached' })
  expect(await status('novels')).toBe(404)
})

test('what was added since is shown before, on the page of recent changes, and again if there is more', async () => {
  const page = await importTable('essays', 'phone')
  await api('/tables/essays/records', { title: 'later' })
  await api('/tables/essays/columns', { name: 'note', type: 'text' })
  await chooseAction(page, 'Recent changes')
  await page
    .getByRole('button', { name: /^Undo the changes of/ })
    .last()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 record added, changed or deleted').waitFor()
  await dialog.getByText('1 column added or changed').waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
  await api('/tables/essays/records', { title: 'while they read' })
  await dialog.getByRole('button', { name: 'Delete table' }).click()
  await dialog.getByText('The imported table has been used since. Nothing was undone.').waitFor()
  await dialog.getByText('2 records added, changed or deleted').waitFor()
  expect(await status('essays')).toBe(200)
  await dialog.getByRole('button', { name: 'Delete table' }).click()
  await page.waitForURL(`${service.url}/`)
  expect(await status('essays')).toBe(404)
})
