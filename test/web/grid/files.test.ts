import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, cell, openTable } from '../../support/grid-page'

const viewer = { email: 'alan@example.org', name: 'Alan Turing', password: 'another good horse' }

let service: GridService
beforeAll(async () => {
  service = await startGrid(0)
  await api('/users', { ...viewer, role: 'viewer' })
})
afterAll(() => service.stop())

const api = (path: string, body?: object) => call(`${service.url}/api/v1${path}`, { token: service.token, body })

/** A table with the columns id, name, and those for files, and with two records. */
async function makeTable(name: string, files: (string | { name: string; options: object })[]) {
  const columns = files.map((each) => ({ type: 'attachment', ...(typeof each === 'string' ? { name: each } : each) }))
  await api('/tables', { name, columns: [{ name: 'name', type: 'text' }, ...columns] })
  await api(`/tables/${name}/records`, [{ name: 'Boathouse' }, { name: 'Mill' }] as object)
}

const filesOf = async (table: string, key: number, column: string) =>
  ((await service.recordOf(table, key))[column] as { name: string }[]).map(({ name }) => name)

const upload = (table: string, key: number, column: string, name: string, bytes: string | Uint8Array<ArrayBuffer>) =>
  fetch(`${service.url}/api/v1/tables/${table}/records/${key}/attachments/${column}?name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/octet-stream' },
    body: bytes,
  })

/** Drags files over an element and drops them. @returns whether the page kept the browser from opening them */
const bring = (page: Page, selector: string, kind: 'dragover' | 'drop' | 'paste', names: string[], text = '') =>
  page.evaluate(
    ([place, event, files, copied]) => {
      const data = new DataTransfer()
      for (const name of files) data.items.add(new File([`in ${name}`], name, { type: 'text/plain' }))
      if (copied) data.setData('text/plain', copied)
      const options = { bubbles: true, cancelable: true }
      const sent =
        event === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, ...options })
          : new DragEvent(event, { dataTransfer: data, ...options })
      return !document.querySelector(place)!.dispatchEvent(sent)
    },
    [selector, kind, names, text] as const,
  )
/** One red pixel. */
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC', 'base64')

const at = (row: number, column: number) => `[data-row="${row}"][data-column="${column}"]`
const marked = (page: Page) => page.locator('.is-drop-target')

describe('files that are dropped on the grid', () => {
  test('are uploaded to the cell, which is marked before, shows the progress and then the files', async () => {
    await makeTable('plans', ['files', 'papers'])
    const page = await openTable(service, 'plans')
    const released = Promise.withResolvers<void>()
    await page.route('**/attachments/**', async (route) => {
      await released.promise
      await route.continue()
    })
    expect(await bring(page, at(0, 2), 'dragover', ['one.txt'])).toBe(true)
    await becomes(() => marked(page).getAttribute('data-column'), '2')
    expect(await bring(page, at(0, 3), 'dragover', ['one.txt'])).toBe(true)
    await becomes(() => marked(page).getAttribute('data-column'), '3')
    await bring(page, at(0, 3), 'drop', ['one.txt', 'two.txt'])
    await page.getByRole('progressbar', { name: 'Uploading one.txt, two.txt' }).waitFor()
    await page.getByText('Uploading 2 files to “papers”.').waitFor()
    expect(await marked(page).count()).toBe(0)
    await expectAccessible(page)
    released.resolve()
    for (const name of ['one.txt', 'two.txt']) await cell(page, 0, 3).getByText(name).waitFor()
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    expect(await filesOf('plans', 1, 'papers')).toEqual(['one.txt', 'two.txt'])
    // The files have made a new version of the record, which is no conflict.
    await cell(page, 0, 1).click()
    await page.keyboard.type('Pier')
    await page.keyboard.press('Enter')
    await becomes(async () => (await service.recordOf('plans', 1)).name, 'Pier')
  })

  test('go to the only column that takes files, and to none if there are several', async () => {
    await makeTable('sketches', ['files'])
    const page = await openTable(service, 'sketches')
    await bring(page, at(1, 1), 'dragover', ['side.txt'])
    await becomes(() => marked(page).evaluateAll((all) => all.map((each) => each.getAttribute('data-column'))), ['2'])
    await bring(page, at(1, 1), 'drop', ['side.txt'])
    await cell(page, 1, 2).getByText('side.txt').waitFor()

    const several = await openTable(service, 'plans')
    const before = several.url()
    // The row to type into is no record yet, and nothing takes files outside the grid.
    for (const place of [at(1, 1), at(-1, 1), at(2, 2), '.grid-frame', 'h1'])
      for (const kind of ['dragover', 'drop'] as const)
        expect([place, kind, await bring(several, place, kind, ['lost.txt'])]).toEqual([place, kind, true])
    expect(await marked(several).count()).toBe(0)
    expect(several.url()).toBe(before)
    expect(await several.getByRole('progressbar').count()).toBe(0)
    // A text that is dragged is none of these.
    expect(await bring(several, at(0, 2), 'dragover', [], 'Boathouse')).toBe(false)
  })

  test('show in the cell why they were refused, and are sent again or dismissed', async () => {
    await makeTable('pictures', [{ name: 'picture', options: { accept: ['image/*'] } }])
    const page = await openTable(service, 'pictures', { scheme: 'dark' })
    await bring(page, at(0, 2), 'drop', ['notes.txt'])
    const failure = cell(page, 0, 2).locator('.grid-upload-failure')
    await failure.waitFor()
    expect(await failure.getAttribute('title')).toContain('notes.txt: ')
    await page.getByRole('status').getByText('notes.txt').waitFor()
    await expectAccessible(page)
    // An open record shows the same uploads.
    await cell(page, 0, 1).click()
    await page.keyboard.press('Space')
    const panel = page.getByRole('complementary', { name: 'Open record' })
    await panel.getByText('notes.txt').first().waitFor()
    await panel.getByRole('button', { name: 'Close', exact: true }).click()
    await cell(page, 0, 2).getByRole('button', { name: 'Dismiss: notes.txt' }).click()
    await failure.waitFor({ state: 'detached' })
    await becomes(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset.column), '2')
    expect(await filesOf('pictures', 1, 'picture')).toEqual([])

    const other = await openTable(service, 'plans')
    await other.route('**/attachments/**', (route) => route.fulfill({ status: 413, body: '' }))
    await bring(other, at(1, 2), 'drop', ['drawing.txt'])
    await cell(other, 1, 2).locator('.grid-upload-failure').waitFor()
    await other.locator('.grid-notice.is-failure').waitFor()
    await other.unroute('**/attachments/**')
    await cell(other, 1, 2).getByRole('button', { name: 'Retry: drawing.txt' }).click()
    await cell(other, 1, 2).locator('.grid-chip').getByText('drawing.txt').waitFor()
    await other.locator('.grid-uploads').waitFor({ state: 'detached' })
    expect(await other.locator('.grid-notice').textContent()).toBe('')
    expect(await filesOf('plans', 2, 'files')).toEqual(['drawing.txt'])
  })

  test('are stored once, if the answer to the first attempt was lost', async () => {
    await makeTable('letters', ['files'])
    const page = await openTable(service, 'letters')
    await page.evaluate(() => {
      const { send } = XMLHttpRequest.prototype
      XMLHttpRequest.prototype.send = function (body) {
        XMLHttpRequest.prototype.send = send
        this.onload = this.onerror
        send.call(this, body)
      }
    })
    await bring(page, at(0, 2), 'drop', ['letter.txt'])
    await cell(page, 0, 2).locator('.grid-upload-failure').waitFor()
    expect(await filesOf('letters', 1, 'files')).toEqual(['letter.txt'])
    await cell(page, 0, 2).getByRole('button', { name: 'Retry: letter.txt' }).click()
    await cell(page, 0, 2).locator('.grid-chip').getByText('letter.txt').waitFor()
    await page.locator('.grid-uploads').waitFor({ state: 'detached' })
    expect(await filesOf('letters', 1, 'files')).toEqual(['letter.txt'])
  })

  test('are not taken from those who may not change the records', async () => {
    const page = await openTable(service, 'sketches', { as: viewer })
    for (const kind of ['dragover', 'drop'] as const) expect(await bring(page, at(0, 2), kind, ['mine.txt'])).toBe(true)
    expect(await marked(page).count()).toBe(0)
    await cell(page, 0, 2).click()
    await bring(page, at(0, 2), 'paste', ['mine.txt'])
    await page.getByText('You can view these records but not change them.').waitFor()
    expect(await filesOf('sketches', 1, 'files')).toEqual([])
  })
})

describe('files in the grid', () => {
  test('are pasted into the active cell, while a text is pasted as text', async () => {
    await makeTable('pasted', ['files'])
    const page = await openTable(service, 'pasted')
    await cell(page, 0, 1).click()
    await bring(page, at(0, 1), 'paste', ['ignored.png'])
    await bring(page, at(0, 1), 'paste', ['ignored.png'], 'Lighthouse')
    await cell(page, 0, 1).getByText('Lighthouse').waitFor()
    await cell(page, 0, 2).click()
    await bring(page, at(0, 2), 'paste', ['image.txt'])
    await page.getByText('Uploading 1 file to “files”.').waitFor()
    await cell(page, 0, 2).getByText('image.txt').waitFor()
    await cell(page, 2, 2).click()
    await bring(page, at(2, 2), 'paste', ['early.txt'])
    await page.getByText('Add files after the record is saved.').waitFor()
    expect(await filesOf('pasted', 1, 'files')).toEqual(['image.txt'])
    expect(await filesOf('pasted', 2, 'files')).toEqual([])
  })

  test.each(['desktop', 'phone'] as const)('are viewed one after the other by mouse and keys (%s)', async (size) => {
    const table = `views_${size}`
    await makeTable(table, ['files'])
    await upload(table, 1, 'files', 'red.png', png)
    await upload(table, 1, 'files', 'notes.txt', 'To the pier')
    await upload(table, 1, 'files', 'data.bin', new Uint8Array([1, 0, 2]))
    const page = await openTable(service, table, { size, as: viewer })
    const viewed = page.getByRole('dialog')
    const isBack = () => becomes(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset.column), '2')
    const close = async () => {
      await page.keyboard.press('Escape')
      await viewed.waitFor({ state: 'detached' })
      await isBack()
    }
    await cell(page, 0, 1).click()
    await page.keyboard.press('End')
    const chip = cell(page, 0, 2).getByText('notes.txt')
    await cell(page, 0, 1).click()
    // The first click selects the cell.
    await chip.click()
    expect(await viewed.count()).toBe(0)
    await chip.click()
    await viewed.getByText('2 of 3').waitFor()
    await viewed.getByText('To the pier').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('ArrowLeft')
    await viewed.getByRole('img', { name: 'red.png' }).waitFor()
    await viewed.getByRole('button', { name: 'Previous file' }).click()
    await viewed.getByRole('link', { name: 'Open data.bin' }).waitFor()
    await expectAccessible(page)
    await close()
    await page.keyboard.press('Enter')
    await viewed.getByText('1 of 3').waitFor()
    await close()
    await cell(page, 0, 1).click()
    await chip.dblclick()
    await viewed.getByText('2 of 3').waitFor()
    await close()
    // A cell without files opens its record for those who may add some.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('You can view these records but not change them.').waitFor()
    expect(await viewed.count()).toBe(0)
  })
})
