import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { grace, openAccess, openAs, startWithDeals } from '../../support/access-page'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'

const service = await startWithDeals()
afterAll(() => service.stop())
beforeEach(() => service.setRules([]))

const own = { group: 'everyone', table: 'deals', read: 'owner=eq.@me', create: 'owner=eq.@me', update: 'owner=eq.@me', delete: 'none' }
const withoutMargin = ['id', 'title', 'owner', 'amount']
const rules = async () => (await (await call(`${service.url}/api/v1/access`, { token: service.token })).json()).rules

async function save(page: Page) {
  await page.getByRole('button', { name: 'Check and save…' }).click()
  await page.getByRole('dialog', { name: 'What changes' }).getByRole('button', { name: 'Save rules' }).click()
  await page.getByText('The rules are saved.').waitFor()
}

/** The dialog of a recipe, from the menu that a document with rules has. */
async function addRule(page: Page, recipe: string) {
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByRole('menuitem', { name: recipe }).click()
  const dialog = page.getByRole('dialog', { name: recipe })
  await dialog.getByLabel('Table', { exact: true }).selectOption('deals')
  return dialog
}

test('its effect is told in German, too', async () => {
  const page = await openAs(service, '/settings/access', { language: 'de-DE' })
  await page.getByRole('button', { name: /^Jeder sieht die eigenen Datensätze/ }).click()
  await page.getByRole('dialog').getByText('Programme müssen sie senden.').waitFor()
  await page.getByRole('dialog').locator('button[type="submit"]').click()
  await page.getByRole('button', { name: 'Prüfen und speichern …' }).click()
  const impact = page.getByRole('dialog')
  await impact.getByText('Bob Ross, Grace Hopper, jeweils').waitFor()
  await impact.getByText('Datensätze anlegen: bisher alle, künftig manche').first().waitFor()
})

describe('a second recipe for a group and a table', () => {
  test('hides columns in the rule that is there, saved or not, and leaves it its rows', async () => {
    const page = await openAccess(service)
    await page.getByRole('button', { name: /^Each person sees their own records/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Add rule' }).click()
    const dialog = await addRule(page, 'Some columns are hidden')
    await dialog.getByText('Everyone already has a rule for “deals”. It hides these columns, too').waitFor()
    await dialog.getByLabel('margin').check()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    await page.getByText('1 unsaved rule').waitFor()
    await save(page)
    expect(await rules()).toEqual([{ ...own, columns: { read: withoutMargin, write: withoutMargin } }])
    const seller = await openAs(service, '/tables/deals', { as: grace })
    await seller.getByText('1 record', { exact: true }).waitFor()

    const again = await addRule(page, 'Some columns are hidden')
    expect(await again.getByLabel('margin').isChecked()).toBe(true)
    await again.getByLabel('amount').check()
    await again.getByRole('button', { name: 'Add rule' }).click()
    await save(page)
    expect(await rules()).toMatchObject([{ columns: { read: ['id', 'title', 'owner'], write: ['id', 'title', 'owner'] } }])
  })

  test('replaces the rights and keeps hidden columns hidden', async () => {
    const columns = { read: withoutMargin, write: ['title'] }
    await service.setRules([{ group: 'everyone', table: 'deals', read: 'all', update: 'all', columns }])
    const page = await openAccess(service)
    const dialog = await addRule(page, 'Each person sees their own records')
    await dialog.getByText('Its rights are replaced; the columns it hides stay hidden.').waitFor()
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    await save(page)
    expect(await rules()).toEqual([{ ...own, columns }])
  })

  test('says which other rules add to it', async () => {
    await service.setRules([own, { group: 'role:viewer', table: '*', read: 'all' }])
    const page = await openAccess(service)
    const dialog = await addRule(page, 'Only one group uses a table')
    await dialog.getByLabel('Who').selectOption('Editors')
    await dialog.getByText('“deals” also has rules for: Everyone, Viewers.').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    await save(page)
    expect(await rules()).toMatchObject([own, { group: 'role:viewer' }, { group: 'role:editor', read: 'all' }])
  })
})
