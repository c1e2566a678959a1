import { arrayLiteral } from '../../../db/arrays'
import type { Query } from '../../../db/pool/open'
import type { ReadySearchIndex } from '../search-index-model'
import { introspectionStatement } from './introspection-statement'

/** The definitions of the tables of some schemas, as of one snapshot of pg_catalog. */
export type Introspection = {
  version: number
  /** The role of the connection, whose privileges the definitions contain. */
  role: string
  /** The requested schemas that exist, in the order of the request. */
  schemas: string[]
  types: PgTypes
  /** The JSON of `types`. The same text means the same types. */
  typesText: string
  /** Each table with its own text. The same text and the same types mean the same table. */
  relations: { text: string; read: () => PgRelation }[]
}

export type PgType = {
  schema: string
  name: string
  /** format_type without a modifier, which is valid SQL for a type of pg_catalog. */
  text: string
  /** pg_type.typtype: b(ase), c(omposite), d(omain), e(num), p(seudo), r(ange), m(ultirange). */
  kind: string
  /** The underlying type of a domain. */
  base: PgType | undefined
  /** Its format_type with the modifier that the domain gives it, if there is one. */
  baseText: string | null
  /** The type of an array's elements. */
  element: PgType | undefined
  isRequired: boolean
  /** SQL of a domain's default, or of the default of an underlying domain. */
  default: string | null
  labels: string[] | null
  /** False without the right to use the type's schema: such a type cannot be named in SQL. */
  isNameable: boolean
}
export type PgTypes = Map<number, PgType>

export type PgColumn = {
  number: number
  name: string
  typeId: number
  /** format_type with the modifier, if there is one. */
  typeText: string | null
  defaultExpression: string | null
  /** Letters: n(ot null), a/d identity always or by default, g(enerated). */
  flags: string
  /** Letters as in PostgreSQL's ACLs: r(ead), a(dd), w(rite); null when only the table's own privileges apply. */
  granted: string | null
  /** Whether a column of a view or foreign table can be updated. */
  isUpdatable: boolean | null
  /** The comment on the column. */
  description: string | null
}

export type PgRelation = {
  schema: string
  name: string
  /** pg_class.relkind: r, p, f, v or m. */
  kind: string
  /** Whether the role may use the schema. */
  isOpen: boolean
  /** True while another session is changing the table, so that only its name is known. */
  isLocked: boolean
  /** r(ead), a(dd), w(rite), d(elete) for the whole table; x: its rows' xmin and ctid can be read. */
  granted: string
  /**
   * pg_relation_is_updatable with and without INSTEAD OF triggers: 4 update, 8 insert, 16 delete; null for ordinary
   * tables.
   */
  events: number | null
  ownEvents: number | null
  extension: string | null
  columns: PgColumn[]
  /** `isCaseless` of an index on `lower()` of its one column. */
  uniqueKeys: { isPrimary: boolean; isImmediate: boolean; columns: number[]; isCaseless: boolean }[]
  foreignKeys: { name: string; columns: number[]; schema: string; table: string; targetColumns: string[] }[]
  notes: TableMetadata | null
  /** Whether the table holds the values of a `manyLinks` column. */
  isJoinTable: boolean
  /**
   * Whether inserts or updates of the table, of a view's underlying tables, or of partitions and child tables have
   * rules or statement-level triggers.
   */
  actsOnStatements: boolean
  /**
   * Whether a trigger before updates may skip rows, on the table, a view's underlying tables, or partitions and child
   * tables.
   */
  leavesOutChanges: boolean
  /** Whether writes run user-defined functions: of triggers, defaults, checks or policies. */
  runsFunctions: boolean
  /** Whether its changes are logged. */
  isLogged: boolean
  /**
   * Whether a trigger after inserts or updates may change the written rows, on the table, a view's underlying tables,
   * or partitions and child tables.
   */
  changesWritten: boolean
  /** Its valid indexes for the search. */
  searchIndexes: ReadySearchIndex[]
}

