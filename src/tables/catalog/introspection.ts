import { arrayLiteral } from '../../db/arrays'
import type { Query } from '../../db/open'
import { introspectionStatement } from './introspection-statement'

/** What PostgreSQL says about the tables of some schemas, at one moment. */
export type Introspection = {
  version: number
  /** The role of the connection, for whom the privileges are. */
  role: string
  /** Those of the asked schemas that are there, in the order in which they were asked for. */
  schemas: string[]
  types: PgTypes
  /** The JSON of `types`: the same text means the same types. */
  typesText: string
  /** Each with its own text: the same text and the same types mean the same table. */
  relations: { text: string; read: () => PgRelation }[]
}

export type PgType = {
  schema: string
  name: string
  /** format_type without modifier: for a type of pg_catalog, ready to stand in SQL. */
  text: string
  /** pg_type.typtype: b(ase), c(omposite), d(omain), e(num), p(seudo), r(ange), m(ultirange). */
  kind: string
  /** Of a domain, the type it is made of. */
  base: PgType | undefined
  /** Of an array, its elements' type. */
  element: PgType | undefined
  isRequired: boolean
  /** Of a domain, SQL of its default, also of one that it has from the domain below. */
  default: string | null
  labels: string[] | null
  /** Without the right to use its schema nobody can name a type. */
  isNameable: boolean
}
export type PgTypes = Map<number, PgType>

export type PgColumn = {
  number: number
  name: string
  typeId: number
  /** format_type with the modifier, where it has one. */
  typeText: string | null
  defaultExpression: string | null
  /** Letters: n(ot null), a/d identity always or by default, g(enerated). */
  flags: string
  /** Letters as in PostgreSQL's ACLs: r(ead), a(dd), w(rite); null where those of the table hold. */
  granted: string | null
  /** Of a view or foreign table: whether it can be updated. */
  isUpdatable: boolean | null
  /** Its comment. */
  description: string | null
}

export type PgRelation = {
  schema: string
  name: string
  /** pg_class.relkind: r, p, f, v or m. */
  kind: string
  /** Whether the role may use the schema. */
  isOpen: boolean
  /** Somebody is changing it right now: nothing but its name is known. */
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
  uniqueKeys: { isPrimary: boolean; isImmediate: boolean; columns: number[] }[]
  foreignKeys: { name: string; columns: number[]; schema: string; table: string; targetColumns: string[] }[]
  notes: TableMetadata | null
  /** Whether it holds the values of a `manyLinks` column. */
  isJoinTable: boolean
  /**
   * Whether there are rules for its inserts or updates, or triggers that run once for a statement: its own, or of
   * tables behind or below it.
   */
  actsOnStatements: boolean
  /** Whether a trigger before updates may leave rows out: its own, or of a table behind or below it. */
  leavesOutChanges: boolean
  /** Whether writes run functions of the database's own: of triggers, defaults, checks or policies. */
  runsFunctions: boolean
}

/** What `rowhouse.tables` and `rowhouse.columns` say besides, of a table that Rowhouse made. */
type TableMetadata = { id: string; createdAt: string; columns: ColumnMetadata[] }
export type ColumnMetadata = {
  id: string
  name: string
  type: string
  default: unknown
  options: Record<string, unknown>
  /** Of `manyLinks`, which has no column in PostgreSQL. */
  joinTable: { name: string; ownColumns: string[]; targetColumns: string[]; targetType: string } | null
  /** The comment of the join table. */
  description: string | null
}

/**
 * @param query of a transaction in which names without a schema are PostgreSQL's own (`withCatalogPath`): expressions
 * come with the names of all other schemas
 * @param schemas names in any order; those that are not there are left out
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

type TypeRow = [number, string, string, string, string, number, number, boolean, string | null, string[] | null, boolean]

function readTypes(rows: TypeRow[]): PgTypes {
  const types: PgTypes = new Map()
  for (const [id, schema, name, text, kind, , , isRequired, typeDefault, labels, isNameable] of rows) {
    types.set(id, { schema, name, text, kind, base: undefined, element: undefined, isRequired, default: typeDefault, labels, isNameable })
  }
  for (const [id, , , , , base, element] of rows) Object.assign(types.get(id)!, { base: types.get(base), element: types.get(element) })
  return types
}

type ColumnRow = [string, string, string, string | null, string | null, string, string | null, string | null, string | null]
type KeyRow = [boolean, boolean, number[]]
type LinkRow = [string, number[], string, string, string[]]
type RelationRow = [
  ...[string, string, string, boolean, boolean, string, number | null, number | null, string | null],
  ...[ColumnRow[] | null, KeyRow[] | null, LinkRow[] | null, TableMetadata | null, boolean, boolean, boolean, boolean],
]

function readRelation(row: RelationRow): PgRelation {
  const [schema, name, kind, isOpen, isLocked, granted, events, ownEvents, extension, columns, keys, links, ...more] = row
  const [notes, isJoinTable, actsOnStatements, leavesOutChanges, runsFunctions] = more
  return {
    ...{ schema, name, kind, isOpen, isLocked, granted, events, ownEvents, extension },
    ...{ notes, isJoinTable, actsOnStatements, leavesOutChanges, runsFunctions },
    columns: (columns ?? []).map(toPgColumn),
    uniqueKeys: (keys ?? []).map(([isPrimary, isImmediate, numbers]) => ({ isPrimary, isImmediate, columns: numbers })),
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
