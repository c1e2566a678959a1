import { canNameRecords, namingColumn } from './column-types/descriptors'
import type { Column, Table } from './model'

/** The column whose value represents a record in links to it. Undefined if no column can be read. */
export const displayColumnOf = ({ columns, primaryKey, displayColumnId }: Table): Column | undefined =>
  namingColumn(
    columns.filter((column) => column.isReadable && canNameRecords(column)),
    primaryKey,
    displayColumnId,
  )
