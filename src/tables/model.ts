import { t } from 'elysia'
import { type ReadySearchIndex, SearchIndexState } from './catalog/search-index-model'
import { type ColumnTypeName, columnTypeNames } from './column-types'
import type { ComputedValue } from './computed-value'
import type { ReadFormula } from './formulas/read-formula'
import { dateOrders, decimalMarks, type Notation } from './notation'

const strict = { additionalProperties: false }

const Name = t.String({ minLength: 1, maxLength: 63, description: 'Any Unicode, at most 63 bytes in UTF-8.' })
const TypeName = t.Unsafe<ColumnTypeName>(t.Union(columnTypeNames.map((name) => t.Literal(name))))

const Description = t.Union([t.String({ maxLength: 1000 }), t.Null()], {
  description: 'The purpose of the column, for users. Stored as the comment of the column in PostgreSQL.',
})
const Position = t.Integer({ minimum: 0, description: 'Position among the columns of the table, from 0. The other columns move.' })

const newColumn = {
  name: Name,
  type: TypeName,
  required: t.Optional(t.Boolean()),
  unique: t.Optional(t.Boolean()),
  default: t.Optional(t.Unknown({ description: 'A value of the column’s type.' })),
  options: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'The options of the type, which GET /api/v1/column-types lists.' })),
  description: t.Optional(Description),
}

export const NewColumn = t.Object(newColumn, strict)
export type NewColumn = Omit<typeof NewColumn.static, 'type'> & { type: ColumnTypeName }

/** A column that is added to an existing table. */
export const AddedColumn = t.Object(
  {
    ...newColumn,
    position: t.Optional(Position),
    copyValuesFrom: t.Optional(t.String({ description: 'Id or name of a column of the same type, whose values the new column gets.' })),
  },
  strict,
)
export type AddedColumn = NewColumn & { position?: number; copyValuesFrom?: string }

const KeyColumn = t.Object({ name: Name, type: t.Union([t.Literal('bigint'), t.Literal('uuid'), t.Literal('text')]) }, strict)

const Section = t.Union([t.String({ maxLength: 100 }), t.Null()], {
  description: 'The heading under which the sidebar lists the table; null for none.',
})

const PlaceInSection = t.Union([t.Integer({ minimum: 0 }), t.Null()], {
  description: 'Position among the tables of its section, from 0. The other tables move. null: sorted by name.',
})

export const NewTable = t.Object(
  {
    name: Name,
    primaryKey: t.Optional(
      t.Union([KeyColumn, t.Array(Name, { minItems: 1, maxItems: 8 })], {
        description:
          'A column of its own (default: {"name": "id", "type": "bigint"}, counted by the database), or the names of columns that together are the key.',
      }),
    ),
    section: t.Optional(Section),
    columns: t.Array(NewColumn, { maxItems: 500 }),
  },
  strict,
)
export type NewTable = {
  name: string
  primaryKey?: { name: string; type: 'bigint' | 'uuid' | 'text' } | string[]
  section?: string | null
  columns: NewColumn[]
}

export const TablePatch = t.Object(
  {
    name: t.Optional(Name),
    displayColumn: t.Optional(
      t.Union([t.String({ maxLength: 200 }), t.Null()], {
        description: 'Id or name of the column that names a record where others link to it; null for the first text column.',
      }),
    ),
    section: t.Optional(Section),
    position: t.Optional(PlaceInSection),
    searchIndex: t.Optional(
      t.Boolean({ description: 'Whether the table has an index for the search (`q`), which is built in the background.' }),
    ),
  },
  { ...strict, minProperties: 1 },
)
export type TablePatch = typeof TablePatch.static

