import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop' })
const { db } = app.deps

const make = async (name: string, columns: object[]): Promise<string> => {
  const answer = await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
  expect(answer.status).toBe(201)
  return (await json(answer)).id
}
const list = async (table: string, select: string) =>
  (await json(app.call(`/api/v1/tables/${table}/records?select=${select}&order=id`, { as: 'admin' }))).records as Record<string, unknown>[]
const namesIn = async (table: string) => (await list(table, 'name')).map(({ name }) => name)
const saveRules = async (...rules: object[]) =>
  expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)

const ids: Record<string, string> = {}

beforeAll(async () => {
  await db.sql.unsafe(`create schema shop;
    create table shop.colors (code text primary key, name text)`)
  ids.people = await make('people', [
    { name: 'name', type: 'text', options: { maxLength: 12 } },
    { name: 'made', type: 'createdBy' },
  ])
  await make('tags', [{ name: 'name', type: 'text', unique: true }])
  await make('towns', [
    { name: 'name', type: 'text' },
    { name: 'country', type: 'text', required: true },
    { name: 'state', type: 'text', required: true, default: 'open' },
  ])
  ids.tasks = await make('tasks', [
    { name: 'title', type: 'text' },
    { name: 'lead', type: 'link', options: { table: 'people' } },
    { name: 'deputy', type: 'link', options: { table: 'people' } },
    { name: 'tags', type: 'manyLinks', options: { table: 'tags' } },
    { name: 'town', type: 'link', options: { table: 'towns' } },
  ])
  const addColumn = (name: string, table: string) =>
    app.call('/api/v1/tables/tasks/columns', { as: 'admin', body: { name, type: 'link', options: { table } } })
  expect((await addColumn('parent', ids.tasks)).status).toBe(201)
  const { id } = await json(app.call('/api/v1/tables/shop.colors', { as: 'admin' }))
  expect((await addColumn('color', id)).status).toBe(201)
})

beforeEach(async () => {
  await saveRules()
  await db.sql.unsafe('truncate data.tasks, data.people, data.tags, data.towns restart identity cascade')
  await app.call('/api/v1/tables/people/records', { as: 'admin', body: [{ name: 'Ada' }] })
  await app.call('/api/v1/tables/tags/records', { as: 'admin', body: [{ name: 'red, dark' }] })
})

const file = `title,lead,deputy,tags
a,Ada,Grace,"red, blue"
b,Grace,Linus,"[""blue"",""a,b""]"
c,Grace,,"red, dark"
d, Linus ,Ada,
`

test('names that no record has are created, each once, and counted', async () => {
  const tried = await json(upload(app, 'tasks', file, { query: '?createLinked=true&dryRun=true' }))
  const createdLinks = [
    { table: 'people', count: 2 },
    { table: 'tags', count: 3 },
  ]
  expect(tried).toMatchObject({ inserted: 4, dryRun: true, createdLinks })
  expect([await namesIn('people'), await namesIn('tags')]).toEqual([['Ada'], ['red, dark']])
  expect(await json(upload(app, 'tasks', file, { query: '?createLinked=true' }))).toMatchObject({ inserted: 4, createdLinks })
  const people = await list('people', 'id,name,made')
  expect(people.map(({ name }) => name)).toEqual(['Ada', 'Grace', 'Linus'])
  expect(people[1]!.made).not.toBeNull()
  expect(people[1]!.made).not.toBe(people[0]!.made)
  expect((await namesIn('tags')).sort()).toEqual(['a,b', 'blue', 'red', 'red, dark'])
  const tasks = await list('tasks', 'title,lead(name),deputy(name),tags(name)')
  expect(tasks).toMatchObject([
    { title: 'a', lead: { name: 'Ada' }, deputy: { name: 'Grace' } },
    { title: 'b', lead: { name: 'Grace' }, deputy: { name: 'Linus' } },
    { title: 'c', lead: { name: 'Grace' }, deputy: null, tags: [{ name: 'red, dark' }] },
    { title: 'd', lead: { name: 'Linus' }, deputy: { name: 'Ada' }, tags: [] },
  ])
  expect((tasks[1]!.tags as { name: string }[]).map(({ name }) => name).sort()).toEqual(['a,b', 'blue'])
  // Once more, all of them are there.
  const again = await json(upload(app, 'tasks', file, { query: '?createLinked=true' }))
  expect(again.createdLinks).toEqual([])
  expect(await json(upload(app, 'tasks', file))).not.toHaveProperty('createdLinks')
})

test('a name keeps its apostrophe, unless an export has put it before a formula', async () => {
  const cells = "title,lead,tags\na,'=Sum,'-x\n"
  expect((await upload(app, 'tasks', cells, { query: '?createLinked=true&formulas=keep' })).status).toBe(200)
  expect([await namesIn('people'), await namesIn('tags')]).toEqual([
    ['Ada', "'=Sum"],
    ['red, dark', "'-x"],
  ])
  expect((await upload(app, 'tasks', cells, { query: '?createLinked=true&formulas=escape' })).status).toBe(200)
  expect(await namesIn('people')).toEqual(['Ada', "'=Sum", '=Sum'])
})

