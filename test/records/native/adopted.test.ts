import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { crm } from '../../support/crm'
import { expectProblem } from '../../support/problem'

/** Records of tables that Rowhouse did not make, as a team may have had them for years. */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
const psql = await app.deps.db.sql.reserve()
await psql.unsafe(crm)
const at = (path: string) => `/api/v1/tables/${path}`
const read = (path: string) => json(app.call(at(path), { as: 'viewer' }))
const write = (method: string, path: string, body?: unknown) => app.call(at(path), { as: 'editor', method, body })

describe('a composite key of text and fixed-length text', () => {
  test('is the address, whatever is in it', async () => {
    expect(await read('companies/records/DE,a')).toEqual({ country: 'DE', code: 'a', name: 'Anton' })
    expect(await read('companies/records/AT,a%2Fb')).toEqual({ country: 'AT', code: 'a/b', name: 'Berta' })
    const made = await write('POST', 'companies/records', { country: 'CH', code: 'x,y%', name: 'Cäsar' })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe('/api/v1/tables/companies/records/CH,x%2Cy%25')
    expect(await json(app.call(made.headers.get('location')!, { as: 'viewer' }))).toEqual({ country: 'CH', code: 'x,y%', name: 'Cäsar' })
    expect(await json(write('PATCH', 'crm.companies/records/CH,x%2Cy%25', { name: 'C' }))).toEqual({
      country: 'CH',
      code: 'x,y%',
      name: 'C',
    })
    expect((await write('DELETE', 'companies/records/CH,x%2Cy%25')).status).toBe(204)
    expect((await app.call(at('companies/records/CH,x%2Cy%25'), { as: 'viewer' })).status).toBe(404)
  })
  test('what is longer than the column is refused, not cut', async () => {
    for (const body of [
      { country: 'DEU', code: 'z' },
      { country: 'DE', code: 'z', name: 'n'.repeat(41) },
    ]) {
      await expectProblem(await write('POST', 'companies/records', body), 422, 'validation_failed')
    }
  })
  test('what is left out gets its default', async () => {
    expect(await json(write('POST', 'companies/records', { country: 'FR', code: 'd' }))).toEqual({ country: 'FR', code: 'd', name: "x'y" })
  })
})