export const ColumnPatch = t.Object(
  {
    name: t.Optional(Name),
    type: t.Optional(TypeName),
    required: t.Optional(t.Boolean()),
    unique: t.Optional(t.Boolean()),
    default: t.Optional(t.Unknown({ description: 'A value of the column’s type; null for none.' })),
    options: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'All options. Options that are left out are removed.' })),
    description: t.Optional(Description),
    position: t.Optional(Position),
    renameChoices: t.Optional(
      t.Record(t.String(), t.String({ minLength: 1, maxLength: 200 }), {
        description:
          'Choices that get another name, in all records, the default and the options: {"open": "todo"}. All at once, so two may swap their names.',
      }),
    ),
    onFailure: t.Optional(
      t.Union([t.Literal('refuse'), t.Literal('null')], {
        description:
          'What becomes of values that do not fit the new type or options: the change is refused (the default), or they are set to null.',
      }),
    ),
    notation: t.Optional(
      t.Object(
        {
          decimals: t.Optional(t.Union(decimalMarks.map((name) => t.Literal(name)))),
          dates: t.Optional(t.Union(dateOrders.map((name) => t.Literal(name)))),
        },
        {
          additionalProperties: false,
          description:
            'Where texts become numbers or dates: how they are written. Without it, what the texts can only mean; where they leave it open, plain numbers and ISO dates.',
        },
      ),
    ),
    createLinked: t.Optional(
      t.Boolean({ description: 'If texts become links: whether records are created in the linked table for names that no record has.' }),
    ),
  },
  strict,
)
export type ColumnPatch = Partial<Omit<NewColumn, 'default'>> & {
  default?: unknown
  position?: number
  renameChoices?: Record<string, string>
  onFailure?: 'refuse' | 'null'
  createLinked?: boolean
  notation?: Notation
}

/** A misspelt `dryRun` must not be a real run. */
export const DryRun = t.Object(
  { dryRun: t.Optional(t.Boolean({ description: 'Changes nothing, and reports the values that would not fit.' })) },
  strict,
)

/** The caller confirms a deletion with the name of the table or column. */
export const Confirmation = t.Object(
  { confirm: t.Optional(t.String({ description: 'The name of the table or column to delete.' })) },
  strict,
)

/** The caller's view of a table: an object whose form the user interface defines. */
export const ViewSettings = t.Record(t.String(), t.Unknown(), { description: 'Any JSON object of at most 64 KB.' })
export type ViewSettings = typeof ViewSettings.static

export const ColumnTypeView = t.Object({
  name: t.String(),
  description: t.String(),
  options: t.Unknown({ description: 'JSON Schema of the options.' }),
  value: t.Unknown({ description: 'JSON Schema of a value.' }),
  editor: t.String({ description: 'The editor of a cell.' }),
  readOnly: t.Boolean({ description: 'Whether the database sets the value.' }),
})
export type ColumnTypeView = typeof ColumnTypeView.static

/** A column in responses: `present.ts` lists every field of it. */
export const ColumnView = t.Object({
  id: t.String({ format: 'uuid' }),
  name: t.String(),
  type: t.String(),
  required: t.Boolean(),
  unique: t.Boolean(),
  default: t.Unknown(),
  options: t.Record(t.String(), t.Unknown()),
  description: t.Union([t.String(), t.Null()], { description: 'The purpose of the column: its comment in PostgreSQL.' }),
  position: t.Integer({ description: 'Position among the columns of the table, from 0: the order of records, forms and exports.' }),
  readOnly: t.Boolean({
    description:
      'Whether its value cannot be sent, because the database or the service sets it, or the database does not allow writing it.',
  }),
})

const writes = { create: t.Boolean(), update: t.Boolean(), delete: t.Boolean() }

const TableRights = t.Object(
  {
    read: t.Boolean(),
    ...writes,
    columns: t.Object({ read: t.Array(t.String()), write: t.Array(t.String()) }),
    viewedUser: t.Optional(
      t.Object(writes, {
        description: 'While an administrator views Rowhouse as a user: the rights of that user. Writes are not possible then.',
      }),
    ),
  },
  {
    description:
      'What the caller may do, by role, scope, rules of access and rights in the database. Where a rule is about single records, true means some of them.',
  },
)
export type TableRights = typeof TableRights.static

