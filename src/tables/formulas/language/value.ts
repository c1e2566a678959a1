import { type Message, translatable } from '../../../messages/message'
import type { ColumnTypeName } from '../../column-types/descriptors'
import { identifier, literal } from '../../sql-text'
import { toNumeric } from '../../sql-types'
import type { FormulaOperand } from '../operands'
import type { ListSummary } from '../read-formula'
import { problemAtOffset } from './tokens'

/** `other` can only be tested for being empty; `blank` has no value of any type; only some functions take a `list`. */
export type FormulaValueType = 'number' | 'text' | 'boolean' | 'date' | 'dateTime' | 'time' | 'blank' | 'other' | 'list'

/** A part of a formula as SQL. */
export type FormulaValue = {
  type: FormulaValueType
  /** Null if the value is empty or cannot be computed. */
  sql: string
  /** The same value as an operand: 0, '' or false if the value is empty. Null only if it cannot be computed. */
  filled: string
  at: number
  /** For a number: whether it is free of the rounding errors of a division or a function. */
  isExact?: boolean
  /** For a date, also with a time: whether it cannot be `infinity`, which columns of adopted tables may hold. */
  isFinite?: boolean
  /** For a date, also with a time: whether it is unmoved, and so infinite or within the years 1 to 9999. */
  isUnmoved?: boolean
  /** For a date and time: the zone in which its parts are read. */
  zone?: string
  /** For a choice between dates and times: whether they are in different zones. */
  hasSeveralZones?: boolean
  /** The content of a text or number that is written in the formula. */
  constant?: string
  /** For a list: one of its values, and the summary of all of them for the function `name`. */
  list?: { item: FormulaValue; summarize: (summary: ListSummary, name: string) => FormulaValue }
  /** For a choice between values: the choice between the converted values. */
  convert?: (conversion: (value: FormulaValue) => FormulaValue) => FormulaValue
}

type Details = Partial<Pick<FormulaValue, 'filled' | 'isExact' | 'isFinite' | 'isUnmoved' | 'zone' | 'constant' | 'convert'>>

/** Without `filled`, the value is never empty. */
export const value = (type: FormulaValueType, at: number, sql: string, details: Details = {}): FormulaValue => ({
  type,
  sql,
  filled: sql,
  at,
  ...details,
})

const fillings: Record<FormulaValueType, string> = {
  ...{ number: '0', text: "''", boolean: 'false', blank: 'null', other: 'null', list: 'null' },
  ...{ date: "cast('-infinity' as date)", dateTime: "cast('-infinity' as timestamptz)", time: "cast('00:00' as time)" },
}

/** A value that may be empty. */
export const optional = (type: FormulaValueType, at: number, sql: string, details: Details = {}): FormulaValue =>
  value(type, at, sql, { filled: `coalesce(${sql}, ${fillings[type]})`, ...details })

export const blankValue = (at: number): FormulaValue => value('blank', at, 'null')

const nothing: Partial<Record<FormulaValueType, string>> = {
  ...{ number: 'numeric', text: 'text', boolean: 'boolean', date: 'date', dateTime: 'timestamptz', time: 'time' },
}

const blankOf = (type: FormulaValueType, at: number): FormulaValue =>
  value(type, at, `cast(null as ${nothing[type]})`, { filled: fillings[type], isExact: true, isFinite: true, isUnmoved: true })

export const numberConstant = (at: number, text: string): FormulaValue =>
  value('number', at, `cast(${text} as numeric)`, { isExact: true, constant: text })

export const textConstant = (at: number, text: string): FormulaValue => value('text', at, literal(text).trim(), { constant: text })

type ReadColumn = { type: FormulaValueType; read: (column: string, sqlType?: string) => string }

const as = (sqlType: string) => (column: string) => `cast(${column} as ${sqlType})`
const plain = (column: string) => column
const textColumn: ReadColumn = { type: 'text', read: plain }
const decimalColumn: ReadColumn = { type: 'number', read: plain }
const numberColumn: ReadColumn = { type: 'number', read: toNumeric }
const momentColumn: ReadColumn = { type: 'dateTime', read: plain }
const otherColumn: ReadColumn = { type: 'other', read: plain }

/** Null for a type that a formula cannot read: it reads computed columns by the types of their values. */
const columnReaders: Record<ColumnTypeName, ReadColumn | null> = {
  ...{
    text: textColumn,
    longText: textColumn,
    email: textColumn,
    url: textColumn,
    phone: textColumn,
    select: textColumn,
    uuid: { type: 'text', read: as('text') },
  },
  ...{
    integer: numberColumn,
    bigint: numberColumn,
    float: numberColumn,
    rating: numberColumn,
    autoNumber: numberColumn,
    duration: numberColumn,
  },
  ...{ decimal: decimalColumn, currency: decimalColumn, percent: decimalColumn },
  ...{ boolean: { type: 'boolean', read: plain }, date: { type: 'date', read: plain }, time: { type: 'time', read: plain } },
  ...{ dateTime: momentColumn, createdAt: momentColumn, updatedAt: momentColumn },
  ...{ json: otherColumn, user: otherColumn, createdBy: otherColumn, updatedBy: otherColumn, link: otherColumn, other: otherColumn },
  multiSelect: { type: 'other', read: (column) => `nullif(${column}, cast('{}' as text[]))` },
  attachment: { type: 'other', read: (column) => `nullif(${column}, cast('[]' as jsonb))` },
  ...{ manyLinks: null, reverseLinks: null, lookup: null, rollup: null, count: null, formula: null },
}

