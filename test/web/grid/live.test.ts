import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openLiveTable, openTable, typeInCell } from '../../support/grid-page'

let service: GridService
let count = 0
beforeAll(async () => {
  service = await startGrid(100)
})
afterAll(() => service.stop())

const api: GridService['api'] = (...request) => service.api(...request)

async function makeTable(): Promise<string> {
  const table = `live${++count}`
  await api('', { name: table, columns: [{ name: 'name', type: 'text' }] })
  await api(`/${table}/records`, [{ name: 'Aare' }, { name: 'Bode' }])
  return table
}

const open = (table: string) => openLiveTable(service, table)

test('a window that is only looked at shows what others change, add and delete', async () => {
  const table = await makeTable()
  const page = await open(table)
  await api(`/${table}/records/1`, { name: 'Aller' }, 'PATCH')
  await cell(page, 0, 1).getByText('Aller').waitFor()
  await api(`/${table}/records`, { name: 'Cher' })
  await cell(page, 2, 1).getByText('Cher').waitFor()
  await page.getByText('3 records', { exact: true }).waitFor()
  await api(`/${table}/records/2`, undefined, 'DELETE')
  await page.getByText('2 records', { exact: true }).waitFor()
})

test('what others change after the list was read and before the feed has begun is shown', async () => {
  const table = await makeTable()
  const page = await openTable(service, table, { isLive: true })
  const { promise: changed, resolve: begin } = Promise.withResolvers<void>()
  await page.route(/\/api\/v1\/changes\?/, async (route) => {
    await changed
    await route.continue()
  })
  await page.reload()
  await cell(page, 0, 1).getByText('Aare').waitFor()
  await api(`/${table}/records/1`, { name: 'Aller' }, 'PATCH')
  begin()
  await cell(page, 0, 1).getByText('Aller').waitFor()
})

test('a table that is opened later is followed from a position before its list was read', async () => {
  const [first, second] = [await makeTable(), await makeTable()]
  const page = await open(first)
  const { id } = (await (await api(`/${second}`)).json()) as { id: string }
  const following = page.waitForRequest((request) => request.url().includes(`/changes?tables=${id}`))
  const lists: string[] = []
  page.on('request', (request) => request.url().includes(`/tables/${id}/records?`) && lists.push(request.url()))
  await page.getByRole('navigation').getByRole('link', { name: second, exact: true }).click()
  expect((await following).url()).toContain('after=')
  const grid = page.getByRole('grid')
  await grid.getByText('Aare').waitFor()
  expect(lists).toHaveLength(1)
  await api(`/${second}/records/1`, { name: 'Aller' }, 'PATCH')
  await grid.getByText('Aller').waitFor()
})

test('a change is shown though the service could not answer at first', async () => {
  const table = await makeTable()
  const page = await open(table)
  const failed = Promise.withResolvers<void>()
  let isFirst = true
  await page.route(/\/records\?limit=100/, async (route) => {
    if (!isFirst) return route.fallback()
    isFirst = false
    await route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Out of order.' } })
    failed.resolve()
  })
  await api(`/${table}/records/1`, { name: 'Aller' }, 'PATCH')
  await failed.promise
  await cell(page, 0, 1).getByText('Aller').waitFor()
})

test('a refresh that nobody at the window has caused says so, and no session lasts for it', async () => {
  const table = await makeTable()
  const page = await open(table)
  const listed = () => page.waitForRequest((request) => request.method() === 'GET' && /\/records\?/.test(request.url()))
  const isMarked = async (requested: ReturnType<typeof listed>) => 'rowhouse-background' in (await requested).headers()
  // Nothing was touched for a minute.
  await page.evaluate(() => {
    const { now } = Date
    Date.now = () => now() + 60_000
  })
  const first = listed()
  await api(`/${table}/records/1`, { name: 'Aller' }, 'PATCH')
  expect(await isMarked(first)).toBe(true)
  await cell(page, 0, 1).getByText('Aller').waitFor()
  await page.mouse.move(20, 20)
  const second = listed()
  await page.keyboard.press('F9')
  expect(await isMarked(second)).toBe(false)
})

