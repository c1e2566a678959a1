import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible } from '../../support/browser'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable, typeInCell } from '../../support/grid-page'

let service: GridService
let count = 0
let table = ''
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const api: GridService['api'] = (...request) => service.api(...request)
const names = async () => {
  const { records } = (await (await api(`/${table}/records?order=id`)).json()) as { records: { name: string }[] }
  return records.map(({ name }) => name)
}

beforeEach(async () => {
  table = `towns${++count}`
  await api('', { name: table, columns: [{ name: 'name', type: 'text', required: true }] })
  await api(`/${table}/records`, [{ name: 'Ulm' }, { name: 'Trier' }])
})

/**
 * Writes reach nobody, and neither does the question whether the service is there; what is only read is still answered.
 */
async function cutOff(page: Page) {
  await page.route('**/*', (route) => {
    const isCut = route.request().method() !== 'GET' || route.request().url().endsWith('/readyz')
    return isCut ? route.abort('internetdisconnected') : route.fallback()
  })
}

async function connect(page: Page) {
  await page.unroute('**/*')
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
}

const message = (page: Page, records: string) =>
  page.getByText(`The service cannot be reached. Changes to ${records} are kept and will be saved when it is available again.`)
const goTo = async (page: Page, name: string) => {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
}

describe('what is typed while the service cannot be reached', () => {
  test('is shown as unsaved, also after other pages, and saved when it is back', async () => {
    const page = await openTable(service, table)
    await cutOff(page)
    await typeInCell(page, 0, 1, 'Ulm an der Donau')
    await typeInCell(page, 1, 1, 'Augusta Treverorum')
    await message(page, '2 records').waitFor()
    await expectAccessible(page)
    await goTo(page, 'contacts')
    await message(page, '2 records').waitFor()
    await goTo(page, table)
    await cell(page, 0, 1).getByText('Ulm an der Donau').waitFor()
    expect(await page.locator('.grid-cell.is-unsent').count()).toBe(2)
    expect(await names()).toEqual(['Ulm', 'Trier'])
    await connect(page)
    await becomes(names, ['Ulm an der Donau', 'Augusta Treverorum'])
    await message(page, '2 records').waitFor({ state: 'detached' })
    expect(await page.locator('.grid-cell.is-unsent').count()).toBe(0)
  })

  test('is held against what others have changed meanwhile', async () => {
    const page = await openTable(service, table)
    await cell(page, 0, 1).click()
    await page.keyboard.press('F2')
    await page.waitForLoadState('networkidle')
    await cutOff(page)
    await page.keyboard.type('!')
    await page.keyboard.press('Enter')
    await message(page, '1 record').waitFor()
    await api(`/${table}/records/1`, { name: 'Neu-Ulm' }, 'PATCH')
    await goTo(page, 'contacts')
    await connect(page)
    await goTo(page, table)
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' })
    await dialog.getByText('Neu-Ulm').waitFor()
    await dialog.getByRole('button', { name: 'Keep theirs' }).click()
    await cell(page, 0, 1).getByText('Neu-Ulm').waitFor()
    expect(await names()).toEqual(['Neu-Ulm', 'Trier'])
  })

  test('is saved once, though the answer to it was lost', async () => {
    const page = await openTable(service, table)
    let isLost = true
    await page.route('**/records**', async (route) => {
      if (!isLost || route.request().method() === 'GET') return route.fallback()
      isLost = false
      await route.fetch()
      await route.abort('internetdisconnected')
    })
    await page.getByRole('button', { name: 'New record' }).click()
    await page.keyboard.type('Speyer')
    await page.keyboard.press('Enter')
    await becomes(names, ['Ulm', 'Trier', 'Speyer'])
    await page.locator('.grid-row:is(.is-draft, .is-saving)').waitFor({ state: 'detached', timeout: 20_000 })
    isLost = true
    await typeInCell(page, 0, 1, 'Ulma')
    await becomes(names, ['Ulma', 'Trier', 'Speyer'])
    await page.locator('.grid-row.is-saving').waitFor({ state: 'detached', timeout: 20_000 })
    expect(await names()).toEqual(['Ulma', 'Trier', 'Speyer'])
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('pasted into many cells waits as a whole', async () => {
    const page = await openTable(service, table)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await cutOff(page)
    await page.evaluate(() => navigator.clipboard.writeText('one\ntwo'))
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+v')
    await message(page, '2 records').waitFor()
    expect(await names()).toEqual(['Ulm', 'Trier'])
    await connect(page)
    await becomes(names, ['one', 'two'])
  })

  test('pasted as new rows is kept, and created once though the answer to it was lost', async () => {
    const page = await openTable(service, table)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    let isLost = true
    await page.route('**/batch', async (route) => {
      if (isLost) await route.fetch()
      isLost = false
      await route.abort('internetdisconnected')
    })
    await page.evaluate(() => navigator.clipboard.writeText('Speyer\nWorms'))
    await cell(page, 2, 1).click()
    await page.keyboard.press('Control+v')
    await becomes(names, ['Ulm', 'Trier', 'Speyer', 'Worms'])
    await cell(page, 3, 1).getByText('Worms').waitFor()
    await becomes(() => page.locator('.grid-cell.is-unsent').count(), 2)
    await page.unroute('**/batch')
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await page.getByText('2 records created.').waitFor({ timeout: 20_000 })
    await page.getByText('4 records', { exact: true }).waitFor()
    expect(await names()).toEqual(['Ulm', 'Trier', 'Speyer', 'Worms'])
  })

  test('makes the browser ask before the window closes, on another page too', async () => {
    const page = await openTable(service, table)
    await cutOff(page)
    await typeInCell(page, 0, 1, 'Ulma')
    await message(page, '1 record').waitFor()
    await goTo(page, 'contacts')
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await page.reload()
    expect(asked).toEqual(['beforeunload'])
  })
})