export const TableView = t.Object({
  id: t.String({ format: 'uuid' }),
  schema: t.String(),
  name: t.String(),
  primaryKey: t.Array(t.String()),
  displayColumn: t.Union([t.String(), t.Null()], {
    description: 'Name of the column that names a record where others link to it; null where no column can be read.',
  }),
  section: Section,
  position: t.Union([t.Integer(), t.Null()], {
    description: 'Orders the tables of a section. null comes last, sorted by name. Numbers may be missing.',
  }),
  columns: t.Array(ColumnView),
  searchIndex: SearchIndexState,
  restrictedColumns: t.Optional(
    t.Array(t.String(), {
      description:
        'Names of the columns that rules of access hide from some people who may read others, or whose values come from what rules hide. Absent where there is none, and for callers who cannot make share links.',
    }),
  ),
  readOnly: t.Boolean(),
  createdAt: t.Union([t.String({ format: 'date-time' }), t.Null()], { description: 'null for a table that Rowhouse did not make.' }),
  can: TableRights,
  personColumn: t.Optional(
    t.String({
      description: 'The column that must name the caller in records that they write, if an access rule requires only that.',
    }),
  ),
})
export type TableView = typeof TableView.static

/** The caller's values that access rules compare with. */
export type CallerValues = { id: string; email: string; groups: readonly string[] }

/**
 * The rows that a caller may use: SQL of a condition, with placeholders for the row and for the caller's values
 * (`tables/row-rules.ts`). The text is the same for all callers of the rule. `personColumn` is set if the whole
 * condition is that this column holds the caller's id, and `needsLinks` if it cannot judge the logged values of a
 * deleted record, because the record's links were deleted with it.
 */
export type RowCondition = { sql: string; caller: CallerValues; personColumn?: string; needsLinks?: true }
export type RowRule = 'all' | 'none' | RowCondition

/** The writes that a line of the access document allows; `columns` are ids, null for all. */
type WriteGrant = { create: RowRule; update: RowRule; columns: ReadonlySet<string> | null }

/** The part of a table to which the access document gives one caller access (docs/access.md). */
export type TableAccess = { read: RowRule; delete: RowRule; writes: readonly WriteGrant[] }

/**
 * The caller's access to a column. The caller can neither read nor write a hidden column, and does not see it; an
 * unreadable column can still be written. `visibleIn` are the readable rows in which the column is visible. `linksTo`
 * is a condition on a row with this foreign key: that the caller may read the record to which it points.
 */
export type ColumnAccess = {
  isHidden?: true
  isUnreadable?: true
  visibleIn?: RowCondition
  isReadOnly?: true
  linksTo?: RowCondition
}

/** A column as PostgreSQL has it, with Rowhouse's metadata. */
export type Column = {
  id: string
  name: string
  /** `other` if Rowhouse has no type for PostgreSQL's (arrays, ranges, composite types of adopted tables …). */
  type: ColumnTypeName
  /**
   * PostgreSQL's type as SQL: `numeric(12,2)`, `"crm"."mood"`, `integer[]`. For `manyLinks` an array of the keys' type.
   */
  sqlType: string
  /** `sqlType` without its modifier, and the base type of a domain: values to compare with are cast to it. */
  comparedAs: string
  /** The schema of its operators as SQL, if that is not pg_catalog: for a type of an extension, the type's schema. */
  operatorSchema?: string
  /** `manyLinks` and `reverseLinks` have no column in PostgreSQL: their values are rows of this table. */
  joinTable?: JoinTable
  /** SQL that replaces a column which PostgreSQL does not have: its values come from linked records. */
  computed?: ComputedValue
  /** A formula that is computed at each read. */
  readFormula?: ReadFormula
  /** The ids of other tables from which the value is read; absent if there are none. */
  reads?: string[]
  required: boolean
  unique: boolean
  /** The default as a JSON value, if it is a constant that Rowhouse can read; else null. */
  default: unknown
  /** PostgreSQL's text of any default; null for none. */
  defaultExpression: string | null
  options: Record<string, unknown>
  /** The comment on the column in PostgreSQL; for `manyLinks` the comment on its join table. */
  description: string | null
  /** Its index among the columns of the table. */
  position: number
  /**
   * Who provides its value. Callers can also send `identity` and `default` (by PostgreSQL's rules), but not
   * `identityAlways` and `generated`.
   */
  filledBy: 'caller' | 'default' | 'identity' | 'identityAlways' | 'generated' | 'rowhouse'
  /** The privileges of the connection's role on it. */
  isReadable: boolean
  isWritable: boolean
  /** Set if the access document narrows it for the caller. */
  access?: ColumnAccess
}

