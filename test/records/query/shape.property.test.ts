import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Pair } from '../../../src/records/query/parse/pairs'
import { shapeOf } from '../../../src/records/query/shape'

/** Texts that look like the ends of others: digits, colons, stars and dots. */
const text = fc.string({ unit: fc.constantFrom('1', '2', ':', '*', '.', 'e', 'q', 'a', 'eq.', 'not.', '\u0001'), maxLength: 6 })
const value = fc.oneof(
  text,
  fc.tuple(fc.constantFrom('eq.', 'not.eq.', 'gte.', 'ilike.'), text).map((parts) => parts.join('')),
)
const pairs = fc.array(fc.tuple(text, value), { maxLength: 4 })

const filter = /^((?:not\.)?(?:eq|neq|gte?|lte?|i?like|i?match)\.)[\s\S]*$/
/** What a shape is to tell apart, as data. */
const structure = (query: readonly Pair[]) =>
  JSON.stringify(query.map(([name, value]) => [name, filter.exec(value)?.[1] ?? null, filter.test(value) ? '' : value]))

test('two queries have one key if and only if they differ in the values of plain filters alone', () => {
  fc.assert(
    fc.property(pairs, pairs, (one, other) => {
      expect(shapeOf(one).key === shapeOf(other).key).toBe(structure(one) === structure(other))
    }),
    { numRuns: 20_000 },
  )
})

test('with other values a query has the same key, and these values', () => {
  fc.assert(
    fc.property(pairs, fc.array(text, { minLength: 4, maxLength: 4 }), (query, values) => {
      let used = 0
      const changed = query.map(([name, value]): Pair => {
        const operator = filter.exec(value)?.[1]
        return [name, operator === undefined ? value : operator + values[used++]]
      })
      const shape = shapeOf(changed)
      expect(shape.key).toBe(shapeOf(query).key)
      expect(shape.values.map((each) => each.text)).toEqual(values.slice(0, used))
    }),
  )
})

test('a credential in the query is no part of its shape', () => {
  const isCredential = (name: string) => name === 'token'
  const query: Pair[] = [['age', 'gt.5']]
  expect(shapeOf([['token', 'eq.secret'], ...query], isCredential).key).toBe(shapeOf(query).key)
  expect(shapeOf([['token', 'secret'], ...query], isCredential).values.map(({ place }) => place)).toEqual([1])
})
