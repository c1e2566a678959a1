import { t } from 'elysia'
import type { Db, Query } from '../../db/pool/open'
import { withCatalogPath } from '../../db/search-path'
import { notFound } from '../../errors'
import { translatable } from '../../messages/message'
import { introspect } from '../catalog/introspection/introspection'
import { toTable } from '../catalog/introspection/to-table'
import { qualifiedName } from '../ddl'
import { nearest } from '../nearest'
import { limitsOf, type Subject, toRefusalReason } from './reasons'
import { listSchemas } from './served-schemas'

export const SchemaReport = t.Object({
  schema: t.String(),
  tables: t.Array(
    t.Object({
      name: t.String(),
      kind: t.String({ description: 'table, partitionedTable, foreignTable, view or materializedView' }),
      level: t.Union([t.Literal('full'), t.Literal('readOnly'), t.Literal('refused')], {
        description:
          'full: records are read and changed by their address. readOnly: records can be read; what else works, the reasons say. refused: the table is not served.',
      }),
      primaryKey: t.Array(t.String()),
      reasons: t.Array(t.String(), { description: 'Limitations, and how to remove them.' }),
    }),
  ),
})
export type SchemaReport = typeof SchemaReport.static

function reportTable(subject: Subject): SchemaReport['tables'][number] {
  const { name, kind, primaryKey, readOnly } = subject.table
  const refusal = toRefusalReason(subject)
  if (refusal !== null) return { name, kind, level: 'refused', primaryKey, reasons: [refusal] }
  return { name, kind, level: readOnly || primaryKey.length === 0 ? 'readOnly' : 'full', primaryKey, reasons: limitsOf(subject) }
}

/**
 * How far Rowhouse supports the tables of a schema, served or not, with the current rights of its role. Partitions
 * count as part of their table.
 * @throws Failure not_found, with the nearest name
 */
export function reportSchema(db: Db, schema: string): Promise<SchemaReport> {
  return withCatalogPath(db, (query) => reportWith(query, schema))
}

async function reportWith(query: Query, schema: string): Promise<SchemaReport> {
  const schemas = await listSchemas(query)
  if (!schemas.includes(schema)) {
    const similar = nearest(schema, schemas)
    throw notFound(
      translatable('There is no such schema.'),
      similar === undefined ? undefined : translatable('Did you mean "{similar}"?', { similar }),
    )
  }
  const [{ role, types, relations }, sequences] = await Promise.all([introspect(query, [schema]), closedSequences(query, schema)])
  const tables = relations
    .map(({ read }) => read())
    .map((relation) => ({ relation, table: toTable(relation, types) }))
    .filter(({ table }) => !table.isJoinTable)
    .map(({ relation, table }) => reportTable({ relation, types, table, role, closedSequences: sequences.get(relation.name) ?? [] }))
  return { schema, tables }
}

type ClosedSequence = { table_name: string; schema: string; name: string }

/** Adding a record fails if the role may not take the next number of a `serial` column's sequence. */
async function closedSequences(query: Query, schema: string): Promise<Map<string, string[]>> {
  const rows = await query<ClosedSequence>(
    `select distinct c.relname as table_name, n.nspname as schema, s.relname as name
      from pg_class c join pg_attrdef e on e.adrelid = c.oid
      join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = e.oid and d.refclassid = 'pg_class'::regclass
      join pg_class s on s.oid = d.refobjid join pg_namespace n on n.oid = s.relnamespace
      where c.relnamespace = (select oid from pg_namespace where nspname = $1::text)
        and case when s.relkind = 'S' then not (has_sequence_privilege(s.oid, 'usage') or has_sequence_privilege(s.oid, 'update')) end`,
    [schema],
  )
  const grouped = Map.groupBy(rows, (row) => row.table_name)
  return new Map([...grouped].map(([table, found]) => [table, found.map(qualifiedName)]))
}
