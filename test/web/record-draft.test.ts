import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TableView } from '../../src/tables/model'
import { parseExact, textOf } from '../../src/web/browser/exact-json'
import { draftOf, jsonOf } from '../../src/web/browser/pages/record/draft'
import { beyond, keySegment } from '../../src/web/browser/pages/record/key'
import { guessParameters, readParameters } from '../../src/web/browser/pages/record/parameters'
import { conflictsOf } from '../../src/web/browser/pages/record/rebase'
import { asSegment } from '../../src/web/browser/record-address'

describe('what stands in a control', () => {
  test.each([
    ['decimal', '10.00', '.', '10.00'],
    ['decimal', '1,5', ',', '1.5'],
    ['decimal', '1,5', '.', '"1,5"'],
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
    expect(jsonOf({ type }, draft, mark)).toBe(json)
  })

  test('that should be JSON and is none is not sent', () => {
    expect(jsonOf({ type: 'json' }, '{')).toBeNull()
  })

  test('of a number is the number with all its digits', () => {
    const digits = fc.stringMatching(/^-?[1-9][0-9]{0,40}(\.[0-9]{1,30})?$/)
    fc.assert(
      fc.property(digits, (text) => {
        const { n } = parseExact(`{"n": ${text}}`) as { n: unknown }
        const draft = draftOf({ type: 'decimal' }, n)
        expect(draft).toBe(text)
        expect(jsonOf({ type: 'decimal' }, draft)).toBe(text)
      }),
    )
  })
})

describe('the key of a record', () => {
  const table = (primaryKey: string[]) => ({ primaryKey }) as TableView
  test('is the part of the API’s address', () => {
    expect(keySegment(table(['a', 'b']), { a: 'x,y', b: 'z/%' })).toBe('x%2Cy,z%2F%25')
    expect(textOf(parseExact('12345678901234567890'))).toBe('12345678901234567890')
    expect(decodeURIComponent(keySegment(table(['a']), { a: 'new' }))).toBe('new')
    expect(keySegment(table(['a']), { a: 'new' })).not.toBe('new')
  })

  test('may be typed by hand', () => {
    expect(asSegment('a/b?c#d 50%')).toBe('a%2Fb%3Fc%23d 50%25')
    expect(asSegment('x%2Cy,z')).toBe('x%2Cy,z')
  })

  test('orders the neighbours part by part', () => {
    expect(beyond([['id', '5']], 'gt')).toBe('("id".gt."5")')
    expect(
      beyond(
        [
          ['a', 'x"y'],
          ['b', '2'],
        ],
        'lt',
      ),
    ).toBe('("a".lt."x\\"y",and("a".eq."x\\"y","b".lt."2"))')
  })
})

test('a conflict is what both have changed, and differently', () => {
  const columns = ['a', 'b', 'c', 'd'].map((name) => ({
    id: name,
    name,
    type: 'text',
    required: false,
    unique: false,
    default: null,
    options: {},
  }))
  const base = { a: '1', b: '1', c: '1', d: '1' }
  const fresh = { a: '2', b: '2', c: '1', d: '2' }
  const found = conflictsOf(columns, base, fresh, { a: 'mine', c: 'mine', d: '2' })
  expect(found.map(({ column, mine, theirs }) => [column.name, mine, theirs])).toEqual([['a', 'mine', '2']])
})

test('a document’s parameters are guessed from their names, and sent as their schema has them', () => {
  const properties = { order: { type: 'integer' }, table: { type: 'string' }, columns: { type: 'array' }, draft: { type: 'boolean' } }
  const asked = { params: { properties, required: ['order'] } }
  const guessed = guessParameters(asked, { table: 'orders', key: '7', keyColumn: 'id', title: 'name' })
  expect(guessed).toEqual({ order: '7', table: 'orders', columns: 'name' })
  expect(readParameters(asked, { order: '7', table: '', columns: 'name, city', draft: 'true' })).toEqual({
    order: 7,
    columns: ['name', 'city'],
    draft: true,
  })
})
