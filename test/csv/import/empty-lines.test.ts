import { beforeAll, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const list = async (table: string) => (await json(app.call(`/api/v1/tables/${table}/records?order=id`, { as: 'viewer' }))).records

beforeAll(async () => {
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'note', type: 'text' },
  ]
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'people', columns } })).status).toBe(201)
})

test('lines of nothing but separators are skipped, as spreadsheets write them below a table', async () => {
  const file = ';;\nname;note\r\n;\nAda;x\r\n;;;;\n"";\nBo;\n;\r\n;'
  expect(await json(upload(app, 'people', file))).toMatchObject({ inserted: 3 })
  expect(await list('people')).toMatchObject([
    { name: 'Ada', note: 'x' },
    { name: '', note: null },
    { name: 'Bo', note: null },
  ])
})

test('problems still name the lines of the file', async () => {
  const file = 'id,name\n,\n,\nx,Ada\n,,\n1\n'
  const { errors } = await expectProblem(await upload(app, 'people', file), 422, 'validation_failed')
  expect((errors as { line?: number }[]).map(({ line }) => line)).toEqual([4, 6])
})

test('a new table has no records for them', async () => {
  const file = `${',,,\n'.repeat(3)}id,name,ok\n1,Ada,yes\n,,\n2,Bo,no\n,,`
  const made = await json(upload(app, 'import', file, { as: 'admin', query: '?name=sheet' }))
  expect(made).toMatchObject({ inserted: 2, primaryKey: 'id' })
  expect(await list('sheet')).toEqual([
    { id: 1, name: 'Ada', ok: true },
    { id: 2, name: 'Bo', ok: false },
  ])
  await expectProblem(await upload(app, 'import', ',,\n,,\n', { as: 'admin', query: '?name=nothing' }), 422, 'validation_failed')
})
