import type { Actor } from '../../../auth/identity/actor'
import type { Column, Table } from '../../model'

/** Whether the caller may see the table: a token can be restricted to some tables. */
export const canReach = ({ token }: Pick<Actor, 'token'>, table: Pick<Table, 'id'>): boolean =>
  !token?.tables || token.tables.includes(table.id)

/** A join table is visible to callers who can reach all the tables that it joins. */
export const canReachJoinTable = (
  actor: Actor,
  tables: { byQualifiedName: ReadonlyMap<string, Table> },
  { isJoinTable, foreignKeys }: Table,
): boolean =>
  isJoinTable &&
  foreignKeys.every(({ target }) => {
    const joined = tables.byQualifiedName.get(`${target.schema}.${target.name}`)
    return joined !== undefined && canReach(actor, joined)
  })

/** Keyed by the ids of the hidden columns, so that a caller always gets the same object. */
const variants = new WeakMap<Table, Map<string, Table>>()

/** The table without columns whose values are read from tables that the caller may not see. */
export function reachableColumns(actor: Pick<Actor, 'token'>, table: Table): Table {
  const hidden = actor.token?.tables ? table.columns.filter(({ reads }) => reads?.some((id) => !canReach(actor, { id }))) : []
  if (hidden.length === 0) return table
  const ofTable = variants.get(table) ?? new Map<string, Table>()
  variants.set(table, ofTable)
  const key = hidden.map(({ id }) => id).join()
  const columns = table.columns.map((column) => (hidden.includes(column) ? withoutAccess(column) : column))
  const found = ofTable.get(key) ?? { ...table, columns }
  ofTable.set(key, found)
  return found
}

/** Marks the column as unreadable for the caller, so that responses do not advise granting database privileges. */
const withoutAccess = (column: Column): Column => ({
  ...column,
  access: { ...column.access, isUnreadable: true },
  isReadable: false,
  isWritable: false,
})
