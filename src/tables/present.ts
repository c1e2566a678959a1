import { type Actor, covers, isAtLeast } from '../auth/identity/actor'
import type { Tables } from './catalog/catalog'
import { restrictedColumns } from './catalog/restricted-columns'
import { displayColumnOf } from './display-column'
import type { Column, Table, TableRights, TableView } from './model'
import { allowsRead, allowsWrite, personColumnOf } from './row-rules'

/** Every field of a table in responses. @param all null for a new table, which no rule names */
export function toTableResponse(table: Table, actor: Caller, all: Tables | null = null): TableView {
  const ids: ReadonlySet<string> = all && canShare(actor) ? restrictedColumns(all) : new Set()
  const restricted = table.columns.flatMap(({ id, name, access }) => (ids.has(id) && !access?.isHidden ? [name] : []))
  return {
    ...{ id: table.id, schema: table.schema, name: table.name, section: table.section, position: table.position },
    primaryKey: table.primaryKey,
    displayColumn: displayColumnOf(table)?.name ?? null,
    columns: visibleColumns(table),
    ...(restricted.length > 0 ? { restrictedColumns: restricted } : {}),
    searchIndex: searchIndexState(table),
    readOnly: table.readOnly,
    createdAt: table.createdAt,
    can: rightsOf(table, actor),
    ...personColumn(table),
  }
}

function personColumn(table: Table): Pick<TableView, 'personColumn'> {
  const column = personColumnOf(table)
  return column && !toColumnResponse(column).readOnly ? { personColumn: column.name } : {}
}

/** Omits the texts of formulas, which contain names of columns, if some columns are hidden from the caller. */
function visibleColumns({ columns }: Table) {
  const visible = columns.filter(({ access }) => !access?.isHidden)
  if (visible.length === columns.length) return columns.map(toColumnResponse)
  return visible.map(({ options: { formula: _formula, expression: _expression, ...options }, ...column }) =>
    toColumnResponse({ ...column, options }),
  )
}

export const searchIndexState = ({ searchIndex: { isOn, ready } }: Table): TableView['searchIndex'] =>
  isOn ? (ready ? 'ready' : 'building') : 'none'

type Caller = Pick<Actor, 'user' | 'token' | 'viewedBy'>

/** Whether the caller may make share links, as their route requires. Only these callers need the restricted columns. */
const canShare = ({ token, viewedBy }: Caller): boolean => !viewedBy && (!token || covers(token.scope, 'write'))

/** Whether the caller may write records at all. */
export const isRecordWriter = ({ user, token, viewedBy }: Caller): boolean =>
  !viewedBy && isAtLeast(user.role, 'editor') && (!token || covers(token.scope, 'write'))

/** The operations that the caller may run on the table, which is already narrowed for the caller. */
export function rightsOf(table: Table, caller: Caller): TableRights {
  const { user, token, viewedBy } = caller
  const writes = writesOf(table, isRecordWriter(caller))
  const read = table.columns.filter((column) => column.isReadable).map(({ name }) => name)
  const canWrite = writes.create || writes.update
  const write = canWrite ? table.columns.filter((column) => !toColumnResponse(column).readOnly).map(({ name }) => name) : []
  return {
    read: table.rights.select && allowsRead(table),
    ...writes,
    columns: { read, write },
    ...(viewedBy ? { viewedUser: writesOf(table, isRecordWriter({ user, token })) } : {}),
  }
}

const writesOf = (table: Table, isWriter: boolean) => ({
  create: isWriter && table.rights.insert && allowsWrite(table, 'create'),
  update: isWriter && table.rights.update && allowsWrite(table, 'update'),
  delete: isWriter && table.rights.delete && allowsWrite(table, 'delete'),
})

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
