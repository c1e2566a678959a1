import type { Db } from '../db/open'
import { nearest } from './nearest'

type SchemaRow = { name: string; is_open: boolean; role: string }

// What begins with pg_ is PostgreSQL's, and "rowhouse" is nobody's business.
const schemasStatement = `select nspname as name, has_schema_privilege(oid, 'usage') as is_open, current_user::text as role from pg_namespace
  where nspname !~ '^pg_' and nspname not in ('information_schema', 'rowhouse') order by nspname`

/** The schemas that could be served, whether this role may use them or not. */
export const listSchemas = async (db: Db): Promise<string[]> => (await db.query<SchemaRow>(schemasStatement)).map(({ name }) => name)

/** What is wrong with ROWHOUSE_SCHEMAS in this database, for the operator: `fatal` where a schema is not there, `warnings` where it may not be used. */
export async function inspectSchemas(db: Db, wanted: readonly string[]): Promise<{ fatal: string | null; warnings: string[] }> {
  if (wanted.length === 0) return { fatal: null, warnings: [] }
  const found = await db.query<SchemaRow>(schemasStatement)
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
