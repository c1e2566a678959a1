import { afterAll, describe, expect, test } from 'bun:test'
import { $ } from 'bun'
import type { Page } from 'playwright-core'
import { expectAccessible, visit } from '../support/browser'
import { chooseAction } from '../support/table-menu'
import { startUi, takeSession } from '../support/ui'

const service = await startUi()
afterAll(() => service.stop())

async function at(path: string, size: 'desktop' | 'phone' = 'desktop'): Promise<Page> {
  const { page } = await visit({ size })
  await takeSession(page, service.url)
  await page.goto(service.url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

const contacts = service.tables.find(({ name }) => name === 'contacts')!.id

describe('the API panel', () => {
  test('has lines for the current view that work as they are, and no token in them', async () => {
    const page = await at(`/tables/${contacts}?company=gte.5&order=name.desc&or=(id.gt.9,name.like.*'*)`)
    await chooseAction(page, 'API')
    await expectAccessible(page)
    const linesOf = (label: string) => page.getByRole('region', { name: label, exact: true }).textContent()
    const [curl, javascript, python] = await Promise.all(['Terminal (curl)', 'JavaScript', 'Python'].map(linesOf))
    const environment = { ...process.env, ROWHOUSE_TOKEN: service.token }
    const names = ['Nora Haugen', 'Jonas Eliassen', 'Aiko Mori'].filter((name) => name !== 'Nora Haugen')
    const fromCurl = await $`sh -c ${curl!.replace('curl ', 'curl -s ')}`.env(environment).json()
    expect(fromCurl.records.map(({ name }: { name: string }) => name)).toEqual(names)
    const script = `${javascript}; console.log(JSON.stringify(records))`
    expect(await $`bun -e ${script}`.env(environment).json()).toEqual(fromCurl.records)
    expect(python).toContain(/"(http[^"]*)"/.exec(javascript!)![1]!)
    expect(curl! + javascript + python).not.toContain(service.token)
  })

  test('copies the lines', async () => {
    const page = await at(`/tables/${contacts}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await chooseAction(page, 'API')
    await page.getByRole('button', { name: 'Copy: Python' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toStartWith('import json')
  })
})

describe('the keyboard map', () => {
  test('names keys as they are on a German keyboard', async () => {
    const { page } = await visit({ language: 'de-DE' })
    await takeSession(page, service.url)
    await page.goto(`${service.url}/settings/account`)
    await page.getByRole('heading', { level: 1 }).press('?')
    const dialog = page.getByRole('dialog', { name: 'Tastenkürzel' })
    await dialog.getByText('Zelle bearbeiten').waitFor()
    const keys = new Set(await dialog.locator('kbd').allTextContents())
    expect(['Strg', 'Umschalt', 'Entf', 'Leertaste'].filter((key) => !keys.has(key))).toEqual([])
    expect(['Ctrl', 'Shift', 'Delete', 'Space'].filter((key) => keys.has(key))).toEqual([])
  })

  test('opens with ?, but not while somebody types', async () => {
    const page = await at('/settings/account')
    await page.getByLabel('Name', { exact: true }).press('?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('heading', { level: 1 }).press('?')
    await page.getByRole('dialog').getByText('Show keyboard shortcuts').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('dialog').waitFor()
  })
})
