import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, visit } from '../support/browser'
import { call } from '../support/executable'
import { startShowcase, takeSession } from '../support/ui'

const service = await startShowcase()
afterAll(() => service.stop())
const idOf = (name: string) => service.tables.find((table) => table.name === name)!.id

async function openAt(path: string, options: Parameters<typeof visit>[0] = {}): Promise<Page> {
  const { page } = await visit(options)
  await takeSession(page, service.url)
  await page.goto(service.url + path)
  return page
}

async function share(page: Page, fill: (dialog: ReturnType<Page['getByRole']>) => Promise<void> = async () => {}): Promise<string> {
  await page.getByRole('menuitem', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create link' }).waitFor()
  await fill(dialog)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('dialog', { name: 'Link created' }).waitFor()
  const url = await dialog.getByLabel('Link', { exact: true }).inputValue()
  expect(url).toMatch(new RegExp(`^${service.url}/s/[\\w-]{43}$`))
  return url
}

/** Somebody else, without an account. */
async function stranger(url: string, options: Parameters<typeof visit>[0] = {}): Promise<Page> {
  const { page } = await visit(options)
  await page.goto(url)
  return page
}

const openMenu = (page: Page) => page.getByRole('button', { name: 'Record menu' }).click()

describe('a record', () => {
  test('is shared with a password, opened with it by a stranger, and listed with what became of it', async () => {
    const page = await openAt(`/tables/${idOf('products')}/records/1`)
    await openMenu(page)
    const url = await share(page, async (dialog) => {
      expect(await dialog.getByRole('checkbox', { name: 'id', exact: true }).isChecked()).toBe(false)
      await dialog.getByLabel('Valid for').selectOption('7 days')
      await dialog.getByLabel('Times it opens').fill('2')
      await dialog.getByLabel('Password (optional)').fill('short')
      await dialog.getByRole('button', { name: 'Create link' }).click()
      await dialog.getByRole('alert').filter({ hasText: /8/ }).first().waitFor()
      await dialog.getByLabel('Password (optional)').fill('seven walrus onyx')
      await expectAccessible(page)
    })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').getByRole('button', { name: 'I have copied it' }).click()

    const other = await stranger(url)
    await other.getByRole('heading', { name: 'Enter the password to open this link' }).waitFor()
    await expectAccessible(other)
    await other.getByLabel('Password').fill('not this one')
    await other.getByRole('button', { name: 'Open' }).click()
    await other.getByRole('alert').filter({ hasText: 'It did not open with this password.' }).waitFor()
    await other.getByLabel('Password').fill('seven walrus onyx')
    await other.getByRole('button', { name: 'Open' }).click()
    const name = (await (await call(`${service.url}/api/v1/tables/products/records/1`, { token: service.token })).json()).name
    await other.getByRole('heading', { name }).waitFor()
    await other.waitForFunction(() => [...document.images].length > 0 && [...document.images].every((image) => image.naturalWidth > 0))
    await expectAccessible(other)
    await other.reload()
    await other.getByRole('heading', { name }).waitFor()

    await openMenu(page)
    await page.getByRole('menuitem', { name: 'Share' }).click()
    const row = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Record: products 1' })
    await row.filter({ hasText: 'opened 1 time, last' }).filter({ hasText: 'opens 2 times' }).filter({ hasText: 'password' }).waitFor()
    await page.getByRole('dialog', { name: 'Share this record' }).getByRole('button', { name: 'Create link' }).waitFor()
    expect(await page.getByText('To share a single record').count()).toBe(0)
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog', { name: 'Revoke this link?' }).getByRole('button', { name: 'Revoke link' }).click()
    await row.filter({ hasText: 'revoked' }).waitFor()
    await other.reload()
    await other.getByRole('heading', { name: 'Enter the password to open this link' }).waitFor()
  })

  test('shares one of its files, and a document that is made of it', async () => {
    const page = await openAt(`/tables/${idOf('products')}/records/1`)
    await openMenu(page)
    const url = await share(page, async (dialog) => {
      const file = dialog
        .getByLabel('Share', { exact: true })
        .getByRole('option', { name: /^File: / })
        .first()
      await dialog.getByLabel('Share', { exact: true }).selectOption((await file.getAttribute('value'))!)
    })
    const other = await stranger(url)
    await other.getByRole('link', { name: 'Download' }).waitFor()
    await other.waitForFunction(() => document.images[0]!.naturalWidth > 0)
    await expectAccessible(other)

    const orders = await openAt(`/tables/${idOf('orders')}/records/1`)
    await openMenu(orders)
    const invoice = await share(orders, async (dialog) => {
      const document = dialog
        .getByLabel('Share', { exact: true })
        .getByRole('option', { name: /^Document: Invoice/ })
        .first()
      await dialog.getByLabel('Share', { exact: true }).selectOption((await document.getAttribute('value'))!)
    })
    const answer = await fetch(invoice)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  })
})

test('a list is shared as it is displayed', async () => {
  const page = await openAt(`/tables/${idOf('contacts')}?order=name`)
  await page.getByRole('button', { name: 'More actions' }).first().click()
  const url = await share(page, async (dialog) => {
    await page.getByRole('dialog', { name: 'Share all records of this list' }).waitFor()
    await dialog.getByText('To share a single record, open it').waitFor()
  })
  await page.getByText('Where you created it, you can also revoke it.').waitFor()
  const other = await stranger(url, { size: 'phone', scheme: 'dark' })
  await other.getByRole('heading', { name: 'contacts' }).waitFor()
  await expectNoSideways(other)
  await expectAccessible(other)
  const wide = await stranger(url)
  await expectAccessible(wide)
  expect(await wide.getByRole('row').count()).toBeGreaterThan(5)
})

test('columns that a rule hides from others are not shared unless they are ticked', async () => {
  const put = (rules: object[]) => call(`${service.url}/api/v1/access`, { token: service.token, method: 'PUT', body: { rules } })
  const rule = { group: 'role:viewer', table: 'products', read: 'all', columns: { read: ['id', 'name', 'price'] } }
  expect((await put([rule])).status).toBe(200)
  const page = await openAt(`/tables/${idOf('products')}/records/1`, { size: 'phone', scheme: 'dark' })
  await openMenu(page)
  const url = await share(page, async (dialog) => {
    const columns = dialog.getByRole('group', { name: 'Columns that are shown' })
    expect(await columns.getByRole('checkbox', { name: 'price' }).isChecked()).toBe(true)
    const hidden = columns.getByRole('checkbox', { name: 'category' })
    expect([await hidden.isChecked(), (await columns.getByText('A rule hides this column from others.').count()) > 0]).toEqual([
      false,
      true,
    ])
    await expectAccessible(page)
    await expectNoSideways(page)
    await columns.getByRole('checkbox', { name: 'price' }).uncheck()
    await hidden.check()
  })
  const { record } = await (await fetch(url, { headers: { accept: 'application/json' } })).json()
  expect(Object.keys(record).sort()).toEqual(['category', 'name'])

  await page.keyboard.press('Escape')
  await page.getByRole('dialog').getByRole('button', { name: 'I have copied it' }).click()
  await openMenu(page)
  const file = await share(page, async (dialog) => {
    const subject = dialog.getByLabel('Share', { exact: true })
    const option = subject.getByRole('option', { name: /^File: / }).first()
    await subject.selectOption((await option.getAttribute('value'))!)
    await dialog.getByText(/^Rules hide these columns from others, and this may show them: [^,]+\.$/).waitFor()
    await expectAccessible(page)
  })
  expect((await fetch(file)).status).toBe(200)
  await put([])
})

test('a link to a whole record does not show columns that the table gets later', async () => {
  const page = await openAt(`/tables/${idOf('products')}/records/2`)
  await openMenu(page)
  const url = await share(page)
  const columns = `${service.url}/api/v1/tables/${idOf('products')}/columns`
  const added = await call(columns, { token: service.token, body: { name: 'added later', type: 'text' } })
  expect(added.status).toBe(201)
  const { record } = await (await fetch(url, { headers: { accept: 'application/json' } })).json()
  expect(Object.keys(record)).toContain('name')
  expect(Object.keys(record)).not.toContain('added later')
})

test('my links are listed under My account, and a list says what it shares, in German, too', async () => {
  const page = await openAt('/settings/account', { language: 'de-DE' })
  await page.getByRole('heading', { name: 'Links zum Teilen' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Liste: contacts' }).first().waitFor()
  await expectAccessible(page)

  await page.goto(`${service.url}/tables/${idOf('contacts')}`)
  await page.getByRole('button', { name: 'Weitere Aktionen' }).first().click()
  await page.getByRole('menuitem', { name: 'Teilen' }).click()
  await page
    .getByRole('dialog', { name: 'Alle Datensätze dieser Liste teilen' })
    .getByText('Um einen einzelnen Datensatz zu teilen')
    .waitFor()
})

test('a file that is removed while the dialog is open stays chosen and is refused, and no other one takes its place', async () => {
  const tables = `${service.url}/api/v1/tables`
  const columns = [
    { name: 'title', type: 'text' },
    { name: 'files', type: 'attachment' },
  ]
  const { id } = (await (await call(tables, { token: service.token, body: { name: 'scans', columns } })).json()) as { id: string }
  await call(`${tables}/scans/records`, { token: service.token, body: { title: 'Plan' } })
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/octet-stream' }
  const upload = async (name: string) => {
    const answer = await fetch(`${tables}/scans/records/1/attachments/files?name=${name}`, { method: 'POST', headers, body: name })
    const [file] = (await answer.json()) as { url: string }[]
    return new URL(file!.url, service.url).href
  }
  const [first, second] = [await upload('first.txt'), await upload('second.txt')]
  const page = await openAt(`/tables/${id}/records/1`)
  await openMenu(page)
  await page.getByRole('menuitem', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  const subject = dialog.getByLabel('Share', { exact: true })
  await subject.selectOption('File: second.txt')
  const remove = async (url: string) => {
    expect((await call(url, { token: service.token, method: 'DELETE' })).ok).toBe(true)
    const fetched = page.waitForResponse((response) => response.url().endsWith('/records/1'))
    // The window asks again when it gets the focus, but for what it has just fetched.
    await page.evaluate(() => {
      const { now } = Date
      Date.now = () => now() + 120_000
      window.dispatchEvent(new Event('focus'))
    })
    await fetched
  }
  await remove(first)
  await subject.locator('option', { hasText: 'first.txt' }).waitFor({ state: 'detached' })
  expect(await subject.locator('option:checked').textContent()).toBe('File: second.txt')
  await remove(second)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'There is no such file.' }).waitFor()
  expect(await subject.locator('option:checked').textContent()).toBe('File: second.txt')
})
