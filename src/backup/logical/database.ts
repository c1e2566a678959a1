import type { Sql } from 'postgres'
import { arrayLiteral } from '../../db/arrays'
import { postgresMajor } from '../../db/embedded/runtime'
import { isOwnTable } from '../../db/schema/own-tables'
import { searchIndexNames } from '../../tables/catalog/search-text'
import type { LogicalDatabase } from '../archive/manifest'
import { BackupError } from '../errors'

/** The schemas that a backup of a team's database contains. */
export const backedUpSchemas = (served: readonly string[]): string[] => [...new Set(['rowhouse', 'data', ...served])]

/**
 * Reads which parts of a team's database to back up, and what a copy of it needs. Runs in the copied transaction.
 * @throws BackupError if a part of it cannot be backed up
 */
export async function readLogicalDatabase(sql: Sql, served: readonly string[]): Promise<LogicalDatabase> {
  const schemas = backedUpSchemas(served)
  const [server] = await sql<{ number: string; version: string; encoding: string }[]>`
    select current_setting('server_version_num') as number, current_setting('server_version') as version,
      current_setting('server_encoding') as encoding`
  const { number, version, encoding } = server!
  if (Math.floor(Number(number) / 10_000) > postgresMajor)
    throw new BackupError(`The database is of PostgreSQL ${version}, and this Rowhouse holds ${postgresMajor}. Use a newer release.`)
  if (encoding !== 'UTF8')
    throw new BackupError(`The database has the encoding ${encoding}. Rowhouse backs up UTF8 only; use pg_dump for this one.`)
  await requireSchemas(sql, schemas)
  await requireRights(sql, schemas)
  const { outside, extensions } = await readDependencies(sql, schemas)
  if (outside.length > 0) throw new BackupError(needsMore(outside))
  const installed = await sql<{ name: string; schema: string }[]>`
    select extname as name, nspname as schema from pg_extension e join pg_namespace n on n.oid = extnamespace
    where extname <> 'plpgsql' order by extname`
  const roles = await sql<{ name: string }[]>`
    select distinct rolname as name from pg_shdepend d join pg_roles r on r.oid = d.refobjid join pg_policy p on p.oid = d.objid
      join pg_class c on c.oid = polrelid join pg_namespace n on n.oid = relnamespace
    where d.dbid = (select oid from pg_database where datname = current_database()) and d.classid = 'pg_policy'::regclass
      and d.refclassid = 'pg_authid'::regclass and nspname = any(${arrayLiteral(schemas)}::text[]) order by 1`
  return {
    schemas,
    server: version,
    extensions: installed.map((extension) => ({ ...extension, isRequired: extensions.includes(extension.name) })),
    roles: roles.map(({ name }) => name),
  }
}

async function requireSchemas(sql: Sql, schemas: readonly string[]) {
  if (!(await isOwnTable(sql, 'migrations')))
    throw new BackupError('Rowhouse has never used this database: it has no schema rowhouse. Is DATABASE_URL right?')
  const found = await sql<{ name: string }[]>`select nspname as name from pg_namespace`
  const missing = schemas.find((schema) => !found.some(({ name }) => name === schema))
  if (missing !== undefined) throw new BackupError(`The database has no schema "${missing}". Is ROWHOUSE_SCHEMAS right?`)
}

/** The maximum number of problems that a message lists. */
const maxNamed = 5

function listed(sentences: readonly string[]): string {
  const more = sentences.length - maxNamed
  return sentences.slice(0, maxNamed).join(' ') + (more > 0 ? ` And ${more} more.` : '')
}

/** A backup without the objects and rows that the role may not see would look complete. */
async function requireRights(sql: Sql, schemas: readonly string[]) {
  const problems = await sql<{ role: string; problem: string; statement: string }[]>`
    select quote_ident(current_user) as role, problem, statement from (
      select format('may not use the schema %I', nspname) as problem, format('GRANT USAGE ON SCHEMA %I TO %I;', nspname, current_user) as statement
      from pg_namespace where nspname = any(${arrayLiteral(schemas)}::text[]) and not has_schema_privilege(oid, 'usage')
      union all
      select format('may not read %I.%I', nspname, relname),
        format('GRANT SELECT ON %s %I.%I TO %I;', case relkind when 'S' then 'SEQUENCE' else 'TABLE' end, nspname, relname, current_user)
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = any(${arrayLiteral(schemas)}::text[]) and relkind in ('r', 'p', 'S') and has_schema_privilege(n.oid, 'usage')
        and not case when relkind = 'S' then has_sequence_privilege(c.oid, 'select') else has_table_privilege(c.oid, 'select') end
      union all
      select format('sees only the rows of %I.%I that its policies show', nspname, relname), format('ALTER ROLE %I BYPASSRLS;', current_user)
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = any(${arrayLiteral(schemas)}::text[]) and relkind in ('r', 'p') and row_security_active(c.oid)
    ) as problems order by problem`
  const [first] = problems
  if (!first) return
  throw new BackupError(
    `The role ${first.role} may not read everything that a backup needs: it ${problems
      .slice(0, maxNamed)
      .map(({ problem }) => problem)
      .join(', ')}${problems.length > maxNamed ? `, and ${problems.length - maxNamed} more` : ''}. ${listed([
      ...new Set(problems.map(({ statement }) => statement)),
    ])}`,
  )
}

