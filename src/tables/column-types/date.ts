import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'

/** RFC 3339 full-date, of a day that exists. */
export const isDate = (text: string): boolean => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (!year || year === '0000') return false
  const date = new Date(`${text}T00:00:00Z`)
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
}

export const date: ColumnTypeDefinition = {
  description: 'A day: YYYY-MM-DD.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'date',
  problem: (value) => (typeof value === 'string' && isDate(value) ? null : 'must be a day in the form YYYY-MM-DD'),
}
