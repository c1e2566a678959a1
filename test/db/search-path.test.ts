import { beforeAll, expect, test } from 'bun:test'
import { loadModule, parseSync } from 'libpg-query'
import { sweepFiles } from '../../src/attachments/sweep'
import { watchCatalog } from '../../src/tables/catalog/watch'
import { json, startApp } from '../support/app'
import { library } from '../support/library'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'lib', ROWHOUSE_RPC: 'lib.twice' })
const { db, catalog, events } = app.deps
await db.sql.unsafe(library)
await db.sql.unsafe('create function lib.twice(n int) returns setof int language sql stable as $$ select n union all select n $$')

// As another role may that has the right to create in `public`. Each tells, in a table of its own, that it ran.
const traps = `create table public.caught (what text);
  create function public.caught(text) returns boolean language plpgsql as $$ begin insert into public.caught values ($1); return true; end $$;
  ${['=', '<>', '<', '>', '~~', '~~*', '~', '||']
    .flatMap((name, index) => ['varchar', 'lib.mood', 'text[]', 'jsonb'].map((type) => ({ name, type, as: `trap${index}` })))
    .map(
      ({
        name,
        type,
        as,
      }) => `create function public.${as}(${type}, ${type}) returns boolean language sql as $$ select public.caught('${name} ${type}') $$;
  create operator public.${name} (leftarg = ${type}, rightarg = ${type}, function = public.${as});`,
    )
    .filter((text) => !/\|\| \((leftarg = text\[\]|leftarg = jsonb)/.test(text))
    .join('\n')}
  create function public.to_json(varchar) returns json language sql as $$ select to_json(public.caught('to_json')) $$;
  create function public.max(varchar, varchar) returns varchar language sql as $$ select $1 where public.caught('max') $$;
  create aggregate public.max(varchar) (sfunc = public.max, stype = varchar);
  create function public.to_tsvector(varchar) returns tsvector language sql as $$ select to_tsvector(public.caught('to_tsvector')::text) $$;
  create function public.convert_to(text, text) returns bytea language sql as $$ select public.caught('convert_to')::text::bytea $$;`

/** What the service asks of the database, and whether names are PostgreSQL's own there. */
const asked = new Map<string, boolean>()
const pinned = new Set<number>()
for (const { options } of [db.sql, db.bulk]) {
  options.debug = (connection, text) => {
    if (/set local search_path to default/.test(text)) pinned.delete(connection)
    else if (/set local search_path/.test(text)) pinned.add(connection)
    if (/^(commit|rollback)$/.test(text)) pinned.delete(connection)
    asked.set(text, pinned.has(connection) && asked.get(text) !== false)
  }
}

type Node = { [name: string]: unknown }

const namesOf = (names: unknown): string[] => (names as { String: { sval: string } }[]).map(({ String: { sval } }) => sval)

/** All nodes of one kind in a tree. */
function* nodesOf(tree: unknown, kind: string): Generator<Node> {
  if (typeof tree !== 'object' || tree === null) return
  for (const [name, inner] of Object.entries(tree)) {
    if (name === kind) yield inner as Node
    yield* nodesOf(inner, kind)
  }
}

/**
 * What a statement leaves to the search path. Without arguments a function is found in pg_catalog, which comes first,
 * whoever has another one; and an operator that is there for exactly these types is found there, too.
 */
function looseNames(text: string): string[] {
  const tree = parseSync(text)
  const isOurs = [...nodesOf(tree, 'RangeVar')].every(
    ({ schemaname, relname }) => schemaname === 'rowhouse' || isNamed(tree, String(relname)),
  )
  const functions = [...nodesOf(tree, 'FuncCall')].filter(({ args, funcname }) => args && namesOf(funcname).length === 1)
  const operators = [...nodesOf(tree, 'A_Expr')].filter(
    (expression) =>
      namesOf(expression.name).length === 1 && !(isOurs && isExact(expression)) && !isOfCells(expression) && !isNullTest(expression),
  )
  const joins = [...nodesOf(tree, 'JoinExpr')].filter(({ usingClause, isNatural }) => usingClause || isNatural)
  return [
    ...functions.map(({ funcname }) => `${namesOf(funcname)[0]}()`),
    ...operators.map(({ name }) => namesOf(name)[0]!),
    ...joins.map(() => 'using'),
  ]
}

const isNamed = (tree: unknown, name: string) => [...nodesOf(tree, 'CommonTableExpr')].some(({ ctename }) => ctename === name)

/** Columns of Rowhouse's own tables have types of PostgreSQL's, and are compared with values of the same type. */
const isExact = ({ name }: Node) => ['=', '<>', '<', '>', '<=', '>=', '+', '-', '||'].includes(namesOf(name)[0]!)

