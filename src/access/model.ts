import { t } from 'elysia'

const RuleTextSchema = t.String({
  maxLength: 2000,
  description: '`all`, `none`, or a filter in the grammar of queries: `owner=eq.@me`, `or=(team.in.@me.groups,public.is.true)`.',
})
const Names = t.Array(t.String({ minLength: 1, maxLength: 200 }), { maxItems: 1600 })

const columns = t.Optional(
  t.Object(
    { read: t.Optional(Names), write: t.Optional(Names) },
    { additionalProperties: false, description: 'The only columns that may be read and written, by name or id; all if left out.' },
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
  rule: t.Integer({ description: 'Index of the rule.' }),
  message: t.String({ description: 'Why the rule, or a part of it, no longer allows anything.' }),
})

const AccessNotice = t.Object({
  rule: t.Integer({ description: 'Index of the rule that restricts the table.' }),
  view: t.String({ description: 'Name of a view without a rule of its own.' }),
  table: t.String({ description: 'Name of the table whose rows it shows.' }),
  message: t.String(),
})
export type AccessNotice = typeof AccessNotice.static

const notices = t.Array(AccessNotice, { description: 'Views that show data that the rules hide in their tables.' })

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
  columns: t.Optional(t.Object(ColumnChange, { description: 'Columns that become readable, or are no longer readable.' })),
  cells: t.Optional(
    t.Array(VisibilityChange, {
      description:
        'Columns whose values are visible in other records; records that are read before and after are counted. Values that are computed from other records than before are not counted.',
    }),
  ),
  writable: t.Optional(
    t.Object(ColumnChange, {
      description: 'Columns that a user who writes others can write from now on, or no longer, in any record.',
    }),
  ),
  writableCells: t.Optional(
    t.Array(VisibilityChange, {
      description: 'Columns that can be written in other records. Records that can be changed before and after are counted.',
    }),
  ),
})
export type UserChange = typeof UserChange.static

export const AccessImpact = t.Object({
  dryRun: t.Literal(true),
  tables: t.Array(t.Object({ id: t.String(), name: t.String(), users: t.Array(UserChange) })),
  notices,
  isPartial: t.Boolean({
    description: 'Whether the report is incomplete: there is too much to check, or counting took too long or failed.',
  }),
})
export type AccessImpact = typeof AccessImpact.static

export const ExplainQuery = t.Object(
  {
    user: t.String({ maxLength: 254, description: 'Id or e-mail address.' }),
    table: t.String({ maxLength: 200 }),
    action: t.Union([t.Literal('read'), t.Literal('create'), t.Literal('update'), t.Literal('delete')]),
    pk: t.Optional(t.String({ maxLength: 1000, description: 'The key of a record, as in its URL.' })),
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
  rule: t.Nullable(t.Integer(), { description: 'Index of the rule that decides.' }),
  lines: t.Array(
    t.Object({
      rule: t.Integer(),
      group: t.String(),
      text: t.String(),
      isMember: t.Boolean({ description: 'Whether the rule applies to this user.' }),
      allows: t.Nullable(t.Boolean(), { description: 'null if it depends on the record, and the request names none.' }),
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
      { description: 'The renamed table, column or group that the document followed. null for a change of the document itself.' },
    ),
  ),
})
export type AccessChange = typeof AccessChange.static
