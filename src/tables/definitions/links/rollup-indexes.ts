import { sqlState } from '../../../db/errors'
import type { Executor, Query } from '../../../db/pool/open'
import { identifier, qualifiedName } from '../../sql-text'

/** Writes to the table wait while the index is built, for about a second per million records. */
const maxRecords = 5_000_000
const maxIncluded = 8

/** The rest of the name is random, so that the next index can be built before this one is dropped. */
const namePrefix = 'rollups_'
const isOwnName = new RegExp(`^${namePrefix}[0-9a-f]{32}$`)

/** A link through which rollups or counts read. `read` are the columns for its index to include; empty for none. */
type ReadLink = { table: string; column: string; records: number; read: string[]; indexes: LinkIndex[] }

/** An index whose first column is the link. `isPlain` if it has no other column and enforces nothing. */
type LinkIndex = { name: string; columns: string[]; isPlain: boolean }

/**
 * Links in tables that Rowhouse made and may change. A value in an index has to fit on its page, so texts are never
 * included. A unique link leads to one record, which needs no separate index.
 */
const readLinks = `with links as (
    select l.id, l.table_id, t.name as table, l.name as column, c.oid, c.reltuples, a.attnum, l.is_unique or a.attlen < 0 as is_excluded
    from rowhouse.columns l join rowhouse.tables t on t.id = l.table_id join pg_namespace s on s.nspname = 'data'
      join pg_class c on c.relnamespace = s.oid and c.relname = t.name and c.relkind = 'r' and pg_has_role(c.relowner, 'USAGE')
      join pg_attribute a on a.attrelid = c.oid and a.attname = l.name
    where l.type = 'link'
  ), indexes as (
    select i.indrelid, i.indkey[0] as attnum, bool_or(x.relname ~ '^${namePrefix}') as is_any_own,
      json_agg(json_build_object('name', x.relname, 'columns', k.columns,
        'isPlain', i.indnatts = 1 and not i.indisunique and not i.indisexclusion) order by x.relname) as list
    from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam and m.amname = 'btree'
      cross join lateral (select array_agg(a.attname::text) as columns from pg_attribute a
        where a.attrelid = i.indrelid and a.attnum = any(i.indkey)) k
    where i.indisvalid and i.indpred is null and i.indexprs is null and i.indrelid in (select oid from links) group by 1, 2
  ), computed as (
    select v.id, r.options ->> 'column' as link, v.options
    from rowhouse.columns v join rowhouse.columns r on r.table_id = v.table_id and r.type = 'reverseLinks' and r.id::text = v.options ->> 'link'
    where v.type in ('rollup', 'count')
  ), values as (
    select id, link, options ->> 'column' as value from computed where options ? 'column'
    union all select id, link, filter ->> 'column' from computed cross join jsonb_array_elements(coalesce(options -> 'filter', '[]')) filter
  ), reads as (
    select v.id, l.id as link, array_agg(a.attname::text) as read
    from values v join links l on l.id::text = v.link and not l.is_excluded
      left join rowhouse.columns n on n.table_id = l.table_id and n.id::text = v.value
      left join pg_attribute a on a.attrelid = l.oid and a.attname = n.name and a.attnum > 0
        and (a.attlen > 0 or a.atttypid = 'numeric'::regtype)
    group by 1, 2 having bool_and(a.attnum is not null)
  )
  select l.table, l.column, l.reltuples::float8 as records, coalesce(i.list, '[]')::text as indexes,
    array_to_json(array(select distinct name from reads r cross join unnest(r.read) name where r.link = l.id and name <> l.column order by name))::text as read
  from links l left join indexes i on i.indrelid = l.oid and i.attnum = l.attnum
  where i.is_any_own or exists (select from computed c where c.link = l.id::text)`

async function findReadLinks(query: Query): Promise<ReadLink[]> {
  const rows = await query<Record<keyof ReadLink, string>>(readLinks)
  return rows.map(({ table, column, records, indexes, read }) => ({
    ...{ table, column, records: Number(records) },
    ...{ indexes: JSON.parse(indexes) as LinkIndex[], read: JSON.parse(read) as string[] },
  }))
}

/**
 * The statements that give a link the index that it should have: one that includes the columns that rollups read, which
 * replaces the plain index. It is not built if an index that was made manually includes these columns.
 */
function indexStatements({ table, column, records, read, indexes }: ReadLink): string[] {
  const [own, others] = [indexes.filter(({ name }) => isOwnName.test(name)), indexes.filter(({ name }) => !isOwnName.test(name))]
  const isCoveredByHand = others.some(({ columns }) => read.every((name) => columns.includes(name)))
  const isCovering = read.length > 0 && read.length <= maxIncluded && !isCoveredByHand
  const current = isCovering
    ? own.find(({ columns }) => columns.length === read.length + 1 && read.every((name) => columns.includes(name)))
    : others[0]
  if (!current && records > maxRecords) return []
  const target = `on ${qualifiedName({ schema: 'data', name: table })} (${identifier(column)})`
  const name = identifier(`${namePrefix}${Bun.randomUUIDv7().replaceAll('-', '')}`)
  const build = isCovering ? `create index ${name} ${target} include (${read.map(identifier).join(', ')})` : `create index ${target}`
  const obsolete = isCovering ? [...own, ...others.filter(({ isPlain }) => isPlain)] : own
  return [
    ...(current ? [] : [build]),
    ...obsolete.filter((index) => index !== current).map((index) => `drop index ${qualifiedName({ schema: 'data', name: index.name })}`),
  ]
}

/** @param query of a transaction in which names are PostgreSQL's own */
export const areRollupsIndexed = async (query: Query): Promise<boolean> =>
  (await findReadLinks(query)).every((link) => indexStatements(link).length === 0)

/**
 * Gives each link the index that its rollups need. An index only saves time, so if it cannot be built or dropped now,
 * the change of definitions continues without it.
 * @param executor of a transaction in which names are PostgreSQL's own (`withCatalogPath`)
 */
export async function indexRollups({ query, transaction }: Pick<Executor, 'query' | 'transaction'>): Promise<void> {
  for (const link of await findReadLinks(query)) {
    for (const statement of indexStatements(link)) {
      try {
        await transaction((inside) => inside.query(statement, [], { prepare: false }))
      } catch (error) {
        if (sqlState(error) === undefined) throw error
        break
      }
    }
  }
}
