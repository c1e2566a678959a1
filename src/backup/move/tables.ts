import type { Sql, TransactionSql } from 'postgres'
import { moveSchema } from './state'

/** A column of a key, as SQL. `equals` is the operator of its index, with its schema: the search path is empty. */
type KeyColumn = { column: string; type: string; collation: string | null; equals: string }

/** A table whose rows are moved, including those of its partitions. Names are SQL. */
export type MovedTable = {
  /** The OID in the old database, which the name of the table's trigger function contains. */
  oid: string
  name: string
  isPartitioned: boolean
  /** Columns whose values are stored rather than computed. */
  columns: string[]
  /** The columns that identify a row; empty without a primary key or a similar unique index. */
  key: KeyColumn[]
  /** Includes the indexes. */
  bytes: number
  /** The table and its partitions; a statement may write to any of them. */
  relations: string[]
  /** Whether it is part of an inheritance hierarchy: a statement on one of its tables may write to the others. */
  isInherited: boolean
  /** Whether the table or a partition is unlogged: PostgreSQL empties it after a crash without firing a trigger. */
  isUnlogged: boolean
}

/** All schemas except those of PostgreSQL, extensions and a move. */
async function listOwnSchemas(sql: Sql | TransactionSql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select nspname as name from pg_namespace n
    where nspname <> 'information_schema' and nspname !~ '^pg_' and nspname <> ${moveSchema}
      and not exists (select from pg_depend where classid = 'pg_namespace'::regclass and objid = n.oid and deptype = 'e') order by 1`
  return rows.map(({ name }) => name)
}

/** @param wanted null for all that currently exist */
export const listMovedSchemas = async (sql: Sql | TransactionSql, wanted: readonly string[] | null): Promise<string[]> =>
  (await listOwnSchemas(sql)).filter((name) => wanted === null || wanted.includes(name))

export async function listMovedTables(sql: Sql, schemas: readonly string[]): Promise<MovedTable[]> {
  const rows = await sql.unsafe<(Omit<MovedTable, 'bytes'> & { bytes: string })[]>(
    `select c.oid::text as oid, format('%I.%I', n.nspname, c.relname) as name, c.relkind = 'p' as "isPartitioned",
      (select coalesce(json_agg(quote_ident(attname) order by attnum), '[]') from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      case when inherited.yes then '[]' else coalesce((select json_agg(json_build_object('column', quote_ident(a.attname),
          'type', format_type(a.atttypid, a.atttypmod), 'collation', case when a.attcollation <> 0 then format('%I.%I', cn.nspname, co.collname) end,
          'equals', format('operator(%I.%s)', opn.nspname, op.oprname)) order by k.place)
        from unnest(found.attnums) with ordinality k (attnum, place) join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
        left join pg_collation co on co.oid = a.attcollation left join pg_namespace cn on cn.oid = co.collnamespace
        join pg_opclass oc on oc.oid = found.classes[k.place - 1]
        join pg_amop ao on ao.amopfamily = oc.opcfamily and ao.amoplefttype = oc.opcintype and ao.amoprighttype = oc.opcintype and ao.amopstrategy = 3
        join pg_operator op on op.oid = ao.amopopr join pg_namespace opn on opn.oid = op.oprnamespace), '[]') end as key,
      coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree(c.oid)), pg_total_relation_size(c.oid))::text as bytes,
      coalesce((select json_agg(format('%I.%I', pn.nspname, p.relname) order by t.level, 1) from pg_partition_tree(c.oid) t
        join pg_class p on p.oid = t.relid join pg_namespace pn on pn.oid = p.relnamespace where p.relkind in ('r', 'p')),
        json_build_array(format('%I.%I', n.nspname, c.relname))) as relations,
      inherited.yes as "isInherited", c.relpersistence = 'u' or exists (select from pg_partition_tree(c.oid) t
        join pg_class p on p.oid = t.relid where p.relpersistence = 'u') as "isUnlogged"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      cross join lateral (select exists (select from pg_inherits i join pg_class child on child.oid = i.inhrelid
        where c.oid in (i.inhrelid, i.inhparent) and not child.relispartition) as yes) inherited
      left join lateral (select attnums, i.indclass::oid[] as classes from pg_index i, lateral (select array(select unnest(i.indkey::int2[]) limit i.indnkeyatts) as attnums) k
        where i.indrelid = c.oid and i.indisunique and i.indimmediate and i.indisvalid and i.indpred is null and i.indexprs is null
          and not exists (select from pg_attribute a where a.attrelid = c.oid and not a.attnotnull and a.attnum = any (attnums))
        order by i.indisprimary desc, i.indnkeyatts, i.indexrelid limit 1) found on true
    where c.relkind in ('r', 'p') and c.relpersistence <> 't' and not c.relispartition
      and n.nspname in (select json_array_elements_text($1::text::json))
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    order by pg_total_relation_size(c.oid) desc, 1`,
    [JSON.stringify(schemas)],
  )
  return rows.map(({ bytes, ...table }) => ({ ...table, bytes: Number(bytes) }))
}

/** The table for a query: with its partitions, and otherwise without the tables that inherit from it. */
export const allRowsOf = ({ name, isPartitioned }: MovedTable): string => (isPartitioned ? name : `only ${name}`)

/**
 * A condition for the rows whose keys are in `keys`: a table with a column `key`, optionally restricted by a condition.
 */
export function isAmong({ name, key }: MovedTable, keys: string): string {
  const same = key.map(
    ({ column, type, collation, equals }, index) =>
      `${name}.${column} ${equals} (k.noted[${index + 1}]::${type}${collation === null ? '' : ` collate ${collation}`})`,
  )
  return `exists (select from (select key as noted from ${keys}) k where ${same.join(' and ')})`
}
