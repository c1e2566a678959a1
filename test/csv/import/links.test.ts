import { beforeAll, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop' })

const make = async (name: string, columns: object[]) =>
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })).status).toBe(201)
const add = async (table: string, body: object[]) =>
  expect((await app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body })).status).toBe(201)
const list = async (table: string, select = '*') =>
  (await json(app.call(`/api/v1/tables/${table}/records?select=${select}&order=id`, { as: 'viewer' }))).records as Record<string, unknown>[]
const problemsOf = async (answer: Response) => (await expectProblem(answer, 422, 'validation_failed')).errors as unknown
const empty = (table: string) => app.deps.db.sql.unsafe(`truncate data."${table}" restart identity cascade`)

beforeAll(async () => {
  await app.deps.db.sql.unsafe(`create schema shop;
    create table shop.colors (code varchar(8) primary key, name text);
    insert into shop.colors values ('r', 'red'), ('g', 'green'), ('red', 'crimson'), ('a, b', 'both')`)
  await make('people', [{ name: 'name', type: 'text' }])
  await add(
    'people',
    ['Ada', 'Grace', 'Ada, Countess', 'Countess', 'Twin', 'Twin', '1', '=Sum', ' Blank ', ''].map((name) => ({ name })),
  )
  await make('tasks', [
    { name: 'title', type: 'text' },
    { name: 'lead', type: 'link', options: { table: 'people' } },
    { name: 'team', type: 'manyLinks', options: { table: 'people' } },
    { name: 'owner', type: 'user' },
  ])
  await make('nodes', [{ name: 'name', type: 'text' }])
  const nodes = (await json(app.call('/api/v1/tables/nodes', { as: 'admin' }))).id
  const parent = { name: 'parent', type: 'link', options: { table: nodes } }
  expect((await app.call('/api/v1/tables/nodes/columns', { as: 'admin', body: parent })).status).toBe(201)
})

test.each([
  ['Ada', 1],
  [' Grace ', 2],
  ['2', 2],
  ['002', 2],
  ['"Ada, Countess"', 3],
  ['=Sum', 8],
  ['Blank', 9],
  ['10', 10],
  ['', null],
])('a link %j is the record %p', async (cell, lead) => {
  await empty('tasks')
  expect((await upload(app, 'tasks', `title,lead\nx,${cell}\n`)).status).toBe(200)
  expect(await list('tasks', 'lead')).toEqual([{ lead }])
})

test('the apostrophe before a formula is part of the name, unless an export has added it', async () => {
  await empty('tasks')
  for (const query of ['', '?formulas=keep'])
    expect(await problemsOf(await upload(app, 'tasks', "title,lead\nx,'=Sum\n", { query }))).toMatchObject([{ line: 2, column: 'lead' }])
  expect((await upload(app, 'tasks', "title,lead,team\nx,'=Sum,'=Sum\n", { query: '?formulas=escape' })).status).toBe(200)
  expect(await list('tasks', 'lead,team')).toEqual([{ lead: 8, team: [8] }])
})

test.each([
  ['"Ada,Grace"', [1, 2]],
  ['"Grace , 1"', null],
  ['"[""Ada"",""Ada, Countess"",4]"', [1, 3, 4]],
  ['"{2,4}"', [2, 4]],
  ['Countess', [4]],
  ['[]', []],
  ['', []],
])('links %j are the records %p', async (cell, team) => {
  await empty('tasks')
  const answer = await upload(app, 'tasks', `title,team\nx,${cell}\n`)
  if (team === null) return expect(answer.status).toBe(422)
  expect(answer.status).toBe(200)
  expect(await list('tasks', 'team')).toEqual([{ team }])
})

