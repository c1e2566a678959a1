import type { Sql } from 'postgres'

/**
 * The contents of PostgreSQL's catalogs for a database, as lines without object ids, queried in other ways than by
 * pg_dump. Expressions are compared without the casts and parentheses that may move when they are parsed again.
 */
const questions: Record<string, string> = {
  relations: `select c.oid::regclass, relkind, relpersistence, pg_get_userbyid(relowner), reloptions, relreplident, relrowsecurity, relforcerowsecurity,
      relispopulated, relispartition, pg_get_expr(relpartbound, c.oid), reltablespace, (select array_agg(inhparent::regclass order by inhseqno) from pg_inherits where inhrelid = c.oid),
      case when relkind = 'p' then pg_get_partkeydef(c.oid) end, reloftype::regtype, relacl::text[]
    from pg_class c where relnamespace in (select oid from own) and relkind <> 't'`,
  columns: `select attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression,
      attcollation::regcollation, attislocal, attinhcount, nullif(to_jsonb(a) ->> 'attstattarget', '-1'), attacl::text[], attoptions, pg_get_expr(adbin, adrelid),
      row_number() over (partition by attrelid order by attnum)
    from pg_attribute a join pg_class c on c.oid = attrelid left join pg_attrdef d on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped and relnamespace in (select oid from own)`,
  constraints: `select conrelid::regclass, contypid::regtype, conname, contype, convalidated, condeferrable, condeferred, case when contype = 'c' then connoinherit end, coninhcount, pg_get_constraintdef(oid)
    from pg_constraint where connamespace in (select oid from own) and contype <> 'n'`,
  indexes: `select indexrelid::regclass, indisunique, indisclustered, indisvalid, indisreplident, pg_get_indexdef(indexrelid) from pg_index
    where indexrelid in (select oid from pg_class where relnamespace in (select oid from own))`,
  views: `select oid::regclass, pg_get_viewdef(oid) from pg_class where relkind in ('v', 'm') and relnamespace in (select oid from own)`,
  rules: `select ev_class::regclass, rulename, ev_enabled, pg_get_ruledef(r.oid) from pg_rewrite r join pg_class c on c.oid = ev_class where relnamespace in (select oid from own)`,
  triggers: `select tgrelid::regclass, tgname, tgenabled, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal`,
  functions: `select oid::regprocedure, pg_get_userbyid(proowner), proacl::text[], case when prokind <> 'a' then pg_get_functiondef(oid) end
    from pg_proc where pronamespace in (select oid from own) and oid not in (select oid from of_extension)`,
  aggregates: `select aggfnoid, aggtransfn, aggtranstype::regtype, agginitval from pg_aggregate where aggfnoid::oid >= 16384 and aggfnoid not in (select oid from of_extension)`,
  types: `select oid::regtype, typtype, pg_get_userbyid(typowner), typacl::text[], typnotnull, typdefault, format_type(typbasetype, typtypmod), typcollation::regcollation,
      (select array_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = t.oid), (select rngsubtype::regtype from pg_range where rngtypid = t.oid)
    from pg_type t where typnamespace in (select oid from own) and typtype <> 'b' and oid not in (select oid from of_extension)`,
  operators: `select oid::regoperator, oprcode, oprcom::regoperator from pg_operator where oid >= 16384 and oid not in (select oid from of_extension)`,
  operatorClasses: `select opcname, opcintype::regtype, opcdefault, (select array_agg(amopopr::regoperator order by amopstrategy) from pg_amop where amopfamily = opcfamily) from pg_opclass where oid >= 16384 and oid not in (select oid from of_extension)`,
  casts: `select castsource::regtype, casttarget::regtype, castfunc::regprocedure, castcontext, castmethod from pg_cast where oid >= 16384 and oid not in (select oid from of_extension)`,
  policies: `select polrelid::regclass, polname, polcmd, polpermissive, polroles::regrole[], pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid) from pg_policy`,
  sequences: `select schemaname, sequencename, data_type, start_value, min_value, max_value, increment_by, cycle, cache_size, last_value from pg_sequences`,
  statistics: `select stxname, pg_get_statisticsobjdef(oid) from pg_statistic_ext`,
  publications: `select pubname, puballtables, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot,
      (select array_agg(concat_ws(' ', prrelid::regclass, pg_get_expr(prqual, prrelid), prattrs)) from pg_publication_rel where prpubid = p.oid),
      (select array_agg(pnnspid::regnamespace) from pg_publication_namespace where pnpubid = p.oid)
    from pg_publication p`,
  eventTriggers: `select evtname, evtevent, evtenabled, evttags, evtfoid::regproc from pg_event_trigger`,
  comments: `select (pg_identify_object(classoid, objoid, objsubid)).identity, description from pg_description where objoid >= 16384 and objoid not in (select oid from of_extension)
    union all select 'shared ' || coalesce(datname, rolname), s.description from pg_shdescription s left join pg_database d on d.oid = objoid left join pg_authid a on a.oid = objoid
      where coalesce(datname, rolname) not in ('postgres', 'template0', 'template1')`,
  schemas: `select nspname, pg_get_userbyid(nspowner), nspacl::text[] from pg_namespace where oid in (select oid from own)`,
  rights: `select defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype, defaclacl::text[] from pg_default_acl`,
  extensions: `select extname, extnamespace::regnamespace from pg_extension`,
  foreign: `select srvname, srvoptions, (select array_agg(concat_ws(' ', usename, option) order by option) from pg_user_mappings m, unnest(umoptions) option where m.srvname = s.srvname) from pg_foreign_server s`,
  search: `select cfgname, (select array_agg(concat_ws(' ', maptokentype, mapseqno, mapdict::regdictionary) order by maptokentype, mapseqno) from pg_ts_config_map where mapcfg = c.oid)
    from pg_ts_config c where oid >= 16384 union all select dictname, array[dictinitoption] from pg_ts_dict where oid >= 16384`,
  others: `select conname, pg_encoding_to_char(conforencoding) from pg_conversion where oid >= 16384
    union all select trftype::regtype::text, trffromsql::text from pg_transform
    union all select collname, concat_ws(' ', collprovider, colllocale, collisdeterministic) from pg_collation where oid >= 16384`,
  roles: `select rolname, rolsuper, rolinherit, rolcanlogin, rolcreaterole, rolcreatedb, rolconnlimit, rolpassword, rolvaliduntil from pg_authid where rolname !~ '^pg_'`,
  memberships: `select roleid::regrole, member::regrole, grantor::regrole, admin_option, inherit_option, set_option from pg_auth_members where member >= 16384`,
  settings: `select setrole::regrole, (select datname from pg_database where oid = setdatabase), setconfig from pg_db_role_setting`,
  database: `select datname, pg_get_userbyid(datdba), datlocprovider, datlocale, datcollate, datctype, pg_encoding_to_char(encoding), datacl::text[] from pg_database where datname = 'rowhouse'`,
  largeObjects: `select oid, pg_get_userbyid(lomowner), lomacl::text[], md5(lo_get(oid)) from pg_largeobject_metadata`,
}

