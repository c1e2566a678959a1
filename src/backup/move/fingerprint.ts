import type { Sql } from 'postgres'
import { literal } from '../../tables/sql-text'
import { moveSchema } from './state'

/**
 * A hash that changes with every definition, at the cost of one query: each row of the catalog contains the id of the
 * transaction that wrote it. The hash may also change although no definition has; pg_dump then shows whether one has.
 */
export async function readFingerprint(sql: Pick<Sql, 'unsafe'>, schemas: readonly string[]): Promise<string> {
  const wanted = `(select oid from pg_namespace where nspname in (${[...schemas, '-'].map(literal).join(', ')}))`
  const relations = `(select oid from pg_class where relnamespace in ${wanted})`
  const parts = [
    `select 'pg_namespace', oid::text, xmin::text from pg_namespace where oid in ${wanted}`,
    `select 'pg_class', oid::text, concat_ws(' ', relnamespace, relname, relkind, relowner, reltype, relam, relpersistence, relrowsecurity, relforcerowsecurity, relispartition, reloptions, relacl) from pg_class where relnamespace in ${wanted}`,
    `select 'pg_attribute', attrelid || ' ' || attnum, xmin::text from pg_attribute where attnum > 0 and attrelid in ${relations}`,
    `select 'pg_attrdef', oid::text, xmin::text from pg_attrdef where adrelid in ${relations}`,
    `select 'pg_constraint', oid::text, xmin::text from pg_constraint where connamespace in ${wanted}`,
    `select 'pg_index', indexrelid::text, concat_ws(' ', indrelid, indkey, indisunique, indisprimary, indisvalid, indisclustered, indisreplident) from pg_index where indrelid in ${relations}`,
    `select 'pg_inherits', inhrelid || ' ' || inhparent, xmin::text from pg_inherits where inhparent in ${relations}`,
    `select 'pg_proc', oid::text, xmin::text from pg_proc where pronamespace in ${wanted}`,
    `select 'pg_type', oid::text, xmin::text from pg_type where typnamespace in ${wanted}`,
    `select 'pg_enum', oid::text, xmin::text from pg_enum`,
    `select 'pg_rewrite', oid::text, xmin::text from pg_rewrite where ev_class in ${relations}`,
    `select 'pg_policy', oid::text, xmin::text from pg_policy where polrelid in ${relations}`,
    `select 'pg_sequence', seqrelid::text, xmin::text from pg_sequence where seqrelid in ${relations}`,
    `select 'pg_description', objoid || ' ' || objsubid, xmin::text from pg_description where objoid in ${relations}`,
    `select 'pg_extension', oid::text, xmin::text from pg_extension`,
    `select 'pg_trigger', oid::text, xmin::text from pg_trigger where tgrelid in ${relations} and tgname not like '${moveSchema.replace('_', '\\_')}\\_%'`,
  ]
  const [row] = await sql.unsafe<{ hash: string }[]>(
    `select md5(string_agg(concat_ws(' ', c.kind, c.object, c.version), E'\\n' order by c.kind, c.object, c.version)) as hash from (${parts.join(' union all ')}) c (kind, object, version)`,
  )
  return row!.hash
}
