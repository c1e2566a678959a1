import { equal } from '../../db/search-path'
import { familyOf } from '../../records/query/type-families'
import { columnTypes } from '../../tables/column-types'
import { isJsonList, readChoices } from '../../tables/column-types/choice-lists'
import { choicesOf } from '../../tables/column-types/choices'
import { identifier, literal, qualifiedName } from '../../tables/ddl'
import type { Column, Table } from '../../tables/model'
import { comparedType } from '../../tables/sql-types'
import type { Filled } from './assignment'
import { hasOffset, isOneMoment, tellsZone } from './moments'
import { isZoned } from './notation-sql'

/** The name of the temporary table that a file is first copied into: a column of text for each cell of a record. */
export const staging = 'pg_temp."rowhouse file"'

/** The name of that table when the staging table is a view with corrected cells. */
export const sentFile = 'pg_temp."rowhouse sent file"'

export const cellName = (cell: number): string => (cell < 0 ? 'null::text' : `s.c${cell}`)

/** SQL: a cell as PostgreSQL reads it: with keys in place of names, and in PostgreSQL's notation. */
export function valueName({ cell, isPlain = true, links }: Pick<Filled, 'cell' | 'isPlain' | 'links'>): string {
  if (links) return `(select l.value from ${links.table} l where l.cell ${equal} ${cellName(cell)})`
  return isPlain ? cellName(cell) : `s.v${cell}`
}

const family = ({ comparedAs }: Column) => familyOf(comparedAs)

/** Types that accept any text. An empty cell in quotes is an empty text in their columns, and null in most others. */
export const isTextColumn = (column: Column): boolean => family(column) === 'text'

/** Whether comparisons ignore blanks at the end of a text. */
export const isPadded = ({ comparedAs }: Column): boolean => comparedType(comparedAs) === 'bpchar'

/** Text, and other types that have an empty value. */
export const takesEmpty = (column: Column): boolean =>
  isTextColumn(column) || /^(bit|varbit|tsvector|xml|name)\b|"(citext|hstore|ltree)"$/.test(column.comparedAs)

const isBoolean = ({ sqlType }: Column) => sqlType === 'boolean'

/** The cell, or null for an empty one. */
const present = (column: Column, cell: string) =>
  takesEmpty(column) ? cell : `nullif(${isBoolean(column) ? columnTypes.boolean.conversion!.fromText!(cell) : cell}, '')`

/** Whether the cell has an accepted form, for types for which PostgreSQL accepts too much; null for other types. */
function form(column: Column, isOwn: boolean, cell: string): string | null {
  const { comparedAs } = column
  if (isList(column)) return null
  const type = comparedAs.replace(/\(.*\)/, '').trim()
  // The meaning of `today`, `01/02/2026` and the like depends on the day or on the reader.
  if (type === 'date') return isOwn ? `${cell} like '____-__-__'` : `(${dated(cell)} and ${cell} not like '%:%')`
  if (/^timestamp/.test(type)) {
    const day = isOwn ? `${cell} like '____-__-__%' and ${cell} not like '%BC'` : dated(cell)
    // PostgreSQL drops an offset for which the column has no place.
    return `(${day} and ${isZoned(type) ? hasOffset(cell) : `not ${tellsZone(cell)}`})`
  }
  if (/^time( without time zone)?$/.test(type)) return `${cell} ~ ${literal(clockPattern)}`
  // Currency signs may contain any letters.
  if (type === 'money') return numbered(column, cell)
  if (/^(numeric|decimal|real|float|double)/.test(type)) return `(${isDecimal(cell)} and ${numbered(column, cell)})`
  return /^(smallint|integer|bigint)$/.test(type) ? isDecimal(cell) : null
}

/** PostgreSQL also accepts `now` and `allballs`, drops days and offsets, and allows a second 60. */
const clockPattern = '^\\s*[0-9]{1,2}:[0-9]{2}(:[0-5][0-9]([.][0-9]+)?)?\\s*$'

