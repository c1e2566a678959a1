import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { matrixCell, openAccess, startWithDeals } from '../../support/access-page'
import { expectAccessible, expectNoSideways } from '../../support/browser'

const service = await startWithDeals()
afterAll(() => service.stop())
const columns = { read: ['id', 'title', 'owner'], write: ['title'] }
beforeEach(() => service.setRules([{ group: 'everyone', table: 'deals', read: 'all', update: 'all', delete: 'all', columns }]))

describe('the matrix of groups and tables', () => {
  test('counts hidden columns, in the names of its cells, too', async () => {
    const page = await openAccess(service)
    const cell = matrixCell(page, 'Everyone', 'deals').and(page.getByLabel('Delete: all, 2 columns hidden'))
    await cell.waitFor()
    expect(await cell.locator('.access-hidden').textContent()).toBe('2')
    await page.getByText('The arrow keys move between the cells.').waitFor()
    await expectAccessible(page)
  })

  test('shows all marks of a cell on a phone, and names no keys there', async () => {
    const page = await openAccess(service, { size: 'phone', scheme: 'dark' })
    await page.getByRole('searchbox', { name: 'Find a table' }).fill('deals')
    const cell = matrixCell(page, 'Everyone', 'deals')
    const frame = (await page.locator('.access-frame').boundingBox())!
    for (const mark of [...(await cell.locator('.access-mark').all()), cell.locator('.access-hidden')]) {
      const { x, width } = (await mark.boundingBox())!
      expect(x + width).toBeLessThanOrEqual(frame.x + frame.width)
    }
    expect(await page.getByText('The arrow keys move').isVisible()).toBe(false)
    await expectNoSideways(page)
    await expectAccessible(page)
  })

  test('opens a new rule that allows nothing, and says so until something is chosen', async () => {
    const page = await openAccess(service)
    await matrixCell(page, 'Editors', 'deals').click()
    const apply = page.getByRole('button', { name: 'Apply' })
    await page.getByText('This rule allows nothing yet.').waitFor()
    expect(await page.getByLabel('See records').inputValue()).toBe('none')
    expect(await apply.isDisabled()).toBe(true)
    await expectAccessible(page)
    await page.getByLabel('See records').selectOption('All')
    await page.getByText('This rule allows nothing yet.').waitFor({ state: 'detached' })
    await apply.click()
    await matrixCell(page, 'Editors', 'deals').and(page.getByLabel('See: all, Add: none, Change: none, Delete: none')).waitFor()
  })

  test('is followed by the confirmation of a save, in view, with the way to look as somebody else', async () => {
    const page = await openAccess(service, { size: 'phone' })
    await matrixCell(page, 'Viewers', 'all tables').click()
    await page.getByLabel('See records').selectOption('All')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Check and save…' }).click()
    await page.getByRole('button', { name: 'Save rules' }).click()
    const saved = page.getByRole('status').getByText('The rules are saved.')
    await saved.waitFor()
    const { y, height } = (await saved.boundingBox())!
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y + height).toBeLessThanOrEqual(page.viewportSize()!.height)
    await expectNoSideways(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Look at it as…' }).click()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('viewed-user')
  })
})
