import { expect, test } from 'bun:test'
import { DecimalSum, roundAverage } from '../../src/web/browser/values/decimal-sum'

const statisticsOf = (...texts: string[]) => {
  const sum = new DecimalSum()
  for (const text of texts) sum.add(text)
  return sum.statistics
}

test('numbers are added with all their digits', () => {
  expect(statisticsOf()).toBeNull()
  expect(statisticsOf('1', '2.50', '-0.5')).toEqual({ count: 3, sum: '3.00', average: '1.00', min: '-0.5', max: '2.50' })
  expect(statisticsOf('12345678901234567890.12', '0.01')?.sum).toBe('12345678901234567890.13')
  expect(statisticsOf('9007199254740993', '9007199254740992')).toMatchObject({ min: '9007199254740992', max: '9007199254740993' })
  expect(statisticsOf('-0.25', '0.25')).toMatchObject({ sum: '0.00', average: '0.00' })
  expect(statisticsOf('-0.05')?.sum).toBe('-0.05')
})

test('an average has two more places than its numbers, without zeros at the end', () => {
  expect(statisticsOf('1', '2')?.average).toBe('1.5')
  expect(statisticsOf('1', '1', '2')?.average).toBe('1.33')
  expect(statisticsOf('1', '2', '2')?.average).toBe('1.67')
  expect(statisticsOf('-1', '-2', '-2')?.average).toBe('-1.67')
  expect(roundAverage('1.6666666666666667', 0)).toBe('1.67')
  expect(roundAverage('2.0000000000000000', 0)).toBe('2')
})

test('what has no exact digits is left out', () => {
  expect(statisticsOf('NaN', '1e400', '3')).toMatchObject({ count: 1, sum: '3' })
})
