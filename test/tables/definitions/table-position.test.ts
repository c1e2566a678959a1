import { beforeEach, describe, expect, test } from 'bun:test'
import { startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const other = await startApp({}, { beside: app })

type TableAnswer = { id: string; name: string; section: string | null; position: number | null }
const admin = (path: string, method: string, body?: unknown, at = app) => at.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const place = (name: string, body: object, at = app) => admin(`/${name}`, 'PATCH', body, at)
async function placed(name: string, body: object): Promise<TableAnswer> {
  const response = await place(name, body)
  if (response.status !== 200) throw new Error(await response.text())
  return (await response.json()) as TableAnswer
}
async function listed(as: 'admin' | 'viewer' = 'viewer'): Promise<TableAnswer[]> {
  const { tables } = (await (await app.call('/api/v1/tables', { as })).json()) as { tables: TableAnswer[] }
  return tables
}
/** The names under a heading, in the order of the sidebar. */
async function namesIn(section: string | null): Promise<string[]> {
  const byName = new Intl.Collator('en', { numeric: true })
  const placeOf = ({ position }: TableAnswer) => position ?? Number.MAX_SAFE_INTEGER
  return (await listed())
    .filter((table) => table.section === section)
    .sort((one, another) => placeOf(one) - placeOf(another) || byName.compare(one.name, another.name))
    .map(({ name }) => name)
}

const names = ['Table 10', 'table 2', 'Äpfel', 'birds', 'zoo']

beforeEach(async () => {
  for (const { name } of await listed('admin')) await admin(`/${encodeURIComponent(name)}?confirm=${encodeURIComponent(name)}`, 'DELETE')
  for (const name of names) expect((await admin('', 'POST', { name, columns: [] })).status).toBe(201)
})

describe('the place of a table in the sidebar', () => {
  test('is by name until a table is moved, and the others keep the order that people see', async () => {
    expect((await listed()).map(({ section, position }) => [section, position])).toEqual(names.map(() => [null, null]))
    expect(await namesIn(null)).toEqual(['Äpfel', 'birds', 'table 2', 'Table 10', 'zoo'])
    expect(await placed('zoo', { position: 1 })).toMatchObject({ section: null, position: 1 })
    expect(await namesIn(null)).toEqual(['Äpfel', 'zoo', 'birds', 'table 2', 'Table 10'])
    await placed('zoo', { position: 2 })
    await placed('Äpfel', { position: 1_000_000_000 })
    expect(await namesIn(null)).toEqual(['birds', 'zoo', 'table 2', 'Table 10', 'Äpfel'])
    expect(await placed('birds', { position: null })).toMatchObject({ position: null })
    expect(await namesIn(null)).toEqual(['zoo', 'table 2', 'Table 10', 'Äpfel', 'birds'])
    await admin('', 'POST', { name: 'aardvark', columns: [] })
    expect((await namesIn(null)).slice(-2)).toEqual(['aardvark', 'birds'])
  })

  test('has a section, in which it comes last by name or at a position', async () => {
    await placed('zoo', { section: '  Animals ' })
    await placed('birds', { section: 'Animals' })
    expect(await namesIn('Animals')).toEqual(['birds', 'zoo'])
    expect(await placed('Äpfel', { section: 'Animals', position: 1 })).toMatchObject({ section: 'Animals', position: 1 })
    expect(await namesIn('Animals')).toEqual(['birds', 'Äpfel', 'zoo'])
    expect(await placed('birds', { section: 'Animals' })).toMatchObject({ position: 0 })
    expect(await placed('birds', { section: null })).toMatchObject({ section: null, position: null })
    expect(await namesIn('Animals')).toEqual(['Äpfel', 'zoo'])
    // Moving and renaming in one request.
    expect(await placed('zoo', { name: 'Zoo', section: 'Trips', position: 0 })).toMatchObject({
      name: 'Zoo',
      section: 'Trips',
      position: 0,
    })
    expect(await (await admin('', 'POST', { name: 'cats', section: 'Animals', columns: [] })).json()).toMatchObject({ section: 'Animals' })
  })

  test('is changed by administrators only, and only for tables that Rowhouse made', async () => {
    for (const as of ['editor', 'viewer'] as const)
      expect((await app.call('/api/v1/tables/zoo', { as, method: 'PATCH', body: { position: 0 } })).status).toBe(403)
    await app.deps.db.sql.unsafe('create table data.adopted (id bigint primary key)')
    await app.deps.catalog.refresh()
    await expectProblem(await place('adopted', { section: 'Animals' }), 409, 'conflict')
    await app.deps.db.sql.unsafe('drop table data.adopted')
    await app.deps.catalog.refresh()
    await expectProblem(await place('gone', { position: 0 }), 404, 'not_found')
  })

  test.each([
    ['of 10,000 characters', { section: 'x'.repeat(10_000) }],
    ['without a visible character', { section: ' \u00a0' }],
    ['with a control character', { section: 'a\u0007' }],
    ['with a line break', { section: 'a\nb' }],
    ['with a NUL', { section: 'a\0' }],
    ['with half a character', '{"section": "\\ud800"}'],
    ['that is a number', { section: 1 }],
    ['before the first', { position: -1 }],
    ['between two', { position: 0.5 }],
    ['that is a text', { position: 'NaN' }],
    ['that is infinite', '{"position": 1e999}'],
    ['that is not JSON', '{"position": NaN}'],
  ])('refuses a place %s', async (_what, body) => {
    const response = await app.call('/api/v1/tables/zoo', { as: 'admin', method: 'PATCH', body })
    expect([400, 422]).toContain(response.status)
    expect(await placed('zoo', { position: 0 })).toMatchObject({ section: null, position: 0 })
  })

  test('may have any visible name', async () => {
    for (const section of [
      '<img src=x onerror=alert(1)>',
      "'); drop table rowhouse.tables; --",
      '🏡',
      'null',
      '__proto__',
      'x'.repeat(100),
    ])
      expect(await placed('zoo', { section, position: 0 })).toMatchObject({ section, position: 0 })
  })

  test('is one order after moves at once through two instances', async () => {
    const moves = names.flatMap((name, index) => [
      place(encodeURIComponent(name), { section: 'Shared', position: index }),
      place(encodeURIComponent(name), { section: 'Shared', position: names.length - index }, other),
    ])
    expect((await Promise.all(moves)).map(({ status }) => status)).toEqual(moves.map(() => 200))
    const positions = (await listed()).map(({ section, position }) => [section, position]).sort()
    expect(positions).toEqual(names.map((_, index) => ['Shared', index]))
  })

  test('of a table that is deleted meanwhile: 404, or the table is gone after the move', async () => {
    const [moved, deleted] = await Promise.all([place('zoo', { position: 0 }), admin('/zoo?confirm=zoo', 'DELETE', undefined, other)])
    expect(deleted.status).toBe(204)
    expect([200, 404]).toContain(moved.status)
    expect(await namesIn(null)).not.toContain('zoo')
    expect((await placed('birds', { position: 3 })).position).toBe(3)
  })
})

test('a section is seen by those who see a table of it', async () => {
  await placed('zoo', { section: 'Secret' })
  const rules = {
    rules: [
      { group: 'everyone', table: 'birds', read: 'all' },
      { group: 'role:editor', table: 'zoo', read: 'all' },
    ],
  }
  const current = await app.call('/api/v1/access', { as: 'admin' })
  const headers = { 'if-match': current.headers.get('etag')! }
  const saved = await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: rules, headers })
  expect(await saved.json()).toMatchObject({ rules: expect.anything() })
  expect((await listed()).map(({ section }) => section)).not.toContain('Secret')
  expect((await listed('admin')).map(({ section }) => section)).toContain('Secret')
})
