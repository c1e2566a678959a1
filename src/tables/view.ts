import type { Column, Table, TableView } from './model'

/** Every field of a table that leaves the service. */
export const viewOf = ({ id, schema, name, primaryKey, columns, readOnly, createdAt }: Table): TableView => ({
  id,
  schema,
  name,
  primaryKey,
  columns: columns.map(columnView),
  readOnly,
  createdAt,
})

export const columnView = ({ id, name, type, required, unique, default: value, options, filledBy, isWritable }: Column) => ({
  id,
  name,
  type,
  required,
  unique,
  default: value,
  options,
  readOnly: !isWritable || ['generated', 'identityAlways', 'rowhouse'].includes(filledBy),
})
