import { afterAll, expect, test } from 'bun:test'
import { json } from '../support/app'
import { expectAccessible, expectNoSideways, visit } from '../support/browser'
import { call } from '../support/executable'
import { chooseAction } from '../support/table-menu'
import { startUi, takeSession } from '../support/ui'

const service = await startUi()
afterAll(() => service.stop())

const api = (path: string, more: object = {}) => json(call(`${service.url}/api/v1/${path}`, { token: service.token, ...more }))
const table = await api('tables', {
  body: {
    name: 'Repairs',
    columns: [
      { name: 'Name', type: 'text', required: true },
      { name: 'Kind', type: 'select', options: { choices: ['heating', 'other'] } },
      { name: 'Detail', type: 'longText' },
    ],
  },
})
const records = async () => (await api(`tables/${table.id}/records?order=id`)).records

test('an administrator builds a form beside the table, and people fill it in', async () => {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${table.id}`)
  await chooseAction(page, 'Forms')
  await page.getByText('No forms').waitFor()
  await page.getByRole('button', { name: 'New form' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('Report a repair')
  expect(await dialog.getByLabel('Help text').first().isVisible()).toBe(false)
  for (const name of ['Name', 'Detail']) await dialog.getByRole('group', { name, exact: true }).getByText('More').click()
  await dialog.getByText('For example, Kind=eq.yes shows this field if “Kind” is “yes”.').waitFor()
  await dialog.getByLabel('Shown if').last().fill('Kind=gt.other')
  await dialog.getByLabel('Help text').first().fill('As it stands on your door.')
  await dialog.getByRole('group', { name: 'Detail', exact: true }).getByText('More').click()
  await dialog.getByRole('button', { name: 'Save form' }).click()
  const condition = dialog.getByRole('group', { name: 'Detail', exact: true }).getByLabel('Shown if')
  await condition.and(page.locator('[aria-invalid="true"]:focus')).waitFor()
  await condition.fill('Kind=eq.other')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save form' }).click()
  await page.getByRole('heading', { name: 'Report a repair' }).waitFor()
  await expectAccessible(page)
  const address = await page.getByRole('textbox', { name: 'Address of the form' }).inputValue()
  expect(address).toBe(`${service.url}/f/repairs`)

  const { page: filled } = await visit()
  await filled.goto(address)
  expect(await filled.getByLabel('Detail').isVisible()).toBe(false)
  await filled.getByLabel('Kind').selectOption('other')
  await filled.getByLabel('Name').fill('Ann')
  await filled.getByLabel('Detail').fill('A door')
  await filled.getByRole('button', { name: 'Send' }).click()
  await filled.getByRole('heading', { name: 'Thank you' }).waitFor()
  expect(await records()).toMatchObject([{ Name: 'Ann', Kind: 'other', Detail: 'A door' }])
})

test('a form is filled in on a phone, in German, and shows what is missing', async () => {
  await call(`${service.url}/api/v1/form-definitions`, {
    token: service.token,
    body: { name: 'phone', table: table.id, title: 'Schaden', fields: [{ column: 'Name' }, { column: 'Kind', prefill: true }] },
  })
  const { page } = await visit({ size: 'phone', language: 'de-DE' })
  await page.goto(`${service.url}/f/phone?Kind=heating`)
  await expectNoSideways(page)
  expect(await page.getByLabel('Kind').inputValue()).toBe('heating')
  await page.getByLabel('Name').fill(' ')
  await page.getByRole('button', { name: 'Absenden' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Name').fill('Bea')
  await page.getByRole('button', { name: 'Absenden' }).click()
  await page.getByRole('heading', { name: 'Vielen Dank' }).waitFor()
  expect((await records()).at(-1)).toMatchObject({ Name: 'Bea', Kind: 'heating' })
})

test('a field has a default, files and addresses have limits, and times say their zone', async () => {
  const kinds = await api('tables', { body: { name: 'Kinds', columns: [{ name: 'Title', type: 'text' }] } })
  await api(`tables/${kinds.id}/records`, { body: [{ Title: 'Urgent' }, { Title: 'Outdoors' }] })
  const columns = [
    { name: 'Name', type: 'text' },
    { name: 'Seats', type: 'integer' },
    { name: 'Kind', type: 'select', options: { choices: ['heating', 'other'] } },
    { name: 'Photos', type: 'attachment' },
    { name: 'Tags', type: 'manyLinks', options: { table: kinds.id } },
  ]
  const visits = await api('tables', { body: { name: 'Visits', columns } })
  const { page } = await visit({ size: 'phone', scheme: 'dark' })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${visits.id}/forms`)
  await page.getByRole('button', { name: 'New form' }).click()
  const dialog = page.getByRole('dialog')
  const field = (name: string) => dialog.getByRole('group', { name, exact: true })
  for (const name of ['Seats', 'Kind', 'Photos']) await field(name).getByText('More').click()
  await field('Seats').getByLabel('Default').fill('2')
  await field('Kind').getByLabel('Default').click()
  await page.getByRole('option', { name: 'heating' }).click()
  await field('Photos').getByLabel('At most so many files').fill('50')
  await field('Photos').getByText('More').click()
  await dialog.getByText('Settings').click()
  await dialog.getByLabel('At most so many answers').fill('0')
  await dialog.getByText('Settings').click()
  // What is wrong unfolds, so that the browser can point at it.
  await dialog.getByRole('button', { name: 'Save form' }).click()
  await dialog.getByLabel('At most so many answers').fill('')
  await dialog.getByText('Settings').click()
  await field('Photos').getByLabel('At most so many files').fill('2')
  await field('Photos').getByLabel('Megabytes of a file at most').fill('0.5')
  await field('Photos').getByLabel('Types of files').fill('image/*, .pdf')
  expect(await field('Photos').getByLabel('Default').count()).toBe(0)
  await dialog.getByRole('combobox', { name: 'Add a field' }).click()
  await page.getByRole('option', { name: 'Tags' }).click()
  expect(await field('Tags').getByLabel('Shows everybody the names of the linked records').isChecked()).toBe(true)
  await dialog.getByText('Settings').click()
  expect(await dialog.getByText('Time zone: Europe/Berlin.').count()).toBe(2)
  await dialog.getByLabel('Opens at').fill('2026-01-15T08:00')
  await dialog.getByLabel('Answers of one address').fill('3')
  await dialog.getByLabel('In', { exact: true }).selectOption('a day')
  await expectNoSideways(page)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save form' }).click()
  await page.getByRole('heading', { name: 'Visits', exact: true }).waitFor()
  const saved = await api('form-definitions/visits')
  expect(saved).toMatchObject({ opensAt: '2026-01-15T07:00:00.000Z', closesAt: null, budget: '3/d' })
  expect(saved.fields).toEqual([
    { column: 'Name' },
    { column: 'Seats', default: 2 },
    { column: 'Kind', default: 'heating' },
    { column: 'Photos', files: { most: 2, maxBytes: 500_000, accept: ['image/*', '.pdf'] } },
    { column: 'Tags', choices: true },
  ])
  // What was saved is there again, and what is taken away is gone.
  await page.getByRole('button', { name: 'Edit Visits' }).click()
  expect(await field('Photos').getByLabel('Megabytes of a file at most').inputValue()).toBe('0.5')
  await field('Seats').getByLabel('Default').fill('')
  await dialog.getByText('Settings').click()
  expect(await dialog.getByLabel('Opens at').inputValue()).toBe('15 Jan 2026, 08:00')
  expect(await dialog.getByLabel('In', { exact: true }).inputValue()).toBe('d')
  await dialog.getByLabel('Opens at').fill('')
  await dialog.getByRole('button', { name: 'Save form' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const changed = await api('form-definitions/visits')
  expect([changed.opensAt, changed.fields[1]]).toEqual([null, { column: 'Seats' }])

  const { page: filled } = await visit({ language: 'de-DE' })
  await filled.goto(`${service.url}/f/visits`)
  await filled.getByLabel('Name').fill('Ann')
  await filled.getByRole('group', { name: 'Tags' }).getByLabel('Outdoors').check()
  await filled.getByRole('group', { name: 'Tags' }).getByLabel('Urgent').check()
  await filled.getByRole('button', { name: 'Absenden' }).click()
  await filled.getByRole('heading', { name: 'Vielen Dank' }).waitFor()
  expect((await api(`tables/${visits.id}/records`)).records).toMatchObject([{ Name: 'Ann', Kind: 'heating', Tags: [1, 2] }])
})

test('a setting that is refused unfolds and takes the focus', async () => {
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${table.id}/forms`)
  await page.getByRole('button', { name: 'New form' }).click()
  const dialog = page.getByRole('dialog')
  const redirect = dialog.locator('[name="redirect"]')
  await dialog.getByText('Settings').click()
  await redirect.fill('http://shop.example')
  await dialog.getByText('Settings').click()
  expect(await redirect.isVisible()).toBe(false)
  await dialog.getByRole('button', { name: 'Save form' }).click()
  await redirect.and(page.locator('[aria-invalid="true"]:focus')).waitFor()
})

test('limits of any number of bytes, which a program has set, do not keep a form from being saved', async () => {
  const columns = ['Scan', 'Icon'].map((name) => ({ name, type: 'attachment' }))
  const scans = await api('tables', { body: { name: 'Scans', columns } })
  const fields = [
    { column: 'Scan', files: { maxBytes: 5_242_880 } },
    { column: 'Icon', files: { maxBytes: 500 } },
  ]
  await api('form-definitions', { body: { name: 'scans', table: scans.id, title: 'Scans', fields } })
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${scans.id}/forms`)
  await page.getByRole('button', { name: 'Edit Scans' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('Scans of today')
  await dialog.getByRole('button', { name: 'Save form' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await api('form-definitions/scans')).toMatchObject({ title: 'Scans of today', fields })
})

test('the builder speaks German, and a default that does not fit is marked', async () => {
  const { page } = await visit({ language: 'de-DE' })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${table.id}/forms`)
  await page.getByRole('button', { name: 'Neues Formular' }).click()
  const dialog = page.getByRole('dialog')
  const before = await dialog.getByRole('group', { name: 'Name', exact: true }).getByLabel('Vorgabe').count()
  expect(before).toBe(1)
  await dialog.getByRole('group', { name: 'Detail', exact: true }).getByText('Mehr').click()
  await dialog.getByText('Zum Beispiel zeigt Kind=eq.ja dieses Feld, wenn „Kind“ „ja“ ist.').waitFor()
  await dialog.getByRole('checkbox', { name: 'Die Adresse darf es ausfüllen: ?Detail=…' }).waitFor()
  await dialog.getByText('Einstellungen').click()
  await dialog.getByText('Zeitzone: Europe/Berlin.').first().waitFor()
  await dialog.getByLabel('Antworten einer Adresse').waitFor()
  expect(await dialog.getByLabel('In', { exact: true }).locator('option').allTextContents()).toEqual([
    'einer Sekunde',
    'einer Minute',
    'einer Stunde',
    'einem Tag',
  ])
})

test('the list and the builder say that a rule of access may refuse answers, and the form is open', async () => {
  const setRules = (rules: object[]) => api('access', { method: 'PUT', body: { rules } })
  await api('form-definitions', {
    body: { name: 'ruled', table: table.id, title: 'Ruled', fields: [{ column: 'Name' }, { column: 'Kind' }] },
  })
  await setRules([{ group: 'everyone', table: table.id, read: 'all', create: 'Kind=eq.other' }])
  const { page } = await visit()
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${table.id}/forms`)
  const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Ruled', exact: true }) })
  await row.getByText(/create only some records of this table/).waitFor()
  await row.getByText('0 answers', { exact: true }).waitFor()
  await row.getByText('Edit', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Edit Ruled' }).click()
  await page
    .getByRole('dialog')
    .getByText(/create only some records of this table/)
    .waitFor()
  await expectAccessible(page)
  await setRules([])
})

test('the German page shows a field for a number with a comma', async () => {
  const columns = ['Amount', 'Reason'].map((name) => ({ name, type: name === 'Amount' ? 'decimal' : 'text' }))
  const { id } = await api('tables', { body: { name: 'Amounts', columns } })
  const fields = [{ column: 'Amount' }, { column: 'Reason', shownIf: 'Amount=eq.12.50' }]
  await api('form-definitions', { body: { name: 'amounts', table: id, title: 'Beträge', fields } })
  const { page } = await visit({ language: 'de-DE' })
  await page.goto(`${service.url}/f/amounts`)
  expect(await page.getByLabel('Reason').isVisible()).toBe(false)
  await page.getByLabel('Amount').fill('12,50')
  await page.getByLabel('Reason').fill('Porto')
  await page.getByRole('button', { name: 'Absenden' }).click()
  await page.getByRole('heading', { name: 'Vielen Dank' }).waitFor()
  expect((await api(`tables/${id}/records`)).records).toMatchObject([{ Amount: 12.5, Reason: 'Porto' }])
})

test('the page shows fields for a duration, however it is typed, and for a choice with a blank at its end', async () => {
  const columns = [
    { name: 'Took', type: 'duration' },
    { name: 'Kind', type: 'select', options: { choices: ['Plain', 'Other '] } },
    { name: 'Reason', type: 'text' },
    { name: 'Detail', type: 'text' },
  ]
  const { id } = await api('tables', { body: { name: 'Jobs', columns } })
  const reason = { column: 'Reason', shownIf: 'Took=eq.5400', required: true }
  const fields = [{ column: 'Took' }, { column: 'Kind' }, reason, { column: 'Detail', shownIf: 'Kind=in.("Other ")' }]
  await api('form-definitions', { body: { name: 'jobs', table: id, title: 'Jobs', fields } })
  const { page } = await visit()
  await page.goto(`${service.url}/f/jobs`)
  const isShown = async (typed: string) => {
    await page.getByLabel('Took').fill(typed)
    return page.getByLabel('Reason').isVisible()
  }
  for (const typed of ['5400', '1:31', '-90', '90 x', '']) expect([typed, await isShown(typed)]).toEqual([typed, false])
  for (const typed of ['90', '1:30:00', '1h 30m', '1,5 hours', ' 1:30 ']) expect([typed, await isShown(typed)]).toEqual([typed, true])
  await page.getByLabel('Reason').fill('Stairs')
  await page.getByLabel('Kind').selectOption({ value: 'Other ' })
  await page.getByLabel('Detail').fill('Steep')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  const made = { Took: 5400, Kind: 'Other ', Reason: 'Stairs', Detail: 'Steep' }
  expect((await api(`tables/${id}/records`)).records).toMatchObject([made])
})

test('a form leaves out what rules hide, and its problem with a rule is mended where it is shown', async () => {
  const columns = ['Name', 'Salary note'].map((name) => ({ name, type: 'text' }))
  const staff = await api('tables', { body: { name: 'Staff', columns: [...columns, { name: 'Owner', type: 'user' }] } })
  const some = { group: 'everyone', table: 'Staff', create: 'Owner=eq.@me' }
  const partial = { group: 'role:viewer', table: 'Staff', read: 'all', columns: { read: ['id', 'Name', 'Owner'] } }
  await api('access', { method: 'PUT', body: { rules: [some, partial] } })
  await api('groups', { body: { name: 'forms' } })
  const { page } = await visit({ size: 'phone' })
  await takeSession(page, service.url)
  await page.goto(`${service.url}/tables/${staff.id}/forms`)
  await page.getByRole('button', { name: 'New form' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('group', { name: 'Name', exact: true }).waitFor()
  expect(await dialog.getByRole('group', { name: 'Salary note' }).count()).toBe(0)
  await dialog.getByText('A form cannot fill in columns of users').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save form' }).click()
  await page.getByText('lets the service user "Forms" create only some records').waitFor()
  await expectAccessible(page)
  await expectNoSideways(page)
  await page.getByRole('button', { name: 'Let forms add records to this table' }).click()
  await page.getByText('lets the service user "Forms" create only some records').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Let forms add records to this table' }).waitFor({ state: 'detached' })
  const { rules } = await api('access')
  const none = { update: 'none', delete: 'none' }
  expect(rules).toEqual([
    { read: 'none', ...none, ...some },
    { create: 'none', ...none, ...partial },
    { group: 'Forms 2', table: 'Staff', read: 'none', create: 'all', ...none },
  ])
  const { groups } = await api('groups')
  expect(groups.find(({ name }: { name: string }) => name === 'Forms 2').members).toHaveLength(1)
  const { changes } = await api('access/changes')
  expect(changes[0]).toMatchObject({ removed: [], added: [{ group: 'Forms 2', create: 'all' }] })

  const { page: filled } = await visit()
  await filled.goto(`${service.url}/f/staff`)
  await filled.getByLabel('Name').fill('Ann')
  await filled.getByRole('button', { name: 'Send' }).click()
  await filled.getByRole('heading', { name: 'Thank you' }).waitFor()
  await api('access', { method: 'PUT', body: { rules: [] } })
})
