import { expect, test } from 'bun:test'
import { startApp } from '../../support/app'

/**
 * As a team takes a value out of an enum. A prepared statement keeps the number of the type that its parameters had.
 */
const migration = (keepsOld: boolean) => `
  alter type crm.mood rename to mood_old;
  create type crm.mood as enum ('ok', 'sad');
  alter table crm.people alter mood type crm.mood using mood::text::crm.mood, alter moods type crm.mood[] using moods::text::crm.mood[];
  alter table crm.words alter mood type crm.mood using mood::text::crm.mood;
  ${keepsOld ? '' : 'drop type crm.mood_old;'}`

const schema = `create schema crm;
  create type crm.mood as enum ('ok', 'sad', 'gone');
  create table crm.people (id int primary key, mood crm.mood, moods crm.mood[]);
  create table crm.words (mood crm.mood primary key, word text);
  insert into crm.people select n, case when n % 2 = 0 then 'ok' else 'sad' end::crm.mood, '{ok}' from generate_series(1, 40) n;
  insert into crm.words values ('ok', 'fine'), ('sad', 'blue');`

test.each([
  ['dropped', false],
  ['kept', true],
])('filters and keys of an enum hold after it was migrated by rename and create, the old type %s', async (_, keepsOld) => {
  const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm', DATABASE_POOL_SIZE: '1' })
  const { sql } = app.deps.db
  await sql.unsafe(schema)
  await app.deps.catalog.refresh()
  const people = '/api/v1/tables/crm.people/records'
  const words = '/api/v1/tables/crm.words/records'
  const rest = { 'accept-profile': 'crm', 'content-profile': 'crm' }
  const requests: [string, Parameters<typeof app.call>[1]][] = [
    [`${people}?mood=eq.ok`, {}],
    [`${people}?mood=in.(ok,sad)`, {}],
    [`${people}?moods=cs.{ok}`, {}],
    [`${people}?moods=in.("{ok}")`, {}],
    [`${people}?mood=isdistinct.ok`, {}],
    [`${people}?mood=gt.ok&order=mood.asc&limit=2`, {}],
    [`${words}/ok`, {}],
    [`${words}/sad`, { method: 'PATCH', body: { word: 'very blue' } }],
    [`/rest/v1/words?mood=eq.ok`, { headers: rest }],
    [`/rest/v1/people?mood=eq.ok`, { headers: rest, method: 'PATCH', body: { moods: ['sad'] } }],
  ]
  const statuses = async () => {
    const found: number[] = []
    for (const [path, call] of requests) found.push((await app.call(path, { as: 'editor', ...call })).status)
    const first = await (await app.call(`${people}?order=mood&limit=1`, { as: 'editor' })).json()
    found.push((await app.call(`${people}?order=mood&limit=1&cursor=${first.nextCursor}`, { as: 'editor' })).status)
    return found
  }
  const before = await statuses()
  expect(before.every((status) => status < 300)).toBe(true)
  await statuses()
  await sql.unsafe(migration(keepsOld))
  await app.deps.catalog.refresh()
  expect(await statuses()).toEqual(before)
})
