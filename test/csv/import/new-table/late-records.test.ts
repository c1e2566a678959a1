import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../../../support/app'
import { upload } from '../../../support/csv'

const app = await startApp()

let made = 0
/** A new table of one column: its type, and its cells as PostgreSQL writes them. */
async function importColumn(cells: readonly string[], header = 'v') {
  const name = `late_${++made}`
  const answer = await json(
    upload(app, 'import', `${header},end\n${cells.map((cell) => `${cell},\n`).join('')}`, { as: 'admin', query: `?name=${name}` }),
  )
  expect(answer).toMatchObject({ inserted: cells.length })
  const [column] = answer.columns
  const rows = await app.deps.db.sql.unsafe(`select "${column.name}"::text as v from data."${name}"`)
  await app.call(`/api/v1/tables/${name}?confirm=${name}`, { as: 'admin', method: 'DELETE' })
  return { type: column.type as string, primaryKey: answer.primaryKey as string, cells: rows.map(({ v }) => v as string) }
}

const first = (cell: string) => Array.from({ length: 1200 }, (_, index) => cell.replace('#', String(index + 1)))

test.each([
  ['#', '007', 'text'],
  ['#', '+49301', 'text'],
  ['#', '1e5', 'text'],
  ['#', '0x1F', 'text'],
  ['#', '0b11', 'text'],
  ['#', '1_000', 'text'],
  ['#', ' 5', 'text'],
  ['#', '-0', 'text'],
  ['#', 'yes', 'text'],
  ['#', 'NaN', 'text'],
  ['#.5', 'Infinity', 'text'],
  ['#.5', '00.5', 'text'],
  ['#.5', '.5', 'text'],
  ['#.5', '1E3', 'text'],
  ['#', '2147483648', 'bigint'],
  ['#', '9223372036854775808', 'decimal'],
  ['#', '1.50', 'decimal'],
  ['true', '1', 'text'],
  ['true', 'on', 'text'],
  ['12:30', '24:00', 'text'],
  ['12:30', '1:30', 'text'],
  ['12:30', '12:30:15.5', 'text'],
  ['2026-01-31', 'infinity', 'text'],
  ['2026-01-31', '2026-01-31 12:00', 'text'],
  ['2026-01-31T12:00Z', '2026-01-31', 'text'],
  ['2026-01-31T12:00Z', 'epoch', 'text'],
  ['0198c3d0-7a1b-7cde-8f00-0123456789ab', '{0198c3d0-7a1b-7cde-8f00-0123456789ab}', 'text'],
  ['[1]', 'null', 'text'],
  ['[1]', '"""\\u0000"""', 'text'],
])('a column of %j with %j further down is %s', async (cell, late, type) => {
  const found = await importColumn([...first(cell), late, first(cell)[0]!])
  expect(found.type).toBe(type)
  if (type === 'text') expect(found.cells).toEqual([...first(cell), late.replace(/^"|"$/g, '').replaceAll('""', '"'), first(cell)[0]!])
})

test.each([
  ['007', '_id', 'text'],
  ['1_000_000', '_id', 'text'],
  ['+5000', '_id', 'text'],
  ['5000', 'id', 'bigint'],
  ['1', '_id', 'bigint'],
])('a column "id" with %j further down', async (late, primaryKey, type) => {
  const found = await importColumn([...first('#'), late], 'id')
  expect(found).toMatchObject({ primaryKey, type })
})

test('whatever comes after the first records, no cell of text is altered, and no guess makes an import fail', async () => {
  const late = fc.oneof(
    fc.constantFrom('007', '1e5', '24:00', 'NaN', '-Infinity', 'yes', '0o17', '1.', '2026-02-30', '12:00:60', 'now', '(5)', '5 %', '$5'),
    fc.string({ unit: fc.constantFrom(...'0123456789+-.:eExTZ_ %$'), maxLength: 8 }).filter((cell) => cell !== ''),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('#', '#.5', 'true', '12:30', '2026-01-31', '2026-01-31T12:00Z'), late, async (cell, last) => {
      const { type, cells } = await importColumn([...first(cell), last])
      if (type === 'text') expect(cells).toEqual([...first(cell), last])
      else expect(/^(integer|bigint|decimal)$/.test(type) ? cells.at(-1) : last).toBe(last)
    }),
    { numRuns: 40 },
  )
})

test('a requested list has the choices of the whole file, and a key that is dropped can be asked for by its later name', async () => {
  const text = `id,state\n${first('#')
    .map((id) => `${id},${Number(id) % 2 ? 'open' : 'done'}\n`)
    .join('')}1,later\n`
  const send = (name: string, columns: object, more = '') =>
    json(upload(app, 'import', text, { as: 'admin', query: `?name=${name}&columns=${encodeURIComponent(JSON.stringify(columns))}${more}` }))
  const made = await send('listed', { state: { type: 'select' } }, '&displayColumn=_id')
  expect(made).toMatchObject({ inserted: 1201, primaryKey: '_id', table: { displayColumn: '_id' } })
  expect(made.columns[1]).toMatchObject({ type: 'select', options: { choices: ['done', 'later', 'open'] } })
  const refused = await send('narrow', { state: { type: 'select', options: { choices: ['done', 'open'] } } })
  expect(refused.errors).toMatchObject([{ column: 'state', line: 1202 }])
})
