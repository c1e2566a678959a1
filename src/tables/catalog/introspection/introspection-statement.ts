import { catalogVersionSql } from '../../../db/schema/catalog-version'
import { timestampText } from '../../../db/timestamp-text'
import { searchIndexNames } from '../search-text'

/** Scanned twice: a second scan of pg_attribute costs less than keeping the rows of the first one. */
const attributes = 'pg_attribute a join relations r on r.oid = a.attrelid and a.attnum > 0 and not a.attisdropped and not r.is_locked'

const typeFields = `t.oid, t.typbasetype as base, case when t.typsubscript = 'array_subscript_handler'::regproc then t.typelem else 0 end as element`

/** The types of the columns and the types beneath them: domains of domains, their base types, elements of arrays. */
const depth = [1, 2, 3, 4, 5]
const typeLevels = [
  `types0 as materialized (select ${typeFields} from pg_type t where t.oid in (select a.atttypid from ${attributes}))`,
  ...depth.map(
    (level) => `types${level} as materialized (select ${typeFields} from pg_type t
    where t.oid in (select unnest(array[base, element]) from types${level - 1}))`,
  ),
  `used_types as (${[0, ...depth].map((level) => `select * from types${level}`).join(' union ')})`,
].join(', ')

/**
 * Reads the definitions of all tables of the schemas `$1::text[]`, in one snapshot. Each row has two texts: `part` is
 * `version`, `role`, `schemas`, `types` or `table`; `text` is its JSON (introspection.ts has the shapes). Everything is
 * read from pg_catalog, so no right on a table is needed.
 *
 * A column is an array of texts, because json_agg looks up once how to write these; json_build_array would look it up
 * for each of thousands of values. The statement has joins and no subselects per column: subselects would raise the
 * estimated cost so far that PostgreSQL compiles the statement (JIT), which takes a second.
 *
 * If another session has locked a table in ACCESS EXCLUSIVE mode (an ALTER TABLE in an open transaction), only its name
 * is read: `pg_get_expr` (since PostgreSQL 17) and `pg_relation_is_updatable` would wait for the lock.
 */