test('a file that is refused says how many could be created, and creates none', async () => {
  const refused = await expectProblem(await upload(app, 'tasks', file), 422, 'validation_failed')
  expect(refused.details).toEqual({ errorCount: 7, cellCount: 7, lineCount: 4, linkCount: 5 })
  const faulty = `${file}e,Nobody,99,,\n`
  const query = '?createLinked=true'
  const other = await expectProblem(await upload(app, 'tasks', faulty, { query }), 422, 'validation_failed')
  expect(other.details).not.toHaveProperty('linkCount')
  expect(await namesIn('people')).toEqual(['Ada'])
})

test('numbers are keys, and blank parts and nulls are no names', async () => {
  const errors = async (cells: string, query = '?createLinked=true') =>
    (await expectProblem(await upload(app, 'tasks', `lead,tags\n${cells}\n`, { query }), 422, 'validation_failed')).errors as unknown[]
  expect(await errors('99,')).toMatchObject([{ line: 2, column: 'lead' }])
  expect(await errors(',"x,,y"')).toMatchObject([{ line: 2, column: 'tags' }])
  expect(await errors(',"[null]"')).toMatchObject([{ line: 2, column: 'tags' }])
  expect(await namesIn('tags')).toEqual(['red, dark'])
  // As names, numbers are names, too.
  const named = await json(upload(app, 'tasks', 'lead\n99\n', { query: '?createLinked=true&links=names' }))
  expect(named.createdLinks).toEqual([{ table: 'people', count: 1 }])
  await expectProblem(await upload(app, 'tasks', 'lead\n99\n', { query: '?createLinked=true&links=keys' }), 400, 'invalid_request')
})

test('a table whose records need more than a name is named with what they need', async () => {
  const cells = 'title,town\na,Oslo\nb,Bergen\n'
  const plain = await expectProblem(await upload(app, 'tasks', cells), 422, 'validation_failed')
  expect(plain.details).not.toHaveProperty('linkCount')
  const refused = await expectProblem(await upload(app, 'tasks', cells, { query: '?createLinked=true' }), 422, 'validation_failed')
  expect(refused.hint).toBe('No records can be created in "towns": they need a value in "country".')
  expect(refused.errors as unknown).toMatchObject([
    { line: 2, column: 'town' },
    { line: 3, column: 'town' },
  ])
  const emptied = await json(upload(app, 'tasks', cells, { query: '?createLinked=true&invalidCells=empty' }))
  expect(emptied).toMatchObject({ inserted: 2, emptied: 2, createdLinks: [] })
})

test('keys that the database does not generate are no names, and cannot be created', async () => {
  const answer = await upload(app, 'tasks', 'title,color\na,red\n', { query: '?createLinked=true&links=names' })
  const { hint } = await expectProblem(answer, 422, 'validation_failed')
  expect(hint).toBe('No records can be created in "colors": the database does not generate their keys.')
})

test('a name that the linked table refuses is a conflict, and nothing is created', async () => {
  const cells = 'lead\nGrace\nThe one with a long name\n'
  const refused = await expectProblem(await upload(app, 'tasks', cells, { query: '?createLinked=true' }), 409, 'conflict')
  const message = 'is refused by a rule of "people": "The one with a long name"'
  expect(refused.errors as unknown).toEqual([{ line: 3, column: 'lead', message }])
  expect(await namesIn('people')).toEqual(['Ada'])
})

test('the refused name is found among many, in lists and in the lines of all columns', async () => {
  const names = Array.from({ length: 300 }, (_, number) => `N${number}`)
  const lines = names.map((name, at) => `"${name},\nx",${at === 200 ? "Bob's \\long name" : name},${name}`)
  const answer = await upload(app, 'tasks', `title,deputy,lead\n${lines.join('\n')}\n`, { query: '?createLinked=true' })
  const { errors } = await expectProblem(answer, 409, 'conflict')
  expect(errors as unknown).toMatchObject([{ line: 402, column: 'deputy', message: expect.stringContaining("Bob's \\long name") }])
  await db.sql.unsafe(`alter table data.tags add constraint short check (length(name) < 12)`)
  const listed = await upload(app, 'tasks', 'tags\nred\n"red, much too long"\n', { query: '?createLinked=true' })
  expect((await expectProblem(listed, 409, 'conflict')).errors as unknown).toMatchObject([{ line: 3, column: 'tags' }])
  await db.sql.unsafe('alter table data.tags drop constraint short')
  expect(await namesIn('people')).toEqual(['Ada'])
})

test('created records that are not found by their names are a conflict, and are not kept', async () => {
  await make('codes', [{ name: 'name', type: 'text' }])
  await make('parts', [
    { name: 'title', type: 'text' },
    { name: 'code', type: 'link', options: { table: 'codes' } },
  ])
  await db.sql.unsafe(`create function data.lower_name() returns trigger language plpgsql
      as $$ begin new.name := lower(new.name); return new; end $$;
    create trigger lower_name before insert on data.codes for each row execute function data.lower_name()`)
  const query = '?createLinked=true&invalidCells=empty'
  await expectProblem(await upload(app, 'parts', 'title,code\na,ABC\n', { query }), 409, 'conflict')
  expect([await namesIn('codes'), await list('parts', 'title')]).toEqual([[], []])
  expect((await json(upload(app, 'parts', 'title,code\na,abc\n', { query }))).createdLinks).toEqual([{ table: 'codes', count: 1 }])
})

