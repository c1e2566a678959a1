import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openFolder } from '../support/backups'
import { expectAccessible, expectNoSideways, visit } from '../support/browser'
import { chooseOption } from '../support/column-form'
import { call, newFolder } from '../support/executable'
import { endpoints, pluginsWith } from '../support/plugins'
import { startUi, takeSession } from '../support/ui'
import { administrator } from '../support/used-data'

const hello = "{ method: 'GET', path: '/hello', public: true, title: 'Says hello', allow: () => true, handle: () => 'hello' }"
const closed = "{ method: 'POST', path: '/count', public: false, allow: () => true, handle: () => 1 }"
const plugins = pluginsWith(
  { 'greeting/plugin.ts': endpoints(hello, closed), 'broken/plugin.ts': 'export default nothing at all' },
  `${newFolder()}/plugins`,
)
const backupFolder = openFolder()
const service = await startUi({
  ROWHOUSE_PLUGINS_DIR: plugins,
  ROWHOUSE_BACKUP_TO: backupFolder,
  ROWHOUSE_BACKUP_SCHEDULE: '0 0 1 1 * UTC',
})
afterAll(() => service.stop())

async function at(path: string, size: 'desktop' | 'phone' = 'desktop'): Promise<Page> {
  const { page } = await visit({ size })
  await takeSession(page, service.url)
  await page.goto(service.url + path)
  await page.getByRole('heading', { level: 2 }).first().waitFor()
  return page
}

type User = { id: string; email: string; role: string; disabled: boolean }
const users = async (): Promise<User[]> => (await (await call(`${service.url}/api/v1/users`, { token: service.token })).json()).users
const userNamed = async (email: string) => (await users()).find((user) => user.email === email)
const signIn = (email: string, password: string) => call(`${service.url}/auth/login`, { body: { email, password } })

describe('the tabs', () => {
  test('can be changed and left where a browser returns a promise for scrolling', async () => {
    const { page } = await visit()
    // Newer browsers do.
    await page.addInitScript(() => {
      Element.prototype.scrollIntoView = (() => Promise.resolve()) as Element['scrollIntoView']
    })
    await takeSession(page, service.url)
    await page.goto(`${service.url}/settings/users`)
    for (const tab of ['Plugins', 'Users', 'About']) {
      await page.getByRole('navigation', { name: 'Workspace settings' }).getByRole('link', { name: tab }).click()
      await page.getByRole('link', { name: tab }).and(page.locator('[aria-current]')).waitFor()
    }
    await page.getByRole('link', { name: 'Rowhouse' }).first().click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
  })
})

