import { type ColumnTypeName, columnTypes } from '../tables/column-types'
import type { Column, ForeignKey, Table } from '../tables/model'
import { toColumnResponse } from '../tables/present'
import { writableRows } from '../tables/row-rules'

type Schema = Record<string, unknown>

/** The tables that the caller may know; a description names no others. */
type KnownTables = { byId: ReadonlyMap<string, Table>; byQualifiedName: ReadonlyMap<string, Table> }

export const readableColumns = ({ columns }: Pick<Table, 'columns'>): Column[] => columns.filter(({ isReadable }) => isReadable)

/** The columns that the caller may send in some record. Files have separate upload routes. */
export const sendableColumns = ({ columns, access }: Table, action: 'create' | 'update'): Column[] =>
  columns.filter(
    (column) =>
      column.type !== 'attachment' && !toColumnResponse(column).readOnly && (!access || writableRows(access, action, [column]) !== 'none'),
  )

/** Whether a new record must contain a value, because neither PostgreSQL nor Rowhouse provides one. */
export const mustBeSent = ({ required, filledBy, defaultExpression }: Column): boolean =>
  required && filledBy === 'caller' && defaultExpression === null

/** The single-column foreign keys of this column whose target table and column the caller may know. */
export const linksOf = ({ foreignKeys }: Table, { name }: Column, { byQualifiedName }: KnownTables): ForeignKey[] =>
  foreignKeys.filter(({ columns, target, targetColumns }) => {
    const linked = byQualifiedName.get(`${target.schema}.${target.name}`)
    const isKnown = linked?.columns.some((column) => column.isReadable && column.name === targetColumns[0])
    return columns.length === 1 && columns[0] === name && isKnown
  })

/** JSON Schema (2020-12) of a column's value in a record, with a description for people. */
export function columnSchema(table: Table, column: Column, tables: KnownTables): Schema {
  const { readOnly: _, ...value } = valueSchema(column)
  const notes = [column.description, table.primaryKey.includes(column.name) ? 'Primary key.' : null, linkNote(column, tables)]
  const isReadOnly = column.type === 'attachment' || toColumnResponse(column).readOnly
  return {
    ...(isNullable(column) ? withNull(value) : value),
    ...(notes.some(Boolean) ? { description: notes.filter(Boolean).join('\n\n') } : {}),
    ...(column.default === null || isReadOnly ? {} : { default: column.default }),
    ...(isReadOnly ? { readOnly: true } : {}),
  }
}

/** Computed columns have the type of their values in `options.valueType`, and an array of them with `isMany`. */
function valueSchema({ type, options, sqlType }: Column): Schema {
  if (type === 'other') return sqlType.endsWith('[]') ? { type: 'array', items: {} } : {}
  const { valueType = type, isMany } = options as { valueType?: ColumnTypeName; isMany?: boolean }
  const schema = columnTypes[valueType].valueSchema(options)
  return isMany ? { type: 'array', items: schema } : schema
}

/** A column that rules show in some records only is empty in the others. */
const isNullable = ({ type, required, access }: Column): boolean =>
  access?.visibleIn !== undefined || !(required || columnTypes[type].required === true)

function withNull({ type, enum: choices, ...schema }: Schema): Schema {
  if (type === undefined) return schema
  return { ...schema, type: [type, 'null'].flat(), ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}) }
}

function linkNote({ type, options }: Column, { byId }: KnownTables): string | null {
  if (!['link', 'manyLinks', 'reverseLinks'].includes(type)) return null
  const target = byId.get(String(options.table))
  if (!target) return null
  return type === 'link' ? `Key of a record of \`${target.name}\`.` : `Keys of records of \`${target.name}\`.`
}
