import { t } from 'elysia'
import { boundsProblem, boundsProblems, rangeRules } from './bounds'
import type { ColumnTypeDefinition } from './definition'
import { dayOf } from './moments'

/** RFC 3339 full-date, of a day that exists. */
export const isDate = (text: string): boolean => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (!year || year === '0000') return false
  return Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month))
}

/** A day as PostgreSQL writes it that is none of the years 1 to 9999: later, or before Christ. */
export const isUnusualDate = (text: string, lastYear = 5_874_897): boolean => {
  const [, digits, month, day, era] = /^(\d{4,7})-(\d{2})-(\d{2})( BC)?$/.exec(text) ?? []
  const year = Number(digits ?? 0)
  if (year === 0 || year > (era ? 4712 : lastYear)) return false
  // The year 1 BC is the year 0 of the calendar that counts on.
  return Number(day) >= 1 && Number(day) <= daysIn(era ? 1 - year : year, Number(month))
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Of the Gregorian calendar, for all years; 0 where there is no such month. */
const daysIn = (year: number, month: number): number => {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return (monthDays[month - 1] ?? 0) + (isLeap && month === 2 ? 1 : 0)
}

const problem = (value: unknown): string | null =>
  typeof value === 'string' && isDate(value) ? null : 'must be a day in the form YYYY-MM-DD'

const bound = t.Optional(t.String({ maxLength: 10, description: 'YYYY-MM-DD' }))

export const date: ColumnTypeDefinition = {
  description: 'A day: YYYY-MM-DD.',
  options: t.Object({ min: bound, max: bound }, { additionalProperties: false }),
  optionProblems: (options) => boundsProblems(options, problem, (min, max) => min > max),
  sqlType: () => 'date',
  problem: (value, options) => problem(value) ?? boundsProblem(value as string, options, String),
  rules: (value, options) =>
    rangeRules(value, options, 'date', {
      conditions: [`${value} >= '0001-01-01'::date`, `${value} <= '9999-12-31'::date`],
      message: 'must be a day of the years 1 to 9999',
    }),
  valueSchema: () => ({ type: 'string', format: 'date' }),
  editor: 'date',
  conversion: {
    toText: (value) => `to_json(${value}) #>> '{}'`,
    fromText: dayOf,
    expectation: 'must be a day in the form YYYY-MM-DD',
  },
}
