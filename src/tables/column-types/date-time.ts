import { t } from 'elysia'
import { type Message, translatable } from '../../messages/message'
import { isDate, timestampOf } from './date'
import type { ColumnTypeDefinition } from './definition'
import { boundsProblem, boundsProblems, rangeRules } from './options/bounds'
import { dateFormat, timeFormat } from './options/display'

/** RFC 3339 date-time. The offset is required: without it the moment would be ambiguous. */
const isDateTime = (text: string): boolean => {
  const [, day = '', hour = '', minute = '', second = '', fraction = '0', offset = ''] =
    /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/i.exec(text) ?? []
  const isTime = isDate(day) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
  const isRoundedUp = Math.round(Number(`0.${fraction}`) * 1e6) === 1e6
  return isTime && isShown(Date.parse(`${day}T${hour}:${minute}:${second}${offset.toUpperCase()}`) + (isRoundedUp ? 1000 : 0))
}

const earliestMs = Date.parse('0001-01-01T00:00:00Z')
const endMs = Date.parse('+010000-01-01T00:00:00Z')

/**
 * Within the years 1 to 9999 of UTC, since RFC 3339 cannot represent others. Whole seconds are enough for the check,
 * and a number represents them exactly.
 */
const isShown = (ms: number): boolean => ms >= earliestMs && ms < endMs

const dateTimeProblem = (value: unknown): Message | null =>
  typeof value === 'string' && isDateTime(value) ? null : translatable('must be a timestamp with an offset, such as 2026-01-31T12:00:00Z')

/** To the millisecond; PostgreSQL checks the exact value. */
const milliseconds = (moment: string | number): number => Date.parse(String(moment).toUpperCase())

const bound = t.Optional(t.String({ maxLength: 40, description: 'RFC 3339 with an offset.' }))

const toUtcText = (value: string): string => `(to_json(${value} at time zone 'UTC') #>> '{}') || 'Z'`

export const dateTime: ColumnTypeDefinition = {
  description: 'A moment: RFC 3339 with an offset, as 2026-01-31T12:00:00Z. Kept to the microsecond, shown in UTC.',
  options: t.Object({ min: bound, max: bound, dateFormat, timeFormat }, { additionalProperties: false }),
  optionProblems: (options) => boundsProblems(options, dateTimeProblem, (min, max) => milliseconds(min) > milliseconds(max)),
  sqlType: () => 'timestamptz',
  problem: (value, options) => dateTimeProblem(value) ?? boundsProblem(milliseconds(value as string), options, milliseconds),
  rules: (value, options) =>
    rangeRules(value, options, 'timestamptz', {
      conditions: [`${value} >= '0001-01-01T00:00:00Z'::timestamptz`, `${value} < '10000-01-01T00:00:00Z'::timestamptz`],
      message: translatable('must be a timestamp in the years 1 to 9999'),
    }),
  valueSchema: () => ({ type: 'string', format: 'date-time' }),
  conversion: { toText: toUtcText, fromText: timestampOf, expectation: translatable('must be a timestamp, such as 2026-01-31T12:00:00Z') },
}

/** A moment that the database fills in. */
const stamp = (description: string): ColumnTypeDefinition => ({
  description,
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'timestamptz',
  problem: () => translatable('is filled in by the database'),
  valueSchema: () => ({ type: 'string', format: 'date-time', readOnly: true }),
  fixedDefault: 'now()',
  conversion: { toText: toUtcText, expectation: null },
})

export const createdAt = stamp('The moment at which the record was made.')

export const updatedAt = stamp('The moment of the record’s last change, also outside of Rowhouse: a trigger sets it.')
