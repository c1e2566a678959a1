import { findColumnType } from '../../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../../tables/model'

export type Column = TableView['columns'][number]

/** Whether the value is given by the service, or by the database, which also does so in tables that Rowhouse did not make. */
export const isFilledIn = ({ type, readOnly }: Pick<Column, 'type' | 'readOnly'>): boolean => readOnly || isFilled(type)

/** Files are added by whoever edits the record, but not sent with it. */
const isFilled = (type: string): boolean => {
  const known = findColumnType(type)
  return known?.filledBy !== undefined && known.cell !== 'files'
}

export const isNumber = (type: string): boolean => findColumnType(type)?.editor === 'number'

/** A table of ours with a key that the service makes when nobody gives one. Such a key is never changed. */
export function isMadeKey({ primaryKey, columns, createdAt }: TableView, name: string): boolean {
  const type = columns.find((column) => column.name === name)?.type
  return createdAt !== null && primaryKey.length === 1 && primaryKey[0] === name && (type === 'bigint' || type === 'uuid')
}

const telling = ['text', 'email', 'url', 'phone', 'select', 'longText']

/** The column by which people know a record: the first text, else the key. */
export function titleColumn({ columns, primaryKey }: TableView): string {
  const isKey = ({ name }: Column) => primaryKey.includes(name)
  const found = columns.find((column) => column.type === 'text' && !isKey(column)) ?? columns.find(({ type }) => telling.includes(type))
  return found?.name ?? primaryKey[0] ?? columns[0]?.name ?? ''
}

/** A table by its id, its name, or `schema.name`, as addresses may have it. */
export const findTable = (tables: readonly TableView[], wanted: string): TableView | undefined =>
  tables.find(({ id }) => id === wanted) ??
  tables.find(({ name, schema }) => schema === 'data' && name === wanted) ??
  tables.find(({ name, schema }) => `${schema}.${name}` === wanted || name === wanted)
