import { afterAll, expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { expectAccessible } from '../support/browser'
import { closeBrowser, openWindow } from '../support/chromium'

const app = await startApp()
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns: [{ name: 'files', type: 'attachment' }] } })

afterAll(closeBrowser)

test('the description is drawn under Trusted Types, an operation is opened, tried out and answered, and no script can be added', async () => {
  const { page, context, troubles } = await openWindow()
  await page.goto(`${app.url}/swagger?token=${app.tokens.viewer}`)
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
