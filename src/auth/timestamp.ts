import { translatable } from '../messages/message'

/** Elysia's own `date-time` also accepts a date without a time. */
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/**
 * Whether a text is an existing timestamp in RFC 3339 form, in UTC within the years 1 to 9999. JavaScript reads 31
 * February as a day in March; neither it nor PostgreSQL knows leap seconds or a year 0.
 */
export function isTimestamp(text: string): boolean {
  if (!rfc3339.test(text) || text.startsWith('0000') || Number.isNaN(Date.parse(text))) return false
  const day = text.slice(0, 10)
  return new Date(day).toISOString().startsWith(day) && /^(?!0000)\d{4}-/.test(new Date(text).toISOString())
}

export const notATimestamp = translatable(
  'This is not an RFC 3339 timestamp with an offset from UTC, such as 2030-01-31T12:00:00Z or 2030-01-31T12:00:00+01:00.',
)
