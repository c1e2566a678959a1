import { currencyPattern, type DateOrder, type DecimalMark } from './notation'
import { literal } from './sql-text'

/** Each step encloses the previous one. All patterns are anchored, so each replaces at most once. */
const replaced = (cell: string, steps: readonly (readonly [pattern: string, by: string])[]): string =>
  steps.reduce((text, [pattern, by]) => `pg_catalog.regexp_replace(${text}, ${literal(pattern)}, ${literal(by)})`, cell)

const more = (digits: number, times: number) => `(?:\\2([0-9]{${digits}}))?`.repeat(times)

/**
 * Groups of thousands or, as in India, of hundreds before the last three digits; up to 18 digits. Other forms keep
 * their marks.
 */
const grouped = (mark: string) => `^([-+]?[1-9][0-9]{0,2})(${mark})([0-9]{3})${more(3, 4)}(?![0-9])`
const groupedByHundreds = (mark: string) => `^([-+]?[1-9][0-9]?)(${mark})([0-9]{2})${more(2, 4)}\\2([0-9]{3})(?![0-9])`

/** SQL: replaces the blanks, apostrophes and minus signs of typesetting by the ones that a keyboard has. */
const typed = (cell: string) => `pg_catalog.translate(${cell}, ${literal('\u00a0\u202f\u2009\t’\u2212')}, ${literal("    '-")})`

/** A percent sign before or after the digits → an exponent. */
const percentSign = [
  ['^([-+]?) *% *(.*[0-9])$', '\\1\\2%'],
  ['([0-9]) *%$', '\\1e-2'],
] as const

/** SQL: a number with a point and no thousands separators, and perhaps a percent sign → as `plainAmount`. */
export const plainPercent = (cell: string): string => replaced(`pg_catalog.btrim(${typed(cell)})`, percentSign)

/**
 * SQL: an amount as people write it → digits with a point, and `e-2` for a percent sign; other texts remain invalid as
 * numbers.
 */
export function plainAmount(cell: string, decimals: DecimalMark): string {
  const [mark, other] = decimals === 'comma' ? [',', '[.]'] : ['[.]', ',']
  return replaced(typed(cell), [
    ['^ *[(](.*)[)] *$', '-\\1'],
    [`^ *([-+]?) *${currencyPattern}? *([-+]?)(?=[0-9.,])`, '\\1\\2'],
    [`([0-9%]) *${currencyPattern}? *$`, '\\1'],
    ...percentSign,
    [grouped(`${other}|[ ']`), '\\1\\3\\4\\5\\6\\7'],
    ...(decimals === 'point' ? [[groupedByHundreds(other), '\\1\\3\\4\\5\\6\\7\\8'] as const] : []),
    // A remaining mark of the other kind does not begin a group of thousands.
    [`^([-+]?[0-9]*)${other}`, '?\\1'],
    [`^([-+]?[0-9]*)${mark}([0-9])`, '\\1.\\2'],
  ])
}

/** SQL: a numeric date → the same in ISO order. Years of two digits mean 1930 to 2029, as in spreadsheets. */
export function plainDate(cell: string, order: DateOrder): string {
  const short = (century: string, decades: string) =>
    [`^([0-9]{1,2})([-./])([0-9]{1,2})\\2(${decades}[0-9])(?![0-9])`, `\\1\\2\\3\\2${century}\\4`] as const
  const long = '^([0-9]{1,2})([-./])([0-9]{1,2})\\2([0-9]{4})(?![0-9])'
  return replaced(`pg_catalog.btrim(${cell})`, [
    ...(order === 'ymd'
      ? []
      : [short('19', '[3-9]'), short('20', '[0-2]'), [long, order === 'dmy' ? '\\4-0\\3-0\\1' : '\\4-0\\1-0\\3'] as const]),
    ['^([0-9]{4})([-./])([0-9]{1,2})\\2([0-9]{1,2})(?![0-9])', '\\1-0\\3-0\\4'],
    ['^([0-9]{4})-0{0,2}([0-9]{2})-0{0,2}([0-9]{2})(?![0-9])', '\\1-\\2-\\3'],
    ['^([0-9]{4}-[0-9]{2}-[0-9]{2})[ ,T]+0?0:00(:00([.]0+)?)?$', '\\1'],
    ['^([0-9]{4}-[0-9]{2}-[0-9]{2})(, *|  +)', '\\1 '],
  ])
}
