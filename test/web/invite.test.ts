import { beforeEach, describe, expect, test } from 'bun:test'
import { json, password, startApp } from '../support/app'
import { visit } from '../support/browser'
import type { Visit } from '../support/chromium'

const app = await startApp()
const chosen = 'four words nobody guesses'
let guest: Visit
let count = 0

beforeEach(async () => {
  guest = await visit()
})

/** What an administrator would send to somebody new; the link leads to this app. */
async function invite(): Promise<{ id: string; email: string; name: string; link: string }> {
  const [email, name] = [`guest${count}@example.org`, `Guest ${count++}`]
  const { user, inviteToken } = await json(app.call('/api/v1/users', { as: 'admin', body: { email, name, role: 'editor' } }))
  return { id: user.id, email, name, link: `${app.url}/invite#token=${inviteToken}` }
}

const heading = () => guest.page.locator('h1').textContent()
const choose = async (secret: string) => {
  await guest.page.getByLabel('Password', { exact: true }).fill(secret)
  await guest.page.getByRole('button', { name: 'Sign in' }).click()
}
/** The page of somebody who is signed in, and it says who. */
const atHome = (who: string) =>
  guest.page
    .getByRole('banner')
    .getByRole('button', { name: new RegExp(who.replaceAll('.', '\\.')) })
    .waitFor()
const cookieOf = async () => (await guest.context.cookies()).find(({ name }) => name === 'service_session')

describe('the link of an invitation, opened in a browser,', () => {
  test('asks for a password and signs in', async () => {
    const { page } = guest
    const { email, name, link } = await invite()
    await page.goto(link)
    await page.getByText(`For ${email}.`).waitFor()
    expect(await heading()).toBe('Choose a password')
    // The secret is nowhere to be seen any more, nor in the history.
    expect(page.url()).toBe(`${app.url}/invite`)
    expect(await page.getByLabel('Name').inputValue()).toBe(name)
    await choose(chosen)
    await atHome(email)
    expect(page.url()).toBe(`${app.url}/`)
    expect(await cookieOf()).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
    expect((await app.call('/auth/login', { body: { email, password: chosen } })).status).toBe(200)
  })

  test('takes a name that the guest likes better', async () => {
    const { email, link } = await invite()
    await guest.page.goto(link)
    await guest.page.getByLabel('Name').fill('Grace')
    await choose(chosen)
    await atHome(`Grace, ${email}`)
  })

  test('says why a password will not do, and goes on from there', async () => {
    const { email, link } = await invite()
    await guest.page.goto(link)
    await choose('password1')
    const alert = guest.page.getByRole('alert')
    await alert.filter({ hasText: /common/i }).waitFor()
    expect(await cookieOf()).toBeUndefined()
    await choose(chosen)
    await atHome(email)
  })

  test('signs out whoever used the browser before', async () => {
    const { page } = guest
    await page.goto(app.url)
    await page.getByLabel('E-mail').fill('viewer@example.org')
    await choose(password)
    await atHome('viewer@example.org')
    const before = await cookieOf()
    const { email, link } = await invite()
    await page.goto(link)
    await choose(chosen)
    await atHome(email)
    expect((await cookieOf())?.value).not.toBe(before?.value)
    expect((await app.call('/auth/me', { headers: { cookie: `service_session=${before?.value}` } })).status).toBe(401)
  })
})

describe('a link that is not valid any more', () => {
  const refused = async (link: string) => {
    const { page } = guest
    await page.goto(link)
    await page.getByText('This link was already used or is more than 72 hours old. Ask an administrator for a new one.').waitFor()
    expect(await heading()).toBe('Invitation')
    expect(await page.locator('input').count()).toBe(0)
    // The way on for somebody who has a password.
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail').waitFor()
    expect(await heading()).toBe('Sign in')
    expect(page.url()).toBe(`${app.url}/sign-in`)
  }

  test('since it was used: the page says so', async () => {
    const { link } = await invite()
    const inviteToken = link.split('=')[1]
    expect((await app.call('/auth/invite', { body: { inviteToken, password: chosen } })).status).toBe(200)
    await refused(link)
  })

  test('since 72 hours have passed: the page says so', async () => {
    const { id, link } = await invite()
    await app.deps.db.query("update rowhouse.invites set expires_at = now() - interval '1 second' where user_id = $1::uuid", [id])
    await refused(link)
  })

  test('since a newer one was made: the page says so', async () => {
    const { id, link } = await invite()
    await app.call(`/api/v1/users/${id}/reset`, { as: 'admin', method: 'POST' })
    await refused(link)
  })

  test('since it was used in the meantime: the form says so, and nobody is signed in', async () => {
    const { page } = guest
    const { link } = await invite()
    await page.goto(link)
    await page.getByLabel('Password', { exact: true }).waitFor()
    await app.call('/auth/invite', { body: { inviteToken: link.split('=')[1], password: chosen } })
    await choose('other words that nobody guesses')
    await page.getByRole('alert').filter({ hasText: 'used or older than 72 hours' }).waitFor()
    expect(await cookieOf()).toBeUndefined()
  })

  test('since it never was one: the page says so', async () => {
    await refused(`${app.url}/invite#token=${'A'.repeat(43)}`)
  })
})

test('without a token, /invite is the page to sign in', async () => {
  await guest.page.goto(`${app.url}/invite`)
  await guest.page.getByLabel('E-mail').waitFor()
  expect(await heading()).toBe('Sign in')
})
