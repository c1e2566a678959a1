import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, savedText, visit } from '../../support/browser'
import { call, newFolder } from '../../support/executable'
import { chooseAction } from '../../support/table-menu'
import { startUi, takeSession } from '../../support/ui'
import { makeWorkbook, rowOf } from '../../support/workbooks'

const service = await startUi()
afterAll(() => service.stop())
const api = (path: string, body?: unknown) => call(`${service.url}/api/v1${path}`, { token: service.token, body })

async function at(path: string, size: 'desktop' | 'phone' = 'desktop'): Promise<Page> {
  const { page } = await visit({ size })
  await takeSession(page, service.url)
  await page.goto(service.url + path)
  return page
}

const choose = (page: Page, text: string | Buffer, name = 'sales.csv') =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

const records = async (table: string) => (await (await api(`/tables/${table}/records?order=id`)).json()).records

describe('a table from a file', () => {
  test('shows what was found, takes other names and types, leaves columns out, and is made', async () => {
    const page = await at('/tables/import')
    await choose(page, Buffer.from('Kunde;Summe;Müll\nGr\xe4fin;007;x\nAlan;12;y\n', 'latin1'))
    await page.getByRole('cell', { name: 'Gräfin' }).waitFor()
    expect(await page.getByLabel('Delimiter').inputValue()).toBe(';')
    expect(await page.getByLabel('Encoding').inputValue()).toBe('windows-1252')
    await expectAccessible(page)
    await page.getByLabel('Name of Kunde').fill('customer')
    await page.getByLabel('Type of Summe').selectOption({ label: 'Whole number' })
    await page.getByLabel('Müll', { exact: true }).uncheck()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'sales', level: 1 }).waitFor()
    expect(await records('sales')).toEqual([
      { id: 1, customer: 'Gräfin', Summe: 7 },
      { id: 2, customer: 'Alan', Summe: 12 },
    ])
  })

  test('is made of the sheet of a workbook that is chosen, and problems name its cells', async () => {
    const page = await at('/tables/import', 'phone')
    const sheets = {
      Notes: rowOf(1, 'x'),
      Stock: rowOf(1, 'Our stock') + rowOf(3, 'thing', 'pieces') + rowOf(4, 'bolt', 12) + rowOf(7, 'nut', 'few'),
    }
    await choose(page, makeWorkbook({ sheets }), 'Warehouse.xlsx')
    await page.getByLabel('Sheet').selectOption('Stock')
    await page.getByRole('columnheader', { name: 'Our stock' }).waitFor()
    await page.getByLabel('First row').fill('3')
    await page.getByRole('cell', { name: 'bolt' }).waitFor()
    await page.getByLabel('Type of pieces').selectOption('integer')
    await expectAccessible(page)
    await expectNoSideways(page)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('rowheader', { name: 'B7' }).waitFor()
    await page.getByRole('button', { name: 'Leave 1 cell empty' }).click()
    await page.getByRole('heading', { name: 'Warehouse', level: 1 }).waitFor()
    expect(await records('Warehouse')).toMatchObject([
      { thing: 'bolt', pieces: 12 },
      { thing: 'nut', pieces: null },
    ])
  })

  test('of an export loses the apostrophes before its formulas, unless the user keeps them', async () => {
    const page = await at('/tables/import')
    await choose(page, "what,n\n'=1+1,1\n'-a,2\n", 'escaped.csv')
    await page.getByLabel('Remove the apostrophes').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'escaped', level: 1 }).waitFor()
    expect(await records('escaped')).toMatchObject([{ what: '=1+1' }, { what: '-a' }])
    await page.goto(`${service.url}/tables/import`)
    await choose(page, "what,n\n'=1+1,1\n", 'unchanged.csv')
    await page.getByLabel('Remove the apostrophes').uncheck()
    await page.getByLabel('Type of what').waitFor()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'unchanged', level: 1 }).waitFor()
    expect(await records('unchanged')).toMatchObject([{ what: "'=1+1" }])
  })

  test('that is no workbook though it looks like one is refused in a sentence', async () => {
    const page = await at('/tables/import')
    await choose(page, Buffer.from('PK\u0003\u0004 and no more'), 'broken.xlsx')
    await page.getByRole('alert').getByText('damaged').waitFor()
  })

  test('may be dropped', async () => {
    const page = await at('/tables/import')
    await page.locator('.drop').waitFor()
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['title,pages\nEmma,474\n'], 'dropped.csv', { type: 'text/csv' }))
      const target = document.querySelector('.drop')!
      for (const kind of ['dragover', 'drop']) target.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer }))
    })
    await page.getByRole('cell', { name: 'Emma' }).waitFor()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'dropped', level: 1 }).waitFor()
    expect(await records('dropped')).toEqual([{ id: 1, title: 'Emma', pages: 474 }])
  })

  test('that does not fit is refused line by line, and nothing is made', async () => {
    const page = await at('/tables/import', 'phone')
    await choose(page, 'name,pages\nEmma,474\nPersuasion,many\n', 'books.csv')
    await page.getByLabel('Type of pages').selectOption('integer')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('row', { name: /^3 pages .* Persuasion,many$/ }).waitFor()
    await expectAccessible(page)
    await expectNoSideways(page)
    expect((await api('/tables/books')).status).toBe(404)
  })
})

