import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(200)
})
afterAll(() => service.stop())

const atTable = (name: string) => openTable(service, name)
const recordOf = (name: string, key: number) => service.recordOf(name, key)
const change = (name: string, key: number, body: object) =>
  call(`${service.url}/api/v1/tables/${service.tableId(name)}/records/${key}`, { token: service.token, method: 'PATCH', body })

describe('a cell', () => {
  test('is edited by typing, and the next one by going on', async () => {
    const page = await atTable('contacts')
    await cell(page, 0, 5).click()
    await page.keyboard.type('Owner')
    await page.keyboard.press('Enter')
    await cell(page, 0, 5).getByText('Owner').waitFor()
    await page.keyboard.type('Builder')
    await page.keyboard.press('Tab')
    await becomes(async () => [(await recordOf('contacts', 1)).role, (await recordOf('contacts', 2)).role], ['Owner', 'Builder'])
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('F2')
    await page.keyboard.type(' of houses')
    await page.keyboard.press('Escape')
    await cell(page, 1, 5).getByText('Builder', { exact: true }).waitFor()
    expect(await cell(page, 1, 5).evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('is written by a click on another one, which is then the active one', async () => {
    const page = await atTable('contacts')
    await cell(page, 11, 5).click()
    await page.keyboard.type('Gardener')
    await cell(page, 9, 1).click()
    await becomes(async () => (await recordOf('contacts', 12)).role, 'Gardener')
    expect(await page.locator('.grid-editor').count()).toBe(0)
    expect(await cell(page, 9, 1).evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('keeps every digit of a number', async () => {
    const page = await atTable(manyRows)
    await cell(page, 0, 3).click()
    await page.keyboard.type('123456789012345678.90')
    await page.keyboard.press('Enter')
    await cell(page, 0, 3).getByText('123,456,789,012,345,678.90').waitFor()
    const text = async () =>
      (await call(`${service.url}/api/v1/tables/${service.tableId(manyRows)}/records/1`, { token: service.token })).text()
    await becomes(async () => (await text()).includes('"balance":123456789012345678.90'), true)
  })

  test('of each type has its editor', async () => {
    const page = await atTable('contacts')
    await cell(page, 2, 4).click()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'company, row 3' }).fill('ember')
    await page.getByRole('option', { name: 'Ember Software' }).waitFor()
    await page.getByRole('option', { name: 'Brightwater' }).waitFor({ state: 'detached' })
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await cell(page, 2, 4).getByText('Ember Software').waitFor()
    await cell(page, 2, 6).dblclick()
    await page.getByRole('option', { name: 'Prices' }).click()
    await page.keyboard.press('Enter')
    await cell(page, 2, 7).click()
    await page.keyboard.press('Space')
    await cell(page, 2, 8).dblclick()
    await page.getByLabel('birthday, row 3').fill('1981-07-22')
    await page.keyboard.press('Enter')
    await cell(page, 2, 8).getByText('22 Jul 1981').waitFor()
    const wanted = { company: 5, interests: ['Newsletter', 'Events', 'Prices'], active: false, birthday: '1981-07-22' }
    await becomes(async () => {
      const { company, interests, active, birthday } = await recordOf('contacts', 3)
      return { company, interests, active, birthday }
    }, wanted)
  })

  test('goes back to what it was when it is refused, and says why', async () => {
    const page = await atTable('contacts')
    await cell(page, 3, 2).click()
    await page.keyboard.type('nobody')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    await page.locator('.grid-problem').filter({ hasText: 'must be' }).waitFor()
    await cell(page, 3, 2).getByText('samuel@brightwater.example').waitFor()
    expect(await cell(page, 3, 2).getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
  })

  test('that somebody else has changed shows both values', async () => {
    const page = await atTable('contacts')
    await change('contacts', 5, { role: 'Head chef' })
    await cell(page, 4, 5).click()
    await page.keyboard.type('Cook')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' })
    await dialog.getByText('Head chef').waitFor()
    await dialog.getByText('Cook').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Keep yours' }).click()
    await becomes(async () => (await recordOf('contacts', 5)).role, 'Cook')

    await cell(page, 5, 5).click()
    await page.keyboard.press('F2')
    await page.waitForLoadState('networkidle')
    await change('contacts', 6, { role: 'Head buyer' })
    await page.keyboard.type('s')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Keep theirs' }).click()
    await cell(page, 5, 5).getByText('Head buyer').waitFor()
    expect((await recordOf('contacts', 6)).role).toBe('Head buyer')
  })

  test('that somebody else’s change of another cell does not concern is simply written', async () => {
    const page = await atTable('contacts')
    await cell(page, 6, 5).click()
    await page.keyboard.press('F2')
    await page.waitForLoadState('networkidle')
    await change('contacts', 7, { phone: '+31 10 700 9999' })
    await page.keyboard.type('!')
    await page.keyboard.press('Enter')
    await cell(page, 6, 3).getByText('+31 10 700 9999').waitFor()
    await becomes(async () => (await recordOf('contacts', 7)).role, 'Dispatcher!')
  })
})
