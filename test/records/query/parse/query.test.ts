import { describe, expect, test } from 'bun:test'
import { Failure } from '../../../../src/errors'
import { parseQuery } from '../../../../src/records/query/parse/query'
import type { Filter, OrderTerm, SelectItem } from '../../../../src/records/query/tree'

const read = (search: string) => parseQuery(search, 'postgrest')
const path = (name: string, ...steps: { as: 'json' | 'text'; key: string | number }[]) => ({ name, steps })
const json = (key: string | number) => ({ as: 'json' as const, key })
const text = (key: string | number) => ({ as: 'text' as const, key })
const condition = (name: string, operator: string, value: string | string[], more: object = {}) =>
  ({ kind: 'condition', column: path(name), isNegated: false, operator, value, ...more }) as Filter

describe('filters', () => {
  const examples: [string, Filter][] = [
    ['age=gte.18', condition('age', 'gte', '18')],
    ['age=not.eq.18', condition('age', 'eq', '18', { isNegated: true })],
    ['name=eq.', condition('name', 'eq', '')],
    ['name=eq."as it stands"', condition('name', 'eq', '"as it stands"')],
    ['name=like.*O%27Reilly%25', condition('name', 'like', "*O'Reilly%")],
    ['name=eq.a+b%2Bc', condition('name', 'eq', 'a b+c')],
    ['name=like.50%', condition('name', 'like', '50%')],
    ['name=eq.a.b=c', condition('name', 'eq', 'a.b=c')],
    ['name=ilike(any).{a*,*b}', condition('name', 'ilike', '{a*,*b}', { quantifier: 'any' })],
    ['name=not.eq(all).{1,2}', condition('name', 'eq', '{1,2}', { quantifier: 'all', isNegated: true })],
    ['note=fts.cat', condition('note', 'fts', 'cat')],
    ['note=not.wfts(german).haus -hof', condition('note', 'wfts', 'haus -hof', { language: 'german', isNegated: true })],
    ['id=in.(1,2,3)', condition('id', 'in', ['1', '2', '3'])],
    ['id=in. ( 1, 2 ) ', condition('id', 'in', ['1', ' 2 '])],
    ['id=in.( "1,2","")', condition('id', 'in', ['1,2', ''])],
    ['id=in.( )', condition('id', 'in', [])],
    ['id=in.()', condition('id', 'in', [])],
    ['id=in.("")', condition('id', 'in', [''])],
    ['id=in.(,)', condition('id', 'in', ['', ''])],
    ['name=in.("a,b","say \\"hi\\"","back\\\\slash")', condition('name', 'in', ['a,b', 'say "hi"', 'back\\slash'])],
    ['name=in.("a"b,"c)', condition('name', 'in', ['"a"b', '"c'])],
    ['done=is.NULL', condition('done', 'is', 'null')],
    ['done=is.not_null', condition('done', 'is', 'not_null')],
    ['done=not.is.unknown', condition('done', 'is', 'unknown', { isNegated: true })],
    ['age=isdistinct.3', condition('age', 'isdistinct', '3')],
    ['tags=cs.{a,"b,c"}', condition('tags', 'cs', '{a,"b,c"}')],
    ['during=ov.[2026-01-01,2026-02-01)', condition('during', 'ov', '[2026-01-01,2026-02-01)')],
    ['"and"=eq.1', condition('and', 'eq', '1')],
    ['"select"=eq.1', condition('select', 'eq', '1')],
    ['"a.b,c (d)"=eq.1', condition('a.b,c (d)', 'eq', '1')],
    ['"say \\"hi\\""=eq.1', condition('say "hi"', 'eq', '1')],
    ['first name=eq.1', condition('first name', 'eq', '1')],
    [' padded =eq.1', condition('padded', 'eq', '1')],
    ['" padded "=eq.1', condition(' padded ', 'eq', '1')],
    ['with-dash-and-$=eq.1', condition('with-dash-and-$', 'eq', '1')],
    ['%D0%BA%D0%BB%D1%8E%D1%87=eq.%E9%8D%B5', condition('ключ', 'eq', '鍵')],
    ['data->a->>b=eq.1', condition('data', 'eq', '1', { column: path('data', json('a'), text('b')) })],
    ['data->-1->>0=eq.1', condition('data', 'eq', '1', { column: path('data', json(-1), text(0)) })],
    ['data->"0"->"a.b"=eq.1', condition('data', 'eq', '1', { column: path('data', json('0'), json('a.b')) })],
    ['data->!@#$_a=eq.1', condition('data', 'eq', '1', { column: path('data', json('!@#$_a')) })],
    ['data->0th=eq.1', condition('data', 'eq', '1', { column: path('data', json('0th')) })],
    // Words of the native route only.
    ['count=eq.1', condition('count', 'eq', '1')],
    ['cursor=eq.1', condition('cursor', 'eq', '1')],
  ]
  test.each(examples)('%s', (search, filter) => {
    expect(read(`?${search.replaceAll('#', '%23')}`)).toEqual({ filters: [filter], order: [], embedded: {}, select: [{ kind: 'all' }] })
  })

  test('the same column may be filtered twice', () => {
    expect(read('age=gte.1&age=lt.9').filters).toEqual([condition('age', 'gte', '1'), condition('age', 'lt', '9')])
  })

  test('the credential is none', () => {
    expect(read('token=x&token=y&to%6ben=z').filters).toEqual([])
    expect(read('"token"=eq.x').filters).toEqual([condition('token', 'eq', 'x')])
  })
})

