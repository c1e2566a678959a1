import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, visit } from '../../support/browser'
import { call } from '../../support/executable'
import { lockedPdf, makePdf } from '../../support/pdf'
import { shippedPlugins } from '../../support/plugins'
import { startUi, takeSession } from '../../support/ui'

const service = await startUi({ ROWHOUSE_PLUGINS_DIR: shippedPlugins() })
afterAll(() => service.stop())

const filesOf = async (pk: number) => {
  const answer = await call(`${service.url}/api/v1/tables/projects/records/${pk}`, { token: service.token })
  return ((await answer.json()) as { files: { name: string }[] }).files.map(({ name }) => name)
}

async function open(pk: number): Promise<Page> {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/projects/records/${pk}`)
  await page.getByRole('button', { name: 'Add files' }).waitFor()
  return page
}

/** A picture of the page itself. */
const picture = async (page: Page, name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(await page.screenshot()) })

describe('files', () => {
  test('are chosen, looked at by keyboard, and removed', async () => {
    const page = await open(1)
    await page.locator('input[type=file]').setInputFiles([await picture(page, 'one.png'), await picture(page, 'two.png')])
    await page.getByRole('button', { name: 'View two.png' }).waitFor()
    expect(await filesOf(1)).toEqual(['one.png', 'two.png'])
    await page.waitForFunction(() => [...document.querySelectorAll<HTMLImageElement>('.tile img')].every((image) => image.naturalWidth > 0))
    await page.getByRole('button', { name: 'View one.png' }).click()
    await page.getByText('1 of 2').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('ArrowRight')
    await page.getByRole('img', { name: 'two.png' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'View one.png' }).and(page.locator(':focus')).waitFor()
    await page.getByLabel('title').fill('Not to be saved yet')
    await page.getByRole('button', { name: 'Remove one.png' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'View one.png' }).waitFor({ state: 'detached' })
    expect(await filesOf(1)).toEqual(['two.png'])
    await page.getByText('1 unsaved change').waitFor()
  })

  test('are dropped and pasted, while what was typed stays', async () => {
    const page = await open(2)
    await page.getByLabel('title').fill('Boathouse')
    const bring = (kind: 'drop' | 'paste', name: string) =>
      page.evaluate(
        ([what, file]) => {
          const data = new DataTransfer()
          data.items.add(new File(['hello'], file!, { type: 'text/plain' }))
          const place = document.querySelector('.files')!
          if (what === 'paste') document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
          else place.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
        },
        [kind, name],
      )
    await bring('drop', 'dropped.txt')
    await page.getByRole('button', { name: 'View dropped.txt' }).waitFor()
    await bring('paste', 'pasted.txt')
    await page.getByRole('button', { name: 'View pasted.txt' }).waitFor()
    expect(await page.getByLabel('title').inputValue()).toBe('Boathouse')
    // The picture that a spreadsheet adds to the text of its cells is not added, and the field gets the text.
    const isLeftToField = (text: string) =>
      page.getByLabel('title').evaluate((field, copied) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', copied)
        clipboardData.items.add(new File(['hello'], 'plan.txt', { type: 'text/plain' }))
        return field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      }, text)
    expect(await isLeftToField('Boathouse\t12')).toBe(true)
    // A file that is copied on macOS brings its name along.
    expect(await isLeftToField('plan.txt')).toBe(false)
    await page.getByRole('button', { name: 'View plan.txt' }).waitFor()
    // The files have made new versions of the record; that is no conflict.
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('All changes saved.').waitFor()
    expect(await filesOf(2)).toEqual(['dropped.txt', 'pasted.txt', 'plan.txt'])
    await page.getByRole('button', { name: 'View pasted.txt' }).click()
    await page.getByRole('dialog', { name: 'pasted.txt' }).getByText('hello').waitFor()
    await expectAccessible(page)
  })

  test('that are PDFs are looked at page by page, and the reason is shown where that is not possible', async () => {
    const page = await open(5)
    const pdf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/pdf', buffer })
    await page
      .locator('input[type=file]')
      .setInputFiles([pdf('plan.pdf', makePdf({ pages: 3, size: [300, 900] })), pdf('secret.pdf', lockedPdf())])
    await page.getByRole('button', { name: 'View secret.pdf' }).waitFor()
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('.tile img')!.naturalWidth > 0)
    await page.getByRole('button', { name: 'View plan.pdf' }).click()
    await page.getByRole('img', { name: 'plan.pdf: Page 1 of 3' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByRole('img', { name: 'plan.pdf: Page 2 of 3' }).waitFor()
    for (let time = 0; time < 3; time++) await page.keyboard.press('PageDown')
    await page.getByRole('img', { name: 'plan.pdf: Page 3 of 3' }).waitFor()
    await page.keyboard.press('Control+PageUp')
    await page.keyboard.press('PageUp')
    await page.getByRole('img', { name: 'plan.pdf: Page 2 of 3' }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('alert').getByText('The PDF is protected by a password.').waitFor()
    await page.getByRole('link', { name: 'Open secret.pdf' }).waitFor()
    await expectAccessible(page)
  })

  test('that are PDFs stay open when a page fails, and only the page is requested at which the user stops', async () => {
    const page = await open(6)
    const buffer = makePdf({ pages: 9 })
    await page.locator('input[type=file]').setInputFiles([{ name: 'plan.pdf', mimeType: 'application/pdf', buffer }])
    await page.getByRole('button', { name: 'View plan.pdf' }).click()
    await page.getByRole('img', { name: 'plan.pdf: Page 1 of 9' }).waitFor()
    const requested: string[] = []
    let isBroken = true
    await page.route(/size=large/, (route) => {
      requested.push(new URL(route.request().url()).searchParams.get('page')!)
      return isBroken ? route.fulfill({ status: 404, json: { code: 'not_found', message: 'The PDF is damaged.' } }) : route.continue()
    })
    await page.getByRole('button', { name: 'Next page' }).focus()
    await page.evaluate(() => {
      for (let time = 0; time < 6; time++) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true }))
    })
    await page.getByRole('alert').getByText('The PDF is damaged.').waitFor()
    expect(requested).toEqual(['7'])
    await page.getByRole('button', { name: 'Next page' }).and(page.locator(':focus')).waitFor()
    await page.getByText('Page 7 of 9').waitFor()
    await expectAccessible(page)
    isBroken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('img', { name: 'plan.pdf: Page 7 of 9' }).waitFor()
  })

  test('show how far they are, and can be stopped on the way', async () => {
    const page = await open(3)
    const session = await page.context().newCDPSession(page)
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 200_000,
    })
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(4_000_000, 7) }])
    const progress = page.getByRole('progressbar', { name: 'Uploading large.bin' })
    await progress.waitFor()
    await page.waitForFunction(() => (document.querySelector('progress')?.value ?? 0) > 0)
    await page.getByRole('button', { name: 'Cancel upload of large.bin' }).click()
    await progress.waitFor({ state: 'detached' })
    expect(await filesOf(3)).toEqual([])
  })

  test('are made from a template and attached', async () => {
    const page = await open(4)
    await page.getByRole('button', { name: 'Record menu' }).click()
    await page.getByRole('menuitem', { name: 'Create document' }).click()
    await page.getByLabel('Template').selectOption('Sheet of labels')
    expect(await page.getByLabel('records').inputValue()).toBe('4')
    await page.getByLabel('columns').fill('title')
    await page.getByLabel('Format').selectOption({ label: 'Text' })
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create and attach' }).click()
    await page.getByRole('button', { name: /^View projects .*\.txt$/ }).waitFor()
    expect(await filesOf(4)).toEqual([expect.stringMatching(/^projects .+\.txt$/)])
  })

  test('are shown from the menu of a record, with the record filled in', async () => {
    const page = await open(4)
    await page.getByRole('button', { name: 'Record menu' }).click()
    await page.getByRole('menuitem', { name: 'Sheet of labels' }).click()
    await page.getByRole('heading', { name: 'Sheet of labels', level: 1 }).waitFor()
    expect(await page.getByRole('textbox', { name: 'records' }).inputValue()).toBe('4')
    expect(await page.getByRole('combobox', { name: 'Table', exact: true }).first().locator('option:checked').textContent()).toBe(
      'projects',
    )
    await page.goBack()
    await page.getByRole('button', { name: 'Record menu' }).waitFor()
  })
})
