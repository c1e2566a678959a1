import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways, savedText, visit } from '../support/browser'
import type { VisitOptions } from '../support/chromium'
import { call, newFolder } from '../support/executable'
import { pluginsWith } from '../support/plugins'
import { until } from '../support/processes'
import { startUi, takeSession } from '../support/ui'

const template = `import { documentTemplate, t } from 'rowhouse/plugin'
export default documentTemplate({
  title: 'Letter',
  public: false,
  params: t.Object({
    contact: t.Integer({ description: 'The contact’s id.' }),
    greeting: t.Union([t.Literal('Dear'), t.Literal('Hello')], { default: 'Dear' }),
    lines: t.Array(t.String(), { minItems: 1 }),
    loud: t.Boolean({ default: false }),
  }),
  for: { table: 'contacts', key: 'contact' },
  allow: () => true,
  load: async ({ records, params }) => ({ ...params, name: (await records('contacts').find(params.contact))?.name }),
  formats: { html: 'letter.liquid', pdf: 'letter.typ', txt: 'letter.liquid' },
})`
const list = `import { documentTemplate, t } from 'rowhouse/plugin'
export default documentTemplate({
  title: 'Letter',
  public: false,
  params: t.Object({ contacts: t.Array(t.Integer()) }),
  for: { table: 'contacts', key: 'contacts' },
  allow: () => true,
  load: async ({ records, params }) => ({ names: await Promise.all(params.contacts.map(async (key) => (await records('contacts').find(key))?.name)) }),
  formats: { txt: 'list.liquid' },
})`
const stamps = list
  .replace("title: 'Letter'", "title: 'Stamps'")
  .replace('t.Integer()', 't.String()')
  .replaceAll('contacts', 'stamps')
  .replace("{ txt: 'list.liquid' }", "{ txt: 'count.liquid', html: 'count.liquid' }")
const card = list
  .replace("title: 'Letter'", "title: 'Card'")
  .replace('t.Array(t.Integer())', 't.Integer()')
  .replaceAll('contacts', 'projects')
const liquid =
  '<style>p { color: green }</style><p>{{ greeting }} {{ name }}{% if loud %}!{% endif %}</p>{% for line in lines %}<p>{{ line }}</p>{% endfor %}<script>parent.document.title = "taken over"</script>'
const typst = '#let data = json("/data.json")\n#data.greeting #data.name #data.lines.join()'
const files = {
  'mail/card/template.ts': card,
  'mail/card/list.liquid': '',
  'mail/list/template.ts': list,
  'mail/list/list.liquid': '{{ names | join: ", " }}',
  'mail/stamps/template.ts': stamps,
  'mail/stamps/count.liquid': '{{ names | size }} stamps',
  'post/letter/template.ts': template,
  'post/letter/letter.liquid': liquid,
  'post/letter/letter.typ': typst,
}
const service = await startUi({ ROWHOUSE_PLUGINS_DIR: pluginsWith(files, `${newFolder()}/plugins`) })
afterAll(() => service.stop())

const api = (path: string, body?: unknown) => call(`${service.url}/api/v1${path}`, { token: service.token, body })