const own = `with own as (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'),
  of_extension as (select objid as oid from pg_depend where deptype = 'e')`
const cast = /::("[^"]*"|character varying|\w+)(\.("[^"]*"|\w+))?(\[\])*/g
const plain = (line: string) =>
  line
    .replace(cast, '')
    .replace(/[()\s]+/g, ' ')
    .replace(/ ?([,[\]]) ?/g, '$1')

/** The results by query. */
export async function readInventory(sql: Sql): Promise<Record<string, string[]>> {
  await sql.unsafe(`set search_path = ''; set timezone = 'UTC'; set statement_timeout = 0`).simple()
  const found: Record<string, string[]> = {}
  for (const [name, question] of Object.entries(questions)) {
    const rows = await sql.unsafe<{ line: string }[]>(`${own} select f::text as line from (${question}) f`)
    found[name] = rows.map(({ line }) => plain(line)).sort()
  }
  return found
}

/** Every row, as text, of every table except those of `rowhouse` that a service writes by itself. */
export async function readAllRows(sql: Sql, schemas: readonly string[]): Promise<Record<string, string[]>> {
  await sql.unsafe(`set search_path = ''; set timezone = 'UTC'; set extra_float_digits = 3`).simple()
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'm') and relispopulated and nspname = any(string_to_array(${schemas.join('\t')}, E'\t'))`
  const found: Record<string, string[]> = {}
  for (const { name } of tables) {
    const rows = await sql.unsafe<{ line: string }[]>(`select t::text as line from only ${name} t`)
    found[name] = rows.map(({ line }) => line).sort()
  }
  return found
}
