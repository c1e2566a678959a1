import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { isViewChanged } from '../../../src/web/browser/records/list/arrangement'
import { parseListQuery } from '../../../src/web/browser/records/list/list-query'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, openTable } from '../../support/grid-page'
import { act, chooseOfColumn, saveAsView, viewButton, viewIdIn, viewsApi } from '../../support/named-views'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

const makeViews = async (table: string, ...names: string[]) => {
  for (const name of names) await viewsApi(service, table, '', { name, settings: {} })
}

/** Holds the first request of a view. */
async function holdView(page: Page, method: string) {
  const [begun, released, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  await page.route('**/views/*', async (route: Route) => {
    if (!isFirst || route.request().method() !== method) return route.fallback()
    isFirst = false
    const response = await route.fetch()
    begun.resolve()
    await released.promise
    await route.fulfill({ response })
    ended.resolve()
  })
  const release = async () => {
    released.resolve()
    await ended.promise
    // The page has worked on the answer after two of its frames.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  }
  return { begun: begun.promise, release }
}

async function goTo(page: Page, name: string) {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
  await page.locator('[role="grid"][aria-busy="false"]').waitFor()
}

const changed = (name: string) => `${name}, with unsaved changes`
const header = (page: Page, name: string) => page.getByRole('columnheader', { name })

test('a view that arrives late does not take the user away', async () => {
  await makeViews('contacts', 'Late', 'Soon')
  const page = await openTable(service, 'contacts')
  const first = await holdView(page, 'GET')
  await act(page, 'All records', 'Late')
  await first.begun
  await act(page, 'All records', 'Soon')
  await viewButton(page, 'Soon').waitFor()
  await first.release()
  await viewButton(page, 'Soon').waitFor()

  const second = await holdView(page, 'GET')
  await act(page, 'Soon', 'Late')
  await second.begun
  await goTo(page, 'companies')
  await second.release()
  await page.getByRole('heading', { name: 'companies', level: 1 }).waitFor()
  expect(viewIdIn(page)).toBeNull()

  await goTo(page, 'contacts')
  await viewButton(page, 'Soon').waitFor()
  await chooseOfColumn(page, 'role', 'Hide for me')
  const third = await holdView(page, 'PATCH')
  await act(page, changed('Soon'), 'Save changes')
  await third.begun
  await goTo(page, 'companies')
  await third.release()
  await page.getByRole('heading', { name: 'companies', level: 1 }).waitFor()
  expect(viewIdIn(page)).toBeNull()
  await goTo(page, 'contacts')
  await viewButton(page, 'Soon').waitFor()
})

test('changes stay while other views and tables are open, until they are discarded', async () => {
  await makeViews('projects', 'Kept')
  const page = await openTable(service, 'projects')
  await act(page, 'All records', 'Kept')
  await viewButton(page, 'Kept').waitFor()
  await chooseOfColumn(page, 'ends', 'Hide for me')
  await act(page, changed('Kept'), 'All records')
  await header(page, 'ends').waitFor()
  await goTo(page, 'companies')
  await goTo(page, 'projects')
  await act(page, 'All records', 'Kept')
  await viewButton(page, changed('Kept')).waitFor()
  await header(page, 'ends').waitFor({ state: 'detached' })
  await act(page, changed('Kept'), 'Discard changes')
  await viewButton(page, 'Kept').waitFor()
  await header(page, 'ends').waitFor()
})

test('a search is neither saved with a view nor a change of it, and opening a view clears it', async () => {
  const page = await openTable(service, 'contacts', { search: '?order=id' })
  const field = page.getByRole('searchbox', { name: 'Search records' })
  const search = async () => {
    await field.fill('liis')
    await page.waitForURL(/q=liis/)
    await page.getByText('1 record', { exact: true }).waitFor()
  }
  const isCleared = async () => {
    await page.getByText('12 records').waitFor()
    expect([await field.inputValue(), new URL(page.url()).searchParams.get('q')]).toEqual(['', null])
  }
  await search()
  await saveAsView(page, 'All records', 'Whole', true)
  await isCleared()
  await search()
  await viewButton(page, 'Whole').waitFor()
  await chooseOfColumn(page, 'role', 'Hide for me')
  await act(page, changed('Whole'), 'Save changes')
  await page.getByText('Saved.').waitFor()
  const { settings } = (await (await viewsApi(service, 'contacts', `/${viewIdIn(page)}`)).json()) as { settings: object }
  expect(Object.keys(settings)).toEqual(expect.arrayContaining(['hidden', 'sort', 'filter']))
  expect(JSON.stringify(settings)).not.toContain('liis')
  await page.reload()
  await page.getByText('1 record', { exact: true }).waitFor()
  await act(page, 'Whole', 'All records')
  await isCleared()
  await search()
  await act(page, 'All records', 'Whole')
  await isCleared()
  await search()
  await goTo(page, 'companies')
  await goTo(page, 'contacts')
  await viewButton(page, 'Whole').waitFor()
  await isCleared()
})

test('what is changed while a view is being saved stays, as a change', async () => {
  const page = await openTable(service, 'companies')
  await saveAsView(page, 'All records', 'Busy')
  await chooseOfColumn(page, 'founded', 'Hide for me')
  const held = await holdView(page, 'PATCH')
  await act(page, changed('Busy'), 'Save changes')
  await held.begun
  await chooseOfColumn(page, 'website', 'Hide for me')
  await held.release()
  await page.getByText('Saved.').waitFor()
  await viewButton(page, changed('Busy')).waitFor()
  expect(await header(page, 'website').count()).toBe(0)
  await act(page, changed('Busy'), 'Discard changes')
  await header(page, 'website').waitFor()
  expect(await header(page, 'founded').count()).toBe(0)
})

test('a view that somebody else has saved meanwhile can be loaded again, or becomes another view', async () => {
  const page = await openTable(service, 'companies', { search: '?order=name' })
  await saveAsView(page, 'All records', 'Ours', true)
  const path = `/${viewIdIn(page)}`
  const sent: unknown[] = []
  let version = 3
  await page.route(`**/views${path}`, async (route) => {
    if (route.request().method() === 'PATCH') {
      sent.push((route.request().postDataJSON() as { version?: number }).version)
      return route.fulfill({ status: 409, json: { code: 'conflict', message: 'Somebody has changed this view.' } })
    }
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), version: version++ } })
  })
  await chooseOfColumn(page, 'founded', 'Hide for me')
  await act(page, changed('Ours'), 'Discard changes')
  await viewButton(page, 'Ours').waitFor()
  await chooseOfColumn(page, 'founded', 'Hide for me')
  await act(page, changed('Ours'), 'Save changes')
  const dialog = page.getByRole('dialog', { name: 'Changed by someone else' })
  await dialog.getByRole('button', { name: 'Load again' }).click()
  await viewButton(page, 'Ours').waitFor()
  await header(page, 'founded').waitFor()
  await chooseOfColumn(page, 'founded', 'Hide for me')
  await act(page, changed('Ours'), 'Save changes')
  await dialog.getByRole('button', { name: 'Save as new view…' }).click()
  expect(sent).toEqual([3, 4])
  await page.getByRole('dialog', { name: 'New view' }).getByRole('textbox').fill('Mine')
  await page.keyboard.press('Enter')
  await viewButton(page, 'Mine').waitFor()
  expect(await header(page, 'founded').count()).toBe(0)
})