/** `is distinct from null` takes no operator. */
const isNullTest = ({ rexpr }: Node) => (rexpr as { A_Const?: Node }).A_Const?.isnull === true

/** Cells of a file that is imported are texts. */
const isOfCells = (expression: Node) => {
  const columns = [...nodesOf(expression, 'ColumnRef')].map(({ fields }) =>
    namesOf((fields as Node[]).filter((field) => 'String' in field)).join('.'),
  )
  return columns.every((column) => /^s\.c\d+$/.test(column))
}

const records = '/api/v1/tables/lib.authors/records'
const filters =
  `name=eq.Zola&name=like.Z*&name=ilike.z*&name=match.Z&mood=in.(sad,ok)&tags=cs.{novel}&facts->prize->>name=eq.none&active=is.true&born=gt.1
  &born=isdistinct.7&or=(born.lt.3000,not.and(name.eq.x,name.neq.y))&tags=ov.{novel}&name=eq(any).{Zola,x}`.replace(/\s+/g, '')

async function useEverything() {
  const call = async (path: string, { isRefused = false, ...request }: Parameters<typeof app.call>[1] & { isRefused?: boolean } = {}) => {
    const response = await app.call(path, { as: 'admin', ...request })
    const text = await response.text()
    if (response.status >= 400 && !isRefused) throw new Error(`${path}: ${response.status} ${text}`)
    return text
  }
  const rest = { 'accept-profile': 'lib', 'content-profile': 'lib', prefer: 'return=representation' }
  for (const path of [records, `${records}/1`, '/api/v1/tables/lib.books/records', '/api/v1/tables/lib.log/records']) await call(path)
  await call(`${records}?${filters}&q=o&count=exact&select=*,books!author_id(title,topics(name)),countries(name),...passports(number)`)
  await call(`${records}?select=mood,count(),born.max(),name.min()&count=estimated`)
  await call(
    '/api/v1/tables/lib.books/records?words=fts.emma&title=wfts(english).emma&sold=sl.[2030-01-01,2031-01-01)&order=price.desc,id&limit=1',
  )
  for (const order of ['name', 'born.desc,name', 'mood,active.desc']) {
    const text = await call(`${records}?order=${order}&limit=1`)
    await call(`${records}?order=${order}&limit=1&cursor=${JSON.parse(text).nextCursor}`)
  }
  await call(`${records}?name=eq.Nobody`, { method: 'PATCH', body: { born: 1 } })
  await call(`${records}?name=eq.Nobody`, { method: 'DELETE' })
  await call('/api/v1/batch', {
    headers: { 'idempotency-key': '"tour"' },
    body: { operations: [{ method: 'POST', table: 'lib.topics', body: { id: 70, name: 'x' } }] },
  })
  for (const accept of [
    'application/json',
    'text/csv',
    'application/vnd.pgrst.object+json',
    'application/vnd.pgrst.array+json;nulls=stripped',
  ])
    await call(`/rest/v1/authors?id=eq.1&limit=5&select=*,books!author_id(*)`, { headers: { ...rest, accept, prefer: 'count=exact' } })
  const authors = [
    { id: 50, name: 'A' },
    { id: 51, name: 'B', born: 3 },
  ]
  await call('/rest/v1/authors?columns=id,name,born', {
    headers: { ...rest, prefer: 'missing=default,return=representation' },
    body: authors,
  })
  await call('/rest/v1/authors?on_conflict=id&select=id&order=id', {
    headers: { ...rest, prefer: 'resolution=merge-duplicates,return=representation' },
    body: authors[0],
  })
  await call('/rest/v1/authors?id=gt.49', { headers: rest, method: 'PATCH', body: { born: 4 } })
  await call('/rest/v1/authors?id=gt.49', { headers: rest, method: 'DELETE' })
  await call('/rest/v1/rpc/twice', { headers: rest, body: { n: 2 } })
  await call('/rest/v1/rpc/twice?n=2', { headers: rest })
  const columns = [
    { name: 'name', type: 'text', options: { maxLength: 50 } },
    { name: 'at', type: 'createdAt' },
    { name: 'changed', type: 'updatedAt' },
    { name: 'by', type: 'updatedBy' },
    { name: 'price', type: 'decimal', options: { precision: 8, scale: 2 } },
    { name: 'words', type: 'multiSelect', options: { choices: ['a', 'b'] } },
    { name: 'files', type: 'attachment' },
    { name: 'day', type: 'date' },
    { name: 'moment', type: 'dateTime' },
  ]
  await call('/api/v1/tables', { body: { name: 'things', columns } })
  const target = await call('/api/v1/tables/things')
  const own = await call('/api/v1/tables', {
    body: { name: 'owners', columns: [{ name: 'things', type: 'manyLinks', options: { table: JSON.parse(target).id } }] },
  })
  const things = '/api/v1/tables/things/records'
  await call(things, { body: [{ name: 'x', price: 1.5, words: ['a'] }, { name: 'y' }] })
  await Promise.all(Array.from({ length: 6 }, (_, n) => call(things, { body: { name: `z${n}` } })))
  await Promise.all(Array.from({ length: 6 }, (_, n) => call(`${things}/${n + 1}`, { method: 'PATCH', body: { name: `w${n}` } })))
  await Promise.all(Array.from({ length: 6 }, (_, n) => call(`${things}/${n + 1}`)))
  await call('/api/v1/tables/owners/records', { body: { things: [1, 2] } })
  await call('/api/v1/tables/owners/records/1', { method: 'PATCH', body: { things: [2] } })
  await call('/api/v1/tables/owners/records?things=cs.{2}')
  const bytes = { 'content-type': 'application/octet-stream' }
  const files = await call(`${things}/1/attachments/files?name=a.txt`, { headers: bytes, body: 'hello' })
  const [{ url: file }] = JSON.parse(files)
  await call(file)
  await call(file, { method: 'DELETE' })
  for (const query of ['', '?formulas=escape', '?name=eq.x']) await call(`/api/v1/tables/things/export.csv${query}`)
  const csv = { headers: { 'content-type': 'text/csv' } }
  for (const mode of ['insert', 'upsert']) {
    await call(`/api/v1/tables/things/import?mode=${mode}`, {
      ...csv,
      body: 'id,name,price,words,day,moment\n700,a,1.25,"a,b",2026-01-01,2026-01-01T00:00:00Z\n',
    })
    await call(`/api/v1/tables/things/import?mode=${mode}`, { ...csv, isRefused: true, body: 'id,name,price\n1,a,many\n' })
  }
  await call('/api/v1/tables/owners/import?mode=insert', { ...csv, body: 'things\n"1,2"\n' })
  await call('/api/v1/tables/import?name=guessed', { ...csv, body: 'a,b\n1,2026-01-01\n' })
  for (const { id, type } of JSON.parse(target).columns)
    if (type === 'text') await call(`/api/v1/tables/things/columns/${id}`, { method: 'PATCH', body: { type: 'integer' }, isRefused: true })
  await call('/api/v1/tables/things/columns/words', { method: 'PATCH', body: { renameChoices: { a: 'c' } } })
  await call('/api/v1/tables/things/columns/price', { method: 'PATCH', body: { type: 'date', onFailure: 'null' } })
  await call(`/api/v1/tables/${JSON.parse(own).id}?confirm=owners`, { method: 'DELETE' })
  for (const path of [
    '/api/v1/users',
    '/api/v1/users/names',
    '/api/v1/audit',
    '/api/v1/groups',
    '/auth/me',
    '/auth/tokens',
    '/auth/sessions',
    '/api/v1/schemas/lib/report',
    '/api/v1/system',
    '/readyz',
    '/api/v1/tables',
    '/api/v1/tables/things/view',
  ])
    await call(path)
  await sweepFiles(app.deps)
  await call('/auth/login', { as: undefined, isRefused: true, body: { email: 'admin@example.org', password: 'wrong horse battery' } })
  await call('/auth/login', { as: undefined, body: { email: 'admin@example.org', password: 'correct horse battery' } })
  await call('/api/v1/users', { body: { email: 'new@example.org', role: 'viewer' } })
  const { user: service } = JSON.parse(await call('/api/v1/users', { body: { kind: 'service', name: 'Import', role: 'viewer' } }))
  await call(`/api/v1/users/${service.id}/tokens`, { body: { name: 'cron' } })
  const group = `/api/v1/groups/${JSON.parse(await call('/api/v1/groups', { body: { name: 'Sales', members: [service.id] } })).id}`
  await call(group, { method: 'PATCH', body: { name: 'Marketing', members: [] } })
  for (const method of ['PUT', 'DELETE']) await call(`${group}/members/${service.id}`, { method })
  await call(group, { method: 'DELETE' })
  await call(`/api/v1/users/${service.id}`, { method: 'PATCH', body: { disabled: true } })
  await call(`/api/v1/users/${service.id}`, { method: 'DELETE' })
  const watch = watchCatalog(db, catalog, events, { hasEventTriggers: false, canListen: false, schemas: ['lib'] })
  watch.onNotify('rowhouse', 'reload')
  await watch.stop
}

