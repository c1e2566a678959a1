import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
  await send('', { name: 'firms', columns: [{ name: 'name', type: 'text' }] })
  await send(
    '/firms/records',
    ['Alder & Stone', 'Smith, Jones', 'Twin', 'Twin', 'Öl "AG"'].map((name) => ({ name })),
  )
  await send('', {
    name: 'staff',
    columns: [
      { name: 'who', type: 'text' },
      { name: 'firm', type: 'link', options: { table: 'firms' } },
      { name: 'former', type: 'manyLinks', options: { table: 'firms' } },
    ],
  })
  await send('/staff/records', [{ who: 'Ada' }, { who: 'Bob' }, { who: 'Cleo' }])
})
afterAll(() => service.stop())

const send = async (path: string, body: unknown) => {
  const response = await call(`${service.url}/api/v1/tables${path}`, { token: service.token, body })
  expect(response.status).toBe(201)
}
type Row = { who: string; firm: number | null; former: number[] }
const rows = async () => {
  const response = await call(`${service.url}/api/v1/tables/staff/records?order=id`, { token: service.token })
  return ((await response.json()) as { records: Row[] }).records.map(({ who, firm, former }) => [who, firm, former])
}

/** Pastes at a cell. The columns are id, who, firm and former. */
async function paste(page: Page, row: number, column: number, text: string) {
  await page.evaluate((its) => navigator.clipboard.writeText(its), text)
  await cell(page, row, column).click()
  await page.keyboard.press('Control+v')
}
async function open(): Promise<Page> {
  const page = await openTable(service, 'staff')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  return page
}

