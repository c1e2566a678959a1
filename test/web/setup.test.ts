import { afterAll, describe, expect, test } from 'bun:test'
import { expectAccessible, visit } from '../support/browser'
import { setupCodeOf, startService } from '../support/executable'
import { signInByForm } from '../support/ui'
import { administrator } from '../support/used-data'

const service = await startService()
afterAll(() => service.stop())

describe('a service that nobody has set up', () => {
  test.each(['/', '/sign-in', '/tables/orders', '/settings/account'])('leads from %s to the set-up', async (path) => {
    const { page } = await visit()
    await page.goto(service.url + path)
    await page.getByRole('heading', { name: 'Set up Rowhouse' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/setup')
  })

  test('shows strength and rules of the password as it is typed', async () => {
    const { page } = await visit()
    await page.goto(`${service.url}/setup`)
    await page.getByLabel('E-mail').fill('ada.lovelace@example.org')
    const rule = (text: string) => page.locator('.rules li').filter({ hasText: text }).getAttribute('data-met')
    await page.getByLabel('Password', { exact: true }).fill('ada')
    expect(await rule('At least 8 characters')).toBe('false')
    expect(await rule('At least three different')).toBe('false')
    await page.getByText('Strength: Weak').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('ada.lovelace')
    expect(await rule('At least 8 characters')).toBe('true')
    expect(await rule('Not just your name')).toBe('false')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByText('Strength: Strong').waitFor()
    await expectAccessible(page)
  })

  test('says at the field what the service does not take', async () => {
    const { page } = await visit()
    await page.goto(`${service.url}/setup#code=${setupCodeOf(service.dataDir)}`)
    await page.getByLabel('E-mail').fill('grace@example.org')
    await page.getByLabel('Password', { exact: true }).fill('password1')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('alert').filter({ hasText: 'most common' }).waitFor()
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  })

  test('says where the code is when it is wrong', async () => {
    const { page } = await visit()
    await page.goto(`${service.url}/setup#code=wrong`)
    await page.getByLabel('E-mail').fill('grace@example.org')
    await page.getByLabel('Password', { exact: true }).fill(administrator.password)
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('alert').filter({ hasText: 'Use the code that the running service printed' }).waitFor()
  })

  test('is set up by the link of the log, pasted into a tab that shows the page already, and offers three ways to begin', async () => {
    const { page } = await visit()
    await page.goto(`${service.url}/setup`)
    await page.getByLabel('One-time code').waitFor()
    await page.goto(service.setupUrl!)
    await page.getByText('Filled in from the link.').waitFor()
    // The secret is nowhere to be seen any more.
    expect(page.url()).toBe(`${service.url}/setup`)
    expect(await page.getByLabel('One-time code').inputValue()).toBe(setupCodeOf(service.dataDir))
    await page.getByLabel('E-mail').fill(administrator.email)
    await page.getByLabel('Name (optional)').fill('Ada Lovelace')
    await page.getByLabel('Password', { exact: true }).fill(administrator.password)
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('heading', { name: 'Get started' }).waitFor()
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Table from an Excel or CSV file' }).click()
    const csv = { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from('Customer,Total\nGrace,12.50\nAlan,7\n') }
    await page.locator('input[type=file]').setInputFiles(csv)
    expect(await page.getByLabel('Table name').inputValue()).toBe('orders')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'orders', level: 1 }).waitFor()
    await page.getByRole('gridcell', { name: 'Grace' }).waitFor()
    await page.getByRole('gridcell', { name: '12.50' }).waitFor()
  })

  test('makes the sample data', async () => {
    const { page } = await visit()
    await signInByForm(page, service.url)
    expect((await page.request.delete(`${service.url}/api/v1/tables/orders?confirm=orders`)).status()).toBe(204)
    await page.reload()
    await page.getByRole('button', { name: /^Sample data/ }).click()
    await page.getByRole('heading', { name: 'products', level: 1 }).waitFor()
    await page.getByRole('gridcell', { name: 'Storm lantern' }).waitFor()
    await page.getByRole('img', { name: 'lantern.png' }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'contacts' }).waitFor()
  })
})

test('a service that is set up says so under /setup', async () => {
  const { page } = await visit()
  await page.goto(`${service.url}/setup`)
  await page.getByRole('heading', { name: 'Rowhouse is already set up' }).waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
