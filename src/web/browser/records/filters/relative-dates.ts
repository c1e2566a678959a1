import type { FilterExpression, FilterTerm } from './filter-grammar'

/** Named days in filters. The URL and the saved view contain the name, which is resolved for each request. */
export const relativeDays = { today: 0, yesterday: -1, tomorrow: 1 } as const
export type RelativeDay = keyof typeof relativeDays

/** Periods of the operator “is within”. */
export const relativePeriods = [
  'last_7_days',
  'last_30_days',
  'next_7_days',
  'next_30_days',
  'this_week',
  'last_week',
  'next_week',
  'this_month',
  'last_month',
  'next_month',
  'this_year',
  'last_year',
  'next_year',
] as const
export type RelativePeriod = (typeof relativePeriods)[number]

export const isRelativeDay = (text: string): text is RelativeDay => Object.hasOwn(relativeDays, text)
export const isRelativePeriod = (text: string): text is RelativePeriod => (relativePeriods as readonly string[]).includes(text)

/**
 * The start of a day in the viewer's time zone, in the year of `date` plus `years`. Months count from 0; months and
 * days out of range are carried over.
 */
const startOfDay = (date: Date, years: number, months: number, days: number): Date => {
  const found = new Date(2000, 0, 1)
  found.setFullYear(date.getFullYear() + years, months, days)
  return found
}

const addDays = (date: Date, days: number) => startOfDay(date, 0, date.getMonth(), date.getDate() + days)

/** The first day and the day after the last. @param firstWeekday 1 for Monday to 7 for Sunday */
export function periodRange(period: RelativePeriod, now: Date, firstWeekday: () => number): [from: Date, to: Date] {
  const [which, ...rest] = period.split('_')
  const today = addDays(now, 0)
  if (rest.length === 2) {
    const days = Number(rest[0])
    return which === 'last' ? [addDays(today, 1 - days), addDays(today, 1)] : [today, addDays(today, days)]
  }
  const step = which === 'last' ? -1 : which === 'next' ? 1 : 0
  const month = today.getMonth()
  if (rest[0] === 'year') return [startOfDay(today, step, 0, 1), startOfDay(today, step + 1, 0, 1)]
  if (rest[0] === 'month') return [startOfDay(today, 0, month + step, 1), startOfDay(today, 0, month + step + 1, 1)]
  const since = ((today.getDay() + 7 - (firstWeekday() % 7)) % 7) - step * 7
  return [addDays(today, -since), addDays(today, 7 - since)]
}

const isoDay = (date: Date): string =>
  [String(date.getFullYear()).padStart(4, '0'), String(date.getMonth() + 1).padStart(2, '0'), String(date.getDate()).padStart(2, '0')].join(
    '-',
  )

const plainDay = /^(\d{4})-(\d\d)-(\d\d)$/

function dayMeant(text: string, now: Date): Date | null {
  if (isRelativeDay(text)) return addDays(now, relativeDays[text])
  const [, year, month, date] = plainDay.exec(text) ?? []
  if (year === undefined) return null
  const found = new Date(2000, 0, 1)
  found.setFullYear(Number(year), Number(month) - 1, Number(date))
  return found
}

type Moment = { isTimestamp: boolean; now: Date; firstWeekday: () => number }

/**
 * The filter with days as the API takes them: as dates or, for timestamps, as the instants at which the day begins and
 * ends in the viewer's time zone.
 */
export function resolveDates(term: FilterTerm, moment: Moment): FilterExpression {
  if (typeof term.value !== 'string') return term
  const point = (date: Date) => (moment.isTimestamp ? date.toISOString() : isoDay(date))
  const compare = (operator: string, date: Date): FilterTerm => ({ ...term, isNegated: false, operator, value: point(date) })
  const between = ([from, to]: [Date, Date]): FilterExpression => ({ kind: 'and', items: [compare('gte', from), compare('lt', to)] })
  if (term.operator === 'within') {
    return isRelativePeriod(term.value) ? between(periodRange(term.value, moment.now, moment.firstWeekday)) : term
  }
  const begin = dayMeant(term.value, moment.now)
  if (!begin) return term
  if (!moment.isTimestamp) return { ...term, value: isoDay(begin) }
  const end = addDays(begin, 1)
  switch (term.operator) {
    case 'eq':
      return between([begin, end])
    case 'isdistinct':
      return {
        kind: 'or',
        items: [compare('lt', begin), compare('gte', end), { ...term, isNegated: false, operator: 'is', value: 'null' }],
      }
    case 'neq':
      return { kind: 'or', items: [compare('lt', begin), compare('gte', end)] }
    case 'gt':
      return compare('gte', end)
    case 'lte':
      return compare('lt', end)
    case 'lt':
    case 'gte':
      return compare(term.operator, begin)
    default:
      return term
  }
}

/** The first day of the week of a locale, 1 for Monday to 7 for Sunday; Monday if the browser does not know it. */
export function firstWeekdayOf(locale: string): number {
  const known = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } }
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1
}
