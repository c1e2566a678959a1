import { t } from 'elysia'
import { isDate } from './date'
import type { ColumnTypeDefinition } from './definition'

/** RFC 3339 date-time. The offset is required: without it nobody knows which moment is meant. */
const isDateTime = (text: string): boolean => {
  const [, day = '', hour = '', minute = '', second = '', fraction = '0', offset = ''] =
    /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/i.exec(text) ?? []
  const isTime = isDate(day) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
  const microseconds = Math.round(Number(`0.${fraction}`) * 1e6)
  return isTime && isShown(Date.parse(`${day}T${hour}:${minute}:${second}${offset.toUpperCase()}`) + microseconds / 1000)
}

/** Within the years 1 to 9999 of UTC, as RFC 3339 can write no others. */
const isShown = (ms: number): boolean => ms >= Date.parse('0001-01-01T00:00:00Z') && ms < Date.parse('+010000-01-01T00:00:00Z')

export const dateTime: ColumnTypeDefinition = {
  description: 'A moment: RFC 3339 with an offset, as 2026-01-31T12:00:00Z. Kept to the microsecond, shown in UTC.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'timestamptz',
  problem: (value) => (typeof value === 'string' && isDateTime(value) ? null : 'must be a moment with an offset, as 2026-01-31T12:00:00Z'),
}
