import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { planSearch } from '../../../src/records/query/plan/search'
import { planSearchCandidates } from '../../../src/records/query/plan/search-candidates'
import { searchPatterns } from '../../../src/records/query/search-patterns'
import { searchCandidatesStatement } from '../../../src/records/query/sql/search-candidates'
import { maintainSearchIndexes } from '../../../src/tables/definitions/search-indexes'
import { json, startApp } from '../../support/app'

const app = await startApp()
const { db } = app.deps
const create = async (path: string, body: unknown) => {
  const response = await app.call(path, { as: 'admin', body })
  if (response.status !== 201) throw new Error(await response.text())
}
const change = async (path: string, body: unknown, method = 'PATCH') => {
  const response = await app.call(`/api/v1/tables/${path}`, { as: 'admin', method, body })
  if (!response.ok) throw new Error(await response.text())
}
const columns = [
  { name: 'title', type: 'text' },
  { name: 'state', type: 'select', options: { choices: ['open', 'Żółty', 'done'] } },
  { name: 'tags', type: 'multiSelect', options: { choices: ['red "hot"', 'grün', 'back\\slash'] } },
  { name: 'amount', type: 'decimal', options: { precision: 12, scale: 2 } },
  { name: 'ratio', type: 'float' },
  { name: 'due', type: 'date' },
  { name: 'at', type: 'dateTime' },
  { name: 'daily', type: 'time' },
  { name: 'owner', type: 'link', options: { table: 'people' } },
  { name: 'peers', type: 'manyLinks', options: { table: 'people' } },
  { name: 'by', type: 'createdBy' },
]
/** The same records with and without the index. */
const [indexed, plain] = ['indexed', 'plain']

const readiness = async () => (await json(app.call(`/api/v1/tables/${indexed}`, { as: 'admin' }))).searchIndex
const build = async () => {
  await maintainSearchIndexes(app.deps)
  await app.deps.catalog.refresh()
  expect(await readiness()).toBe('ready')
}
const found = async (table: string, q: string, query = '') => {
  const path = `/api/v1/tables/${table}/records?order=id&limit=1000&q=${encodeURIComponent(q)}${query}`
  const body = await json(app.call(path, { as: 'editor' }))
  if (!body.records) throw new Error(JSON.stringify(body))
  return { ids: body.records.map(({ id }: { id: number }) => id), totalCount: body.totalCount }
}
const expectSame = async (q: string) => expect({ q, ...(await found(indexed, q)) }).toEqual({ q, ...(await found(plain, q)) })
const proposal = async (name: string, q: string, most = 10) => {
  const tables = await app.deps.catalog.current()
  const table = tables.byName.get(name)!
  return searchCandidatesStatement(planSearchCandidates(table, planSearch(tables, table, q))!, most)
}
const keysOf = async ({ text, parameters }: Awaited<ReturnType<typeof proposal>>) =>
  (await db.query<{ keys: string | null }>(text, parameters, { prepare: false }))[0]!.keys
/** The keys of the records that the index, links and users propose. */
const proposed = async (q: string, most?: number) => {
  const keys = await keysOf(await proposal(indexed, q, most))
  return keys && [...new Set(keys.match(/\d+/g))].map(Number).toSorted()
}
const indexes = () =>
  db.query<{ name: string; isValid: boolean }>(
    `select c.relname as name, indisvalid as "isValid" from pg_index join pg_class c on c.oid = indexrelid where c.relname like 'search\\_%'`,
  )

const records = [
  { title: 'Straße in Łódź', state: 'Żółty', tags: ['red "hot"', 'grün'], amount: 1234.5, due: '2026-03-05', owner: 1, peers: [1, 2] },
  { title: 'ÆSOP and Œuvre', tags: ['back\\slash'], ratio: 1e21, at: '2026-03-05T23:30:00Z', daily: '14:30:00', owner: 2 },
  { title: 'nai\u0308ve e\u0301te\u0301, 100%_sure', state: 'done', amount: -77123, due: '1999-12-31', peers: [3] },
  { title: 'ΟΔΟΣ Привет МИР İstanbul ıgdır', ratio: 0.125, at: '0045-03-15T00:00:00Z' },
  { title: 'two\nlines', amount: 100 },
  {},
]

beforeAll(async () => {
  await create('/api/v1/tables', { name: 'people', columns: [{ name: 'name', type: 'text' }] })
  await create('/api/v1/tables/people/records', [{ name: 'Zoë Ångström' }, { name: 'Ben Birch' }, { name: 'Łukasz' }])
  for (const name of [indexed, plain]) {
    await create('/api/v1/tables', { name, columns })
    await create(`/api/v1/tables/${name}/records`, records)
  }
  await change(indexed, { searchIndex: true })
  await build()
})

