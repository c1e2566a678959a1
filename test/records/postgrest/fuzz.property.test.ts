import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { printQuery } from '../../../src/records/query/print'
import { startApp } from '../../support/app'
import { recordQuery } from '../../support/arbitrary-query'
import { rpc, shop } from '../../support/shop'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop,side', ROWHOUSE_RPC: rpc.join(',') })
await app.deps.db.sql.unsafe(shop)

const columns = [
  'id',
  'title',
  'price',
  'pages',
  'state',
  'tags',
  'sold',
  'details',
  'printed_at',
  'in_print',
  'search',
  'author_id',
  'nope',
  'count',
]
const column = fc.constantFrom(...columns)
const operator = fc.constantFrom(
  ...['eq', 'neq', 'gt', 'lte', 'like', 'ilike', 'match', 'imatch', 'in', 'is', 'isdistinct', 'fts', 'plfts', 'phfts', 'wfts'],
  ...['cs', 'cd', 'ov', 'sl', 'nxr', 'adj', 'eq(any)', 'like(all)', 'fts(german)', 'wfts(klingon)', 'not.eq', 'not.in', 'not.is'],
)
const odd = fc.constantFrom(
  '',
  '1',
  '-1',
  '1e400',
  'NaN',
  'null',
  'true',
  '(1,2)',
  '{1,2}',
  '{a,"b',
  '[1,2)',
  '[2,1)',
  '{"a":1}',
  '2026-13-45',
  'infinity',
  '(',
  '*',
  '\\',
  "'",
  '"',
  '$1',
  '%',
  '٣',
  '𝄞',
  '99999999999999999999',
)
const value = fc.oneof(odd, fc.string({ unit: 'grapheme', maxLength: 12 }))
const filter = fc.tuple(column, operator, value).map(([name, how, what]) => [name, `${how}.${what}`] as const)
const path = fc
  .tuple(column, fc.constantFrom('', '->a', '->>a', '->0->>b', '->a->-1', '::text', '::int4', '::nope', '.sum()', '.max()'))
  .map((parts) => parts.join(''))
const embedding = fc.constantFrom(
  'authors!books_author_id_fkey(*)',
  'authors(name)',
  'shelves!inner(label)',
  'covers(colour,books(id))',
  '...authors!editor_id(name)',
  'books_shelves(count)',
  'nope(id)',
  'shelves()',
)
const select = fc.array(fc.oneof(path, embedding), { minLength: 1, maxLength: 4 }).map((items) => ['select', items.join(',')] as const)
const order = fc
  .array(fc.tuple(path, fc.constantFrom('', '.desc', '.asc.nullsfirst', '.up')), { minLength: 1, maxLength: 3 })
  .map((terms) => ['order', terms.map((term) => term.join('')).join(',')] as const)
const page = fc.tuple(
  fc.constantFrom('limit', 'offset', 'authors.limit', 'shelves.offset', 'on_conflict', 'columns'),
  fc.constantFrom('0', '1', '-1', '1e9', '99999999999', 'id', 'nope', 'title,id'),
)
const tree = fc
  .tuple(fc.constantFrom('or', 'not.and', 'shelves.or'), fc.array(filter, { minLength: 1, maxLength: 3 }))
  .map(([how, filters]) => [how, `(${filters.map((pair) => pair.join('.')).join(',')})`] as const)
const asked = fc.oneof(fc.array(fc.oneof(filter, filter, select, order, page, tree), { maxLength: 5 }), recordQuery.map(printQuery))

const header = (name: string, ...values: string[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined }).map((text) => (text === undefined ? {} : { [name]: text }))
const headers = fc
  .tuple(
    header(
      'prefer',
      'return=representation',
      'count=exact',
      'count=planned,return=representation',
      'resolution=merge-duplicates',
      'tx=rollback,missing=default',
      'handling=strict,max-affected=1',
      '=,;=',
    ),
    header('accept', 'application/vnd.pgrst.object+json', 'text/csv', 'application/vnd.pgrst.array+json;nulls=stripped', 'x/y', ',,'),
    header('range', '0-1', '5-2', '99999999999999-', 'x'),
    header('content-profile', 'side', 'nope'),
    header('content-type', 'text/csv', 'application/x-www-form-urlencoded', 'application/xml'),
  )
  .map((parts): Record<string, string> => Object.assign({}, ...parts))

const record = fc.dictionary(
  column,
  fc.oneof(
    value,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer(), { maxLength: 2 }),
    fc.json().map((text) => JSON.parse(text)),
  ),
  { maxKeys: 4 },
)
const body = fc.oneof(
  record.map((one) => JSON.stringify(one)),
  fc.array(record, { maxLength: 3 }).map((many) => JSON.stringify(many)),
  fc.string(),
  fc.constant('{"title":"\\u0000"}'),
  fc.constant('{"title":"\\ud800"}'),
  fc.constant('{"price":1e999999}'),
)
const place = fc.constantFrom(
  '/books',
  '/books',
  '/people',
  '/cheap',
  '/notes',
  '/odd names',
  '/rpc/add_up',
  '/rpc/books_of',
  '/rpc/echo',
  '/rpc/total',
  '/rpc/nope',
  '/nope',
  '/',
)
const method = fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE')

test('whatever is asked, the answer is no failure of ours, and in PostgREST’s form', async () => {
  await fc.assert(
    fc.asyncProperty(method, place, asked, headers, body, async (method, place, pairs, headers, body) => {
      const query = pairs
        .map((pair) => pair.map(encodeURIComponent).join('='))
        .join('&')
        .slice(0, 8000)
      const hasBody = !['GET', 'HEAD', 'DELETE'].includes(method)
      const response = await fetch(`${app.url}/rest/v1${place}?${query}`, {
        method,
        headers: { authorization: `Bearer ${app.tokens.editor}`, 'accept-profile': 'shop', 'content-profile': 'shop', ...headers },
        ...(hasBody ? { body } : {}),
      })
      const text = await response.text()
      expect({ status: response.status, text: response.status < 500 || text }).toEqual({ status: expect.any(Number), text: true })
      if (response.status >= 400 && method !== 'HEAD') expect(Object.keys(JSON.parse(text))).toEqual(['code', 'details', 'hint', 'message'])
    }),
    { numRuns: 1500 },
  )
})
