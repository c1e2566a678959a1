import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createToken } from '../../src/auth/accounts/tokens'
import { wholePlan } from '../../src/records/query/plan/read'
import { recordsBySingleKeys } from '../../src/records/query/sql/keys'
import { createUser } from '../../src/users/service'
import { json, password, startApp } from '../support/app'

/** What the property test of `canaries.test.ts` and a reading of the code have found, one by one. */
const app = await startApp({ ROWHOUSE_RPC: 'rename_all' })
const { db, passwords } = app.deps

async function person(name: string) {
  const { user } = await createUser(db, passwords, { email: `${name}@example.org`, name, role: 'editor', password }, null)
  return { id: user.id, token: (await createToken(db, { user, via: 'cookie', catalogVersion: 0 }, { name: 'test' }, null)).token }
}
const grace = await person('grace')
const groupId = Bun.randomUUIDv7()

const send = (path: string, { method, body, headers = {} }: { method?: string; body?: unknown; headers?: Record<string, string> } = {}) =>
  fetch(app.url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    headers: { authorization: `Bearer ${grace.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  })
const records = async (table: string, query = '') => (await json(send(`/api/v1/tables/${table}/records${query}`))).records
const all = async (table: string, query = '') => (await json(app.call(`/api/v1/tables/${table}/records${query}`, { as: 'admin' }))).records

async function save(...rules: object[]) {
  const answer = await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })
  expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
}
const line = (table: string, more: object = {}) => ({
  group: 'everyone',
  table,
  read: 'all',
  create: 'all',
  update: 'all',
  delete: 'all',
  ...more,
})
const made = async (path: string, body: object) => expect((await app.call(path, { as: 'admin', body })).status).toBe(201)

beforeAll(async () => {
  await db.query('insert into rowhouse.groups (id, name) values ($1, $2)', [groupId, 'north'])
  await db.query('insert into rowhouse.group_members values ($1, $2)', [groupId, grace.id])
  await made('/api/v1/tables', { name: 'authors', columns: [{ name: 'name', type: 'text' }] })
  await made('/api/v1/tables', {
    name: 'books',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'owner', type: 'user' },
      { name: 'team', type: 'text' },
      { name: 'isbn', type: 'text', unique: true },
      { name: 'price', type: 'integer', options: { min: 1 }, default: 5 },
      { name: 'author', type: 'link', options: { table: 'authors' } },
      { name: 'editors', type: 'manyLinks', options: { table: 'authors' } },
    ],
  })
  await made('/api/v1/tables/books/columns', { name: 'author name', type: 'lookup', options: { link: 'author', column: 'name' } })
  await made('/api/v1/tables/authors/columns', { name: 'books', type: 'reverseLinks', options: { table: 'books', column: 'author' } })
  await made('/api/v1/tables/authors/columns', { name: 'edits', type: 'reverseLinks', options: { table: 'books', column: 'editors' } })
  await made('/api/v1/tables/authors/columns', { name: 'count', type: 'count', options: { link: 'books' } })
  await db.query(`create function data.rename_all() returns void volatile language sql as $$ update data.books set title = 'renamed' $$`)
})

beforeEach(async () => {
  await save()
  await db.query('truncate data.books, data.authors, data.books_editors restart identity')
  await app.call('/api/v1/tables/authors/records', { as: 'admin', body: [{ name: 'Austen' }, { name: 'Zola' }] })
  await app.call('/api/v1/tables/books/records', {
    as: 'admin',
    body: [
      { title: 'Emma', owner: grace.id, team: 'north', isbn: 'one', author: 1, editors: [1, 2] },
      { title: 'Nana', owner: null, team: 'south', isbn: 'two', author: 2, editors: [2] },
    ],
  })
})

describe('a rule', () => {
  test('compares with the groups of the caller at the beginning of a filter, too', async () => {
    await save(line('books', { read: 'team=in.@me.groups' }))
    expect(await records('books', '?select=title')).toEqual([{ title: 'Emma' }])
    await save(line('books', { read: 'team=not.in.@me.groups' }))
    expect(await records('books', '?select=title')).toEqual([{ title: 'Nana' }])
  })

  test('whose column has gone closes its table, and is named among the problems', async () => {
    await made('/api/v1/tables/books/columns', { name: 'gone', type: 'boolean' })
    await save(line('books', { read: 'gone=is.null', columns: { read: ['title', 'gone'] } }))
    expect(await records('books', '?select=title')).toHaveLength(2)
    await app.call('/api/v1/tables/books/columns/gone', { as: 'admin', method: 'DELETE', body: { confirm: 'gone' } })
    await app.call('/api/v1/tables/books/columns/gone?confirm=gone', { as: 'admin', method: 'DELETE' })
    expect((await send('/api/v1/tables/books/records')).status).toBe(403)
    const { problems } = await json(app.call('/api/v1/access', { as: 'admin' }))
    expect(problems.map(({ rule }: { rule: number }) => rule)).toEqual([0, 0])
  })

  test('of a table that gets another name stays with it', async () => {
    await save(line('authors', { read: 'name=eq.Zola' }))
    await app.call('/api/v1/tables/authors', { as: 'admin', method: 'PATCH', body: { name: 'writers' } })
    expect(await records('writers', '?select=name')).toEqual([{ name: 'Zola' }])
    await app.call('/api/v1/tables/writers', { as: 'admin', method: 'PATCH', body: { name: 'authors' } })
  })
})

describe('of a hidden link', () => {
  const hidden = line('books', { columns: { read: ['title'] } })

  test('nothing is embedded, from neither side', async () => {
    await save(hidden)
    for (const query of [
      '/rest/v1/books?select=title,authors!author(name)',
      '/rest/v1/authors?select=name,books!author(title)',
      '/rest/v1/authors?select=name,books!books_editors(title)',
      '/rest/v1/books?select=title,authors!books_editors(name)',
    ])
      expect((await send(query)).status).toBe(400)
    expect(await records('authors', '?select=books,edits,count')).toEqual([
      { books: null, edits: null, count: null },
      { books: null, edits: null, count: null },
    ])
    const { columns } = await json(send('/api/v1/tables/authors'))
    const problems = columns.flatMap(({ options }: { options: { problem?: string } }) => options.problem ?? [])
    expect(problems.slice(0, 2)).toEqual(Array(2).fill('A column that it reads cannot be read.'))
    expect(problems.join()).not.toMatch(/"author"|"editors"/)
  })

  test('the table between is not there', async () => {
    await save(hidden)
    expect((await send('/rest/v1/books_editors')).status).toBe(403)
  })

  test('only rows in which it is seen lead anywhere', async () => {
    await save(
      line('books', { columns: { read: ['title', 'author name'] } }),
      line('books', { read: 'owner=eq.@me', columns: { read: ['author', 'editors'] } }),
    )
    expect(await json(send('/rest/v1/books?select=title,author(name)&order=id'))).toEqual([
      { title: 'Emma', author: { name: 'Austen' } },
      { title: 'Nana', author: null },
    ])
    expect(await json(send('/rest/v1/authors?select=name,books!author(title),edits(title)&order=id'))).toEqual([
      { name: 'Austen', books: [{ title: 'Emma' }], edits: [{ title: 'Emma' }] },
      { name: 'Zola', books: [], edits: [{ title: 'Emma' }] },
    ])
    expect(await records('authors', '?select=books,edits,count&order=id')).toEqual([
      { books: [1], edits: [1], count: 1 },
      { books: [], edits: [1], count: 0 },
    ])
    expect(await records('books', '?select=author name&order=id'.replace(' ', '%20'))).toEqual([
      { 'author name': 'Austen' },
      { 'author name': null },
    ])
    expect(await json(send('/rest/v1/books_editors?select=*&order=books_id,authors_id'))).toHaveLength(2)
    expect(await records('authors', '?q=Nana')).toEqual([])
  })
})

test('rows of a table between are not written by themselves where the records that they join are narrowed', async () => {
  await save(line('books', { update: 'none' }))
  expect((await send('/rest/v1/books_editors', { body: { books_id: 2, authors_id: 1 } })).status).toBe(403)
  expect((await send('/rest/v1/books_editors?books_id=eq.1', { method: 'DELETE' })).status).toBe(403)
  expect(await all('books', '?select=editors&order=id')).toEqual([{ editors: [1, 2] }, { editors: [2] }])
})

test('a planner’s estimate does not count hidden rows', async () => {
  await save(line('books', { read: 'owner=eq.@me' }))
  const answer = await send('/rest/v1/books?isbn=eq.two', { headers: { prefer: 'count=planned' } })
  expect(answer.headers.get('content-range')).toBe('*/0')
})

describe('an answer that was kept for an Idempotency-Key', () => {
  const once = (key: string) =>
    send('/api/v1/tables/books/records', { body: { title: 'Germinal', isbn: 'three' }, headers: { 'idempotency-key': key } })

  test('is given bare where other rules hold by now', async () => {
    await save(line('books', { columns: { read: ['title'] } }))
    const first = await once('kept')
    expect([first.status, await first.json()]).toEqual([201, { id: 3, title: 'Germinal' }])
    expect(await json(once('kept'))).toEqual({ id: 3, title: 'Germinal' })
    await save(line('books', { columns: { read: ['isbn'] } }))
    const again = await once('kept')
    expect([again.status, again.headers.get('location'), again.headers.get('etag'), await again.text()]).toEqual([
      201,
      '/api/v1/tables/books/records/3',
      null,
      '',
    ])
    expect(await all('books')).toHaveLength(3)
  })

  test('is given bare where a line for others has closed the table', async () => {
    const batch = () =>
      send('/api/v1/batch', {
        body: { operations: [{ method: 'PATCH', table: 'books', pk: '2', body: { title: 'L’Œuvre' } }] },
        headers: { 'idempotency-key': 'closed' },
      })
    expect(await (await batch()).text()).toContain('two')
    await save(line('books', { group: 'role:viewer' }))
    const again = await batch()
    expect([again.status, await again.text()]).toEqual([204, ''])
  })
})

test('other rules make another ETag, so that nobody is told that a record is unchanged', async () => {
  await save(line('books', { columns: { read: ['title', 'isbn'] } }))
  const etag = (await send('/api/v1/tables/books/records/1')).headers.get('etag')!
  const again = () => send('/api/v1/tables/books/records/1', { headers: { 'if-none-match': etag } })
  expect((await again()).status).toBe(304)
  await save(line('books', { columns: { read: ['title'] } }))
  expect((await again()).status).toBe(200)
})

test('a function that writes is refused to callers whose writing alone is limited', async () => {
  await save(line('books', { update: 'owner=eq.@me' }))
  expect((await send('/rest/v1/rpc/rename_all', { body: {} })).status).toBe(403)
  await save(line('books'))
  expect((await send('/rest/v1/rpc/rename_all', { body: {} })).status).toBe(204)
})

describe('a write of several columns', () => {
  const titles = line('books', { columns: { read: ['title', 'isbn', 'price', 'editors'], write: ['id', 'title'] } })
  const own = line('books', {
    read: 'none',
    create: 'all',
    update: 'owner=eq.@me',
    delete: 'none',
    columns: { write: ['id', 'isbn', 'price', 'editors'] },
  })

  test('that replaces a record needs a line for each column that it empties', async () => {
    await save(titles, own)
    expect((await send('/api/v1/tables/books/records/2', { method: 'PUT', body: { title: 'Pot-Bouille' } })).status).toBe(403)
    expect(await all('books', '?select=title,isbn&id=eq.2')).toEqual([{ title: 'Nana', isbn: 'two' }])
    expect((await send('/api/v1/tables/books/records/1', { method: 'PUT', body: { title: 'Persuasion' } })).status).toBe(200)
  })

  test('that comes in a file needs a line for the links, too', async () => {
    await save(titles, own)
    const file = (id: number) =>
      send('/api/v1/tables/books/import?mode=upsert', {
        body: `id,title,editors\n${id},new,"[1]"\n`,
        headers: { 'content-type': 'text/csv' },
      })
    expect((await file(2)).status).toBe(403)
    expect(await all('books', '?select=title,editors&id=eq.2')).toEqual([{ title: 'Nana', editors: [2] }])
    expect((await file(1)).status).toBe(200)
  })
})

test('errors name no hidden column, by neither dialect', async () => {
  await db.query(`alter table data.books add constraint books_isbn_price check (isbn <> 'bad' and price < 100)`)
  await db.query(`alter table data.books alter isbn set default 'one'`)
  await save(line('books', { columns: { read: ['title'], write: ['title'] } }))
  const answers = [
    await send('/api/v1/tables/books/records', { body: { title: 'x' } }),
    await send('/rest/v1/books', { body: { title: 'x' } }),
  ]
  for (const answer of answers) {
    expect(answer.status).toBe(409)
    expect(await answer.text()).not.toMatch(/isbn/)
  }
  await db.query(`alter table data.books alter isbn set default 'bad'`)
  for (const answer of [
    await send('/api/v1/tables/books/records', { body: { title: 'x' } }),
    await send('/rest/v1/books', { body: { title: 'x' } }),
  ]) {
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(await answer.text()).not.toMatch(/isbn|price/)
  }
  await db.query('alter table data.books alter isbn drop default, drop constraint books_isbn_price')
})

test('hidden columns and closed tables are in no description', async () => {
  await db.query('update data.books set isbn = id::text')
  await db.query('alter table data.books alter isbn set not null')
  const readable = { read: ['title', 'author'], write: ['title'] }
  await save(line('books', { columns: readable }), line('authors', { group: 'role:viewer' }))
  for (const path of ['/rest/v1/', '/api/v1/tables', '/swagger/json']) {
    const [whole, narrow] = [await (await app.call(path, { as: 'admin' })).text(), await (await send(path)).text()]
    expect([path, /isbn/.test(whole), /["'/`]authors\b/.test(whole)]).toEqual([path, true, true])
    expect([path, /isbn|["'/`]authors\b/.exec(narrow)?.[0]]).toEqual([path, undefined])
    expect([path, narrow.includes('"author"')]).toEqual([path, true])
  }
  await db.query('alter table data.books alter isbn drop not null')
})

