import { type Actor, covers, isAtLeast } from '../auth/identity/actor'
import { type AccessSource, restrictedColumns } from './access-source'
import { displayColumnOf } from './display-column'
import type { Column, Table, TableRights, TableView } from './model'
import { allowsRead, allowsWrite } from './row-rules'

/** Every field of a table that leaves the service. @param access null for a new table, which no rule names */
export function toTableResponse(table: Table, actor: Caller, access: AccessSource | null = null): TableView {
  const restricted = restrictedColumns(access, table).flatMap((column) => (column.access?.isHidden ? [] : [column.name]))
  return {
    ...{ id: table.id, schema: table.schema, name: table.name, primaryKey: table.primaryKey },
    displayColumn: displayColumnOf(table)?.name ?? null,
    columns: visibleColumns(table),
    ...(restricted.length > 0 ? { restrictedColumns: restricted } : {}),
    readOnly: table.readOnly,
    createdAt: table.createdAt,
    can: rightsOf(table, actor),
  }
}

/** The text of a formula contains names of columns, so it is left out where the table hides columns from the caller. */
function visibleColumns({ columns }: Table) {
  const visible = columns.filter(({ access }) => !access?.isHidden)
  if (visible.length === columns.length) return columns.map(toColumnResponse)
  return visible.map(({ options: { formula: _formula, expression: _expression, ...options }, ...column }) =>
    toColumnResponse({ ...column, options }),
  )
}

type Caller = Pick<Actor, 'user' | 'token' | 'viewedBy'>

/** Whether the caller may write any records at all. */
export const isRecordWriter = ({ user, token, viewedBy }: Caller): boolean =>
  !viewedBy && isAtLeast(user.role, 'editor') && (!token || covers(token.scope, 'write'))

/** The operations that the caller may run on the table, which is narrowed for the caller already. */
export function rightsOf(table: Table, caller: Caller): TableRights {
  const isWriter = isRecordWriter(caller)
  const [create, update, remove] = [
    isWriter && table.rights.insert && allowsWrite(table, 'create'),
    isWriter && table.rights.update && allowsWrite(table, 'update'),
    isWriter && table.rights.delete && allowsWrite(table, 'delete'),
  ]
  const read = table.columns.filter((column) => column.isReadable).map(({ name }) => name)
  const write = create || update ? table.columns.filter((column) => !toColumnResponse(column).readOnly).map(({ name }) => name) : []
  return { read: table.rights.select && allowsRead(table), create, update, delete: remove, columns: { read, write } }
}

export const toColumnResponse = ({
  id,
  name,
  type,
  required,
  unique,
  default: value,
  options: { filterTypes: _types, ...options },
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
  // Files have their own routes for changes.
  readOnly: !isWritable || (type !== 'attachment' && ['generated', 'identityAlways', 'rowhouse'].includes(filledBy)),
})
