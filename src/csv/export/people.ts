import { concat, operator } from '../../db/search-path'
import type { PlannedOutput } from '../../records/query/plan/types'
import { familyOf } from '../../records/query/type-families'
import { writtenChoices } from '../../tables/column-types/choice-lists'
import { choicesOf } from '../../tables/column-types/choices'
import { valueType } from '../../tables/column-types/descriptors'
import { literal } from '../../tables/ddl'
import type { Column } from '../../tables/model'
import type { DecimalMark } from '../../tables/notation'
import { recordName } from '../../tables/record-name'
import { isShownOnce } from '../clock-sql'
import { type NamedRecords, namesInColumn } from '../link-names'

/** The reader of a file. A link to a table that the caller may not read is shown as its key. */
export type Reader = NamedRecords & {
  timeZone: string
  decimals: DecimalMark
  /** For a workbook: numbers stay numbers, and the format of their cells shows them as percents and durations. */
  hasNumberFormats?: boolean
}

/** An output that is spread from the single record of a link is written like an output of that record. */
export const unspread = (output: PlannedOutput): PlannedOutput => {
  const { value } = output
  if (value?.kind !== 'spread' || value.embedding.relationship.cardinality !== 'toOne') return output
  return unspread({ ...output, value: value.value })
}

/**
 * SQL: a value as people read it in a spreadsheet: names of linked records and users, lists joined by commas,
 * timestamps in the reader's time zone, the reader's decimal mark. Null if it is written as it is for programs.
 */
export function readableText(value: string, output: PlannedOutput, reader: Reader): string | null {
  const { value: planned, aggregate } = output
  if (planned?.kind !== 'field' || planned.cast !== undefined || planned.field.steps.length > 0) return null
  if (aggregate?.name === 'count' || aggregate?.cast !== undefined) return null
  const { column } = planned.field
  const names = showsNames(output, reader) ? nameOfKey(column, reader) : null
  if (column.comparedAs.endsWith('[]')) return column.type === 'other' ? null : listText(column, value, names, reader)
  return names ? names(value) : singleText(value, column, column.comparedAs, reader)
}

/** SQL: one value without a name. Null if it is written as it is for programs. */
function singleText(value: string, column: Column, sqlType: string, reader: Reader): string | null {
  if (sqlType === 'timestamp with time zone' || sqlType === 'timestamptz') return localTime(value, column, reader.timeZone)
  const type = valueType(column)
  if (type === 'duration' && !reader.hasNumberFormats) return clockText(value)
  if (type === 'percent' && !reader.hasNumberFormats)
    return decimalText(`pg_catalog.trim_scale((${value})::numeric * 100)::text || '%'`, reader)
  const isDecimal = familyOf(sqlType) === 'number' && reader.decimals === 'comma'
  return isDecimal ? decimalText(`(${value})::text`, reader) : null
}

const decimalText = (text: string, { decimals }: Reader): string =>
  decimals === 'comma' ? `pg_catalog.translate(${text}, '.', ',')` : `(${text})`

/** Hours, minutes and seconds, as spreadsheets read them. */
function clockText(seconds: string): string {
  // Without the cast, PostgreSQL truncates a bigint as a float, and the least bigint has no absolute value.
  const whole = `pg_catalog.abs(pg_catalog.trunc((${seconds})::numeric))`
  const part = (value: string) => `pg_catalog.lpad((${value} % 60)::text, 2, '0')`
  const sign = `case when ${seconds} < 0 then '-' else '' end`
  const units = (size: number) => `pg_catalog.div(${whole}, ${size})`
  return `(${sign} || ${units(3600)}::text || ':' || ${part(units(60))} || ':' || ${part(whole)})`
}

/** Whether cells hold names, which may be any text, instead of keys. Aggregates of keys have no names. */
export const showsNames = ({ value, aggregate }: PlannedOutput, reader: Reader): boolean =>
  !aggregate &&
  value?.kind === 'field' &&
  value.cast === undefined &&
  value.field.steps.length === 0 &&
  nameOfKey(value.field.column, reader) !== null

/** SQL: a key → the name of its record, or the key itself. Null for columns without links. */
function nameOfKey(column: Column, reader: Reader): ((key: string) => string) | null {
  const source = namesInColumn(column, reader)
  return source && recordName(source)
}

function listText(column: Column, value: string, names: ((key: string) => string) | null, reader: Reader): string {
  if (column.type === 'multiSelect') return writtenChoices(value, choicesOf(column.options))
  if (names) return writtenNames(value, names)
  // The cell of a list is a text, which no number format changes.
  const item = singleText('u.item', column, column.comparedAs.slice(0, -2), { ...reader, hasNumberFormats: false })
  return joined(item ?? 'u.item::text', value)
}

const joined = (item: string, list: string): string =>
  `(select pg_catalog.string_agg(${item}, ', ' order by u.place) from pg_catalog.unnest(${list}) with ordinality u (item, place))`

/**
 * A list of names as people read it, with commas; as a JSON array if an import could read the commas as another list.
 */
function writtenNames(list: string, names: (key: string) => string): string {
  const isSafe = `pg_catalog.bool_and(n.name ${operator('!~')} '^$|^[[:space:]]|[[:space:]]$|^[][{"]|,')`
  return `(select case when ${isSafe} then pg_catalog.string_agg(n.name, ', ' order by n.place)
      else pg_catalog.json_agg(n.name order by n.place)::text end
    from (select ${names('u.item')} as name, u.place from pg_catalog.unnest(${list}) with ordinality u (item, place)) n
    having pg_catalog.count(*) ${operator('>')} 0)`
}

/**
 * As spreadsheets read it: without an offset, and with seconds only if they are not 0. A time that clocks of the zone
 * do not show exactly once, within the years 1 to 9999, is written as it is for programs, so that an import can read it
 * again.
 */
function localTime(value: string, column: Column, timeZone: string): string {
  const zone = literal(timeZone)
  const local = `pg_catalog.timezone(${zone}, ${value})`
  // The timestamps that Rowhouse sets are never imported, and all of them have microseconds.
  const isStamp = ['createdAt', 'updatedAt'].includes(valueType(column))
  const fraction = isStamp ? '' : ` ${concat} pg_catalog.rtrim(pg_catalog.to_char(${local}, '.US'), '.0')`
  const seconds = `pg_catalog.regexp_replace(pg_catalog.to_char(${local}, ':SS')${fraction}, '^:00$', '')`
  const text = `pg_catalog.to_char(${local}, 'YYYY-MM-DD HH24:MI') ${concat} ${seconds}`
  const isCommon = `${local} >= '0001-01-01'::timestamp and ${local} < '10000-01-01'::timestamp`
  return `case when not pg_catalog.isfinite(${value}) then (${value})::text
    when not case when ${isCommon} then ${isShownOnce(value, local, zone)} else false end then pg_catalog.to_json(${value}) ${operator('#>>')} '{}'
    else ${text} end`
}
