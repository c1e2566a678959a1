import { formatDate, formatMoment } from '../../format'

/** Types whose values stand at the right. */
export const isNumeric = (type: string): boolean => ['integer', 'bigint', 'decimal', 'float', 'autoNumber'].includes(type)

/** A value of a record as a line of text, by the type of its column. */
export function cellText(value: unknown, type: string, words: { yes: string; no: string }): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (typeof value === 'string') {
    // A day has no zone: it is read as one in ours.
    if (type === 'date' && /^\d{4}-\d\d-\d\d$/.test(value)) return formatDate(`${value}T00:00:00`)
    return ['dateTime', 'createdAt', 'updatedAt'].includes(type) ? formatMoment(value) : value
  }
  if (Array.isArray(value)) return value.map((part) => (isNamed(part) ? part.name : cellText(part, '', words))).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A file of an attachment. */
const isNamed = (part: unknown): part is { name: string } =>
  typeof part === 'object' && part !== null && 'name' in part && typeof part.name === 'string'
