import { canBeChosenAsName, findColumnType } from '../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../tables/model'

export type ColumnInfo = TableView['columns'][number]

/**
 * Whether the service or the database generates the value. Tables that Rowhouse did not create may have such columns,
 * too.
 */
export const isGenerated = ({ type, readOnly }: Pick<ColumnInfo, 'type' | 'readOnly'>): boolean => readOnly || isGeneratedType(type)

/** Files are not sent with the record, but users can add them. */
export const isGeneratedType = (type: string): boolean => {
  const columnType = findColumnType(type)
  return columnType?.filledBy !== undefined && columnType.cell !== 'files'
}

export const isNumberType = (type: string): boolean => findColumnType(type)?.editor === 'number'

/** Whether the column is a primary key that the service generates. Such a key cannot be changed. */
export function isGeneratedKey({ primaryKey, columns, createdAt }: TableView, name: string): boolean {
  const type = columns.find((column) => column.name === name)?.type
  return createdAt !== null && primaryKey.length === 1 && primaryKey[0] === name && (type === 'bigint' || type === 'uuid')
}

/** The generated key as a list of columns, which means little to people. */
export const generatedKey = (table: TableView): string[] => table.primaryKey.filter((name) => isGeneratedKey(table, name))

/** Whether the user may create, change or delete any of the table's records. */
export const canWriteAny = ({ can }: TableView): boolean => can.create || can.update || can.delete

/** The columns in the order in which they are offered, with a generated key last: it means little to people. */
export function withKeyLast(table: TableView): ColumnInfo[] {
  const isKey = ({ name }: ColumnInfo) => isGeneratedKey(table, name)
  return [...table.columns.filter((column) => !isKey(column)), ...table.columns.filter(isKey)]
}

/** The name of the column that labels a record. */
export const titleColumn = ({ displayColumn, columns, primaryKey }: TableView): string =>
  displayColumn ?? primaryKey[0] ?? columns[0]?.name ?? ''

/** Whether the column can be chosen to name the records of the table, but does not name them yet. */
export const canBecomeName = (table: TableView, column: ColumnInfo): boolean =>
  canBeChosenAsName(column) && table.displayColumn !== column.name

/** The name, with a number appended if the table has such a column. */
export function unusedColumnName({ columns }: TableView, name: string): string {
  const isTaken = (each: string) => columns.some((column) => column.name === each)
  let free = name
  for (let number = 2; isTaken(free); number++) free = `${name} ${number}`
  return free
}

/** Finds a table by its id, `schema.name`, or its name, as in URLs. */
export const tableByName = (tables: readonly TableView[], reference: string): TableView | undefined =>
  tables.find(({ id }) => id === reference) ??
  tables.find(({ name, schema }) => `${schema}.${name}` === reference) ??
  tables.find(({ name, schema }) => schema === 'data' && name === reference) ??
  tables.find(({ name }) => name === reference)
