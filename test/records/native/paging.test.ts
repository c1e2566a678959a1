import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const column = (name: string, type: string) => ({ name, type })
const tables: [name: string, body: object, record: (n: number) => object][] = [
  ['counted', { columns: [column('n', 'integer')] }, (n) => ({ n })],
  ['uuids', { primaryKey: { name: 'id', type: 'uuid' }, columns: [column('n', 'integer')] }, (n) => ({ n })],
  ['texts', { primaryKey: { name: 'id', type: 'text' }, columns: [column('n', 'integer')] }, (n) => ({ id: `"k', ${n % 7}/${n} é`, n })],
  [
    'moments',
    { primaryKey: ['at'], columns: [column('at', 'dateTime'), column('n', 'integer')] },
    (n) => ({ at: `2026-01-31T12:00:00.${String(n).padStart(6, '0')}Z`, n }),
  ],
  ['decimals', { primaryKey: ['d'], columns: [column('d', 'decimal'), column('n', 'integer')] }, (n) => ({ d: `${n % 3}.${n}1`, n })],
  [
    'composite',
    { primaryKey: ['b', 'a'], columns: [column('a', 'text'), column('b', 'boolean'), column('n', 'integer')] },
    (n) => ({ a: `${n},`, b: n % 2 === 0, n }),
  ],
]
const total = 57
for (const [name, body, record] of tables) {
  await app.call('/api/v1/tables', { as: 'admin', body: { name, ...body } })
  const made = await app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body: Array.from({ length: total }, (_, n) => record(n)) })
  if (made.status !== 201) throw new Error(await made.text())
}

const list = (name: string, query = '') => app.call(`/api/v1/tables/${name}/records${query}`, { as: 'viewer' })
type Page = { records: { n: number }[]; nextCursor: string | null }

async function pages(name: string, limit: number): Promise<Page[]> {
  const all: Page[] = [await json(list(name, `?limit=${limit}`))]
  while (all.at(-1)!.nextCursor !== null) all.push(await json(list(name, `?limit=${limit}&cursor=${all.at(-1)!.nextCursor}`)))
  return all
}

describe.each(tables.map(([name]) => [name]))('%s', (name) => {
  test.each([1, 10, 19, 56, 57, 58])('in pages of %d, every record comes once, in one order', async (limit) => {
    const all = await pages(name, limit)
    expect(all.map(({ records }) => records.length)).toEqual([
      ...Array(Math.floor((total - 1) / limit)).fill(limit),
      ((total - 1) % limit) + 1,
    ])
    const whole: Page = await json(list(name, '?limit=10000'))
    expect(all.flatMap(({ records }) => records)).toEqual(whole.records)
    expect(new Set(whole.records.map(({ n }) => n)).size).toBe(total)
  })
})

test('without a limit a page has 100 records', async () => {
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'many', columns: [] } })
  await app.call('/api/v1/tables/many/records', { as: 'editor', body: Array.from({ length: 101 }, () => ({})) })
  const first: Page = await json(list('many'))
  expect(first.records).toHaveLength(100)
  expect((await json(list('many', `?cursor=${first.nextCursor}`))) as Page).toMatchObject({ records: [{ id: 101 }], nextCursor: null })
})

test('an empty table has an empty page', async () => {
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'empty', columns: [] } })
  expect(await json(list('empty'))).toEqual({ records: [], nextCursor: null })
})

test('records that come and go between pages make none come twice', async () => {
  const { records, nextCursor } = await json(list('counted', '?limit=10'))
  await app.call(`/api/v1/tables/counted/records/${records[9].id}`, { as: 'editor', method: 'DELETE' })
  const next = await json(list('counted', `?limit=10&cursor=${nextCursor}`))
  expect(next.records[0].n).toBe(10)
})

