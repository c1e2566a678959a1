import { beforeAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { makeLink } from '../../support/links'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const admin = (path: string, method: string, body: unknown) => app.call(`/api/v1${path}`, { as: 'admin', method, body })
const rename = (renameChoices: object, query = '') => admin(`/tables/notes/columns/state${query}`, 'PATCH', { renameChoices })
const refusalOf = async (choice: string) => {
  const { errors } = await expectProblem(await rename({ [choice]: 'renamed' }), 409, 'conflict')
  await expectProblem(await rename({ [choice]: 'renamed' }, '?dryRun=true'), 409, 'conflict')
  return errors?.[0]
}
const made = async (path: string, body: unknown) => expect((await admin(path, 'POST', body)).status).toBe(201)
const share = (table: string, query: string) => makeLink(app, { table, query }, 'admin')
const select = (name: string, ...choices: string[]) => ({ name, type: 'select', options: { choices } })
const integer = (name: string) => ({ name, type: 'integer' })
const link = (name: string, table: string) => ({ name, type: 'link', options: { table } })
const lookup = (name: string, from: string, column: string) => ({ name, type: 'lookup', options: { link: from, column } })

async function makeNotes() {
  const columns = [select('state', 'ruled', 'a b', 'linked', 'shown', 'preset', 'counted', 'free'), { name: 'why', type: 'text' }]
  await made('/tables', { name: 'notes', columns })
  await made('/tables', { name: 'books', columns: [{ name: 'notes', type: 'manyLinks', options: { table: 'notes' } }] })
  const condition = { column: 'state', operator: 'in', value: ['counted', 'ruled'] }
  await made('/tables/books/columns', { name: 'counted', type: 'count', options: { link: 'notes', filter: [condition] } })
  const fields = [
    { column: 'state', default: 'preset' },
    { column: 'why', shownIf: 'state=eq.shown' },
  ]
  await made('/form-definitions', { name: 'ask', table: 'notes', title: 'Ask', fields })
  await share('notes', 'state=neq.linked')
}

async function makeOrders() {
  const columns = [select('level', 'internal', 'counted', 'labelled', 'chained', 'free'), select('kind', 'inside', 'outside')]
  await made('/tables', { name: 'customers', columns })
  await made('/tables/customers/columns', { name: 'label', type: 'formula', options: { formula: '{level} & ""' } })
  await made('/tables', { name: 'orders', columns: [link('customer', 'customers')] })
  await made('/tables/orders/columns', lookup('class', 'customer', 'level'))
  await made('/tables/orders/columns', lookup('labelled', 'customer', 'label'))
  await made('/tables', { name: 'trips', columns: [link('sale', 'orders')] })
  const condition = { column: 'class', operator: 'eq', value: 'counted' }
  await made('/tables/trips/columns', { name: 'many', type: 'count', options: { link: 'sale', filter: [condition] } })
  await share('orders', 'class=neq.internal')
  await share('customers', 'label=neq.labelled')
  await share('trips', 'sale.labelled=neq.chained&select=sale(class)')
  await share('customers', 'kind=not.like.in*')
}

async function makeDeals() {
  const columns = [
    link('team', 'teams'),
    ...['level', 'stage', 'grade', 'size', 'amount', 'free'].map(integer),
    { name: 'why', type: 'text' },
  ]
  await made('/tables', { name: 'teams', columns: [{ name: 'name', type: 'text' }] })
  await made('/tables', { name: 'deals', columns })
  await made('/tables', { name: 'visits', columns: [link('deal', 'deals'), integer('free')] })
  await made('/tables/visits/columns', lookup('deal grade', 'deal', 'grade'))
  await made('/tables/visits/columns', lookup('amount', 'deal', 'amount'))
  await made('/tables/deals/columns', { name: 'score', type: 'formula', options: { formula: '{amount} * 1' } })
  const fields = [{ column: 'stage' }, { column: 'why', shownIf: 'stage=eq.3' }]
  await made('/form-definitions', { name: 'offer', table: 'deals', title: 'Offer', fields })
  await share('deals', 'level=lte.3')
  await share('deals', 'select=free,level&order=free')
  await share('visits', '%22deal+grade%22=gte.2')
  await share('visits', 'deal(size)=lt.9')
  await share('visits', 'free=gt.1')
  await share('visits', 'amount=lt.9')
  await share('deals', 'score=lte.3')
}

beforeAll(async () => {
  await makeNotes()
  await makeOrders()
  await makeDeals()
  const etag = (await app.call('/api/v1/access', { as: 'admin' })).headers.get('etag')!
  const all = { group: 'everyone', create: 'all', update: 'all', delete: 'all' }
  const rules = [
    { ...all, table: 'notes', read: 'state=not.in.("ruled","a b")' },
    { ...all, table: 'deals', read: 'team=neq.7' },
  ]
  const put = await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules }, headers: { 'if-match': etag } })
  expect(put.status).toBe(200)
})

