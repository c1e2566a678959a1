import { afterAll, describe, expect, test } from 'bun:test'
import { matrixCell, openAccess, openAs, startWithDeals } from '../../support/access-page'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { chooseAction } from '../../support/table-menu'
import { administrator } from '../../support/used-data'

const service = await startWithDeals()
afterAll(() => service.stop())
await service.setRules([{ group: 'everyone', table: 'deals', read: 'owner=eq.@me', create: 'all', update: 'owner=eq.@me' }])

const words = 'You see Rowhouse as Grace Hopper does. Nothing can be changed.'

describe('looking at Rowhouse as somebody else', () => {
  test('shows what they see, changes nothing, and ends', async () => {
    const page = await openAccess(service)
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Look', exact: true }) })
    await form.getByLabel('User').selectOption('Grace Hopper')
    await form.getByRole('button', { name: 'Look', exact: true }).click()
    const banner = page.getByRole('region', { name: 'Look at Rowhouse as somebody else' })
    await banner.getByText(words).waitFor()
    expect(await page.getByRole('button', { name: 'New table' }).count()).toBe(0)

    await page.getByRole('table').getByRole('link', { name: 'deals' }).click()
    await page.getByRole('gridcell', { name: 'Harbour lights' }).waitFor()
    await page.getByText('1 record', { exact: true }).waitFor()
    await banner.getByText(words).waitFor()
    expect(await page.getByRole('button', { name: 'New record' }).count()).toBe(0)
    await page.getByRole('gridcell', { name: 'Harbour lights' }).click()
    await page.keyboard.type('x')
    const may = 'Grace Hopper may add and change records here'
    await page.getByText(`Nothing can be changed while you look at it as Grace Hopper. ${may}.`, { exact: true }).first().waitFor()
    await page.locator('.badge').getByText(may, { exact: true }).waitFor()
    await expectAccessible(page)

    await page.locator('.grid-tools.is-main button').first().click()
    await page.getByRole('menuitem', { name: 'Export' }).waitFor()
    for (const name of ['Share', 'Import']) expect(await page.getByRole('menuitem', { name }).count()).toBe(0)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: /account menu/ }).click()
    await page.getByRole('menuitem', { name: 'About' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Sign out' }).count()).toBe(1)
    expect(await page.getByRole('menuitem', { name: 'My account' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    // The widths that are set meanwhile are not those of Grace.
    const views: string[] = []
    page.on('request', (request) => void (request.method() !== 'GET' && views.push(request.url())))
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'amount' }).click()
    await page.getByRole('columnheader', { name: 'amount' }).waitFor({ state: 'detached' })
    await page.goto(`${service.url}/settings/account`)
    await page.getByText('The account of somebody else is not shown.').waitFor()
    expect(views).toEqual([])

    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('grid', { name: 'Groups and tables' }).waitFor()
    await banner.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Ada Lovelace/ }).waitFor()
    const { entries } = (await (await call(`${service.url}/api/v1/audit?limit=5`, { token: service.token })).json()) as {
      entries: { kind: string }[]
    }
    expect(entries.map(({ kind }) => kind)).toContain('view_began')
  })

  test('begins at the table whose rules were edited', async () => {
    const page = await openAs(service, '/tables/deals')
    await chooseAction(page, 'Access…')
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Look', exact: true }) })
    await form.getByLabel('User').selectOption('Grace Hopper')
    await form.getByRole('button', { name: 'Look', exact: true }).click()
    await page.getByText(words).waitFor()
    await page.getByRole('gridcell', { name: 'Harbour lights' }).waitFor()
    await page.getByText('1 record', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await matrixCell(page, 'Everyone', 'deals').waitFor()
  })

  test('leads administrators to sign in as themselves once their session has ended', async () => {
    const page = await openAs(service, '/tables/deals')
    await chooseAction(page, 'Access…')
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Look', exact: true }) })
    await form.getByLabel('User').selectOption('Grace Hopper')
    await form.getByRole('button', { name: 'Look', exact: true }).click()
    await page.getByText(words).waitFor()
    await page.getByText('1 record', { exact: true }).waitFor()
    await page.context().clearCookies()
    await page.getByRole('searchbox', { name: 'Search records' }).fill('lights')
    await page.waitForURL((url) => url.pathname === '/sign-in')
    const email = page.getByLabel('E-mail')
    expect([await email.inputValue(), await email.isEditable()]).toEqual(['', true])
    await email.fill(administrator.email)
    await page.getByLabel('Password', { exact: true }).fill(administrator.password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Ada Lovelace/ }).waitFor()
    expect(new URL(page.url()).pathname).toStartWith('/tables/')
    expect(await page.getByText(words).count()).toBe(0)
  })

  test('begins at a user, too, and is told on a phone', async () => {
    const page = await openAs(service, '/settings/users', { size: 'phone' })
    await page.getByRole('button', { name: 'Actions for ada@example.org' }).click()
    await page.getByRole('menuitem', { name: 'Sign out everywhere' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Look at Rowhouse as this user' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Actions for grace@example.org' }).click()
    await page.getByRole('menuitem', { name: 'Look at Rowhouse as this user' }).click()
    await page.getByText(words).waitFor()
    await expectNoSideways(page)
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('grid', { name: 'Groups and tables' }).waitFor()
  })
})
