import { describe, expect, setSystemTime, test } from 'bun:test'
import fc from 'fast-check'
import { parseQuery } from '../../../src/records/query/parse/query'
import { planLimits } from '../../../src/records/query/plan/limits'
import type { FilterGroup, FilterItem, FilterRule } from '../../../src/web/browser/records/filters/filter-operators'
import {
  filterParameters,
  type ListQuery,
  maxSortColumns,
  parseListQuery,
  queryStringFor,
  ruleKey,
  toUrlSearch,
  validateSearch,
  withoutRefused,
} from '../../../src/web/browser/records/list/list-query'

const empty: ListQuery = { q: '', sort: [], filter: { kind: 'group', join: 'and', items: [] }, rest: [] }
const rule = (column: string, operator: FilterRule['operator'], ...values: string[]): FilterRule => ({
  kind: 'rule',
  column,
  operator,
  values,
})
const all = (...items: FilterItem[]): FilterGroup => ({ kind: 'group', join: 'and', items })
const any = (...items: FilterItem[]): FilterGroup => ({ kind: 'group', join: 'or', items })
test('as many columns sort the records as the service allows', () => expect(maxSortColumns).toBe(planLimits.order))

const column = (name: string, type: string) => ({ id: name, name, type, required: false, readOnly: false, options: {} }) as never

describe('the address of a grid', () => {
  test('says what is looked for in the words of the API', () => {
    const query: ListQuery = {
      q: 'liis',
      sort: [
        { column: 'name', isDescending: true },
        { column: 'a.b', isDescending: false },
      ],
      filter: all(
        rule('age', 'gt', '30'),
        rule('order', 'isNull'),
        rule('name', 'contains', '5%_'),
        rule('city', 'noneOf', 'Oslo', 'a,"b"'),
        rule('note', 'isBlank'),
        rule('tags', 'hasAny', 'x', 'y z'),
        any(rule('age', 'differs', '7'), all(rule('name', 'startsWith', 'A'), rule('since', 'within', 'last_7_days'))),
      ),
      rest: [['author.name', 'eq.x']],
    }
    expect(toUrlSearch(query)).toEqual({
      age: 'gt.30',
      '"order"': 'is.null',
      name: 'ilike.*5\\%\\_*',
      or: [
        '(city.not.in.("Oslo","a,\\"b\\""),city.is.null)',
        '(note.eq."",note.is.null)',
        '(age.isdistinct."7",and(name.ilike."A*",since.within."last_7_days"))',
      ],
      tags: 'ov.{"x","y z"}',
      'author.name': 'eq.x',
      order: 'name.desc,"a.b"',
      q: 'liis',
    })
    const back = parseListQuery(toUrlSearch(query))
    expect(toUrlSearch(back)).toEqual(toUrlSearch(query))
    expect(back.filter.items).toHaveLength(query.filter.items.length)
  })

  test('is any of the conditions where that is the whole filter', () => {
    const query = { ...empty, filter: any(rule('age', 'gt', '3'), rule('age', 'isNull')) }
    expect(toUrlSearch(query)).toEqual({ or: '(age.gt."3",age.is.null)' })
    expect(parseListQuery(toUrlSearch(query))).toEqual(query)
  })

  test('has no blank before the first value of a list, as the service reads it', () => {
    expect(parseListQuery({ city: 'in.( Oslo, Rome)' })).toEqual({ ...empty, filter: all(rule('city', 'anyOf', 'Oslo', ' Rome')) })
    expect(parseListQuery({ city: 'in.( "Oslo")' })).toEqual({ ...empty, filter: all(rule('city', 'anyOf', 'Oslo')) })
  })

  test('leaves out what is no business of the page, and takes numbers of the router for text', () => {
    expect(parseListQuery(validateSearch({ limit: 5, token: 'x', q: 12, offset: 3 }))).toEqual({ ...empty, q: '12' })
  })

  test('keeps what no condition can represent as it is', () => {
    const search = {
      ...{ 'not.or': '(a.eq.1,b.eq.2)', name: 'like.A*', 'data->>a': 'eq.1', or: '(a.not.eq.1,b.gt.2)', and: '(broken' },
      ...{ 'author(name)': 'not.is.null', 'author(data->>a)': 'ilike.*x*' },
    }
    expect(parseListQuery(search)).toEqual({ ...empty, rest: Object.entries(search) })
  })

  test.each<[FilterRule['operator'], string[], string]>([
    ['eq', ['DE'], 'eq.DE'],
    ['differs', ['DE'], 'not.eq.DE'],
    ['noneOf', ['DE'], 'not.in.("DE")'],
    ['hasNone', ['x'], 'not.ov.{"x"}'],
    ['isNull', [], 'not.is.not_null'],
    ['isNotNull', [], 'is.not_null'],
    ['isBlank', [], 'not.neq.'],
    ['isNotBlank', [], 'neq.'],
    ['isEmptyList', [], 'not.neq.{}'],
    ['isNotEmptyList', [], 'neq.{}'],
  ])('compares linked records so that “is not” and “is empty” find records without a link: %s', (operator, values, text) => {
    const query = { ...empty, filter: all({ ...rule('author', operator, ...values), linked: 'country' }) }
    expect(toUrlSearch(query)).toEqual({ 'author(country)': text })
    expect(parseListQuery({ 'author(country)': text })).toEqual(query)
  })

  test('comes back as it was and is read by the service, whatever a column is called and whatever is compared', () => {
    const name = fc.oneof(
      fc.constantFrom('__proto__', 'constructor', 'order', 'not', 'a.b', 'x"y'),
      fc.string({ minLength: 1, maxLength: 12 }),
    )
    const value = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/[*]/.test(text))
    const single = fc.constantFrom(
      'eq' as const,
      'gt' as const,
      'differs' as const,
      'contains' as const,
      'notContains' as const,
      'endsWith' as const,
    )
    const several = fc.constantFrom('anyOf' as const, 'noneOf' as const, 'hasAny' as const, 'hasNone' as const)
    const none = fc.constantFrom('isNull' as const, 'isNotNull' as const, 'isBlank' as const, 'isTrue' as const, 'isEmptyList' as const)
    const linked = fc.option(name, { nil: undefined })
    const anyRule = fc.oneof(
      fc.record({ kind: fc.constant('rule' as const), column: name, linked, operator: single, values: fc.tuple(value) }),
      fc.record({
        kind: fc.constant('rule' as const),
        column: name,
        linked,
        operator: several,
        values: fc.array(value, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('rule' as const), column: name, linked, operator: none, values: fc.constant([]) }),
    )
    const group = fc.record({
      kind: fc.constant('group' as const),
      join: fc.constantFrom('and' as const, 'or' as const),
      items: fc.array(anyRule, { minLength: 3, maxLength: 4 }),
    })
    const items = fc.array(fc.oneof(anyRule, group), { maxLength: 4 })
    fc.assert(
      fc.property(items, fc.string(), (given, q) => {
        const query = { ...empty, q, filter: all(...(given as FilterItem[])) }
        const search = toUrlSearch(query)
        const back = parseListQuery(search)
        expect(back.rest).toEqual([])
        const sorted = (list: FilterItem[]) => list.map((item) => JSON.stringify(item)).sort()
        const wanted = given.length === 1 && given[0]!.kind === 'group' ? given[0]!.items : given
        expect({ q: back.q, items: sorted(back.filter.items) }).toEqual({ q, items: sorted(wanted as FilterItem[]) })
        const pairs = Object.entries(search).flatMap(([key, texts]) => [texts].flat().map((text): [string, string] => [key, text]))
        expect(parseQuery(pairs, 'native').filters).toHaveLength(given.length)
      }),
    )
  })
})

