import { describe, expect, test } from 'bun:test'
import { periodRange, resolveDates } from '../../../src/web/browser/records/filters/relative-dates'

const days = (range: [Date, Date]) => range.map((date) => date.toDateString())
const day = (year: number, month: number, date: number) => new Date(year, month - 1, date).toDateString()

describe('a period', () => {
  const friday = new Date(2026, 0, 2, 15, 30)

  test.each([
    ['last_7_days', [2025, 12, 27], [2026, 1, 3]],
    ['next_30_days', [2026, 1, 2], [2026, 2, 1]],
    ['this_week', [2025, 12, 29], [2026, 1, 5]],
    ['last_week', [2025, 12, 22], [2025, 12, 29]],
    ['next_week', [2026, 1, 5], [2026, 1, 12]],
    ['this_month', [2026, 1, 1], [2026, 2, 1]],
    ['last_month', [2025, 12, 1], [2026, 1, 1]],
    ['this_year', [2026, 1, 1], [2027, 1, 1]],
    ['last_year', [2025, 1, 1], [2026, 1, 1]],
  ] as const)('%s', (period, from, to) => {
    expect(days(periodRange(period, friday, () => 1))).toEqual([
      day(...(from as [number, number, number])),
      day(...(to as [number, number, number])),
    ])
  })

  test('of a week begins on the day of the locale, also on that day', () => {
    expect(days(periodRange('this_week', friday, () => 7))).toEqual([day(2025, 12, 28), day(2026, 1, 4)])
    expect(days(periodRange('this_week', new Date(2026, 0, 4), () => 7))).toEqual([day(2026, 1, 4), day(2026, 1, 11)])
    expect(days(periodRange('this_week', new Date(2026, 0, 4), () => 1))).toEqual([day(2025, 12, 29), day(2026, 1, 5)])
  })

  test('of months does not depend on how long they are', () => {
    expect(days(periodRange('last_month', new Date(2026, 2, 31), () => 1))).toEqual([day(2026, 2, 1), day(2026, 3, 1)])
  })
})

test('a timestamp is compared with the ends of a day, and an instant with itself', () => {
  const resolve = (operator: string, value: string) =>
    resolveDates(
      { kind: 'term', column: 'at', isNegated: false, operator, value },
      { isTimestamp: true, now: new Date(2026, 4, 5, 9), firstWeekday: () => 1 },
    )
  const at = (date: number) => new Date(2026, 4, date).toISOString()
  expect(resolve('lte', 'today')).toMatchObject({ operator: 'lt', value: at(6) })
  expect(resolve('gt', '2026-05-04')).toMatchObject({ operator: 'gte', value: at(5) })
  expect(resolve('isdistinct', 'tomorrow')).toMatchObject({
    kind: 'or',
    items: [{ operator: 'lt', value: at(6) }, { operator: 'gte', value: at(7) }, { operator: 'is' }],
  })
  expect(resolve('gt', '2026-05-04T10:00:00Z')).toMatchObject({ operator: 'gt', value: '2026-05-04T10:00:00Z' })
})
