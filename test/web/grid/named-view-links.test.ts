import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { savedText } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, openTable } from '../../support/grid-page'
import { act, chooseOfColumn, viewButton, viewIdIn, viewsApi } from '../../support/named-views'
import { chooseAction } from '../../support/table-menu'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const nobodys = '00000000-0000-4000-8000-000000000000'
const gone = 'This view does not exist, or it is not for you.'

async function makeView(table: string, name: string, settings: object = {}): Promise<string> {
  return ((await (await viewsApi(service, table, '', { name, settings })).json()) as { id: string }).id
}

/** The own view of the page's user, as it is stored. @param body to store it */
async function ownView(page: Page, table: string, body?: object) {
  const cookie = (await page.context().cookies(service.url)).map(({ name, value }) => `${name}=${value}`).join('; ')
  const url = `${service.url}/api/v1/tables/${service.tableId(table)}/view`
  return (await call(url, { cookie, ...(body && { method: 'PUT', body }) })).json() as Promise<Record<string, unknown>>
}

const searchOf = (page: Page) => decodeURIComponent(new URL(page.url()).search)

test('a link to a view that is not there keeps its filter, and the user’s own choice', async () => {
  const mine = await makeView('contacts', 'Mine')
  const page = await openTable(service, 'contacts')
  await ownView(page, 'contacts', { current: mine, search: { order: 'name' } })
  for (const id of [nobodys, 'no-id']) {
    const linked = await openTable(service, 'contacts', { search: `?view=${id}&name=ilike.*li*`, hasDefaultView: true })
    await linked.getByText(gone).waitFor()
    await becomes(async () => searchOf(linked), '?name=ilike.*li*')
    expect(await linked.getByText('12 records').count()).toBe(0)
    expect((await ownView(linked, 'contacts')).current).toBe(mine)
  }
  const bare = await openTable(service, 'contacts', { search: `?view=${nobodys}`, hasDefaultView: true })
  await bare.getByText(gone).waitFor()
  await becomes(async () => searchOf(bare), '?order=name')

  await ownView(page, 'contacts', { current: nobodys, search: { order: 'name' } })
  const chosen = await openTable(service, 'contacts', { hasDefaultView: true })
  await chosen.getByText(gone).waitFor()
  await becomes(async () => searchOf(chosen), '?order=name')
  await becomes(async () => (await ownView(page, 'contacts')).current, undefined)
})

