import { afterAll, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { visit } from '../../support/browser'
import { call } from '../../support/executable'
import { becomes } from '../../support/grid-page'
import { startUi, takeSession } from '../../support/ui'

/** Answers to a check that come when the user has gone on. */
const service = await startUi()
afterAll(() => service.stop())
const api = (path: string, body?: unknown) => call(`${service.url}/api/v1${path}`, { token: service.token, body })

async function openFile(path: string, name: string, text: string): Promise<Page> {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(service.url + path)
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  return page
}
const check = (page: Page) => page.getByRole('button', { name: 'Check without importing' })
const importButton = (page: Page) => page.getByRole('button', { name: 'Import', exact: true })

/** Holds the next request that matches, and those with the same address. */
async function hold(page: Page, matches: (url: string) => boolean) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const routes: Route[] = []
  let held: string | undefined
  let isFree = false
  await page.route(
    ({ href }) => href === held || (held === undefined && matches(href)),
    async (route) => {
      if (isFree || route.request().method() === 'DELETE') return route.continue()
      held ??= route.request().url()
      routes.push(route)
      resolve(held)
    },
  )
  const release = async () => {
    isFree = true
    const answered = page.waitForResponse((response) => response.url() === held && response.request().method() !== 'DELETE')
    await Promise.all(routes.map((route) => route.continue()))
    await (await answered).finished()
    // What the answer changes has been drawn.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))))
  }
  return { isHeld: promise, release }
}
const isPoll = (url: string) => url.includes('/api/v1/imports/')

test('the late answer to a check does not hide the import that runs', async () => {
  const { id } = await (await api('/tables', { name: 'late', columns: [{ name: 'title', type: 'text', unique: true }] })).json()
  const page = await openFile(`/tables/${id}/import`, 'late.csv', 'title\nEmma\n')
  const trial = await hold(page, isPoll)
  await check(page).click()
  await trial.isHeld
  for (const mode of ['', '-']) await page.getByLabel('Import mode').selectOption(mode)
  const trialUrl = await trial.isHeld
  const running = await hold(page, (url) => isPoll(url) && url !== trialUrl)
  await importButton(page).click()
  await running.isHeld
  await trial.release()
  expect(await importButton(page).getAttribute('aria-disabled')).toBe('true')
  await page.getByRole('progressbar').waitFor()
  await running.release()
  await page.getByText('1 record added').waitFor()
})

test('an import whose answer is lost is done once when it is started again', async () => {
  const { id } = await (await api('/tables', { name: 'lost', columns: [{ name: 'title', type: 'text' }] })).json()
  const page = await openFile(`/tables/${id}/import`, 'lost.csv', 'title\nEmma\n')
  await importButton(page).waitFor()
  // The import arrives, and its answer does not.
  await page.evaluate(() => {
    const { send } = XMLHttpRequest.prototype
    XMLHttpRequest.prototype.send = function (body) {
      XMLHttpRequest.prototype.send = send
      this.onload = this.onerror
      this.send(body)
    }
  })
  const count = async () => ((await (await api(`/tables/${id}/records`)).json()) as { records: object[] }).records.length
  await importButton(page).click()
  await page.getByText('The service cannot be reached.').waitFor()
  await becomes(count, 1)
  await importButton(page).click()
  await page.getByText('1 record added').waitFor()
  expect(await count()).toBe(1)
  // The same file may be imported twice on purpose.
  await importButton(page).click()
  await becomes(count, 2)
})

test('a running check of a new table ends with a change of its columns', async () => {
  const page = await openFile('/tables/import', 'changed.csv', 'title,pages\nEmma,many\n')
  await page.getByLabel('Type of pages').selectOption('integer')
  await check(page).click()
  const leaveEmpty = page.getByRole('button', { name: 'Leave 1 cell empty' })
  await leaveEmpty.waitFor()
  const trial = await hold(page, isPoll)
  await leaveEmpty.click()
  await trial.isHeld
  await page.getByLabel('Type of pages').selectOption('date')
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
  await trial.release()
  expect(await page.getByText('would be added').count()).toBe(0)
  // The tolerance was for other cells.
  await importButton(page).click()
  await leaveEmpty.waitFor()
  await page.getByLabel('Type of pages').selectOption('time')
  await leaveEmpty.waitFor({ state: 'detached' })
})

test('another notation is checked with the columns that are found in it', async () => {
  const page = await openFile('/tables/import', 'noted.csv', 'title;price\nEmma;1.250\n')
  await page.getByLabel('Numbers').selectOption('1.234,50')
  await check(page).click()
  await page.getByText('1 record would be added').waitFor()
  const checks: string[] = []
  page.on('request', (request) => request.url().includes('dryRun=whole') && checks.push(request.url()))
  const plan = await hold(page, (url) => url.includes('dryRun=true'))
  await page.getByLabel('Numbers').selectOption('1,234.50')
  await plan.isHeld
  expect([await importButton(page).getAttribute('aria-disabled'), checks]).toEqual(['true', []])
  const checked = page.waitForResponse((response) => response.url().includes('dryRun=whole'))
  await plan.release()
  await checked
  await page.getByText('1 record would be added').waitFor()
  expect(checks.length).toBe(1)
})