/** PostgreSQL also accepts `1_000`, `0x1F`, `0o17` and `0b11`. */
const isDecimal = (cell: string) => `pg_catalog.translate(${cell}, '_xXoObB', '') = ${cell}`

const dated = (cell: string) => `(${cell} ~ '^[0-9]{4,}-' or ${cell} in ('infinity', '-infinity'))`

/** Cheap for plain digits. A short exponent could cause a hundred thousand digits in every response. */
function numbered({ type, options }: Column, cell: string): string {
  const isShort = `(pg_catalog.translate(${cell}, 'eE', '') = ${cell} or ${cell} ~ '^[^eE]*[eE][-+]?0*([0-9]{1,2}|[1-3][0-9]{2}|400)\\s*$')`
  const { precision, scale = 0 } = options as { precision?: number; scale?: number }
  if (columnTypes[type].conversion !== columnTypes.decimal.conversion || precision === undefined) return isShort
  // PostgreSQL would round a number with more digits than the column without an error.
  const point = `pg_catalog.strpos(${cell}, '.')`
  const isFine = `${point} in (0, pg_catalog.length(${cell}) - ${scale}) or ${point} > pg_catalog.length(${cell}) - ${scale}`
  const isPlain = `pg_catalog.translate(${cell}, 'eE', '') = ${cell} and (${isFine})`
  const isExact = columnTypes.decimal.conversion!.isExact!(cell, options)
  // Only the digits of numbers are counted: casting any other text would end the search for all such cells.
  return `(${isShort} and case when ${isPlain} or not ${reads(cell, 'numeric')} then true else ${isExact} end)`
}

/** The cell as a value of its column. An invalid cell raises an error, and `invalidText` finds it. */
function cellValueText(column: Column, cell: string, isOwn: boolean): string {
  const { sqlType } = column
  // The type has no length here: the assignment itself rejects a text that is too long, whereas a cast would truncate
  // it.
  if (isTextColumn(column)) return isPadded(column) ? `${cell}::bpchar` : cell
  const given = present(column, cell)
  const shape = form(column, isOwn, cell)
  const isOne = isZoned(column.comparedAs) ? ` and ${isOneMoment(cell)}` : ''
  const checked = shape === null ? given : `case when ${shape}${isOne} then ${given} when ${cell} <> '' then 'not of this form' end`
  return isList(column) ? listOf(column, { cell, given }, sqlType) : `(${checked})::${sqlType}`
}

/** @param given the cell, or null for an empty one */
function listOf(column: Column, { cell, given }: { cell: string; given: string }, type: string): string {
  const fromJson = `(select v from pg_catalog.json_to_record(pg_catalog.json_build_object('v', ${cell}::json)) as x (v ${type}))`
  return `case when ${isJson(column, cell)} then ${fromJson} else ${listValueText(column, given)}::${type} end`
}

/** The cell of the file as a value of its column. */
export function filledValue(filled: Filled, isOwn: boolean): string {
  const { column, links } = filled
  const value = valueName(filled)
  return links && !isTextColumn(column) ? `${value}::${column.sqlType}` : cellValueText(column, value, isOwn)
}

/** People write lists with commas; only tables that Rowhouse did not create accept PostgreSQL's own form alone. */
function listValueText({ type, options }: Column, given: string): string {
  if (type !== 'multiSelect' && type !== 'manyLinks') return `(${given})`
  const choices = type === 'multiSelect' ? choicesOf(options) : []
  return `case when ${given} like '{%'${choices.some((choice) => choice.startsWith('{')) ? ' and false' : ''} then ${given} else ${readChoices(given, choices)} end`
}

const isJson = ({ type, options }: Column, cell: string): string => isJsonList(cell, type === 'multiSelect' ? choicesOf(options) : [])

/** Like `cellValueText`; an empty cell of a required column gets the value that PostgreSQL would fill in. */
export function filledText(table: Table, filled: Filled): string {
  const { column, kept, counted } = filled
  const value = filledValue(filled, table.isOwn)
  const fallback = counted ? `${counted}::${column.sqlType}` : kept ? `s.${kept}::${column.sqlType}` : fallbackText(table, column)
  return column.required && fallback ? `coalesce(${value}, ${fallback})` : value
}

