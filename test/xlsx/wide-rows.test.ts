import { beforeAll, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { upload } from '../support/csv'
import { makeParts, makeWorkbook, packParts, rowOf } from '../support/workbooks'

const app = await startApp()
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const send = (path: string, file: Buffer, query = '') => upload(app, path, file, { as: 'admin', query, type })
const records = async (table: string) =>
  (await json(app.call(`/api/v1/tables/${table}/records?order=id`, { as: 'viewer' }))).records as object[]

const rows = rowOf(1, 'name') + rowOf(2, 'Ann', 'called twice') + rowOf(3, 'Bob')

function sheetOfRange(range: string): Buffer {
  const parts = makeParts({ sheets: { S: rows } })
  const path = 'xl/worksheets/sheet1.xml'
  return packParts({ ...parts, [path]: parts[path]!.replace('<sheetData>', `<dimension ref="${range}"/><sheetData>`) })
}

beforeAll(async () => {
  const body = { name: 'calls', columns: [{ name: 'name', type: 'text' }] }
  expect((await app.call('/api/v1/tables', { as: 'admin', body })).status).toBe(201)
})

test.each([
  ['names no range', makeWorkbook({ sheets: { S: rows } })],
  ['names its range', sheetOfRange('A1:B3')],
  ['names only its first cell', sheetOfRange('A1')],
])('the cells of a last column without a header are skipped where the sheet %s', async (_name, file) => {
  expect(await json(send('calls', file, '?dryRun=true'))).toMatchObject({
    inserted: 2,
    ignored: ['column 2, which has no name (1 cell)'],
  })
})

test('the rows above the header do not count', async () => {
  const file = makeWorkbook({ sheets: { S: rowOf(1, 'Our', 'calls', 'of', 'May') + rowOf(3, 'name') + rowOf(4, 'Cleo') } })
  expect(await json(send('calls', file, '?headerRow=3'))).toMatchObject({ inserted: 1, ignored: [] })
  expect(await records('calls')).toMatchObject([{ name: 'Cleo' }])
})

test('a new table without a header has the columns of the widest row', async () => {
  const file = makeWorkbook({ sheets: { S: rowOf(1, 'Ann') + rowOf(2, 'Bob', 'twice') } })
  expect(await json(send('import', file, '?name=short&header=false'))).toMatchObject({ inserted: 2 })
  expect(await records('short')).toMatchObject([
    { 'column 1': 'Ann', 'column 2': null },
    { 'column 1': 'Bob', 'column 2': 'twice' },
  ])
})
