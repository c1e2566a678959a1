import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const made = await app.call('/api/v1/tables', {
  as: 'admin',
  body: { name: 'sizes', columns: ['Größe', 'First name', 'Straße', 'Isı', 'm²', 'n.', 'N.'].map((name) => ({ name, type: 'text' })) },
})
if (made.status !== 201) throw new Error(await made.text())

beforeEach(async () => {
  await app.deps.db.sql.unsafe('truncate data.sizes restart identity')
})

test.each([
  ['Größe'.normalize('NFD'), 'Größe'],
  ['GRÖSSE', 'Größe'],
  ['\u200fGr\u00adöße\ufeff', 'Größe'],
  ['First\u00a0name', 'First name'],
  ['First\u200b name', 'First name'],
  ['\u2068First  name\u2069', 'First name'],
  ['"First\nname"', 'First name'],
  ['"First\r\nname"', 'First name'],
  ['STRASSE', 'Straße'],
  ['\u0130sı', 'Isı'],
])('%j fills the column %s', async (name, column) => {
  expect(await json(upload(app, 'sizes', `${name}\na\n`))).toMatchObject({ inserted: 1, ignored: [] })
  const { records } = await json(app.call('/api/v1/tables/sizes/records', { as: 'viewer' }))
  expect(records).toMatchObject([{ [column]: 'a' }])
})

test.each([
  ['m2', 'is not a column of this table; did you mean "m²"?'],
  ['\u200bn.', 'could be each of several columns of this table, whose names look alike'],
])('%j is refused', async (name, message) => {
  const { errors } = await expectProblem(await upload(app, 'sizes', `${name}\na\n`), 422, 'validation_failed')
  expect(errors).toMatchObject([{ line: 1, message }] as never)
})

test('the exact name goes before all others', async () => {
  expect(await json(upload(app, 'sizes', 'n.,N.\na,b\n'))).toMatchObject({ inserted: 1 })
  const { records } = await json(app.call('/api/v1/tables/sizes/records', { as: 'viewer' }))
  expect(records).toMatchObject([{ 'n.': 'a', 'N.': 'b' }])
})

test.each([
  ['Straße,,\na,,\n', []],
  ['Straße,,\na,x,\nb,"",\nc,y,z\n', ['column 2, which has no name (2 cells)', 'column 3, which has no name (1 cell)']],
  [',Straße\n"1\n2",a\n', ['column 1, which has no name (1 cell)']],
])('cells without a name are named with their number: %j', async (file, ignored) => {
  expect(await json(upload(app, 'sizes', file, { query: '?dryRun=true' }))).toMatchObject({ ignored })
  expect(await json(upload(app, 'sizes', file))).toMatchObject({ ignored })
})

test('of lines that are skipped no cell is counted, and the caller’s language is spoken', async () => {
  const call = { query: '?mode=upsert&invalidLines=skip', headers: { 'accept-language': 'de' } }
  const answer = await json(upload(app, 'sizes', 'id,Straße,\n1,a,x\nmany,b,y\n', call))
  expect(answer).toMatchObject({ inserted: 1, skipped: 1, ignored: ['Spalte 3, die keinen Namen hat (1 Zelle)'] })
})

test('what the caller leaves out is not named', async () => {
  expect(await json(upload(app, 'sizes', 'x,\na,b\n', { query: '?columns=Straße,' }))).toMatchObject({ inserted: 1, ignored: [] })
})

describe('names with commas', () => {
  const columns = [
    { name: 'Price, net', type: 'integer' },
    { name: 'Nr, "old"', type: 'text', unique: true },
    { name: 'qty', type: 'integer' },
  ]
  const send = (file: string, query: Record<string, string>) => upload(app, 'prices', file, { query: `?${new URLSearchParams(query)}` })

  beforeAll(async () => {
    expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'prices', columns } })).status).toBe(201)
  })

  test('are written in double quotes in columns= and on=', async () => {
    expect(await json(send('7,a,x,1\n', { header: 'false', columns: '"Price, net","Nr, ""old""",,qty' }))).toMatchObject({ inserted: 1 })
    const update = { mode: 'upsert', on: '"Nr, ""old"""' }
    expect(await json(send('"Nr, ""old""",qty\na,2\nb,3\n', update))).toMatchObject({ inserted: 1, updated: 1 })
    const { records } = await json(app.call('/api/v1/tables/prices/records?order=id', { as: 'viewer' }))
    expect(records).toMatchObject([
      { 'Price, net': 7, 'Nr, "old"': 'a', qty: 2 },
      { 'Price, net': null, 'Nr, "old"': 'b', qty: 3 },
    ])
  })

  test.each<Record<string, string>>([{ columns: 'qty,"Price' }, { columns: 'qty\nqty' }, { mode: 'upsert', on: '"qty' }])(
    'are refused where their quotes do not end: %p',
    async (query) => {
      await expectProblem(await send('qty,x\n1,2\n', query), 400, 'invalid_request')
    },
  )
})
