import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../../src/errors'
import { queryLimits } from '../../../../src/records/query/parse/limits'
import { parseQuery, type QueryDialect } from '../../../../src/records/query/parse/query'
import { printQuery } from '../../../../src/records/query/print'
import { recordQuery } from '../../../support/arbitrary-query'

const dialects: QueryDialect[] = ['native', 'postgrest']
const written = (pairs: readonly (readonly [string, string])[]) => pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')

test('what is printed is read again as the same tree', () => {
  fc.assert(
    fc.property(recordQuery, fc.constantFrom(...dialects), (query, dialect) => {
      // NUL is refused: PostgreSQL has no text with it.
      fc.pre(!JSON.stringify(query).includes('\\u0000'))
      const pairs = printQuery(query)
      const isSmall = written(pairs).length <= queryLimits.length
      expect(parseQuery(isSmall ? `?${written(pairs)}` : pairs, dialect)).toEqual(query)
    }),
    { numRuns: 1000 },
  )
})

const pieces = [
  ...[
    'select',
    'order',
    'and',
    'or',
    'not',
    'author',
    'id',
    'limit',
    'eq',
    'in',
    'is',
    'fts',
    'any',
    'null',
    'desc',
    'inner',
    'count',
    'sum',
  ],
  ...[
    '.',
    ',',
    '(',
    ')',
    '"',
    '\\',
    '->',
    '->>',
    '::',
    ':',
    '!',
    '...',
    '*',
    '{',
    '}',
    '=',
    '&',
    '%',
    '+',
    ' ',
    '0',
    '-1',
    '𝄞',
    '%00',
    '%ff',
  ],
]
const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''))
const search = fc.oneof(
  soup,
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.tuple(fc.constantFrom('select', 'order', 'or', 'a'), soup).map((pair) => pair.join('=')),
)

function outcome(text: string, dialect: QueryDialect): Failure | undefined {
  try {
    parseQuery(text, dialect)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

test('any text is a query or a clear refusal', () => {
  fc.assert(
    fc.property(search, fc.constantFrom(...dialects), (text, dialect) => {
      const failure = outcome(text, dialect)
      if (!failure) return
      expect(failure.kind).toBe('invalid_request')
      expect(failure.message).toMatch(/\.$/)
    }),
    { numRuns: 5000 },
  )
})

test('a refusal never repeats the value of a filter', () => {
  fc.assert(
    fc.property(soup, soup, fc.constantFrom('a', 'or', 'and', 'limit'), (before, after, parameter) => {
      const value = `${before}s3cret${after}`.replaceAll('&', '')
      const failure = outcome(`${parameter}=${value}`, 'postgrest')
      expect(JSON.stringify(failure ? [failure.message, failure.extras] : [])).not.toContain('s3cret')
    }),
    { numRuns: 2000 },
  )
})

/** Texts of which a careless parser reads the same part again and again. */
const hostile: [string, (size: number) => string][] = [
  ['quotation marks', (size) => `a=in.(${'"'.repeat(size)}`],
  ['quotations that go on', (size) => `a=in.(${'"a"b,'.repeat(size / 5)})`],
  ['escapes', (size) => `a=in.("${'\\"'.repeat(size / 2)}`],
  ['open arrays', (size) => `or=(${'a.eq.{,'.repeat(size / 7)}`],
  ['dashes', (size) => `${'a-'.repeat(size / 2)}=eq.1`],
  ['blanks', (size) => `select=${' '.repeat(size)}!`],
  ['blanks before commas', (size) => `order=${`a${' '.repeat(50)},`.repeat(size / 52)}`],
  ['arrows', (size) => `select=a${'->b'.repeat(size / 3)}`],
  ['groups', (size) => `or=${'(or'.repeat(size / 3)}`],
  ['negations', (size) => `or=(${'not.'.repeat(size / 4)}`],
  ['percents', (size) => `a=eq.${'%'.repeat(size)}`],
  ['digits', (size) => `select=a->${'1'.repeat(size)}x`],
  ['a long name', (size) => `${'a'.repeat(size)}=eq.1`],
]

test.each(hostile)('%s take time by their number, not by its square', (_what, text) => {
  const longest = text(queryLimits.length - 20)
  // Processor time, which other programs do not lengthen. A millisecond would be slow already; a square of 32 768 would
  // be a second.
  const rounds = Array.from({ length: 10 }, () => {
    const before = process.cpuUsage()
    outcome(longest, 'native')
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  expect(Math.min(...rounds)).toBeLessThan(50)
})
