import { hasNames, namingColumn } from './column-types/descriptors'
import type { Column, Table } from './model'

const canNameRecords = (column: Column): boolean => column.isReadable && hasNames(column)

/** The column whose value represents a record in links to it. Undefined if no column can be read. */
export const displayColumnOf = ({ columns, primaryKey, displayColumnId }: Table): Column | undefined =>
  namingColumn(columns.filter(canNameRecords), primaryKey, displayColumnId)
