import type { ColumnTypeName } from '../../tables/column-types'
import { isUnusualDate } from '../../tables/column-types/date'

/** The last year of PostgreSQL's timestamps. */
const lastYear = 294_276

const isInfinite = (text: string): boolean => text === 'infinity' || text === '-infinity'

const isNoNumber = (text: string): boolean => ['NaN', 'Infinity', '-Infinity'].includes(text)

function isUnusualMoment(text: string): boolean {
  const [, day = '', era = ''] =
    /^(\d{4,6}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-]\d{2}:[0-5]\d)( BC)?$/.exec(text) ?? []
  return isUnusualDate(day + era, lastYear)
}

const judges: Partial<Record<ColumnTypeName, (text: string) => boolean>> = {
  date: (text) => isInfinite(text) || isUnusualDate(text),
  dateTime: (text) => isInfinite(text) || isUnusualMoment(text),
  time: (text) => text === '24:00:00',
  decimal: isNoNumber,
  float: isNoNumber,
}

/**
 * Whether an adopted table may have this key although Rowhouse would not store it. The usual example is `valid_to =
 * 'infinity'` of a temporal table.
 */
export const isUnusualKey = (type: ColumnTypeName, text: string): boolean => judges[type]?.(text) ?? false
