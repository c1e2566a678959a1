import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { grace, matrixCell, openAccess, openAs, startWithDeals } from '../../support/access-page'
import { expectAccessible, expectNoSideways } from '../../support/browser'
import { call } from '../../support/executable'
import { cell } from '../../support/grid-page'

const service = await startWithDeals()
afterAll(() => service.stop())
beforeEach(() => service.setRules([]))

const own = { group: 'everyone', table: 'deals', read: 'owner=eq.@me', create: 'owner=eq.@me', update: 'owner=eq.@me', delete: 'none' }
const rules = async () => (await (await call(`${service.url}/api/v1/access`, { token: service.token })).json()).rules
const review = async (page: Page) => {
  await page.getByRole('button', { name: 'Check and save…' }).click()
  return page.getByRole('dialog', { name: 'What changes' })
}
const apply = (page: Page) => page.getByRole('button', { name: 'Apply' }).click()

describe('rules of access', () => {
  test('let each seller see their own deals, set up by the first screen alone', async () => {
    const page = await openAccess(service)
    await page.getByRole('button', { name: /^Each person sees their own records/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Each person sees their own records' })
    // A table that names a person comes first to mind.
    expect(await dialog.getByLabel('Table', { exact: true }).locator('option:checked').allTextContents()).toEqual(['deals'])
    const column = dialog.getByLabel('Column that names the person')
    expect(await column.inputValue()).toBe('owner')
    expect(await column.locator('option').allTextContents()).toEqual(['owner', 'created_by (new column, filled in automatically)'])
    await dialog.getByText('“owner” starts with the person who adds a record. Programs have to send it.').waitFor()
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    await page.getByText('1 unsaved rule').waitFor()
    await matrixCell(page, 'Everyone', 'deals').and(page.getByLabel('See: some, Add: some, Change: some, Delete: none')).waitFor()
    // The rule for everyone holds for them, too.
    await matrixCell(page, 'Editors', 'deals').and(page.getByLabel('as everyone')).waitFor()
    expect(await rules()).toEqual([])

    const impact = await review(page)
    await impact.getByRole('region', { name: 'deals' }).getByText('Bob Ross, Grace Hopper').waitFor()
    await impact.getByText('May no longer see 2 records').waitFor()
    await impact.getByText('May no longer change 2 records').waitFor()
    await impact.getByText('May no longer see 3 records').waitFor()
    await impact.getByText('May no longer delete 3 records').waitFor()
    await impact.getByText('Add records: all until now, some from now on').first().waitFor()
    await impact.getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('The rules are saved.').waitFor()
    expect(await rules()).toEqual([own])

    const seller = await openAs(service, '/tables/deals', { as: grace })
    await seller.getByText('Harbour lights').waitFor()
    await seller.getByText('1 record', { exact: true }).waitFor()
    expect(await seller.getByText('Town hall').count()).toBe(0)
  })

  test('name the person who adds a record, in the grid and in the form', async () => {
    await service.setRules([own])
    const described = await (await call(`${service.url}/api/v1/tables/deals`, { token: service.token })).json()
    expect(described.personColumn).toBeUndefined()
    const page = await openAs(service, '/tables/deals', { as: grace })
    await cell(page, 1, 0).click()
    await page.keyboard.type('Night ferry')
    await page.keyboard.press('Tab')
    await cell(page, 1, 1).getByText('Grace Hopper').waitFor()
    await page.keyboard.press('Control+Home')
    await page.getByText('2 records', { exact: true }).waitFor()
    // A row of which everything else was cleared again is no record.
    await cell(page, 2, 0).click()
    await page.keyboard.type('x')
    for (const key of ['Tab', 'Shift+Tab', 'Delete']) await page.keyboard.press(key)
    await page.keyboard.press('Control+Home')
    await page.goto(`${service.url}/tables/deals/records/new`)
    await page.getByLabel('title').fill('Day ferry')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Day ferry' }).waitFor()
    const { records } = await (await call(`${service.url}/api/v1/tables/deals/records?id=gt.3&order=id`, { token: service.token })).json()
    expect(records.map(({ title, owner }: Record<string, unknown>) => [title, owner])).toEqual([
      ['Night ferry', service.ids.grace],
      ['Day ferry', service.ids.grace],
    ])
    await call(`${service.url}/api/v1/tables/deals/records?id=gt.3`, { token: service.token, method: 'DELETE' })
  })

  test('give each person what they have added, by a column that is added on request and then offered', async () => {
    const made = await call(`${service.url}/api/v1/tables`, {
      token: service.token,
      body: { name: 'notes', columns: [{ name: 'title', type: 'text' }] },
    })
    expect(made.status).toBe(201)
    const page = await openAccess(service, { size: 'phone', scheme: 'dark' })
    await page.getByRole('button', { name: /^Each person sees their own records/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Each person sees their own records' })
    await dialog.getByLabel('Table', { exact: true }).selectOption('notes')
    await dialog.getByText('Existing records belong to nobody').waitFor()
    await dialog.getByText('Rowhouse fills in “created_by” with the person who adds the record.').waitFor()
    await expectAccessible(page)
    await expectNoSideways(page)
    await dialog.getByRole('button', { name: 'Add column and rule' }).click()
    const state = page.getByText('1 unsaved rule')
    await state.waitFor()
    expect((await state.boundingBox())!.height).toBeLessThan(40)
    await expectNoSideways(page)
    const impact = await review(page)
    await impact.getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('The rules are saved.').waitFor()
    const rule = 'created_by=eq.@me'
    expect(await rules()).toEqual([{ group: 'everyone', table: 'notes', read: rule, create: rule, update: rule, delete: 'none' }])
    const seller = await openAs(service, '/tables/notes', { as: grace })
    await seller.getByRole('button', { name: 'New record' }).click()
    await seller.keyboard.type('Call the harbour')
    await seller.keyboard.press('Control+Enter')
    await seller.getByText('1 record', { exact: true }).waitFor()
    await seller.reload()
    await seller.getByText('Call the harbour').waitFor()

    // It is the owner that is offered from now on.
    await service.setRules([])
    await page.reload()
    await page.getByRole('button', { name: /^Each person sees their own records/ }).click()
    await dialog.getByLabel('Table', { exact: true }).selectOption('notes')
    expect(await dialog.getByLabel('Column that names the person').locator('option').allTextContents()).toEqual(['created_by'])
    expect(await dialog.getByRole('button', { name: 'Add rule' }).count()).toBe(1)
  })

  test('warn before somebody loses a table, and can be taken back', async () => {
    const page = await openAccess(service)
    await page.getByRole('button', { name: /^Only one group uses a table/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Only one group uses a table' })
    await dialog.getByLabel('Table', { exact: true }).selectOption('deals')
    await dialog.getByLabel('Who').selectOption('Editors')
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    const impact = await review(page)
    await impact.getByRole('alert').getByText('Eve Adams: no access to “deals” any more.').waitFor()
    await impact.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('region', { name: 'Where to begin' }).waitFor()
    expect(await rules()).toEqual([])
  })

  test('leave a table to a group that people have made', async () => {
    const made = await call(`${service.url}/api/v1/groups`, {
      token: service.token,
      body: { name: 'sales', members: [service.ids.grace] },
    })
    expect(made.status).toBe(201)
    const page = await openAccess(service)
    await matrixCell(page, 'sales', 'deals').waitFor()
    await page.getByRole('button', { name: /^Only one group uses a table/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Only one group uses a table' })
    expect(await dialog.getByLabel('Who').inputValue()).toBe('sales')
    await dialog.getByLabel('Table', { exact: true }).selectOption('deals')
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    const impact = await review(page)
    await impact.getByRole('alert').getByText('Bob Ross, Eve Adams: no access to “deals” any more.').waitFor()
    await impact.getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('The rules are saved.').waitFor()
    expect(await rules()).toMatchObject([{ group: 'sales', read: 'all', delete: 'all' }])
    const member = await openAs(service, '/tables/deals', { as: grace })
    await member.getByText('Town hall').waitFor()
  })

  test('hide columns', async () => {
    const page = await openAccess(service)
    await page.getByRole('button', { name: /^Some columns are hidden/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Some columns are hidden' })
    await dialog.getByLabel('Table', { exact: true }).selectOption('deals')
    await dialog.getByLabel('margin').check()
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    const impact = await review(page)
    await impact.getByText('No longer sees these columns: margin').first().waitFor()
    await impact.getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('The rules are saved.').waitFor()
    const names = ['id', 'title', 'owner', 'amount']
    expect(await rules()).toMatchObject([{ read: 'all', columns: { read: names, write: names } }])
  })

  test('that hide a column in some of the records say in how many, and those that change nothing say so', async () => {
    await service.setRules([own, { group: 'role:editor', table: 'deals', read: 'all', update: 'all' }])
    const page = await openAccess(service)
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByRole('menuitem', { name: 'Some columns are hidden' }).click()
    const dialog = page.getByRole('dialog', { name: 'Some columns are hidden' })
    await dialog.getByLabel('Table', { exact: true }).selectOption('deals')
    await dialog.getByLabel('Who').selectOption('Editors')
    for (const column of ['amount', 'margin']) await dialog.getByLabel(column).check()
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    const impact = await review(page)
    await impact.getByText('Bob Ross, Grace Hopper, each').waitFor()
    await impact.getByText('Can no longer read amount, margin in 2 records').waitFor()
    await impact.getByText('May no longer change amount, margin in 2 records').waitFor()
    await impact.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()

    await matrixCell(page, 'Viewers', 'deals').click()
    await page.getByLabel('Delete records').selectOption('All')
    await apply(page)
    await (await review(page)).getByText('These rules change nothing for anybody.').waitFor()
  })

  test('are edited by the filter builder, with who asks as a value', async () => {
    const page = await openAccess(service)
    await matrixCell(page, 'Editors', 'deals').click()
    await page.getByText('With this rule, “deals” is closed to everybody for whom there is no rule.').waitFor()
    await page.getByLabel('See records').selectOption('Only records that match…')
    // A person is compared with who asks to begin with.
    expect(await page.getByRole('combobox', { name: 'Compared with' }).inputValue()).toBe('the person who is signed in')
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByRole('combobox', { name: 'Column', exact: true }).nth(1).click()
    await page.getByRole('option', { name: 'amount' }).click()
    await page.getByRole('textbox', { name: 'Value' }).last().fill('100')
    await page.getByRole('combobox', { name: 'All or any of the conditions' }).click()
    await page.getByRole('option', { name: 'or', exact: true }).click()
    await page.getByLabel('Change records').selectOption('The same records as they see')
    await page.getByLabel('Columns', { exact: true }).selectOption('Only these columns')
    await page.getByLabel('May change “margin”').uncheck()
    await apply(page)
    await (await review(page)).getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('The rules are saved.').waitFor()
    const rule = 'or=(owner.eq.@me,amount.eq."100")'
    const columns = { read: ['id', 'title', 'owner', 'amount', 'margin'], write: ['id', 'title', 'owner', 'amount'] }
    expect(await rules()).toEqual([
      { group: 'role:editor', table: 'deals', read: rule, create: 'none', update: rule, delete: 'none', columns },
    ])
  })

  test.each([
    'owner=isdistinct.@me',
    'title=eq.@me.email',
    'title=in.@me.groups',
    'or=(title.not.in.@me.groups,title.is.null)',
    'or=(owner.eq.@me,title.in.@me.groups)',
  ])('are accepted as the filter builder writes them: %s', async (read) => {
    await service.setRules([{ group: 'everyone', table: 'deals', read }])
    expect(await rules()).toMatchObject([{ read }])
  })

  test('that the service refuses are marked, with its message', async () => {
    const page = await openAccess(service)
    await matrixCell(page, 'Editors', 'deals').click()
    await page.getByLabel('See records').selectOption('Only records that match…')
    await page.getByRole('button', { name: 'Edit as text' }).click()
    await page.getByLabel('Conditions as text').fill('company.name=eq.Acme')
    await apply(page)
    await page.getByRole('button', { name: 'Check and save…' }).click()
    await page.getByText('1 rule has a problem and is marked.').waitFor()
    await page.getByRole('button', { name: /^Editors, deals: .*has a problem$/ }).click()
    await page
      .getByRole('alert')
      .getByText(/company/)
      .waitFor()
    // What is not complete is not applied.
    await page.getByLabel('Conditions as text').fill('')
    await apply(page)
    await page.getByText('Complete the conditions, or choose “All” or “None”.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  test('that somebody else has changed meanwhile are loaded anew', async () => {
    const page = await openAccess(service)
    await matrixCell(page, 'Viewers', 'deals').click()
    await page.getByLabel('See records').selectOption('All')
    await apply(page)
    await service.setRules([{ group: 'everyone', table: 'projects', read: 'all' }])
    const impact = await review(page)
    await impact.getByRole('button', { name: 'Save rules' }).click()
    await impact.getByText('Somebody else has changed the rules since you opened them.').waitFor()
    await impact.getByRole('button', { name: 'Load anew' }).click()
    await matrixCell(page, 'Everyone', 'projects').and(page.getByLabel('See: all')).waitFor()
    await page.getByText('unsaved rule').waitFor({ state: 'detached' })
    await matrixCell(page, 'Viewers', 'deals').and(page.getByLabel('by role')).waitFor()
  })

  test('are reached by keyboard', async () => {
    const page = await openAccess(service)
    await matrixCell(page, 'Everyone', 'all tables').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    const cell = matrixCell(page, 'Editors', 'companies')
    expect(await cell.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Editors · companies' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label')?.startsWith('Editors, companies'))
    await page.keyboard.press('End')
    await page.keyboard.press('Home')
    expect(await page.locator('.access-matrix [tabindex="0"]').count()).toBe(1)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toStartWith('Editors, all tables')
  })

  test('are explained, and their changes are listed', async () => {
    await service.setRules([own])
    const page = await openAccess(service)
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Show reason' }) })
    expect(await form.getByLabel('User').locator('option').last().textContent()).toBe('Ada Lovelace')
    await form.getByLabel('User').selectOption('Grace Hopper')
    await form.getByLabel('Table').selectOption('deals')
    await form.getByLabel('id, as the record shows it').fill(' 2 ')
    await form.getByRole('button', { name: 'Show reason' }).click()
    await page.getByText('No, Grace Hopper may not. None of the rules for this user allows it.').waitFor()
    await form.getByLabel('id, as the record shows it').fill('1')
    await form.getByRole('button', { name: 'Show reason' }).click()
    await page.getByText('Yes, Grace Hopper may. This rule decides:').waitFor()
    await page.getByText('Rule 1 · Everyone · owner is the person who is signed in (allows it)').waitFor()
    await page
      .getByText(/^Added: Everyone · deals — See: owner is the person who is signed in/)
      .first()
      .waitFor()
  })

  test('name users by their names, and say which other names they followed', async () => {
    const read = `owner=eq.${service.ids.bob}`
    await service.setRules([own, { group: 'role:viewer', table: 'deals', read, update: `or=(owner.neq.${service.ids.bob},amount.eq.7)` }])
    const rename = async (from: string, name: string) => {
      const path = `${service.url}/api/v1/tables/deals/columns/${from}`
      expect((await call(path, { token: service.token, method: 'PATCH', body: { name } })).status).toBe(200)
    }
    await rename('amount', 'total')
    const page = await openAccess(service)
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Show reason' }) })
    await form.getByLabel('User').selectOption('Grace Hopper')
    await form.getByLabel('Table').selectOption('deals')
    await form.getByRole('button', { name: 'Show reason' }).click()
    await page.getByText('Rule 2 · Viewers · owner is Bob Ross (not for this user)').waitFor()
    await page
      .getByText(/^Added: Viewers · deals — See: owner is Bob Ross .*total is 7/)
      .first()
      .waitFor()
    await page.getByText('The rules followed another name: “amount” is “total” now.').waitFor()
    expect(await page.getByText(service.ids.bob).count()).toBe(0)
    await expectAccessible(page)
    await rename('total', 'amount')
  })

  test('can be read on a phone and with a screen reader', async () => {
    await service.setRules([own, { group: 'role:viewer', table: '*', read: 'all' }])
    const page = await openAccess(service)
    await matrixCell(page, 'Viewers', 'contacts').and(page.getByLabel('by the rule for all tables: See: all')).waitFor()
    await expectAccessible(page)
    await matrixCell(page, 'Everyone', 'deals').click()
    await page.getByLabel('Columns', { exact: true }).selectOption('Only these columns')
    await expectAccessible(page)
    const phone = await openAccess(service, { size: 'phone' })
    await expectNoSideways(phone)
    await matrixCell(phone, 'Everyone', 'deals').click()
    await phone.getByRole('button', { name: 'Apply' }).waitFor()
    await expectNoSideways(phone)
  })
})
