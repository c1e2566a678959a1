import { afterAll, describe, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { call } from '../support/executable'
import { startGrid } from '../support/grid'
import { becomes, cell, openLiveTable, openTable } from '../support/grid-page'

const service = await startGrid(0)
afterAll(() => service.stop())

const api = (path: string, body?: unknown, method?: string) =>
  call(`${service.url}/api/v1/tables${path}`, { token: service.token, body, ...(method ? { method } : {}) })
const link = (name: string, type: string) => ({ name, type, options: { table: 'firms' } })
await api('', { name: 'firms', columns: [{ name: 'name', type: 'text' }] })
const made = await api('', {
  name: 'deals',
  columns: [
    { name: 'title', type: 'text' },
    { name: 'note', type: 'text' },
    link('firm', 'link'),
    link('others', 'manyLinks'),
    { name: 'price', type: 'decimal', options: { precision: 8, scale: 2 } },
  ],
})
const deals = (await made.json()) as { id: string; name: string; columns: { id: string; name: string }[] }
await api('/firms/columns', {
  name: 'deals',
  type: 'reverseLinks',
  options: { table: 'deals', column: deals.columns.find(({ name }) => name === 'firm')!.id },
})
const firms = (await (await api('/firms')).json()) as { id: string; name: string }
service.tables.push(deals, firms)
await api('/firms/records', [{ name: 'Acme' }, { name: 'Fjordlys' }])
const create = async () => (await (await api('/deals/records', { title: 'a', firm: 1 })).json()).id as number
const deal = (id: number) => service.recordOf('deals', id)
const count = async () => (await (await api('/deals/records?count=exact&limit=1')).json()).totalCount as number
const openDeal = (id: number) => openTable(service, 'deals', { search: `?id=eq.${id}` })
const openForm = async (path: string, options: Parameters<typeof openTable>[2] = {}): Promise<Page> => {
  const page = await openTable(service, 'deals', options)
  await page.goto(`${service.url}/tables/${deals.id}/records/${path}`)
  await page.getByLabel('title', { exact: true }).waitFor()
  return page
}
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

/** Holds the next write until `go` is called. */
async function holdWrite(page: Page, method: string) {
  const begun = Promise.withResolvers<Route>()
  await page.route('**/records/**', (route) => {
    if (route.request().method() !== method) return route.fallback()
    begun.resolve(route)
    return undefined
  })
  return {
    begun: begun.promise,
    go: async () => {
      const route = await begun.promise
      await route.continue()
      await page.unroute('**/records/**')
    },
  }
}

describe('the form of a record', () => {
  test('keeps what is typed while it is saved', async () => {
    const id = await create()
    const page = await openForm(String(id))
    const held = await holdWrite(page, 'PATCH')
    await page.getByLabel('title', { exact: true }).fill('b')
    await save(page)
    await held.begun
    await page.getByLabel('note', { exact: true }).fill('typed meanwhile')
    await held.go()
    await page.getByText('1 unsaved change').waitFor()
    expect(await page.getByLabel('note', { exact: true }).inputValue()).toBe('typed meanwhile')
    await save(page)
    await page.getByText('All changes saved.').waitFor()
    expect(await deal(id)).toMatchObject({ title: 'b', note: 'typed meanwhile' })
  })

  test('asks again about what has changed while it asked', async () => {
    const id = await create()
    const page = await openForm(String(id))
    await page.getByLabel('title', { exact: true }).fill('mine')
    await page.getByLabel('note', { exact: true }).fill('my note')
    await api(`/deals/records/${id}`, { title: 'theirs' }, 'PATCH')
    await save(page)
    const dialog = page.getByRole('dialog')
    await dialog.locator('.version-value').getByText('theirs', { exact: true }).waitFor()
    await api(`/deals/records/${id}`, { note: 'their note' }, 'PATCH')
    await dialog.getByRole('button', { name: 'Save selected' }).click()
    await dialog.getByText('their note').waitFor()
    expect(await deal(id)).toMatchObject({ title: 'theirs', note: 'their note' })
    await dialog.getByRole('button', { name: 'Save selected' }).click()
    await dialog.waitFor({ state: 'detached' })
    await becomes(async () => [(await deal(id)).title, (await deal(id)).note], ['mine', 'my note'])
  })

  test('shows my number as it will be saved beside theirs, where the comma is the decimal mark', async () => {
    const id = await create()
    const page = await openForm(String(id), { language: 'de-DE' })
    await page.getByLabel('price', { exact: true }).fill('1.234')
    await api(`/deals/records/${id}`, { price: 2 }, 'PATCH')
    await page.keyboard.press('Control+s')
    const mine = page.getByRole('dialog').locator('.version-value').first()
    await becomes(async () => (await mine.textContent())?.replace(/,00$/, ''), '1.234')
  })

  test('takes no record by Enter before the search has answered, and then the first that was found', async () => {
    const id = await create()
    const page = await openForm(String(id))
    const firm = page.getByRole('combobox', { name: 'firm', exact: true })
    await becomes(() => firm.inputValue(), 'Acme')
    const released = Promise.withResolvers<void>()
    await page.route(/[?&]q=Fjord/, async (route) => {
      await released.promise
      await route.continue()
    })
    await firm.click()
    await page.getByRole('option', { name: 'Fjordlys' }).waitFor()
    await firm.fill('Fjord')
    await firm.press('Enter')
    released.resolve()
    await page.getByRole('option', { name: 'Fjordlys', disabled: false }).waitFor()
    await firm.press('Enter')
    await becomes(() => firm.inputValue(), 'Fjordlys')
    await save(page)
    await becomes(async () => (await deal(id)).firm, 2)
  })

  test('keeps the chosen record by Enter', async () => {
    const { id } = (await (await api('/deals/records', { title: 'a', firm: 2 })).json()) as { id: number }
    const page = await openForm(String(id))
    const firm = page.getByRole('combobox', { name: 'firm', exact: true })
    await becomes(() => firm.inputValue(), 'Fjordlys')
    await firm.focus()
    await page.getByRole('option', { name: 'Acme' }).waitFor()
    await firm.press('Enter')
    expect(await page.getByText('1 unsaved change').count()).toBe(0)
    expect(await firm.inputValue()).toBe('Fjordlys')
  })

  test('creates one record when the answer is lost', async () => {
    const page = await openForm('new')
    const before = await count()
    let isLost = true
    await page.route('**/records', async (route) => {
      if (!isLost || route.request().method() !== 'POST') return route.fallback()
      isLost = false
      await route.fetch()
      await route.abort('internetdisconnected')
    })
    await page.getByLabel('title', { exact: true }).fill('once')
    await save(page)
    await page.getByRole('alert').filter({ hasText: 'reached' }).first().waitFor()
    await save(page)
    await page.getByRole('heading', { name: 'once', level: 1 }).waitFor()
    expect(await count()).toBe(before + 1)
  })
})

describe('a cell of a link', () => {
  const editor = (page: Page) => page.getByRole('combobox', { name: 'firm, row 1' })

  test('that is opened and left is not written', async () => {
    const id = await create()
    const page = await openDeal(id)
    const etag = async () => (await api(`/deals/records/${id}`)).headers.get('etag')
    const before = await etag()
    await cell(page, 0, 3).dblclick()
    await editor(page).waitFor()
    await page.keyboard.press('Tab')
    await editor(page).waitFor({ state: 'detached' })
    await cell(page, 0, 1).click()
    await page.keyboard.type('next')
    await page.keyboard.press('Enter')
    await becomes(async () => (await deal(id)).title, 'next')
    const { changes } = await (await api(`/deals/records/${id}/history`)).json()
    expect(changes).toHaveLength(2)
    expect(await etag()).not.toBe(before)
  })

  test('takes the first match with Enter before it is found, and stays open without one', async () => {
    const id = await create()
    const page = await openDeal(id)
    const held = Promise.withResolvers<void>()
    await page.route(`**/tables/${firms.id}/records**`, async (route) => {
      await held.promise
      await route.fallback()
    })
    await cell(page, 0, 3).click()
    await page.keyboard.type('Fjord')
    await page.keyboard.press('Enter')
    await editor(page).waitFor()
    held.resolve()
    await becomes(async () => (await deal(id)).firm, 2)

    await cell(page, 0, 3).click()
    await page.keyboard.type('Nobody')
    await page.getByText('No matches.').waitFor()
    await page.keyboard.press('Enter')
    expect(await editor(page).inputValue()).toBe('Nobody')
    await page.keyboard.press('Escape')
    expect((await deal(id)).firm).toBe(2)
  })

  test('to several records takes the marked match with Tab', async () => {
    const id = await create()
    const page = await openDeal(id)
    await cell(page, 0, 4).click()
    await page.keyboard.type('Acm')
    await page.getByRole('option', { name: 'Acme' }).waitFor()
    await page.keyboard.press('Tab')
    await becomes(async () => (await deal(id)).others, [1])
  })
})

test('a copy of a record does not take away the records that link to it', async () => {
  await create()
  const before = (await service.recordOf('firms', 1)).deals as number[]
  const page = await openTable(service, 'firms')
  await cell(page, 0, 1).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Duplicate record' }).click()
  await page.getByText('3 records', { exact: true }).waitFor()
  expect((await service.recordOf('firms', 1)).deals).toEqual(before)
  expect(await service.recordOf('firms', 3)).toMatchObject({ name: 'Acme', deals: [] })
})

test('a number that is stored with its decimals is no change by somebody else', async () => {
  const id = await create()
  const page = await openDeal(id)
  const held = await holdWrite(page, 'PATCH')
  for (const value of ['5', '6']) {
    await cell(page, 0, 5).click()
    await page.keyboard.type(value)
    await page.keyboard.press('Enter')
  }
  await held.go()
  await becomes(async () => String((await deal(id)).price), '6')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('a paste that waits for an answer goes to the records that were selected', async () => {
  await api('', { name: 'staff', columns: [{ name: 'who', type: 'text' }, link('firm', 'link')] })
  service.tables.push((await (await api('/staff')).json()) as { id: string; name: string })
  await api('/staff/records', [{ who: 'Bob' }, { who: 'Cleo' }])
  const page = await openLiveTable(service, 'staff', { search: '?order=who' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const people = async () =>
    (await (await api('/staff/records?order=who&select=who,firm')).json()).records.map((row: { who: string; firm: number | null }) => row)
  await page.evaluate(() => navigator.clipboard.writeText('Fjordlys\nNewcomer'))
  await cell(page, 0, 2).click()
  await page.keyboard.press('Control+v')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create 1 record and paste' }).waitFor()
  await api('/staff/records', { who: 'Ada' })
  await page.locator('[data-row="0"][data-column="1"]').getByText('Ada').waitFor()
  await dialog.getByRole('button', { name: 'Create 1 record and paste' }).click()
  const newcomer = expect.any(Number)
  await becomes(async () => (await people()).filter(({ firm }: { firm: number | null }) => firm !== null).length, 2)
  expect(await people()).toEqual([
    { who: 'Ada', firm: null },
    { who: 'Bob', firm: 2 },
    { who: 'Cleo', firm: newcomer },
  ])
})