test('an error of a table that the caller may not use names none of its columns', async () => {
  await db.query('create table data.contracts (id int primary key, signatory int not null references data.authors on delete set null)')
  try {
    await app.call('/api/v1/tables/authors/records', { as: 'admin', body: { name: 'Sand' } })
    await db.query('insert into data.contracts values (1, 3)')
    await save(line('contracts', { group: 'role:viewer' }))
    const refused = [
      await send('/api/v1/tables/authors/records/3', { method: 'DELETE' }),
      await send('/rest/v1/authors?id=eq.3', { method: 'DELETE' }),
    ]
    for (const answer of refused) {
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(await answer.text()).not.toMatch(/signatory|contracts/)
    }
  } finally {
    await db.query('drop table data.contracts')
  }
})

test('a record may be put that its caller may not read, and a hidden column names no link', async () => {
  await save(line('books', { read: 'owner=eq.@me', columns: { read: ['title'] } }), line('authors', { columns: { read: ['name'] } }))
  const put = await send('/rest/v1/books?id=eq.7', {
    method: 'PUT',
    body: { id: 7, title: 'Lourdes' },
    headers: { prefer: 'return=representation' },
  })
  expect([put.status, await put.text()]).toEqual([201, '[{}]'])
  await save(line('authors', { columns: { read: ['name'] } }))
  expect((await send('/rest/v1/authors?select=name,edits(title)')).status).toBe(400)
})