test('records of the table itself come from the file, not from its links', async () => {
  const cells = 'title,parent\nroot,\nleaf,root\n'
  const refused = await expectProblem(await upload(app, 'tasks', cells, { query: '?createLinked=true' }), 422, 'validation_failed')
  expect(refused.errors as unknown).toMatchObject([{ line: 3, column: 'parent' }])
  expect(await list('tasks', 'title')).toEqual([])
})

test('only who may create such records creates them', async () => {
  const all = { group: 'everyone', read: 'all', create: 'all', update: 'all', delete: 'all' }
  const cells = 'title,lead\na,Grace\n'
  const send = () => upload(app, 'tasks', cells, { query: '?createLinked=true' })
  const hint = 'You may not create records in "people".'
  await saveRules({ ...all, table: 'people', create: 'none' })
  expect((await expectProblem(await send(), 422, 'validation_failed')).hint).toBe(hint)
  await saveRules({ ...all, table: 'people', columns: { read: ['name'], write: ['made'] } })
  expect((await expectProblem(await send(), 422, 'validation_failed')).hint).toBe(hint)
  await saveRules({ ...all, table: 'people', create: 'name=eq.Linus' })
  await expectProblem(await send(), 403, 'forbidden')
  await saveRules({ ...all, table: 'people', group: 'role:viewer' })
  expect((await expectProblem(await send(), 422, 'validation_failed')).hint).toBeUndefined()
  await saveRules({ ...all, table: 'people', create: 'name=eq.Grace' })
  expect((await json(send())).createdLinks).toEqual([{ table: 'people', count: 1 }])
  expect(await namesIn('people')).toEqual(['Ada', 'Grace'])
})

test('a token creates records only in its tables', async () => {
  const send = async (tables: string[]) => {
    const body = { name: 'x', scope: 'write', tables }
    const { token } = await json(app.call('/auth/tokens', { as: 'editor', body }))
    return fetch(`${app.url}/api/v1/tables/tasks/import?createLinked=true`, {
      method: 'POST',
      body: 'title,lead\na,Grace\n',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    })
  }
  expect((await send([ids.tasks!])).status).toBe(422)
  expect(await namesIn('people')).toEqual(['Ada'])
  expect((await json(send([ids.tasks!, ids.people!]))).createdLinks).toEqual([{ table: 'people', count: 1 }])
})

test('two imports at once create each record once', async () => {
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((title) =>
      upload(app, 'tasks', `title,lead\n${title},Grace\n`, { query: '?createLinked=true', headers: { prefer: '' } }),
    ),
  )
  for (const answer of answers) expect([200, 503]).toContain(answer.status)
  expect(await namesIn('people')).toEqual(['Ada', 'Grace'])
})

test('an upsert creates them as well, and a new table', async () => {
  await upload(app, 'tasks', 'id,title\n1,a\n')
  const changed = await json(upload(app, 'tasks', 'id,lead,tags\n1,Grace,red\n', { query: '?mode=upsert&createLinked=true' }))
  expect(changed).toMatchObject({ updated: 1, createdLinks: [{ count: 1 }, { count: 1 }] })
  const columns = JSON.stringify({ lead: { type: 'link', options: { table: ids.people } } })
  const query = `?name=visits&createLinked=true&columns=${encodeURIComponent(columns)}`
  const made = await json(upload(app, 'import', 'day,lead\n1,Linus\n2,Grace\n', { as: 'admin', query }))
  expect(made.createdLinks).toEqual([{ table: 'people', count: 1 }])
})

test.each(['', 'respond-async'])('an undo of the request takes them away with the import (%s)', async (prefer) => {
  const ready = await upload(app, 'tasks', 'id,title\n1,a\n')
  expect(ready.status).toBe(200)
  const sent = await upload(app, 'tasks', 'id,title,lead,tags\n1,b,Grace,red\n2,c,Linus,"red,blue"\n', {
    query: '?mode=upsert&createLinked=true',
    headers: { prefer },
  })
  const { id } = await sent.json()
  while (id && ['queued', 'running'].includes((await json(app.call(`/api/v1/imports/${id}`, { as: 'editor' }))).state));
  expect(await list('tasks', 'title')).toEqual([{ title: 'b' }, { title: 'c' }])
  const undone = await json(app.call(`/api/v1/changes/${sent.headers.get('x-request-id')}/undo`, { as: 'editor', method: 'POST' }))
  expect(undone).toMatchObject({ created: 0, updated: 1, deleted: 5, skipped: 0 })
  expect(await list('tasks', 'title,lead,tags')).toEqual([{ title: 'a', lead: null, tags: [] }])
  expect([await namesIn('people'), await namesIn('tags')]).toEqual([['Ada'], ['red, dark']])
})