test('a condition that only an address can have stays in it when a view is saved', async () => {
  const page = await openTable(service, 'contacts', { search: '?company.name=neq.Nobody' })
  const condition = async () => new URL(page.url()).searchParams.get('company.name')
  await saveAsView(page, 'All records', 'Linked')
  expect(await condition()).toBe('neq.Nobody')
  await chooseOfColumn(page, 'role', 'Hide for me')
  await act(page, changed('Linked'), 'Save changes')
  await viewButton(page, 'Linked').waitFor()
  await becomes(condition, 'neq.Nobody')
})

test('a deleted view is not there on the way back either', async () => {
  const page = await openTable(service, 'contacts', { search: '?order=name' })
  await saveAsView(page, 'All records', 'Short-lived')
  await act(page, 'Short-lived', 'Delete view')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click()
  await viewButton(page, 'All records').waitFor()
  await page.goBack()
  await page.getByText('This view does not exist, or it is not for you.').waitFor()
  await viewButton(page, 'All records').waitFor()
  expect(viewIdIn(page)).toBeNull()
})

test('a reload keeps the changes of a view until they are saved or discarded', async () => {
  await makeViews('companies', 'Reloaded')
  const page = await openTable(service, 'companies', { search: '?order=id' })
  const reload = async () => {
    await page.reload()
    await page.locator('[role="grid"][aria-busy="false"]').waitFor()
  }
  await act(page, 'All records', 'Reloaded')
  await viewButton(page, 'Reloaded').waitFor()
  await chooseOfColumn(page, 'founded', 'Hide for me')
  await chooseOfColumn(page, 'name', 'Sort descending')
  await viewButton(page, changed('Reloaded')).waitFor()
  await page.waitForURL(/order=name\.desc/)
  // The URL has the order some moments before the tab has it.
  await becomes(() => page.evaluate(() => /"isDescending":true/.test(Object.values(sessionStorage).join())), true)
  await reload()
  await viewButton(page, changed('Reloaded')).waitFor()
  await header(page, 'name').waitFor()
  expect(await header(page, 'founded').count()).toBe(0)
  // Also by a link that says nothing else than the view.
  await page.goto(`${service.url}/tables/${service.tableId('companies')}?view=${viewIdIn(page)}`)
  await page.waitForURL(/order=name\.desc/)

  await act(page, changed('Reloaded'), 'Discard changes')
  await viewButton(page, 'Reloaded').waitFor()
  await reload()
  await viewButton(page, 'Reloaded').waitFor()
  await header(page, 'founded').waitFor()

  await chooseOfColumn(page, 'founded', 'Hide for me')
  await act(page, changed('Reloaded'), 'Save changes')
  await viewButton(page, 'Reloaded').waitFor()
  await reload()
  await viewButton(page, 'Reloaded').waitFor()
  expect(await header(page, 'founded').count()).toBe(0)
})

