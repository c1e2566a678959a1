import type { Page } from 'playwright-core'
import type { VisitOptions } from '../support/chromium'
import { chooseType } from '../support/column-form'
import { chooseAction, openActions } from '../support/table-menu'

/**
 * Where a picture is taken. `path` may name a sample table as `{contacts}`; `act` does what a person would do before.
 */
export type Screen = {
  name: string
  path: string
  size?: VisitOptions['size']
  scheme?: VisitOptions['scheme']
  language?: string
  /** Without it, the administrator is signed in. */
  isStranger?: boolean
  act?: (page: Page) => Promise<void>
}

const openMenu = (page: Page) => page.getByRole('button', { name: /account menu/ }).click()

/** @param text the content of a CSV file */
async function choose(page: Page, name: string, text: string) {
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.getByRole('button', { name: 'Import', exact: true }).waitFor()
}

const sales =
  'id;Customer;Ordered;Total;Paid\n1001;Café Ada;2026-01-31;12.50;yes\n1002;Grace & Co;2026-02-01;7.00;no\n1003;Turing Ltd;2026-02-03;120.95;yes\n'
const chooseSales = (page: Page) => choose(page, 'sales.csv', sales)

const labels = '/documents/labels/sheet?table=contacts&columns=name&columns=role'

/** As somebody else does it, who shows the same record in another window. */
const changeElsewhere = (page: Page, body: object) =>
  page.evaluate(async (text) => {
    const path = location.pathname.replace('/tables', '/api/v1/tables')
    await fetch(path, { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: text })
  }, JSON.stringify(body))

/** Makes a share link as the user, and opens it. */
async function openShared(page: Page, body: object) {
  const url = await page.evaluate(async (text) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: text }
    return ((await (await fetch('/api/v1/links', init)).json()) as { url: string }).url
  }, JSON.stringify(body))
  await page.goto(url)
}

/** A picture of the page as it is, and a text. */
async function attach(page: Page) {
  const text = { name: 'measurements.txt', mimeType: 'text/plain', buffer: Buffer.from('All in metres.') }
  const picture = { name: 'harbour.png', mimeType: 'image/png', buffer: Buffer.from(await page.screenshot()) }
  await page.locator('input[type=file]').setInputFiles([picture, text])
  await page.getByRole('button', { name: 'View measurements.txt' }).waitFor()
  await page.waitForFunction(() => [...document.querySelectorAll<HTMLImageElement>('.tile img')].every((image) => image.naturalWidth > 0))
}

/** Two changes of a record. */
async function changeTwice(page: Page) {
  await changeElsewhere(page, { city: 'Leith', notes: 'Poetry first.' })
  await changeElsewhere(page, { city: 'Bristol', notes: 'Poetry, then prose.' })
  await page.reload()
  await page.getByRole('button', { name: 'History' }).click()
  await page
    .getByRole('button', { name: /^Restore the values/ })
    .first()
    .click()
  await page.getByRole('dialog').getByText('Bristol').waitFor()
}