describe('columns of every kind', () => {
  const values = {
    email: 'eve@example.org', mood: 'it\'s "great"', moods: ['sad', 'ok'], more_moods: ['ok'], address: { street: 'Gasse 1', number: 7 },
    salary: 12.5, bonus: 99, tags: ['a', 'b,c', '"'], during: '["2020-01-01 00:00:00+00","2021-01-01 00:00:00+00")', speed: '[1,2.5)',
    born: '1990-02-03', created: '2020-01-01T00:00:00Z', local: '2020-01-01T10:00:00', price: 2.125, amount: 1, bits: '10101', letter: 'x', code_name: 'cn',
    doc: { deep: [1, { a: null }] }, country: 'DE', code: 'a', ratio: 0.25, active: false, offset_: 3, boss: 1,
  } // biome-ignore format: a list
  test('are written and read back', async () => {
    const made = await write('POST', 'people/records', values)
    const record = await made.json()
    expect({ status: made.status, record }).toMatchObject({
      status: 201,
      record: { ...values, created: expect.stringMatching(/^2020-01-01T00:00:00/), greeting: 'hello eve@example.org' },
    })
    expect(await read(`people/records/${record.id}`)).toEqual(record)
    const patched = await json(write('PATCH', `people/records/${record.id}`, { moods: ['ok'], tags: [], mood: 'sad', during: null }))
    expect(patched).toEqual({ ...record, moods: ['ok'], tags: [], mood: 'sad', during: null })
  })
  test('get their defaults, those of domains too', async () => {
    expect(await json(write('POST', 'people/records', { email: 'def@example.org' }))).toMatchObject({
      mood: 'ok', salary: 1, bonus: 20, tags: [], born: '2000-01-01', price: 1.5, doc: { a: [1] }, ratio: 0.1, active: true, offset_: -5, greeting: 'hello def@example.org', other_id: expect.any(Number),
    }) // biome-ignore format: a list
  })
  test.each([
    ['a label that the enum does not have', { mood: 'zebra7' }],
    ['one in an array', { moods: ['sad', 'zebra7'] }],
    ['a value that the domain forbids', { salary: -1 }],
    ['one that the domain below it forbids', { bonus: 5 }],
    ['null for a domain that needs a value', { salary: null }],
    ['what is no range', { during: 'zebra7' }],
    ['too many bits', { bits: '101010' }],
    ['a scalar for an array', { tags: 'zebra7' }],
    ['an object for a scalar', { email: { zebra7: 1 } }],
    ['a number beyond its type', { offset_: 2 ** 31 }],
  ])('refuse %s', async (_what, body) => {
    const before = (await read('people/records')).records.length
    const response = await write('POST', 'people/records', body)
    expect(await response.clone().text()).not.toContain('zebra7')
    await expectProblem(response, 422, 'validation_failed')
    expect((await read('people/records')).records.length).toBe(before)
  })
  test.each([
    ['id', 5],
    ['greeting', 'x'],
  ])('that PostgreSQL fills (%s) cannot be sent', async (name, value) => {
    const { errors } = await expectProblem(await write('POST', 'people/records', { [name]: value }), 422, 'validation_failed')
    expect(errors![0]!.path).toBe(`/${name}`)
  })
  test('an identity that may be sent can be', async () => {
    expect((await json(write('POST', 'people/records', { other_id: 1000 }))).other_id).toBe(1000)
  })
  test('take a whole number that is written 1.0, those of a domain too', async () => {
    await psql.unsafe(`create domain crm.quantity as int check (value >= 0); create domain crm.least as crm.quantity;
      create table crm.stock (id crm.quantity primary key, n crm.quantity, m crm.least, b bigint)`)
    await app.deps.catalog.refresh()
    expect(await json(write('POST', 'stock/records', '{"id":1.0,"n":2.0,"m":3e0,"b":4.0}'))).toEqual({ id: 1, n: 2, m: 3, b: 4 })
    expect(await json(write('PATCH', 'stock/records/1', '{"n":1e3,"m":null}'))).toEqual({ id: 1, n: 1000, m: null, b: 4 })
    expect(await json(write('PUT', 'stock/records/1', '{"id":1.0,"m":5.0}'))).toEqual({ id: 1, n: null, m: 5, b: null })
    expect(await json(write('POST', 'stock/records', '[{"id":2,"n":1.0},{"id":3.0}]'))).toMatchObject([{ n: 1 }, { id: 3 }])
    for (const n of ['1.5', '-1.0', '2147483648.0']) {
      await expectProblem(await write('POST', 'stock/records', `{"id":9,"n":${n}}`), 422, 'validation_failed')
    }
  })
  test('a filter compares in their types', async () => {
    const ids = async (query: string) =>
      (await read(`people/records?${query}&select=email&order=id`)).records.map(({ email }: { email: string }) => email)
    expect(await ids('mood=eq.sad')).toEqual(['eve@example.org'])
    expect(await ids('moods=cs.{ok}')).toEqual(['eve@example.org'])
    expect(await ids('salary=gt.10')).toEqual(['eve@example.org'])
    expect(await ids('country=eq.DE&email=like.ada*')).toEqual(['ada@example.org'])
    expect(await ids('speed=ov.[2,3)')).toEqual(['eve@example.org'])
  })
})

test.each([
  ['payload,count()', '"payload"'],
  ['place,count()', '"place"'],
  ['payload,price.sum()', '"payload", "price"'],
  ['id,parts:parcel_parts(payload,count())', '"payload"'],
])('groups by a type without equality (%s) are a 400 that names the column', async (select, names) => {
  await psql.unsafe(`create table if not exists crm.parcels (id int primary key, payload json, place point, price numeric);
    create table if not exists crm.parcel_parts (id int primary key, parcel_id int references crm.parcels, payload json);
    insert into crm.parcels values (1, '{}') on conflict do nothing`)
  await app.deps.catalog.refresh()
  const response = await app.call(at(`parcels/records?select=${select}`), { as: 'viewer' })
  const { message } = await expectProblem(response, 400, 'invalid_request')
  expect(message).toBe(`PostgreSQL has no such operation for the type of one of these columns: ${names}.`)
})

test('foreign keys of several columns, and of a table to itself, are links', async () => {
  const { records } = await read('people/records?select=email,companies(name),boss(email)&email=eq.eve@example.org')
  expect(records).toEqual([{ email: 'eve@example.org', companies: { name: 'Anton' }, boss: { email: 'ada@example.org' } }])
})

