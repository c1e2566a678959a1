import { beforeEach, describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop' })
await app.deps.db.sql.unsafe(`create schema shop;
  create table shop.odd (id int generated always as identity primary key, t text);
  create table shop.members (id int generated always as identity primary key, mail text, key text generated always as (lower(mail)) stored unique);
  create table shop.twice (id serial primary key, number serial unique, t text);
  create sequence shop.shared;
  create sequence shop.short maxvalue 10;
  create sequence shop.late start 1000000;
  create table shop.invoices (id int primary key default nextval('shop.shared'), t text);
  create table shop.credits (id bigint primary key default nextval('shop.shared'), t text);
  create table shop.coded (id text primary key default nextval('shop.shared'), t text);
  create table shop.few (id int primary key default nextval('shop.short'), t text);
  create table shop.later (id int primary key default nextval('shop.late'), t text)`)
const define = (name: string, ...columns: object[]) => app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
await define('tags', { name: 'label', type: 'text' })
await define(
  'mixed',
  { name: 't', type: 'text', unique: true },
  { name: 'parent', type: 'link', options: { table: 'mixed' } },
  { name: 'tags', type: 'manyLinks', options: { table: 'tags' } },
).then(async (made) => {
  if (made.status !== 201) throw new Error(await made.text())
})
await app.call('/api/v1/tables/tags/records', { as: 'editor', body: [{ label: 'a' }, { label: 'b' }] })

beforeEach(async () => {
  await app.deps.db.sql.unsafe('truncate data.mixed restart identity cascade')
})

const stored = async () =>
  Object.fromEntries((await app.deps.db.sql.unsafe('select id::int, t from data.mixed order by id')).map(({ id, t }) => [t, id]))
const create = async (t: string) => (await json(app.call('/api/v1/tables/mixed/records', { as: 'editor', body: { t } }))).id

const file = 'id,t\n,a\n2,b\n,c\n5,d\n,e\n'

describe('a file in which some records bring their number and others are counted', () => {
  test.each(['', '?mode=upsert', '?invalidLines=skip'])('is counted on behind the largest number %s', async (query) => {
    expect(await json(upload(app, 'mixed', file, { query }))).toMatchObject({ inserted: 5 })
    expect(await stored()).toEqual({ b: 2, d: 5, a: 6, c: 7, e: 8 })
    expect(await create('next')).toBe(9)
  })

  test('goes on behind the counter where that is further on', async () => {
    await app.call('/api/v1/tables/mixed/records', { as: 'editor', body: ['x', 'y', 'z'].map((t) => ({ t })) })
    expect(await json(upload(app, 'mixed', 'id,t\n4,known\n,new\n'))).toMatchObject({ inserted: 2 })
    await app.deps.db.sql.unsafe(`select pg_catalog.setval(pg_get_serial_sequence('data.mixed', 'id'), 100)`)
    expect(await json(upload(app, 'mixed', 'id,t\n50,far\n,last\n'))).toMatchObject({ inserted: 2 })
    expect(await stored()).toMatchObject({ known: 4, new: 5, far: 50, last: 101 })
  })

  test('keeps its links to many', async () => {
    expect(await json(upload(app, 'mixed', 'id,t,tags\n,a,1\n1,b,2\n,c,"1,2"\n'))).toMatchObject({ inserted: 3 })
    const { records } = await json(app.call('/api/v1/tables/mixed/records?select=id,t,tags&order=id', { as: 'viewer' }))
    expect(records.map(({ t, tags }: { t: string; tags: number[] }) => [t, tags])).toEqual([
      ['b', [2]],
      ['a', [1]],
      ['c', [1, 2]],
    ])
  })

  test('leaves out what is wrong and nothing else', async () => {
    const answer = await json(upload(app, 'mixed', 'id,t\n,a\n1,b\nmany,c\n2,a\n,d\n', { query: '?invalidLines=skip' }))
    expect(answer).toMatchObject({ inserted: 3, skipped: 2, problems: [{ line: 4 }, { line: 5 }] })
    expect(Object.keys(await stored()).sort()).toEqual(['a', 'b', 'd'])
  })

  test('does not move the counter where it is refused, nor by a record that is left out', async () => {
    const refused = await upload(app, 'mixed', 'id,t,parent\n1000000,a,\n,b,\n5,c,77\n')
    expect(refused.status).toBe(422)
    expect(await create('next')).toBe(1)
    const query = '?invalidLines=skip'
    expect(await json(upload(app, 'mixed', 'id,t,parent\n1000000,a,77\n,b,\n5,c,\n', { query }))).toMatchObject({ inserted: 2, skipped: 1 })
    expect(await stored()).toEqual({ next: 1, c: 5, b: 6 })
  })

  test('does not move the counter by a dry run', async () => {
    expect(await json(upload(app, 'mixed', 'id,t\n1000000,a\n,b\n', { query: '?dryRun=true' }))).toMatchObject({ inserted: 2 })
    expect(await create('next')).toBe(1)
  })

  test('does not exhaust the counter by the last number there is', async () => {
    expect(await json(upload(app, 'mixed', `id,t\n${2n ** 63n - 1n},a\n,b\n`, { query: '?dryRun=true' }))).toMatchObject({ inserted: 2 })
    expect(await create('next')).toBeLessThan(10)
  })

  test('collides with no record that others create meanwhile', async () => {
    const imports = ['A', 'B'].map((name, place) =>
      upload(
        app,
        'mixed',
        `id,t\n${Array.from({ length: 300 }, (_, index) => (index % 3 ? `,${name}${index}` : `${5000 * (place + 1) + index},${name}${index}`)).join('\n')}\n`,
      ),
    )
    const created = Array.from({ length: 40 }, (_, index) =>
      app.call('/api/v1/tables/mixed/records', { as: 'editor', body: { t: `c${index}` } }),
    )
    const answers = await Promise.all([...imports, ...created])
    expect(answers.map(({ status }) => status)).toEqual([...imports.map(() => 200), ...created.map(() => 201)])
    expect(Object.keys(await stored())).toHaveLength(640)
  })
})

describe('the counters of a table continue after the numbers of the file', () => {
  const createIn = async (table: string, t: string) => json(app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body: { t } }))

  test('where only the database may write the key', async () => {
    expect(await json(upload(app, 'odd', 'id,t\n1,a\n2,b\n3,c\n', { query: '?mode=upsert' }))).toMatchObject({ inserted: 3 })
    expect(await createIn('odd', 'd')).toMatchObject({ id: 4 })
  })

  test('where records are found by an automatic number', async () => {
    await define('tickets', { name: 'number', type: 'autoNumber', unique: true }, { name: 't', type: 'text' })
    expect(await json(upload(app, 'tickets', 'number,t\n1,a\n7,b\n', { query: '?mode=upsert&on=number' }))).toMatchObject({ inserted: 2 })
    expect(await createIn('tickets', 'c')).toMatchObject({ number: 8 })
  })

  test('where the file fills several counted columns', async () => {
    expect(await json(upload(app, 'twice', 'id,number,t\n1,5,a\n2,6,b\n'))).toMatchObject({ inserted: 2 })
    expect(await createIn('twice', 'c')).toMatchObject({ id: 3, number: 7 })
  })

  test('where records leave one of several counted columns empty', async () => {
    expect(await json(upload(app, 'twice', 'number,id,t\n20,20,d\n21,,e\n,22,f\n'))).toMatchObject({ inserted: 3 })
    const { records } = await json(app.call('/api/v1/tables/twice/records?id=gte.20&order=id', { as: 'viewer' }))
    expect(records).toEqual([
      { id: 20, number: 20, t: 'd' },
      { id: 22, number: 22, t: 'f' },
      { id: 23, number: 21, t: 'e' },
    ])
    expect(await createIn('twice', 'g')).toMatchObject({ id: 24, number: 23 })
  })

  test('where several tables share one that belongs to none', async () => {
    expect(await json(upload(app, 'invoices', 'id,t\n1,a\n7,b\n'))).toMatchObject({ inserted: 2 })
    expect(await createIn('invoices', 'c')).toMatchObject({ id: 8 })
    expect(await json(upload(app, 'credits', 'id,t\n3,a\n'))).toMatchObject({ inserted: 1 })
    expect(await createIn('credits', 'b')).toMatchObject({ id: 9 })
    expect(await json(upload(app, 'credits', 'id,t\n20,c\n,d\n'))).toMatchObject({ inserted: 2 })
    expect(await createIn('invoices', 'd')).toMatchObject({ id: 22 })
    expect(await json(upload(app, 'coded', 'id,t\nabc,a\n99,b\n'))).toMatchObject({ inserted: 2 })
    expect(await createIn('coded', 'c')).toMatchObject({ id: '23' })
  })

  test('but for numbers below the first that they give', async () => {
    expect(await json(upload(app, 'later', 'id,t\n50000,a\n'))).toMatchObject({ inserted: 1 })
    expect(await createIn('later', 'b')).toMatchObject({ id: 1_000_000 })
  })

  test('but for numbers that they cannot give', async () => {
    expect(await json(upload(app, 'few', 'id,t\n50,a\n'))).toMatchObject({ inserted: 1 })
    expect(await createIn('few', 'b')).toMatchObject({ id: 1 })
  })
})

test('records are found by a key that the database computes, which remains its own', async () => {
  const send = (file: string) => upload(app, 'members', file, { query: '?mode=upsert&on=key' })
  expect(await json(send('mail,key\nAnn@x,ann@x\nBob@x,bob@x\n'))).toMatchObject({ inserted: 2, updated: 0 })
  expect(await json(send('mail,key\nANN@x,ann@x\nCy@x,cy@x\n'))).toMatchObject({ inserted: 1, updated: 1 })
  expect(await json(send('key\nann@x\n'))).toMatchObject({ inserted: 0, updated: 1 })
  const repeated = await expectProblem(await send('mail,key\nDi@x,di@x\nDI@x,di@x\n'), 422, 'validation_failed')
  expect(repeated.errors as unknown).toMatchObject([{ line: 3, column: 'key' }])
  const { records } = await json(app.call('/api/v1/tables/members/records?select=mail,key&order=key', { as: 'viewer' }))
  expect(records).toMatchObject([
    { mail: 'ANN@x', key: 'ann@x' },
    { mail: 'Bob@x', key: 'bob@x' },
    { mail: 'Cy@x', key: 'cy@x' },
  ])
})
