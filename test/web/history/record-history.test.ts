import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { eve, grace, openAs, startWithDeals } from '../../support/access-page'
import { json } from '../../support/app'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'

const service = await startWithDeals()
afterAll(() => service.stop())

const api = (path: string, more: object = {}) => json(call(`${service.url}/api/v1/${path}`, { token: service.token, ...more }))
const patch = (path: string, body: object) => api(path, { method: 'PATCH', body })
const create = async (body: object): Promise<number> => (await api('tables/deals/records', { body })).id

const history = (page: Page, name = 'History') => page.getByRole('region', { name })
const entries = (page: Page) => history(page).locator('.rows > li')
const changeOf = (page: Page, entry: number, column: string) => entries(page).nth(entry).locator(`[data-changed="${column}"] dd`)

async function openHistory(path: string, options: Parameters<typeof openAs>[2] = {}): Promise<Page> {
  const page = await openAs(service, `/tables/${path}`, options)
  await page.getByRole('button', { name: options.language === 'de-DE' ? 'Verlauf' : 'History' }).click()
  await page.locator('.record-history .rows > li').first().waitFor()
  return page
}

describe('the history of a record', () => {
  test('has who changed what, and gives back earlier values', async () => {
    const id = await create({ title: 'Quay', owner: service.ids.grace, amount: 1500 })
    await patch(`tables/deals/records/${id}`, { title: 'Quay wall', amount: null })
    const page = await openHistory(`deals/records/${id}`, { as: grace })
    await page.getByText('Changed · Ada Lovelace, by token').waitFor()
    expect(await changeOf(page, 0, 'title').textContent()).toMatch(/^Quay\s*→\s*became\s*Quay wall$/)
    expect(await changeOf(page, 0, 'amount').textContent()).toMatch(/^1500\s*→\s*became\s*empty$/)
    // A person by name; of a creation only what is there.
    expect(await changeOf(page, 1, 'owner').textContent()).toContain('Grace Hopper')
    expect(await changeOf(page, 1, 'margin').count()).toBe(0)
    expect(await entries(page).first().locator('time').getAttribute('title')).toMatch(/^\w+day,? .* at \d\d:\d\d:\d\d (CET|GMT\+1)$/)
    await expectAccessible(page)

    // What is there now cannot be restored.
    expect(
      await history(page)
        .getByRole('button', { name: /^Restore/ })
        .count(),
    ).toBe(1)
    await history(page)
      .getByRole('button', { name: /^Restore/ })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Restore these values?' })
    await dialog.getByText('Quay wall').waitFor()
    expect(await dialog.locator('[data-changed]').allTextContents()).toEqual([
      expect.stringMatching(/title\s*Quay wall\s*→\s*became\s*Quay$/),
      expect.stringMatching(/amount\s*empty\s*→\s*became\s*1500$/),
    ])
    await expectAccessible(page)
    const { headers } = await call(`${service.url}/api/v1/tables/deals/records/${id}`, { token: service.token })
    const etag = headers.get('etag')
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/restore'))
    await dialog.getByRole('button', { name: 'Restore' }).click()
    expect((await sent).headers()['if-match']).toBe(etag!)
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('title').inputValue()).toBe('Quay')
    await page.getByText('Changed · Grace Hopper', { exact: true }).waitFor()
    expect(await changeOf(page, 0, 'title').textContent()).toMatch(/^Quay wall\s*→\s*became\s*Quay$/)
    expect(await api(`tables/deals/records/${id}`)).toMatchObject({ title: 'Quay', amount: 1500 })
  })

  test('is not restored over what somebody else has changed meanwhile, which is shown before', async () => {
    const id = await create({ title: 'a', amount: 1 })
    await patch(`tables/deals/records/${id}`, { title: 'b' })
    const page = await openHistory(`deals/records/${id}`, { as: grace })
    await history(page)
      .getByRole('button', { name: /^Restore/ })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('[data-changed="title"]').waitFor()
    await patch(`tables/deals/records/${id}`, { amount: 2 })
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await dialog.getByText('Someone else has changed the record meanwhile.').waitFor()
    expect(await dialog.locator('[data-changed="amount"]').textContent()).toMatch(/2\s*→\s*became\s*1$/)
    expect(await api(`tables/deals/records/${id}`)).toMatchObject({ title: 'b', amount: 2 })
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await api(`tables/deals/records/${id}`)).toMatchObject({ title: 'a', amount: 1 })
  })

  test('shows the part of long texts that has changed, and is loaded page by page', async () => {
    await api('tables', {
      body: { name: 'notes', columns: [{ name: 'text', type: 'longText' }], primaryKey: { name: 'code', type: 'text' } },
    })
    const long = 'Sea and sand. '.repeat(40)
    await api('tables/notes/records', { body: { code: 'one', text: `${long}Shells. ${long}` } })
    await patch('tables/notes/records/one', { text: `${long}Stones. ${long}` })
    await patch('tables/notes/records/one', { code: 'a b' })
    for (let count = 0; count < 20; count++) await patch('tables/notes/records/a%20b', { text: `${count}` })
    const page = await openHistory('notes/records/a%20b', { as: grace })
    expect(await entries(page).count()).toBe(20)
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText('Key changed from one to a b.').waitFor()
    expect(await entries(page).count()).toBe(23)
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0)
    const text = await changeOf(page, 21, 'text').textContent()
    expect(text).toMatch(/^….*Shells\..*…\s*→\s*became\s*….*Stones\..*…$/s)
    expect(text!.length).toBeLessThan(400)
  })

  test('shows files by their names, and leaves them when other values are restored', async () => {
    await api('tables', {
      body: {
        name: 'plans',
        columns: [
          { name: 'title', type: 'text' },
          { name: 'papers', type: 'attachment' },
        ],
      },
    })
    const { id } = await api('tables/plans/records', { body: { title: 'Jetty' } })
    const page = await openAs(service, `/tables/plans/records/${id}`, { as: grace })
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'depth.txt', mimeType: 'text/plain', buffer: Buffer.from('All in metres.') })
    await page.getByRole('button', { name: 'View depth.txt' }).waitFor()
    await page.getByLabel('title').fill('Long jetty')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('All changes saved.').waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    await entries(page).nth(2).waitFor()
    expect(await changeOf(page, 1, 'papers').textContent()).toMatch(/^empty\s*→\s*became\s*depth\.txt$/)
    await entries(page)
      .nth(2)
      .getByRole('button', { name: /^Restore/ })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('[data-changed="title"]').waitFor()
    expect(await dialog.locator('[data-changed]').count()).toBe(1)
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'View depth.txt' }).waitFor()
    expect(await page.getByLabel('title').inputValue()).toBe('Jetty')
  })

  test('of a record beside the grid is restored into the grid', async () => {
    const id = await create({ title: 'Old mole' })
    await patch(`tables/deals/records/${id}`, { title: 'New mole' })
    const page = await openHistory(`deals#record=${id}`, { as: grace })
    await page.getByRole('gridcell', { name: 'New mole' }).waitFor()
    await history(page)
      .getByRole('button', { name: /^Restore/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('gridcell', { name: 'Old mole' }).waitFor()
  })
})