test.each([
  ['ruled', 'access rule "everyone: notes"'],
  ['a b', 'access rule "everyone: notes"'],
  ['linked', 'share link'],
  ['shown', 'form "ask"'],
  ['preset', 'form "ask"'],
  ['counted', 'column "books.counted"'],
])('the choice %s keeps its name, which the %s compares', async (choice, subject) => {
  expect(await refusalOf(choice)).toMatchObject({ path: `/renameChoices/${choice}`, message: expect.stringContaining(subject) })
})

test('a choice keeps its name while its column gets another one', async () => {
  const body = { name: 'status', renameChoices: { linked: 'renamed' } }
  await expectProblem(await admin('/tables/notes/columns/state', 'PATCH', body), 409, 'conflict')
})

test('another choice gets another name', async () => {
  expect((await rename({ free: 'renamed' })).status).toBe(200)
  const { columns } = await json(app.call('/api/v1/tables/notes', { as: 'admin' }))
  expect(
    columns
      .find(({ name }: { name: string }) => name === 'state')
      .options.choices.map((choice: unknown) => (typeof choice === 'string' ? choice : (choice as { value: string }).value)),
  ).toContain('renamed')
})

describe('a choice that is compared', () => {
  const renamed = (column: string, choice: string) =>
    admin(`/tables/customers/columns/${column}`, 'PATCH', { renameChoices: { [choice]: 'renamed' } })

  test.each([
    ['through a lookup', 'level', 'internal', 'share link'],
    ['by a condition on a lookup', 'level', 'counted', 'column "trips.many"'],
    ['through a stored formula', 'level', 'labelled', 'share link'],
    ['through a lookup of a formula, from a third table', 'level', 'chained', 'share link'],
    ['by a pattern', 'kind', 'inside', 'share link'],
  ])('%s keeps its name', async (_how, column, choice, subject) => {
    const { message } = await expectProblem(await renamed(column, choice), 409, 'conflict')
    expect(message).toContain(subject)
  })

  test('with others only gets another name', async () => expect((await renamed('level', 'free')).status).toBe(200))
})

describe('a column keeps its type', () => {
  const toText = (column: string, query = '') => admin(`/tables/deals/columns/${column}${query}`, 'PATCH', { type: 'text' })

  test.each([
    ['an access rule', 'team', 'access rule "everyone: deals"'],
    ['a share link', 'level', 'share link'],
    ['a form', 'stage', 'form "offer"'],
    ['a share link, through a lookup', 'grade', 'share link'],
    ['a share link of a linked table', 'size', 'share link'],
  ])('while its values are compared by %s', async (_how, column, subject) => {
    const { message, errors } = await expectProblem(await toText(column), 409, 'conflict')
    expect(message).toContain(`since the ${subject}`)
    expect(errors?.[0]?.path).toBe('/type')
    expect((await expectProblem(await toText(column, '?dryRun=true'), 409, 'conflict')).message).toBe(message)
  })

  test.each([
    ['deals', 'score', { formula: '{amount} & ""' }],
    ['visits', 'amount', { link: 'deal', column: 'why' }],
  ])('while the values that it computes are compared by a share link: %s.%s', async (table, column, options) => {
    const answer = await admin(`/tables/${table}/columns/${column}`, 'PATCH', { options })
    const { message, errors } = await expectProblem(answer, 409, 'conflict')
    expect(message).toContain('since the share link')
    expect(errors?.[0]?.path).toBe('/options')
  })

  test('but computes other values of it', async () => {
    const options = { formula: '{amount} * 2' }
    expect((await admin('/tables/deals/columns/score', 'PATCH', { options })).status).toBe(200)
  })

  test('but not if they are only shown, or another table has the compared column', async () =>
    expect((await toText('free')).status).toBe(200))

  test('but not if they are compared alike afterwards', async () => {
    const change = { type: 'longText' }
    await share('deals', 'why=eq.x')
    expect((await admin('/tables/deals/columns/why', 'PATCH', change)).status).toBe(200)
  })
})
