import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { visit } from '../../support/browser'
import { call } from '../../support/executable'
import { startUi, takeSession } from '../../support/ui'

/** Forms whose first request to save is done, but its answer does not arrive. */
const service = await startUi()
afterAll(() => service.stop())

const api = async (path: string, body?: unknown) =>
  (await call(`${service.url}/api/v1/tables${path}`, { token: service.token, body })).json()

beforeAll(async () => {
  const columns = [
    { name: 'note', type: 'text' },
    { name: 'mail', type: 'email' },
  ]
  await api('', { name: 'coded', primaryKey: { name: 'code', type: 'text' }, columns })
  await api('/coded/records', [
    { code: 'A', note: 'first' },
    { code: 'B', note: 'second' },
  ])
})

async function open(path: string): Promise<Page> {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${path}`)
  return page
}
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

/** Saves, and once more because the service seems not to have been reached. */
async function saveTwice(page: Page) {
  let isLost = true
  await page.route(/\/(batch|records\/[^/?]+)$/, async (route) => {
    if (!isLost || !['POST', 'PATCH', 'PUT'].includes(route.request().method())) return route.fallback()
    isLost = false
    await route.fetch()
    await route.abort('internetdisconnected')
  })
  await save(page)
  await page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' }).waitFor()
  await save(page)
}

describe('a record whose answer was lost', () => {
  test('is saved once under its new key, and followed there', async () => {
    const page = await open('coded/records/A')
    await page.getByRole('textbox', { name: 'code' }).fill('X')
    await page.getByLabel('note').fill('later')
    await saveTwice(page)
    await page.waitForURL(/\/records\/X$/)
    expect(await api('/coded/records/X')).toMatchObject({ note: 'later' })
    await page.reload()
    await page.getByLabel('note').fill('last')
    await save(page)
    await page.getByText('All changes saved.').waitFor()
    expect(await api('/coded/records?order=code&select=code,note')).toMatchObject({
      records: [
        { code: 'B', note: 'second' },
        { code: 'X', note: 'last' },
      ],
    })
  })

  test('is created once with the key that was chosen for it', async () => {
    const page = await open('contacts/records/new')
    await page.getByLabel('name').fill('Number seven hundred')
    await page.getByText('More', { exact: true }).click()
    await page.getByRole('textbox', { name: 'id' }).fill('700')
    await saveTwice(page)
    await page.getByRole('heading', { name: 'Number seven hundred' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/\/records\/700$/)
    expect(await api('/contacts/records/700')).toMatchObject({ name: 'Number seven hundred' })
  })
})

test('what is wrong beside a changed key is said at its field', async () => {
  const page = await open('coded/records/B')
  await page.getByRole('textbox', { name: 'code' }).fill('Y')
  await page.getByLabel('mail').fill('nobody')
  await save(page)
  const summary = page.getByRole('alert').filter({ hasText: 'The record was not saved: 1 field is invalid' })
  await summary.getByRole('button', { name: 'mail' }).waitFor()
  await page.getByLabel('mail').fill('somebody@example.org')
  await save(page)
  await page.waitForURL(/\/records\/Y$/)
  expect(await api('/coded/records/Y')).toMatchObject({ note: 'second', mail: 'somebody@example.org' })
})
