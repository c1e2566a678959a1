import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, visit } from '../support/browser'
import { call } from '../support/executable'
import { signInAt, signInByForm, startUi, takeSession } from '../support/ui'
import { administrator, cookieOf } from '../support/used-data'

const service = await startUi()
afterAll(() => service.stop())

const contacts = service.tables.find(({ name }) => name === 'contacts')!

async function signOut(page: Page) {
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

describe('signing in', () => {
  test('says that the words are wrong, not which', async () => {
    const { page } = await visit()
    await page.goto(service.url)
    await page.getByLabel('E-mail').fill('nobody@example.org')
    await page.getByLabel('Password', { exact: true }).fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').filter({ hasText: 'The e-mail address or password is incorrect.' }).waitFor()
    await expectAccessible(page)
  })

  test('returns to the page that was asked for', async () => {
    const { page } = await visit()
    await page.goto(`${service.url}/tables/${contacts.id}?x=1&token=secret`)
    await page.getByLabel('E-mail').fill(administrator.email)
    await page.getByLabel('Password', { exact: true }).fill(administrator.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'contacts', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/tables/${contacts.id}`)
    expect(page.url()).not.toContain('secret')
    expect(await page.title()).toBe('contacts · Rowhouse')
  })

  test.each(['https://example.org/', '//example.org', '/\\example.org', 'javascript:alert(1)', '/sign-in?next=/sign-in'])(
    'goes nowhere else for next=%s',
    async (next) => {
      const { page } = await visit()
      await page.goto(`${service.url}/sign-in?next=${encodeURIComponent(next)}`)
      await page.getByLabel('E-mail').fill(administrator.email)
      await page.getByLabel('Password', { exact: true }).fill(administrator.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('banner').waitFor()
      expect(page.url()).toBe(`${service.url}/`)
    },
  )

  test('leads on to the description of the API', async () => {
    const { page } = await visit()
    await page.goto(`${service.url}/swagger`)
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    await page.getByLabel('E-mail').fill(administrator.email)
    await page.getByLabel('Password', { exact: true }).fill(administrator.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${service.url}/swagger`)
  })
})

describe('a session', () => {
  test('ends by signing out', async () => {
    const { page, context } = await visit()
    await signInByForm(page, service.url)
    const before = (await context.cookies()).find(({ name }) => name === 'service_session')!
    await signOut(page)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect((await call(`${service.url}/auth/me`, { cookie: `service_session=${before.value}` })).status).toBe(401)
  })

  test('does not end before the page has saved its changes', async () => {
    const { page, context } = await visit()
    await takeSession(page, service.url)
    await page.goto(`${service.url}/tables/${contacts.id}/records/1`)
    await page.getByLabel('role', { exact: true }).fill('Admiral')
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await signOut(page)
    await dialog.getByRole('button', { name: 'Stay' }).click()
    await dialog.waitFor({ state: 'detached' })
    await signOut(page)
    const { value } = (await context.cookies()).find(({ name }) => name === 'service_session')!
    expect((await call(`${service.url}/auth/me`, { cookie: `service_session=${value}` })).status).toBe(200)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const stored = await call(`${service.url}/api/v1/tables/contacts/records/1`, { token: service.token })
    expect((await stored.json()).role).toBe('Admiral')
    expect((await call(`${service.url}/auth/me`, { cookie: `service_session=${value}` })).status).toBe(401)
  })

  test('that could not be ended says so, and goes on', async () => {
    const { page, context } = await visit()
    await signInAt(page, service.url)
    await page.route('**/auth/logout', (route) => route.fulfill({ status: 500, json: { code: 'internal', requestId: 'r-1' } }))
    await signOut(page)
    await page.getByRole('alert').filter({ hasText: 'r-1' }).waitFor()
    await expectAccessible(page)
    const { value } = (await context.cookies()).find(({ name }) => name === 'service_session')!
    await page.goBack()
    await page.getByRole('banner').waitFor()
    expect((await call(`${service.url}/auth/me`, { cookie: `service_session=${value}` })).status).toBe(200)
    await signOut(page)
    await page.getByRole('alert').filter({ hasText: 'r-1' }).waitFor()
    await page.unroute('**/auth/logout')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect((await call(`${service.url}/auth/me`, { cookie: `service_session=${value}` })).status).toBe(401)
  })

  test('that has ended during work asks to sign in again, and nothing typed is lost', async () => {
    const { page, context } = await visit()
    await signInByForm(page, service.url)
    await page.goto(`${service.url}/settings/account`)
    await page.getByLabel('Name', { exact: true }).fill('Ada, Countess of Lovelace')
    const { value } = (await context.cookies()).find(({ name }) => name === 'service_session')!
    const other = await call(`${service.url}/auth/login`, { body: administrator })
    const cookie = cookieOf(other)
    // From another place: all sessions but that one end.
    expect((await call(`${service.url}/auth/sessions`, { cookie, method: 'DELETE' })).status).toBe(204)
    expect((await call(`${service.url}/auth/me`, { cookie: `service_session=${value}` })).status).toBe(401)

    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.waitFor()
    expect(await dialog.getByLabel('E-mail').inputValue()).toBe(administrator.email)
    await expectAccessible(page)
    await dialog.getByLabel('Password', { exact: true }).fill('not this one')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.getByRole('alert').filter({ hasText: 'incorrect' }).waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill(administrator.password)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    // The request that was refused was repeated.
    await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ada, Countess of Lovelace')
    await page
      .getByRole('banner')
      .getByRole('button', { name: /Countess/ })
      .waitFor()
  })
})

// Last: it uses up the attempts of this address.
test('a sign-in that has to wait is told so in words, and counts down', async () => {
  const wrong = { email: 'guessed@example.org', password: 'wrong words' }
  for (let attempt = 0; attempt < 30; attempt++) {
    if ((await call(`${service.url}/auth/login`, { body: wrong })).status === 429) break
  }
  const { page } = await visit()
  await page.goto(`${service.url}/sign-in`)
  await page.getByLabel('E-mail').fill(wrong.email)
  await page.getByLabel('Password', { exact: true }).fill(wrong.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').filter({ hasText: 'Too many attempts' }).waitFor()
  const button = page.getByRole('button', { name: /^Wait \d+:\d\d$/ })
  const first = await button.textContent()
  await page.waitForFunction((text) => document.querySelector('.submit')?.textContent !== text, first)
  expect(await page.getByRole('button', { name: /^Wait \d+:\d\d$|^Sign in$/ }).count()).toBe(1)
})
