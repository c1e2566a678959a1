import { describe, expect, test } from 'bun:test'
import { maintainSearchIndexes } from '../../../src/tables/definitions/search-indexes'
import { json, startApp } from '../../support/app'

/**
 * Types with operators of their own, in `public` as people install them, and in a schema that no search path names, as
 * Supabase does.
 */
describe.each(['public', 'extensions'])('types of extensions in the schema "%s" keep their own operators', async (place) => {
  const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop', ROWHOUSE_RPC: 'shop.everybody' })
  await app.deps.db.sql.unsafe(`create schema if not exists ${place}; create schema shop;
    create extension citext schema ${place}; create extension ltree schema ${place}; create extension pg_trgm schema ${place};
    create domain shop.email as ${place}.citext;
    create table shop.people (name ${place}.citext primary key, mail shop.email, place ${place}.ltree, aliases ${place}.citext[], code varchar(9), note text);
    create table shop.pets (id int primary key, owner ${place}.citext references shop.people);
    create table shop.firms (id int primary key, name ${place}.citext);
    insert into shop.firms values (7, 'Acme');
    create index on shop.people using gin (note ${place}.gin_trgm_ops);
    insert into shop.people values ('Ada', 'Ada@example.org', 'eu.uk', '{Countess}', 'x', 'mathematics'), ('bob', 'bob@example.org', 'eu.de', null, 'y', 'logic');
    insert into shop.pets values (1, 'ADA'), (2, 'Bob');
    create function shop.everybody() returns table (name ${place}.citext, code text) language sql stable as $$ select name, code from shop.people $$`)
  await app.deps.catalog.refresh()
  const people = '/api/v1/tables/shop.people/records'
  const names = async (query: string) =>
    (await json(app.call(`${people}?${query}`, { as: 'viewer' }))).records?.map(({ name }: { name: string }) => name)

  test.each([
    ['name=eq.ADA', ['Ada']],
    ['name=in.(ADA,BOB)', ['Ada', 'bob']],
    ['name=like.aD*', ['Ada']],
    ['name=isdistinct.ADA', ['bob']],
    ['mail=eq.ada@EXAMPLE.org', ['Ada']],
    ['aliases=cs.{COUNTESS}', ['Ada']],
    ['place=cd.eu', ['Ada', 'bob']],
    ['place=eq.eu.de', ['bob']],
    ['note=ilike.*MATH*', ['Ada']],
    ['code=eq.y', ['bob']],
    ['q=aDá', ['Ada']],
    ['q=bob@example', ['bob']],
    [`q=${'x'.repeat(201)}`, []],
  ])('%s', async (query, found) => {
    expect(await names(`${query}&order=name`)).toEqual(found)
  })

  test('by the name of a linked record', async () => {
    const columns = [{ name: 'firm', type: 'link', options: { table: 'shop.firms' } }]
    expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'visits', columns } })).status).toBe(201)
    await app.call('/api/v1/tables/visits/records', { as: 'editor', body: [{ firm: 7 }, {}] })
    const { records } = await json(app.call('/api/v1/tables/visits/records?q=acme&select=firm', { as: 'viewer' }))
    expect(records).toEqual([{ firm: 7 }])
  })

  test('along links to several records, whatever the case', async () => {
    const columns = [{ name: 'guests', type: 'manyLinks', options: { table: 'shop.people' } }]
    expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'tours', columns } })).status).toBe(201)
    for (const column of [
      { name: 'number', type: 'count', options: { link: 'guests' } },
      { name: 'codes', type: 'lookup', options: { link: 'guests', column: 'code' } },
    ])
      expect((await app.call('/api/v1/tables/tours/columns', { as: 'admin', body: column })).status).toBe(201)
    expect((await app.call('/api/v1/tables/tours/records', { as: 'editor', body: { guests: ['ADA'] } })).status).toBe(201)
    for (const query of ['', '?q=ada@example']) {
      const { records } = await json(app.call(`/api/v1/tables/tours/records${query}`, { as: 'viewer' }))
      expect(records).toMatchObject([{ guests: ['ADA'], number: 1, codes: ['x'] }])
    }
  })

  test('along links to several records, by the index for the search', async () => {
    const columns = [
      { name: 'title', type: 'text' },
      { name: 'guests', type: 'manyLinks', options: { table: 'shop.people' } },
    ]
    expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'trips', columns } })).status).toBe(201)
    const body = { title: 'North', guests: ['ADA'] }
    expect((await app.call('/api/v1/tables/trips/records', { as: 'editor', body })).status).toBe(201)
    const indexed = await app.call('/api/v1/tables/trips', { as: 'admin', method: 'PATCH', body: { searchIndex: true } })
    expect(indexed.status).toBe(200)
    await maintainSearchIndexes(app.deps)
    await app.deps.catalog.refresh()
    const { records } = await json(app.call('/api/v1/tables/trips/records?q=ada@example', { as: 'viewer' }))
    expect(records).toMatchObject([{ guests: ['ADA'] }])
  })

  test('by key, cursor, embedding, aggregate and function', async () => {
    expect((await json(app.call(`${people}/aDa`, { as: 'viewer' }))).name).toBe('Ada')
    const { nextCursor } = await json(app.call(`${people}?order=name,code&limit=1`, { as: 'viewer' }))
    expect(await names(`order=name,code&limit=1&cursor=${nextCursor}`)).toEqual(['bob'])
    const { records } = await json(app.call(`${people}?select=name,pets(id)&order=name`, { as: 'viewer' }))
    expect(records).toEqual([
      { name: 'Ada', pets: [{ id: 1 }] },
      { name: 'bob', pets: [{ id: 2 }] },
    ])
    const rest = { headers: { 'accept-profile': 'shop' }, as: 'viewer' } as const
    expect(await json(app.call('/rest/v1/people?select=name.max()', rest))).toEqual([{ max: 'bob' }])
    expect(await json(app.call('/rest/v1/rpc/everybody?select=name&name=eq.BOB', rest))).toEqual([{ name: 'bob' }])
  })

  test('written by key, filter, upsert and import', async () => {
    const rest = { 'content-profile': 'shop', prefer: 'resolution=merge-duplicates,return=representation' }
    expect((await app.call(`${people}/ADA`, { as: 'editor', method: 'PATCH', body: { code: 'a' } })).status).toBe(200)
    expect(await json(app.call(`${people}?name=eq.BOB`, { as: 'editor', method: 'PATCH', body: { code: 'b' } }))).toMatchObject({
      affected: 1,
    })
    expect(await json(app.call('/rest/v1/people', { as: 'editor', headers: rest, body: { name: 'ADA', code: 'c' } }))).toMatchObject([
      { code: 'c' },
    ])
    const file = { as: 'editor', headers: { 'content-type': 'text/csv' }, body: 'name,code\nADA,d\n' } as const
    expect(await json(app.call('/api/v1/tables/shop.people/import?mode=upsert', file))).toMatchObject({ updated: 1, inserted: 0 })
  })
})