describe('a search by the index', () => {
  test.each([
    ...['strasse', 'STRASSE', 'lodz', 'zolty', 'aesop', 'oeuvre', 'naive', 'ete', '100%_s', 'red "hot', 'grun', 'back\\slash'],
    ...['1,234.50', '1.234,50', '77123', '-77123', 'Mar 5, 2026', '05.03.2026', '2026-03-05', '14:30', '2:30 PM', '1999', '23:30'],
    ...[
      '1e+21',
      '0.125',
      '0.1250',
      '0045',
      'angstrom',
      'birch',
      'lukasz',
      'editor',
      'two\nlines',
      'two lines',
      'ο',
      'οδοσ',
      'ΟΔΟΣ',
      'привет',
      'istanbul',
    ],
    ...['igdir', 'nowhere', 'ab', '%%%', "it's", 'open', '0', '2026', 'straße in łódź'],
  ])('finds the same for %s', expectSame)

  test.each([
    ...([
      ['editor', []],
      ['admin', [1, 2, 3, 4, 5, 6]],
      ['angstrom', [1]],
      ['birch', [1, 2]],
      ['lukasz', [3]],
    ] as const),
    ...([
      ['strasse', [1]],
      ['-77,123', [3]],
      ['1.234,50', [1]],
      ['0.1250', [4]],
      ['05.03.2026', [1, 2]],
      ['2:30 PM', [2]],
      ['1e+21', [2]],
      ['nowhere', []],
    ] as const),
  ])('proposes the records with %s', async (q, ids) => {
    expect(await proposed(q)).toEqual([...ids])
  })

  test('reads the records as before if many are proposed, and if their keys are long', async () => {
    expect(await proposed('strasse', 1)).toEqual([1])
    expect(await proposed('05.03.2026', 1)).toBeNull()
    const name = 'long keys'
    await create('/api/v1/tables', { name, primaryKey: ['key'], columns: [{ name: 'key', type: 'text', required: true }] })
    await db.query(`insert into data."long keys" select repeat('common', 170) || n from generate_series(1, 4100) n`)
    await change(name, { searchIndex: true })
    await maintainSearchIndexes(app.deps)
    await app.deps.catalog.refresh()
    expect(await keysOf(await proposal(name, 'common', 10_000))).toBeNull()
    expect(await keysOf(await proposal(name, 'common4100'))).toEndWith('common4100}')
    await change(`${encodeURIComponent(name)}?confirm=${encodeURIComponent(name)}`, undefined, 'DELETE')
    await maintainSearchIndexes(app.deps)
  })

  test('finds the same for any part of the records, changed in case and form', async () => {
    const texts = [...records, { title: 'Zoë Ångström' }].flatMap((record) => Object.values(record).map(String))
    const part = fc.constantFrom(...texts).chain((text) => fc.tuple(fc.constant(text), fc.nat(text.length), fc.nat(12)))
    const spelling = fc.constantFrom('toUpperCase', 'toLowerCase', 'toString')
    const property = fc.asyncProperty(part, spelling, fc.constantFrom('NFC', 'NFD'), async ([text, from, length], how, form) => {
      const q = text
        .slice(from, from + length + 3)
        [how as 'toString']()
        .normalize(form)
      if (q.trim()) await expectSame(q)
    })
    await fc.assert(property, { numRuns: 60 })
  })

  test('has the trigrams of each record that the pattern finds, for all letters with forms', async () => {
    const letters = Array.from({ length: 0x2100 }, (_, code) => String.fromCodePoint(code)).filter((text) => /\p{L}/u.test(text))
    const parts = Array.from({ length: Math.ceil(letters.length / 12) }, (_, place) => letters.slice(12 * place, 12 * place + 12).join(''))
    const rows = parts.map((part) => {
      const text = `abc ${part}`
      const { text: pattern, indexed: lists } = searchPatterns(text)
      const texts = [text, text.toUpperCase(), text.toLowerCase(), text.normalize('NFD'), text.normalize('NFC')]
      return { pattern, trigrams: lists![0]!, texts }
    })
    const checked = await db.query<{ text: string; isFound: boolean; isProposed: boolean }>(
      `select t.text, t.text ~ pattern as "isFound",
         rowhouse.show_trgm(rowhouse.folded(t.text)) @> array(select json_array_elements_text(trigrams)) as "isProposed"
       from json_to_recordset($1::text::json) as s (pattern text, trigrams json, texts json), json_array_elements_text(texts) as t (text)`,
      [JSON.stringify(rows)],
    )
    expect(checked.filter(({ isFound }) => isFound).length).toBeGreaterThan(1000)
    expect(checked.filter(({ isFound, isProposed }) => isFound && !isProposed)).toEqual([])
  })

  test('has the values of the filters of each request', async () => {
    for (const filter of ['&amount=gt.1000', '&amount=lt.1000', '&amount=gt.1000', '&peers(name)=like.B*', '&peers(name)=like.X*'])
      expect(await found(indexed, 'strasse', filter)).toEqual(await found(plain, 'strasse', filter))
  })

  test('reads the index, counts, and finds new records', async () => {
    const { text, parameters } = await proposal(indexed, 'strasse')
    const plan = await db.transaction(async ({ query }) => {
      await query('set local enable_seqscan = off')
      return query<{ 'QUERY PLAN': string }>(`explain ${text}`, parameters, { prepare: false })
    })
    expect(plan.map((row) => row['QUERY PLAN']).join()).toContain(`Bitmap Index Scan on ${(await indexes())[0]!.name}`)
    expect(await found(indexed, 'strasse', '&count=exact')).toEqual({ ids: [1], totalCount: 1 })
    for (const name of [indexed, plain]) await create(`/api/v1/tables/${name}/records`, { title: 'Neue Brücke' })
    expect((await found(indexed, 'brucke')).ids).toEqual([records.length + 1])
  })
})

