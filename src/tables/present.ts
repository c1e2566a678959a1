import { displayColumnOf } from './display-column'
import type { Column, Table, TableView } from './model'

/** Every field of a table that leaves the service. */
export const toTableResponse = (table: Table): TableView => ({
  ...{ id: table.id, schema: table.schema, name: table.name, primaryKey: table.primaryKey },
  displayColumn: displayColumnOf(table)?.name ?? null,
  columns: table.columns.map(toColumnResponse),
  readOnly: table.readOnly,
  createdAt: table.createdAt,
})

export const toColumnResponse = ({
  id,
  name,
  type,
  required,
  unique,
  default: value,
  options,
  description,
  position,
  filledBy,
  isWritable,
}: Column) => ({
  id,
  name,
  type,
  required,
  unique,
  default: value,
  options,
  description,
  position,
  // Files are changed by routes of their own.
  readOnly: !isWritable || (type !== 'attachment' && ['generated', 'identityAlways', 'rowhouse'].includes(filledBy)),
})