describe('logic', () => {
  const either = (filters: Filter[], more: object = {}) => ({ kind: 'or', isNegated: false, filters, ...more }) as Filter
  const examples: [string, Filter][] = [
    ['or=(a.eq.1,b.gt.2)', either([condition('a', 'eq', '1'), condition('b', 'gt', '2')])],
    ['not.and=(a.eq.1)', either([condition('a', 'eq', '1')], { kind: 'and', isNegated: true })],
    [
      'or=( a.eq.1 , not.and ( b.eq.2 , c.is.null ) )',
      either([
        condition('a', 'eq', '1 '),
        either([condition('b', 'eq', '2 '), condition('c', 'is', 'null')], { kind: 'and', isNegated: true }),
      ]),
    ],
    [
      'or=(a.not.in.(1,"2,3"),b.eq."x,y)")',
      either([condition('a', 'in', ['1', '2,3'], { isNegated: true }), condition('b', 'eq', 'x,y)')]),
    ],
    [
      'or=(tags.cs.{a,b},tags.eq(any).{1,2})',
      either([condition('tags', 'cs', '{a,b}'), condition('tags', 'eq', '{1,2}', { quantifier: 'any' })]),
    ],
    ['or=(a.eq.,b.fts(english).cat)', either([condition('a', 'eq', ''), condition('b', 'fts', 'cat', { language: 'english' })])],
    [
      'or=(data->a->>b.eq.1,"x.y".eq.2)',
      either([condition('data', 'eq', '1', { column: path('data', json('a'), text('b')) }), condition('x.y', 'eq', '2')]),
    ],
    ['or=(and.eq.1,or.eq.2,not.eq.3)', either([condition('and', 'eq', '1'), condition('or', 'eq', '2'), condition('not', 'eq', '3')])],
    ['or=(author.not.is.null)', either([condition('author', 'is', 'null', { isNegated: true })])],
  ]
  test.each(examples)('%s', (search, filter) => {
    expect(read(search).filters).toEqual([filter])
  })
})

describe('select', () => {
  const column = (name: string, more: object = {}) => ({ kind: 'column', column: path(name), ...more }) as SelectItem
  const embedding = (relation: string, items: SelectItem[], more: object = {}) =>
    ({ kind: 'embedding', relation, join: 'left', isSpread: false, items, ...more }) as SelectItem
  const all: SelectItem = { kind: 'all' }
  const examples: [string, SelectItem[]][] = [
    ['', [all]],
    ['*', [all]],
    ['id, first name ,"last,name"', [column('id'), column('first name'), column('last,name')]],
    ['full:name::text', [column('name', { alias: 'full', cast: 'text' })]],
    ['name::double precision', [column('name', { cast: 'double precision' })]],
    ['a::text,b:c', [column('a', { cast: 'text' }), column('c', { alias: 'b' })]],
    ['x:data->a->>0::int', [column('data', { alias: 'x', cast: 'int', column: path('data', json('a'), text(0)) })]],
    ['data->a-b->>c', [column('data', { column: path('data', json('a-b'), text('c')) })]],
    [
      'price.sum(),n:id.count()',
      [column('price', { aggregate: { name: 'sum' } }), column('id', { alias: 'n', aggregate: { name: 'count' } })],
    ],
    ['price::int.avg()::float', [column('price', { cast: 'int', aggregate: { name: 'avg', cast: 'float' } })]],
    ['count(),n:count()::text', [{ kind: 'count' }, { kind: 'count', alias: 'n', cast: 'text' }]],
    ['count', [column('count')]],
    ['*,author(*)', [all, embedding('author', [all])]],
    ['author()', [embedding('author', [])]],
    [
      'a:author!fk!inner(name, books(id))',
      [embedding('author', [column('name'), embedding('books', [column('id')])], { alias: 'a', hint: 'fk', join: 'inner' })],
    ],
    ['author!inner!fk(id)', [embedding('author', [column('id')], { hint: 'fk', join: 'inner' })]],
    ['author!left(id)', [embedding('author', [column('id')])]],
    ['author!inner_fk(id)', [embedding('author', [column('id')], { hint: 'inner_fk' })]],
    ['author!"inner"(id)', [embedding('author', [column('id')], { hint: 'inner' })]],
    [
      '...author!fk(name,...city(zip))',
      [embedding('author', [column('name'), embedding('city', [column('zip')], { isSpread: true })], { hint: 'fk', isSpread: true })],
    ],
    ['"my table"("my.column")', [embedding('my table', [column('my.column')])]],
    ['"count"(id)', [embedding('count', [column('id')])]],
    ['author(data->0)', [embedding('author', [column('data', { column: path('data', json(0)) })])]],
  ]
  test.each(examples)('%s', (select, items) => {
    expect(read(`select=${encodeURIComponent(select)}`).select).toEqual(items)
  })
})

