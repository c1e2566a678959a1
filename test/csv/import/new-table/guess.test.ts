import { expect, test } from 'bun:test'
import { guessKey, guessType, heldType, needsTimeZone } from '../../../../src/csv/import/new-table/guess'

test.each([
  [['1', '', '-20'], 'integer'],
  [['1', '2147483648'], 'bigint'],
  [['1', '9223372036854775808'], 'decimal'],
  [['1.5', '2'], 'decimal'],
  [['007', '1'], 'text'],
  [['+49 30 1', '1'], 'text'],
  [['true', 'No', ''], 'boolean'],
  [['0', '1'], 'integer'],
  [['2026-02-03'], 'date'],
  [['2026-02-30'], 'text'],
  [['03.04.2026'], 'text'],
  [['2026-02-03T04:05:06Z', '2026-02-03 04:05+01'], 'dateTime'],
  [['2026-02-03T04:05:06Z', '2026-02-03 04:05'], 'text'],
  [['04:05'], 'time'],
  [['0198c3d0-7a1b-7cde-8f00-0123456789ab'], 'uuid'],
  [['ada@example.org', ''], 'email'],
  [['https://example.org/'], 'url'],
  [['{"a":1}', '[]'], 'json'],
  [['', ''], 'text'],
  [['one\ntwo'], 'longText'],
  [['NaN', '1'], 'text'],
  [['-0', '1'], 'text'],
  [['-0.0', '1'], 'text'],
  [['-0.5', '1'], 'decimal'],
  [['2026-02-03T04:05:06.1234567Z'], 'text'],
  [['2026-02-03T04:05+16:00'], 'text'],
  [['24:00'], 'text'],
] as const)('%j is %s', (values, type) => {
  expect(guessType(values).type).toBe(type)
})

test('a few words that come back are choices', () => {
  const values = Array.from({ length: 40 }, (_, index) => ['open', 'done', ''][index % 3]!)
  expect(guessType(values)).toEqual({ type: 'select', options: { choices: ['done', 'open'] } })
  expect(guessType(Array.from({ length: 40 }, (_, index) => `word ${index % 13}`)).type).toBe('text')
})

test.each([
  ['integer', 'decimal', 'decimal'],
  ['bigint', 'integer', 'bigint'],
  ['integer', 'select', 'text'],
  ['date', 'dateTime', 'text'],
  ['percent', 'decimal', 'text'],
  ['select', 'longText', 'text'],
  ['time', 'time', 'time'],
] as const)('what is %s at first and %s in all is %s', (first, all, type) => {
  expect(heldType(first, all)).toBe(type)
})

test('a key has every record, and each another one', () => {
  expect(guessKey(['1', '2'])).toBe('bigint')
  expect(guessKey(['1', '1'])).toBeNull()
  expect(guessKey(['1', ''])).toBeNull()
  expect(guessKey(['a', 'b'])).toBeNull()
  expect(guessKey([])).toBeNull()
  expect(guessKey(['0198c3d0-7a1b-7cde-8f00-0123456789ab'])).toBe('uuid')
})

test.each<[string[], string | undefined, string]>([
  [['2026-02-03 04:05', '2026-02-03'], 'Europe/Berlin', 'dateTime'],
  [['2026-02-03 04:05', '2026-02-03T04:05Z'], 'Europe/Berlin', 'dateTime'],
  [['2026-02-03 04:05'], undefined, 'text'],
  [['2026-02-03'], 'Europe/Berlin', 'date'],
])('%j in the zone %s is %s', (values, timezone, type) => {
  expect(guessType(values, { timezone }).type).toBe(type as never)
  expect(needsTimeZone(values, { timezone })).toBe(timezone === undefined && type === 'text')
})

test.each<[string[], 'point' | 'comma' | undefined, object]>([
  [['5%', '12.5 %', ''], 'point', { type: 'percent' }],
  [['5 %', '12,5%'], 'comma', { type: 'percent' }],
  [['5%', '7'], 'point', { type: 'text' }],
  [['1.234,50 €', '99,90 €'], 'comma', { type: 'currency', options: { currency: 'EUR' } }],
  [['$1,234.50', '-$5'], 'point', { type: 'currency', options: { currency: 'USD' } }],
  [['CHF 5.00', '7.50 CHF'], 'point', { type: 'currency', options: { currency: 'CHF' } }],
  [['$5', 'CA$5'], 'point', { type: 'text' }],
  [['5 kr', '7 kr'], 'point', { type: 'text' }],
  [['€5', '£5'], 'point', { type: 'text' }],
  [['€5', 'free'], 'point', { type: 'text' }],
])('%j with a %s is %j', (values, decimals, guess) => {
  expect(guessType(values, decimals ? { decimals } : {})).toEqual(guess as never)
})

test.each(['Total', '5 x', '(5', '5'])('blanks before and after %s take no time', (text) => {
  const blanks = ' '.repeat(5000)
  const type = text === '5' ? 'integer' : 'longText'
  expect(guessType([`${blanks}${text}${blanks}`], { decimals: 'point', dates: 'dmy' })).toEqual({ type } as never)
})

test('a long cell of digits and blanks takes no time', () => {
  expect(guessType([`${'1 '.repeat(200_000)}.`], { decimals: 'point', dates: 'dmy' })).toEqual({ type: 'longText' })
})
