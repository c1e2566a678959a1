import { t } from 'elysia'

const RuleTextSchema = t.String({
  maxLength: 2000,
  description: '`all`, `none`, or a filter in the grammar of queries: `owner=eq.@me`, `or=(team.in.@me.groups,public.is.true)`.',
})
const Names = t.Array(t.String({ minLength: 1, maxLength: 200 }), { maxItems: 1600 })

const columns = t.Optional(
  t.Object(
    { read: t.Optional(Names), write: t.Optional(Names) },
    { additionalProperties: false, description: 'The only columns that are read and written, by name or id; left out for all.' },
  ),
)

const line = {
  group: t.String({ minLength: 1, maxLength: 100, description: 'The name of a group, `everyone`, `role:editor` or `role:viewer`.' }),
  table: t.String({ minLength: 1, maxLength: 200, description: 'The name or id of a table; `*` for all tables.' }),
}

export const NewAccessRule = t.Object(
  {
    ...line,
    read: t.Optional(RuleTextSchema),
    create: t.Optional(RuleTextSchema),
    update: t.Optional(RuleTextSchema),
    delete: t.Optional(RuleTextSchema),
    columns,
  },
  { additionalProperties: false },
)
export type NewAccessRule = typeof NewAccessRule.static

export const NewAccessDocument = t.Object({ rules: t.Array(NewAccessRule, { maxItems: 5000 }) }, { additionalProperties: false })
export type NewAccessDocument = typeof NewAccessDocument.static

/** In API responses: with all four actions, and with the current names. */
export const AccessRule = t.Object({
  ...line,
  read: RuleTextSchema,
  create: RuleTextSchema,
  update: RuleTextSchema,
  delete: RuleTextSchema,
  columns,
})
export type AccessRule = typeof AccessRule.static

const AccessProblem = t.Object({
  rule: t.Integer({ description: 'Index of the line.' }),
  message: t.String({ description: 'Why the line, or a part of it, allows nothing any more.' }),
})

const AccessNotice = t.Object({
  rule: t.Integer({ description: 'Index of the line that narrows the table.' }),
  view: t.String({ description: 'Name of a view without a line of its own.' }),
  table: t.String({ description: 'Name of the table of which it shows rows.' }),
  message: t.String(),
})
export type AccessNotice = typeof AccessNotice.static

const notices = t.Array(AccessNotice, { description: 'Views that show what the rules hide in the tables behind them.' })

export const AccessDocument = t.Object({ rules: t.Array(AccessRule), problems: t.Array(AccessProblem), notices })
export type AccessDocument = { rules: AccessRule[]; problems: { rule: number; message: string }[]; notices: AccessNotice[] }

export const actions = ['read', 'create', 'update', 'delete'] as const
export type Action = (typeof actions)[number]

const Extent = t.Union([t.Literal('all'), t.Literal('some'), t.Literal('none')])
export type Extent = typeof Extent.static

/** `gained` and `lost` are numbers of records; null if they were not counted. */
const ActionChange = t.Object({ before: Extent, after: Extent, gained: t.Nullable(t.Integer()), lost: t.Nullable(t.Integer()) })
export type ActionChange = typeof ActionChange.static

/** Numbers of records as in `ActionChange`. */
const VisibilityChange = t.Object({ column: t.String(), gained: t.Nullable(t.Integer()), lost: t.Nullable(t.Integer()) })
export type VisibilityChange = typeof VisibilityChange.static

const ColumnChange = { gained: t.Array(t.String()), lost: t.Array(t.String()) }

const UserChange = t.Object({
  id: t.String({ format: 'uuid' }),
  name: t.String(),
  read: t.Optional(ActionChange),
  create: t.Optional(ActionChange),
  update: t.Optional(ActionChange),
  delete: t.Optional(ActionChange),
  columns: t.Optional(t.Object(ColumnChange, { description: 'Columns that are read from now on, or no longer.' })),
  cells: t.Optional(
    t.Array(VisibilityChange, {
      description:
        'Columns whose values are visible in other records; records that are read before and after are counted. Values that are computed from other records than before are not counted.',
    }),
  ),
  writable: t.Optional(
    t.Object(ColumnChange, {
      description: 'Columns that are written from now on, or no longer, in any record, by a user who writes others.',
    }),
  ),
  writableCells: t.Optional(
    t.Array(VisibilityChange, {
      description: 'Columns that are written in other records; records that are changed before and after are counted.',
    }),
  ),
})
export type UserChange = typeof UserChange.static

export const AccessImpact = t.Object({
  dryRun: t.Literal(true),
  tables: t.Array(t.Object({ id: t.String(), name: t.String(), users: t.Array(UserChange) })),
  notices,
  isPartial: t.Boolean({
    description: 'Whether not all were looked at or counted: there are too many, or counting took too long or failed.',
  }),
})
export type AccessImpact = typeof AccessImpact.static

export const ExplainQuery = t.Object(
  {
    user: t.String({ maxLength: 254, description: 'Id or e-mail address.' }),
    table: t.String({ maxLength: 200 }),
    action: t.Union([t.Literal('read'), t.Literal('create'), t.Literal('update'), t.Literal('delete')]),
    pk: t.Optional(t.String({ maxLength: 1000, description: 'The key of a record, as in its address.' })),
  },
  { additionalProperties: false },
)
export type ExplainQuery = typeof ExplainQuery.static

export const RuleExplanation = t.Object({
  decision: t.Union([t.Literal('allowed'), t.Literal('denied'), t.Literal('depends')]),
  reason: t.String({
    description:
      'administrator, disabled, role_lacks, no_rules, rule, no_rule_for_user, no_rule_allows, not_readable, no_record; depends on the record without a pk.',
  }),
  rule: t.Nullable(t.Integer(), { description: 'Index of the line that decided.' }),
  lines: t.Array(
    t.Object({
      rule: t.Integer(),
      group: t.String(),
      text: t.String(),
      isMember: t.Boolean({ description: 'Whether the line is for this user.' }),
      allows: t.Nullable(t.Boolean(), { description: 'null where it depends on the record, and none was named.' }),
    }),
    {
      description:
        'All lines that name the table, with what they say about the action; about reading where `update` or `delete` is decided by that.',
    },
  ),
})
export type RuleExplanation = typeof RuleExplanation.static

export const AccessChange = t.Object({
  id: t.String({ format: 'uuid' }),
  at: t.String({ format: 'date-time' }),
  userId: t.Nullable(t.String({ format: 'uuid' })),
  version: t.Integer(),
  removed: t.Array(AccessRule),
  added: t.Array(AccessRule),
  renamed: t.Nullable(
    t.Object(
      { from: t.String(), to: t.String() },
      { description: 'What the document followed: a table, a column or a group that got another name. null for a change of its own.' },
    ),
  ),
})
export type AccessChange = typeof AccessChange.static