describe('a file of an office', () => {
  test('is read as it writes dates and numbers, and what it leaves open is asked', async () => {
    const page = await at('/tables/import')
    await choose(page, 'Name;Geboren;Betrag;Aktiv\nAda;24.12.1980;1.234,50;ja\nBo;01.02.2005;3,5;nein\n', 'kunden.csv')
    await page.getByLabel('Type of Geboren').waitFor()
    expect(await page.getByLabel('Dates').inputValue()).toBe('dmy')
    expect(await page.getByLabel('Numbers').inputValue()).toBe('comma')
    // The types have the words that they have everywhere else.
    const chosen = page.getByLabel('Type of Betrag').locator('option:checked')
    expect(await chosen.textContent()).toBe('Decimal number')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'kunden', level: 1 }).waitFor()
    expect(await records('kunden')).toEqual([
      { id: 1, Name: 'Ada', Geboren: '1980-12-24', Betrag: 1234.5, Aktiv: true },
      { id: 2, Name: 'Bo', Geboren: '2005-02-01', Betrag: 3.5, Aktiv: false },
    ])

    await page.goto(`${service.url}/tables/import`)
    await choose(page, 'name,day\nAda,01/02/2026\n', 'open.csv')
    await page.getByText('Dates such as 01/02/2026 can be read in two ways.').waitFor()
    await page.getByLabel('Name of name').fill('who')
    await expectAccessible(page)
    expect(await page.getByRole('button', { name: 'Import', exact: true }).getAttribute('aria-disabled')).toBe('true')
    await page.getByLabel('Dates').selectOption('month/day/year')
    await page.getByLabel('Type of day').locator('option:checked', { hasText: 'Date' }).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'open', level: 1 }).waitFor()
    expect(await records('open')).toEqual([{ id: 1, who: 'Ada', day: '2026-01-02' }])
  })

  test('is imported without what is wrong, when the user says so', async () => {
    await api('/tables', {
      name: 'members',
      columns: [
        { name: 'name', type: 'text', required: true },
        { name: 'born', type: 'date' },
      ],
    })
    const { id } = await (await api('/tables/members')).json()
    const page = await at(`/tables/${id}/import`, 'phone')
    await choose(page, 'name,born\nAda,12/24/1980\nBo,12/25/1980\nCy,13/13/1980\n,12/26/1980\n')
    await page.getByRole('button', { name: 'Check without importing' }).click()
    await page.getByRole('button', { name: 'Leave 1 cell empty' }).waitFor()
    await expectAccessible(page)
    await expectNoSideways(page)
    await page.getByRole('button', { name: 'Skip 2 lines' }).click()
    await page.getByText('2 records would be added').waitFor()
    await page.getByText('2 lines were skipped.').waitFor()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('2 records added').waitFor()
    await page.getByRole('row', { name: /^5 name is required/ }).waitFor()
    await expectAccessible(page)
    expect((await records('members')).map(({ born }: { born: string }) => born)).toEqual(['1980-12-24', '1980-12-25'])
  })
})