export function fallbackText(table: Table, column: Column): string | null {
  if (isIdentity(column)) return `pg_catalog.nextval(${sequenceText(table, column)})`
  // For example, the number of a counter in a text column.
  return column.defaultExpression && `(${column.defaultExpression})::${column.sqlType}`
}

const isIdentity = ({ filledBy }: Column) => filledBy === 'identity' || filledBy === 'identityAlways'

export const isIntegerColumn = ({ comparedAs }: Column): boolean => /^(smallint|integer|bigint)$/.test(comparedAs)

/**
 * SQL: the counter of a column. The sequence in a default need not belong to a column, since several tables may share
 * it.
 */
export function sequenceText(table: Table, column: Column): string {
  const [relation, name] = [literal(qualifiedName(table)), literal(column.name)]
  const owned = `pg_catalog.pg_get_serial_sequence(${relation}, ${name})::regclass`
  // A default of another type may format the number differently.
  if (isIdentity(column) || !isIntegerColumn(column)) return owned
  return `coalesce((select dp.refobjid::regclass from pg_attribute att join pg_attrdef df on df.adrelid ${equal} att.attrelid and df.adnum ${equal} att.attnum
    join pg_depend dp on dp.classid ${equal} 'pg_attrdef'::regclass and dp.objid ${equal} df.oid and dp.refclassid ${equal} 'pg_class'::regclass
    join pg_sequence sq on sq.seqrelid ${equal} dp.refobjid
    where att.attrelid ${equal} ${relation}::regclass and att.attname ${equal} ${name} limit 1), ${owned})`
}

/** `invalidText` for a cell of the file. For links resolved by name, the faults have been recorded already. */
export const invalidCell = (filled: Filled, isOwn: boolean): string | null =>
  filled.links
    ? `exists (select from ${filled.links.table} l where l.cell ${equal} ${cellName(filled.cell)} and l.fault is not null)`
    : invalidText(filled.column, valueName(filled), isOwn)

/** A condition that holds for the cells that cannot be a value of the column; null if any text can. */
export function invalidText(column: Column, cell: string, isOwn: boolean): string | null {
  if (isTextColumn(column)) {
    // An enum or a domain over text has its own rule.
    return column.sqlType.startsWith('"') ? `${cell} is not null and not ${reads(cell, column.sqlType)}` : null
  }
  const shape = form(column, isOwn, cell)
  const text = isBoolean(column) ? columnTypes.boolean.conversion!.fromText!(cell) : cell
  if (shape && isZoned(column.comparedAs))
    return `${cell} <> '' and case when ${shape} and ${reads(cell, column.sqlType)} then not (${isOneMoment(cell)}) else true end`
  const isWrong = isList(column) ? `not ${readsList(column, cell)}` : `not ${reads(text, column.sqlType)}`
  return `${takesEmpty(column) ? `${cell} is not null` : `${cell} <> ''`} and ${shape === null ? isWrong : `(not (${shape}) or ${isWrong})`}`
}

const reads = (cell: string, sqlType: string): string => `rowhouse.can_cast(${cell}, ${literal(sqlType)})`

const isList = ({ comparedAs }: Column) => comparedAs.endsWith('[]')

/** `reads_as` also handles lists in JSON, but not domains over lists. */
function readsList(column: Column, cell: string): string {
  const { sqlType, comparedAs } = column
  const type = sqlType.endsWith('[]') ? sqlType : comparedAs
  const isRead = `rowhouse.reads_as(case when ${isJson(column, cell)} then ${cell} else ${listValueText(column, cell)} end, ${literal(type)})`
  if (type === sqlType) return isRead
  return `case when ${isRead} then ${reads(`(${listOf(column, { cell, given: cell }, type)})::text`, sqlType)} else false end`
}

export const columnList = (columns: readonly Column[]): string => columns.map(({ name }) => identifier(name)).join(', ')
