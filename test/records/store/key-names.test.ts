import { expect, test } from 'bun:test'
import { keyDetailParts } from '../../../src/records/store/key-detail'
import { json, startApp } from '../../support/app'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'odd' })
await app.deps.db.sql.unsafe(`create schema odd;
  create table odd.targets ("a, b" int, c int, "x)=(1" int unique, primary key ("a, b", c));
  create table odd.keys (id int generated always as identity primary key, "first, second" text unique, "a/b~" text unique,
    "it's (odd)" text, "p, q" int, r int, "x)=(1" int references odd.targets ("x)=(1"), other text, more text,
    unique ("first, second", "it's (odd)"), constraint linked foreign key ("p, q", r) references odd.targets ("a, b", c));
  create unique index on odd.keys ((coalesce(other, ',')), lower(more));
  create unique index on odd.keys (lower("it's (odd)"));
  insert into odd.targets values (1, 2, 3)`)
expect((await app.call('/rest/v1/', { as: 'admin' })).status).toBe(200)

const insert = async (table: string, body: object) => {
  const native = await app.call(`/api/v1/tables/odd.${table}/records`, { as: 'editor', body })
  const rest = await app.call(`/rest/v1/${table}`, { as: 'editor', body, headers: { 'content-profile': 'odd' } })
  const { errors = [] } = await json(native)
  return {
    statuses: [native.status, rest.status],
    paths: errors.map(({ path }: { path: string }) => path),
    details: (await json(rest)).details,
  }
}

test('an error about a key names its columns, whatever they are called', async () => {
  const first = { 'first, second': 'one', 'a/b~': 'two', "it's (odd)": 'three', 'p, q': 1, r: 2, 'x)=(1': 3 }
  expect((await app.call('/api/v1/tables/odd.keys/records', { as: 'editor', body: first })).status).toBe(201)
  const refused = async (body: object, paths: string[], details: string | null) =>
    expect(await insert('keys', body)).toEqual({ statuses: [409, 409], paths, details })
  await refused({ 'first, second': 'one' }, ['/first, second'], 'Key ("first, second") already exists.')
  await refused({ 'a/b~': 'two' }, ['/a~1b~0'], 'Key ("a/b~") already exists.')
  await refused({ "it's (odd)": 'THREE' }, ["/it's (odd)"], `Key (lower("it's (odd)")) already exists.`)
  await refused({ 'p, q': 8, r: 9 }, ['/p, q', '/r'], 'Key (p, q, r) is not present in table "targets".')
  expect((await insert('keys', { 'x)=(1': 7 })).paths).toEqual(['/x)=(1'])
  expect((await insert('targets', { 'a, b': 1, c: 2 })).paths).toEqual(['/a, b', '/c'])
  await app.deps.db.sql.unsafe(`update odd.keys set "x)=(1" = null`)
  const removed = await app.call('/rest/v1/targets?c=eq.2', { as: 'editor', method: 'DELETE', headers: { 'content-profile': 'odd' } })
  expect(await json(removed)).toMatchObject({ code: '23503', details: 'Key (a, b, c) is still referenced from table "keys".' })
})

test.each([
  ['Key (a, "b, c", "d""), (e")=(1, 2, 3) already exists.', ['a', '"b, c"', '"d""), (e"']],
  [`Key (COALESCE(other, ','::text), lower("A)=(")) already exists.`, null],
  [`Key (COALESCE(other, ',)'::text), lower("A)=("))=(x) already exists.`, [`COALESCE(other, ',)'::text)`, 'lower("A)=(")']],
  ['Key (a)=(b)=(c)) conflicts with existing key (a)=(b).', ['a']],
  ['Failing row contains (1).', null],
  ['Key ("a', null],
])('reads the key of %s', (detail, parts) => expect(keyDetailParts(detail)).toEqual(parts))
