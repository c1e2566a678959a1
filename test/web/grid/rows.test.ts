import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { parseExact } from '../../../src/web/browser/values/exact-json'
import { makeAllTypes } from '../../support/all-types'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, manyRows, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(3_000)
  for (const body of [
    { name: 'parts', columns: [{ name: 'name', type: 'text', required: true, unique: true }] },
    {
      name: 'photos',
      columns: [
        { name: 'name', type: 'text' },
        { name: 'part', type: 'link', options: { table: 'parts' } },
        { name: 'pictures', type: 'attachment' },
      ],
    },
  ])
    await made('/api/v1/tables', body)
  await made('/api/v1/tables/parts/columns', { name: 'whole', type: 'link', options: { table: 'parts' } })
  await made('/api/v1/tables/parts/columns', { name: 'weight', type: 'decimal', options: { precision: 30, scale: 10 } })
  await made('/api/v1/tables/parts/columns', { name: 'made', type: 'createdAt' })
  await made('/api/v1/tables/parts/records', [
    { name: 'wheel', weight: '12345678901234567890.1234567890' },
    { name: 'bicycle' },
    { name: 'spoke' },
    { name: 'bell' },
  ])
  // The one that is made first belongs to one that is made later.
  for (const [key, whole] of [
    [1, 2],
    [3, 1],
  ])
    await call(`${service.url}/api/v1/tables/parts/records/${key}`, { token: service.token, method: 'PATCH', body: { whole } })
  await made('/api/v1/tables/photos/records', { name: 'front', part: 1 })
})
afterAll(() => service.stop())

async function made(path: string, body: object) {
  const answer = await call(service.url + path, { token: service.token, body })
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}
async function listed(query: string): Promise<Record<string, unknown>[]> {
  const answer = await call(`${service.url}/api/v1/tables/${query}`, { token: service.token })
  return ((await answer.json()) as { records: Record<string, unknown>[] }).records
}
const statusOf = async (path: string) => (await call(`${service.url}/api/v1/tables/${path}`, { token: service.token })).status

async function deleteRow(page: Page, row: number) {
  await cell(page, row, 1).click()
  await page.keyboard.press('Shift+Space')
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 record' }).click()
  await page.getByText('1 record deleted.').waitFor()
}