/** Undefined for a type that a formula cannot read. */
export const formulaTypeOf = (type: ColumnTypeName): FormulaValueType | undefined => columnReaders[type]?.type

/** Null for a type that a formula cannot read. */
export function columnValue({ name, type, sqlType, isRounded }: FormulaOperand, at: number): FormulaValue | null {
  const reader = columnReaders[type]
  if (!reader) return null
  const sql = reader.read(identifier(name), sqlType)
  // Columns of adopted tables may also be `varchar` or `citext`.
  const isOtherText = reader.type === 'text' && sqlType !== undefined && sqlType !== 'text' && sql === identifier(name)
  return optional(reader.type, at, isOtherText ? `cast(${sql} as text)` : sql, { isExact: !isRounded, isUnmoved: true })
}

/** As the object of a sentence. */
export const typeNoun = (type: FormulaValueType): Message => {
  switch (type) {
    case 'number':
      return translatable('a number')
    case 'text':
      return translatable('a text')
    case 'boolean':
      return translatable('true or false')
    case 'date':
      return translatable('a date')
    case 'dateTime':
      return translatable('a date and time')
    case 'time':
      return translatable('a time')
    case 'blank':
      return translatable('an empty value')
    case 'list':
      return translatable('several values')
    default:
      return translatable('a value that is neither text, number nor date')
  }
}

/** @param name of the function or the sign that takes the value */
export const wrongType = (given: FormulaValue, expected: FormulaValueType, name: string) =>
  problemAtOffset(
    translatable('gives "{name}" {given}, but it takes {wanted}', { name, given: typeNoun(given.type), wanted: typeNoun(expected) }),
    given,
  )

/** @throws FormulaProblem */
export function toNumberValue(given: FormulaValue, name: string): FormulaValue {
  if (given.type === 'number') return given
  if (given.type === 'blank') return blankOf('number', given.at)
  if (given.convert) return given.convert((part) => toNumberValue(part, name))
  if (given.type !== 'boolean') throw wrongType(given, 'number', name)
  const digit = (sql: string) => `case ${sql} when true then cast(1 as numeric) when false then cast(0 as numeric) end`
  return value('number', given.at, digit(given.sql), { filled: digit(given.filled), isExact: true })
}

/** A number without the rounding errors of earlier steps, which comparisons, cuts and texts would reveal. */
export const settled = ({ isExact }: FormulaValue, sql: string): string => (isExact ? sql : `round(${sql}, 15)`)

/** @throws FormulaProblem for a value that has no text */
export function toTextValue(given: FormulaValue, name: string): FormulaValue {
  const { type, at, sql } = given
  if (type === 'text') return given
  if (type === 'blank') return blankOf('text', at)
  if (given.convert) return given.convert((part) => toTextValue(part, name))
  const write = (from: string): string => {
    if (type === 'number') return `cast(trim_scale(${settled(given, from)}) as text)`
    if (type === 'boolean') return `case ${from} when true then 'TRUE' when false then 'FALSE' end`
    if (type === 'time') return `cast(${from} as text)`
    const local = localTime({ ...given, sql: from })
    return type === 'date' ? isoDate(local) : `${isoDate(local)} || ' ' || left(cast(cast(${local} as time) as text), 5)`
  }
  if (type === 'other') throw wrongType(given, 'text', name)
  if (given.constant !== undefined) return value('text', at, write(sql))
  return value('text', at, write(sql), { filled: given.filled === sql ? write(sql) : `coalesce(${write(sql)}, '')` })
}

const part = (local: string, field: string): string => `cast(cast(extract(${field} from ${local}) as integer) as text)`

const isoYear = (local: string): string =>
  `case when extract(year from ${local}) between 1 and 999 then lpad(${part(local, 'year')}, 4, '0') else ${part(local, 'year')} end`

/** PostgreSQL's own text of a date depends on a setting. */
const isoDate = (local: string): string =>
  `(${isoYear(local)} || '-' || lpad(${part(local, 'month')}, 2, '0') || '-' || lpad(${part(local, 'day')}, 2, '0'))`

/** Null for `infinity`, which has no parts and no distance from a day. */
export const finite = (given: FormulaValue): string =>
  given.isFinite ? given.sql : `case when isfinite(${given.sql}) then ${given.sql} end`

