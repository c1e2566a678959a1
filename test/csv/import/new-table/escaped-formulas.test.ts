import { expect, test } from 'bun:test'
import { json, startApp } from '../../../support/app'
import { upload } from '../../../support/csv'
import { expectProblem } from '../../../support/problem'

const app = await startApp()

const make = async (name: string, columns: object[], records: object[]) => {
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })).status).toBe(201)
  expect((await app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body: records })).status).toBe(201)
}
const list = async (table: string) => (await json(app.call(`/api/v1/tables/${table}/records?order=id`, { as: 'viewer' }))).records
const columnsOf = async (table: string) =>
  (await json(app.call(`/api/v1/tables/${table}`, { as: 'viewer' }))).columns as { name: string; type: string; options: object }[]
const exported = async (table: string) =>
  (await app.call(`/api/v1/tables/${table}/export.csv?formulas=escape&order=id`, { as: 'viewer' })).text()
const importNew = (name: string, file: string, more = '') =>
  json(upload(app, 'import', file, { as: 'admin', query: `?name=${name}&formulas=escape${more}` }))

test('a table that was exported with escaped formulas comes back as it was', async () => {
  const texts = ['=1+1', "'=quoted", "'tis", '@home', '+47 55 50 10 01', '-5', 'plain']
  await make(
    'sums',
    [
      { name: 'text', type: 'text' },
      { name: '=name', type: 'text' },
      { name: 'n', type: 'integer' },
    ],
    texts.map((text, n) => ({ text, '=name': `-${n} words`, n: -n })),
  )
  const file = await exported('sums')
  const tried = await importNew('again', file, '&dryRun=true')
  expect(tried.columns.map(({ name }: { name: string }) => name)).toEqual(['id', 'text', '=name', 'n'])
  expect(tried.records.map(([, text]: string[]) => text)).toEqual(texts)
  expect((await importNew('again', file)).inserted).toBe(texts.length)
  expect(await list('again')).toEqual(await list('sums'))
  // Columns are named as in the header without its apostrophes.
  const columns = encodeURIComponent(JSON.stringify({ '=name': { name: 'other' } }))
  expect((await importNew('renamed', file, `&columns=${columns}`)).inserted).toBe(texts.length)
  expect((await columnsOf('renamed')).map(({ name }) => name)).toEqual(['id', 'text', 'other', 'n'])
})

test('choices lose the apostrophe, too', async () => {
  const file = `grade\n${"'-a\nb\n".repeat(12)}`
  const tried = await importNew('grades', file, '&dryRun=true')
  expect(tried.columns[0]).toMatchObject({ type: 'select', options: { choices: ['-a', 'b'] } })
  expect((await importNew('grades', file)).inserted).toBe(24)
  expect((await columnsOf('grades')).find(({ name }) => name === 'grade')!.options).toMatchObject({ choices: ['-a', 'b'] })
  expect((await list('grades'))[0]).toMatchObject({ grade: '-a' })
})

test.each([
  ['whole', '7', ''],
  ['percents', '5 %', ''],
  ['dates', '24.12.2025', '&dates=dmy'],
  ['amounts', '1.234,50', '&decimals=comma'],
  ['id', '', ''],
])('a column of %s that a late formula makes text loses it as well', async (name, value, more) => {
  const values = Array.from({ length: 1200 }, (_, index) => value || String(index + 1))
  const made = await importNew(`late_${name}`, `${name},x\n${[...values, "'=late"].map((text) => `"${text}",y\n`).join('')}`, more)
  expect(made.columns[0].type).toBe('text')
  const [row] = await app.deps.db.query(`select "${name}" as text from data."late_${name}" where "${name}" like '%late'`)
  expect(row).toEqual({ text: '=late' })
  const [first] = await app.deps.db.query<{ count: number }>(
    `select count(*)::int as count from data."late_${name}" where "${name}" = $1`,
    [values[0]!],
  )
  expect(Number(first!.count)).toBe(value ? 1200 : 1)
})

test('a file whose columns do not fit into PostgreSQL twice is refused with a sentence', async () => {
  const names = Array.from({ length: 801 }, (_, index) => `c${index}`)
  const file = `${names.join()}\n${names.map(() => "'=1").join()}\n`
  const answer = await upload(app, 'import', file, { as: 'admin', query: '?name=wide&formulas=escape' })
  const { errors } = await expectProblem(answer, 422, 'validation_failed')
  expect(errors as unknown).toEqual([
    {
      line: 1,
      column: null,
      message:
        'has too many columns: there is room for 1600, and those with formulas=escape, dates, decimals or a time zone need twice as much',
    },
  ])
})
