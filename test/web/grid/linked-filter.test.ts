import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { type GridService, startGrid } from '../../support/grid'
import { becomes, openTable } from '../../support/grid-page'
import { act, saveAsView, viewButton, viewIdIn, viewsApi } from '../../support/named-views'

type Columns = { id: string; name: string }[]

let service: GridService
const send = (path: string, body?: object, method?: string) =>
  call(`${service.url}/api/v1/${path}`, { token: service.token, body, ...(method && { method }) })
const columnId = async (table: string, column: string) => {
  const { columns } = (await (await send(`tables/${table}`)).json()) as { columns: Columns }
  return columns.find(({ name }) => name === column)!.id
}
beforeAll(async () => {
  service = await startGrid(0)
  const create = async (name: string, columns: object[], records: object[]) => {
    const made = await send('tables', { name, columns })
    service.tables.push((await made.json()) as { id: string; name: string })
    expect((await send(`tables/${name}/records`, records)).status).toBe(201)
  }
  await create(
    'authors',
    [
      { name: 'name', type: 'text' },
      { name: 'country', type: 'select', options: { choices: ['Germany', 'Sweden'] } },
      { name: 'born', type: 'date' },
      { name: 'met', type: 'dateTime' },
    ],
    [
      { name: 'Anna', country: 'Germany', born: '1950-05-01', met: '2026-06-17T09:00:00Z' },
      { name: 'Bo', country: 'Sweden', born: '1980-01-01', met: '2026-06-17T11:00:00Z' },
      { name: 'Cy', country: null, born: null, met: null },
    ],
  )
  await create(
    'books',
    [
      { name: 'number', type: 'integer' },
      { name: 'author', type: 'link', options: { table: 'authors' } },
      { name: 'reviewers', type: 'manyLinks', options: { table: 'authors' } },
    ],
    [
      { number: 10, author: 1 },
      { number: 20, author: 2, reviewers: [1, 2] },
      { number: 30, author: 3 },
      { number: 40, reviewers: [2] },
    ],
  )
})
afterAll(() => service.stop())

const shows = (page: Page, ...numbers: number[]) =>
  becomes(async () => (await page.locator('.grid-row [data-column="1"]').allTextContents()).filter(Boolean).map(Number), numbers)

