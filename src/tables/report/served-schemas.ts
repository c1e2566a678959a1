import type { Db, Query } from '../../db/pool/open'
import { withCatalogPath } from '../../db/search-path'
import { nearest } from '../nearest'

type SchemaRow = { name: string; is_open: boolean; role: string }

// Schemas that begin with pg_ belong to PostgreSQL, and "rowhouse" is internal.
const schemasStatement = `select nspname as name, has_schema_privilege(oid, 'usage') as is_open, current_user::text as role from pg_namespace
  where nspname !~ '^pg_' and nspname not in ('information_schema', 'rowhouse') order by nspname`

/** The schemas that could be served, whether this role may use them or not. */
export const listSchemas = async (query: Query): Promise<string[]> => (await query<SchemaRow>(schemasStatement)).map(({ name }) => name)

/**
 * Problems of ROWHOUSE_SCHEMAS in this database, for the operator: `fatal` if a schema does not exist, `warnings` if
 * the role may not use one.
 */
export async function inspectSchemas(db: Db, wanted: readonly string[]): Promise<{ fatal: string | null; warnings: string[] }> {
  if (wanted.length === 0) return { fatal: null, warnings: [] }
  const found = await withCatalogPath(db, (query) => query<SchemaRow>(schemasStatement))
  const names = found.map(({ name }) => name)
  const missing = wanted.find((name) => !names.includes(name))
  const closed = found.filter(({ name, is_open }) => wanted.includes(name) && !is_open)
  return {
    fatal: missing === undefined ? null : missingMessage(missing, names),
    warnings: closed.map(
      ({ name, role }) =>
        `The role "${role}" may not use the schema "${name}" of ROWHOUSE_SCHEMAS; its tables are not served. GRANT USAGE ON SCHEMA "${name}" TO "${role}";`,
    ),
  }
}

function missingMessage(missing: string, names: string[]): string {
  const similar = nearest(missing, names)
  const question = similar === undefined ? '' : ` Did you mean "${similar}"?`
  return `ROWHOUSE_SCHEMAS names the schema "${missing}", which is not in the database.${question} There are: ${names.join(', ')}.`
}

const rolePath = `select pg_catalog.current_schemas(false)::text as path`

// 0 means PUBLIC. A schema's owner and superusers control its contents in any case.
const openPath = `select n.nspname as name from pg_namespace n where n.nspname = any($1::text[]) and exists (
    select from aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a left join pg_roles r on r.oid = a.grantee
    where a.privilege_type = 'CREATE' and a.grantee <> n.nspowner and r.rolname is distinct from current_user and r.rolsuper is not true)
  order by n.nspname`

/**
 * Warnings for the operator: schemas of the role's search path in which other roles may put functions and operators,
 * which then run with the rights of this one.
 */
export async function inspectSearchPath(db: Db): Promise<string[]> {
  const [role] = await db.query<{ path: string }>(rolePath)
  const found = await withCatalogPath(db, (query) => query<{ name: string }>(openPath, [role!.path]))
  return found.map(
    ({ name }) =>
      `Other roles may create functions and operators in the schema "${name}", where functions, triggers and views of your tables look for theirs. REVOKE CREATE ON SCHEMA "${name}" FROM PUBLIC; and from each role that does not need it (docs/adoption.md).`,
  )
}
