import type { Query } from '../../db/open'
import { ruleNames } from '../column-types/definition'
import { constraintName } from '../constraints'
import type { TableRef } from '../ddl'

/**
 * The constraints of one column as they are in the database, by name; psql may have taken some away, and added others.
 */
export type ColumnConstraints = { checks: string[]; unique: string[]; foreignKeys: string[] }

/** @param name the column's; of checks only those that Rowhouse makes are told */
export async function constraintsOf(query: Query, { schema, name: table }: TableRef, name: string): Promise<ColumnConstraints> {
  const rows = await query<{ name: string; kind: string }>(
    `select con.conname as name, con.contype::text as kind from pg_constraint con
       join pg_class c on c.oid = con.conrelid join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = $3::text
     where n.nspname = $1::text and c.relname = $2::text and con.conkey = array[a.attnum] order by con.conname`,
    [schema, table, name],
  )
  const ours = new Set(ruleNames.map((rule) => constraintName(name, rule)))
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map((row) => row.name)
  return { checks: of('c').filter((check) => ours.has(check)), unique: of('u'), foreignKeys: of('f') }
}
