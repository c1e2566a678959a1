import type { Sql } from 'postgres'
import { identifier, literal } from '../../tables/sql-text'
import { describeObjects } from '../database-copy/contents'
import { BackupError } from '../errors'
import { moveSchema } from './state'
import type { MovedTable } from './tables'

/** The oldest supported major version of PostgreSQL. */
const oldestServer = 15

type SourceRights = {
  role: string
  database: string
  mayCreate: boolean
  closed: string[]
  largeObjects: number
  mayReadLargeObjects: boolean
  subscribed: string[]
}

/**
 * Checks that the service's role may create a schema in the old database, and read and monitor every table, and that no
 * subscription writes to one.
 * @throws BackupError, with the missing GRANT statements
 */
export async function requireSourceRights(from: Sql, tables: readonly MovedTable[]): Promise<void> {
  const [rights] = await from.unsafe<SourceRights[]>(
    `select current_user::text as role, current_database()::text as database, has_database_privilege(current_database(), 'create') as "mayCreate",
      (select coalesce(json_agg(name), '[]') from json_array_elements_text($1::text::json) name
        where not (has_table_privilege(name, 'select') and has_table_privilege(name, 'trigger') and has_table_privilege(name, 'update'))) as closed,
      (select count(*)::int from pg_largeobject_metadata) as "largeObjects", has_table_privilege('pg_largeobject', 'select') as "mayReadLargeObjects",
      (select coalesce(json_agg(name), '[]') from json_array_elements_text($1::text::json) name
        where exists (select from pg_subscription_rel where srrelid = name::regclass)) as subscribed`,
    [JSON.stringify(tables.flatMap(({ relations }) => relations))],
  )
  const { role, database, mayCreate, closed, largeObjects, mayReadLargeObjects, subscribed } = rights!
  // A subscription's changes only fire row triggers, and a move uses statement triggers.
  if (subscribed.length > 0) {
    throw new BackupError(
      `A subscription writes to ${subscribed.join(', ')}, and a move cannot see what it writes. Drop the subscription first. Nothing was changed.`,
    )
  }
  const missing = [
    ...(mayCreate ? [] : [`GRANT CREATE ON DATABASE "${database}" TO "${role}";`]),
    ...closed.map((name) => `GRANT SELECT, UPDATE, TRIGGER ON ${name} TO "${role}";`),
    ...(largeObjects === 0 || mayReadLargeObjects ? [] : [`GRANT SELECT ON pg_largeobject TO "${role}";`]),
  ]
  if (missing.length === 0) return
  throw new BackupError(
    `The role "${role}" does not have the privileges in the old database that the move needs. Let the owner run: ${missing.join(' ')} Nothing was changed.`,
  )
}

export type TargetFacts = {
  version: number
  versionText: string
  encoding: string
  collation: string
  role: string
  database: string
  mayCreate: boolean
  mayMakeTemporary: boolean
  isStandby: boolean
  schemas: string[]
  largeObjects: number
  roles: string[]
  extensions: string[]
}

export async function readTargetFacts(to: Pick<Sql, 'unsafe'>): Promise<TargetFacts> {
  const [facts] = await to.unsafe<TargetFacts[]>(`
    with own as (select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', '${moveSchema}'))
    select current_setting('server_version_num')::int / 10000 as version, current_setting('server_version') as "versionText",
      getdatabaseencoding()::text as encoding, (select concat_ws(' ', to_jsonb(d) ->> 'datlocprovider', datcollate, to_jsonb(d) ->> 'daticulocale', to_jsonb(d) ->> 'datlocale') from pg_database d where datname = current_database()) as collation,
      current_user::text as role, current_database()::text as database, has_database_privilege(current_database(), 'create') as "mayCreate",
      has_database_privilege(current_database(), 'temporary') as "mayMakeTemporary", pg_is_in_recovery() as "isStandby",
      (select coalesce(json_agg(nspname), '[]') from own) as schemas,
      (select count(*)::int from pg_largeobject_metadata) as "largeObjects",
      (select json_agg(rolname) from pg_roles) as roles, (select json_agg(name) from pg_available_extensions) as extensions`)
  return facts!
}

