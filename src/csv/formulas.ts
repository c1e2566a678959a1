import { concat, operator } from '../db/search-path'
import { familyOf } from '../records/query/type-families'

/** Numbers, timestamps and the like cannot be formulas: `-5` in a column of numbers stays unchanged. */
export const canHoldFormula = (sqlType: string): boolean => !['number', 'boolean', 'moment', 'uuid'].includes(familyOf(sqlType))

/**
 * The beginning of a formula for spreadsheets, also after blanks or a quotation mark, and in full width (SEC-64). An
 * apostrophe before a formula makes no difference, so that an import can remove the one that an export added.
 */
const spreadsheetFormula = `'^[[:space:]"'']*[-=+@\t\r\uff1d\uff0b\uff0d\uff20]|^''*[\t\r\n]'`

/** Phone numbers: digits, blanks and parentheses after one plus sign never make a formula. */
const phoneNumber = `'^[+][0-9][0-9 ().]*$'`

/** Makes a cell inert. The casts are also needed for an enum. */
export const inert = (cell: string): string =>
  `case when (${cell})::text ${operator('~')} ${spreadsheetFormula} and (${cell})::text ${operator('!~')} ${phoneNumber} then '''' ${concat} (${cell})::text else (${cell})::text end`

/** SQL: a cell without the apostrophe that `inert` puts before it. */
export const withoutApostrophe = (cell: string): string =>
  `case when pg_catalog.starts_with(${cell}, '''') and pg_catalog.substr(${cell}, 2) ${operator('~')} ${spreadsheetFormula} then pg_catalog.substr(${cell}, 2) else ${cell} end`

const formulaName = /^[\s"']*[-=+@\t\r\uff1d\uff0b\uff0d\uff20]|^'*[\t\r\n]/

/** Like `inert`, for a name in the header. */
export const inertName = (name: string): string => (formulaName.test(name) ? `'${name}` : name)

/** A cell, or a name in the header, without the apostrophe before a formula. */
export const withoutNameApostrophe = (name: string): string =>
  name.startsWith("'") && formulaName.test(name.slice(1)) ? name.slice(1) : name
