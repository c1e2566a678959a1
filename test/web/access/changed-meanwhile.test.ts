import { afterAll, beforeEach, describe, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { matrixCell, openAccess, startWithDeals } from '../../support/access-page'

const service = await startWithDeals()
afterAll(() => service.stop())
const rule = { group: 'role:editor', table: 'deals', read: 'all' }
beforeEach(() => service.setRules([rule]))

const drawer = (page: Page) => page.getByRole('dialog', { name: 'Editors · deals' })

/** Opens a rule that somebody else changes then. The page has their document after it got the focus. */
async function openChanged(): Promise<Page> {
  const page = await openAccess(service)
  await matrixCell(page, 'Editors', 'deals').click()
  await drawer(page).waitFor()
  await service.setRules([{ ...rule, update: 'all' }])
  const fetched = page.waitForResponse((response) => response.url().endsWith('/api/v1/access'))
  // What has just been fetched is not fetched again.
  await page.evaluate(() => {
    const { now } = Date
    Date.now = () => now() + 120_000
    window.dispatchEvent(new Event('focus'))
  })
  await (await fetched).finished()
  return page
}

describe('a rule that somebody else changes while it is open', () => {
  test('is not saved over their change', async () => {
    const page = await openChanged()
    await page.getByLabel('Delete records').selectOption('All')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Check and save…' }).click()
    const impact = page.getByRole('dialog', { name: 'What changes' })
    await impact.getByRole('button', { name: 'Save rules' }).click()
    await impact.getByText('Somebody else has changed the rules since you opened them.').waitFor()
    await impact.getByRole('button', { name: 'Load anew' }).click()
    await matrixCell(page, 'Editors', 'deals').and(page.getByLabel('See: all, Add: none, Change: all, Delete: none')).waitFor()
  })

  test('is shown as they left it after it was closed unchanged', async () => {
    const page = await openChanged()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await matrixCell(page, 'Editors', 'deals').and(page.getByLabel('See: all, Add: none, Change: all, Delete: none')).waitFor()
  })
})
