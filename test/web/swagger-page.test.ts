import { afterAll, expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { expectAccessible } from '../support/browser'
import { closeBrowser, openWindow } from '../support/chromium'

const app = await startApp()
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'notes',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'files', type: 'attachment' },
    ],
  },
})
await app.call('/api/v1/tables/notes/records', { as: 'admin', body: [{ title: 'Tea & cake' }, { title: 'Coffee' }] })

afterAll(closeBrowser)

test('the description is drawn under Trusted Types, an operation is opened, tried out and answered, and no script can be added', async () => {
  const { page, context, troubles } = await openWindow()
  await page.goto(`${app.url}/swagger?token=${app.tokens.viewer}`)
  const group = (tag: string) => page.locator(`.opblock-tag[data-tag="${tag}"]`)
  await group('tables/notes').waitFor({ timeout: 45_000 })
  expect(await page.locator('.opblock').count()).toBe(0)
  await group('tables').click()
  const tables = page.locator('.opblock-get:has([data-path="/api/v1/tables"])')
  await tables.locator('.opblock-summary-control').click({ timeout: 45_000 })
  await tables.getByRole('button', { name: 'Try it out' }).click()
  await tables.getByRole('button', { name: 'Execute' }).click()
  await tables.locator('.live-responses-table').getByText('"notes"').first().waitFor()
  await page.locator('.opblock-patch .opblock-summary-control').first().click()
  await page.locator('.opblock-patch .opblock-body').waitFor()
  expect(new URL(page.url()).hash).toStartWith('#/tables/patch')
  // What is left is in the markup of Swagger UI. Browsers scroll its examples by keys, though axe misses a tab stop.
  await expectAccessible(page, ['heading-order', 'landmark-unique', 'scrollable-region-focusable'])
  expect(troubles).toEqual([])
  const added = await page.evaluate(() => {
    try {
      document.createElement('script').src = '/api/v1/tables/1/records/1/attachments/1/1'
      return 'added'
    } catch (error) {
      return (error as Error).name
    }
  })
  expect(added).toBe('TypeError')
  await context.close()
})

test('the records of a table have a group of their own, with its columns as filters, and are read there', async () => {
  const { page, context, troubles } = await openWindow()
  await page.goto(`${app.url}/swagger?token=${app.tokens.viewer}`)
  await page.locator('.opblock-tag[data-tag="tables/notes"]').click({ timeout: 45_000 })
  const list = page.locator('.opblock-get:has([data-path="/api/v1/tables/notes/records"])')
  await list.locator('.opblock-summary-control').click()
  await list.getByRole('button', { name: 'Try it out' }).click()
  await list.locator('tr[data-param-name="title"] input').fill('eq.Tea & cake')
  await list.getByRole('button', { name: 'Execute' }).click()
  await list.locator('.live-responses-table').getByText('"Tea & cake"').first().waitFor()
  expect(await list.locator('.live-responses-table').getByText('"Coffee"').count()).toBe(0)
  expect(troubles).toEqual([])
  await context.close()
})