const needsMore = (outside: readonly { name: string; needs: string }[]) =>
  `A backup of these schemas could not be restored: ${outside
    .slice(0, maxNamed)
    .map(({ name, needs }) => `${name} needs ${needs}`)
    .join(', ')}, which is not in them. Add its schema to ROWHOUSE_SCHEMAS, or back the database up with pg_dump or pgBackRest.`

/** All objects with their schema, or else that of their table. Indexes for the search are not backed up. */
const placed = `
  select 'pg_class'::regclass::oid as classid, oid, relnamespace as namespace from pg_class
    where relkind <> 'i' or relname !~ '${searchIndexNames.source}'
  union all select 'pg_type'::regclass, oid, typnamespace from pg_type
  union all select 'pg_proc'::regclass, oid, pronamespace from pg_proc
  union all select 'pg_operator'::regclass, oid, oprnamespace from pg_operator
  union all select 'pg_opclass'::regclass, oid, opcnamespace from pg_opclass
  union all select 'pg_opfamily'::regclass, oid, opfnamespace from pg_opfamily
  union all select 'pg_collation'::regclass, oid, collnamespace from pg_collation
  union all select 'pg_ts_config'::regclass, oid, cfgnamespace from pg_ts_config
  union all select 'pg_ts_dict'::regclass, oid, dictnamespace from pg_ts_dict
  union all select 'pg_constraint'::regclass, oid, connamespace from pg_constraint
  union all select 'pg_statistic_ext'::regclass, oid, stxnamespace from pg_statistic_ext
  union all select 'pg_attrdef'::regclass, a.oid, relnamespace from pg_attrdef a join pg_class c on c.oid = adrelid
  union all select 'pg_trigger'::regclass, t.oid, relnamespace from pg_trigger t join pg_class c on c.oid = tgrelid
  union all select 'pg_rewrite'::regclass, r.oid, relnamespace from pg_rewrite r join pg_class c on c.oid = ev_class
  union all select 'pg_policy'::regclass, p.oid, relnamespace from pg_policy p join pg_class c on c.oid = polrelid
  union all select 'pg_language'::regclass, oid, 0 from pg_language
  union all select 'pg_am'::regclass, oid, 0 from pg_am
  union all select 'pg_foreign_server'::regclass, oid, 0 from pg_foreign_server`

/** The objects outside the schemas that the objects in them need: the names of extensions, and other objects. */
async function readDependencies(sql: Sql, schemas: readonly string[]) {
  const rows = await sql.unsafe<{ extension: string | null; name: string; needs: string }[]>(
    `with placed as materialized (${placed}),
      inside as materialized (select oid from pg_namespace where nspname = any($1::text[])),
      members as materialized (select classid, objid, extname from pg_depend join pg_extension e on e.oid = refobjid
        where refclassid = 'pg_extension'::regclass and deptype = 'e')
    select distinct on (coalesce(e.extname::text, (pg_identify_object(d.refclassid, d.refobjid, 0)).identity))
      e.extname::text as extension, (pg_identify_object(d.classid, d.objid, 0)).identity as name,
      (pg_identify_object(d.refclassid, d.refobjid, 0)).identity as needs
    from pg_depend d join placed p on p.classid = d.classid and p.oid = d.objid and p.namespace in (select oid from inside)
      join placed r on r.classid = d.refclassid and r.oid = d.refobjid
      left join members e on e.classid = d.refclassid and e.objid = d.refobjid
    where d.deptype in ('n', 'a', 'i') and d.refobjid >= 12000 and e.extname is distinct from 'plpgsql'
      and not exists (select from members m where m.classid = d.classid and m.objid = d.objid)
      and (e.extname is not null or r.namespace not in (select oid from inside))
      and not exists (select from pg_namespace n where n.oid = r.namespace
        and nspname in ('pg_catalog', 'information_schema', 'pg_toast') and e.extname is null)`,
    [arrayLiteral(schemas)],
  )
  return {
    extensions: rows.flatMap(({ extension }) => extension ?? []),
    outside: rows.filter(({ extension }) => extension === null),
  }
}
