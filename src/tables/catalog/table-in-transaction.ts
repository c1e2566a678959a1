import type { Query } from '../../db/open'
import { notFound } from '../../errors'
import { translatable } from '../../messages/message'
import type { Table } from '../model'
import { introspect } from './introspection'
import { toTable } from './to-table'

/** Reads a table within the transaction that has made or changed it, before the commit. @throws Failure not_found */
export async function readTableInTransaction(query: Query, schema: string, name: string): Promise<Table> {
  const { relations, types } = await introspect(query, [schema])
  const found = relations.map(({ read }) => read()).find((relation) => relation.schema === schema && relation.name === name)
  if (!found) throw notFound(translatable('There is no such table.'))
  return toTable(found, types)
}
