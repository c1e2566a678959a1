import { literal } from '../sql-text'

/** As JSON writes numbers, a little looser. PostgreSQL itself would read 0x1F and 1_000, too. */
const numberPattern = '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$'

/**
 * SQL: a text that is a number → its digits without exponent and without zeros at the end, else null.
 * So 12.00 is the whole number that it is, and 12.5 is none.
 */
export const plainNumber = (text: string): string =>
  `case when btrim(${text}) ~ ${literal(numberPattern)} then trim_scale(btrim(${text})::numeric)::text end`
