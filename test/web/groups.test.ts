import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { json } from '../support/app'
import { expectAccessible, expectNoSideways, visit } from '../support/browser'
import { call } from '../support/executable'
import { startUi, takeSession } from '../support/ui'

const service = await startUi()
afterAll(() => service.stop())

const api = (path: string, more: object = {}) => json(call(`${service.url}/api/v1/${path}`, { token: service.token, ...more }))
const people: { id: string; name: string }[] = []
for (let index = 0; index < 12; index++) {
  const body = { email: `person${index}@example.org`, name: `Person ${index}`, role: 'viewer' }
  people.push((await api('users', { body })).user)
}

async function at(path: string, options: Parameters<typeof visit>[0] = {}): Promise<Page> {
  const { page } = await visit(options)
  await takeSession(page, service.url)
  await page.goto(service.url + path)
  await page.getByRole('heading', { level: 2 }).first().waitFor()
  return page
}

type Group = { id: string; name: string; members: string[] }
const groupNamed = async (name: string) => ((await api('groups')).groups as Group[]).find((group) => group.name === name)
const withMembers = (page: Page, count: number) => page.getByText(new RegExp(`^${count} members?`)).waitFor()

describe('groups', () => {
  test('are made, get members by their names, are renamed and deleted', async () => {
    const page = await at('/settings/groups')
    await page.getByText('No groups').waitFor()
    await page.getByRole('button', { name: 'New group' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('role:sales')
    await page.getByRole('button', { name: 'Create group' }).click()
    await page.getByRole('alert').filter({ hasText: 'cannot begin with' }).waitFor()
    await page.getByRole('dialog').getByLabel('Name').fill('Sales')
    await page.getByRole('button', { name: 'Create group' }).click()

    const dialog = page.getByRole('dialog', { name: 'Members of Sales' })
    const add = dialog.getByRole('combobox', { name: 'Add a member' })
    await add.waitFor()
    await expectAccessible(page)
    for (const [typed, name] of [
      ['person 3', 'Person 3'],
      ['person7@', 'Person 7'],
    ] as const) {
      await add.fill(typed)
      await page.getByRole('option', { name }).click()
      await dialog.getByRole('button', { name: `Remove ${name}` }).waitFor()
      // Ready for the next one.
      expect(await add.inputValue()).toBe('')
    }
    await add.pressSequentially('person 4')
    await page.getByRole('option', { name: 'Person 4' }).waitFor()
    await add.press('Enter')
    await dialog.getByRole('button', { name: 'Remove Person 4' }).click()
    await dialog.getByRole('button', { name: 'Remove Person 4' }).waitFor({ state: 'detached' })
    await add.fill('person 3')
    await page.getByText('No matching users').waitFor()
    // Closes the list alone.
    await add.press('Escape')
    expect((await groupNamed('Sales'))?.members).toEqual([people[3]!.id, people[7]!.id])
    await dialog.getByRole('button', { name: 'Remove Person 3' }).click()
    await dialog.getByRole('button', { name: 'Remove Person 3' }).waitFor({ state: 'detached' })
    expect((await groupNamed('Sales'))?.members).toEqual([people[7]!.id])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText('1 member · Person 7').waitFor()

    await page.getByRole('button', { name: 'Actions for Sales' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Sales team')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Sales team', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByText('Groups: Sales team').waitFor()
    await page.getByRole('link', { name: 'Groups' }).click()

    await page.getByRole('button', { name: 'Actions for Sales team' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete group' }).click()
    await page.getByText('No groups').waitFor()
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('row', { name: /Group deleted.*deleted group.*removed: person7@example.org/ }).waitFor()
    await page.getByRole('row', { name: /added: person3@example.org/ }).waitFor()
  })

  test('with many members are searched, also with the keyboard alone', async () => {
    const { id } = await api('groups', { body: { name: 'Everybody else', members: people.slice(0, 10).map((person) => person.id) } })
    const page = await at('/settings/groups')
    await page.getByText('10 members · Person 0, Person 1, Person 2, Person 3, Person 4, 5 more').waitFor()
    await page.getByRole('button', { name: 'Members of Everybody else' }).press('Enter')
    const add = page.getByRole('combobox', { name: 'Add a member' })
    await add.fill('Person 11')
    await add.press('ArrowDown')
    await add.press('Enter')
    await page.getByRole('button', { name: 'Remove Person 11' }).waitFor()
    await page.getByLabel('Find a member').fill('PERSON8@')
    expect(await page.getByRole('list', { name: 'Members' }).getByRole('listitem').count()).toBe(1)
    await page.getByRole('button', { name: 'Remove Person 8' }).press('Enter')
    await page.getByText('No matching members.').waitFor()
    await page.keyboard.press('Escape')
    await withMembers(page, 10)
    await api(`users/${people[9]!.id}`, { method: 'PATCH', body: { name: 'Somebody' } })
    await call(`${service.url}/api/v1/groups/${id}`, { token: service.token, method: 'DELETE' })
  })

  test('with rules are kept, and the dialog says why', async () => {
    const group = await api('groups', { body: { name: 'Ruled' } })
    const page = await at('/settings/groups')
    // What the service answers where the access document names the group.
    const message = 'The access document has rules for this group, on orders. Remove them first.'
    await page.route(`**/api/v1/groups/${group.id}`, (route) =>
      route.fulfill({ status: 409, contentType: 'application/problem+json', body: JSON.stringify({ code: 'conflict', message }) }),
    )
    await page.getByRole('button', { name: 'Actions for Ruled' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete group' }).click()
    await page.getByRole('alert').filter({ hasText: message }).waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Delete group' }).click()
    await page.getByRole('heading', { name: 'Ruled', exact: true }).waitFor({ state: 'detached' })
  })
})

describe('service users', () => {
  test('are added with a token that is shown once and works until it is revoked', async () => {
    const page = await at('/settings/users')
    await page.getByRole('button', { name: 'Add service user' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Stock feed')
    await page.getByRole('dialog').getByRole('button', { name: 'Add service user' }).click()
    const tokens = page.getByRole('dialog', { name: 'API tokens of Stock feed' })
    await tokens.getByText('No tokens').waitFor()
    await tokens.getByRole('button', { name: 'New token' }).click()
    const form = page.getByRole('dialog', { name: 'New API token' })
    await form.getByLabel('Name').fill('hourly')
    await form.getByRole('button', { name: 'Create token' }).click()
    const value = page.getByLabel('Token', { exact: true })
    await value.waitFor()
    // It cannot be shown again, so nothing but its own button takes it away.
    await page.keyboard.press('Escape')
    const token = await value.inputValue()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await tokens.getByRole('button', { name: 'Revoke hourly' }).waitFor()
    await expectAccessible(page)
    expect((await json(call(`${service.url}/auth/me`, { token }))).user).toMatchObject({
      kind: 'service',
      name: 'Stock feed',
      role: 'editor',
    })

    await tokens.getByRole('button', { name: 'Revoke hourly' }).click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await tokens.getByText('No tokens').waitFor()
    expect((await call(`${service.url}/auth/me`, { token })).status).toBe(401)
    await tokens.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('heading', { name: 'Stock feed service user' }).waitFor()
    await page.getByRole('button', { name: 'Actions for Stock feed' }).click()
    await page.getByRole('menuitem', { name: 'API tokens…' }).waitFor()
    for (const name of ['Reset password by link', 'Sign out everywhere']) expect(await page.getByRole('menuitem', { name }).count()).toBe(0)
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('Stock feed')
    await page.getByRole('button', { name: 'Delete user' }).click()
    await page.getByRole('heading', { name: 'Stock feed service user' }).waitFor({ state: 'detached' })
  })

  test('of people no token is made', async () => {
    const page = await at('/settings/users')
    await page.getByRole('button', { name: 'Actions for person1@example.org' }).click()
    await page.getByRole('menuitem', { name: 'API tokens…' }).click()
    const tokens = page.getByRole('dialog', { name: 'API tokens of Person 1' })
    await tokens.getByText('No tokens').waitFor()
    expect(await tokens.getByRole('button', { name: 'New token' }).count()).toBe(0)
  })
})

test('the pages of groups and users fit a phone, in German', async () => {
  await api('groups', { body: { name: 'Ein Name, der länger ist als ein Telefon breit ist und umbrochen wird', members: [people[0]!.id] } })
  await api('users', { body: { kind: 'service', name: 'NächtlicherImportOhneEinEinzigesLeerzeichenImNamen', role: 'viewer' } })
  for (const [path, button] of [
    ['/settings/groups', 'Neue Gruppe'],
    ['/settings/users', 'Dienstbenutzer anlegen'],
  ] as const) {
    const page = await at(path, { size: 'phone', language: 'de-DE' })
    await page.getByRole('button', { name: button }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Gruppen: Ein Name' }).or(page.getByText('1 Mitglied · Person 0')).first().waitFor()
    await expectNoSideways(page)
    await expectAccessible(page)
  }
})