describe('links in the clipboard', () => {
  test('are pasted by name, copied as names, and pasted again as the same records', async () => {
    const page = await open()
    await paste(page, 0, 2, 'Alder & Stone\tSmith, Jones\nÖl "AG"\tAlder & Stone, Öl "AG"')
    await becomes(rows, [
      ['Ada', 1, [2]],
      ['Bob', 5, [1, 5]],
      ['Cleo', null, []],
    ])
    await cell(page, 1, 2).click()
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Control+c')
    await page.getByText('2 cells copied.').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('"Öl ""AG"""\t"Alder & Stone, Öl ""AG"""')
    await cell(page, 2, 2).click()
    await page.keyboard.press('Control+v')
    await becomes(async () => (await rows())[2], ['Cleo', 5, [1, 5]])
  })

  test('of names that no record has create these records, or are left out, as the user chooses', async () => {
    const page = await open()
    await paste(page, 0, 2, 'New & Co\nNobody')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('New & Co, Nobody').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create 2 records and paste' }).click()
    await becomes(
      async () => (await rows()).slice(0, 2),
      [
        ['Ada', 6, [2]],
        ['Bob', 7, [1, 5]],
      ],
    )
    await cell(page, 0, 2).getByText('New & Co').waitFor()
    await paste(page, 0, 3, 'Alder & Stone, Nowhere')
    await dialog.getByRole('button', { name: 'Paste without them' }).click()
    await becomes(async () => (await rows())[0], ['Ada', 6, [1]])
  })

  test('of a name that several records have are refused at the cell, and pasted by key', async () => {
    const page = await open()
    await paste(page, 0, 2, 'Twin')
    await page.getByText('No record, or more than one, has this name.').first().waitFor()
    await paste(page, 1, 2, '4')
    await becomes(async () => (await rows())[1]![1], 4)
    expect((await rows())[0]![1]).toBe(6)
  })

  test('of a number that names several records are refused at the cell, even if it is a key', async () => {
    await send('', { name: 'years', columns: [{ name: 'year', type: 'integer' }] })
    await send('/years/records', [{ year: 2024 }, { year: 2024 }, { year: 2023 }])
    expect((await service.api('/years/records/2024', { year: 1999 }, 'PUT')).status).toBe(201)
    expect((await service.api('/years', { displayColumn: 'year' }, 'PATCH')).status).toBe(200)
    await send('', {
      name: 'wines',
      columns: [
        { name: 'label', type: 'text' },
        { name: 'harvest', type: 'link', options: { table: 'years' } },
        { name: 'blend', type: 'manyLinks', options: { table: 'years' } },
      ],
    })
    await send('/wines/records', [{ label: 'red' }, { label: 'white' }])
    const page = await openTable(service, 'wines')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await paste(page, 0, 2, '2024\t2023, 2024\n2023\t2023, 1999')
    await becomes(async () => (await service.recordOf('wines', 2)).blend, [3, 2024])
    for (const column of [2, 3]) await cell(page, 0, column).and(page.locator('[aria-invalid="true"]')).waitFor()
    expect(await service.recordOf('wines', 1)).toMatchObject({ harvest: null, blend: [] })
    expect(await service.recordOf('wines', 2)).toMatchObject({ harvest: 3 })
  })

  test('of a name that several records have are refused at the cell, also if keys are texts', async () => {
    await send('', { name: 'pilots', primaryKey: { name: 'code', type: 'text' }, columns: [{ name: 'name', type: 'text' }] })
    await send('/pilots/records', [
      { code: 'A', name: 'Miller' },
      { code: 'B', name: 'Miller' },
      { code: 'C', name: 'Smith' },
    ])
    expect((await service.api('/pilots', { displayColumn: 'name' }, 'PATCH')).status).toBe(200)
    const columns = [
      { name: 'day', type: 'text' },
      { name: 'pilot', type: 'link', options: { table: 'pilots' } },
    ]
    await send('', { name: 'flights', columns })
    await send('/flights/records', [{ day: 'Monday' }, { day: 'Tuesday' }, { day: 'Sunday' }])
    const page = await openTable(service, 'flights')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await paste(page, 0, 2, 'Miller\nSmith\nA')
    await becomes(async () => (await service.recordOf('flights', 3)).pilot, 'A')
    await cell(page, 0, 2).and(page.locator('[aria-invalid="true"]')).waitFor()
    expect([(await service.recordOf('flights', 1)).pilot, (await service.recordOf('flights', 2)).pilot]).toEqual([null, 'C'])
  })

  test('of names that cannot be looked up are not pasted, and their records are not missing', async () => {
    const page = await open()
    const before = await rows()
    await page.route(/Alder/, (route) => route.fulfill({ status: 500, json: { code: 'internal', message: 'Out of order.' } }))
    await paste(page, 0, 2, 'Alder & Stone\nÖl "AG"')
    await page.getByText('An internal error occurred.').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await rows()).toEqual(before)
  })

  test('of numbers are found beside a word, of which no record is created', async () => {
    await send('', { name: 'rooms', columns: [{ name: 'number', type: 'integer' }] })
    await send('/rooms/records', [{ number: 101 }, { number: 102 }])
    const patch = { displayColumn: 'number' }
    const named = await call(`${service.url}/api/v1/tables/rooms`, { token: service.token, method: 'PATCH', body: patch })
    expect(named.status).toBe(200)
    const columns = [
      { name: 'guest', type: 'text' },
      { name: 'room', type: 'link', options: { table: 'rooms' } },
    ]
    await send('', { name: 'stays', columns })
    await send('/stays/records', [{ guest: 'Ada' }, { guest: 'Bob' }])
    const page = await openTable(service, 'stays')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await paste(page, 0, 2, '102\nlobby')
    await becomes(async () => (await service.recordOf('stays', 1)).room, 2)
    await cell(page, 1, 2).and(page.locator('[aria-invalid="true"]')).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect((await service.recordOf('stays', 2)).room).toBeNull()
  })

  test('of numbers are found however these are written, even if they are keys of other records', async () => {
    await send('', { name: 'sizes', columns: [{ name: 'width', type: 'decimal', options: { precision: 6, scale: 2 } }] })
    await send(
      '/sizes/records',
      [2, 5, 7, 8, 12.5].map((width) => ({ width })),
    )
    expect((await service.api('/sizes', { displayColumn: 'width' }, 'PATCH')).status).toBe(200)
    const columns = [
      { name: 'label', type: 'text' },
      { name: 'size', type: 'link', options: { table: 'sizes' } },
    ]
    await send('', { name: 'bolts', columns })
    await send('/bolts/records', [{ label: 'a' }, { label: 'b' }, { label: 'c' }, { label: 'd' }])
    const page = await openTable(service, 'bolts')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await paste(page, 0, 2, '5\n007\n12.5\n8.00')
    const sizeOf = async (key: number) => (await service.recordOf('bolts', key)).size
    await becomes(() => Promise.all([1, 2, 3, 4].map(sizeOf)), [2, 3, 5, 4])
  })

  test('of a name are found, however many records have another name', async () => {
    await send('', { name: 'towns', columns: [{ name: 'name', type: 'text' }] })
    await send(
      '/towns/records',
      Array.from({ length: 1001 }, (_, at) => ({ name: at < 1000 ? 'Neustadt' : 'Ulm' })),
    )
    await send('', {
      name: 'trips',
      columns: [
        { name: 'who', type: 'text' },
        { name: 'town', type: 'link', options: { table: 'towns' } },
      ],
    })
    await send('/trips/records', [{ who: 'Ada' }, { who: 'Bob' }])
    const page = await openTable(service, 'trips')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await paste(page, 0, 2, 'Ulm\nNeustadt')
    // The name of many records is refused at its cell, and the other one is not taken for missing.
    await cell(page, 1, 2).and(page.locator('[aria-invalid="true"]')).click()
    await page.getByText('No record, or more than one, has this name.').first().waitFor()
    await becomes(async () => (await service.recordOf('trips', 1)).town, 1001)
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('from a column of another table are the records of the same name', async () => {
    await send('', { name: 'visits', columns: [{ name: 'guest', type: 'link', options: { table: 'companies' } }] })
    const companies = await call(`${service.url}/api/v1/tables/companies/records?order=id&offset=1&limit=1`, { token: service.token })
    const [company] = ((await companies.json()) as { records: { id: number; name: string }[] }).records
    await send('/visits/records', [{ guest: company!.id }])
    const firm = await call(`${service.url}/api/v1/tables/firms/records`, { token: service.token, body: { name: company!.name } })
    const { id } = (await firm.json()) as { id: number }
    const page = await open()
    await page.goto(`${service.url}/tables/visits`)
    await page.getByRole('gridcell', { name: company!.name }).click()
    await page.keyboard.press('Control+c')
    await page.getByText('1 cell copied.').waitFor()
    await page.goto(`${service.url}/tables/staff`)
    await page.locator('[role="grid"][aria-busy="false"]').waitFor()
    await cell(page, 2, 2).click()
    await page.keyboard.press('Control+v')
    await becomes(async () => (await rows())[2]![1], id)
  })
})

describe('users in the clipboard', () => {
  const ids = new Map<string, string>()
  const doers = async () => {
    const response = await call(`${service.url}/api/v1/tables/tasks/records?order=id`, { token: service.token })
    const { records } = (await response.json()) as { records: { what: string; doer: string | null }[] }
    return records.map(({ what, doer }) => [what, doer && (ids.get(doer) ?? doer)])
  }

  beforeAll(async () => {
    for (const [name, email] of [
      ['Grace Hopper', 'grace@example.org'],
      ['Bob Ross', 'bob@example.org'],
      ['Twin', 'twin@example.org'],
      ['Twin', 'other@example.org'],
    ]) {
      const body = { email, name, role: 'editor', password: 'a quiet little harbour' }
      const response = await call(`${service.url}/api/v1/users`, { token: service.token, body })
      ids.set(((await response.json()) as { user: { id: string } }).user.id, email!)
    }
    await send('', {
      name: 'tasks',
      columns: [
        { name: 'what', type: 'text' },
        { name: 'doer', type: 'user' },
      ],
    })
    await send(
      '/tasks/records',
      ['wash', 'dry', 'fold', 'iron'].map((what) => ({ what })),
    )
  })

  test('are pasted by name or e-mail address, and what names no single user is refused at its cell', async () => {
    const page = await openTable(service, 'tasks')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await paste(page, 0, 2, 'Grace Hopper\nNobody\nTwin\nBOB@example.org')
    await page.getByText('2 of 4 values could not be read and are not saved. Correct the marked cells. 2 cells updated.').waitFor()
    const saved = [
      ['wash', 'grace@example.org'],
      ['dry', null],
      ['fold', null],
      ['iron', 'bob@example.org'],
    ]
    await becomes(doers, saved)
    for (const [row, text] of [
      [1, 'Nobody'],
      [2, 'Twin'],
    ] as const)
      await cell(page, row, 2).getByText(text).waitFor()
    expect(await cell(page, 1, 2).getAttribute('aria-description')).toBe('No user, or more than one, has this name.')
    const [grace] = [...ids.keys()]
    await paste(page, 1, 2, grace!.toUpperCase())
    await becomes(async () => (await doers())[1], ['dry', 'grace@example.org'])
  })

  test('are found by id and e-mail address before a name, which its user chooses', async () => {
    const page = await openTable(service, 'tasks')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const [grace, bob, twin, other] = [...ids.keys()] as [string, string, string, string]
    const names = new Map([
      [twin, 'bob@example.org'],
      [other, grace],
    ])
    await page.route('**/users/names', async (route) => {
      const { users } = (await (await route.fetch()).json()) as { users: { id: string; name: string }[] }
      await route.fulfill({ json: { users: users.map((user) => ({ ...user, name: names.get(user.id) ?? user.name })) } })
    })
    await paste(page, 2, 2, `bob@example.org\n${grace}`)
    await becomes(
      async () => (await doers()).slice(2, 4),
      [
        ['fold', ids.get(bob)],
        ['iron', ids.get(grace)],
      ],
    )
  })

  test('are named by an editor: an e-mail address is refused with the reason, and nothing is asked about it', async () => {
    const page = await openTable(service, 'tasks', { as: { email: 'grace@example.org', password: 'a quiet little harbour' } })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await paste(page, 0, 2, 'bob@example.org')
    const refusal = 'Enter the name of the user. Only administrators can enter an e-mail address.'
    await becomes(() => cell(page, 0, 2).getAttribute('aria-description'), refusal)
    expect(asked).toContain('/api/v1/users/names')
    expect(asked).not.toContain('/api/v1/users')
  })

  test('are not marked as unknown where the service cannot say who they are', async () => {
    const page = await openTable(service, 'tasks')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.route('**/api/v1/users', (route) => route.fulfill({ status: 500, json: { code: 'internal', message: 'Out of order.' } }))
    await paste(page, 0, 2, 'bob@example.org')
    await page.getByText('An internal error occurred.').waitFor()
    expect(await cell(page, 0, 2).getAttribute('aria-description')).toBeNull()
  })

  test('that name nobody keep new records waiting, and a blank text empties a cell', async () => {
    const page = await openTable(service, 'tasks')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await paste(page, 3, 1, 'press\t\nstack\tNobody')
    await page.getByText('The new record is created when it is correct.').waitFor()
    await becomes(async () => (await doers()).slice(3), [['press', null]])
    await cell(page, 4, 2).getByText('Nobody').waitFor()
  })
})
