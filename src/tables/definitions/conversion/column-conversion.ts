import { equal, touchingRows } from '../../../db/search-path'
import { type Message, translatable } from '../../../messages/message'
import { columnTypes } from '../../column-types'
import { textTypes } from '../../column-types/descriptors'
import { rulesOf } from '../../constraints'
import type { ColumnDescription } from '../../ddl'
import type { Column, Table } from '../../model'
import { currencyPattern, type Notation } from '../../notation'
import { plainAmount, plainDate } from '../../notation-sql'
import { linkedRecordName } from '../../record-name'
import { identifier, literal, qualifiedName } from '../../sql-text'
import { isSameType } from '../../sql-types'
import type { ListConversion } from '../links/link-lists'
import { keyOfName, type LookupRun, type NameLookup, nameProblem } from '../links/linked-names'
import { checkConstraints } from '../links/missing-records'

type From = Pick<Column, 'name' | 'type' | 'sqlType'>

/** The conversion of a column's values to another definition of the column, in SQL. */
export type ColumnConversion = {
  /** Whether the values stay unchanged. */
  isKept: boolean
  /** A stored value → the same with the new names of choices, if some are renamed. */
  renamed?: (value: string) => string
  /** A stored value → text; null or blank if the value is empty. */
  text: (value: string) => string
  /** That text → one that can be cast, or null. */
  candidate: (text: string) => string
  /** Whether a candidate that is not null can be cast, and loses nothing by it. */
  converts: (candidate: string) => string
  /** For names of linked records: how to look them up before anything else. */
  names?: NameLookup
  /** With `names`: the number of the problem of a text that has no candidate. Other texts have problem 0. */
  problem?: (text: string) => string
  /** For a conversion to or from a list of links: replaces all of the above except `names`. */
  list?: ListConversion
}

const texts = ['text', 'longText']

const writtenNumbers = ['integer', 'bigint', 'decimal', 'float', 'currency', 'percent', 'rating']
const writtenDates = ['date', 'dateTime']

/** Whether texts are converted to a type whose values have several notations. */
export const readsNotation = (from: string, to: string): boolean =>
  [...texts, 'select'].includes(from) && [...writtenNumbers, ...writtenDates].includes(to)

/**
 * `currency` is the only accepted currency sign: a text with another one is not a number, so that the sign is not lost.
 */
export type WrittenForm = Notation & { currency?: string }

/** A text with a number or date as people write it → the form that the type reads. */
function asWritten(to: string, { decimals, dates, currency = '' }: WrittenForm): (text: string) => string {
  if (decimals && writtenNumbers.includes(to))
    return (text) =>
      `case when replace(${text}, ${literal(currency)}, '') ~ ${literal(currencyPattern)} then ${text} else ${plainAmount(text, decimals)} end`
  return dates && writtenDates.includes(to) ? (text) => plainDate(text, dates) : (text) => text
}

/**
 * @param linked the table that a link leads to, whose names become texts
 * @param notation how texts write numbers and dates
 * @returns null if one type cannot become the other
 */
export function columnConversion(from: From, to: ColumnDescription, linked?: Table, notation: WrittenForm = {}): ColumnConversion | null {
  const [source, target] = [columnTypes[from.type].conversion, columnTypes[to.type].conversion]
  if (from.type !== to.type && !(source && target?.fromText)) return null
  const nameOf = from.type === 'link' && to.sqlType === 'text' && to.type !== 'link' && linked ? linkedRecordName(linked) : null
  const isKept =
    !nameOf && isSameType(from.sqlType, to.sqlType) && (from.type === to.type || (texts.includes(to.type) && from.sqlType === 'text'))
  if (isKept) return { isKept, text: (value) => `${value}::text`, candidate: (text) => text, converts: () => 'true' }
  if (!source || !target?.fromText) return null
  const { fromText } = target
  const written = readsNotation(from.type, to.type) ? asWritten(to.type, notation) : (text: string) => text
  // A choice may contain a comma.
  const isOneOfMany = from.type === 'select' && to.type === 'multiSelect'
  const converts = (candidate: string): string => {
    const canCast = target.canCast?.(candidate, to.options) ?? `rowhouse.can_cast(${candidate}, ${literal(to.sqlType)})`
    return target.isExact ? `(${canCast} and ${target.isExact(candidate, to.options)})` : `(${canCast})`
  }
  return {
    isKept,
    text: isOneOfMany ? (value) => `case when ${value} is not null then array[${value}]::text end` : (nameOf ?? source.toText),
    candidate: isOneOfMany ? (text) => text : (text) => fromText(written(text)),
    converts: to.sqlType === 'text' ? () => 'true' : converts,
  }
}

