import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

/** Few values, so that there are ties, and nulls in between. */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'walk' })
const { sql } = app.deps.db
await sql.unsafe(`create schema walk;
  create table walk.groups (id int primary key, rank int);
  insert into walk.groups select n, nullif(n % 3, 0) from generate_series(1, 6) n;
  create table walk.rows (region text, id int, a int, b text not null, c numeric, d timestamptz, e jsonb, f float8, tags text[],
    group_id int references walk.groups, primary key (region, id));`)
beforeAll(() => app.deps.catalog.refresh())

const small = (max: number) => fc.option(fc.integer({ min: 0, max }), { nil: null, freq: 4 })
const row = fc.record({
  a: small(2),
  b: fc.constantFrom('x', 'y', 'Z', ''),
  c: small(3),
  d: small(2),
  e: small(2),
  f: small(2),
  tags: small(2),
  group: small(5),
})
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never

const term = fc
  .tuple(
    fc.constantFrom('a', 'b', 'c', 'd', 'e->n', 'e->>n', 'f', 'tags', 'groups(rank)', 'id', 'region'),
    fc.constantFrom('', '.asc', '.desc'),
    fc.constantFrom('', '.nullsfirst', '.nullslast'),
  )
  .map((parts) => parts.join(''))
const order = fc.uniqueArray(term, { maxLength: 4, selector: (text) => text.split('.')[0] })

const insert = (rows: Row[], first = 0) =>
  sql.unsafe(
    `insert into walk.rows select case when n % 2 = 0 then 'n' else 's' end, n, a, b, c / 2.0, timestamptz '2026-01-01' + d * interval '1 microsecond',
      jsonb_build_object('n', e), case f when 0 then 'NaN'::float8 when 1 then '-infinity' else f / 3.0 end, case when tags is not null then array_fill('t'::text, array[tags]) end, nullif("group", 0)
     from jsonb_to_recordset($1::text::jsonb) as x (n int, a int, b text, c int, d int, e int, f int, tags int, "group" int)`,
    [JSON.stringify(rows.map((each, index) => ({ n: first + index, ...each })))],
  )

const list = (query: string) => json(app.call(`/api/v1/tables/rows/records?${query}`, { as: 'viewer' }))
const orderText = (terms: string[]) => `select=*,groups(rank)${terms.length ? `&order=${terms.join(',')}` : ''}`
type Item = { region: string; id: number }
const keysOf = (records: Item[]) => records.map(({ region, id }) => `${region}${id}`)

async function walk(query: string, limit: number, between: () => Promise<unknown> = async () => {}) {
  const seen: string[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < 200; pages++) {
    const page: { records: Item[]; nextCursor: string | null } = await list(
      `${query}&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    expect(page.records.length).toBeLessThanOrEqual(limit)
    seen.push(...keysOf(page.records))
    cursor = page.nextCursor
    if (cursor === null) return seen
    expect(page.records.length).toBe(limit)
    await between()
  }
  throw new Error('The walk has no end.')
}

describe('a walk by cursor', () => {
  test('sees every record once, in the order of the whole list', async () => {
    const property = fc.asyncProperty(
      fc.array(row, { maxLength: 25 }),
      order,
      fc.integer({ min: 1, max: 7 }),
      async (rows, terms, limit) => {
        await sql.unsafe('delete from walk.rows')
        await insert(rows)
        const whole = await list(`${orderText(terms)}&limit=10000`)
        expect(whole.records.length).toBe(rows.length)
        expect(await walk(orderText(terms), limit)).toEqual(keysOf(whole.records))
      },
    )
    await fc.assert(property, { numRuns: 150 })
  })

  test('sees those that stay once, whatever comes and goes meanwhile', async () => {
    const property = fc.asyncProperty(
      fc.array(row, { minLength: 8, maxLength: 20 }),
      fc.array(row, { minLength: 1, maxLength: 4 }),
      order,
      async (rows, more, terms) => {
        await sql.unsafe('delete from walk.rows')
        await insert(rows)
        const query = orderText(terms)
        const whole = keysOf((await list(`${query}&limit=10000`)).records)
        let turn = 0
        const gone = new Set<string>()
        const seen = await walk(query, 3, async () => {
          const id = (turn * 7) % rows.length
          await sql.unsafe('delete from walk.rows where id = $1::text::int', [String(id)])
          gone.add(`${id % 2 ? 's' : 'n'}${id}`)
          if (turn < 3) await insert(more, 1000 + 100 * turn)
          turn++
        })
        expect(new Set(seen).size).toBe(seen.length)
        const stayed = whole.filter((key) => !gone.has(key))
        expect(seen.filter((key) => stayed.includes(key))).toEqual(stayed)
      },
    )
    await fc.assert(property, { numRuns: 80 })
  })
})

describe('a cursor', () => {
  const get = (query: string) => app.call(`/api/v1/tables/rows/records?${query}`, { as: 'viewer' })

  test('is refused in another order, in another table, and when it was changed', async () => {
    await sql.unsafe('delete from walk.rows')
    await insert(Array.from({ length: 5 }, () => ({ a: 1, b: 'x', c: 1, d: 1, e: 1, f: 2, tags: 1, group: 1 })))
    const { nextCursor } = await list('order=a.desc&limit=2')
    for (const query of ['order=a', 'order=a.desc.nullslast', 'order=b', 'limit=2', 'order=a.desc,b']) {
      const { message } = await expectProblem(await get(`${query}&cursor=${nextCursor}`), 400, 'invalid_request')
      expect(message).toContain('another order')
    }
    await expectProblem(await app.call(`/api/v1/tables/groups/records?cursor=${nextCursor}`, { as: 'viewer' }), 400, 'invalid_request')
    await expectProblem(await get(`order=a.desc&cursor=${nextCursor!.slice(0, -4)}`), 400, 'invalid_request')
    await expectProblem(await get(`order=a.desc&offset=1&cursor=${nextCursor}`), 400, 'invalid_request')
    await expectProblem(await get(`select=count()&cursor=${nextCursor}`), 400, 'invalid_request')
    expect((await get(`order=a.desc&cursor=${nextCursor}&a=gte.0&limit=7`)).status).toBe(200)
  })

  test('cannot stand for a value that is too long for an address', async () => {
    await sql.unsafe(`update walk.rows set b = repeat('long', 1000)`)
    const { hint } = await expectProblem(await get('order=b&limit=2'), 400, 'invalid_request')
    expect(hint).toContain('offset')
    expect(await json(get('order=b&limit=2&offset=2'))).toMatchObject({ nextCursor: null, nextOffset: 4 })
    expect((await get('order=b&limit=100')).status).toBe(200)
  })
})