test('what names no record, several, or two things is refused with its line, and may be left out', async () => {
  await empty('tasks')
  const file = 'title,lead,team\na,Nobody,Ada\nb,Twin,"[""Ada"",""Nobody""]"\nc,1,"Ada, Countess"\nd,Grace,Grace\n'
  const none = 'is neither the key nor the name of a record of "people": "Nobody"'
  const several = 'is the name of several records of "people"; write the key instead: "Twin"'
  const both = 'is the key of one record of "people" and the name of another; links=keys or links=names decides: "1"'
  const readings = 'can be one name or several names of records of "people"; write a JSON array: "Ada, Countess"'
  const errors = await problemsOf(await upload(app, 'tasks', file))
  expect(errors).toEqual([
    { line: 2, column: 'lead', message: none },
    { line: 3, column: 'lead', message: several },
    { line: 3, column: 'team', message: none },
    { line: 4, column: 'lead', message: both },
    { line: 4, column: 'team', message: readings },
  ])
  const mended = await json(upload(app, 'tasks', file, { query: '?invalidCells=empty' }))
  expect(mended).toMatchObject({ inserted: 4, emptied: 5 })
  expect(await list('tasks', 'title,lead,team')).toEqual([
    { title: 'a', lead: null, team: [1] },
    { title: 'b', lead: null, team: [] },
    { title: 'c', lead: null, team: [] },
    { title: 'd', lead: 2, team: [2] },
  ])
  await empty('tasks')
  expect(await json(upload(app, 'tasks', file, { query: '?invalidLines=skip' }))).toMatchObject({ inserted: 1, skipped: 3 })
  expect(await list('tasks', 'title')).toEqual([{ title: 'd' }])
})

test('links=keys and links=names decide where a text is both', async () => {
  await empty('tasks')
  expect((await upload(app, 'tasks', 'title,lead,team\nk,1,"1,2"\n', { query: '?links=keys' })).status).toBe(200)
  expect((await upload(app, 'tasks', 'title,lead,team\nn,1,"1,Ada"\n', { query: '?links=names' })).status).toBe(200)
  expect(await list('tasks', 'lead,team')).toEqual([
    { lead: 1, team: [1, 2] },
    { lead: 7, team: [1, 7] },
  ])
  expect(await problemsOf(await upload(app, 'tasks', 'title,lead\nx,2\n', { query: '?links=names' }))).toEqual([
    { line: 2, column: 'lead', message: 'is not the name of a record of "people": "2"' },
  ])
  expect(await problemsOf(await upload(app, 'tasks', 'title,lead\nx,Ada\n', { query: '?links=keys' }))).toMatchObject([{ line: 2 }])
  await expectProblem(await upload(app, 'tasks', 'title\nx\n', { query: '?links=ids' }), 400, 'invalid_request')
})

test('keys of text are looked for beside names, and a missing one is told as before', async () => {
  const table = (await json(app.call('/api/v1/tables/shop.colors', { as: 'admin' }))).id
  await make('paints', [{ name: 'color', type: 'link', options: { table } }])
  expect((await upload(app, 'paints', 'color\ngreen\ng\n"a, b"\ncrimson\n')).status).toBe(200)
  expect(await list('paints', 'color')).toEqual(['g', 'g', 'a, b', 'red'].map((color) => ({ color })))
  expect(await problemsOf(await upload(app, 'paints', 'color\nred\nblue\n'))).toMatchObject([
    { line: 2, message: expect.stringContaining('links=keys or links=names') },
    { line: 3, column: 'color', message: 'points to no record of "colors": "blue"' },
  ])
})

test('a file names its own records where it has their keys', async () => {
  expect((await upload(app, 'nodes', 'id,name,parent\n5,root,\n6,leaf,root\n7,twig,leaf\n8,bud,7\n')).status).toBe(200)
  expect(await list('nodes', 'id,parent')).toEqual([
    { id: 5, parent: null },
    { id: 6, parent: 5 },
    { id: 7, parent: 6 },
    { id: 8, parent: 7 },
  ])
  expect(await problemsOf(await upload(app, 'nodes', 'name,parent\nnew,\nnewer,new\n'))).toMatchObject([{ line: 3, column: 'parent' }])
  // The same file once more, as an upsert.
  expect((await upload(app, 'nodes', 'id,name,parent\n5,root,\n6,leaf,root\n', { query: '?mode=upsert' })).status).toBe(200)
})

