import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../../support/app'

const app = await startApp()
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const part = encodeURIComponent

const hostile = [
  '"',
  "a'b",
  '%',
  '/',
  '?',
  '#',
  'a/b?c=d&e',
  '__proto__',
  'constructor',
  '$1',
  '%s',
  '\\',
  '..',
  '.',
  'ctid',
  'xmin',
  'id',
  'data.x',
  'select',
  '🦊',
  'e\u0301',
  'é',
  '\u202eabc',
  'ﷺ',
  ' ',
  'a b ',
  '\t',
  'A',
  'a',
  "'; drop table data.a; --",
  '{}',
  '*',
  'a->b',
  '(x)',
]
const name = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
)
const type = fc.constantFrom(
  { type: 'text', options: { maxLength: 9 } },
  { type: 'select', options: { choices: ['a'] } },
  { type: 'integer', options: { min: 0 } },
  { type: 'updatedAt' },
  { type: 'user' },
)

type Step = {
  kind: 'create' | 'rename' | 'drop' | 'addColumn' | 'renameColumn' | 'dropColumn'
  name: string
  at: number
  column: number
  type: object
}
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('create', 'create', 'rename', 'drop', 'addColumn', 'addColumn', 'renameColumn', 'dropColumn'),
  name,
  at: fc.nat(),
  column: fc.nat(),
  type,
})

type Shown = { id: string; name: string; columns: { id: string; name: string }[] }
const shown = async (): Promise<Shown[]> => (await json(app.call('/api/v1/tables', { as: 'viewer' }))).tables

async function take({ kind, name: to, at, column, type }: Step): Promise<Response | null> {
  const tables = await shown()
  if (kind === 'create') return admin('', 'POST', { name: to, columns: [{ name: to, ...type }] })
  const table = tables.length ? tables[at % tables.length]! : null
  if (!table) return null
  if (kind === 'rename') return admin(`/${table.id}`, 'PATCH', { name: to })
  if (kind === 'drop') return admin(`/${table.id}?confirm=${part(table.name)}`, 'DELETE')
  if (kind === 'addColumn') return admin(`/${table.id}/columns`, 'POST', { name: to, ...type })
  const chosen = table.columns[column % table.columns.length]!
  // By name where an address can hold it.
  const reference = ['.', '..'].includes(chosen.name) ? chosen.id : part(chosen.name)
  if (kind === 'renameColumn') return admin(`/${table.id}/columns/${reference}`, 'PATCH', { name: to })
  return admin(`/${table.id}/columns/${reference}?confirm=${part(chosen.name)}`, 'DELETE')
}

/** Tables with their columns, as the catalogue's notes, as PostgreSQL and as the API has them. */
async function agree(): Promise<void> {
  const read = async (text: string) => (await app.deps.db.query<{ text: string }>(text)).map((row) => row.text).sort()
  const noted = await read(
    `select json_build_array(t.name, c.name, c.id)::text as text from rowhouse.tables t join rowhouse.columns c on c.table_id = t.id`,
  )
  const real = await read(
    `select json_build_array(c.relname, a.attname)::text as text from pg_class c join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped
     where relnamespace = 'data'::regnamespace and relkind = 'r'`,
  )
  const tables = await shown()
  const api = tables.flatMap((table) => table.columns.map((column) => [table.name, column.name, column.id]))
  const text = (parts: string[][]) => parts.map((each) => JSON.stringify(each)).sort()
  const parsed = noted.map((row) => JSON.parse(row) as string[])
  expect(text(api)).toEqual(text(parsed))
  expect(text(api.map((parts) => parts.slice(0, 2)))).toEqual(text(real.map((row) => JSON.parse(row))))
  for (const table of tables.slice(0, 3)) {
    if (!['.', '..'].includes(table.name))
      expect((await json(app.call(`/api/v1/tables/${part(table.name)}`, { as: 'viewer' }))).id).toBe(table.id)
    expect((await app.call(`/api/v1/tables/${table.id}/records`, { as: 'viewer' })).status).toBe(200)
  }
}

test('whatever the names: a change is made or refused, and the notes, PostgreSQL and the API say the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      for (const each of steps) {
        const answer = await take(each)
        if (answer && ![200, 201, 204, 409, 422].includes(answer.status)) {
          throw new Error(`${each.kind} ${JSON.stringify(each.name)}: ${answer.status} ${await answer.text()}`)
        }
      }
      await agree()
      for (const { id, name: gone } of await shown()) await admin(`/${id}?confirm=${part(gone)}`, 'DELETE')
    }),
    { numRuns: 25 },
  )
})