/** Makes two suppliers and deletes them, in the table of the page. */
async function makeAndDelete(page: Page) {
  await page.evaluate(async () => {
    const records = `/api/v1/tables/${location.pathname.split('/')[2]}/records`
    const body = JSON.stringify(
      ['Harbour Crafts', 'Northern Paper'].map((name) => ({ name, city: 'Leith', website: 'https://example.org' })),
    )
    const made = await fetch(records, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    for (const { id } of (await made.json()) as { id: number }[]) await fetch(`${records}/${id}`, { method: 'DELETE' })
  })
  await page.reload()
  await page.locator('.rows > li').nth(1).waitFor()
}

/** A table without records. */
async function openEmpty(page: Page) {
  const id = await page.evaluate(async () => {
    const columns = Object.entries({ title: 'text', author: 'text', pages: 'integer', printed: 'date' }).map(([name, type]) => ({
      name,
      type,
    }))
    const body = JSON.stringify({ name: 'books', columns })
    await fetch('/api/v1/tables', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return ((await (await fetch('/api/v1/tables/books')).json()) as { id: string }).id
  })
  await page.goto(new URL(`/tables/${id}`, page.url()).href)
  await page.locator('.grid-future').waitFor()
}

/** One line per screen: a new one is added here, and lands in docs/screenshots/ and in the test of accessibility. */
export const screens: Screen[] = [
  { name: 'sign-in', path: '/sign-in', isStranger: true },
  { name: 'sign-in-phone', path: '/sign-in', isStranger: true, size: 'phone', scheme: 'dark' },
  { name: 'tables', path: '/' },
  { name: 'tables-phone', path: '/', size: 'phone' },
  { name: 'table', path: '/tables/{contacts}' },
  { name: 'table-dark', path: '/tables/{contacts}', scheme: 'dark' },
  { name: 'table-phone', path: '/tables/{projects}', size: 'phone' },
  { name: 'table-pictures', path: '/tables/{products}' },
  {
    name: 'grid-filter',
    path: '/tables/{contacts}',
    act: async (page) => {
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByRole('combobox', { name: 'Condition' }).waitFor()
    },
  },
  {
    name: 'grid-link',
    path: '/tables/{contacts}',
    act: async (page) => {
      await page.locator('[data-row="1"][data-column="3"]').dblclick()
      await page.getByRole('option', { name: 'Ember Software' }).waitFor()
    },
  },
  { name: 'grid-german', path: '/tables/{projects}', language: 'de-DE', scheme: 'dark' },
  { name: 'account', path: '/settings/account' },
  { name: 'account-dark', path: '/settings/account', scheme: 'dark' },
  { name: 'grid-menu-phone', path: '/tables/{contacts}', size: 'phone', act: openActions },
  { name: 'account-phone', path: '/settings/account', size: 'phone' },
  { name: 'account-german', path: '/settings/account', language: 'de-DE' },
  {
    name: 'new-token',
    path: '/settings/account',
    act: async (page) => {
      await page.getByRole('button', { name: 'New token' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Weekly report')
    },
  },
  { name: 'user-menu', path: '/', act: openMenu },
  { name: 'about', path: '/settings/about' },
  { name: 'users', path: '/settings/users' },
  { name: 'users-phone', path: '/settings/users', size: 'phone', scheme: 'dark' },
  {
    name: 'service-user',
    path: '/settings/users',
    act: async (page) => {
      await page.getByRole('button', { name: 'Add service user' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Weekly report')
    },
  },
  {
    name: 'service-user-tokens',
    path: '/settings/users',
    scheme: 'dark',
    act: async (page) => {
      await page.getByRole('button', { name: 'Actions for Stock feed' }).click()
      await page.getByRole('menuitem', { name: 'API tokens…' }).click()
      await page.getByRole('dialog').getByText('No tokens').waitFor()
    },
  },
  { name: 'groups', path: '/settings/groups' },
  { name: 'groups-phone', path: '/settings/groups', size: 'phone', scheme: 'dark' },
  {
    name: 'group-members',
    path: '/settings/groups',
    act: async (page) => {
      await page.getByRole('button', { name: 'Members of Sales' }).click()
      await page.getByRole('combobox', { name: 'Add a member' }).fill('Stock')
      await page.getByRole('option', { name: 'Stock feed' }).waitFor()
    },
  },
  {
    name: 'group-members-phone',
    path: '/settings/groups',
    size: 'phone',
    language: 'de-DE',
    act: async (page) => {
      await page.getByRole('button', { name: 'Mitglieder von Sales' }).click()
      await page.getByRole('button', { name: 'Grace Hopper entfernen' }).waitFor()
    },
  },
  { name: 'plugins', path: '/settings/plugins' },
  { name: 'audit', path: '/settings/audit' },
  { name: 'audit-phone', path: '/settings/audit', size: 'phone' },
  { name: 'import-new', path: '/tables/import', act: chooseSales },
  { name: 'import-new-phone', path: '/tables/import', size: 'phone', act: chooseSales },
  {
    name: 'import-problems',
    path: '/tables/{contacts}/import',
    act: async (page) => {
      await choose(
        page,
        'contacts.csv',
        'Name;E-Mail;Role\nGrace Hopper;grace@navy.example;Admiral\n;none;Chef\nAlan;alan@bletchley.example;\n',
      )
      await page.getByLabel('Table column for E-Mail').selectOption('email')
      await page.getByRole('button', { name: 'Check without importing' }).click()
      await page.getByRole('region', { name: 'Errors' }).waitFor()
      await page.getByText('Line', { exact: true }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'export',
    path: '/tables/{contacts}',
    act: async (page) => {
      await chooseAction(page, 'Export')
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'documents', path: '/documents' },
  { name: 'document', path: labels },
  { name: 'document-phone', path: labels, size: 'phone', scheme: 'dark' },
  {
    name: 'api',
    path: '/tables/{contacts}?company=gte.2&order=name',
    act: async (page) => {
      await chooseAction(page, 'API')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'keyboard',
    path: '/',
    act: async (page) => {
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'schemas',
    path: '/settings/schemas',
    act: async (page) => {
      await page.getByLabel('Database schema').fill('data')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('heading', { name: /^contacts/ }).waitFor()
    },
  },
  { name: 'not-found', path: '/tables/nowhere' },
  { name: 'record', path: '/tables/{projects}/records/1' },
  { name: 'record-dark', path: '/tables/{projects}/records/1', scheme: 'dark' },
  { name: 'record-phone', path: '/tables/{contacts}/records/1', size: 'phone' },
  { name: 'record-new', path: '/tables/{projects}/records/new', act: (page) => page.getByRole('button', { name: 'Save' }).click() },
  { name: 'record-german', path: '/tables/{projects}/records/4', language: 'de-DE' },
  { name: 'columns-german', path: '/tables/{companies}/columns', language: 'de-DE', size: 'phone' },
  { name: 'record-not-found', path: '/tables/{contacts}/records/4711' },
  {
    name: 'record-link',
    path: '/tables/{contacts}/records/1',
    act: async (page) => {
      await page.getByRole('combobox', { name: 'company' }).fill('ight')
      await page.getByRole('option', { name: 'Brightwater Books' }).waitFor()
    },
  },
  {
    name: 'share',
    path: '/tables/{products}/records/1',
    act: async (page) => {
      await page.getByRole('button', { name: 'Record menu' }).click()
      await page.getByRole('menuitem', { name: 'Share' }).click()
      await page.getByRole('button', { name: 'Create link' }).waitFor()
    },
  },
  { name: 'share-link', path: '/', act: (page) => openShared(page, { table: 'products', pk: 1, expiresAt: '2099-01-31T12:00:00Z' }) },
  {
    name: 'share-link-phone',
    path: '/',
    size: 'phone',
    scheme: 'dark',
    act: (page) => openShared(page, { table: 'contacts', query: 'select=name,email,company,active' }),
  },
  { name: 'share-link-closed', path: '/', act: async (page) => void (await page.goto(new URL('/s/unknown', page.url()).href)) },
  {
    name: 'record-leave',
    path: '/tables/{contacts}/records/2',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'role' }).fill('Lead architect')
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'projects' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'record-conflict',
    path: '/tables/{companies}/records/2',
    act: async (page) => {
      await page.getByLabel('city').fill('Glasgow')
      await page.getByLabel('notes').fill('Poetry first.')
      await changeElsewhere(page, { city: 'Leith', notes: 'Poetry, then prose.' })
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('dialog').getByText('Leith').waitFor()
    },
  },
  { name: 'record-history', path: '/tables/{companies}/records/4', act: changeTwice },
  { name: 'recent-changes', path: '/tables/{companies}/history', size: 'phone', act: makeAndDelete },
  { name: 'trash', path: '/tables/{companies}/trash', scheme: 'dark', act: makeAndDelete },
  {
    name: 'record-files',
    path: '/tables/{projects}/records/2',
    act: async (page) => {
      await attach(page)
      await page.getByRole('region', { name: 'Set by the service' }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'light-box',
    path: '/tables/{projects}/records/3',
    act: async (page) => {
      await attach(page)
      await page.getByRole('button', { name: 'View harbour.png' }).click()
      await page.getByRole('img', { name: 'harbour.png' }).waitFor()
    },
  },
  { name: 'columns', path: '/tables/{projects}/columns' },
  { name: 'columns-phone', path: '/tables/{projects}/columns', size: 'phone', scheme: 'dark' },
  {
    name: 'column-edit',
    path: '/tables/{projects}/columns',
    act: async (page) => {
      await page.getByRole('button', { name: 'Edit status' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'column-retype',
    path: '/tables/{companies}/columns',
    act: async (page) => {
      await page.getByRole('button', { name: 'Edit city' }).click()
      await chooseType(page, 'Whole number')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').getByRole('table').waitFor()
    },
  },
  {
    name: 'delete-table',
    path: '/tables/{projects}',
    act: async (page) => {
      await page.getByRole('button', { name: 'Menu for projects' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  // They add a table, so they are last.
  { name: 'table-empty', path: '/', act: openEmpty },
  { name: 'table-empty-phone', path: '/', size: 'phone', scheme: 'dark', language: 'de-DE', act: openEmpty },
]

/** Pictures of a service that nobody has set up, or that has no tables. */
export const firstScreens: Screen[] = [
  {
    name: 'setup',
    path: '/setup',
    isStranger: true,
    act: async (page) => {
      await page.getByLabel('E-mail').fill('ada@example.org')
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    },
  },
  { name: 'setup-phone', path: '/setup', isStranger: true, size: 'phone' },
]