test('a linked record that gets another name shows it', async () => {
  const parent = await makeTable()
  const table = `live${++count}`
  await api('', { name: table, columns: [{ name: 'river', type: 'link', options: { table: parent } }] })
  await api(`/${table}/records`, [{ river: 2 }])
  const page = await open(table)
  await cell(page, 0, 1).getByText('Bode').waitFor()
  await api(`/${parent}/records/2`, { name: 'Oder' }, 'PATCH')
  await cell(page, 0, 1).getByText('Oder').waitFor()
})

test('a linked record that this window itself gives another name shows it, in its own table', async () => {
  const table = await makeTable()
  await api(`/${table}/columns`, { name: 'into', type: 'link', options: { table } })
  await api(`/${table}/records/2`, { into: 1 }, 'PATCH')
  const page = await open(table)
  await cell(page, 1, 2).getByText('Aare').waitFor()
  await typeInCell(page, 0, 1, 'Aller')
  await cell(page, 1, 2).getByText('Aller').waitFor()
})

test('a linked record that this window itself has given another name shows it in a table that is opened later', async () => {
  const parent = await makeTable()
  const table = `live${++count}`
  await api('', { name: table, columns: [{ name: 'river', type: 'link', options: { table: parent } }] })
  await api(`/${table}/records`, [{ river: 2 }])
  // Without the changes of others.
  const page = await openTable(service, table)
  await cell(page, 0, 1).getByText('Bode').waitFor()
  const goTo = async (name: string) => {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
  }
  await goTo(parent)
  await page.getByRole('gridcell', { name: 'Bode', exact: true }).click()
  await page.keyboard.type('Oder')
  await page.keyboard.press('Enter')
  await becomes(async () => (await service.recordOf(parent, 2)).name, 'Oder')
  await goTo(table)
  await page.getByRole('gridcell', { name: 'Oder', exact: true }).waitFor()
})

test('a record from which this window takes a linked record loses it', async () => {
  const table = await makeTable()
  const boats = `live${++count}`
  const river = { name: 'river', type: 'link', options: { table } }
  await api('', { name: boats, columns: [{ name: 'name', type: 'text' }, river] })
  await api(`/${table}/columns`, { name: 'boats', type: 'reverseLinks', options: { table: boats, column: 'river' } })
  await api(`/${boats}/records`, { name: 'Argo', river: 1 })
  const page = await open(table)
  await cell(page, 0, 2).getByText('Argo').waitFor()
  await cell(page, 1, 2).dblclick()
  await page.getByRole('option', { name: 'Argo' }).click()
  await page.keyboard.press('Control+Enter')
  await cell(page, 1, 2).getByText('Argo').waitFor()
  await becomes(() => cell(page, 0, 2).getByText('Argo').count(), 0)
})

test('a cell that is edited is left alone, and what the window writes itself fetches no list again', async () => {
  const table = await makeTable()
  const page = await open(table)
  const lists: string[] = []
  page.on('request', (request) => request.method() === 'GET' && /\/records\?/.test(request.url()) && lists.push(request.url()))
  let polls = 0
  page.on('request', (request) => request.url().includes('after=') && polls++)
  await cell(page, 0, 1).dblclick()
  await page.keyboard.type(' II')
  await page.keyboard.press('Enter')
  await becomes(async () => (await service.recordOf(table, 1)).name, 'Aare II')
  await cell(page, 1, 1).dblclick()
  await page.keyboard.type('!')
  // The feed has answered with the window's own change.
  await becomes(async () => polls > 0, true)
  expect(lists).toEqual([])
  await api(`/${table}/records/2`, { name: 'Bodensee' }, 'PATCH')
  await becomes(async () => lists.length > 0, true)
  expect(await page.locator('.grid-editor').inputValue()).toBe('Bode!')
})

test('a table whose changes are not logged is asked about once and then left alone', async () => {
  const table = await makeTable()
  await api(`/${table}/history`, { logged: false }, 'PUT')
  const page = await openTable(service, table, { isLive: true })
  // Before the load, since the answer may come before the list is displayed.
  const feedAnswer = page.waitForResponse((response) => response.url().includes('/api/v1/changes?'))
  await page.reload()
  const answer = await feedAnswer
  expect(answer.status()).toBe(409)
  await cell(page, 0, 1).getByText('Aare').waitFor()
})