/** @throws BackupError if Rowhouse cannot use the new database */
export function requireUsableTarget({
  version,
  versionText,
  encoding,
  role,
  database,
  mayCreate,
  mayMakeTemporary,
  isStandby,
}: TargetFacts): void {
  if (version < oldestServer)
    throw new BackupError(`Rowhouse needs PostgreSQL ${oldestServer} or newer; that one is ${versionText}. Nothing was changed.`)
  if (isStandby) throw new BackupError('That server is a standby, which accepts no changes. Nothing was changed.')
  if (encoding !== 'UTF8') {
    throw new BackupError(
      `That database has the encoding ${encoding} and has to have UTF8: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0. Nothing was changed.`,
    )
  }
  const missing = [...(mayCreate ? [] : ['CREATE']), ...(mayMakeTemporary ? [] : ['TEMPORARY'])]
  if (missing.length === 0) return
  throw new BackupError(
    `The role "${role}" may not create schemas there. Let the owner of the database run: GRANT ${missing.join(', ')} ON DATABASE "${database}" TO "${role}"; Nothing was changed.`,
  )
}

export async function requireEmpty(to: Sql, { schemas, largeObjects, database }: TargetFacts): Promise<void> {
  const found = (await describeObjects(to, schemas)) ?? (largeObjects > 0 ? 'large objects' : null)
  if (found !== null) throw new BackupError(`The database ${database} is not empty: ${found}. Nothing was changed.`)
}

/**
 * Prefixes of steps that list the schemas and extensions from before the move. They remain when the copy is removed.
 */
const [keptSchema, keptExtension] = ['kept schema: ', 'kept extension: ']

/** Records the schemas and extensions that the new database already has: a server may create some by itself. */
export const keepWhatIsThere = (to: Pick<Sql, 'unsafe'>): PromiseLike<unknown> =>
  to.unsafe(`insert into ${moveSchema}.steps select '${keptSchema}' || nspname from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', '${moveSchema}')
    union all select '${keptExtension}' || extname from pg_extension`)

/** Removes everything that a move has created in a previously empty database. */
export async function emptyTarget(to: Sql): Promise<void> {
  const { schemas } = await readTargetFacts(to)
  const steps = await to.unsafe<{ step: string }[]>(`select step from ${moveSchema}.steps`)
  const kept = new Set(steps.map(({ step }) => step))
  for (const schema of schemas.filter((name) => !kept.has(keptSchema + name))) await to.unsafe(`drop schema ${identifier(schema)} cascade`)
  await to.unsafe(emptySchemas)
  await to.unsafe(`do $$ begin perform lo_unlink(oid) from pg_largeobject_metadata where pg_has_role(lomowner, 'usage'); end $$`)
  await to.unsafe(`drop schema if exists ${moveSchema} cascade`)
}

/** Everything in the remaining schemas, except objects of remaining extensions. */
const emptySchemas = `do $do$
  declare found record;
  begin
    for found in select extname from pg_extension where not exists (select from ${moveSchema}.steps where step = '${keptExtension}' || extname) loop
      execute format('drop extension if exists %I cascade', found.extname);
    end loop;
    for found in select d.classid, d.objid from pg_depend d join pg_namespace n on d.refclassid = 'pg_namespace'::regclass and d.refobjid = n.oid
      where d.deptype = 'n' and d.classid <> 'pg_extension'::regclass and exists (select from ${moveSchema}.steps where step = '${keptSchema}' || nspname)
        and not exists (select from pg_depend e where e.classid = d.classid and e.objid = d.objid and e.deptype in ('e', 'i'))
    loop
      select type, identity into found from pg_identify_object(found.classid, found.objid, 0);
      if found.type is not null and found.type <> 'default acl' then
        execute format('drop %s if exists %s cascade', case found.type when 'composite type' then 'type' when 'statistics object' then 'statistics' else found.type end, found.identity);
      end if;
    end loop;
  end $do$`

/** Sets the sequences of the new database to the positions of the old ones. */
export async function setSequences(source: Pick<Sql, 'unsafe'>, target: Pick<Sql, 'unsafe'>, schemas: readonly string[]): Promise<void> {
  const names = await source.unsafe<{ name: string }[]>(
    `select format('%I.%I', nspname, relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind = 'S' and relpersistence <> 't' and nspname in (select json_array_elements_text($1::text::json))
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')`,
    [JSON.stringify(schemas)],
  )
  if (names.length === 0) return
  const parts = names.map(({ name }) => `select ${literal(name)} as name, last_value::text as value, is_called from ${name}`)
  const stands = await source.unsafe<{ name: string; value: string; is_called: boolean }[]>(parts.join(' union all '))
  await target
    .unsafe(
      stands.map(({ name, value, is_called }) => `select pg_catalog.setval(${literal(name)}::regclass, ${value}, ${is_called})`).join('; '),
    )
    .simple()
}
