import { literal } from '../../tables/sql-text'
import { isShownOnce } from '../clock-sql'

const clock = '[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?(?: ?[AaPp][Mm])?'
const localTime = `[0-9]{4,}-[0-9]{2}-[0-9]{2}(?:[T ]${clock})?(?: BC)?`

/** SQL: a cell → the cell with the zone appended, if it is a day or a local time. Other cells stay unchanged. */
export const withZone = (cell: string, zone: string): string =>
  `pg_catalog.regexp_replace(${cell}, ${literal(`^ *(${localTime}) *$`)}, ${literal(`\\1 ${zone}`)})`

const offset = ':[0-9.]+ ?[-+][0-9]{1,2}(:?[0-9]{2}){0,2}( BC)?$'
/** `T`, `PM` and `BC` are not zones. */
const zone = '[0-9 ](?!T[0-9]|([AaPp][Mm])?( ?BC)?$)[A-Za-z][A-Za-z0-9_+/-]*$'

const matching = (cell: string, pattern: string) => `pg_catalog.btrim(${cell}) ~ ${literal(pattern)}`

/** SQL: whether the text of a timestamp has an offset or a zone. */
export const tellsZone = (cell: string): string => matching(cell, `${offset}|${zone}`)

/** SQL: whether a text is an unambiguous timestamp. */
export const hasOffset = (cell: string): string => matching(cell, `${offset}|${zone}|^-?infinity$`)

const zoned = `^${localTime} (?!BC$)[A-Za-z][A-Za-z0-9_+/-]+$`

/**
 * SQL: whether a text that PostgreSQL reads as a timestamp is exactly one: clocks may show that time twice, or never.
 */
export const isOneMoment = (cell: string): string =>
  `case when ${cell} ~ ${literal(zoned)} then ${isShownOnce(`${cell}::timestamptz`, `${cell}::timestamp`, `pg_catalog.substring(${cell}, ' ([^ ]+)$')`)} else true end`
