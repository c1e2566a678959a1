import { columnTypes } from './column-types'
import { rulesOf } from './constraints'
import type { ColumnDescription } from './ddl'
import type { Column } from './model'
import { identifier, literal, qualifiedName } from './sql-text'
import { isSameType } from './sql-types'

type From = Pick<Column, 'name' | 'type' | 'sqlType'>

/** How the values of a column become those of another definition of it, in SQL. */
export type Retyping = {
  /** Whether they stay as they are. */
  isKept: boolean
  /** A stored value → text; null or blank where it says nothing. */
  text: (value: string) => string
  /** That text → one that can be cast, or null. */
  candidate: (text: string) => string
  /** Whether the candidate can be cast and loses nothing by it. */
  converts: (candidate: string) => string
}

const texts = ['text', 'longText']

/** @returns null where the one cannot become the other */
export function retyping(from: From, to: ColumnDescription): Retyping | null {
  const [source, target] = [columnTypes[from.type].conversion, columnTypes[to.type].conversion]
  if (from.type !== to.type && !(source && target?.fromText)) return null
  const isKept = isSameType(from.sqlType, to.sqlType) && (from.type === to.type || (texts.includes(to.type) && from.sqlType === 'text'))
  if (isKept) return { isKept, text: (value) => `${value}::text`, candidate: (text) => text, converts: () => 'true' }
  if (!source || !target?.fromText) return null
  // A choice may have a comma in it.
  const isOneOfMany = from.type === 'select' && to.type === 'multiSelect'
  const isExact = (candidate: string) => target.isExact?.(candidate, to.options) ?? 'true'
  return {
    isKept,
    text: isOneOfMany ? (value) => `array[${value}]::text` : source.toText,
    candidate: isOneOfMany ? (text) => text : target.fromText,
    converts: (candidate) =>
      // Nothing behind the cast is asked where the cast fails.
      to.sqlType === 'text'
        ? 'true'
        : `case when rowhouse.can_cast(${candidate}, ${literal(to.sqlType)}) then ${isExact(candidate)} else false end`,
  }
}

/** For `alter column … type … using`: the new value, or null where there is none. */
export function convertedValue({ isKept, text, candidate, converts }: Retyping, column: string, sqlType: string): string {
  if (isKept) return identifier(column)
  const old = text(identifier(column))
  const found = `(case when btrim(${old}) <> '' then ${candidate(`(${old})`)} end)`
  return `case when ${found} is not null and ${converts(found)} then ${found}::${sqlType} end`
}

/** What the new definition demands beyond the conversion. @param value the new value in SQL */
export function demands(to: ColumnDescription, value: string): { condition: string; message: string }[] {
  const rules = rulesOf(to, value).map(({ condition, message }) => ({ condition, message }))
  if (!to.target || to.type === 'manyLinks') return rules
  const condition = `exists (select from ${qualifiedName(to.target)} pointed where pointed.${identifier(to.target.key)} = ${value})`
  return [...rules, { condition, message: columnTypes[to.type].conversion?.expectation ?? 'has no counterpart' }]
}

const mostRows = 100
const shownCharacters = 80

type Place = { schema: string; name: string; primaryKey: readonly string[] }

/**
 * Counts the records whose value would fit and those whose value would not, and shows the first of the latter. One row: `convertible`,
 * `failing`, `rows` (JSON: [key's parts as texts, the value's beginning, which of `problemMessages`]).
 */
export function reportStatement(table: Place, from: From, to: ColumnDescription, how: Retyping): string {
  const key = table.primaryKey.map((name) => `to_json(${identifier(name)}) #>> '{}'`).join(', ')
  const order = table.primaryKey.map((_, index) => `key_${index}`).join(', ')
  const keys = table.primaryKey.map((name, index) => `${identifier(name)} as key_${index}`).join(', ')
  const tests = demands(to, 'value').map(({ condition }, index) => `when not (${condition}) then ${index + 2}`)
  return `with stored as (
    select ${keys}, json_build_array(${key}) as key, ${identifier(from.name)} as old, ${how.text(identifier(from.name))} as words from ${qualifiedName(table)}
  ), candidates as (
    select *, case when ${how.isKept} or btrim(words) <> '' then ${how.candidate('words')} end as candidate from stored
  ), judged as (
    select *, candidate is not null and ${how.converts('candidate')} as converts from candidates
  ), converted as (
    select *, ${how.isKept ? 'old' : `case when converts then candidate::${to.sqlType} end`} as value from judged
  ), problems as (
    select *, case when ${how.isKept} then false else btrim(words) <> '' and not converts end as is_lost from converted
  ), found as (
    select *, case when is_lost then 0 when value is null then ${to.required ? '1' : 'null::int'} ${tests.join(' ')} end as problem from problems
  )
  select (select count(*) from found where problem is null)::text as convertible, (select count(*) from found where problem is not null)::text as failing,
    coalesce((select json_agg(json_build_array(key, left(words, ${shownCharacters}), problem)) from
      (select * from found where problem is not null order by ${order} limit ${mostRows}) first), '[]')::text as rows`
}

/** By the numbers of `reportStatement`. */
export const problemMessages = (to: ColumnDescription): string[] => [
  columnTypes[to.type].conversion?.expectation ?? 'does not fit',
  'is required and has no value',
  ...demands(to, 'value').map(({ message }) => message),
]
