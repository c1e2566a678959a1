import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
})
afterAll(() => service.stop())

async function choose(page: Page, column: string, item: string) {
  await page.getByRole('columnheader', { name: column }).hover()
  await page.getByRole('button', { name: `Menu for column ${column}` }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

describe('the view', () => {
  test('is sorted by several, filtered and searched, all in the address', async () => {
    const page = await openTable(service, 'contacts')
    await choose(page, 'name', 'Sort ascending')
    await choose(page, 'role', 'Then sort descending')
    await page.waitForURL(/order=name%2Crole\.desc/)
    expect(await page.getByRole('columnheader', { name: 'role' }).getAttribute('aria-sort')).toBe('descending')

    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('textbox', { name: 'Value' }).fill('li')
    await page.waitForURL(/name=ilike\.\*li\*/)
    // The address of the page has the query of the API.
    const address = `${service.url}/api/v1/tables/contacts/records${new URL(page.url()).search}`
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Done' }).click()
    const listed = (await (await call(address, { token: service.token })).json()) as { records: { name: string }[] }
    await page.getByText(`${listed.records.length} records`).waitFor()
    expect(await cell(page, 0, 1).textContent()).toBe(listed.records[0]!.name)

    await page.keyboard.press('Control+f')
    await page.keyboard.type('liis')
    await page.waitForURL(/q=liis/)
    await page.getByText('1 record', { exact: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Search records' }).fill('nobody at all')
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await page.getByText(`${listed.records.length} records`).waitFor()
    await page.getByRole('button', { name: 'Filter: 1' }).click()
    await page.getByRole('textbox', { name: 'Value' }).fill('nobody at all')
    await page.getByText('No matching records').waitFor()
    // What the user looks for is kept, and the tests below begin with all records.
    const kept = page.waitForResponse(
      (response) => response.request().method() === 'PUT' && !response.request().postData()!.includes('nobody'),
    )
    await page.getByRole('button', { name: 'Show all records' }).click()
    await page.getByText('12 records').waitFor()
    await kept
  })

  test('has the records without a value last in both directions, on each of its pages', async () => {
    const page = await openTable(service, 'contacts')
    // The grid renders only the columns that fit.
    await page.setViewportSize({ width: 2400, height: 800 })
    const column = Number(await page.getByRole('columnheader', { name: 'birthday' }).getAttribute('data-column'))
    for (const [item, order] of [
      ['Sort ascending', 'birthday'],
      ['Sort descending', 'birthday.desc'],
    ] as const) {
      await choose(page, 'birthday', item)
      await page.waitForURL((url) => url.searchParams.get('order') === order)
      await becomes(
        async () => (await cell(page, 11, column).textContent()) === '' && (await cell(page, 0, column).textContent()) !== '',
        true,
      )
    }
    // The tests below begin with all records in their order: a window that closes earlier keeps this sort for the user.
    const storesSort = async () => {
      const stored = await call(`${service.url}/api/v1/tables/${service.tableId('contacts')}/view`, { token: service.token })
      return (await stored.text()).includes('birthday.desc')
    }
    await becomes(storesSort, true)
    await choose(page, 'birthday', 'Remove sort')
    await becomes(storesSort, false)
  })

  test('is kept for the user: widths, order, pins, what is hidden, what was looked for', async () => {
    const page = await openTable(service, 'projects')
    await choose(page, 'ends', 'Hide for me')
    await choose(page, 'status', 'Pin to left')
    await choose(page, 'title', 'Widen')
    // The changes before it may be saved on their own.
    const kept = page.waitForResponse(
      (response) => response.request().method() === 'PUT' && response.request().postData()!.includes('title.desc'),
    )
    await choose(page, 'title', 'Sort descending')
    await kept
    const again = await openTable(service, 'projects')
    await again.waitForURL(/order=title\.desc/)
    expect(await again.getByRole('columnheader').nth(1).textContent()).toContain('status')
    expect(await again.getByRole('columnheader', { name: 'ends' }).count()).toBe(0)
    expect((await again.getByRole('columnheader', { name: 'title' }).boundingBox())?.width).toBe(220)
  })

  test('is kept as it was last, though the saves before it take long', async () => {
    const page = await openTable(service, 'companies')
    const goTo = async (name: string) => {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
    }
    const answers: Promise<unknown>[] = []
    const first = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    await page.route('**/view', async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback()
      const others = [...answers]
      const answer = (async () => {
        if (others.length === 0) {
          begun.resolve()
          await first.promise
          // It arrives after whatever was sent while it was held.
          await Promise.all(answers.slice(1))
        }
        await route.fulfill({ response: await route.fetch() })
      })()
      answers.push(answer)
    })
    await choose(page, 'website', 'Hide for me')
    await begun.promise
    for (const column of ['founded', 'notes']) {
      await choose(page, column, 'Hide for me')
      await goTo('contacts')
      await goTo('companies')
    }
    first.resolve()
    await becomes(async () => answers.length > 1, true)
    await Promise.all(answers)
    const stored = await call(`${service.url}/api/v1/tables/${service.tableId('companies')}/view`, { token: service.token })
    expect(((await stored.json()) as { hidden: string[] }).hidden).toHaveLength(3)
    expect(answers).toHaveLength(2)
    expect(await page.getByRole('columnheader', { name: /website|founded|notes/ }).count()).toBe(0)
  })

  test('is changed with the mouse too', async () => {
    const page = await openTable(service, 'companies')
    await page.getByRole('columnheader', { name: 'city' }).dragTo(page.getByRole('columnheader', { name: 'industry' }))
    expect(await page.getByRole('columnheader').nth(3).textContent()).toContain('city')
    const { x, y, width, height } = (await page.getByRole('columnheader', { name: 'name' }).boundingBox())!
    await page.mouse.move(x + width - 3, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width + 57, y + height / 2, { steps: 4 })
    await page.mouse.up()
    expect((await page.getByRole('columnheader', { name: 'name' }).boundingBox())?.width).toBe(width + 60)
  })
})

describe('the grid', () => {
  const viewer = { email: 'eve@example.org', password: 'a quiet little harbour' }

  test('may only be read by viewers, and says so', async () => {
    const made = await call(`${service.url}/api/v1/users`, { token: service.token, body: { ...viewer, role: 'viewer' } })
    expect(made.status).toBe(201)
    const page = await openTable(service, 'contacts', { as: viewer })
    await page.getByText('view only').waitFor()
    expect(await page.getByRole('grid').getAttribute('aria-readonly')).toBe('true')
    expect(await page.getByRole('button', { name: 'New record' }).count()).toBe(0)
    await cell(page, 0, 1).click()
    await page.keyboard.type('x')
    await page.getByText('You can view these records but not change them.').waitFor()
    expect(await page.locator('.grid-editor').count()).toBe(0)
  })

  test('is used on a phone', async () => {
    const page = await openTable(service, 'contacts', { size: 'phone', scheme: 'dark' })
    await page.setViewportSize({ width: 320, height: 640 })
    await expectNoSideways(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('combobox', { name: 'Condition' }).waitFor()
    await expectNoSideways(page)
  })

  test('says when the service is away, and goes on when it is back', async () => {
    const page = await openTable(service, 'contacts')
    await page.context().setOffline(true)
    await cell(page, 0, 5).click()
    await page.keyboard.type('Away')
    await page.keyboard.press('Enter')
    await page.getByText(/^The service cannot be reached\. Changes to 1 record/).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollHeight <= window.innerHeight)).toBe(true)
    await page.context().setOffline(false)
    await becomes(async () => (await service.recordOf('contacts', 1)).role, 'Away')
    await cell(page, 0, 5).click()
    await page.keyboard.type('Back')
    await page.keyboard.press('Enter')
    await cell(page, 0, 5).getByText('Back').waitFor()
    await becomes(async () => (await service.recordOf('contacts', 1)).role, 'Back')
  })
})
