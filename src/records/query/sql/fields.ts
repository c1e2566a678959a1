import { equal, jsonAt, operator, textAt } from '../../../db/search-path'
import { operatorSchemaOf } from '../../../tables/catalog/links/linked-records'
import { maxShownLinks } from '../../../tables/column-types/links'
import { computedText, isStoredColumn } from '../../../tables/computed-value'
import { identifier, literal, qualifiedName } from '../../../tables/ddl'
import type { Column, Table } from '../../../tables/model'
import type { PlannedField } from '../plan/types'
import { bindCaller, ruleText, visibleValue } from './rules'
import type { StatementWriter } from './statement'

/** `t1."id"` */
export const columnText = (alias: string, name: string): string => `${alias}.${identifier(name)}`

/** The columns stored in the table itself; access rules may use columns that they hide. */
export const storedColumns = ({ columns }: Table): string[] =>
  columns.filter((column) => (column.isReadable || column.access) && isStoredColumn(column)).map(({ name }) => name)

type Side = { table: Table; alias: string }

/**
 * Foreign keys usually join columns of the same type; if an extension's type meets another one, both are compared in
 * the form that PostgreSQL converts them to.
 */
export const joinedColumns = (one: Side, other: Side, pairs: [string, string][]): string[] =>
  pairs.map(([left, right]) => {
    const [schema, otherSchema] = [operatorSchemaOf(one.table, left), operatorSchemaOf(other.table, right)]
    const compared = operator('=', schema === otherSchema ? schema : undefined)
    return `${columnText(one.alias, left)} ${compared} ${columnText(other.alias, right)}`
  })

/** A column's value in the row of `table` with this alias. */
function columnValue(writer: StatementWriter, alias: string, table: Table, column: Column): string {
  return visibleValue(writer, alias, column, storedValue(writer, alias, table, column))
}

function storedValue(writer: StatementWriter, alias: string, table: Table, column: Column): string {
  if (column.computed) return bindCaller(writer, computedText(column.computed, alias), column.computed.caller)
  return column.joinTable ? linkedKeys(writer, alias, table, column) : columnText(alias, column.name)
}

/** `manyLinks` and `reverseLinks`: the keys of the linked records, in order. */
function linkedKeys(writer: StatementWriter, alias: string, { primaryKey }: Table, { type, sqlType, joinTable }: Column): string {
  const { ownColumns, targetColumns, linkable = 'all' } = joinTable!
  const join = writer.alias()
  const target = columnText(join, targetColumns[0]!)
  const isOwn = ownColumns.map((own, index) => `${columnText(join, own)} ${equal} ${columnText(alias, primaryKey[index]!)}`)
  const isLinkable = ruleText(writer, linkable, join)
  if (isLinkable !== null) isOwn.push(isLinkable)
  // Any number of records may link to this one, so the list is limited.
  const most = type === 'reverseLinks' ? ` limit ${maxShownLinks}` : ''
  return `array(select ${target} from ${qualifiedName(joinTable!)} ${join} where ${isOwn.join(' and ')} order by ${target}${most})::${sqlType}`
}

/** Steps into JSON are also parameters, since the caller chooses their keys. */
export function fieldValue(writer: StatementWriter, alias: string, { table, column, steps }: PlannedField): string {
  const base = columnValue(writer, alias, table, column)
  if (steps.length === 0) return base
  const cell = steps.at(-1)!.key === 'url' ? withUrls(alias, table, column, base) : base
  const json = column.comparedAs === 'jsonb' ? cell : `pg_catalog.to_jsonb(${base})`
  const arrows = steps.map(({ as, key }) => {
    const parameter = typeof key === 'number' ? writer.parameter(String(key), 'int') : writer.parameter(key, 'text')
    return ` ${as === 'text' ? textAt : jsonAt} ${parameter}`
  })
  return `(${json}${arrows.join('')})`
}

/** A value as it is output. A path into the JSON of files reads the stored value, which has no URL. */
export function shownValue(writer: StatementWriter, alias: string, field: PlannedField): string {
  const value = fieldValue(writer, alias, field)
  return field.steps.length > 0 ? value : withUrls(alias, field.table, field.column, value)
}

/** Files get their URLs when they are read: they contain the record's key, which may change. */
function withUrls(alias: string, table: Table, column: Column, value: string): string {
  if (column.type !== 'attachment' || table.primaryKey.length === 0) return value
  const place = `rowhouse.attachment_place(${literal(table.id)}, array[${keyTexts(alias, table).join(', ')}], ${literal(column.id)})`
  return `rowhouse.attachments(${value}, ${place})`
}

/** The key's parts as in the record's JSON, so that a timestamp looks the same. */
export const keyTexts = (alias: string, { primaryKey, columns }: Table): string[] =>
  primaryKey.map((key) => {
    const { name, comparedAs } = columns.find((column) => column.name === key)!
    return /^timestamp/.test(comparedAs)
      ? `pg_catalog.to_json(${columnText(alias, name)}) ${operator('#>>')} '{}'`
      : `${columnText(alias, name)}::text`
  })