describe('order', () => {
  const by = (name: string, more: object = {}) => ({ column: path(name), direction: 'asc', ...more }) as OrderTerm
  const examples: [string, OrderTerm[]][] = [
    ['a', [by('a')]],
    ['a.desc,b.asc.nullslast , c.nullsfirst', [by('a', { direction: 'desc' }), by('b', { nulls: 'last' }), by('c', { nulls: 'first' })]],
    ['data->a->>b.desc', [by('data', { column: path('data', json('a'), text('b')), direction: 'desc' })]],
    ['data->0.desc', [by('data', { column: path('data', json(0)), direction: 'desc' })]],
    ['author(name).desc.nullslast,id', [by('name', { relation: 'author', direction: 'desc', nulls: 'last' }), by('id')]],
    ['author(data->>a)', [by('data', { relation: 'author', column: path('data', text('a')) })]],
    ['"a.desc".desc,desc', [by('a.desc', { direction: 'desc' }), by('desc')]],
  ]
  test.each(examples)('%s', (order, terms) => {
    expect(read(`order=${encodeURIComponent(order)}`).order).toEqual(terms)
  })
})

test('embeddings have their own filters, order, limit and offset', () => {
  const query = read(
    'author.name=eq.x&author.order=id.desc&author.books.limit=2&author.books.offset=4&author.not.or=(a.is.null)&author."limit"=eq.1',
  )
  expect(query.filters).toEqual([])
  expect(query.embedded).toEqual({
    author: {
      filters: [
        condition('name', 'eq', 'x'),
        { kind: 'or', isNegated: true, filters: [condition('a', 'is', 'null')] },
        condition('limit', 'eq', '1'),
      ],
      order: [{ column: path('id'), direction: 'desc' }],
      embedded: { books: { filters: [], order: [], limit: 2, offset: 4, embedded: {} } },
    },
  })
})

test('an embedding may have the name of what every object has', () => {
  const { embedded } = read('__proto__.limit=1&constructor.limit=2')
  expect(Object.keys(embedded)).toEqual(['__proto__', 'constructor'])
  expect(embedded.constructor).toMatchObject({ limit: 2 })
  expect(({} as { limit?: number }).limit).toBeUndefined()
})

test('limit, offset, columns and on_conflict', () => {
  expect(read('limit=0&offset=7&columns=a,"b,c"&on_conflict=id, "x y"')).toMatchObject({
    limit: 0,
    offset: 7,
    columns: ['a', 'b,c'],
    onConflict: ['id', 'x y'],
  })
})

test('of a repeated parameter PostgREST takes one, and the native route none', () => {
  expect(read('select=a&select=b&order=c&order=d&limit=1&limit=2')).toMatchObject({
    select: [{ column: path('a') }],
    order: [{ column: path('c') }],
    limit: 2,
  })
  expect(() => parseQuery('select=a&select=b', 'native')).toThrow('more than once')
  expect(() => parseQuery('limit=1&limit=2', 'native')).toThrow('more than once')
})

test('the native route has words of its own', () => {
  const query = parseQuery('cursor=abc&count=exact&q=two+words&maxAffected=5&dryRun=true&"count"=eq.1&author.count=eq.2', 'native')
  expect(query).toMatchObject({ cursor: 'abc', count: 'exact', search: 'two words', maxAffected: 5, isDryRun: true })
  expect(query.filters).toEqual([condition('count', 'eq', '1')])
  expect(query.embedded.author?.filters).toEqual([condition('count', 'eq', '2')])
})

