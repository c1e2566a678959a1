import { t } from 'elysia'
import { type Message, translatable } from '../../messages/message'
import { literal } from '../sql-text'
import type { ColumnTypeDefinition } from './definition'
import { boundsProblem, boundsProblems, rangeRules } from './options/bounds'
import { dateFormat } from './options/display'

/** RFC 3339 full-date, of a day that exists. */
export const isDate = (text: string): boolean => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (!year || year === '0000') return false
  return Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month))
}

/** A day in PostgreSQL's notation outside the years 1 to 9999: a later one, or one before Christ. */
export const isUnusualDate = (text: string, lastYear = 5_874_897): boolean => {
  const [, digits, month, day, era] = /^(\d{4,7})-(\d{2})-(\d{2})( BC)?$/.exec(text) ?? []
  const year = Number(digits ?? 0)
  if (year === 0 || year > (era ? 4712 : lastYear)) return false
  // The year 1 BC is the astronomical year 0.
  return Number(day) >= 1 && Number(day) <= daysIn(era ? 1 - year : year, Number(month))
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The number of days in a month of the Gregorian calendar, for all years; 0 if there is no such month. */
const daysIn = (year: number, month: number): number => {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return (monthDays[month - 1] ?? 0) + (isLeap && month === 2 ? 1 : 0)
}

const day = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const time = '[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?'
const offset = '(Z|z|[-+][0-9]{2}(:?[0-9]{2})?)'

const matches = (text: string, pattern: string) => `btrim(${text}) ~ ${literal(`^${pattern}$`)}`

/** `31.01.2026` is unambiguous; `01/02/2026` is not. PostgreSQL would also accept "tomorrow". */
const dotted = (text: string) => `regexp_replace(btrim(${text}), '^([0-9]{1,2})[.]([0-9]{1,2})[.]([0-9]{4})$', ${literal('\\3-\\2-\\1')})`

/** SQL: a text → a text in the form of a day (YYYY-MM-DD), for a moment its day in UTC; else null. */
const dayOf = (text: string): string => `case when ${matches(text, day)} then btrim(${text})
  when ${matches(text, '[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}')} then ${dotted(text)}
  when ${matches(text, `${day}[T ]${time} ?${offset}?`)} then case when rowhouse.can_cast(${inUtc(text)}, 'timestamptz')
    then to_json((${inUtc(text)}::timestamptz at time zone 'UTC')::date) #>> '{}' end end`

/** A time without an offset is in UTC. */
const inUtc = (text: string) => `(btrim(${text}) || case when ${matches(text, `.*:.*${offset}`)} then '' else 'Z' end)`

/** SQL: a text → a text in the form of a moment with its offset, for a day its first moment in UTC; else null. */
export const timestampOf = (text: string): string => `case when ${matches(text, `${day}[T ]${time} ?${offset}?`)} then ${inUtc(text)}
  when ${matches(text, day)} then btrim(${text}) || 'T00:00:00Z'
  when ${matches(text, '[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}')} then ${dotted(text)} || 'T00:00:00Z' end`

/** SQL: a text → a text in the form of a time of day; else null. */
export const timeOf = (text: string): string => `case when ${matches(text, time)} then btrim(${text}) end`

const dateProblem = (value: unknown): Message | null =>
  typeof value === 'string' && isDate(value) ? null : translatable('must be a day in the form YYYY-MM-DD')

const bound = t.Optional(t.String({ maxLength: 10, description: 'YYYY-MM-DD' }))

export const date: ColumnTypeDefinition = {
  description: 'A day: YYYY-MM-DD.',
  options: t.Object({ min: bound, max: bound, dateFormat }, { additionalProperties: false }),
  optionProblems: (options) => boundsProblems(options, dateProblem, (min, max) => min > max),
  sqlType: () => 'date',
  problem: (value, options) => dateProblem(value) ?? boundsProblem(value as string, options, String),
  rules: (value, options) =>
    rangeRules(value, options, 'date', {
      conditions: [`${value} >= '0001-01-01'::date`, `${value} <= '9999-12-31'::date`],
      message: translatable('must be a day in the years 1 to 9999'),
    }),
  valueSchema: () => ({ type: 'string', format: 'date' }),
  conversion: {
    toText: (value) => `to_json(${value}) #>> '{}'`,
    fromText: dayOf,
    expectation: translatable('must be a day in the form YYYY-MM-DD'),
  },
}
