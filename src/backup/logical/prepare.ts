import type { Sql } from 'postgres'
import { arrayLiteral } from '../../db/arrays'
import type { LogicalDatabase } from '../archive/manifest'
import { describeObjects } from '../database-copy/contents'
import { BackupError } from '../errors'

/** The server lacks an extension that the definitions need. */
export class MissingExtension extends BackupError {}

/**
 * Creates the schemas of a logical copy, and the roles and extensions that its definitions need, in the transaction
 * that loads it. Existing schemas must be empty.
 * @param isOurs whether missing roles are created: on a team's server, the team creates them
 * @throws BackupError naming the missing or conflicting object
 */
export async function prepareDatabase(sql: Sql, { schemas, extensions, roles }: LogicalDatabase, isOurs: boolean): Promise<void> {
  await prepareRoles(sql, roles, isOurs)
  await requireEmptySchemas(sql, schemas)
  for (const schema of schemas) await makeSchema(sql, schema)
  for (const extension of extensions) await makeExtension(sql, extension)
}

async function prepareRoles(sql: Sql, roles: readonly string[], isOurs: boolean) {
  const missing = await sql<{ statement: string }[]>`
    select pg_catalog.format('create role %I nologin', name) as statement from pg_catalog.unnest(${arrayLiteral(roles)}::text[]) as name
    where not exists (select from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) name)`
  if (missing.length === 0) return
  if (!isOurs)
    throw new BackupError(
      `Row security policies of the backup name roles that do not exist. Create them first: ${missing.map(({ statement }) => `${statement};`).join(' ')}`,
    )
  for (const { statement } of missing) await sql.unsafe(statement)
}

/** @throws BackupError naming the conflicting object */
async function requireEmptySchemas(sql: Sql, schemas: readonly string[]) {
  const found = await describeObjects(sql, schemas)
  if (found === null) return
  throw new BackupError(`The database is not empty (${found}), and nothing is overwritten. Name an empty one in DATABASE_URL.`)
}

async function makeSchema(sql: Sql, schema: string) {
  const [state] = await sql<{ is_there: boolean; is_open: boolean; may_make: boolean; role: string; name: string }[]>`
    select n.oid is not null as is_there, pg_catalog.quote_ident(current_user) as role, pg_catalog.quote_ident(${schema}::text) as name,
      coalesce(pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_schema_privilege(n.oid, 'create'), false) as is_open,
      pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create') as may_make
    from (select) as one left join pg_catalog.pg_namespace n on n.nspname operator(pg_catalog.=) ${schema}::text::name`
  const { is_there, is_open, may_make, role, name } = state!
  if (is_there ? is_open : may_make) return is_there ? undefined : void (await sql.unsafe(`create schema ${name}`))
  const statement = is_there ? `GRANT USAGE, CREATE ON SCHEMA ${name} TO ${role};` : `CREATE SCHEMA ${name} AUTHORIZATION ${role};`
  throw new BackupError(`The role ${role} may not create what the backup contains. Let the owner of the database run: ${statement}`)
}

/** Only required extensions must exist. The text of a function may use others, which PostgreSQL does not check. */
async function makeExtension(sql: Sql, { name, schema, isRequired }: LogicalDatabase['extensions'][number]) {
  const [state] = await sql<{ is_there: boolean; is_known: boolean; name: string; schema: string }[]>`
    select exists (select from pg_catalog.pg_extension where extname operator(pg_catalog.=) ${name}::text::name) as is_there,
      exists (select from pg_catalog.pg_available_extensions a where a.name operator(pg_catalog.=) ${name}::text::name) as is_known,
      pg_catalog.quote_ident(${name}::text) as name, pg_catalog.quote_ident(${schema}::text) as schema`
  if (state!.is_there) return
  if (!state!.is_known) {
    if (isRequired) throw new MissingExtension(`The server does not have the extension ${name}, which the database of the backup needs.`)
    return
  }
  try {
    await sql.unsafe('savepoint rowhouse_extension')
    await sql.unsafe(`create schema if not exists ${state!.schema}`)
    await sql.unsafe(`create extension ${state!.name} with schema ${state!.schema} cascade`)
    await sql.unsafe('release savepoint rowhouse_extension')
  } catch (error) {
    await sql.unsafe('rollback to savepoint rowhouse_extension')
    if (isRequired)
      throw new BackupError(`The extension ${name} cannot be created: ${(error as Error).message}. Let a superuser create it first.`)
  }
}
