import type { Sql } from 'postgres'
import { arrayLiteral } from '../../db/arrays'
import { equal, operator } from '../../db/search-path'

const maxNamed = 3

/** The objects that a schema can have. Row types and array types are left out: they come with their table. */
const objects = `
  select 'pg_catalog.pg_class'::regclass::oid, oid, relnamespace, relname::text from pg_catalog.pg_class
    where relkind ${equal} any ('{r,p,v,m,S,f}')
  union all select 'pg_catalog.pg_proc'::regclass, oid, pronamespace, proname::text from pg_catalog.pg_proc
  union all select 'pg_catalog.pg_type'::regclass, oid, typnamespace, typname::text from pg_catalog.pg_type t
    where typelem ${equal} 0 and (typrelid ${equal} 0 or exists (
      select from pg_catalog.pg_class c where c.oid ${equal} t.typrelid and c.relkind ${equal} 'c'))
  union all select 'pg_catalog.pg_operator'::regclass, oid, oprnamespace, oprname::text from pg_catalog.pg_operator
  union all select 'pg_catalog.pg_collation'::regclass, oid, collnamespace, collname::text from pg_catalog.pg_collation
  union all select 'pg_catalog.pg_ts_config'::regclass, oid, cfgnamespace, cfgname::text from pg_catalog.pg_ts_config`

/**
 * Names of some objects in these schemas; null if there are none. Objects of extensions, which a provider may have put
 * into `public`, do not count, nor do objects that belong to another object. A partitioned table depends on itself.
 */
export async function describeObjects(sql: Pick<Sql, 'unsafe'>, schemas: readonly string[]): Promise<string | null> {
  const found = await sql.unsafe<{ name: string }[]>(
    `select pg_catalog.format('%I.%I', nspname, name) as name from (${objects}) as o (classid, objid, namespace, name)
       join pg_catalog.pg_namespace n on n.oid ${equal} namespace
     where nspname ${equal} any ($1::text[]) and not exists (select from pg_catalog.pg_depend d
       where d.classid ${equal} o.classid and d.objid ${equal} o.objid and d.deptype ${equal} any ('{e,i,a}')
         and d.refobjid ${operator('<>')} d.objid)
     order by 1 limit ${maxNamed + 1}`,
    [arrayLiteral(schemas)],
  )
  const names = found.slice(0, maxNamed).map(({ name }) => name)
  return found.length === 0 ? null : names.join(', ') + (found.length > maxNamed ? ' …' : '')
}
