import type { Column, Table, TableView } from './model'

/** Every field of a table that leaves the service. */
export const toTableResponse = ({ id, schema, name, primaryKey, columns, readOnly, createdAt }: Table): TableView => ({
  id,
  schema,
  name,
  primaryKey,
  columns: columns.map(toColumnResponse),
  readOnly,
  createdAt,
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
