import type { Sql, TransactionSql } from 'postgres'
import { moveSchema } from './state'

/** A column of a key, as SQL. `equals` is its index's operator: an extension's is on no search path. */
type KeyColumn = { column: string; type: string; collation: string | null; equals: string }

/** A table whose rows are moved, with those of its partitions. Names are SQL. */
export type MovedTable = {
  /** The OID in the old database, which the names of the table's triggers contain. */
  oid: string
  name: string
  isPartitioned: boolean
  /** Columns whose values are stored and not computed. */
  columns: string[]
  /** Columns that name a row; none where there is no primary key or the like. */
  key: KeyColumn[]
  /** With indexes. */
  bytes: number
  /** What a statement may write to: the table and its partitions. */
  relations: string[]
  /** A statement that writes to one table of such a hierarchy may write to the others. */
  isInherited: boolean
  /** It or a partition: PostgreSQL empties it when it recovers from a crash, and no trigger sees that. */
  isUnlogged: boolean
}

/** All but PostgreSQL's own, what extensions have made, and what a move keeps. */
async function listOwnSchemas(sql: Sql | TransactionSql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select nspname as name from pg_namespace n
    where nspname <> 'information_schema' and nspname !~ '^pg_' and nspname <> ${moveSchema}
      and not exists (select from pg_depend where classid = 'pg_namespace'::regclass and objid = n.oid and deptype = 'e') order by 1`
  return rows.map(({ name }) => name)
}

/** @param wanted null for all that are there at this moment */
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

/** The rows of a table by itself, or of all its partitions. */
export const allRowsOf = ({ name, isPartitioned }: MovedTable): string => (isPartitioned ? name : `only ${name}`)

/** A condition for the rows whose keys are in `keys`, a table with a column `key`, and perhaps a condition. */
export function isAmong({ name, key }: MovedTable, keys: string): string {
  const same = key.map(
    ({ column, type, collation, equals }, index) =>
      `${name}.${column} ${equals} (k.noted[${index + 1}]::${type}${collation === null ? '' : ` collate ${collation}`})`,
  )
  return `exists (select from (select key as noted from ${keys}) k where ${same.join(' and ')})`
}
