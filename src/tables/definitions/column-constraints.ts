import type { Query } from '../../db/pool/open'
import { operator } from '../../db/search-path'
import { conflict } from '../../errors'
import { translatable } from '../../messages/message'
import { ruleNames } from '../column-types/definition'
import { constraintName } from '../constraints'
import { type ColumnDescription, caselessStatements, type TableRef } from '../ddl'
import { identifier, qualifiedName } from '../sql-text'
import { runStatements } from './service'

/**
 * The constraints of one column in the database, by name; psql may have removed some and added others. `caseless` are
 * the unique indexes on `lower()` of the column.
 */
export type ColumnConstraints = { checks: string[]; unique: string[]; caseless: string[]; foreignKeys: string[] }

/**
 * @param query of a transaction in which names without a schema are PostgreSQL's own
 * @param name the column's name; only checks that Rowhouse makes are listed
 */
export async function constraintsOf(query: Query, { schema, name: table }: TableRef, name: string): Promise<ColumnConstraints> {
  const rows = await query<{ name: string; kind: string }>(
    `select con.conname as name, con.contype::text as kind from pg_constraint con
       join pg_class c on c.oid = con.conrelid join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = $3::text
     where n.nspname = $1::text and c.relname = $2::text and con.conkey = array[a.attnum]
     union all select e.name, 'caseless' from (
       select x.relname as name, pg_get_expr(i.indexprs, i.indrelid) as expression from pg_index i join pg_class x on x.oid = i.indexrelid
         join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1::text and c.relname = $2::text and i.indisunique and i.indisvalid and i.indpred is null
         and i.indnkeyatts = 1 and i.indcollation[0] = '"default"'::regcollation offset 0) e
     where e.expression in (format('lower(%I)', $3::text), format('lower((%I)::text)', $3::text))
     order by name`,
    [schema, table, name],
  )
  const ours = new Set(ruleNames.map((rule) => constraintName(name, rule)))
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map((row) => row.name)
  return { checks: of('c').filter((check) => ours.has(check)), unique: of('u'), caseless: of('caseless'), foreignKeys: of('f') }
}

/** @throws Failure conflict, like `requireDistinct` */
export async function addCaselessIndex(query: Query, table: TableRef, column: ColumnDescription): Promise<void> {
  await requireDistinct(query, table, column.name)
  await runStatements(query, caselessStatements(table, column))
}

/**
 * @throws Failure conflict if values of the column differ only by case, with the number of such values and an example
 */
export async function requireDistinct(query: Query, table: TableRef, name: string): Promise<void> {
  const value = identifier(name)
  const [found] = await query<{ count: number; one: string; other: string }>(
    `select (pg_catalog.count(*) over ())::int as count, pg_catalog.min(${value}) as one, pg_catalog.max(${value}) as other
     from ${qualifiedName(table)} where ${value} is not null group by pg_catalog.lower(${value})
     having pg_catalog.count(*) ${operator('>')} 1 order by pg_catalog.lower(${value}) limit 1`,
    [],
    { prepare: false },
  )
  if (!found) return
  const named = { name, one: found.one, other: found.other }
  throw conflict(
    found.count === 1
      ? translatable('One address in "{name}" has several records if upper and lower case are ignored: "{one}" and "{other}".', named)
      : translatable(
          '{count} addresses in "{name}" have several records if upper and lower case are ignored, for example "{one}" and "{other}".',
          { ...named, count: found.count },
        ),
    {
      errors: [{ path: '/options/ignoreCase', message: translatable('is not unique among the records') }],
      hint: translatable('Change these records first, or send "ignoreCase": false among the options.'),
    },
  )
}
