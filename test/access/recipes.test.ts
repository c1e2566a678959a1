import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createToken } from '../../src/auth/accounts/tokens'
import { createUser } from '../../src/users/service'
import { json, password, startApp } from '../support/app'
import { makeForm, makeTable, submit } from '../support/forms'
import { asJson } from '../support/links'

/** The recipes of docs/access.md, as somebody would send them. */
const page = readFileSync(resolve(import.meta.dir, '../../docs/access.md'), 'utf8')
const recipe = (name: string) => JSON.parse(new RegExp(`<!-- recipe: ${name} -->\n\`\`\`json\n([\\s\\S]*?)\`\`\``).exec(page)![1]!)

const app = await startApp()
const { db, passwords } = app.deps
const people: Record<string, string> = {}

async function join(name: string, ...groups: string[]) {
  const { user } = await createUser(db, passwords, { email: `${name}@example.org`, name, role: 'editor', password }, null)
  people[name] = (await createToken(db, { user, via: 'cookie', catalogVersion: 0 }, { name: 'test' }, null)).token
  for (const group of groups) {
    await db.query('insert into rowhouse.groups (id, name) values ($1, $2) on conflict do nothing', [Bun.randomUUIDv7(), group])
    await db.query('insert into rowhouse.group_members select id, $2::uuid from rowhouse.groups where name = $1', [group, user.id])
  }
}