/** The date and time on the clock, as PostgreSQL's `timestamp`; infinite if the value is infinite. */
export const clockTime = ({ type, sql, zone }: FormulaValue): string =>
  type === 'date' ? `cast(${sql} as timestamp)` : `timezone(${literal(zone ?? 'UTC').trim()}, ${sql})`

/** The same for computations: null for an infinite value. */
export const localTime = (given: FormulaValue): string => clockTime({ ...given, sql: finite(given) })

/** SQL of a date to move: null outside of the years 1 to 9999, from which no step leaves the range of PostgreSQL. */
export function movable({ isUnmoved }: FormulaValue, sql: string, type: 'date' | 'timestamp'): string {
  if (isUnmoved) return sql
  const [least, most] = [`cast('0001-12-31 BC' as ${type})`, `cast('10000-01-01' as ${type})`]
  return `nullif(nullif(least(greatest(${sql}, ${least}), ${most}), ${least}), ${most})`
}

/** Two values to subtract, converted to the same zone. */
export function inOneZone(one: FormulaValue, other: FormulaValue): [FormulaValue, FormulaValue] {
  const zone = one.zone ?? other.zone
  return zone === undefined
    ? [one, other]
    : [
        { ...one, zone },
        { ...other, zone },
      ]
}

/** Computes with each moment of a choice in the zone of that moment. */
export const inEachZone = (date: FormulaValue, make: (date: FormulaValue) => FormulaValue): FormulaValue =>
  date.hasSeveralZones && date.convert ? date.convert((moment) => inEachZone(moment, make)) : make(date)

/** The reverse of `localTime` for a date and time. */
export const momentOf = (local: string, zone: string | undefined): string => `timezone(${literal(zone ?? 'UTC').trim()}, ${local})`

/** SQL of a condition; a number other than 0 and a text that is not empty are true. */
export function toCondition(given: FormulaValue): string {
  const { type, sql, filled } = given
  if (type === 'boolean') return filled
  if (type === 'blank') return 'false'
  if (type === 'number') return `(${settled(given, filled)} <> 0)`
  return type === 'text' ? `(${filled} <> '')` : `(${sql} is not null)`
}

const isoConstant = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?$/

/** A date, or a text in the formula that is a date in ISO form. @throws FormulaProblem */
export function toDateValue(given: FormulaValue, name: string): FormulaValue {
  if (given.type === 'date' || given.type === 'dateTime') return given
  if (given.type === 'blank') return blankOf('date', given.at)
  const { constant = '' } = given
  const isDate = given.type === 'text' && isoConstant.test(constant) && isOnCalendar(constant)
  if (!isDate) throw wrongType(given, 'date', name)
  if (constant.length === 10) return value('date', given.at, `cast(${literal(constant)} as date)`, { isFinite: true, isUnmoved: true })
  return value('dateTime', given.at, momentOf(`cast(${literal(constant)} as timestamp)`, undefined), { isFinite: true, isUnmoved: true })
}

/** JavaScript would read the 30th of February as a day in March. */
function isOnCalendar(text: string): boolean {
  const time = new Date(text.length === 10 ? text : `${text.replace(' ', 'T')}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text.slice(0, 10)) && Number(text.slice(0, 4)) > 0
}

/** A choice between two values. Values of different types are chosen as texts. */
export function choice(condition: string, yes: FormulaValue, no: FormulaValue, at: number, name: string): FormulaValue {
  const type = yes.type === 'blank' ? no.type : no.type === 'blank' || no.type === yes.type ? yes.type : null
  if (type === null) return choice(condition, toTextValue(yes, name), toTextValue(no, name), at, name)
  if (type === 'blank') return blankValue(at)
  if (type === 'other') throw wrongType(yes.type === 'other' ? yes : no, 'text', name)
  const filled = (branch: FormulaValue, beside: FormulaValue): FormulaValue =>
    branch.type !== 'blank' ? branch : { ...blankOf(type, branch.at), ...(beside.zone === undefined ? {} : { zone: beside.zone }) }
  const [one, other] = [filled(yes, no), filled(no, yes)]
  const chosen = (of: (branch: FormulaValue) => string) => `case ${condition} when true then ${of(one)} when false then ${of(other)} end`
  return {
    ...{ type, at, sql: chosen(({ sql }) => sql), filled: chosen(({ filled }) => filled) },
    isExact: Boolean(one.isExact && other.isExact),
    isFinite: Boolean(one.isFinite && other.isFinite),
    isUnmoved: Boolean(one.isUnmoved && other.isUnmoved),
    ...(one.zone === other.zone && one.zone !== undefined ? { zone: one.zone } : {}),
    hasSeveralZones: one.zone !== other.zone || Boolean(one.hasSeveralZones || other.hasSeveralZones),
    convert: (conversion) => choice(condition, conversion(one), conversion(other), at, name),
  }
}