describe('what cannot be read is refused with its place', () => {
  const long = (text: string, count: number) => Array(count).fill(text).join(',')
  const examples: [string, string, number | undefined, RegExp][] = [
    ['age=18', 'age', 1, /an operator/],
    ['age=gtee.18', 'age', 1, /an operator/],
    ['age=', 'age', 1, /an operator/],
    ['age', 'age', 1, /an operator/],
    ['age=eq', 'age', 1, /an operator/],
    ['age=not.not.eq.1', 'age', 1, /an operator/],
    ['age=neq(any).{1}', 'age', 1, /\(any\) or \(all\)/],
    ['age=eq().1', 'age', 1, /\(any\) or \(all\)/],
    ['age=fts().1', 'age', 1, /language/],
    ['age=in.1,2', 'age', 4, /a list in parentheses/],
    ['age=in.(1,2', 'age', 8, /"," or "\)"/],
    ['age=in.(1)x', 'age', 7, /the end/],
    ['age=is.nul', 'age', 4, /null, not_null/],
    ['age=is.nullx', 'age', 4, /null, not_null/],
    ['a..b=eq.1', 'a..b', 3, /a name/],
    ['a@b=eq.1', 'a@b', 2, /its end/],
    ['a->=eq.1', 'a->', 4, /a key/],
    ['"a=eq.1', '"a', 1, /a name/],
    ['or=()', 'or', 2, /a name/],
    ['or=(a.eq.1', 'or', 8, /"," or "\)"/],
    ['or=(a.eq.1)x', 'or', 9, /the end/],
    ['or=(ord(a.eq.1))', 'or', 7, /expected "\)"/],
    ['or=(not.xor(a.eq.1))', 'or', 6, /an operator/],
    ['or=a.eq.1', 'or', 1, /"\("/],
    ['select=a,', 'select', 3, /a name/],
    ['select=a(b', 'select', 4, /"," or "\)"/],
    ['select=a!x', 'select', 4, /"\("/],
    ['select=a!x!y(b)', 'select', 5, /"\("/],
    ['select=a!inner!left(b)', 'select', 9, /"\("/],
    ['select=name::', 'select', 7, /a type/],
    ['select=name[]', 'select', 5, /the end/],
    ['select=a.median()', 'select', 2, /\.sum\(\)/],
    ['select=x:...author(b)', 'select', 3, /a name/],
    ['select=data->>-78xy', 'select', 8, /a key/],
    ['select=data->>--34', 'select', 8, /a key/],
    ['select=data->9999999999', 'select', 7, /an index/],
    ['order=id.ac', 'order', 3, /\.asc, \.desc/],
    ['order=id.asc.nulls', 'order', 3, /\.asc, \.desc/],
    ['order=author(name,id)', 'order', 12, /"\)"/],
    ['order=', 'order', 1, /a name/],
    ['limit=-1', 'limit', 1, /a whole number/],
    ['limit=1e3', 'limit', 1, /a whole number/],
    ['author.limit=x', 'author.limit', 1, /a whole number/],
    ['limit=9999999999999999', 'limit', 1, /a whole number/],
    ['columns=a,,b', 'columns', 3, /a name/],
    ['a=eq.%00', 'a', undefined, /NUL/],
    ['a=eq.%ff', 'a', undefined, /UTF-8/],
    [`or=(${'and('.repeat(20)}`, 'or', undefined, /16 levels/],
    [`select=${'a('.repeat(20)}`, 'select', undefined, /16 levels/],
    [`${'a.'.repeat(20)}limit=1`, 'a.', undefined, /16 levels/],
    [`or=(${long('a.eq.1', 501)})`, 'or', undefined, /500 conditions/],
    [`select=${long('a', 2001)}`, 'select', undefined, /2000 items/],
    [Array(1001).fill('limit=1').join('&'), 'limit', undefined, /at most 1000 parameters/],
  ]
  test.each(examples)('%s', (search, parameter, position, message) => {
    const failure = refusal(search)
    expect(failure.message).toMatch(message)
    expect(failure.message).toStartWith(`The query parameter "${parameter}`)
    if (position !== undefined) expect(failure.extras.details).toEqual({ parameter, position })
  })

  test('in the native words', () => {
    for (const search of ['cursor=', 'count=planned', 'maxAffected=-1', 'dryRun', 'dryRun=1'])
      expect(() => parseQuery(search, 'native')).toThrow(Failure)
  })

  test('a query that is too long', () => {
    expect(() => read(`a=eq.${'x'.repeat(40_000)}`)).toThrow('longer than 32768 characters')
  })

  test('with the nearest operator', () => {
    expect(String(refusal('age=gtee.18').extras.hint)).toStartWith('Did you mean "gte"?')
    expect(String(refusal('age=18').extras.hint)).toStartWith('A filter is written')
  })
})

function refusal(search: string): Failure {
  try {
    read(search)
  } catch (error) {
    if (error instanceof Failure) return error
  }
  throw new Error('It was not refused.')
}
