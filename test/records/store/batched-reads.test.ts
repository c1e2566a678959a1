import { expect, test } from 'bun:test'
import { connectDirectly } from '../../../src/db/pool/open'
import { json, startApp } from '../../support/app'

/**
 * Pages that are asked for at the same time, in one shape and with values of their own, are answered as if each were
 * asked for alone.
 */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop' })
const words = [
  `it's`,
  'say "hi"',
  'back\\slash',
  '{a,b}',
  'NULL',
  '',
  'a,b',
  '(1)',
  '100%',
  'naïve 雪',
  '$1::text',
  '  blank ',
  'eq.5',
  'line\nbreak',
]
await app.deps.db.sql.unsafe(`create schema shop; create type shop.size as enum ('s', 'm', 'l');
  create table shop.makers (id int primary key, name text);
  insert into shop.makers select n, 'maker ' || n from generate_series(1, 5) n;
  create table shop.items (id int primary key, word text, at timestamptz, size shop.size, price numeric, maker_id int references shop.makers)`)
for (const [index, word] of words.entries())
  await app.deps.db.sql.unsafe(
    `insert into shop.items values ($1::int, $2, '2026-01-01'::timestamptz + $1::int * interval '1 day',
    (array['s', 'm', 'l']::shop.size[])[1 + $1::int % 3], $1::int * 1.5, 1 + $1::int % 5)`,
    [index, word],
  )
await app.deps.db.sql.unsafe(
  `create view shop.gates as select id, case when id = 3 then pg_advisory_xact_lock_shared(9)::text else '' end as turn from shop.items`,
)
await app.deps.catalog.refresh()

const places = ['/api/v1/tables/items/records', '/rest/v1/items']
const read = (path: string, as: 'viewer' | 'editor' = 'viewer') => app.call(path, { as, headers: { 'accept-profile': 'shop' } })
const rowsOf = async (answer: Response) => {
  const body = await json(answer)
  return Array.isArray(body) ? body : body.records
}
const together = <Value>(values: readonly Value[], ask: (value: Value) => Promise<Response>) =>
  Promise.all([...values, ...values].map(async (value) => ({ value, answer: await ask(value) })))

test.each(places)('each page has the rows of its own values, whatever stands in them (%s)', async (place) => {
  for (const { value, answer } of await together(words, (word) => read(`${place}?word=eq.${encodeURIComponent(word)}&order=id`))) {
    expect(answer.status).toBe(200)
    expect((await rowsOf(answer)).map(({ word }: { word: string }) => word)).toEqual([value])
  }
})

test.each(places)('filters of all kinds beside each other, with what is embedded (%s)', async (place) => {
  const numbers = words.map((_, index) => index)
  const path = (n: number) =>
    `${place}?select=id,maker:makers(name)&id=gte.${n}&price=lt.${(n + 3) * 1.5}&maker.name=like.maker*&order=id.desc&limit=2`
  for (const { value, answer } of await together(numbers, (n) => read(path(n)))) {
    const ids = [value + 2, value + 1, value].filter((id) => id < words.length).slice(0, 2)
    expect(await rowsOf(answer)).toEqual(ids.map((id) => ({ id, maker: { name: `maker ${1 + (id % 5)}` } })))
  }
})

test.each(places)('a value that its column cannot have is refused, and keeps nobody from a page (%s)', async (place) => {
  // What is a moment and what is a size only PostgreSQL knows; what is a number is known before.
  for (const [column, right, wrong] of [
    ['at', '2026-01-03', 'no-moment'],
    ['size', 'm', 'xxl'],
    ['id', '3', 'three'],
  ] as const) {
    const answers = await together([right, wrong, right], (value) => read(`${place}?${column}=eq.${value}&order=id`))
    for (const { value, answer } of answers) {
      expect(answer.status).toBe(value === right ? 200 : 400)
      const text = await answer.text()
      if (value === wrong) expect(text).not.toContain(wrong)
    }
  }
})

test.each(places)('negated filters, ranges of one column, and an offset (%s)', async (place) => {
  const path = (n: number) => `${place}?select=id&id=gt.${n}&id=not.eq.${n + 2}&order=id&limit=3&offset=1`
  for (const { value, answer } of await together([0, 1, 2, 3, 4], (n) => read(path(n)))) {
    const ids = words.map((_, id) => id).filter((id) => id > value && id !== value + 2)
    expect(await rowsOf(answer)).toEqual(ids.slice(1, 4).map((id) => ({ id })))
  }
})

test('the cursor of each page goes on behind its own last row', async () => {
  const values = [0, 2, 4, 6, 8]
  for (const { value, answer } of await together(values, (n) => read(`/api/v1/tables/items/records?select=id&id=gte.${n}&limit=3`))) {
    const { records, nextCursor } = await json(answer)
    expect(records).toEqual([{ id: value }, { id: value + 1 }, { id: value + 2 }])
    const next = await json(read(`/api/v1/tables/items/records?select=id&id=gte.${value}&limit=3&cursor=${encodeURIComponent(nextCursor)}`))
    expect(next.records[0]).toEqual({ id: value + 3 })
  }
})

test('the range of a request is no part of its query', async () => {
  const ask = (range: string, query: string) =>
    app.call(`/rest/v1/items${query}`, { as: 'viewer', headers: { 'accept-profile': 'shop', range } })
  expect(await rowsOf(await ask('x4:size*eq.', '?select=id&order=id'))).toHaveLength(words.length)
  expect(await rowsOf(await ask('x', '?select=id&order=id&size=eq.m'))).toHaveLength(5)
  expect(await rowsOf(await ask('0-1', '?select=id&order=id'))).toHaveLength(2)
})

test('callers share a statement and nothing else: who is signed out gets no page', async () => {
  const { token } = await json(app.call('/auth/tokens', { as: 'admin', body: { name: 'short', scope: 'read' } }))
  const { tokens } = await json(app.call('/auth/tokens', { as: 'admin' }))
  const ask = (bearer: string, n: number) =>
    fetch(`${app.url}/rest/v1/items?select=id&id=eq.${n}&order=id`, {
      headers: { authorization: `Bearer ${bearer}`, 'accept-profile': 'shop' },
    })
  expect((await ask(token, 1)).status).toBe(200)
  const id = tokens.find(({ name }: { name: string }) => name === 'short').id
  expect((await app.call(`/auth/tokens/${id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
  const answers = await Promise.all([1, 2, 3, 4].map((n) => ask(n % 2 ? token : app.tokens.viewer, n)))
  expect(answers.map(({ status }) => status)).toEqual([401, 200, 401, 200])
})

test.each(places.map((place) => place.replace('items', 'gates')))(
  'a page that waits for a lock keeps nobody from another one (%s)',
  async (place) => {
    const holder = connectDirectly(app.target, app.deps.config)
    try {
      await holder.unsafe('select pg_advisory_lock(9)')
      const answered: number[] = []
      const ask = async (n: number) => {
        const answer = await read(`${place}?select=id,turn&id=eq.${n}&order=id`)
        answered.push(n)
        expect(await rowsOf(answer)).toHaveLength(1)
      }
      const [waiting, ...others] = [3, 1, 2, 4, 5].map(ask)
      await Promise.all(others)
      expect(answered).not.toContain(3)
      await holder.unsafe('select pg_advisory_unlock(9)')
      await waiting
    } finally {
      await holder.end()
    }
  },
)
