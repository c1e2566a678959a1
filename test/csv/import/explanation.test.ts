import { beforeAll, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop' })

const make = async (name: string, columns: object[]) =>
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })).status).toBe(201)

beforeAll(async () => {
  await app.deps.db.sql.unsafe(`create schema shop;
    create type shop.size as (width integer, height integer);
    create type shop.mood as enum ('calm', 'loud');
    create domain shop.share as numeric check (value between 0 and 1);
    create domain shop.amount as numeric(6,2);
    create domain shop.few as integer[] check (cardinality(value) < 3);
    create domain shop.code as text check (value ~ '^[A-Z]+$');
    create table shop.things (id bigint generated always as identity primary key,
      counts bigint[], words varchar(5)[], moods shop.mood[], days date[], size shop.size, sizes shop.size[], mood shop.mood, share shop.share,
      code shop.code, address inet, span int4range, small smallint, real real, price numeric(6,2), at time, stamp timestamp, flags bit(3),
      short varchar(3), fixed char(3), day date, number int,
      amount shop.amount, few shop.few)`)
  await make('people', [{ name: 'name', type: 'text' }])
  await make('own', [
    { name: 'people', type: 'manyLinks', options: { table: 'people' } },
    { name: 'boss', type: 'link', options: { table: 'people' } },
    { name: 'tags', type: 'multiSelect', options: { choices: ['a', 'b'] } },
    { name: 'level', type: 'select', options: { choices: ['a', 'b'] } },
    { name: 'weight', type: 'float' },
    { name: 'price', type: 'decimal', options: { precision: 6, scale: 2 } },
    { name: 'sum', type: 'decimal' },
    { name: 'at', type: 'time' },
    { name: 'owner', type: 'user' },
    { name: 'count', type: 'integer' },
    { name: 'big', type: 'bigint' },
  ])
})

