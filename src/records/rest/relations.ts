import type { Actor } from '../../auth/actor'
import { insufficientScope } from '../../auth/actor'
import { type Catalog, type Tables, tablesFor } from '../../tables/catalog'
import type { Table } from '../../tables/model'
import { nearest } from '../../tables/nearest'
import { refuseRest } from './failure'
import { readProfile } from './profile'

/** The table that a request names, and the tables that its query may reach from there. */
export type Relation = { tables: Tables; table: Table }

/** @throws RestFailure PGRST205, PGRST106; Failure insufficient_scope where the token does not reach the table */
export async function findRelation(catalog: Catalog, actor: Actor, request: Request, name: string): Promise<Relation> {
  const tables = await tablesFor(catalog, actor)
  const schema = readProfile(request, tables.schemas)
  const table = tables.byQualifiedName.get(`${schema}.${name}`)
  if (table) return { tables, table }
  // What the token keeps from its bearer is said, as on the native route; what does not exist is another matter.
  if (actor.token?.tables && (await catalog.at(actor.catalogVersion)).byQualifiedName.has(`${schema}.${name}`))
    throw insufficientScope('to reach this table')
  return refuseUnknown(tables, schema, name)
}

function refuseUnknown({ list }: Tables, schema: string, name: string): never {
  const known = list.filter((table) => table.schema === schema).map((table) => table.name)
  const similar = nearest(name, known)
  const hint = similar === undefined ? null : `Perhaps you meant the table '${schema}.${similar}'`
  return refuseRest(404, 'PGRST205', `Could not find the table '${schema}.${name.slice(0, 100)}' in the schema cache`, null, hint)
}