describe('the index', () => {
  test('follows columns that are added, converted, renamed and deleted, and the name of the table', async () => {
    const [before] = await indexes()
    for (const name of [indexed, plain]) {
      await change(`${name}/columns`, { name: 'extra', type: 'text', default: 'fallback' }, 'POST')
      await change(`${name}/columns/ratio`, { name: 'quota' })
      await change(`${name}/columns/daily`, { type: 'text' })
      await change(`${name}/columns/state?confirm=state`, undefined, 'DELETE')
    }
    await build()
    const after = await indexes()
    expect(after).toEqual([{ name: expect.not.stringContaining(before!.name), isValid: true }])
    for (const q of ['fallback', '0.125', '14:30:00', 'zolty', 'strasse']) await expectSame(q)
  })

  test('is built again after a build that was interrupted', async () => {
    const { name } = (await indexes())[0]!
    await db.query(`update pg_index set indisvalid = false where indexrelid = 'data.${name}'::regclass`)
    await db.query('update rowhouse.catalog_version set version = version + 1')
    await app.deps.catalog.refresh()
    expect(await readiness()).toBe('building')
    await expectSame('strasse')
    await build()
    expect(await indexes()).toEqual([{ name, isValid: true }])
  })

  test('is not replaced by reading every record if it is dropped meanwhile', async () => {
    const statement = await proposal(indexed, 'strasse')
    expect(await keysOf(statement)).toContain('1')
    const { name } = (await indexes())[0]!
    await db.query(`update pg_index set indisvalid = false where indexrelid = 'data.${name}'::regclass`)
    expect(await keysOf(statement)).toBeNull()
    await db.query(`drop index data.${name}`)
    expect(await keysOf(statement)).toBeNull()
    const explained = await db.query<{ 'QUERY PLAN': string }>(`explain (analyze) ${statement.text}`, statement.parameters, {
      prepare: false,
    })
    expect(explained.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Seq Scan on indexed t .*\(never executed\)/)
    expect((await found(indexed, 'strasse')).ids).toEqual([1])
    await build()
  })

  test('is built once by two instances', async () => {
    const other = await startApp({}, { beside: app })
    await change(indexed, { searchIndex: false })
    await Promise.all([maintainSearchIndexes(app.deps), maintainSearchIndexes(other.deps)])
    await maintainSearchIndexes(app.deps)
    expect(await indexes()).toEqual([])
    expect(await readiness()).toBe('none')
    await change(indexed, { searchIndex: true })
    await Promise.all([maintainSearchIndexes(app.deps), maintainSearchIndexes(other.deps)])
    await build()
    expect(await indexes()).toHaveLength(1)
  })

  test('of a table of numbers finds numbers', async () => {
    await create('/api/v1/tables', { name: 'numbers', columns: [{ name: 'amount', type: 'integer' }] })
    await create('/api/v1/tables/numbers/records', [{ amount: 1234 }, { amount: 5 }])
    expect((await found('numbers', '123')).ids).toEqual([1])
    await change('numbers', { searchIndex: true })
    await maintainSearchIndexes(app.deps)
    await app.deps.catalog.refresh()
    expect((await found('numbers', '123')).ids).toEqual([1])
    await change('numbers?confirm=numbers', undefined, 'DELETE')
    await maintainSearchIndexes(app.deps)
  })

  test('does not show what the caller may not read', async () => {
    const rule = { group: 'everyone', table: indexed, read: 'id=gt.1', create: 'all', update: 'all', delete: 'all' }
    const save = (...rules: object[]) => app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })
    expect((await save(rule)).status).toBe(200)
    expect((await found(indexed, 'strasse')).ids).toEqual([])
    expect((await found(indexed, 'birch')).ids).toEqual([2])
    expect((await save({ ...rule, read: 'all', columns: { read: ['id', 'amount'] } })).status).toBe(200)
    expect((await found(indexed, 'strasse')).ids).toEqual([])
    expect((await found(indexed, '77123')).ids).toEqual([3])
    expect((await save()).status).toBe(200)
  })
})