describe('a view', () => {
  test('is read, and written where PostgreSQL can', async () => {
    expect((await read('emails/records?id=eq.1')).records).toEqual([{ id: 1, email: 'ada@example.org', shouted: 'ADA@EXAMPLE.ORG' }])
    expect((await write('POST', 'emails/records', { email: 'view@example.org' })).status).toBe(201)
    expect((await write('PATCH', 'emails/records?email=eq.view@example.org', { email: 'seen@example.org' })).status).toBe(200)
    expect((await read('people/records?email=eq.seen@example.org')).records).toHaveLength(1)
    expect((await write('DELETE', 'emails/records?email=eq.seen@example.org')).status).toBeOneOf([200, 204])
    await expectProblem(await write('POST', 'emails/records', { shouted: 'X' }), 422, 'validation_failed')
  })
  test('with an INSTEAD OF trigger takes new records', async () => {
    expect((await write('POST', 'doors/records', { a: 5, b: 'y' })).status).toBe(201)
    expect((await read('keyless/records')).records).toEqual([{ a: 5, b: 'y' }])
  })
  test('of a sum is for reading only', async () => {
    expect((await read('totals/records')).records).toHaveLength(1)
    expect((await write('POST', 'totals/records', { n: 1 })).status).toBeOneOf([403, 405, 409, 422])
    expect((await write('POST', 'snapshot/records', { id: 1 })).status).toBeOneOf([403, 405, 409, 422])
  })
})

test('a table without a key is listed and added to; its records have no address', async () => {
  expect((await write('POST', 'keyless/records', { a: 6, b: 'z' })).status).toBe(201)
  expect((await read('keyless/records?order=a')).records).toEqual([
    { a: 5, b: 'y' },
    { a: 6, b: 'z' },
  ])
  expect((await app.call(at('keyless/records/6'), { as: 'viewer' })).status).toBe(404)
  expect((await write('PATCH', 'keyless/records?a=eq.6', { b: 'w' })).status).toBe(200)
})

test('a partitioned table is one table, with the version of its records', async () => {
  const made = await write('POST', 'events/records', { id: 1, at: '2020-05-05', what: 'begun' })
  expect(made.status).toBe(201)
  const etag = made.headers.get('etag')!
  expect((await app.call(at('events/records/1,2020-05-05'), { as: 'viewer', headers: { 'if-none-match': etag } })).status).toBe(304)
  expect(
    (
      await app.call(at('events/records/1,2020-05-05'), {
        as: 'editor',
        method: 'PATCH',
        body: { what: 'ended' },
        headers: { 'if-match': etag },
      })
    ).status,
  ).toBe(200)
  expect(
    (
      await app.call(at('events/records/1,2020-05-05'), {
        as: 'editor',
        method: 'PATCH',
        body: { what: 'again' },
        headers: { 'if-match': etag },
      })
    ).status,
  ).toBe(412)
  expect((await app.call(at('events_2020'), { as: 'viewer' })).status).toBe(404)
})

test('hostile names are only names', async () => {
  const records = `${encodeURIComponent('crm.we"ird, na.me')}/records`
  expect(await json(app.call(at(records), { as: 'editor', body: '{"a b":1,"__proto__":"x"}' }))).toEqual(
    JSON.parse('{"a b":1,"__proto__":"x"}'),
  )
  expect((await read(`${records}?%22a%20b%22=eq.1`)).records).toHaveLength(1)
})

test('a token that is held to an adopted table reaches it and nothing else', async () => {
  const { id } = await read('companies')
  const { token } = await json(app.call('/auth/tokens', { as: 'admin', body: { name: 't', tables: [id] } }))
  const as = (path: string) => fetch(app.url + path, { headers: { authorization: `Bearer ${token}` } })
  expect((await json(as('/api/v1/tables'))).tables.map(({ name }: { name: string }) => name)).toEqual(['companies'])
  expect((await as(at('companies/records/DE,a'))).status).toBe(200)
  expect((await as(at('people/records'))).status).toBe(403)
  expect((await as(at('companies/records?select=name,people(email)'))).status).toBe(400)
})

test('a foreign table is read and written where its server can, by filters', async () => {
  await psql.unsafe(
    'create extension postgres_fdw; create schema near; create table near.things (id int primary key, n int); insert into near.things values (1, 2)',
  )
  await psql.unsafe(`do $$ begin
    execute format('create server here foreign data wrapper postgres_fdw options (host %L, port %L, dbname %L)',
      split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
    execute format('create user mapping for current_user server here options (user %L)', current_user);
    end $$; import foreign schema near from server here into crm`)
  expect(await read('crm.things')).toMatchObject({ name: 'things', primaryKey: [], readOnly: false })
  expect((await read('things/records')).records).toEqual([{ id: 1, n: 2 }])
  expect((await write('POST', 'things/records', { id: 3, n: 4 })).status).toBe(201)
  expect((await write('PATCH', 'things/records?id=eq.3', { n: 5 })).status).toBe(200)
  expect((await read('things/records?id=eq.3')).records).toEqual([{ id: 3, n: 5 }])
  await psql.unsafe(`alter foreign table crm.things options (add updatable 'false')`)
  expect((await read('crm.things')).readOnly).toBe(true)
})
