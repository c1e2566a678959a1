import { type TSchema, t } from 'elysia'

const nothingElse = { additionalProperties: false }

/** The maximum number of views of a table for one person, and of views of the table for everyone. */
export const maxNamedViews = 50

/** In lower case, as ids are compared. */
export const columnIdPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
const ColumnId = t.String({ pattern: columnIdPattern })
const ColumnIds = t.Array(ColumnId, { maxItems: 2000 })
const textOf = (maxLength: number) => t.String({ maxLength })

const Condition = t.Object(
  {
    kind: t.Literal('rule'),
    column: ColumnId,
    linked: t.Optional(
      t.Union([t.Boolean(), ColumnId], {
        description: 'The column of the linked records that the condition compares, by its id; true for the text that names them.',
      }),
    ),
    operator: textOf(40),
    values: t.Array(textOf(10_000), { maxItems: 1000 }),
  },
  nothingElse,
)
type Condition = typeof Condition.static

type ConditionGroup = { kind: 'group'; join: 'and' | 'or'; items: (Condition | ConditionGroup)[] }

const maxGroupDepth = 8

const groupOf = (depth: number): TSchema =>
  t.Object(
    {
      kind: t.Literal('group'),
      join: t.Union([t.Literal('and'), t.Literal('or')]),
      items: t.Array(depth < maxGroupDepth ? t.Union([Condition, groupOf(depth + 1)]) : Condition, { maxItems: 200 }),
    },
    nothingElse,
  )

/**
 * The arrangement of a table in the grid. It names columns only by id, so they can be renamed, and hidden ones removed.
 */
export const Arrangement = t.Object(
  {
    widths: t.Optional(t.Record(ColumnId, t.Number(), nothingElse)),
    order: t.Optional(ColumnIds),
    hidden: t.Optional(ColumnIds),
    pinned: t.Optional(ColumnIds),
    summaries: t.Optional(t.Record(ColumnId, textOf(40), nothingElse)),
    rowSize: t.Optional(textOf(40)),
    wraps: t.Optional(t.Boolean()),
    isGridOnPhone: t.Optional(t.Boolean()),
    sort: t.Optional(t.Array(t.Object({ column: ColumnId, isDescending: t.Boolean() }, nothingElse), { maxItems: 100 })),
    filter: t.Optional(t.Unsafe<ConditionGroup>(groupOf(1))),
  },
  { ...nothingElse, description: 'Columns, order and filter, at most 64 KB. Columns are named by id.' },
)
export type Arrangement = typeof Arrangement.static

const ViewName = t.String({ minLength: 1, maxLength: 100 })

export const NewNamedView = t.Object(
  {
    name: ViewName,
    isShared: t.Optional(
      t.Boolean({ description: 'Whether it is for everyone, which needs the role editor; else it is the caller’s own.' }),
    ),
    settings: Arrangement,
  },
  nothingElse,
)
export type NewNamedView = typeof NewNamedView.static

export const NamedViewPatch = t.Object(
  {
    name: t.Optional(ViewName),
    settings: t.Optional(Arrangement),
    version: t.Optional(
      t.Integer({ description: 'The version that the caller has read. If the view has another version by now, nothing is changed.' }),
    ),
  },
  nothingElse,
)
export type NamedViewPatch = typeof NamedViewPatch.static

export const NamedViewEntry = t.Object({
  id: t.String({ format: 'uuid' }),
  name: t.String(),
  isShared: t.Boolean(),
  canChange: t.Boolean({ description: 'Whether the caller may change, rename and delete it.' }),
})
export type NamedViewEntry = typeof NamedViewEntry.static

/** A newer instance on the same database may have stored settings that this one does not know. */
const StoredArrangement = t.Unsafe<Arrangement>(
  t.Object({}, { additionalProperties: true, description: 'The settings as they were sent.' }),
)

export const NamedView = t.Composite([
  NamedViewEntry,
  t.Object({ version: t.Integer({ description: 'Increases with each change of the settings.' }), settings: StoredArrangement }),
])
export type NamedView = typeof NamedView.static
