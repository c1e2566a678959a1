import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { matrixCell, openAccess, startWithDeals } from '../../support/access-page'
import { call } from '../../support/executable'

const service = await startWithDeals()
afterAll(() => service.stop())
beforeEach(() => service.setRules([{ group: 'everyone', table: 'deals', read: 'owner=eq.@me&amount=lt.1000' }]))

const apply = (page: Page) => page.getByRole('button', { name: 'Apply' }).click()
const problem = (page: Page) => page.getByText('Complete the conditions, or choose “All” or “None”.')
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Everyone · deals' })

async function openRule(): Promise<Page> {
  const page = await openAccess(service)
  await matrixCell(page, 'Everyone', 'deals').click()
  await drawer(page).waitFor()
  return page
}

/** The rule after it was applied and saved. */
async function save(page: Page): Promise<string> {
  await apply(page)
  await drawer(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Check and save…' }).click()
  await page.getByRole('button', { name: 'Save rules' }).click()
  await page.getByText('The rules are saved.').waitFor()
  return (await (await call(`${service.url}/api/v1/access`, { token: service.token })).json()).rules[0].read
}

describe('a rule with a condition that is not complete', () => {
  test.each(['', 'abc'])('because its value is “%s” is not applied without it', async (value) => {
    const page = await openRule()
    const amount = page.getByRole('textbox', { name: 'Value' })
    await amount.fill(value)
    await apply(page)
    await problem(page).waitFor()
    await amount.fill('500')
    await problem(page).waitFor({ state: 'detached' })
    expect(await save(page)).toBe('owner=eq.@me&amount=lt.500')
  })

  test('that was added is not applied until it is removed', async () => {
    const page = await openRule()
    await page.getByRole('button', { name: 'Add condition' }).click()
    await apply(page)
    await problem(page).waitFor()
    await page.getByRole('button', { name: 'Remove condition' }).last().click()
    await problem(page).waitFor({ state: 'detached' })
    await page.getByRole('textbox', { name: 'Value' }).fill('500')
    expect(await save(page)).toBe('owner=eq.@me&amount=lt.500')
  })

  test('is applied as its text, once that is shown', async () => {
    const page = await openRule()
    await page.getByRole('textbox', { name: 'Value' }).fill('')
    await page.getByRole('button', { name: 'Edit as text' }).click()
    expect(await page.getByLabel('Conditions as text').inputValue()).toBe('owner=eq.@me')
    expect(await save(page)).toBe('owner=eq.@me')
  })
})