/** The metadata in `rowhouse.tables` and `rowhouse.columns` of a table that Rowhouse made. */
type TableMetadata = {
  id: string
  createdAt: string
  displayColumnId: string | null
  section: string | null
  position: number | null
  isSearchIndexed: boolean
  columns: ColumnMetadata[]
}
export type ColumnMetadata = {
  id: string
  name: string
  type: string
  default: unknown
  options: Record<string, unknown>
  /** The join table of a `manyLinks` column, which has no column in PostgreSQL. */
  joinTable: { name: string; ownColumns: string[]; targetColumns: string[]; targetType: string } | null
  /** The comment of the join table. */
  description: string | null
}

/**
 * Reads the definitions.
 * @param query of a transaction in which names without a schema are PostgreSQL's own (`withCatalogPath`), so that
 * expressions contain the names of all other schemas
 * @param schemas names in any order; missing schemas are skipped
 */
export async function introspect(query: Query, schemas: readonly string[]): Promise<Introspection> {
  const rows = await query<{ part: string; text: string }>(introspectionStatement, [arrayLiteral(schemas)])
  const textOf = (part: string) => rows.find((row) => row.part === part)!.text
  return {
    version: Number(textOf('version')),
    role: JSON.parse(textOf('role')),
    schemas: JSON.parse(textOf('schemas')),
    types: readTypes(JSON.parse(textOf('types'))),
    typesText: textOf('types'),
    relations: rows.filter(({ part }) => part === 'table').map(({ text }) => ({ text, read: () => readRelation(JSON.parse(text)) })),
  }
}

type TypeRow = [number, string, string, string, string, number, number, boolean, string | null, string[] | null, boolean, string | null]

function readTypes(rows: TypeRow[]): PgTypes {
  const types: PgTypes = new Map()
  for (const [id, schema, name, text, kind, , , isRequired, typeDefault, labels, isNameable, baseText] of rows) {
    const layers = { base: undefined, baseText, element: undefined }
    types.set(id, { schema, name, text, kind, ...layers, isRequired, default: typeDefault, labels, isNameable })
  }
  for (const [id, , , , , base, element] of rows) Object.assign(types.get(id)!, { base: types.get(base), element: types.get(element) })
  return types
}

type ColumnRow = [string, string, string, string | null, string | null, string, string | null, string | null, string | null]
type KeyRow = [boolean, boolean, number[], boolean]
type LinkRow = [string, number[], string, string, string[]]
type FlagRow = [boolean, boolean, boolean, boolean, boolean, boolean]
type RelationRow = [
  ...[string, string, string, boolean, boolean, string, number | null, number | null, string | null],
  ...[ColumnRow[] | null, KeyRow[] | null, LinkRow[] | null, TableMetadata | null, ...FlagRow, [string, string][] | null],
]

function readRelation(row: RelationRow): PgRelation {
  const [schema, name, kind, isOpen, isLocked, granted, events, ownEvents, extension, columns, keys, links, ...more] = row
  const [notes, isJoinTable, actsOnStatements, leavesOutChanges, runsFunctions, isLogged, changesWritten, searchIndexes] = more
  return {
    ...{ schema, name, kind, isOpen, isLocked, granted, events, ownEvents, extension },
    ...{ notes, isJoinTable, actsOnStatements, leavesOutChanges, runsFunctions, isLogged, changesWritten },
    searchIndexes: (searchIndexes ?? []).map(([index, trigramSchema]) => ({ name: index, trigramSchema })),
    columns: (columns ?? []).map(toPgColumn),
    uniqueKeys: (keys ?? []).map(([isPrimary, isImmediate, numbers, isCaseless]) => ({
      isPrimary,
      isImmediate,
      columns: numbers,
      isCaseless,
    })),
    foreignKeys: (links ?? []).map(([constraint, numbers, target, table, targetColumns]) => ({
      ...{ name: constraint, columns: numbers, schema: target, table, targetColumns },
    })),
  }
}

const toPgColumn = ([
  number,
  name,
  typeId,
  typeText,
  defaultExpression,
  flags,
  granted,
  isUpdatable,
  description,
]: ColumnRow): PgColumn => ({
  ...{ number: Number(number), name, typeId: Number(typeId), typeText, defaultExpression, flags, granted, description },
  isUpdatable: isUpdatable === null ? null : isUpdatable === 'true',
})