test('the way back from a view leads to the records before it, and a link to the view chosen last', async () => {
  const described = await call(`${service.url}/api/v1/tables/companies`, { token: service.token })
  const { columns } = (await described.json()) as { columns: { id: string; name: string }[] }
  const column = columns.find(({ name }) => name === 'name')!.id
  const id = await makeView('companies', 'Sorted', { sort: [{ column, isDescending: false }] })
  const page = await openTable(service, 'companies')
  const goTo = async (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await act(page, 'All records', 'Sorted')
  await viewButton(page, 'Sorted').waitFor()
  await page.goBack()
  await viewButton(page, 'All records').waitFor()
  await becomes(async () => searchOf(page), '')
  await page.goForward()
  await viewButton(page, 'Sorted').waitFor()
  await goTo('companies')
  await becomes(async () => searchOf(page), `?view=${id}&order=name`)
  await viewButton(page, 'Sorted').waitFor()
  // The page begins with the view, too.
  await goTo('projects')
  await page.getByRole('heading', { name: 'projects', level: 1 }).waitFor()
  await goTo('companies')
  await viewButton(page, 'Sorted').waitFor()
  await act(page, 'Sorted', 'All records')
  await viewButton(page, 'All records').waitFor()
  await act(page, 'All records', 'Sorted')
  await viewButton(page, 'Sorted').waitFor()
  await page.goBack()
  await viewButton(page, 'All records').waitFor()
  expect(searchOf(page)).toBe('')
})

test('all records have no filter, whatever the user has looked for before', async () => {
  const id = await makeView('contacts', 'Few', { filter: { kind: 'group', join: 'and', items: [] } })
  await ownView(await openTable(service, 'contacts'), 'contacts', {
    current: id,
    hidden: [],
    search: { name: 'ilike.*li*', q: 'li', order: 'name' },
  })
  const page = await openTable(service, 'contacts', { hasDefaultView: true })
  const isAll = async (search: string) => {
    await viewButton(page, 'All records').waitFor()
    await page.getByText('12 records').waitFor()
    expect(searchOf(page)).toBe(search)
  }
  await viewButton(page, 'Few').waitFor()
  await act(page, 'Few', 'All records')
  await isAll('?order=name')
  await chooseOfColumn(page, 'name', 'Remove sort')
  await becomes(async () => searchOf(page), '')
  await isAll('')
  await becomes(async () => (await ownView(page, 'contacts')).search, {})
  await page.reload()
  await isAll('')
  for (const name of ['projects', 'contacts']) {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }
  await isAll('')
  await becomes(async () => (await ownView(page, 'contacts')).search, {})
})

test('a view that cannot be loaded does not hold up the table', async () => {
  const id = await makeView('projects', 'Slow')
  const page = await openTable(service, 'projects')
  await page.route('**/views/*', (route) => route.fulfill({ status: 500, json: { code: 'internal', requestId: 'r-1' } }))
  await page.goto(`${service.url}/tables/${service.tableId('projects')}?view=${id}`)
  await page.getByText('r-1').waitFor()
  await page.locator('[role="grid"][aria-busy="false"]').waitFor()
  await viewButton(page, 'All records').waitFor()
  expect(viewIdIn(page)).toBe(id)
  await page.unroute('**/views/*')
  await act(page, 'All records', 'Slow')
  await viewButton(page, 'Slow').waitFor()
})

test('a view opens though the user’s own cannot be loaded', async () => {
  const id = await makeView('projects', 'Alone')
  const page = await openTable(service, 'projects')
  await page.route('**/view', (route) => route.fulfill({ status: 500, json: { code: 'internal', requestId: 'r-2' } }))
  await page.goto(`${service.url}/tables/${service.tableId('projects')}?view=${id}`)
  await viewButton(page, 'Alone').waitFor()
})

test('the user’s own view that cannot be loaded is not overwritten by a change', async () => {
  const described = await call(`${service.url}/api/v1/tables/projects`, { token: service.token })
  const { columns } = (await described.json()) as { columns: { id: string; name: string }[] }
  const idOf = (column: string) => columns.find(({ name }) => name === column)!.id
  const page = await openTable(service, 'projects')
  const stored = await ownView(page, 'projects', { hidden: [idOf('ends')], pinned: [], widths: { [idOf('title')]: 222 } })
  let requestId = 'r-3'
  await page.route('**/view', (route) =>
    route.request().method() === 'GET' ? route.fulfill({ status: 500, json: { code: 'internal', requestId } }) : route.fallback(),
  )
  await page.goto(`${service.url}/tables/${service.tableId('projects')}`)
  await page.getByText('r-3').waitFor()
  const header = (name: string) => page.getByRole('columnheader', { name })
  await header('ends').waitFor()
  requestId = 'r-4'
  await chooseOfColumn(page, 'starts', 'Hide for me')
  await page.getByText('r-4').waitFor()
  // Sorts are in the address, whatever becomes of the view.
  await chooseOfColumn(page, 'title', 'Sort descending')
  await becomes(async () => searchOf(page), '?order=title.desc')
  expect(await ownView(page, 'projects')).toEqual(stored)

  await page.unroute('**/view')
  await chooseOfColumn(page, 'starts', 'Hide for me')
  await header('starts').waitFor({ state: 'detached' })
  expect(await header('ends').count()).toBe(0)
  const hidden = [idOf('ends'), idOf('starts')]
  await becomes(async () => ({ ...(await ownView(page, 'projects')), search: undefined }), { ...stored, hidden, search: undefined })
})

test('a view is exported and shared with its own columns, not with those of all records', async () => {
  const described = await call(`${service.url}/api/v1/tables/contacts`, { token: service.token })
  const { columns } = (await described.json()) as { columns: { id: string; name: string }[] }
  const idsExcept = (...names: string[]) => columns.filter(({ name }) => !names.includes(name)).map(({ id }) => id)
  const view = await makeView('contacts', 'Public', { hidden: idsExcept('name', 'role') })
  const page = await openTable(service, 'contacts')
  await ownView(page, 'contacts', { hidden: idsExcept('name', 'phone'), search: {} })
  await page.goto(`${service.url}/tables/${service.tableId('contacts')}?view=${view}`)
  await page.getByRole('columnheader', { name: 'role' }).waitFor()
  await chooseAction(page, 'Export')
  await page.getByLabel('Format').selectOption('CSV for people')
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
  expect((await savedText(download)).slice(1).split('\n')[0]!.split(',').sort()).toEqual(['name', 'role'])
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await chooseAction(page, 'Share')
  const shown = page.getByRole('group', { name: 'Columns that are shown' })
  await shown.getByRole('checkbox', { name: 'role' }).waitFor()
  expect(await shown.getByRole('checkbox').count()).toBe(2)
  expect(await shown.getByRole('checkbox', { name: 'phone' }).count()).toBe(0)
})