const as = (name: string, path: string, method = 'GET', body?: unknown) =>
  fetch(app.url + path, {
    method,
    headers: { authorization: `Bearer ${people[name]}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
const list = async (name: string, table: string) => (await json(as(name, `/api/v1/tables/${table}/records`))).records
const put = async (name: string) => {
  const saved = await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: recipe(name) })
  expect([saved.status, await json(saved)]).toMatchObject([200, { problems: [] }])
}

beforeAll(async () => {
  await join('ann', 'north', 'staff')
  await join('ben', 'south', 'staff', 'hr')
  await join('robot', 'partners')
  const table = (name: string, columns: object[], rows: object[]) =>
    app
      .call('/api/v1/tables', { as: 'admin', body: { name, columns } })
      .then(() => app.call(`/api/v1/tables/${name}/records`, { as: 'admin', body: rows }))
  const text = (name: string) => ({ name, type: 'text' })
  await table('orders', [text('title'), { name: 'created_by', type: 'createdBy' }], [{ title: 'early' }])
  await table(
    'tasks',
    [text('title'), text('team')],
    [
      { title: 'a', team: 'north' },
      { title: 'b', team: 'south' },
    ],
  )
  await table('people', [text('name'), { name: 'salary', type: 'integer' }], [{ name: 'Ann', salary: 123456 }])
  await table(
    'products',
    [text('name'), text('cost'), { name: 'published', type: 'boolean' }],
    [
      { name: 'lamp', cost: 'canary', published: true },
      { name: 'secret lamp', cost: 'canary', published: false },
    ],
  )
})

test('each seller sees their own orders, without filling in an owner', async () => {
  await put('own')
  const orders = '/api/v1/tables/orders/records'
  const titles = async (name: string) => (await list(name, 'orders')).map(({ title }: { title: string }) => title)
  expect(await titles('ann')).toEqual([])
  expect((await as('ann', orders, 'POST', { title: 'of ann' })).status).toBe(201)
  expect((await as('ben', orders, 'POST', [{ title: 'of ben' }, { title: 'too' }])).status).toBe(201)
  expect((await as('robot', '/rest/v1/orders', 'POST', { title: 'of robot' })).status).toBe(201)
  expect([await titles('ann'), await titles('ben'), await titles('robot')]).toEqual([['of ann'], ['of ben', 'too'], ['of robot']])
  const all = await json(app.call(`${orders}?select=id,title,created_by&order=id`, { as: 'admin' }))
  const [early, mine, others] = all.records
  // From before the rule: of the administrator, and of no seller.
  expect([early.title, mine.created_by === others.created_by]).toEqual(['early', false])
  // Nobody takes a record of another one, gives one away, or says whose a new one is.
  expect((await as('ann', `${orders}/${others.id}`, 'PATCH', { title: 'x' })).status).toBe(404)
  expect((await as('ann', `${orders}/${others.id}`, 'DELETE')).status).toBe(404)
  expect((await as('ann', `${orders}/${mine.id}`, 'PATCH', { created_by: others.created_by })).status).toBe(422)
  expect((await as('ann', orders, 'POST', { title: 'x', created_by: others.created_by })).status).toBe(422)
  expect((await as('ann', `${orders}/${mine.id}`, 'PATCH', { title: 'changed' })).status).toBe(200)
  expect([await titles('ann'), await titles('ben')]).toEqual([['changed'], ['of ben', 'too']])
  expect((await as('ann', `${orders}/${mine.id}`, 'DELETE')).status).toBe(204)
})

test('a team sees its own rows', async () => {
  await put('team')
  expect((await list('ann', 'tasks')).map(({ title }: { title: string }) => title)).toEqual(['a'])
  expect((await as('ann', '/api/v1/tables/tasks/records', 'POST', { title: 'c', team: 'south' })).status).toBe(403)
  expect((await as('ann', '/api/v1/tables/tasks/records/1', 'PATCH', { team: 'south' })).status).toBe(403)
  expect((await as('ann', '/api/v1/tables/tasks/records', 'POST', { title: 'c', team: 'north' })).status).toBe(201)
})

test('salaries are hidden from all but hr', async () => {
  await put('salaries')
  expect(await list('ann', 'people')).toEqual([{ id: 1, name: 'Ann' }])
  expect(await list('ben', 'people')).toEqual([{ id: 1, name: 'Ann', salary: 123456 }])
  expect((await as('ann', '/api/v1/tables/people/records?salary=gt.1')).status).toBe(400)
  expect((await as('ann', '/api/v1/tables/people/records/1', 'PATCH', { name: 'Anna' })).status).toBe(200)
})

test('a client reads by a share link what its issuer may read', async () => {
  const columns = ['title', 'client', 'state', 'lead'].map((name) => ({ name, type: 'text' }))
  await makeTable(app, 'projects', columns)
  const { users } = await json(app.call('/api/v1/users', { as: 'admin' }))
  const idOf = (wanted: string) => users.find(({ name }: { name: string }) => name === wanted).id
  const project = (title: string, client: string, lead: string) => ({ title, client, state: 'open', lead: idOf(lead) })
  const rows = [project('roof', 'Acme', 'ann'), project('canary', 'Acme', 'ben'), project('cellar', 'Other', 'ann')]
  await app.call('/api/v1/tables/projects/records', { as: 'admin', body: rows })
  await put('client')
  const made = await json(as('ann', '/api/v1/links', 'POST', recipe('client link')))
  const open = async () => (await json(fetch(made.url.replace(/^.*(?=\/s\/)/, app.url), { headers: asJson }))).records
  expect(await open()).toEqual([{ title: 'roof', state: 'open' }])
  await app.call('/api/v1/tables/projects/records/1', { as: 'admin', method: 'PATCH', body: { lead: idOf('ben') } })
  expect(await open()).toEqual([])
})

test('a public form adds records that only the staff reads', async () => {
  const columns = ['name', 'message', 'answer'].map((name) => ({ name, type: 'text' }))
  await makeTable(app, 'requests', columns)
  const form = await makeForm(app, 'requests', [{ column: 'name' }, { column: 'message' }])
  const { users } = await json(app.call('/api/v1/users', { as: 'admin' }))
  const { id } = users.find(({ name }: { name: string }) => name === 'Forms')
  expect((await app.call('/api/v1/groups', { as: 'admin', body: { name: 'Forms', members: [id] } })).status).toBe(201)
  await put('form')
  expect((await submit(app, form, { name: 'Eve', message: 'Please call.' })).status).toBe(200)
  expect(await list('ann', 'requests')).toEqual([{ id: 1, name: 'Eve', message: 'Please call.', answer: null }])
  expect((await as('robot', '/api/v1/tables/requests/records')).status).toBe(403)
})

test('a partner’s token reads one table', async () => {
  await put('partner')
  expect(await list('robot', 'products')).toEqual([{ id: 1, name: 'lamp' }])
  const { tables } = await json(as('robot', '/api/v1/tables'))
  expect(tables.map(({ name, can }: { name: string; can: object }) => [name, can])).toEqual([
    ['products', { read: true, create: false, update: false, delete: false, columns: { read: ['id', 'name'], write: [] } }],
  ])
  expect((await as('robot', '/api/v1/tables/people/records')).status).toBe(403)
  expect((await as('robot', '/api/v1/tables/products/records/1', 'PATCH', { name: 'x' })).status).toBe(403)
  expect(await list('ann', 'people')).toHaveLength(1)
})