/** Column names pair up: `ownColumns[i]` of the join table points to the i-th part of the key of the column's table. */
export type JoinTable = {
  schema: string
  name: string
  ownColumns: string[]
  targetColumns: string[]
  targetTableId: string
  /**
   * For `reverseLinks` of a `link`: the table is the target itself, and its column `ownColumns[0]` is the link back.
   */
  isTarget?: true
  /** For such a table, the columns that name the user who changed a record last. */
  authorColumns?: string[]
  /** The records to which the caller may link, if not all: a condition on a row of this table. */
  linkable?: RowRule
}

/** A foreign key of a table: its `columns` point to `targetColumns` of another table, pair by pair. */
export type ForeignKey = { name: string; columns: string[]; target: { schema: string; name: string }; targetColumns: string[] }

/** A table or view of a served schema. It stays the same object across versions of the catalogue until it changes. */
export type Table = {
  id: string
  schema: string
  name: string
  kind: 'table' | 'partitionedTable' | 'foreignTable' | 'view' | 'materializedView'
  /** Empty if there is none: the table can then be listed, but its records cannot be addressed by key. */
  primaryKey: string[]
  /**
   * Unique constraints and unique indexes without a predicate, including the primary key. `on_conflict` may name them,
   * and with one, a reverse link leads to a single record.
   */
  uniqueKeys: string[][]
  /** The columns with a unique key that ignores case: an index on `lower()` of the column. Never a primary key. */
  caselessKeys: string[]
  foreignKeys: ForeignKey[]
  columns: Column[]
  /**
   * Whether rows have `xmin` and `ctid`; views and foreign tables have none, and their version is a hash of the record.
   */
  hasRowVersion: boolean
  /** Changes when the columns represent the same row in another way; part of the version of each record. */
  columnsHash: string
  /** The privileges of the connection's role, limited to the operations that PostgreSQL supports on a view. */
  rights: { select: boolean; insert: boolean; update: boolean; delete: boolean }
  /** No insert, no update and no delete. */
  readOnly: boolean
  /** Whether Rowhouse made it and can change its definition: it is in the schema `data` and in `rowhouse.tables`. */
  isOwn: boolean
  /** Whether it only holds the values of a `manyLinks` column: it is not listed, but can be embedded. */
  isJoinTable: boolean
  /**
   * Whether a write has effects once per statement, not only per row, because of a rule or a statement-level trigger.
   */
  actsOnStatements: boolean
  /**
   * Whether a trigger may skip a change. A skipped change must not be retried automatically: an action that the trigger
   * took instead would run twice.
   */
  leavesOutChanges: boolean
  /** Whether writes run user-defined functions, which find names by the search path. */
  runsFunctions: boolean
  /** Whether a trigger may change rows after they were written. */
  changesWritten: boolean
  /** Whether its changes are logged (docs/history.md). */
  isLogged: boolean
  createdAt: string | null
  /** The id of the column chosen to name its records; the column may no longer exist. */
  displayColumnId: string | null
  section: string | null
  position: number | null
  /** Whether it should have an index for the search; `ready` is the index for the current columns, if it is built. */
  searchIndex: { isOn: boolean; ready: ReadySearchIndex | null }
  /** Set if access rules narrow the table for the caller; absent if no rule names it, and for administrators. */
  access?: TableAccess
}
