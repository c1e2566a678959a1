import { beforeAll, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const admin = (path: string, method: string, body: unknown) => app.call(`/api/v1${path}`, { as: 'admin', method, body })
const rename = (renameChoices: object, query = '') => admin(`/tables/notes/columns/state${query}`, 'PATCH', { renameChoices })
const refusalOf = async (choice: string) => {
  const { errors } = await expectProblem(await rename({ [choice]: 'renamed' }), 409, 'conflict')
  await expectProblem(await rename({ [choice]: 'renamed' }, '?dryRun=true'), 409, 'conflict')
  return errors?.[0]
}

beforeAll(async () => {
  const choices = ['ruled', 'a b', 'linked', 'shown', 'preset', 'counted', 'free']
  const columns = [
    { name: 'state', type: 'select', options: { choices } },
    { name: 'why', type: 'text' },
  ]
  await admin('/tables', 'POST', { name: 'notes', columns })
  await admin('/tables', 'POST', { name: 'books', columns: [{ name: 'notes', type: 'manyLinks', options: { table: 'notes' } }] })
  const condition = { column: 'state', operator: 'in', value: ['counted', 'ruled'] }
  const counted = await admin('/tables/books/columns', 'POST', {
    name: 'counted',
    type: 'count',
    options: { link: 'notes', filter: [condition] },
  })
  expect(counted.status).toBe(201)
  const fields = [
    { column: 'state', default: 'preset' },
    { column: 'why', shownIf: 'state=eq.shown' },
  ]
  expect((await admin('/form-definitions', 'POST', { name: 'ask', table: 'notes', title: 'Ask', fields })).status).toBe(201)
  expect((await admin('/links', 'POST', { table: 'notes', query: 'state=neq.linked' })).status).toBe(201)
  const etag = (await app.call('/api/v1/access', { as: 'admin' })).headers.get('etag')!
  const rules = [{ group: 'everyone', table: 'notes', read: 'state=not.in.("ruled","a b")', create: 'all', update: 'all', delete: 'all' }]
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

test('another choice gets another name', async () => {
  expect((await rename({ free: 'renamed' })).status).toBe(200)
  const { columns } = await json(app.call('/api/v1/tables/notes', { as: 'admin' }))
  expect(
    columns
      .find(({ name }: { name: string }) => name === 'state')
      .options.choices.map((choice: unknown) => (typeof choice === 'string' ? choice : (choice as { value: string }).value)),
  ).toContain('renamed')
})
