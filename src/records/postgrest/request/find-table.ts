import type { Actor } from '../../../auth/identity/actor'
import { tableNotAllowed } from '../../../auth/identity/actor'
import { type Catalog, lockedTable, type Tables, tableClosed } from '../../../tables/catalog/catalog'
import { canReach } from '../../../tables/catalog/links/reach'
import type { Table } from '../../../tables/model'
import { nearest } from '../../../tables/nearest'
import { throwRestFailure } from '../errors/failure'

/**
 * @param tables the tables that the caller may access
 * @throws RestFailure PGRST205; Failure unavailable while a new table is being changed; Failure insufficient_scope if
 * the token may not access the table
 */
export async function findRestTable(catalog: Catalog, actor: Actor, tables: Tables, schema: string, name: string): Promise<Table> {
  const qualified = `${schema}.${name}`
  const table = tables.byQualifiedName.get(qualified)
  if (table) return table
  if (tables.locked.some((held) => held.schema === schema && held.name === name)) throw lockedTable()
  // As on the native route, the response distinguishes a table that the token may not access from one that does not
  // exist.
  const kept = (await catalog.at(actor.catalogVersion)).byQualifiedName.get(qualified)
  if (kept) throw canReach(actor, kept) ? tableClosed(kept) : tableNotAllowed(name)
  return throwUnknownTable(tables, schema, name)
}

function throwUnknownTable({ list }: Tables, schema: string, name: string): never {
  const known = list.filter((table) => table.schema === schema).map((table) => table.name)
  const similar = nearest(name, known)
  const hint = similar === undefined ? null : `Perhaps you meant the table '${schema}.${similar}'`
  return throwRestFailure(404, 'PGRST205', `Could not find the table in the schema '${schema}'`, null, hint)
}
