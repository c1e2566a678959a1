import { sql } from 'drizzle-orm'
import type { Query, Tx } from '../../db/pool/open'
import { catalogVersionSql } from '../../db/schema/catalog-version'
import { notFound } from '../../errors'
import { translatable } from '../../messages/message'
import type { Table } from '../model'
import type { Tables } from './catalog'
import { introspect } from './introspection/introspection'
import { toTable } from './introspection/to-table'

/**
 * Whether the tables are the current ones. Rowhouse does not change them before the transaction ends, and a later
 * rename also finds the texts that this transaction saves with their present names.
 */
export async function areCurrent(tx: Tx, { version }: Pick<Tables, 'version'>): Promise<boolean> {
  await tx.execute(sql`select 1 from rowhouse.catalog_version for share`)
  return (await readCatalogVersion(tx)) === version
}

export async function readCatalogVersion(tx: Tx): Promise<number> {
  const [now] = await tx.execute<{ version: string }>(sql.raw(`select ${catalogVersionSql}::text as version`))
  return Number(now!.version)
}

/** Reads a table within the transaction that has made or changed it, before the commit. @throws Failure not_found */
export async function readTableInTransaction(query: Query, schema: string, name: string): Promise<Table> {
  const { relations, types } = await introspect(query, [schema])
  const found = relations.map(({ read }) => read()).find((relation) => relation.schema === schema && relation.name === name)
  if (!found) throw notFound(translatable('There is no such table.'))
  return toTable(found, types)
}