/** A link to a new target table: its records are different ones, although they may have the same keys. */
export const keysOfOtherRecords: ColumnConversion = {
  isKept: false,
  text: (value) => `${value}::text`,
  candidate: (text) => text,
  converts: () => 'false',
}

const links = ['link', 'manyLinks']

/**
 * Whether the meaning of values would change in the conversion: a link has keys, a text has names, and JSON has the
 * value that was parsed from the text.
 */
export const changesMeaning = (from: string, to: ColumnDescription, how: ColumnConversion | null): boolean =>
  how !== null &&
  !how.isKept &&
  (how === keysOfOtherRecords ||
    how.names !== undefined ||
    (to.type === 'json' && [...textTypes, 'multiSelect'].includes(from)) ||
    (links.includes(from) && !links.includes(to.type) && to.sqlType === 'text'))

/** A conversion from or to a list of links. */
export const listConversion = (list: ListConversion, names?: NameLookup): ColumnConversion => ({
  isKept: false,
  text: (value) => `${value}::text`,
  candidate: (text) => text,
  converts: () => 'true',
  list,
  ...(names ? { names } : {}),
})

/** A conversion of texts to a link by the names of the records, which `lookUpNames` has looked up. */
export const namedConversion = (from: From, names: NameLookup, run: LookupRun): ColumnConversion => ({
  isKept: false,
  text: columnTypes[from.type].conversion!.toText,
  candidate: keyOfName,
  converts: () => 'true',
  names,
  problem: (text) => nameProblem(names, run, text),
})

/**
 * For `alter column … type … using`: the new value of a value that is known to fit.
 * @param value SQL of the old one, which cannot be mistaken for a column of another table
 */
export function convertedValue({ isKept, text, candidate }: ColumnConversion, value: string, sqlType: string): string {
  if (isKept) return value
  const old = `(${text(value)})`
  return `case when btrim(${old}) <> '' then (${candidate(old)})::${sqlType} end`
}

/** Like `convertedValue`, for values that may not fit; those become null. */
export function checkedValue(how: ColumnConversion, value: string, sqlType: string): string {
  const old = `(${how.text(value)})`
  const found = `(case when btrim(${old}) <> '' then ${how.candidate(old)} end)`
  return `case when ${found} is not null then case when ${how.converts(found)} then ${found}::${sqlType} end end`
}

/** The conditions of the new definition beyond the conversion. @param value the new value in SQL */
function demands(to: ColumnDescription, value: string): { condition: string; message: Message }[] {
  const rules = rulesOf(to, value).map(({ condition, message }) => ({ condition, message }))
  if (!to.target || to.type === 'manyLinks') return rules
  const condition = `exists (select from ${qualifiedName(to.target)} pointed where pointed.${identifier(to.target.key)} = ${value})`
  return [...rules, { condition, message: columnTypes[to.type].conversion?.expectation ?? translatable('has no counterpart') }]
}

const maxReportedRows = 100
const shownCharacters = 80

type ColumnRef = { schema: string; name: string; primaryKey: readonly string[] }

/**
 * Every record with the problem of its value: `place` (its ctid), `key_0` …, `words` (the value as text), `problem` (an
 * index of `problemMessages`, or null). `offset 0` keeps PostgreSQL from merging the steps, which would compute each
 * step repeatedly.
 */