describe('a file for a table that is there', () => {
  test('waits its turn while another import of the same user runs', async () => {
    await api('/tables', { name: 'turns', columns: [{ name: 'name', type: 'text' }] })
    const finish = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({
      start: (sent) => sent.enqueue(Buffer.from('name\nAda\n')),
      pull: async (sent) => {
        await finish.promise
        sent.close()
      },
    })
    const first = fetch(`${service.url}/api/v1/tables/turns/import`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'text/csv' },
    })
    const { id } = await (await api('/tables/turns')).json()
    const page = await at(`/tables/${id}`)
    await chooseAction(page, 'Import')
    await choose(page, 'name\nGrace\n')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Queued. The import starts when other imports have finished.').waitFor()
    await expectAccessible(page)
    finish.resolve()
    expect((await first).status).toBe(200)
    await page.getByText('1 record added').waitFor()
    expect(await records('turns')).toHaveLength(2)
  })

  test('is assigned, tried without consequences, and imported', async () => {
    await api('/tables', {
      name: 'people',
      columns: [
        { name: 'name', type: 'text', required: true },
        { name: 'mail', type: 'text', unique: true },
      ],
    })
    const { id } = await (await api('/tables/people')).json()
    await api('/tables/people/records', { name: 'Grace', mail: 'grace@example.org' })
    const page = await at(`/tables/${id}`)
    await chooseAction(page, 'Import')
    await choose(page, 'NAME,E-Mail,Junk\nGrace Hopper,grace@example.org,x\nAlan,alan@example.org,y\n')
    expect(await page.getByLabel('Table column for NAME').inputValue()).toBe('name')
    await page.getByLabel('Table column for E-Mail').selectOption('mail')
    await page.getByRole('button', { name: 'Check without importing' }).click()
    await page.getByRole('row', { name: /^2 mail .*must be unique.* Grace Hopper,grace/ }).waitFor()
    await page.getByLabel('Import mode').selectOption('mail')
    await page.getByRole('button', { name: 'Check without importing' }).click()
    await page.getByText('1 record would be added, 1 record updated.').waitFor()
    expect(await records('people')).toHaveLength(1)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('1 record added, 1 record updated.').waitFor()
    expect(await records('people')).toEqual([
      { id: 1, name: 'Grace Hopper', mail: 'grace@example.org' },
      { id: expect.any(Number), name: 'Alan', mail: 'alan@example.org' },
    ])
  })

  test('names linked records as the user says, and loses the apostrophes of an export', async () => {
    const colours = await (await api('/tables', { name: 'colours', columns: [{ name: 'name', type: 'text' }] })).json()
    const made = await api('/tables', {
      name: 'cars',
      columns: [
        { name: 'name', type: 'text' },
        { name: 'colour', type: 'link', options: { table: colours.id } },
      ],
    })
    const { id } = await made.json()
    await api('/tables/colours/records', [{ name: '2' }, { name: 'blue' }])
    const page = await at(`/tables/${id}/import`, 'phone')
    await choose(page, "name,colour\n'=fast,2\n")
    await page.getByRole('button', { name: 'Check without importing' }).click()
    await page.getByRole('row', { name: /^2 colour .*is the key of one record/ }).waitFor()
    const links = page.getByLabel('Linked records and users')
    await expectAccessible(page)
    await expectNoSideways(page)
    for (const [form, key] of [
      ['By name only', 1],
      ['By key only', 2],
    ] as const) {
      await links.selectOption(form)
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await page.getByText('1 record added').waitFor()
      expect((await records('cars')).at(-1)).toMatchObject({ name: '=fast', colour: key })
    }
    await page.getByLabel('Remove the apostrophes').uncheck()
    await page.getByLabel('Table column for colour').selectOption('(skip)')
    await links.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('1 record added').waitFor()
    expect((await records('cars')).at(-1)).toMatchObject({ name: "'=fast", colour: null })
  })

  test('can be broken off on its way, and leaves nothing behind', async () => {
    const page = await at(`/tables/${service.tables[0]!.id}/import`)
    const before = await records('companies')
    const client = await page.context().newCDPSession(page)
    await choose(page, `name\n${'A company\n'.repeat(600_000)}`)
    await client.send('Network.enable')
    await client.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 300_000 })
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText(/of 6 MB uploaded/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })
    expect(await records('companies')).toEqual(before)
  })
})

