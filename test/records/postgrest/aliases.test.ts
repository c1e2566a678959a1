import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'public,data' })
await app.deps.db.sql.unsafe(`create table public.directors (id int primary key, name text);
  create table public.films (id int primary key, title text, year int, director_id int references public.directors);
  create table public.roles (id int primary key, name text, film_id int references public.films);
  insert into public.directors values (1, 'Ada'); insert into public.films values (1, 'old', 1990, 1), (2, 'new', 2010, 1), (3, 'newest', 2020, 1);
  insert into public.roles values (1, 'hero', 2), (2, 'foe', 2)`)
await app.deps.catalog.refresh()
const ask = (query: string) => json(app.call(`/rest/v1/directors?${query}`, { as: 'viewer' }))

describe('what is embedded with an alias is asked for by its table’s name, too', () => {
  test.each([
    ['filtered', 'select=f:films(title)&films.year=gt.2000&f.order=id', ['new', 'newest']],
    ['ordered and limited', 'select=f:films(title)&films.order=year.desc&films.limit=2', ['newest', 'new']],
    ['by both names', 'select=f:films(title)&films.year=gt.2000&f.year=lt.2015', ['new']],
    ['by a group', 'select=f:films(title)&films.or=(year.eq.1990,year.eq.2010)&films.order=id', ['old', 'new']],
  ])('%s', async (_, query, titles) => {
    expect(await ask(query)).toEqual([{ f: titles.map((title) => ({ title })) }])
  })

  test('inside of another one', async () => {
    const query = 'select=f:films(title,r:roles(name))&films.title=eq.new&films.roles.name=eq.foe'
    expect(await ask(query)).toEqual([{ f: [{ title: 'new', r: [{ name: 'foe' }] }] }])
  })

  test('where another one has that name, it is meant; where two could be, an alias has to tell', async () => {
    const both = 'select=f:films(title),films(title)&films.year=gt.2015&f.year=lt.2000'
    expect(await ask(both)).toEqual([{ f: [{ title: 'old' }], films: [{ title: 'newest' }] }])
    expect(await ask('select=a:films(title),b:films(title)&films.year=gt.2000')).toMatchObject({ code: 'PGRST108' })
  })
})

describe('an embedding with the name of a column', () => {
  const found = async (query: string) =>
    (await json(app.call(`/rest/v1/films?order=id&${query}`, { as: 'viewer' }))).map(({ id }: { id: number }) => id)

  test.each([
    ['is meant by is.null', 'select=id,director_id(name)&director_id.name=eq.Bob&director_id=is.null', [1, 2, 3]],
    ['is meant by not.is.null', 'select=id,director_id(name)&director_id.name=eq.Bob&director_id=not.is.null', []],
    ['is meant in a group', 'select=id,director_id(name)&director_id.name=eq.Bob&or=(director_id.is.not_null,year.eq.1990)', [1]],
    ['is meant by its alias', 'select=id,year:directors(name)&year.name=eq.Bob&year=is.null', [1, 2, 3]],
    ['leaves other operators to the column', 'select=id,director_id(name)&director_id.name=eq.Bob&director_id=eq.1', [1, 2, 3]],
    ['is not meant where it is not embedded', 'select=id&director_id=is.null', []],
    ['is not meant where its alias has another name', 'select=id,by:director_id(name)&by.name=eq.Bob&director_id=is.null', []],
  ])('%s', async (_, query, ids) => {
    expect(await found(query)).toEqual(ids)
  })

  test('is not meant on the native routes', async () => {
    const query = 'select=id,director_id(name)&director_id.name=eq.Bob&director_id=not.is.null&order=id'
    const { records } = await json(app.call(`/api/v1/tables/films/records?${query}`, { as: 'viewer' }))
    expect(records.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3])
  })

  test.each([
    ['PATCH', 'director_id=is.null', []],
    ['PATCH', 'director_id=not.is.null', [1, 2, 3]],
    ['PATCH', 'or=(director_id.is.null,year.eq.1990)', [1]],
    ['DELETE', 'director_id=is.null', []],
  ] as [string, string, number[]][])('is not meant by %s with %s', async (method, filter, ids) => {
    const path = `/rest/v1/films?select=id,director_id(name)&director_id.name=eq.Bob&${filter}`
    const headers = { prefer: 'return=representation,tx=rollback' }
    const written = await json(app.call(path, { as: 'editor', method, body: method === 'PATCH' ? { year: 0 } : undefined, headers }))
    expect(written.map(({ id }: { id: number }) => id).sort()).toEqual(ids)
  })
})

test('missing=default fills in the default of a column’s domain', async () => {
  await app.deps.db.sql.unsafe(`create domain public.grade as int default 3 check (value > 0); create domain public.better as public.grade;
    create domain public.best as public.better default 5;
    create table public.marks (id int primary key, a public.grade, b public.better, c public.best, d public.grade default 9, e int)`)
  await app.deps.catalog.refresh()
  const headers = { prefer: 'missing=default,return=representation' }
  const made = await json(app.call('/rest/v1/marks?columns=id,a,b,c,d,e', { as: 'editor', headers, body: [{ id: 1 }, { id: 2, a: 7 }] }))
  expect(made).toEqual([
    { id: 1, a: 3, b: 3, c: 5, d: 9, e: null },
    { id: 2, a: 7, b: 3, c: 5, d: 9, e: null },
  ])
})

test('missing=default fills in the defaults of a view, not those of its table', async () => {
  await app.deps.db.sql.unsafe(`create table public.tones (id int primary key, a int default 1, b int default 2, c int default 3);
    create view public.heard as select * from public.tones; alter view public.heard alter column b set default 5`)
  await app.deps.catalog.refresh()
  const headers = { prefer: 'missing=default,return=representation' }
  const made = await json(app.call('/rest/v1/heard?columns=id,a,b', { as: 'editor', headers, body: [{ id: 1 }, { id: 2, a: 7 }] }))
  expect(made).toEqual([
    { id: 1, a: null, b: 5, c: 3 },
    { id: 2, a: 7, b: 5, c: 3 },
  ])
})
