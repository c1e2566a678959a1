import { translatable } from '../messages/message'

/** Elysia's own `date-time` takes a day for a time too. */
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/**
 * Whether text is a moment as in RFC 3339 that there is. JavaScript takes 31 February for a day in March; it and
 * PostgreSQL know no leap second and no year 0.
 */
export function isTimestamp(text: string): boolean {
  if (!rfc3339.test(text) || text.startsWith('0000') || Number.isNaN(Date.parse(text))) return false
  const day = text.slice(0, 10)
  return new Date(day).toISOString().startsWith(day)
}

export const notATimestamp = translatable(
  'This is no time as in RFC 3339 with its offset from UTC, such as 2030-01-31T12:00:00Z or 2030-01-31T12:00:00+01:00.',
)