beforeAll(async () => {
  await loadModule()
  await catalog.refresh()
  await useEverything()
})

test('no statement takes an operator or a function from the search path, where another role may have put a better fitting one', () => {
  const loose = [...asked].filter(([, isPinned]) => !isPinned).map(([text]) => ({ text, names: [...new Set(looseNames(text))] }))
  expect(asked.size).toBeGreaterThan(100)
  expect(loose.filter(({ names }) => names.length)).toEqual([])
})

test('operators and functions that another role made in public, to fit better than PostgreSQL’s own, do not run', async () => {
  await db.sql.unsafe(traps)
  await db.sql.unsafe(`create table lib.accounts (name varchar(40) primary key, mood lib.mood, tags text[], doc jsonb, parent varchar references lib.accounts);
    create view lib.names as select name from lib.accounts; insert into lib.accounts values ('ada', 'ok', '{x}', '{"a": {"b": 1}}', 'ada'), ('bob', 'sad', null, null, null)`)
  // That it would run, if PostgreSQL had the choice.
  await db.sql.unsafe(`select from lib.accounts where name = 'eve'::varchar`)
  expect((await db.sql.unsafe('select what from public.caught')).length).toBeGreaterThan(0)
  await db.sql.unsafe('delete from public.caught')
  await catalog.refresh()
  const accounts = '/api/v1/tables/lib.accounts/records'
  const filters = [
    'name=eq.ada',
    'name=neq.x',
    'name=in.(ada,bob)',
    'name=like.a*',
    'name=ilike.A*',
    'name=match.^a',
    'name=gt.a',
    'name=isdistinct.ada',
    'q=a',
    'mood=eq.ok',
    'mood=gt.ok',
    'mood=in.(ok)',
    'tags=eq.{x}',
    'tags=isdistinct.{y}',
    'tags=in.("{x}")',
    'doc=eq.{}',
    'doc->a->>b=eq.1',
    'name=fts.ada',
    'name=eq(any).{ada}',
    'select=name.max(),mood&order=mood',
    'select=name,accounts(name)',
    'select=name,parent(name)',
    'order=name.desc&limit=1',
    'count=exact&limit=1',
  ]
  for (const query of filters)
    expect({ query, status: (await app.call(`${accounts}?${query}`, { as: 'viewer' })).status }).toEqual({ query, status: 200 })
  const { nextCursor } = await json(app.call(`${accounts}?order=mood,name&limit=1`, { as: 'viewer' }))
  const rest = { 'accept-profile': 'lib', 'content-profile': 'lib' }
  const others: [string, Parameters<typeof app.call>[1], number][] = [
    [`${accounts}?order=mood,name&limit=1&cursor=${nextCursor}`, {}, 200],
    [`${accounts}/ada`, {}, 200],
    ['/api/v1/tables/lib.names/records', {}, 200],
    [`${accounts}/ada`, { method: 'PATCH', body: { mood: 'sad' } }, 200],
    [`${accounts}?name=eq.bob`, { method: 'PATCH', body: { mood: 'ok' } }, 200],
    [`${accounts}/cid`, { method: 'PUT', body: { mood: 'ok' } }, 201],
    [`${accounts}/cid`, { method: 'DELETE' }, 204],
    ['/rest/v1/accounts?name=eq.ada', { headers: { ...rest, accept: 'text/csv' } }, 200],
    ['/rest/v1/names?select=name&order=name', { headers: rest }, 200],
    [
      '/rest/v1/accounts?on_conflict=name',
      { headers: { ...rest, prefer: 'resolution=merge-duplicates' }, body: { name: 'ada', mood: 'ok' } },
      200,
    ],
    [`/api/v1/tables/lib.accounts/export.csv?formulas=escape&name=like.a*`, {}, 200],
    [
      '/api/v1/tables/lib.accounts/import?mode=upsert',
      { headers: { 'content-type': 'text/csv' }, body: 'name,mood,tags,doc\nada,ok,"[""a""]",{}\n' },
      200,
    ],
    ['/api/v1/tables/lib.accounts/import', { headers: { 'content-type': 'text/csv' }, body: 'name,mood\nada,ok\nada,none\n' }, 422],
    ['/api/v1/schemas/lib/report', { as: 'admin' }, 200],
  ]
  for (const [path, call, status] of others)
    expect({ path, status: (await app.call(path, { as: 'editor', ...call })).status }).toEqual({ path, status })
  expect(await db.sql.unsafe('select distinct what from public.caught')).toEqual([] as never)
})