describe('what cannot be read is a 400', () => {
  const cursor = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  test.each([
    'limit=0',
    'limit=-1',
    'limit=10001',
    'limit=1.5',
    'limit=x',
    'limit=',
    'limit=1e3x',
    'offset=-1',
    'title=eq.x',
    'offset=1&cursor=W10',
    'maxAffected=1',
    'limit=1&limit=2',
    'cursor=x',
    'cursor=%00',
  ])('%s', async (query) => {
    await expectProblem(await list('counted', `?${query}`), 400, 'invalid_request')
  })

  test.each([
    ['of another table', 'counted', ['a', 'b']],
    ['of a key that is no number', 'counted', ['x']],
    ['of a number that is no text', 'counted', [1]],
    ['of a key beyond the range', 'counted', ['99999999999999999999']],
    ['of null', 'counted', [null]],
    ['of an object', 'counted', { 0: '1' }],
    ['that is not JSON', 'counted', '["1"'],
    ['of a boolean that is none', 'composite', ['maybe', 'a']],
    ['of a text with a NUL', 'texts', ['\0']],
    ['of a moment that is none', 'moments', ['yesterday']],
    ['of a number beyond all', 'decimals', ['1e999999']],
  ] as [string, string, unknown][])('a cursor %s', async (_what, name, value) => {
    await expectProblem(await list(name, `?cursor=${cursor(value)}`), 400, 'invalid_request')
  })
})

test.each(['asc', 'desc', 'asc.nullsfirst', 'desc.nullslast'])(
  'pages by a composite column with nulls in it hold every record once (%s)',
  async (direction) => {
    const name = `pairs_${direction.replace('.', '_')}`
    await app.deps.db.query(`create type data.${name}_pair as (a int, b text)`)
    await app.deps.db.query(`create table data.${name} (id int primary key, p data.${name}_pair)`)
    await app.deps.db.query(`insert into data.${name} select n, case n % 5 when 0 then null when 1 then row(null, null)::data.${name}_pair
    when 2 then row(n % 3, null)::data.${name}_pair when 3 then row(null, 'x')::data.${name}_pair else row(n % 4, 'y')::data.${name}_pair end
    from generate_series(1, 40) n`)
    const seen: number[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null && page < 20; page++) {
      const body: { records: { id: number }[]; nextCursor: string | null } = await json(
        list(name, `?order=p.${direction}&limit=3${cursor && `&cursor=${cursor}`}`),
      )
      seen.push(...body.records.map(({ id }) => id))
      cursor = body.nextCursor
    }
    const whole = (await json(list(name, `?order=p.${direction}&limit=100`))).records.map(({ id }: { id: number }) => id)
    expect(seen).toEqual(whole)
  },
)

test.each([
  ['n', [3, 4, 5, 6, 1, 2]],
  ['n.desc', [2, 1, 6, 5, 4, 3]],
  ['n.asc.nullsfirst', [1, 2, 3, 4, 5, 6]],
  ['n.desc.nullslast', [6, 5, 4, 3, 2, 1]],
])('pages by %s hold every record although its constraint against nulls is not valid for all', async (order, ids) => {
  await app.deps.db.query('create table if not exists data.partly (id int primary key, n int)')
  await app.deps.db.query(
    'insert into data.partly select g, case when g > 2 then g end from generate_series(1, 6) g where not exists (select from data.partly)',
  )
  // PostgreSQL has such constraints since version 18.
  await app.deps.db.query(`do $$ begin
    if current_setting('server_version_num')::int >= 180000 and not exists (select from pg_constraint where conname = 'partly_set') then
      execute 'alter table data.partly add constraint partly_set not null n not valid';
    end if; end $$`)
  for (const limit of [1, 3, 6]) {
    const seen: number[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null && page < 7; page++) {
      const body: { records: { id: number }[]; nextCursor: string | null } = await json(
        list('partly', `?order=${order}&limit=${limit}${cursor && `&cursor=${cursor}`}`),
      )
      seen.push(...body.records.map(({ id }) => id))
      cursor = body.nextCursor
    }
    expect(seen).toEqual(ids)
  }
})
