import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readDuration, shiftPoint, writeDuration } from '../../src/tables/units'
import { toJsonNumber, toTypedNumber } from '../../src/web/browser/values/decimal'

describe('a percent', () => {
  test.each([
    ['25', '0.25'],
    ['25%', '0.25'],
    ['12,5 %', '0.125'],
    ['0.5', '0.005'],
    ['-3', '-0.03'],
    ['1,234', '12.34'],
    ['100', '1'],
    ['1e2', '1'],
    ['0', '0'],
    ['a quarter', null],
  ])('%s is %s', (typed, number) => {
    expect(toJsonNumber(typed, '.', 'percent')).toBe(number)
  })

  test('is typed as it is shown, with all its digits', () => {
    expect(toTypedNumber('0.12345678901234567890', '.', 'percent')).toBe('12.345678901234567890%'.replace(/0%$/, '%'))
    expect(toTypedNumber('0.125', ',', 'percent')).toBe('12,5%')
    expect(toTypedNumber('', '.', 'percent')).toBe('')
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 20 }), (units, scale) => {
        const number = shiftPoint(String(units), -scale)
        for (const mark of ['.', ',']) expect(toJsonNumber(toTypedNumber(number, mark, 'percent'), mark, 'percent')).toBe(number)
        expect(shiftPoint(shiftPoint(number, 7), -7)).toBe(number)
      }),
    )
  })
})

describe('a duration', () => {
  test.each([
    ['1:30', '5400'],
    ['1:30:15', '5415'],
    ['0:00:07', '7'],
    ['90', '5400'],
    ['1h 30m', '5400'],
    ['1.5 h', '5400'],
    ['1,5h', '5400'],
    ['45 sec', '45'],
    ['2 hours 5 minutes', '7500'],
    ['-0:30', '-1800'],
    ['-0:00', '0'],
    ['100:00', '360000'],
    ['1:60', null],
    ['1:2:3:4', null],
    ['1h and more', null],
    ['soon', null],
    ['', null],
  ])('%s is %s seconds', (typed, seconds) => {
    expect(readDuration(typed)).toBe(seconds)
  })

  test('comes back as it is shown', () => {
    expect(writeDuration('5400')).toBe('1:30:00')
    expect(writeDuration('-61')).toBe('-0:01:01')
    // An average may have a fraction.
    expect(writeDuration('90.6')).toBe('0:01:31')
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), (seconds) => {
        expect(readDuration(writeDuration(String(seconds)))).toBe(String(seconds))
      }),
    )
  })
})