describe('rows', () => {
  test('that were deleted come back with key and values, and what does not is said before and after', async () => {
    const before = await listed('parts/records?select=id,name,whole,weight::text&order=id')
    const page = await openTable(service, 'parts')
    await cell(page, 0, -1).click()
    await cell(page, 2, -1).click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 3 records' })
    await dialog.getByText('1 record in photos loses its link. Undo (Ctrl+Z) restores the values.', { exact: true }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Delete 3 records' }).click()
    await page.getByText('3 records deleted.').waitFor()
    expect(await listed('parts/records?select=name')).toEqual([{ name: 'bell' }])

    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('3 records restored.', { exact: true }).waitFor()
    await cell(page, 2, 1).getByText('spoke').waitFor()
    expect(await listed('parts/records?select=id,name,whole,weight::text&order=id')).toEqual(before)
    expect(await listed('photos/records?select=part')).toEqual([{ part: 1 }])

    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+y')
    await page.getByText('3 records deleted.').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('3 records restored.').waitFor()
    expect(await listed('parts/records?select=id,name,whole,weight::text&order=id')).toEqual(before)
  })

  test('name before a deletion how many others lose their links, and how many are deleted too', async () => {
    const link = (name: string, more: object) => ({ name, type: 'link', options: { table: 'bikes', ...more } })
    await made('/api/v1/tables', { name: 'bikes', columns: [{ name: 'name', type: 'text' }] })
    await made('/api/v1/tables', { name: 'rides', columns: [link('bike', { onDelete: 'cascade' })] })
    await made('/api/v1/tables', {
      name: 'racks',
      columns: [{ name: 'holds', type: 'manyLinks', options: { table: 'bikes' } }, link('first', {})],
    })
    await made('/api/v1/tables/bikes/records', [{ name: 'red' }, { name: 'blue' }, { name: 'green' }])
    await made('/api/v1/tables/rides/records', [{ bike: 1 }, { bike: 2 }, { bike: 2 }])
    await made('/api/v1/tables/racks/records', [{ holds: [1, 3], first: 1 }, { holds: [1, 2] }, { first: null }])
    const page = await openTable(service, 'bikes')
    const says = async (title: string, text: string) => {
      await page.getByRole('button', { name: 'Delete…' }).click()
      const dialog = page.getByRole('dialog', { name: title })
      await dialog.getByText(`${text}Undo (Ctrl+Z) restores the values.`, { exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await cell(page, 0, -1).click()
    await says('Delete 1 record', '2 records in racks lose their links. 1 record in rides is deleted too. ')
    await cell(page, 1, -1).click({ modifiers: ['Shift'] })
    await says('Delete 2 records', '2 records in racks lose their links. 3 records in rides are deleted too. ')
    await cell(page, -1, -1).click()
    await says('Delete 3 records', '2 records in racks lose their links. 3 records in rides are deleted too. ')
  })

  test('come back with a value in a column of every type that can be sent, links to many among them', async () => {
    await makeAllTypes(service)
    const { user } = (await (await call(`${service.url}/auth/me`, { token: service.token })).json()) as { user: { id: string } }
    const path = `${service.url}/api/v1/tables/everything/records/1`
    await call(path, { token: service.token, method: 'PATCH', body: { owner: user.id } })
    const given = ['number', 'made', 'changed']
    const read = async () => {
      const record = parseExact(await (await call(path, { token: service.token })).text()) as Record<string, unknown>
      return Object.fromEntries(Object.entries(record).filter(([name]) => !given.includes(name)))
    }
    const before = await read()
    const page = await openTable(service, 'everything')
    await cell(page, 0, -1).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 record' }).click()
    await page.getByText('1 record deleted.').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('1 record restored.').waitFor()
    expect(await read()).toEqual(before)
  })

  test('that cannot come back, since their place is taken, say so, and do when it is free', async () => {
    const page = await openTable(service, 'parts')
    await deleteRow(page, 3)
    await made('/api/v1/tables/parts/records', { name: 'bell' })
    await page.keyboard.press('Control+z')
    await page.locator('.grid-notice.is-failure').waitFor()
    const [{ id }] = (await listed('parts/records?name=eq.bell')) as [{ id: number }]
    await call(`${service.url}/api/v1/tables/parts/records/${id}`, { token: service.token, method: 'DELETE' })
    await page.keyboard.press('Control+z')
    await page.getByText('1 record restored.').waitFor()
    expect(await listed('parts/records?name=eq.bell&select=id')).toEqual([{ id: 4 }])
  })

  test('come back when another table was open meanwhile, where undo leaves them alone', async () => {
    const page = await openTable(service, 'parts')
    await deleteRow(page, 3)
    const goTo = async (table: string) => {
      await page.getByRole('navigation').getByRole('link', { name: table, exact: true }).click()
      await page.getByRole('heading', { name: table, level: 1, exact: true }).waitFor()
      await cell(page, 0, 1).waitFor()
    }
    await goTo('photos')
    expect(await page.getByLabel('Undo (Ctrl+Z)').isDisabled()).toBe(true)
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+z')
    expect(await statusOf('parts/records/4')).toBe(404)
    await goTo('parts')
    await cell(page, 0, 1).click()
    await page.keyboard.press('Control+z')
    await page.getByText('1 record restored.').waitFor()
    expect(await listed('parts/records?id=eq.4&select=name')).toEqual([{ name: 'bell' }])
  })

  test('come back into a table that they left empty, with their files', async () => {
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/octet-stream' }
    const stored = await fetch(`${service.url}/api/v1/tables/photos/records/1/attachments/pictures?name=front.txt`, {
      method: 'POST',
      body: 'front',
      headers,
    })
    expect(stored.ok).toBe(true)
    const page = await openTable(service, 'photos')
    await cell(page, -1, -1).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 1 record' })
    expect(await dialog.getByText('not restored').count()).toBe(0)
    await dialog.getByRole('textbox').fill('photos')
    await dialog.getByRole('button', { name: 'Delete 1 record' }).click()
    await page.getByText('1 record deleted.').waitFor()
    await page.getByRole('heading', { name: 'No records' }).or(page.getByText('No records')).first().waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('1 record restored.', { exact: true }).waitFor()
    await cell(page, 0, 1).getByText('front').waitFor()
    expect(await listed('photos/records')).toMatchObject([{ pictures: [{ name: 'front.txt' }] }])
  })

  test('that were made are deleted again by undo, and made again with the same key', async () => {
    const page = await openTable(service, 'companies')
    const makeRow = async (name: string) => {
      await page.getByRole('button', { name: 'New record' }).click()
      await page.keyboard.type(name)
      await page.keyboard.press('Enter')
      await page.keyboard.press('ArrowUp')
      await page.locator('.grid-row.is-draft').waitFor({ state: 'detached' })
    }
    await makeRow('Glacier')
    await becomes(async () => (await recordOf(7)).name, 'Glacier')
    await page.keyboard.press('Control+z')
    await page.getByText('1 record deleted.').waitFor()
    expect(await statusOf('companies/records/7')).toBe(404)
    await page.getByText('6 records', { exact: true }).waitFor()
    await page.keyboard.press('Control+y')
    await page.getByText('1 record restored.').waitFor()
    expect((await recordOf(7)).name).toBe('Glacier')
    await cell(page, 6, 1).getByText('Glacier').waitFor()

    // What somebody else has gone on with is left to them.
    await call(`${service.url}/api/v1/tables/companies/records/7`, { token: service.token, method: 'PATCH', body: { city: 'Oslo' } })
    await page.keyboard.press('Control+z')
    await page.locator('.grid-notice.is-failure').waitFor()
    expect((await recordOf(7)).city).toBe('Oslo')
  })

  test('of which more have come than were said are not touched', async () => {
    const page = await openTable(service, manyRows, { search: '?age=eq.7' })
    await page.getByText('34 records', { exact: true }).waitFor()
    await cell(page, -1, -1).click()
    await made(`/api/v1/tables/${manyRows}/records`, { name: 'Newcomer', age: 7 })
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 34 records' }).click()
    await page.getByRole('dialog').getByText('at most 34 are allowed').waitFor()
    expect((await listed(`${manyRows}/records?age=eq.7`)).length).toBe(35)
  })

  test('that a search finds are changed and deleted as a whole', async () => {
    const page = await openTable(service, manyRows, { search: '?q=Person+29' })
    await page.getByText('111 records', { exact: true }).waitFor()
    await cell(page, -1, -1).click()
    await page.getByText('111 records selected').waitFor()
    await page.getByRole('button', { name: 'Edit…' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit 111 records' })
    await edit.getByLabel('Column').selectOption('age')
    await edit.getByLabel('Value').fill('99')
    await edit.getByRole('button', { name: 'Update 111 records' }).click()
    await page.getByText('111 records updated.').waitFor()
    const changed = async () => (await listed(`${manyRows}/records?age=eq.99&limit=1000`)).length
    expect(await changed()).toBe(111)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await becomes(changed, 0)
    await page.keyboard.press('Control+y')
    await becomes(changed, 111)
    await page.getByText('111 records selected').waitFor()

    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 111 records' }).click()
    await page.getByText('111 records deleted.').waitFor()
    expect(await listed(`${manyRows}/records?age=eq.99`)).toEqual([])
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('111 records restored.').waitFor()
    expect((await listed(`${manyRows}/records?age=eq.99&limit=1000`)).length).toBe(111)
  })

  test('are those of the list that is shown, also while another one is loading', async () => {
    await made('/api/v1/tables', { name: 'boats', columns: [{ name: 'name', type: 'text' }] })
    await made('/api/v1/tables/boats/records', [{ name: 'red one' }, { name: 'red two' }, { name: 'blue one' }])
    const page = await openTable(service, 'boats', { search: '?q=red' })
    await cell(page, -1, -1).click()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const isList = (url: URL) => url.pathname.endsWith('/records') && url.searchParams.get('q') === 'blue'
    await page.route(isList, async (route) => {
      if (route.request().method() === 'GET') await released
      await route.continue()
    })
    const held = page.waitForRequest((request) => isList(new URL(request.url())))
    await page.getByRole('searchbox', { name: 'Search records' }).fill('blue')
    await held
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 records' }).click()
    await page.getByText('2 records deleted.').waitFor()
    expect(await listed('boats/records?select=name')).toEqual([{ name: 'blue one' }])
    release()
    await cell(page, 0, 1).getByText('blue one').waitFor()
  })

  test('are not selected by a range that comes after the selection is cleared or the list has changed', async () => {
    const page = await openTable(service, manyRows)
    const clear = page.getByRole('button', { name: 'Clear selection' })
    const isDrawn = () => page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))))
    /** Selects the rows down to this one. The page before its own is not loaded. */
    const selectTo = async (row: number) => {
      await page.locator('.grid-frame').evaluate((frame, top) => frame.scrollTo({ top }), 34 * (row - 5))
      await cell(page, row, 1)
        .getByText(`Person ${row + 1}`, { exact: true })
        .waitFor()
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const isBetween = (url: URL) => url.pathname.endsWith('/records') && url.searchParams.has('cursor')
      await page.route(isBetween, async (route) => {
        await released
        await route.continue()
      })
      const requested = page.waitForRequest((request) => isBetween(new URL(request.url())))
      await cell(page, row, -1).click({ modifiers: ['Shift'] })
      return { request: await requested, release }
    }
    await cell(page, 0, -1).click()
    const { request, release } = await selectTo(230)
    await clear.click()
    release()
    await (await request.response())!.finished()
    await isDrawn()
    expect(await clear.count()).toBe(0)

    await selectTo(430)
    await page.getByRole('searchbox', { name: 'Search records' }).fill('Person 29')
    await page.getByText('111 records', { exact: true }).waitFor()
    await isDrawn()
    expect([await clear.count(), await page.locator('.grid-notice').textContent()]).toEqual([0, ''])
  })

  test('of a range are selected up to 2,000, and a message says so', async () => {
    const page = await openTable(service, manyRows)
    await cell(page, 0, -1).click()
    await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo({ top: 34 * 2_495 }))
    await cell(page, 2_500, 1).getByText('Person 2501').waitFor()
    await cell(page, 2_500, -1).click({ modifiers: ['Shift'] })
    await page.getByText('2,000 records selected').waitFor()
    await page.getByText('Only the first 2,000 records of the range are selected.').waitFor()
  })

  test('of which there are more than can be restored are changed by filter, and that is said before', async () => {
    const page = await openTable(service, manyRows)
    await cell(page, -1, -1).click()
    await page.getByRole('button', { name: 'Edit…' }).click()
    const edit = page.getByRole('dialog')
    await edit.getByText(/^Undo \(Ctrl\+Z\) does not take this back/).waitFor()
    await edit.getByLabel('Column').selectOption('active')
    await edit.getByLabel('Value').selectOption('no')
    await edit.getByRole('button', { name: /^Update 3,\d+ records$/ }).click()
    await page.getByText(/^3,\d+ records updated\.$/).waitFor()
    expect(await listed(`${manyRows}/records?active=is.true`)).toEqual([])
    expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0)
  })
})

const recordOf = (key: number) => service.recordOf('companies', key)