test('records are found by their keys, and not by an index on what a rule asks', async () => {
  await save(line('books', { read: 'isbn=eq.one' }))
  const user = { id: grace.id, email: 'grace@example.org', role: 'editor' }
  const tables = app.deps.catalog.narrow(await app.deps.catalog.current(), { user } as never)
  const { text, parameters } = recordsBySingleKeys(wholePlan(tables.byName.get('books')!), ['1', '2'])
  await db.transaction(async ({ query }) => {
    await query('set local enable_seqscan = off')
    const plan = JSON.stringify(await query(`explain ${text}`, parameters, { prepare: false }))
    expect(plan).toContain('books_pkey')
    expect(plan).not.toContain('books_isbn')
  })
})

test('a table of which nothing may be read is not exported', async () => {
  await save(line('books', { read: 'none' }))
  expect((await send('/api/v1/tables/books/export.csv')).status).toBe(403)
})

describe('a formula that is computed at each read', () => {
  const columnOf = async (name: string) =>
    (await json(send('/api/v1/tables/books'))).columns.find((column: { name: string }) => column.name === name)
  const price = 'SUBSTITUTE(price & "", "5", "five")'
  beforeAll(async () => {
    const add = (table: string, name: string, formula: string) =>
      made(`/api/v1/tables/${table}/columns`, { name, type: 'formula', options: { formula } })
    await add('books', 'signed', 'title & " by " & {author name}')
    await add('books', 'priced', `IF(TODAY() > DATE(2020, 1, 1), ${price})`)
    await add('books', 'both', 'signed & ": " & priced')
    await add('authors', 'busy', 'IF({count} > 0, "busy", "idle")')
    await made('/api/v1/tables/authors/columns', {
      name: 'all',
      type: 'rollup',
      options: { link: 'books', column: 'both', function: 'list' },
    })
  })

  test('has its values where everything that it uses can be read', async () => {
    await save(line('books'), line('authors'))
    expect(await records('books', '?select=both&order=id')).toEqual([{ both: 'Emma by Austen: five' }, { both: 'Nana by Zola: five' }])
    expect(await records('authors', '?select=busy,all&order=id')).toEqual([
      { busy: 'busy', all: 'Emma by Austen: five' },
      { busy: 'busy', all: 'Nana by Zola: five' },
    ])
  })

  test('has none where a column that it uses is hidden, in its own table or in another one', async () => {
    await save(line('books', { columns: { read: ['title', 'author', 'author name', 'signed', 'priced', 'both'], write: ['title'] } }))
    expect(await records('books', '?select=signed,priced,both&order=id&limit=1')).toEqual([
      { signed: 'Emma by Austen', priced: null, both: null },
    ])
    expect((await columnOf('priced')).options.problem).toBe('A column that it reads cannot be read.')
    expect(await send('/api/v1/tables/books').then((response) => response.text())).not.toContain('SUBSTITUTE')
    expect(await records('authors', '?select=all')).toEqual([{ all: null }, { all: null }])
    expect(await records('books', '?priced=like.*five*&select=title')).toEqual([])
    await save(line('authors', { columns: { read: ['busy', 'books'] } }))
    expect(await records('books', '?select=signed&limit=1')).toEqual([{ signed: null }])
    expect(await records('authors', '?select=busy&limit=1')).toEqual([{ busy: null }])
  })

  test('is seen in the rows in which all that it uses is seen, and reads only records that its caller may read', async () => {
    await save(
      line('books', { columns: { read: ['title', 'author', 'author name', 'signed', 'both', 'priced'] } }),
      line('books', { read: 'owner=eq.@me', columns: { read: ['price'] } }),
      line('authors', { read: 'name=eq.Zola' }),
    )
    expect(await records('books', '?select=signed,priced,both&order=id')).toEqual([
      { signed: 'Emma by ', priced: 'five', both: 'Emma by : five' },
      { signed: 'Nana by Zola', priced: null, both: null },
    ])
    expect(await records('books', '?priced=eq.five&select=title')).toEqual([{ title: 'Emma' }])
  })

  test('may be what a rule asks', async () => {
    await save(line('books', { read: 'priced=eq.five' }))
    expect(await records('books', '?select=title&order=id')).toEqual([{ title: 'Emma' }, { title: 'Nana' }])
    await save(line('books', { read: 'both=eq.Emma by Austen: five' }))
    expect(await records('books', '?select=title&order=id')).toEqual([{ title: 'Emma' }])
  })
})