test('changes that a reload keeps go with a deleted column, a newer version of the view and the session', async () => {
  await call(`${service.url}/api/v1/tables`, {
    token: service.token,
    body: { name: 'shelves', columns: ['room', 'depth', 'height'].map((name) => ({ name, type: 'text' })) },
  }).then(async (made) => service.tables.push((await made.json()) as { id: string; name: string }))
  await makeViews('shelves', 'Rooms')
  const page = await openTable(service, 'shelves')
  const column = `${service.url}/api/v1/tables/shelves/columns`
  const reload = async (name: string) => {
    await page.reload()
    await viewButton(page, name).waitFor()
  }
  await act(page, 'All records', 'Rooms')
  await viewButton(page, 'Rooms').waitFor()
  await chooseOfColumn(page, 'depth', 'Hide for me')
  await chooseOfColumn(page, 'height', 'Hide for me')
  await viewButton(page, changed('Rooms')).waitFor()
  expect((await call(`${column}/height?confirm=height`, { token: service.token, method: 'DELETE' })).status).toBeLessThan(300)
  await reload(changed('Rooms'))
  await header(page, 'room').waitFor()
  expect(await header(page, 'depth').count()).toBe(0)

  const path = `/${viewIdIn(page)}`
  const settings = { wraps: true }
  expect((await viewsApi(service, 'shelves', path, { settings }, 'PATCH')).status).toBe(200)
  await reload('Rooms')
  await header(page, 'depth').waitFor()

  await chooseOfColumn(page, 'depth', 'Hide for me')
  await viewButton(page, changed('Rooms')).waitFor()
  await page.getByRole('button', { name: /account menu$/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await becomes(() => page.evaluate(() => Object.values(sessionStorage).join().includes('hidden')), false)
})

test('a view that was left keeps the order by a column that was renamed meanwhile', async () => {
  const columns = [
    { name: 'title', type: 'text' },
    { name: 'due', type: 'date' },
  ]
  const made = await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name: 'tasks', columns } })
  const { id } = (await made.json()) as { id: string }
  const page = await openTable(service, id)
  await chooseOfColumn(page, 'due', 'Sort descending')
  await saveAsView(page, 'All records', 'Due', true)
  await act(page, 'Due', 'All records')
  await viewButton(page, 'All records').waitFor()
  const column = `${service.url}/api/v1/tables/${id}/columns/due`
  expect((await call(column, { token: service.token, method: 'PATCH', body: { name: 'deadline' } })).status).toBe(200)
  await page.keyboard.press('F9')
  await header(page, 'deadline').waitFor()
  await act(page, 'All records', 'Due')
  await viewButton(page, 'Due').waitFor()
  expect(new URL(page.url()).searchParams.get('order')).toMatch(/^deadline\.desc/)
})

test('a renamed column does not change a view', () => {
  const table = (name: string) => ({ columns: [{ id: 'c1', name }] }) as never
  const named = {
    id: 'v',
    name: 'V',
    isShared: false,
    canChange: true,
    version: 1,
    saved: '{"hidden":["c1"],"sort":[{"column":"c1","isDescending":false}],"filter":{"kind":"group","join":"and","items":[]}}',
  }
  const view = { hidden: ['c1'], named }
  expect(isViewChanged(view, parseListQuery({ order: 'before' }), table('before'), [])).toBe(false)
  expect(isViewChanged(view, parseListQuery({ order: 'after' }), table('after'), [])).toBe(false)
  expect(isViewChanged(view, parseListQuery({ order: 'after', 'link.name': 'eq.x' }), table('after'), [])).toBe(false)
  expect(isViewChanged(view, parseListQuery({ order: 'after.desc' }), table('after'), [])).toBe(true)
  expect(isViewChanged({ ...view, hidden: [] }, parseListQuery({ order: 'after' }), table('after'), [])).toBe(true)
})
