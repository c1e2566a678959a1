import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, visit } from '../support/browser'
import { call } from '../support/executable'
import { signInAt, startUi, takeSession } from '../support/ui'
import { administrator, cookieOf } from '../support/used-data'

const service = await startUi()
afterAll(() => service.stop())

async function atAccount(): Promise<Page> {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/settings/account`)
  await page.getByRole('heading', { name: 'API tokens' }).waitFor()
  return page
}

const me = async (token: string) => call(`${service.url}/auth/me`, { token })

describe('my name', () => {
  test('is changed, and shown at once', async () => {
    const page = await atAccount()
    await page.getByLabel('Name', { exact: true }).fill('Ada King')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor()
    await page
      .getByRole('banner')
      .getByRole('button', { name: /Ada King/ })
      .waitFor()
    expect((await (await me(service.token)).json()).user.name).toBe('Ada King')
  })
})

describe('my API tokens', () => {
  test('are made with scope, tables and end, shown once with a line to try, and revoked', async () => {
    const page = await atAccount()
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Report')
    await dialog.getByLabel('Permissions').selectOption('Read records')
    await dialog.getByLabel('Valid for').selectOption('30 days')
    await dialog.getByPlaceholder('All tables').click()
    await page.getByRole('option', { name: 'contacts' }).click()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('dialog', { name: 'Token “Report” created' }).waitFor()
    const value = await dialog.getByLabel('Token', { exact: true }).inputValue()
    expect(value).toMatch(/^[\w-]{43}$/)
    expect(await dialog.getByLabel('Try it in a terminal', { exact: true }).inputValue()).toContain(`Bearer ${value}`)
    await expectAccessible(page)
    const { token } = await (await me(value)).json()
    expect(token).toMatchObject({ name: 'Report', scope: 'read', tables: [expect.any(String)], expiresAt: expect.any(String) })
    // It cannot be shown again, so nothing but its own button takes it away.
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await dialog.getByLabel('Token', { exact: true }).inputValue()).toBe(value)
    expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Report' }).filter({ hasText: 'only 1 table' }).waitFor()
    expect(await page.content()).not.toContain(value)

    await page.getByRole('button', { name: 'Revoke Report' }).click()
    await page.getByRole('dialog', { name: 'Revoke Report?' }).getByRole('button', { name: 'Revoke token' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Report' }).waitFor({ state: 'detached' })
    expect((await me(value)).status).toBe(401)
  })

  test('that stood in an address are marked', async () => {
    await call(`${service.url}/auth/me?token=${service.token}`)
    const page = await atAccount()
    await page.getByText(/sent in a URL/).waitFor()
  })
})

describe('my sessions', () => {
  test('are listed, this one marked, and the others ended', async () => {
    const cookie = cookieOf(await call(`${service.url}/auth/login`, { body: administrator, headers: { 'user-agent': 'curl/8.0' } }))
    const page = await atAccount()
    await page.getByRole('listitem').filter({ hasText: 'this session' }).waitFor()
    await page.getByRole('button', { name: 'End session: curl' }).first().click()
    await page.getByRole('listitem').filter({ hasText: 'curl' }).waitFor({ state: 'detached' })
    expect((await call(`${service.url}/auth/me`, { cookie })).status).toBe(401)
    const others = page.getByRole('button', { name: 'End all other sessions' })
    if (await others.isVisible()) {
      await others.click()
      await page.getByRole('status').filter({ hasText: 'All other sessions ended.' }).waitFor()
    }
    expect(await page.getByRole('button', { name: /^End session/ }).count()).toBe(0)
  })
})

test('About says what runs and how it is', async () => {
  const { page } = await visit()
  await signInAt(page, service.url)
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'About' }).click()
  const { version } = (await (await call(`${service.url}/version`)).json()) as { version: string }
  await page.getByText(version, { exact: true }).waitFor()
  await page.getByText('All systems operational').waitFor()
  // The database, and the storage of files.
  await page.getByText('reachable').nth(1).waitFor()
  expect(await page.getByRole('link', { name: 'API documentation' }).getAttribute('href')).toBe('/swagger')
  await expectAccessible(page)
})

// Last: afterwards the password is another one.
test('my password is changed, and a wrong one is refused at its place', async () => {
  const page = await atAccount()
  await page.getByLabel('Current password').fill('not this one')
  await page.getByLabel('New password').fill('nine lives of a cat')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('alert').filter({ hasText: 'The current password is incorrect.' }).waitFor()
  await page.getByLabel('Current password').fill(administrator.password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('status').filter({ hasText: 'Password changed.' }).waitFor()
  expect((await call(`${service.url}/auth/login`, { body: administrator })).status).toBe(401)
  expect((await call(`${service.url}/auth/login`, { body: { ...administrator, password: 'nine lives of a cat' } })).status).toBe(200)
})
