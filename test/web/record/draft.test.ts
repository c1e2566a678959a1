import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TableView } from '../../../src/tables/model'
import { toPathSegment } from '../../../src/web/browser/api/urls'
import { toDraft, toJson } from '../../../src/web/browser/fields/field-draft'
import { parseParameters } from '../../../src/web/browser/pages/record/document-parameters'
import { findConflicts } from '../../../src/web/browser/pages/record/form/edit-conflicts'
import { beyondPosition } from '../../../src/web/browser/records/list/sort-position'
import { unconstrained } from '../../../src/web/browser/records/values/column-kinds'
import { keySegment, keysFilter } from '../../../src/web/browser/records/values/record-key'
import { parseExact, toText } from '../../../src/web/browser/values/exact-json'

describe('what stands in a control', () => {
  test.each([
    ['decimal', '10.00', '.', '10.00'],
    ['decimal', '1,5', ',', '1.5'],
    ['decimal', '1,5', '.', '1.5'],
    ['integer', ' 007 ', '.', '7'],
    ['integer', '+5', '.', '5'],
    ['float', '.5', '.', '0.5'],
    ['integer', '-0x1F', '.', '"-0x1F"'],
    ['bigint', '9223372036854775807', '.', '9223372036854775807'],
    ['integer', ' ', '.', 'null'],
    ['text', ' ', '.', '" "'],
    ['text', '', '.', 'null'],
    ['json', '{"a": 1.10}', '.', '{"a": 1.10}'],
    ['other', '[1,2)', '.', '"[1,2)"'],
    ['other', '[1,2]', '.', '[1,2]'],
  ])('of the type %s, %p with the mark %p, is sent as %s', (type, draft, mark, json) => {
    expect(toJson({ type }, draft, mark)).toBe(json)
  })

  test('that should be JSON and is none is not sent', () => {
    expect(toJson({ type: 'json' }, '{')).toBeNull()
  })

  test('of a number is the number with all its digits', () => {
    const digits = fc.stringMatching(/^-?[1-9][0-9]{0,40}(\.[0-9]{1,30})?$/)
    fc.assert(
      fc.property(digits, (text) => {
        const { n } = parseExact(`{"n": ${text}}`) as { n: unknown }
        const draft = toDraft({ type: 'decimal' }, n)
        expect(draft).toBe(text)
        expect(toJson({ type: 'decimal' }, draft)).toBe(text)
      }),
    )
  })
})

describe('the key of a record', () => {
  const table = (primaryKey: string[]) => ({ primaryKey }) as TableView
  test('is the part of the API’s address', () => {
    expect(keySegment(table(['a', 'b']), { a: 'x,y', b: 'z/%' })).toBe('x%2Cy,z%2F%25')
    expect(toText(parseExact('12345678901234567890'))).toBe('12345678901234567890')
    expect(decodeURIComponent(keySegment(table(['a']), { a: 'new' }))).toBe('new')
    expect(keySegment(table(['a']), { a: 'new' })).not.toBe('new')
  })

  test('may be typed by hand', () => {
    expect(toPathSegment('a/b?c#d 50%')).toBe('a%2Fb%3Fc%23d 50%25')
    expect(toPathSegment('x%2Cy,z')).toBe('x%2Cy,z')
  })

  test('finds records among others', () => {
    expect(keysFilter(['id'], ['5', 'a%22b'])).toEqual(['"id"', 'in.("5","a\\"b")'])
    expect(keysFilter(['a', 'b'], ['1,x%2Cy'])).toEqual(['or', '(and("a".eq."1","b".eq."x,y"))'])
  })

  const key = { column: 'id', value: '5', isDescending: false, isNullable: false }
  const name = { column: 'n', value: 'x"y', isDescending: true, isNullable: true }
  test.each([
    ['after', [key], '("id".gt."5")'],
    ['before', [key], '("id".lt."5")'],
    ['after', [name, key], '("n".lt."x\\"y","n".is.null,and("n".eq."x\\"y","id".gt."5"))'],
    ['before', [name, key], '("n".gt."x\\"y",and("n".eq."x\\"y","id".lt."5"))'],
    ['after', [{ ...name, value: null }, key], '(and("n".is.null,"id".gt."5"))'],
    ['before', [{ ...name, value: null }, key], '("n".not.is.null,and("n".is.null,"id".lt."5"))'],
  ] as const)('orders the neighbours %s it part by part', (side, order, condition) => {
    expect(beyondPosition(order, side === 'after')).toBe(condition)
  })
})

test('a conflict is what both have changed, and differently', () => {
  const columns = ['a', 'b', 'c', 'd'].map((name) => ({
    id: name,
    name,
    type: 'text',
    ...unconstrained,
    options: {},
  }))
  const base = { a: '1', b: '1', c: '1', d: '1' }
  const fresh = { a: '2', b: '2', c: '1', d: '2' }
  const found = findConflicts(columns, base, fresh, { a: 'mine', c: 'mine', d: '2' })
  expect(found.map(({ column, mine, theirs }) => [column.name, mine, theirs])).toEqual([['a', 'mine', '2']])
})

test('a document’s parameters are sent as their schema has them', () => {
  const properties = { order: { type: 'integer' }, table: { type: 'string' }, columns: { type: 'array' }, draft: { type: 'boolean' } }
  const asked = { params: { properties, required: ['order'] } }
  expect(parseParameters(asked, { order: '7', table: '', columns: 'name, city', draft: 'true' })).toEqual({
    order: 7,
    columns: ['name', 'city'],
    draft: true,
  })
})

test('a record’s own key is one item of a list, and long numbers keep their digits', () => {
  const params = { properties: { keys: { type: 'array', items: { type: 'integer' } }, names: { type: 'array' }, id: { type: 'integer' } } }
  const keys = { keys: '4', names: 'a, b', id: '9007199254740993' }
  expect(parseParameters({ params }, keys, keys)).toEqual({ keys: [4], names: ['a, b'], id: '9007199254740993' })
})

test('a record’s own key keeps the line breaks that its input does not have', () => {
  const params = { properties: { keys: { type: 'array' }, one: { type: 'string' }, other: { type: 'string' } } }
  const keys = { keys: 'a,\nb', one: 'a\r\nb' }
  expect(parseParameters({ params }, { keys: 'a,b', one: 'ab', other: 'ab' }, keys)).toEqual({
    keys: ['a,\nb'],
    one: 'a\r\nb',
    other: 'ab',
  })
})