describe('the export', () => {
  test('takes the filters and the order of the page’s address, and makes formulas harmless', async () => {
    const { id } = await (
      await api('/tables', {
        name: 'sums',
        columns: [
          { name: 'text', type: 'text' },
          { name: 'n', type: 'integer' },
        ],
      })
    ).json()
    await api(`/tables/${id}/records`, [
      { text: '=1+1', n: 1 },
      { text: 'é', n: 2 },
      { text: 'out', n: 9 },
    ])
    const page = await at(`/tables/${id}?n=lt.9&order=n.desc`)
    await chooseAction(page, 'Export')
    await page.getByLabel('Format').selectOption('CSV for people')
    await expectAccessible(page)
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    expect(download.suggestedFilename()).toBe('sums.csv')
    expect(await savedText(download)).toBe("\ufefftext,n\né,2\n'=1+1,1\n")
    await page.getByText(/^Export complete: 2 records/).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await chooseAction(page, 'Export')
    await page.getByLabel('Format').selectOption('CSV for programs')
    await page.getByLabel('Escape formulas').uncheck()
    await page.getByLabel('Mark the file as UTF-8').uncheck()
    await page.getByLabel('Delimiter').selectOption('Semicolon  ;')
    const [plain] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    expect(await savedText(plain)).toBe('id;text;n\n2;é;2\n1;=1+1;1\n')
  })

  test('for people has names, and the columns of the view', async () => {
    const { tables } = await (await api('/tables')).json()
    const { id, columns } = tables.find(({ name }: { name: string }) => name === 'contacts')
    const hidden = columns.filter(({ name }: { name: string }) => !['name', 'company', 'phone', 'interests'].includes(name))
    await call(`${service.url}/api/v1/tables/${id}/view`, {
      token: service.token,
      method: 'PUT',
      body: { hidden: hidden.map((one: { id: string }) => one.id) },
    })
    const page = await at(`/tables/${id}?order=id`, 'phone')
    await chooseAction(page, 'Export')
    await page.getByLabel('Format').selectOption('CSV for people')
    await expectAccessible(page)
    await expectNoSideways(page)
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    const [head, first = ''] = (await savedText(download)).split('\n')
    expect(head!.slice(1).split(',').sort()).toEqual(['company', 'interests', 'name', 'phone'])
    expect(first).not.toMatch(/\[|'\+/)
    expect(first).toMatch(/\+\d\d /)
  })

  test('has the name of the view', async () => {
    const { tables } = await (await api('/tables')).json()
    const { id } = tables.find(({ name }: { name: string }) => name === 'sums')
    const view = await (await api(`/tables/${id}/views`, { name: 'Big ones', settings: {} })).json()
    const page = await at(`/tables/${id}?view=${view.id}`)
    await page.getByRole('button', { name: 'Big ones' }).waitFor()
    await chooseAction(page, 'Export')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    expect(download.suggestedFilename()).toBe('sums – Big ones.xlsx')
  })

  test('as a workbook has true numbers, and comes back', async () => {
    const { tables } = await (await api('/tables')).json()
    const { id } = tables.find(({ name }: { name: string }) => name === 'sums')
    const page = await at(`/tables/${id}?n=lt.9&order=n.desc`)
    await chooseAction(page, 'Export')
    await expectAccessible(page)
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    expect(download.suggestedFilename()).toBe('sums.xlsx')
    await page.getByText(/^Export complete: 2 records/).waitFor()
    const path = join(newFolder(), 'again.xlsx')
    await download.saveAs(path)
    await page.goto(`${service.url}/tables/import`)
    await page.locator('input[type=file]').setInputFiles(path)
    await page.getByRole('cell', { name: '=1+1' }).waitFor()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'again', level: 1 }).waitFor()
    expect(await records('again')).toEqual([
      { id: 1, text: 'é', n: 2 },
      { id: 2, text: '=1+1', n: 1 },
    ])
  })

  test('leaves out a condition that the grid has left out', async () => {
    const { id } = service.tables[0]!
    const page = await at(`/tables/${id}?nothing=eq.1`)
    await page.getByRole('button', { name: /not applied/ }).waitFor()
    await chooseAction(page, 'Export')
    await page.getByLabel('Format').selectOption('CSV for people')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    expect((await savedText(download)).split('\n').length).toBeGreaterThan(5)
    await page.getByText(/^Export complete: \d+ records/).waitFor()
  })
})