test('a file names its own records by keys in its own notation, but not by keys that cannot be read', async () => {
  await empty('nodes')
  const comma = 'id;name;parent\n1.005;root;\n1.006;leaf;root\n'
  expect((await upload(app, 'nodes', comma, { query: '?decimals=comma' })).status).toBe(200)
  expect(await list('nodes', 'id,parent')).toEqual([
    { id: 1005, parent: null },
    { id: 1006, parent: 1005 },
  ])
  await empty('nodes')
  const unreadable = await json(upload(app, 'nodes', 'id,name,parent\nabc,root,\n6,leaf,root\n7,other,\n', { query: '?invalidLines=skip' }))
  expect(unreadable).toMatchObject({
    inserted: 1,
    skipped: 2,
    problems: [
      { line: 2, column: 'id' },
      { line: 3, column: 'parent' },
    ],
  })
  const body = {
    name: 'codes',
    primaryKey: { name: 'code', type: 'text' },
    columns: [
      { name: 'name', type: 'text' },
      { name: 'parent', type: 'link', options: { table: 'codes' } },
    ],
  }
  expect((await app.call('/api/v1/tables', { as: 'admin', body })).status).toBe(201)
  expect((await upload(app, 'codes', "code,name,parent\n'=x,root,\ny,leaf,root\n", { query: '?formulas=escape' })).status).toBe(200)
  const { records } = await json(app.call('/api/v1/tables/codes/records?select=code,parent&order=code', { as: 'viewer' }))
  expect(records).toEqual([
    { code: '=x', parent: null },
    { code: 'y', parent: '=x' },
  ])
})

test('users are named by callers who may list them', async () => {
  await empty('tasks')
  const { users } = (await json(app.call('/api/v1/users', { as: 'admin' }))) as { users: { id: string; name: string }[] }
  const [user] = users
  expect((await upload(app, 'tasks', `title,owner\nx,${user!.name}\ny,${user!.id}\n`)).status).toBe(200)
  expect(await list('tasks', 'owner')).toEqual([{ owner: user!.id }, { owner: user!.id }])
  expect(await problemsOf(await upload(app, 'tasks', 'title,owner\nx,Nobody\n'))).toMatchObject([{ line: 2, column: 'owner' }])
})

const formats = [
  ['export.csv?for=people', 'text/csv'],
  ['export.csv?for=people&delimiter=semicolon&decimals=comma', 'text/csv'],
  ['export.csv?for=people&formulas=keep', 'text/csv'],
  ['export.xlsx?', 'application/octet-stream'],
  ['export.csv?for=programs', 'text/csv'],
] as const

test.each(formats)('what %s writes is imported again', async (path, type) => {
  await empty('tasks')
  const records = [
    { title: 'a', lead: 1, team: [1, 2] },
    { title: 'b', lead: 3, team: [3] },
    { title: 'c', lead: 8, team: [2, 8] },
    { title: 'd', lead: 10, team: [3, 4, 10] },
    { title: 'e', lead: null, team: [] },
  ]
  await add('tasks', records)
  const select = 'id,title,lead,team'
  const file = await (await app.call(`/api/v1/tables/tasks/${path}&select=${select}&order=id`, { as: 'viewer' })).bytes()
  await empty('tasks')
  // A record is named 1, so keys and names are told apart.
  const isEscaped = path.includes('people') && !path.includes('keep')
  const query = path.includes('programs') ? '?links=keys' : isEscaped ? '?formulas=escape' : ''
  const answer = await upload(app, 'tasks', file, { type, query })
  expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
  expect(await list('tasks', 'title,lead,team')).toEqual(records)
})