test.each([
  ['things', 'counts', 'y', 'must be a list, as a JSON array, each of whose values must be a whole number of 64 bits'],
  ['things', 'counts', '{y}', 'must be a list, as a JSON array, each of whose values must be a whole number of 64 bits'],
  ['things', 'words', 'y', 'must be a list, as a JSON array, each of whose values must be text'],
  ['things', 'days', '["y"]', 'must be a list, as a JSON array, each of whose values must be a day in the form YYYY-MM-DD'],
  ['things', 'moods', '["y"]', 'must be a list, as a JSON array, each of whose values must be a value of PostgreSQL’s type shop.mood'],
  ['things', 'sizes', 'y', 'must be a list, as a JSON array, each of whose values must be a value of PostgreSQL’s type shop.size'],
  ['things', 'size', '(1,y)', 'must be a value of PostgreSQL’s type shop.size'],
  ['things', 'mood', 'y', 'must be one of calm, loud'],
  ['things', 'share', '2', 'must be a number, and a value of PostgreSQL’s type shop.share'],
  ['things', 'amount', '1.239', 'must be a number of at most 6 digits, 2 of them after the decimal point'],
  ['things', 'few', 'y', 'must be a value of PostgreSQL’s type shop.few'],
  ['things', 'few', '["y"]', 'must be a value of PostgreSQL’s type shop.few'],
  ['things', 'few', '[1,2,3]', 'must be a value of PostgreSQL’s type shop.few'],
  ['things', 'few', '{1,2,3}', 'must be a value of PostgreSQL’s type shop.few'],
  ['things', 'code', 'y', 'must be text, and a value of PostgreSQL’s type shop.code'],
  ['things', 'address', 'y', 'must be a value of PostgreSQL’s type inet'],
  ['things', 'span', 'y', 'must be a value of PostgreSQL’s type int4range'],
  ['things', 'small', '40000', 'must be a whole number from -32768 to 32767'],
  ['things', 'real', 'y', 'must be a number'],
  ['things', 'price', 'y', 'must be a number of at most 6 digits, 2 of them after the decimal point'],
  ['things', 'at', 'y', 'must be a time of the day in the form HH:MM or HH:MM:SS'],
  ['things', 'stamp', 'y', 'must be a timestamp without an offset, such as 2026-01-31T12:00:00'],
  ['things', 'at', 'now', 'must be a time of the day in the form HH:MM or HH:MM:SS'],
  ['things', 'at', '10:00+05:00', 'must be a time of the day in the form HH:MM or HH:MM:SS'],
  ['things', 'stamp', '2026-01-31T12:00:00+05:00', 'must be a timestamp without an offset, such as 2026-01-31T12:00:00'],
  ['things', 'stamp', '2026-01-31T12:00:00Z', 'must be a timestamp without an offset, such as 2026-01-31T12:00:00'],
  ['things', 'stamp', '2026-01-31 12:00 Europe/Oslo', 'must be a timestamp without an offset, such as 2026-01-31T12:00:00'],
  ['things', 'day', '2026-01-31T23:30:00-05:00', 'must be a day in the form YYYY-MM-DD'],
  ['things', 'number', '0x1F', 'must be a whole number from -2147483648 to 2147483647'],
  ['things', 'small', '1_000', 'must be a whole number from -32768 to 32767'],
  ['things', 'real', '0x1F', 'must be a number'],
  ['things', 'price', '1_0.5', 'must be a number of at most 6 digits, 2 of them after the decimal point'],
  ['things', 'flags', 'y', 'must be a value of PostgreSQL’s type bit'],
  ['things', 'short', 'long', 'must have at most 3 characters'],
  ['things', 'fixed', 'long', 'must have at most 3 characters'],
  ['own', 'people', 'y', 'is neither the key nor the name of a record of "people"'],
  ['own', 'boss', 'y', 'is neither the key nor the name of a record of "people"'],
  ['own', 'tags', 'y', 'must be an array of some of "a", "b"'],
  ['own', 'tags', '{y', 'must be a list of some of a, b'],
  ['own', 'level', 'y', 'must be one of "a", "b"'],
  ['own', 'weight', 'y', 'must be a number'],
  ['own', 'price', 'y', 'must be a number of at most 6 digits, 2 of them after the decimal point'],
  ['own', 'price', '1.234,50', 'must be a number of at most 6 digits, 2 of them after the decimal point'],
  ['own', 'price', '1.2.3', 'must be a number of at most 6 digits, 2 of them after the decimal point'],
  ['own', 'sum', 'y', 'must be a number'],
  ['own', 'at', 'y', 'must be a time of the day in the form HH:MM or HH:MM:SS'],
  ['own', 'owner', 'y', 'is neither the key nor the name of a record of "users"'],
  ['own', 'at', 'now', 'must be a time of the day in the form HH:MM or HH:MM:SS'],
  ['own', 'at', 'allballs', 'must be a time of the day in the form HH:MM or HH:MM:SS'],
  ['own', 'at', '10:00+05:00', 'must be a time of the day in the form HH:MM or HH:MM:SS'],
  ['own', 'at', '2026-01-31 08:15', 'must be a time of the day in the form HH:MM or HH:MM:SS'],
  ['own', 'at', '12:00:60', 'must be a time of the day in the form HH:MM or HH:MM:SS'],
  ['own', 'at', '4pm', 'must be a time of the day in the form HH:MM or HH:MM:SS'],
  ['own', 'count', '1_000', 'must be a whole number from -2147483648 to 2147483647'],
  ['own', 'count', '0x1F', 'must be a whole number from -2147483648 to 2147483647'],
  ['own', 'count', '0o17', 'must be a whole number from -2147483648 to 2147483647'],
  ['own', 'count', '0b11', 'must be a whole number from -2147483648 to 2147483647'],
  ['own', 'big', '1_000', 'must be a whole number of 64 bits'],
  ['own', 'sum', '1_000', 'must be a number'],
  ['own', 'weight', '0x1F', 'must be a number'],
  ['own', 'price', '1_0.5', 'must be a number of at most 6 digits, 2 of them after the decimal point'],
])('in %s, %s of a file with %j %s, and the answer shows the cell as it was sent', async (table, column, cell, message) => {
  const problem = await expectProblem(await upload(app, table, `${column}\n"${cell.replaceAll('"', '""')}"\n`), 422, 'validation_failed')
  expect(problem.errors as unknown).toEqual([{ line: 2, column, message: `${message}: "${cell}"` }])
})

test('blanks beyond the length of a column are no problem, as PostgreSQL cuts them off', async () => {
  expect((await upload(app, 'things', 'short,fixed\n"abc  ","abc  "\n')).status).toBe(200)
})

test('timestamps without a zone may be a day, a local time or infinite', async () => {
  const stamps = ['2026-01-31', '2026-01-31T12:00:00', '2026-01-31 12:00 PM', '-infinity', '0044-03-15 12:00 BC']
  expect(await json(upload(app, 'things', `stamp\n${stamps.join('\n')}\n`))).toMatchObject({ inserted: 5 })
})

test('times and numbers may have blanks around them, fractions, signs and short hours', async () => {
  const file = 'at,count,sum,weight\n 8:15 ,+7,1e3,-.5\n23:59:59.123456, 007 ,1.,1e-3\n'
  expect((await upload(app, 'own', file)).status).toBe(200)
  const { records } = await json(app.call('/api/v1/tables/own/records?select=at,count,sum,weight&order=id', { as: 'viewer' }))
  expect(records).toMatchObject([
    { at: '08:15:00', count: 7, sum: 1000, weight: -0.5 },
    { at: '23:59:59.123456', count: 7, sum: 1, weight: 0.001 },
  ])
})