describe('rights', () => {
  beforeAll(async () => {
    await patch('tables/deals/records/1', { title: 'Harbour lamps', margin: 7 })
  })

  test('a viewer sees the history and cannot restore, in German, on a phone', async () => {
    const page = await openHistory('deals/records/1', { as: eve, size: 'phone', language: 'de-DE' })
    await page.getByText('Geändert · Ada Lovelace, mit Token').waitFor()
    await page.getByText('Erstellt · Ada Lovelace, mit Token').waitFor()
    expect(await page.getByRole('button', { name: /wiederherstellen/i }).count()).toBe(0)
    await expectNoSideways(page)
    await expectAccessible(page)
  })

  test('a rule of access hides columns in the history, too', async () => {
    const columns = { read: ['title', 'owner'], write: ['title'] }
    await service.setRules([{ group: 'everyone', table: 'deals', read: 'owner=eq.@me', update: 'owner=eq.@me', columns }])
    const page = await openHistory('deals/records/1', { as: grace })
    expect(await changeOf(page, 0, 'title').textContent()).toContain('Harbour lamps')
    expect(await page.locator('[data-changed="margin"], [data-changed="amount"]').count()).toBe(0)
    await service.setRules([])
  })

  test('where the log is off, that is said, and an administrator gets to the switch', async () => {
    const off = { token: service.token, method: 'PUT', body: { logged: false } }
    expect((await call(`${service.url}/api/v1/tables/notes/history`, off)).status).toBe(204)
    const page = await openHistory('notes/records/a%20b', { as: eve })
    await page.getByText('Changes of this table are not logged. An administrator can turn the log on.').waitFor()
    const admin = await openHistory('notes/records/a%20b')
    await admin.getByRole('link', { name: 'Turn the log on' }).click()
    const box = admin.getByRole('checkbox', { name: 'Log the changes of this table' })
    await box.waitFor()
    expect(await box.isChecked()).toBe(false)
    await box.click()
    await admin.waitForFunction(() => document.querySelector<HTMLInputElement>('input[type=checkbox]')?.checked)
    expect((await api('tables/notes/history')).logged).toBe(true)
  })
})