export const introspectionStatement = `with recursive served as materialized (
  select n.oid, n.nspname as name, asked.place, has_schema_privilege(n.oid, 'usage') as is_open
  from unnest($1::text[]) with ordinality as asked(name, place) join pg_namespace n on n.nspname = asked.name
), locked as materialized (
  select relation as oid from pg_locks where locktype = 'relation' and mode = 'AccessExclusiveLock' and granted and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())
), hidden as materialized (
  -- Partitions are part of the table that they belong to, where that one is served.
  select i.inhrelid as oid from pg_inherits i join pg_class child on child.oid = i.inhrelid and child.relispartition
    join pg_class parent on parent.oid = i.inhparent where parent.relnamespace in (select oid from served)
), relations as materialized (
  select c.oid, c.relname as name, c.relkind as kind, s.name as schema, s.place, s.is_open, locked.oid is not null as is_locked,
    concat(case when has_table_privilege(c.oid, 'select') then 'r' end, case when has_table_privilege(c.oid, 'insert') then 'a' end,
      case when has_table_privilege(c.oid, 'update') then 'w' end, case when has_table_privilege(c.oid, 'delete') then 'd' end,
      case when c.relkind in ('r', 'm') and has_column_privilege(c.oid, (-2)::int2, 'select') and has_column_privilege(c.oid, (-1)::int2, 'select') then 'x' end) as granted,
    case when c.relkind in ('v', 'f') and locked.oid is null then pg_relation_is_updatable(c.oid, true) end as events,
    case when c.relkind in ('v', 'f') and locked.oid is null then pg_relation_is_updatable(c.oid, false) end as own_events
  from pg_class c join served s on s.oid = c.relnamespace left join locked on locked.oid = c.oid left join hidden on hidden.oid = c.oid
  where c.relkind in ('r', 'p', 'f', 'v', 'm') and hidden.oid is null
), layers as materialized (
  -- What is written by way of another: tables behind views, partitions, and tables that inherit.
  select inhparent as above, inhrelid as below from pg_inherits
  union select w.ev_class, d.refobjid from pg_rewrite w join pg_class v on v.oid = w.ev_class and v.relkind = 'v'
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
  where w.ev_type = '1' and w.ev_class >= 16384 and d.refobjid <> w.ev_class
), acting as (
  -- Types of triggers are bits: 1 for each row, 4 insert, 16 update. Rules of type 1 are what views are made of.
  (select t.tgrelid as oid from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and t.tgenabled <> 'D' and t.tgtype & 1 = 0 and t.tgtype & 20 <> 0 and p.pronamespace <> 'rowhouse'::regnamespace
    union select ev_class from pg_rewrite where ev_type in ('2', '3'))
  union select l.above from acting a join layers l on l.below = a.oid
), logged as (
  select t.tgrelid as oid from pg_trigger t join pg_proc p on p.oid = t.tgfoid where p.pronamespace = 'rowhouse'::regnamespace and p.proname = 'log_changes' and t.tgenabled <> 'D'
  group by t.tgrelid having bit_or(t.tgtype) & 28 = 28
), calling as (
  -- Triggers, defaults, checks and policies that call functions which are somebody's own, and not in C.
  (select coalesce(t.tgrelid, f.adrelid, c.conrelid, o.polrelid) as oid
    from pg_proc p join pg_language g on g.oid = p.prolang and g.lanname not in ('c', 'internal')
      join pg_depend d on d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid
      left join pg_trigger t on d.classid = 'pg_trigger'::regclass and t.oid = d.objid and t.tgenabled <> 'D'
      left join pg_attrdef f on d.classid = 'pg_attrdef'::regclass and f.oid = d.objid
      left join pg_constraint c on d.classid = 'pg_constraint'::regclass and c.oid = d.objid
      left join pg_policy o on d.classid = 'pg_policy'::regclass and o.oid = d.objid
    where p.oid >= 16384 and p.pronamespace <> 'rowhouse'::regnamespace)
  union select l.above from calling a join layers l on l.below = a.oid
), following as (
  -- After an insert or update (4, 16; neither before, 2, nor instead, 64), but not at the commit. Those in C are of extensions, and keep the row.
  (select t.tgrelid as oid from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_language g on g.oid = p.prolang
    where not t.tgisinternal and t.tgenabled <> 'D' and not t.tginitdeferred and t.tgtype & 66 = 0 and t.tgtype & 20 <> 0 and p.pronamespace <> 'rowhouse'::regnamespace
      and g.lanname not in ('c', 'internal'))
  union select l.above from following a join layers l on l.below = a.oid
), guarding as (
  -- Before or instead of an update of each row (2 or 64, 1 and 16). Those in C are of extensions, and keep the row; others do where they only ever return the new one.
  (select t.tgrelid as oid from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_language g on g.oid = p.prolang
    where not t.tgisinternal and t.tgenabled <> 'D' and t.tgtype & 17 = 17 and t.tgtype & 66 <> 0 and p.pronamespace <> 'rowhouse'::regnamespace
      and g.lanname <> 'c' and (g.lanname <> 'plpgsql' or regexp_replace(p.prosrc, '\\mreturn\\s+new\\s*;', '', 'gi') ~* '\\mreturn\\M'))
  union select l.above from guarding a join layers l on l.below = a.oid
), ${typeLevels}
, types as (
  select json_agg(json_build_array(t.oid::int8, n.nspname, t.typname, format_type(t.oid, -1), t.typtype, u.base::int8, u.element::int8,
    t.typnotnull, case when t.typdefaultbin is not null then pg_get_expr(t.typdefaultbin, 0) end, labels.list, has_schema_privilege(n.oid, 'usage'),
    case when t.typtypmod <> -1 then format_type(t.typbasetype, t.typtypmod) end) order by t.oid) as list
  from used_types u join pg_type t on t.oid = u.oid join pg_namespace n on n.oid = t.typnamespace
    left join (select enumtypid, json_agg(enumlabel order by enumsortorder) as list from pg_enum group by 1) labels on labels.enumtypid = t.oid
), columns as (
  -- Since version 18, a constraint that is not validated sets attnotnull, too, although the column may hold nulls.
  select a.attrelid, json_agg(array[a.attnum::text, a.attname::text, a.atttypid::text,
    case when a.atttypmod <> -1 then format_type(a.atttypid, a.atttypmod) end, pg_get_expr(d.adbin, d.adrelid),
    case when a.attnotnull and (a.attrelid, a.attnum) not in
      (select conrelid, conkey[1] from pg_constraint where contype = 'n' and not convalidated and conrelid <> 0) then 'n' else '' end
      || a.attidentity::text || case when a.attgenerated <> '' then 'g' else '' end,
    case when a.attacl is not null then concat(case when has_column_privilege(a.attrelid, a.attnum, 'select') then 'r' end,
      case when has_column_privilege(a.attrelid, a.attnum, 'insert') then 'a' end,
      case when has_column_privilege(a.attrelid, a.attnum, 'update') then 'w' end) end,
    case when r.kind in ('v', 'f') then pg_column_is_updatable(a.attrelid, a.attnum, true)::text end, t.description] order by a.attnum) as list
  from ${attributes} left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join pg_description t on t.classoid = 'pg_class'::regclass and t.objoid = a.attrelid and t.objsubid = a.attnum group by a.attrelid
), whole_keys as materialized (
  select i.indrelid, i.indisprimary, i.indimmediate, (i.indkey::int2[])[0:i.indnkeyatts - 1] as numbers, i.indcollation, i.indexprs, c.relname
  from pg_index i join relations r on r.oid = i.indrelid and not r.is_locked join pg_class c on c.oid = i.indexrelid
  where i.indisunique and i.indisvalid and i.indpred is null
), caseless_keys as (
  -- On lower() of one column, in the collation in which values of requests are lowered, too.
  select e.indrelid, a.attnum, e.relname
  from (select indrelid, relname, pg_get_expr(indexprs, indrelid) as expression from whole_keys
      where indexprs is not null and numbers = '{0}' and indcollation[0] = '"default"'::regcollation offset 0) e
    join pg_attribute a on a.attrelid = e.indrelid and a.attnum > 0 and not a.attisdropped
      and e.expression in (format('lower(%I)', a.attname), format('lower((%I)::text)', a.attname))
), keys as (
  select k.indrelid, json_agg(json_build_array(k.indisprimary, k.indimmediate, k.numbers, k.is_caseless) order by not k.indisprimary, k.relname) as list
  from (select indrelid, indisprimary, indimmediate, numbers, relname, false as is_caseless from whole_keys where indexprs is null
    union all select indrelid, false, true, array[attnum], relname, true from caseless_keys) k group by k.indrelid
), links as (
  select l.conrelid, json_agg(json_build_array(l.conname, l.conkey, l.schema, l.relname, l.target_columns) order by l.conname) as list
  from (select con.oid, con.conrelid, con.conname, con.conkey, n.nspname as schema, c.relname, json_agg(a.attname order by k.place) as target_columns
    from pg_constraint con join relations r on r.oid = con.conrelid and not r.is_locked join pg_class c on c.oid = con.confrelid join pg_namespace n on n.oid = c.relnamespace
      cross join unnest(con.confkey) with ordinality as k(number, place)
      join pg_attribute a on a.attrelid = con.confrelid and a.attnum = k.number
    where con.contype = 'f' and (con.conparentid = 0 or exists (select from pg_class own where own.oid = con.conrelid and own.relispartition))
    group by con.oid, con.conrelid, con.conname, con.conkey, n.nspname, c.relname) l group by l.conrelid
), extensions as (
  select d.objid, e.extname as name from pg_depend d join pg_extension e on e.oid = d.refobjid
  where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_extension'::regclass and d.deptype = 'e'
), searches as (
  select i.indrelid, json_agg(json_build_array(c.relname, n.nspname)) as list from pg_index i join relations r on r.oid = i.indrelid
    join pg_class c on c.oid = i.indexrelid and c.relname ~ '${searchIndexNames.source}'
    join pg_extension e on e.extname = 'pg_trgm' join pg_namespace n on n.oid = e.extnamespace where i.indisvalid group by i.indrelid
), own as (
  select t.name, json_build_object('id', t.id, 'createdAt', ${timestampText('t.created_at')},
    'displayColumnId', t.display_column_id, 'section', t.section, 'position', t.position,
    'isSearchIndexed', t.is_search_indexed, 'columns', coalesce(c.list, '[]')) as notes
  from rowhouse.tables t left join (select table_id, json_agg(json_build_object('id', n.id, 'name', n.name, 'type', n.type, 'default', "default", 'options', options,
    'joinTable', join_table, 'description', d.description) order by position) as list
    from rowhouse.columns n left join relations r on r.schema = 'data' and r.name = n.join_table ->> 'name'
      left join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = r.oid and d.objsubid = 0
    where n.join_table is null or r.oid is not null group by table_id) c on c.table_id = t.id
), joins as materialized (
  select distinct join_table ->> 'name' as name from rowhouse.columns where join_table is not null
)
select 'version' as part, ${catalogVersionSql}::text as text
union all select 'role', to_json(current_user)::text
union all select 'schemas', coalesce((select json_agg(name order by place) from served), '[]')::text
union all select 'types', coalesce((select list from types), '[]')::text
union all (select 'table', json_build_array(r.schema, r.name, r.kind, r.is_open, r.is_locked, r.granted, r.events, r.own_events, e.name, c.list, k.list, l.list, o.notes, j.name is not null, g.oid is not null, d.oid is not null, a.oid is not null, w.oid is not null, f.oid is not null, s.list)::text
  from relations r left join columns c on c.attrelid = r.oid left join keys k on k.indrelid = r.oid left join links l on l.conrelid = r.oid
    left join extensions e on e.objid = r.oid left join own o on r.schema = 'data' and o.name = r.name
    left join acting g on g.oid = r.oid left join guarding d on d.oid = r.oid left join calling a on a.oid = r.oid left join logged w on w.oid = r.oid left join following f on f.oid = r.oid left join searches s on s.indrelid = r.oid left join joins j on r.schema = 'data' and j.name = r.name
  order by r.place, r.name)`
