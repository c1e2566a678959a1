import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../support/browser'
import { call } from '../support/executable'
import { becomes, cell } from '../support/grid-page'
import { signInAt, startUi } from '../support/ui'

const service = await startUi()
afterAll(() => service.stop())

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const tableNames = async () => {
  const { tables } = (await (await call(`${service.url}/api/v1/tables`, { token: service.token })).json()) as { tables: { name: string }[] }
  return tables.map(({ name }) => name)
}

async function signedIn(options: Parameters<typeof visit>[0] = {}): Promise<Page> {
  const { page } = await visit(options)
  await signInAt(page, service.url)
  return page
}

describe('the tables', () => {
  test('are made, renamed and deleted by typing the name', async () => {
    const page = await signedIn()
    await sidebar(page).getByRole('button', { name: 'New table' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('plans')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'plans', level: 1 }).waitFor()
    await page.getByText('No records yet').waitFor()
    // The first cell of the new table has the focus.
    await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('role')), 'gridcell')
    await page.keyboard.type('Paint')
    await page.keyboard.press('Enter')
    await page.getByText('1 record', { exact: true }).waitFor()
    expect(await cell(page, 0, 0).textContent()).toBe('Paint')
    // The row is seen, so no message says that it is there.
    expect(await page.locator('.grid-notice').textContent()).toBe('')

    await page.getByRole('button', { name: 'Menu for plans' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('contacts')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('alert').filter({ hasText: 'taken' }).first().waitFor()
    await page.getByRole('dialog').getByLabel('Name').fill('projects 2027')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'projects 2027', level: 1 }).waitFor()
    expect(await tableNames()).toContain('projects 2027')

    await page.getByRole('button', { name: 'Menu for projects 2027' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('projects')
    await page.getByRole('button', { name: 'Delete table' }).click()
    expect(await tableNames()).toContain('projects 2027')
    await page.getByRole('dialog').getByRole('textbox').fill('projects 2027')
    await page.getByRole('button', { name: 'Delete table' }).click()
    await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor()
    expect(await tableNames()).not.toContain('projects 2027')
  })

  test('are listed with the number of their records, those opened last first', async () => {
    const page = await signedIn()
    const lines = page.getByRole('region', { name: 'Tables' }).getByRole('row')
    const named = (name: string) => lines.filter({ has: page.getByRole('link', { name, exact: true }) })
    await named('contacts').getByRole('cell', { name: '12', exact: true }).waitFor()
    for (const name of ['projects', 'contacts']) {
      await sidebar(page).getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    }
    await page.getByRole('link', { name: 'Rowhouse' }).first().click()
    await named('contacts').getByText('ago').or(named('contacts').getByText('now')).waitFor()
    expect((await lines.getByRole('link').allTextContents()).slice(0, 3)).toEqual(['contacts', 'projects', 'companies'])
    await expectAccessible(page)
  })

  test('say in German what the service refuses', async () => {
    const page = await signedIn({ language: 'de-DE' })
    await page.getByRole('button', { name: 'Neue Tabelle' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('contacts')
    await page.getByRole('button', { name: 'Anlegen' }).click()
    await page.getByRole('alert').filter({ hasText: 'Eine Tabelle "contacts" gibt es bereits.' }).first().waitFor()
  })

  test('are found by a part of their name', async () => {
    for (const name of ['alpha', 'beta', 'gamma'])
      await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name, columns: [] } })
    const page = await signedIn()
    await sidebar(page).getByRole('searchbox', { name: 'Find a table' }).fill('ALPH')
    await sidebar(page).getByRole('link', { name: 'contacts' }).waitFor({ state: 'detached' })
    expect(await sidebar(page).getByRole('listitem').count()).toBe(1)
    await sidebar(page).getByRole('searchbox').fill('nothing of the kind')
    await page.getByText('No matching tables.').waitFor()
  })

  test('show their records with dates as the browser’s user writes them', async () => {
    const page = await signedIn()
    await sidebar(page).getByRole('link', { name: 'contacts' }).click()
    await page.getByRole('heading', { name: 'contacts', level: 1 }).waitFor()
    await page.getByRole('gridcell', { name: 'Ingrid Solberg' }).waitFor()
    await page.getByText('12 records').waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await page.getByRole('gridcell', { name: 'Ingrid Solberg' }).click()
    await page.keyboard.press('End')
    await page.getByRole('gridcell', { name: '14 Mar 1971' }).waitFor()
  })

  test('that are not there are said not to be', async () => {
    const page = await signedIn()
    await page.goto(`${service.url}/tables/nowhere`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('link', { name: 'Go to tables' }).click()
    await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor()
  })
})

describe('the frame', () => {
  test('lets the keyboard skip to the content', async () => {
    const page = await signedIn()
    await page.goto(service.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
  })

  test('has room for the list of tables on a phone, in German too', async () => {
    const page = await signedIn({ size: 'phone', language: 'de-DE' })
    const list = page.getByRole('region', { name: 'Tabellen' })
    await list.getByText('12', { exact: true }).waitFor()
    expect(await list.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false)
  })

  test('keeps the tables behind a button on a phone', async () => {
    const page = await signedIn({ size: 'phone' })
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'companies' }).click()
    await page.getByRole('heading', { name: 'companies', level: 1 }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectNoSideways(page)
    await expectAccessible(page)
  })

  test('speaks German where the browser does, and English when that is chosen', async () => {
    const { page } = await visit({ language: 'de-DE' })
    await page.goto(service.url)
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('de')
    await page.getByLabel('E-Mail').fill('ada@example.org')
    await page.getByLabel('Passwort', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.getByRole('heading', { name: 'Tabellen', level: 1 }).waitFor()
    await page.getByRole('button', { name: /Kontomenü/ }).click()
    await page.getByRole('menuitemradio', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor()
  })

  test('is dark when that is chosen, and stays so', async () => {
    const page = await signedIn()
    const scheme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme)
    expect(await scheme()).toBe('light')
    await page.getByRole('button', { name: /account menu/ }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    expect(await scheme()).toBe('dark')
    await page.reload()
    await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor()
    expect(await scheme()).toBe('dark')
  })

  test('moves nothing where the browser asks for that', async () => {
    const page = await signedIn()
    await page.getByRole('button', { name: 'New table' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    const countMoving = () =>
      page.evaluate(
        () => [...document.querySelectorAll('*')].filter((each) => /[1-9]/.test(getComputedStyle(each).transitionDuration)).length,
      )
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect(await countMoving()).toBeGreaterThan(0)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await countMoving()).toBe(0)
  })

  test('waits for the code of a page while there is no connection', async () => {
    const { page, context } = await visit()
    await signInAt(page, service.url)
    await context.setOffline(true)
    await page.getByRole('status').filter({ hasText: 'You are offline' }).waitFor()
    await sidebar(page).getByRole('link', { name: 'projects' }).click()
    await page.waitForURL('**/tables/**')
    await context.setOffline(false)
    await page.getByRole('heading', { name: 'projects', level: 1 }).waitFor()
  })

  test('says when there is no connection', async () => {
    const { page, context } = await visit()
    await signInAt(page, service.url)
    // So has the code of all pages come, which is fetched in a quiet moment.
    await sidebar(page).getByRole('link', { name: 'contacts' }).click()
    await page.getByRole('heading', { name: 'contacts', level: 1 }).waitFor()
    await context.setOffline(true)
    await page.getByRole('status').filter({ hasText: 'You are offline' }).waitFor()
    await sidebar(page).getByRole('link', { name: 'projects' }).click()
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { name: 'projects', level: 1 }).waitFor()
  })
})