async function atLetter(options: VisitOptions = {}): Promise<Page> {
  const { page, troubles } = await visit(options)
  // That the browser refuses the script of the page that the template makes is what it should do, and it says so.
  page.on('console', (message) => {
    const isRefused = /^Blocked script execution in '.*\/documents\/post\/letter/.test(message.text())
    if (isRefused) troubles.splice(troubles.indexOf(message.text()), 1)
  })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/documents`)
  await page.locator('a[href="/documents/post/letter"]').click()
  await page.getByRole('heading', { name: 'Letter', level: 1 }).waitFor()
  return page
}

const fill = async (page: Page) => {
  await page.getByLabel('contact', { exact: true }).fill('1')
  await page.getByRole('textbox', { name: 'lines' }).fill('How are you?\nYours, Ada')
}
const frame = (page: Page) => page.frameLocator('iframe')

describe('a document', () => {
  test('with characters that no font has names them and their scripts', async () => {
    const page = await atLetter()
    await fill(page)
    await page.getByRole('textbox', { name: 'lines' }).fill('שלום 東京')
    await page.getByLabel('Format').selectOption('PDF')
    await page.getByText('No font has these characters, so they are missing in the document (Hebrew: שלום; Han: 東京).').waitFor()
    await page.getByRole('textbox', { name: 'lines' }).fill('plain')
    await page.getByText('No font has').waitFor({ state: 'detached' })
  })

  test('is shown as it is typed, in a frame where nothing of it can run', async () => {
    const page = await atLetter()
    await page.getByText('Fill in the required fields').waitFor()
    await fill(page)
    await frame(page).getByText('Dear Ingrid Solberg').waitFor()
    await frame(page).getByText('Yours, Ada').waitFor()
    await page.getByLabel('greeting').selectOption('Hello')
    await page.getByLabel('loud').check()
    await frame(page).getByText('Hello Ingrid Solberg!').waitFor()
    expect(await page.title()).toContain('Letter')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    expect(download.suggestedFilename()).toBe('Letter Ingrid Solberg.html')
    expect(await savedText(download)).toContain('Hello Ingrid Solberg!')
    await page.getByLabel('Format').selectOption('Text')
    await page
      .getByRole('region', { name: 'Preview: Letter' })
      .getByText(/Hello Ingrid Solberg/)
      .waitFor()
    await expectAccessible(page)
  })

  test('as a PDF is shown by the browser’s own viewer', async () => {
    const page = await atLetter({ isWhole: true })
    await fill(page)
    await page.getByLabel('Format').selectOption('PDF')
    await page.locator('iframe').waitFor()
    const shown = await page.locator('iframe').getAttribute('src')
    const answer = await page.request.get(service.url + shown)
    expect(answer.headers()['content-type']).toBe('application/pdf')
    expect(answer.headers()['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'self'")
    // The viewer is an extension of the browser, in a frame of its own.
    await until('the viewer is there', () => page.frames().some((frame) => frame.url().startsWith('chrome-extension://')))
    expect(await page.locator('iframe').getAttribute('sandbox')).toBeNull()
  })

  test('that cannot be made says why, at the field', async () => {
    const page = await atLetter({ size: 'phone' })
    await page.getByLabel('contact', { exact: true }).fill('many')
    await page.getByRole('textbox', { name: 'lines' }).fill('x')
    await page
      .getByText(/Expected integer/)
      .first()
      .waitFor()
    await expectNoSideways(page)
    await expectAccessible(page)
  })

  test('is saved to a record', async () => {
    await api('/tables/contacts/columns', { name: 'letters', type: 'attachment' })
    const page = await atLetter()
    await fill(page)
    await page.getByLabel('Table', { exact: true }).selectOption('contacts')
    await page.locator('input[name="name"][value="Letter Ingrid Solberg"]').waitFor()
    expect(await page.getByLabel('Record', { exact: true }).inputValue()).toBe('1')
    await page.getByLabel('Column', { exact: true }).selectOption('letters')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Letter Ingrid Solberg.html saved to record 1 in contacts.').waitFor()
    await page.getByLabel('File name').fill('First letter')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('First letter.html saved to record 1 in contacts.').waitFor()
    const record = await (await api('/tables/contacts/records/1')).json()
    expect(record.letters).toMatchObject([{ name: 'Letter Ingrid Solberg.html' }, { name: 'First letter.html' }])
  })
})

test('a template is reached from the menu of a record, with its key filled in', async () => {
  const { page } = await visit()
  await takeSession(page, service.url)
  const { id } = await (await api('/tables/contacts')).json()
  await page.goto(`${service.url}/tables/${id}/records/2`)
  await page.getByRole('button', { name: 'Record menu' }).click()
  await page.getByRole('menu').getByText('Documents', { exact: true }).waitFor()
  await page.getByRole('menuitem', { name: 'Letter (post)' }).click()
  await page.getByRole('heading', { name: 'Letter', level: 1 }).waitFor()
  expect(await page.getByLabel('contact', { exact: true }).inputValue()).toBe('2')
})

test('a document that is saved to the record whose menu led to it is among its files on the way back', async () => {
  await api('/tables/contacts/columns', { name: 'answers', type: 'attachment' })
  const page = await atLetter()
  const { id } = await (await api('/tables/contacts')).json()
  await page.goto(`${service.url}/tables/${id}/records/5`)
  await page.getByRole('button', { name: 'Record menu' }).click()
  await page.getByRole('menuitem', { name: 'Letter (post)' }).click()
  await page.getByRole('textbox', { name: 'lines' }).fill('Thank you.')
  await page.getByLabel('Table', { exact: true }).selectOption('contacts')
  await page.getByLabel('Column', { exact: true }).selectOption('answers')
  await page.locator('input[name="pk"][value="5"]').waitFor()
  await page.getByLabel('File name').fill('Answer')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Answer.html saved to record 5 in contacts.').waitFor()
  await page.goBack()
  await page.locator('.tile-name').getByText('Answer.html').waitFor()
})

test('without templates of plugins there is one for any record, and the page says which plugins were not loaded', async () => {
  const plugins = pluginsWith({ 'odd/plugin.ts': 'throw new Error("no key")' }, `${newFolder()}/plugins`)
  await using other = await startUi({ ROWHOUSE_PLUGINS_DIR: plugins })
  const { page } = await visit()
  await takeSession(page, other.url)
  await page.goto(`${other.url}/documents`)
  await page.getByText('Run “rowhouse plugins init”').waitFor()
  await page.getByText('no key').waitFor()
  expect(await page.locator('.facts').allTextContents()).toEqual([expect.stringMatching(/^odd\/plugin\.ts:1:\d+$/)])
  const { id } = await (await call(`${other.url}/api/v1/tables/contacts`, { token: other.token })).json()
  await page.goto(`${other.url}/tables/${id}`)
  await page.locator('[data-row="0"][data-column="0"]').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Make document…' }).click()
  await page
    .getByRole('dialog')
    .getByRole('link', { name: /^Record/ })
    .click()
  await page.getByLabel('Format').selectOption('Web page')
  await page.frameLocator('iframe').getByRole('heading', { name: 'Ingrid Solberg' }).waitFor()
})

test('a template in two languages has the titles and the help of the one that is chosen', async () => {
  await using other = await startUi({ ROWHOUSE_PLUGINS_DIR: `${newFolder()}/plugins` })
  const { page } = await visit({ language: 'de-DE' })
  await takeSession(page, other.url)
  await page.goto(`${other.url}/documents`)
  await page.getByRole('link', { name: /^Datensatz/ }).click()
  await page.getByRole('heading', { name: 'Angaben für dieses Dokument' }).waitFor()
  await page.getByText('Füllen Sie die Pflichtfelder aus').waitFor()
  await page.getByLabel('Tabelle', { exact: true }).first().selectOption('contacts')
  await page.getByText('Ihre IDs.').waitFor()
  await page.getByLabel('Datensätze', { exact: true }).fill('1')
  await page.getByLabel('Format').selectOption('Webseite')
  await page.frameLocator('iframe').getByRole('heading', { name: 'Ingrid Solberg' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: /Kontomenü/ }).click()
  await page.getByRole('menuitemradio', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Record', level: 1 }).waitFor()
  await page.getByText('Their ids.').waitFor()
  expect(await page.getByLabel('Records', { exact: true }).inputValue()).toBe('1')
  // The document follows, though the browser is German, and so does the one that is opened.
  await page.frameLocator('iframe').locator('html[lang="en"]').waitFor({ state: 'attached' })
  const opened = await page.getByRole('link', { name: 'Open in a new tab' }).getAttribute('href')
  expect(await (await page.request.get(other.url + opened)).text()).toContain('<html lang="en">')
})

describe('in the grid', () => {
  const openGrid = async (table: string): Promise<Page> => {
    const { page } = await visit()
    await takeSession(page, service.url)
    const { id } = await (await api(`/tables/${table}`)).json()
    await page.goto(`${service.url}/tables/${id}`)
    await page.locator('[role="grid"][aria-busy="false"]').waitFor()
    return page
  }

  test('the templates for a record are offered in its row’s menu, told apart where they have one title', async () => {
    const page = await openGrid('contacts')
    await page.locator('[data-row="1"][data-column="0"]').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Make document…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Make a document of this record' })
    await dialog.getByRole('link', { name: /^Letter \(mail\)/ }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('link', { name: /^Letter \(post\)/ }).click()
    await page.getByRole('heading', { name: 'Letter', level: 1 }).waitFor()
    expect(await page.getByLabel('contact', { exact: true }).inputValue()).toBe('2')
  })

  test('one document is made of several selected records, by a template that takes a list', async () => {
    const page = await openGrid('contacts')
    await page.locator('[data-row="0"][data-column="-1"]').click()
    await page.locator('[data-row="1"][data-column="-1"]').click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Make document of 2 records…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Make a document of 2 records' })
    await dialog.getByRole('link').first().waitFor()
    expect(await dialog.getByRole('link').count()).toBe(1)
    await dialog.getByRole('link', { name: /^Letter/ }).click()
    await page.getByRole('textbox', { name: 'contacts' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'contacts' }).inputValue()).toBe('1\n2')
    const names = (await (await api('/tables/contacts/records?limit=2&order=id')).json()).records.map(({ name }: { name: string }) => name)
    await page.getByText(names.join(', ')).waitFor()
  })

  test('the keys of many records, which no URL can hold, are in the fragment of the page and sent as a form', async () => {
    const columns = [{ name: 'name', type: 'text' }]
    const table = { name: 'stamps', primaryKey: { name: 'id', type: 'uuid' }, columns }
    expect((await api('/tables', table)).status).toBe(201)
    await api(
      '/tables/stamps/records',
      Array.from({ length: 180 }, (_, index) => ({ name: `Stamp ${index}` })),
    )
    const page = await openGrid('stamps')
    await page.locator('[data-row="0"][data-column="-1"]').click()
    await page.keyboard.press('Control+End')
    // A record that has not loaded cannot be selected.
    await page.locator('[data-row="179"]').getByText('Stamp').waitFor()
    await page.locator('[data-row="179"][data-column="-1"]').click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Make document of 180 records…' }).click()
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /^Stamps/ })
      .click()
    await page.getByText('180 stamps', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.reload()
    await page.getByText('180 stamps', { exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'Open in a new tab' }).count()).toBe(0)
    await page.getByLabel('Format').selectOption('Web page')
    await page.getByText('A document of so many records cannot be previewed. Download it instead.').waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    expect(await savedText(download)).toBe('180 stamps')
  })

  test('a document is offered only where a template makes one of so many records', async () => {
    const offer = (page: Page, role: 'button' | 'menuitem') => page.getByRole(role, { name: /^Make document/ })
    const openMenu = async (page: Page) => {
      await page.locator('[data-row="0"][data-column="0"]').click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Open record' }).waitFor()
    }
    const cards = await openGrid('projects')
    await openMenu(cards)
    await offer(cards, 'menuitem').click()
    await cards.getByRole('dialog').getByRole('link', { name: /^Card/ }).waitFor()
    await cards.keyboard.press('Escape')
    await cards.locator('[data-row="0"][data-column="-1"]').click()
    await offer(cards, 'button').waitFor()
    await cards.locator('[data-row="1"][data-column="-1"]').click({ modifiers: ['Shift'] })
    await cards.getByText('2 records selected').waitFor()
    expect(await offer(cards, 'button').count()).toBe(0)

    const companies = await openGrid('companies')
    await openMenu(companies)
    await offer(companies, 'menuitem').waitFor({ state: 'detached' })
    await companies.keyboard.press('Escape')
    await companies.locator('[data-row="0"][data-column="-1"]').click()
    await companies.getByText('1 record selected').waitFor()
    expect(await offer(companies, 'button').count()).toBe(0)
  })
})