describe('the users', () => {
  test('are invited by a link that is shown once and works', async () => {
    const page = await at('/settings/users')
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail').fill('grace@example.org')
    await chooseOption(page, dialog.getByRole('combobox', { name: 'Role' }), /^Viewer/)
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const link = await dialog.getByLabel('Link', { exact: true }).inputValue()
    expect(link).toStartWith(`${service.url}/invite#token=`)
    await expectAccessible(page)
    // It cannot be shown again, so nothing but its own button takes it away.
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await dialog.getByLabel('Link', { exact: true }).inputValue()).toBe(link)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'grace' }).waitFor()
    expect(await userNamed('grace@example.org')).toMatchObject({ role: 'viewer' })

    const { page: theirs } = await visit()
    await theirs.goto(link)
    await theirs.getByLabel('Password', { exact: true }).fill('words that Grace chose')
    await theirs.getByRole('button', { name: 'Sign in' }).click()
    await theirs.getByRole('banner').waitFor()
    await theirs.goto(`${service.url}/settings/account`)
    await theirs.getByRole('heading', { name: 'API tokens' }).waitFor()
    expect(await theirs.getByRole('link', { name: 'Users' }).count()).toBe(0)
    await theirs.goto(`${service.url}/settings/users`)
    await theirs.getByRole('heading', { name: 'Page not found' }).waitFor()
  })

  test('get another role, are disabled and enabled, and get a new password by a link', async () => {
    await call(`${service.url}/api/v1/users`, {
      token: service.token,
      body: { email: 'alan@example.org', role: 'viewer', password: 'correct horse staple' },
    })
    const page = await at('/settings/users')
    await chooseOption(page, page.getByRole('combobox', { name: 'Role of alan@example.org' }), 'Editor')
    const menu = page.getByRole('button', { name: 'Actions for alan@example.org' })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
    await page.getByText('alan@example.org was signed out everywhere.').waitFor()
    await menu.click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await page.getByText('disabled').waitFor()
    expect(await userNamed('alan@example.org')).toMatchObject({ role: 'editor', disabled: true })
    expect((await signIn('alan@example.org', 'correct horse staple')).status).toBe(401)
    await menu.click()
    await page.getByRole('menuitem', { name: 'Enable' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Reset password by link' }).count()).toBe(0)
    await page.getByRole('menuitem', { name: 'Enable' }).click()
    await page.getByText('disabled').waitFor({ state: 'detached' })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Reset password by link' }).click()
    await page.getByRole('button', { name: 'Reset password' }).click()
    const link = page.getByLabel('Link', { exact: true })
    await link.waitFor()
    await page.keyboard.press('Escape')
    expect(await link.inputValue()).toContain('/invite#token=')
    await page.getByRole('button', { name: 'Done' }).click()
    expect((await signIn('alan@example.org', 'correct horse staple')).status).toBe(401)
  })

  test('have API tokens, which an administrator sees and revokes one by one', async () => {
    const made = await call(`${service.url}/api/v1/auth/tokens`, { token: service.token, body: { name: 'doomed' } })
    const { token } = await made.json()
    const page = await at('/settings/users')
    await page.getByRole('button', { name: `Actions for ${administrator.email}` }).click()
    await page.getByRole('menuitem', { name: 'API tokens…' }).click()
    const dialog = page.getByRole('dialog', { name: /^API tokens of/ })
    const revoke = dialog.getByRole('button', { name: /doomed/ })
    await revoke.waitFor()
    await expectAccessible(page)
    await revoke.click()
    await page
      .getByRole('dialog', { name: /doomed/ })
      .getByRole('button', { name: /^Revoke/ })
      .click()
    await revoke.waitFor({ state: 'detached' })
    expect((await call(`${service.url}/auth/me`, { token })).status).toBe(401)
  })

  test('are deleted by typing their address', async () => {
    await call(`${service.url}/api/v1/users`, { token: service.token, body: { email: 'eve@example.org', role: 'viewer' } })
    const page = await at('/settings/users')
    await page.getByRole('button', { name: 'Actions for eve@example.org' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('eve@example.org')
    await page.getByRole('button', { name: 'Delete user' }).click()
    await page.getByRole('heading', { name: 'eve@example.org' }).waitFor({ state: 'detached' })
    expect(await userNamed('eve@example.org')).toBeUndefined()
  })

  test('always have an administrator: the last one is told why they have to stay', async () => {
    const page = await at('/settings/users')
    const role = page.getByRole('combobox', { name: `Role of ${administrator.email}` })
    await chooseOption(page, role, 'Viewer')
    await page.getByRole('alert').filter({ hasText: 'administrator' }).waitFor()
    expect(await role.inputValue()).toBe('Administrator')
  })
})

describe('the plugins', () => {
  test('show who may call what, and what is wrong with the one that failed', async () => {
    const page = await at('/settings/plugins')
    await page.getByRole('heading', { name: /greeting/ }).waitFor()
    await page.getByText('GET /api/v1/custom/greeting/hello').waitFor()
    await page.getByText('public', { exact: true }).waitFor()
    await page.getByText('sign-in required').waitFor()
    await page.getByRole('heading', { name: /broken/ }).waitFor()
    await page.getByText(/plugin\.ts:1/).waitFor()
    await expectAccessible(page)
  })
})

describe('the backups', () => {
  test('are made by a button, which waits until the one under way has ended, and are downloaded', async () => {
    const page = await at('/settings/backups')
    await page.getByText('No backups yet').waitFor()
    await page.getByText(`${backupFolder}/`, { exact: true }).waitFor()
    await page.getByText('0 0 1 1 * UTC').waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /Copying…|Trying it out…/ })
      .waitFor()
    await page.getByText('proven', { exact: true }).waitFor()
    await page.getByText(/on request · \d+ s · .*MB · \d+ tables, .* records, 14 attachments/).waitFor()
    await expectAccessible(page)
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: /^Download the backup of/ }).click()
    expect((await downloading).suggestedFilename()).toMatch(/^rowhouse-\d{8}T\d{6}Z\.tar\.zst$/)
    await page.getByRole('link', { name: 'About' }).click()
    await page.getByText('on schedule').waitFor()
  })

  test('fit a phone', async () => {
    const page = await at('/settings/backups', 'phone')
    await page.getByText('proven', { exact: true }).waitFor()
    await expectNoSideways(page)
    await expectAccessible(page)
  })
})

describe('the audit log', () => {
  test('is filtered by kind, by user and by time, and goes on to older entries', async () => {
    for (let count = 0; count < 60; count++)
      await call(`${service.url}/api/v1/auth/tokens`, { token: service.token, body: { name: `number ${count}` } })
    const page = await at('/settings/audit')
    const rows = page.getByRole('table').getByRole('row')
    await page
      .getByRole('row', { name: /Token created/ })
      .first()
      .waitFor()
    expect(await rows.count()).toBe(51)
    await page.getByRole('button', { name: 'Show older entries' }).click()
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length > 50)
    await page.getByLabel('Event', { exact: true }).selectOption('Setup')
    await page
      .getByRole('row', { name: /Token created/ })
      .first()
      .waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(2)
    await page.getByLabel('From', { exact: true }).fill('2020-01-01')
    await page.getByLabel('To', { exact: true }).fill('2020-01-02')
    await page.getByText('No matching entries').waitFor()
    await page.getByLabel('Event', { exact: true }).selectOption('All events')
    await page.getByLabel('From', { exact: true }).fill('')
    await page.getByLabel('To', { exact: true }).fill('')
    await page.getByLabel('User').selectOption(administrator.email)
    await page
      .getByRole('row', { name: /Token created.*ada@example.org/ })
      .first()
      .waitFor()
  })

  test('fits a phone', async () => {
    const page = await at('/settings/audit', 'phone')
    await page.getByRole('table').waitFor()
    await expectNoSideways(page)
    await expectAccessible(page)
  })
})

describe('About', () => {
  test('says what the service stands on', async () => {
    const page = await at('/settings/about')
    await page.getByText(/^PostgreSQL 1\d\.\d+, built in$/).waitFor()
    await page.getByText('All systems operational').or(page.getByText('some parts are unavailable')).waitFor()
    await page.getByText(/^14 files, [0-9.]+ kB$/).waitFor()
  })
})
