import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toJsonNumber } from '../../src/web/browser/values/decimal'
import { dateInputType, normalizeDate, toLocalTimestamp, toUtcTimestamp } from '../../src/web/browser/values/timestamps'

describe('a moment', () => {
  test.each(['infinity', '-infinity', '0044-03-15T12:00:00+00:00 BC', '12026-01-01T00:00:00+00:00', '2026-01-31T11:00:00.123456+00:00'])(
    '%s is no matter for a control of the browser, and stays as it is',
    (text) => {
      expect(toLocalTimestamp(text)).toBe(text)
      expect(dateInputType('dateTime', text)).toBeUndefined()
      expect(toUtcTimestamp(text)).toBe(text)
    },
  )

  test('to the millisecond goes through a control and back', () => {
    const moments = fc.date({ min: new Date('0001-01-03T00:00:00Z'), max: new Date('9999-12-29T00:00:00Z'), noInvalidDate: true })
    fc.assert(
      fc.property(moments, (moment) => {
        const local = toLocalTimestamp(moment.toISOString())
        expect(dateInputType('dateTime', local)).toBe('datetime-local')
        expect(toUtcTimestamp(local)).toBe(moment.toISOString())
      }),
    )
  })

  test.each([
    ['2026-02-30', '2026-02-30'],
    ['2026-02-30 10:00', '2026-02-30 10:00'],
    ['next week', 'next week'],
    ['2026-07-01T10:00:00Z', '2026-07-01T10:00:00Z'],
  ])('that is none, or has its offset, is sent as it was typed: %s', (typed, sent) => {
    expect(toUtcTimestamp(typed)).toBe(sent)
  })

  test('keeps the digits of its second', () => {
    expect(toUtcTimestamp('2026-07-01 12:30:15.2501')).toEndWith(':15.2501Z')
    expect(toUtcTimestamp('2026-07-01 12:30:15.25')).toEndWith(':15.250Z')
  })
})

test.each([
  ['1 234,5', ',', '1234.5'],
  ['\u22125', '.', '-5'],
  ['-.5', '.', '-0.5'],
  ['007', '.', '7'],
  ['1.234,5', ',', null],
  ['1,5', '.', null],
  ['5.', '.', null],
  ['NaN', '.', null],
])('the number %p with the mark %p is %p', (typed, mark, text) => {
  expect(toJsonNumber(typed, mark)).toBe(text)
})

test.each([
  ['31.1.2026', true, '2026-01-31'],
  ['1/31/2026', true, '2026-01-31'],
  ['31/01/2026', false, '2026-01-31'],
  ['31.01.2026 8:30', false, '2026-01-31 8:30'],
  ['1/31/2026, 8:30', true, '2026-01-31 8:30'],
  ['1.31/2026', true, '1.31/2026'],
  ['31.1.26', false, '31.1.26'],
  ['2026-01-31', false, '2026-01-31'],
])('the day %p (month first: %p) is %p', (typed, isMonthFirst, text) => {
  expect(normalizeDate(typed, isMonthFirst)).toBe(text)
})