describe('a request for records', () => {
  const table = { columns: [column('since', 'dateTime'), column('born', 'date'), column('age', 'integer')] }
  const parametersOf = (...items: FilterItem[]) => filterParameters({ ...empty, filter: all(...items) }, table)
  const midnight = (days: number) => new Date(2026, 5, 17 + days)
  const isoDay = (date: Date) =>
    `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`

  test('has the days of now: dates, and of timestamps the instants at which they begin and end', () => {
    setSystemTime(new Date(2026, 5, 17, 12))
    using _real = { [Symbol.dispose]: () => void setSystemTime() }
    const [today, tomorrow] = [midnight(0), midnight(1)]
    expect(parametersOf(rule('since', 'eq', 'today'), rule('born', 'eq', 'yesterday'), rule('since', 'gt', 'today'))).toEqual([
      ['and', `(since.gte."${today.toISOString()}",since.lt."${tomorrow.toISOString()}")`],
      ['born', `eq.${isoDay(midnight(-1))}`],
      ['since', `gte.${tomorrow.toISOString()}`],
    ])
    expect(parametersOf(rule('born', 'within', 'last_7_days'))).toEqual([
      ['and', `(born.gte."${isoDay(midnight(-6))}",born.lt."${isoDay(tomorrow)}")`],
    ])
  })

  test('leaves out conditions that cannot be sent, which the address keeps', () => {
    const query = {
      ...empty,
      filter: all(rule('age', 'gt', '9,000'), rule('gone', 'eq', 'x'), rule('age', 'lt', '5'), rule('age', 'eq', '')),
    }
    expect(queryStringFor(query, table)).toBe('age=lt.5')
    expect(toUrlSearch(query)).toHaveProperty('gone', 'eq.x')
  })

  test('puts records without a value last in both directions, which the address need not say', () => {
    const query = parseListQuery({ order: 'since.desc,age' })
    expect(queryStringFor(query, table)).toBe('order=since.desc.nullslast%2Cage')
    expect(toUrlSearch(query)).toEqual({ order: 'since.desc,age' })
    expect(parseListQuery({ order: 'since.desc.nullslast,age' })).toEqual(query)
  })

  test('leaves out what the service refuses, and groups that are empty then', () => {
    const [wrong, right] = [rule('age', 'gt', '99999999999'), rule('age', 'lt', '5')]
    const query: ListQuery = { ...empty, filter: all(any(wrong), right), rest: [['x.y', 'eq.1']] }
    const refused = new Map([
      [ruleKey(wrong), 'too large'],
      ['x.y=eq.1', 'unknown'],
    ])
    expect(withoutRefused(query, refused)).toEqual({ ...empty, filter: all(right) })
  })
})