async function choose(page: Page, label: string, option: string) {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

const column = (page: Page) => page.getByRole('combobox', { name: 'Column', exact: true })
const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

test('a filter compares a column of the linked records, with the operators and the values of that column', async () => {
  const page = await openTable(service, 'books', { search: '?order=id' })
  await page.getByRole('button', { name: 'Filter' }).click()
  await choose(page, 'Column', 'author › country')
  await page.getByRole('combobox', { name: 'Value' }).click()
  await page.getByRole('option', { name: 'Germany' }).click()
  await shows(page, 10)
  await becomes(async () => parameter(page, 'author(country)'), 'in.("Germany")')
  await page.keyboard.press('Escape')
  await expectAccessible(page)
  // Books without an author are not by a German one.
  await choose(page, 'Condition', 'is none of')
  await shows(page, 20, 30, 40)
  await choose(page, 'Condition', 'is empty')
  await shows(page, 30, 40)
  await choose(page, 'Condition', 'is not empty')
  await shows(page, 10, 20)
  // Both links lead to the same columns.
  await choose(page, 'Column', 'author › name')
  await page.getByRole('textbox', { name: 'Value' }).fill('bo')
  await shows(page, 20)
  await choose(page, 'Condition', 'is not')
  await page.getByRole('textbox', { name: 'Value' }).fill('Bo')
  await shows(page, 10, 30, 40)
  await choose(page, 'Column', 'reviewers › name')
  expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('')
  await page.getByRole('textbox', { name: 'Value' }).fill('anna')
  await shows(page, 20)
  await page.reload()
  await shows(page, 20)
  await page.getByRole('button', { name: 'Filter: 1' }).click()
  await becomes(() => column(page).inputValue(), 'reviewers › name')
  expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('anna')
})

test('a filter compares dates of linked records with a date or a moment, and not with days by name', async () => {
  const page = await openTable(service, 'books', { search: '?order=id' })
  await page.getByRole('button', { name: 'Filter' }).click()
  await choose(page, 'Column', 'author › born')
  await choose(page, 'Condition', 'is before')
  await page.getByLabel('Date', { exact: true }).fill('1960-01-01')
  await shows(page, 10)
  await page.getByRole('combobox', { name: 'Condition', exact: true }).click()
  await page.getByRole('option', { name: 'is on or after' }).waitFor()
  expect(await page.getByRole('option', { name: 'is within' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await choose(page, 'Column', 'author › met')
  // In Berlin.
  await page.getByRole('textbox', { name: 'Value' }).fill('2026-06-17 12:00')
  await shows(page, 10)
  await becomes(async () => parameter(page, 'author(met)'), 'lt.2026-06-17T10:00:00.000Z')
})

test('an address shows its conditions on linked records in groups, on a phone too', async () => {
  const search = '?order=id&or=(author(country).in.("Sweden"),and(author(born).lt.1960-01-01,number.gt.5),number.eq.40)'
  const page = await openTable(service, 'books', { size: 'phone', search })
  await shows(page, 10, 20, 40)
  await page.getByRole('button', { name: 'Filter: 4' }).click()
  await becomes(
    () => column(page).evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value)),
    ['author › country', 'author › born', 'number', 'number'],
  )
  await expectNoSideways(page)
})

test('a condition on a column that the linked table does not have is refused and left out', async () => {
  const page = await openTable(service, 'books', { search: '?order=id&author(nosuch)=eq.x&number=gt.10' })
  await shows(page, 20, 30, 40)
  await page.getByRole('button', { name: 'Filter: 2, 1 condition is not applied' }).click()
  await becomes(() => column(page).first().inputValue(), 'author › nosuch')
  await page.locator('.filter-problem', { hasText: 'nosuch' }).waitFor()
  await page.getByRole('button', { name: 'Remove condition' }).first().click()
  await page.getByRole('button', { name: 'Filter: 1', exact: true }).waitFor()
})

test('a condition along a relation that is no column works, and is shown', async () => {
  const page = await openTable(service, 'companies', { search: '?order=id&contacts(name)=eq.Fiona%20MacRae' })
  await page.getByText('1 record', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Filter: 1', exact: true }).click()
  await becomes(() => column(page).inputValue(), 'contacts › name')
  await page.getByRole('region', { name: 'Filter' }).getByText('Fiona MacRae').waitFor()
})

test('a column of the linked table that the user may not read is not offered', async () => {
  const viewer = { email: 'eve@example.org', password: 'a quiet little harbour' }
  expect((await send('users', { ...viewer, role: 'viewer' })).status).toBe(201)
  const line = (table: string) => ({ group: 'role:viewer', table, read: 'all' })
  const rules = [line('books'), { ...line('authors'), columns: { read: ['id', 'name'] } }]
  expect((await send('access', { rules }, 'PUT')).status).toBe(200)
  const page = await openTable(service, 'books', { search: '?order=id', as: viewer })
  await page.getByRole('button', { name: 'Filter' }).click()
  await column(page).click()
  await page.getByRole('option', { name: 'author › name' }).waitFor()
  expect(await page.getByRole('option', { name: 'author › country' }).count()).toBe(0)
  expect((await send('access', { rules: [] }, 'PUT')).status).toBe(200)
})

test('a named view keeps a condition on linked records when their column is renamed', async () => {
  const page = await openTable(service, 'books', { search: '?author(country)=in.("Sweden")' })
  await shows(page, 20)
  await saveAsView(page, 'All records', 'Swedish')
  const id = viewIdIn(page)
  const country = await columnId('authors', 'country')
  const { settings } = (await (await viewsApi(service, 'books', `/${id}`)).json()) as { settings: object }
  expect(settings).toMatchObject({
    filter: { items: [{ column: await columnId('books', 'author'), linked: country, operator: 'anyOf', values: ['Sweden'] }] },
  })
  expect((await send('tables/authors/columns/country', { name: 'home' }, 'PATCH')).status).toBe(200)
  const renamed = await openTable(service, 'books', { search: `?view=${id}` })
  await becomes(async () => parameter(renamed, 'author(home)'), 'in.("Sweden")')
  await viewButton(renamed, 'Swedish').waitFor()
  await shows(renamed, 20)
})

test('a named view in an open window keeps a condition on linked records when their column is renamed', async () => {
  const rename = async (column: string, name: string) =>
    expect((await send(`tables/authors/columns/${column}`, { name }, 'PATCH')).status).toBe(200)
  const page = await openTable(service, 'books', { search: '?author(born)=gte.1970-01-01&reviewers(name)=ilike.*ann*' })
  await shows(page, 20)
  await saveAsView(page, 'All records', 'Younger')
  const goTo = async (name: string) => {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
    await page.locator('[role="grid"][aria-busy="false"]').waitFor()
  }
  const isApplied = async (author: string, reviewer: string) => {
    await becomes(async () => [parameter(page, author), parameter(page, reviewer)], ['gte.1970-01-01', 'ilike.*ann*'])
    await viewButton(page, 'Younger').waitFor()
    await page.getByRole('button', { name: 'Filter: 2', exact: true }).waitFor()
    await shows(page, 20)
  }
  await goTo('authors')
  await rename('born', 'birth')
  // This one names the records, and the view says so instead of its id.
  await rename('name', 'label')
  await page.keyboard.press('F9')
  await page.getByRole('columnheader', { name: 'birth' }).waitFor()
  await goTo('books')
  await isApplied('author(birth)', 'reviewers(label)')
  await rename('birth', 'birthday')
  await rename('label', 'name')
  await page.keyboard.press('F9')
  await isApplied('author(birthday)', 'reviewers(name)')
})

test('a named view has its condition on a linked column that somebody has added since the window was opened', async () => {
  const page = await openTable(service, 'books', { search: '?order=id' })
  await shows(page, 10, 20, 30, 40)
  expect((await send('tables/authors/columns', { name: 'genre', type: 'text' })).status).toBe(201)
  expect((await send('tables/authors/records/2', { genre: 'crime' }, 'PATCH')).status).toBe(200)
  const [author, genre] = [await columnId('books', 'author'), await columnId('authors', 'genre')]
  const rule = { kind: 'rule', column: author, linked: genre, operator: 'eq', values: ['crime'] }
  const settings = { hidden: [], pinned: [], filter: { kind: 'group', join: 'and', items: [rule] } }
  expect((await viewsApi(service, 'books', '', { name: 'Crime', isShared: true, settings })).status).toBe(201)
  await act(page, 'All records', 'Crime')
  await becomes(async () => parameter(page, 'author(genre)'), 'eq.crime')
  await viewButton(page, 'Crime').waitFor()
  await shows(page, 20)
})