function conversionResult(table: ColumnRef, from: From, to: ColumnDescription, conversion: ColumnConversion): string {
  if (conversion.list) {
    const { values, isLost = 'false', problem = 'null::int' } = conversion.list
    const judged = problemOf(to, 'value', isLost)
    return `select *, coalesce(${problem}, ${to.type === 'manyLinks' ? 'null' : judged}) as problem from (${values}) found`
  }
  const keys = table.primaryKey.map((name, index) => `${identifier(name)} as key_${index}`).join(', ')
  const value = `t.${identifier(from.name)}`
  const old = conversion.renamed?.(value) ?? value
  const stored = `select ctid as place, ${keys}, ${old} as old, ${conversion.text(old)} as words from ${qualifiedName(table)} t offset 0`
  if (conversion.isKept) return `select *, ${problemOf(to, 'old', 'false')} as problem from (${stored}) stored`
  const candidates = `select *, btrim(words) <> '' as is_there, case when btrim(words) <> '' then ${conversion.candidate('words')} end as candidate
    from (${stored}) stored offset 0`
  const tried = `select *, case when candidate is not null then ${conversion.converts('candidate')} else false end as converts from (${candidates}) candidates offset 0`
  const converted = `select *, case when converts then candidate::${to.sqlType} end as value from (${tried}) tried offset 0`
  return `select *, ${problemOf(to, 'value', 'is_there and not converts', conversion.problem?.('words'))} as problem from (${converted}) converted`
}

function problemOf(to: ColumnDescription, value: string, isLost: string, lossProblem = '0'): string {
  const tests = demands(to, value).map(({ condition }, index) => ` when not (${condition}) then ${index + 2}`)
  return `case when ${isLost} then ${lossProblem} when ${value} is null then ${to.required ? '1' : 'null::int'}${tests.join('')} end`
}

/** One row with the numbers of records that are `convertible` and `failing`. */
export const countFailingStatement = (table: ColumnRef, from: From, to: ColumnDescription, how: ColumnConversion): string =>
  `select count(*) filter (where problem is null)::text as convertible, count(problem)::text as failing from (${conversionResult(table, from, to, how)}) judged`

/**
 * The first records whose value would not fit: `key` (its parts as a JSON array of texts), `value` (its beginning) and
 * `problem`.
 */
export function failingStatement(table: ColumnRef, from: From, to: ColumnDescription, how: ColumnConversion): string {
  const keys = table.primaryKey.map((_, index) => `key_${index}`)
  return `select json_build_array(${keys.map((key) => `to_json(${key}) #>> '{}'`).join(', ')})::text as key, left(words, ${shownCharacters}) as value, problem
    from (${conversionResult(table, from, to, how)}) judged where problem is not null order by ${keys.join(', ')} limit ${maxReportedRows}`
}

/**
 * Sets values that do not fit to null. A separate statement finds the records: its expressions need PostgreSQL's own
 * search path, while the triggers of the table need the search path of the role.
 */
export function emptyStatements(table: ColumnRef, from: From, to: ColumnDescription, how: ColumnConversion): string[] {
  return [
    `create temporary table rowhouse_emptied on commit drop as select place from (${conversionResult(table, from, to, how)}) judged where problem is not null`,
    ...touchingRows(`update ${qualifiedName(table)} emptied set ${identifier(from.name)} = null
    from pg_temp.rowhouse_emptied failing where emptied.ctid ${equal} failing.place`),
    ...touchingRows(checkConstraints),
    'drop table pg_temp.rowhouse_emptied',
  ]
}

/** Exists only within a transaction, and only one transaction at a time changes definitions. */
const conversionFunction = 'rowhouse.converted'

/**
 * Changes the type. PostgreSQL then evaluates checks and index expressions again, whose functions find names by the
 * search path of the role. The conversion is a function, whose body is resolved when it is made, under PostgreSQL's own
 * search path.
 */
export function convertStatements(
  table: Pick<ColumnRef, 'schema' | 'name'>,
  from: From,
  to: ColumnDescription,
  how: ColumnConversion,
): string[] {
  const column = identifier(to.name)
  const value = convertedValue(how, '$1', to.sqlType)
  return [
    `create function ${conversionFunction}(${from.sqlType}) returns ${to.sqlType} language sql return (${value})`,
    ...touchingRows(
      `alter table ${qualifiedName(table)} alter column ${column} type ${to.sqlType} using (${conversionFunction}(${column}))`,
    ),
    `drop function ${conversionFunction}`,
  ]
}

function lossMessage({ type, options }: ColumnDescription): Message {
  const { expectation, expectationOf } = columnTypes[type].conversion ?? {}
  return expectationOf?.(options) ?? expectation ?? translatable('does not fit')
}

/** Indexed by the `problem` of `conversionResult`. */
export const problemMessages = (to: ColumnDescription): Message[] => [
  lossMessage(to),
  translatable('is required and has no value'),
  ...demands(to, 'value').map(({ message }) => message),
]
