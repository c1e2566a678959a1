import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { visit } from '../support/browser'
import { type GridService, startGrid } from '../support/grid'
import { becomes, cell } from '../support/grid-page'
import { takeSession } from '../support/ui'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

/** Somebody who is signed in comes to an address by itself, and everything is asked for anew. */
async function arrive(path: string) {
  const { page } = await visit()
  await takeSession(page, service.url)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url().slice(service.url.length)))
  await page.addInitScript(observeShifts)
  await page.addInitScript(observeFetches)
  await page.goto(`${service.url}${path}`)
  return { page, asked }
}

/** What the code of the page asks for, also where the browser has fetched it already. */
function observeFetches() {
  const { fetch } = window
  const fetched: string[] = []
  const observed = (...[input, init]: Parameters<typeof fetch>) => {
    fetched.push(new URL(input instanceof Request ? input.url : input, location.href).href.slice(location.origin.length))
    return fetch(input, init)
  }
  Object.assign(window, { fetched, fetch: observed })
}

/** What the head of the page has the browser fetch, and nothing has asked for yet. */
const unused = (page: Page) =>
  page.evaluate(() => {
    const hints = [...document.querySelectorAll('link[rel="preload"][as="fetch"]')].map((link) => link.getAttribute('href')!)
    const { fetched } = window as unknown as { fetched: string[] }
    return { hints: hints.length, left: hints.filter((path) => !fetched.includes(path)) }
  })

/** The page has drawn what it had to, and has nothing more to do. */
const settled = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(done)))))

function observeShifts() {
  const shifts: number[] = []
  Object.assign(window, { shifts })
  new PerformanceObserver((list) =>
    shifts.push(...list.getEntries().map((entry) => (entry as PerformanceEntry & { value: number }).value)),
  ).observe({
    type: 'layout-shift',
    buffered: true,
  })
}

const shiftsOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { shifts: number[] }).shifts.reduce((sum, value) => sum + value, 0))

describe('the page of a table', () => {
  test('asks for everything once, and for the first records before it has drawn anything', async () => {
    const path = `/tables/${service.tableId('contacts')}`
    const { page, asked } = await arrive(path)
    await cell(page, 0, 1).waitFor()
    const first = ['/auth/me', '/tables', path, `${path}/view`, `${path}/records?limit=100&count=estimated`].map((each) => `/api/v1${each}`)
    const called = asked.filter((each) => each.startsWith('/api/'))
    expect(called.slice(0, first.length).toSorted()).toEqual(first.toSorted())
    expect(called.filter((each, at) => called.indexOf(each) !== at)).toEqual([])
    expect(asked.filter((each) => each.endsWith('.js')).length).toBeLessThan(6)
    // Nothing was fetched ahead for nothing.
    await becomes(() => unused(page), { hints: first.length, left: [] })
  })

  test('comes whole: nothing jumps', async () => {
    const { page } = await arrive(`/tables/${service.tableId('contacts')}`)
    await cell(page, 0, 1).waitFor()
    await settled(page)
    expect(await shiftsOf(page)).toBeLessThan(0.02)
  })

  test('shows what the search in its address finds', async () => {
    const { page, asked } = await arrive(`/tables/${service.tableId('contacts')}?order=id.desc`)
    await cell(page, 0, 1).waitFor()
    const records = asked.filter((each) => each.includes('/records?'))
    expect(records[0]).toEndWith('?order=id.desc.nullslast&limit=100&count=estimated')
    expect(records.filter((each) => each.includes('count=estimated'))).toHaveLength(1)
  })
})
