import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { bob, eve, grace, openAs, startWithDeals } from '../../support/access-page'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'
import { cell } from '../../support/grid-page'

const service = await startWithDeals()
afterAll(() => service.stop())

const own = { read: 'owner=eq.@me', create: 'owner=eq.@me', update: 'owner=eq.@me' }
const columns = { read: ['title', 'owner', 'amount'], write: ['title', 'owner'] }
beforeEach(() =>
  service.setRules([
    { group: 'everyone', table: 'deals', ...own, columns },
    { group: 'role:editor', table: 'companies', create: 'all' },
    { group: 'role:viewer', table: 'companies', read: 'all' },
    { group: 'role:editor', table: 'products', read: 'all', update: 'all' },
  ]),
)

const open = async (path: string, as = grace): Promise<Page> => {
  const page = await openAs(service, path, { as })
  await page.locator('[role="grid"][aria-busy="false"], .record-form').first().waitFor()
  return page
}
const recordOf = async (path: string) => (await call(`${service.url}/api/v1/tables/${path}`, { token: service.token })).json()

describe('an editor with rules', () => {
  test('sees the columns that may be changed, and reads the others', async () => {
    const page = await open('/tables/deals')
    // The key, title, owner, amount; the margin is not there.
    expect(await page.getByRole('columnheader', { name: 'margin' }).count()).toBe(0)
    const amount = page.getByRole('gridcell', { name: '10', exact: true })
    expect(await amount.getAttribute('aria-readonly')).toBe('true')
    await amount.click()
    await page.keyboard.type('7')
    await page.getByText('You can view “amount” but not change it.').waitFor()
    expect(await page.locator('.grid-editor').count()).toBe(0)
    const title = page.getByRole('gridcell', { name: 'Harbour lights' })
    expect(await title.getAttribute('aria-readonly')).toBeNull()
    await title.click()
    await page.keyboard.type('Harbour lamps')
    await page.keyboard.press('Enter')
    await page.getByRole('gridcell', { name: 'Harbour lamps' }).waitFor()
    await page.goto(`${service.url}/tables/deals/records/1`)
    await page.getByLabel('title').waitFor()
    expect(await page.getByLabel('amount').count()).toBe(0)
    await page.locator('[data-field="amount"]').getByText('10').waitFor()
    await expectAccessible(page)
  })

  test('is told why a write is refused, in the words of the service', async () => {
    const page = await open('/tables/deals')
    await page.getByRole('button', { name: 'New record' }).click()
    await page.keyboard.type('For nobody')
    // The row has begun with the user's own name.
    for (const key of ['Tab', 'Delete', 'Control+Home']) await page.keyboard.press(key)
    await page.getByText('You may not write such a record to this table. "owner" must be your own user.').waitFor()
  })

  test('is not offered to delete what may not be deleted', async () => {
    const page = await open('/tables/deals')
    await cell(page, 0, -1).click()
    await page.getByRole('button', { name: 'Edit…' }).waitFor()
    expect(await page.getByRole('button', { name: 'Delete…' }).count()).toBe(0)
    await cell(page, 0, 0).click({ button: 'right' })
    await page.getByRole('menuitem', { name: /^Duplicate/ }).waitFor()
    expect(await page.getByRole('menuitem', { name: /^Delete \d/ }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.goto(`${service.url}/tables/deals/records/1`)
    await page.locator('.page-actions button').last().click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await page.getByRole('menuitem', { name: /Delete/ }).count()).toBe(0)
  })

  test('is not offered to add what may not be added', async () => {
    const page = await open('/tables/products')
    expect(await page.getByRole('button', { name: 'New record' }).count()).toBe(0)
    expect(await page.locator('.grid-row.is-new').count()).toBe(0)
    await page
      .getByRole('button', { name: 'Import, export and API access' })
      .or(page.locator('.grid-tools.is-main button').first())
      .first()
      .click()
    await page.getByRole('menuitem', { name: /Export/ }).waitFor()
    expect(await page.getByRole('menuitem', { name: /Import/ }).count()).toBe(0)
    await page.goto(`${service.url}/tables/products/records/new`)
    await page.getByText('You cannot add records to this table.').waitFor()
  })

  test('loses sight of a record that is given to somebody else', async () => {
    await service.setRules([{ group: 'everyone', table: 'deals', ...own, update: 'all' }])
    const page = await open('/tables/deals/records/2', bob)
    await page.getByRole('combobox', { name: 'owner' }).click()
    await page.getByRole('option', { name: 'Grace Hopper' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('grid').waitFor()
    await page.getByText('0 records', { exact: true }).waitFor()
    expect(await recordOf('deals/records/2')).toMatchObject({ owner: service.ids.grace })
  })

  test('adds records to a table of which they see none', async () => {
    const page = await open('/tables/companies')
    expect(new URL(page.url()).pathname).toEndWith('/records/new')
    await page.getByText('You can add records to “companies”, but you do not see the records in it.').waitFor()
    await page.locator('[data-field="name"] input').fill('A new pier')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Record created. You do not see it.').waitFor()
    expect(await page.locator('[data-field="name"] input').inputValue()).toBe('')
    const { records } = await recordOf('companies/records?name=eq.A new pier')
    expect(records).toHaveLength(1)
  })

  test('pastes the name of a new record that they do not see, and it stays at its cell', async () => {
    const send = async (path: string, body: object) =>
      expect((await call(`${service.url}/api/v1/tables${path}`, { token: service.token, body })).status).toBe(201)
    const columns = [
      { name: 'name', type: 'text' },
      { name: 'listed', type: 'boolean' },
    ]
    await send('', { name: 'guilds', columns })
    await send('/guilds/records', { name: 'Masons', listed: true })
    await send('', { name: 'guests', columns: [{ name: 'guild', type: 'link', options: { table: 'guilds' } }] })
    await send('/guests/records', { guild: 1 })
    await service.setRules([
      { group: 'role:editor', table: 'guilds', read: 'listed=is.true', create: 'all' },
      { group: 'role:editor', table: 'guests', read: 'all', update: 'all' },
    ])
    const page = await open('/tables/guests')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.evaluate(() => navigator.clipboard.writeText('Weavers'))
    await page.getByRole('gridcell', { name: 'Masons' }).click()
    await page.keyboard.press('Control+v')
    await page.getByRole('dialog').getByRole('button', { name: 'Create 1 record and paste' }).click()
    await page.locator('[role="gridcell"][aria-invalid="true"]').getByText('Weavers').waitFor()
    expect(await recordOf('guests/records/1')).toMatchObject({ guild: 1 })
  })

  test('reads that files were not added to new records, which they do not see', async () => {
    const plans = {
      name: 'plans',
      columns: [
        { name: 'title', type: 'text' },
        { name: 'drawing', type: 'attachment' },
      ],
    }
    expect((await call(`${service.url}/api/v1/tables`, { token: service.token, body: plans })).status).toBe(201)
    await service.setRules([{ group: 'role:editor', table: 'plans', read: 'title=eq.Open', create: 'all', update: 'all' }])
    const page = await open('/tables/plans/records/new')
    const add = async (title: string, names: string[]) => {
      await page.locator('[data-field="title"] input').fill(title)
      const files = names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('All in metres.') }))
      await page.locator('input[type=file]').setInputFiles(files)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
    }
    await add('Secret', ['one.txt'])
    await page.getByText('Record created. You do not see it. 1 file was not added: you do not see its record.').waitFor()
    await add('Hidden', ['two.txt', 'three.txt'])
    await page.getByText('2 records created. You do not see them. 3 files were not added: you do not see their records.').waitFor()
    const { records } = await recordOf('plans/records?order=id&select=title')
    expect(records).toEqual([{ title: 'Secret' }, { title: 'Hidden' }])
    await add('Open', ['four.txt'])
    await page.getByRole('button', { name: 'View four.txt' }).waitFor()
  })
})

test('a viewer with rules reads what they show, and nothing else', async () => {
  const page = await open('/tables/companies', eve)
  await page.getByText('view only').waitFor()
  expect(await page.getByRole('gridcell').first().getAttribute('aria-readonly')).toBe('true')
  expect(await page.getByRole('button', { name: 'New record' }).count()).toBe(0)
  await page.goto(`${service.url}/`)
  await page.getByRole('table').getByRole('link', { name: 'contacts' }).waitFor()
  expect(await page.getByRole('table').getByRole('link', { name: 'products' }).count()).toBe(0)
})
