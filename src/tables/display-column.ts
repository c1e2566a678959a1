import { namelessTypes, namingColumn } from './column-types/descriptors'
import type { Column, Table } from './model'

export const canNameRecords = ({ type, isReadable, options }: Column): boolean =>
  isReadable && !namelessTypes.includes(type) && options.isMany !== true

/** The column whose value represents a record in links to it. Undefined if no column can be read. */
export const displayColumnOf = ({ columns, primaryKey, displayColumnId }: Table): Column | undefined =>
  namingColumn(columns.filter(canNameRecords), primaryKey, displayColumnId)
