import { afterAll, describe, expect, test } from 'bun:test'
import { eve, grace, openAs, startWithDeals } from '../../support/access-page'
import { json } from '../../support/app'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { cell } from '../../support/grid-page'
import { chooseAction } from '../../support/table-menu'

const service = await startWithDeals()
afterAll(() => service.stop())

const api = (path: string, more: object = {}) => call(`${service.url}/api/v1/${path}`, { token: service.token, ...more })
const create = async (table: string, body: object): Promise<number> => (await json(api(`tables/${table}/records`, { body }))).id
const remove = async (path: string) => expect((await api(`tables/${path}`, { method: 'DELETE' })).status).toBe(204)
const columns = [
  { name: 'name', type: 'text', unique: true },
  { name: 'state', type: 'select', options: { choices: ['new', 'used'] } },
  { name: 'keeper', type: 'user' },
]
expect((await api('tables', { body: { name: 'boats', columns } })).status).toBe(201)

describe('the trash of a table', () => {
  test('has deleted records with their values, and gives them back', async () => {
    const id = await create('boats', { name: 'Ada', state: 'used', keeper: service.ids.bob })
    await create('boats', { name: 'Bea' })
    const page = await openAs(service, '/tables/boats', { as: grace })
    await page.getByRole('gridcell', { name: 'Ada', exact: true }).waitFor()
    await cell(page, 0, -1).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 record' }).click()
    await page.getByText('1 record deleted.').waitFor()
    expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(1)
    await page.getByRole('link', { name: 'Trash' }).click()
    await page.getByRole('heading', { name: 'Trash of boats' }).waitFor()
    const row = page.locator('.rows > li').filter({ has: page.getByRole('heading', { name: 'Ada' }) })
    await row.getByText('Bob Ross').waitFor()
    expect(await row.locator('dd').allTextContents()).toEqual(['used', expect.stringContaining('Bob Ross'), String(id)])
    await row.getByText('Grace Hopper · ').waitFor()
    await expectAccessible(page)
    await row.getByRole('button', { name: 'Restore Ada' }).click()
    await page.getByText('“Ada” is restored.').waitFor()
    await page.getByText('The trash is empty').waitFor()
    await page.getByRole('link', { name: 'Open record' }).click()
    await page.getByRole('heading', { name: 'Ada', level: 1 }).waitFor()
    expect(await json(api(`tables/boats/records/${id}`))).toMatchObject({ name: 'Ada', state: 'used', keeper: service.ids.bob })
    await page.getByRole('link', { name: 'boats' }).first().click()
    await page.getByRole('gridcell', { name: 'Ada', exact: true }).waitFor()
  })

  test('says why a record cannot be restored', async () => {
    const id = await create('boats', { name: 'Cleo' })
    await remove(`boats/records/${id}`)
    await create('boats', { name: 'Cleo' })
    const page = await openAs(service, '/tables/boats', { as: grace, size: 'phone' })
    await chooseAction(page, 'Trash')
    await page.getByRole('button', { name: 'Restore Cleo' }).click()
    await page.getByRole('alert').getByText(/name/).waitFor()
    await expectNoSideways(page)
    await expectAccessible(page)
    expect((await api(`tables/boats/records/${id}`)).status).toBe(404)
  })

  test('is read by a viewer, who cannot restore, in German', async () => {
    await remove(`boats/records/${await create('boats', { name: 'Dora' })}`)
    const page = await openAs(service, '/tables/boats/trash', { as: eve, language: 'de-DE' })
    await page.getByRole('heading', { name: 'Papierkorb von boats' }).waitFor()
    await page.getByRole('heading', { name: 'Dora' }).waitFor()
    expect(await page.getByRole('button', { name: /wiederherstellen/ }).count()).toBe(0)
    await expectAccessible(page)
  })

  test('has under a rule of access only what its reader could see before', async () => {
    const mine = await create('deals', { title: 'Mine', owner: service.ids.grace, margin: 3 })
    const theirs = await create('deals', { title: 'Theirs', owner: service.ids.bob, margin: 3 })
    for (const id of [mine, theirs]) await remove(`deals/records/${id}`)
    const shown = { read: ['title', 'owner'], write: ['title', 'owner'] }
    await service.setRules([{ group: 'everyone', table: 'deals', read: 'owner=eq.@me', columns: shown }])
    const page = await openAs(service, '/tables/deals/trash', { as: grace })
    await page.getByRole('heading', { name: 'Mine' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Theirs' }).count()).toBe(0)
    expect(await page.locator('.rows dt').allTextContents()).toEqual(['owner', 'id'])
    // The rule lets nobody create records.
    expect(await page.getByRole('button', { name: /^Restore/ }).count()).toBe(0)
  })
})

test.each(['trash', 'history', 'forms'])(
  'the page %s of a table says that the tables cannot be loaded, and loads them again',
  async (name) => {
    const page = await openAs(service, '/')
    const tables = /\/api\/v1\/tables$/
    await page.route(tables, (route) => route.fulfill({ status: 500, json: { code: 'internal', requestId: 'r-1' } }))
    await page.goto(`${service.url}/tables/boats/${name}`)
    const content = page.getByRole('main')
    await content.getByRole('alert').filter({ hasText: 'r-1' }).waitFor()
    await expectAccessible(page)
    await page.unroute(tables)
    await content.getByRole('button', { name: 'Try again' }).click()
    await content.getByRole('heading', { name: /boats/, level: 1 }).waitFor()
  },
)
