import { t } from 'elysia'

const noMore = { additionalProperties: false }
const Time = t.String({ format: 'date-time' })

const maxFormFields = 100
/** How many records a link field offers. */
export const maxOffered = 200

const FormName = t.String({
  pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
  description: 'As in its URL: lower-case letters, digits and hyphens.',
})
const Line = t.String({ maxLength: 200 })
const Text = t.String({ maxLength: 5000 })

const FieldFiles = t.Object(
  {
    most: t.Optional(t.Integer({ minimum: 1, maximum: 20, description: 'Files in the field; 1 by default.' })),
    maxBytes: t.Optional(
      t.Integer({ minimum: 1, description: 'The maximum size of one file; 10 MB by default. ROWHOUSE_MAX_UPLOAD_BYTES also applies.' }),
    ),
    accept: t.Optional(
      t.Array(t.String({ minLength: 1, maxLength: 100 }), { maxItems: 50, description: 'As in the column: `image/*`, `.pdf`.' }),
    ),
  },
  noMore,
)

export const FormField = t.Object(
  {
    column: t.String({ minLength: 1, maxLength: 200, description: 'Name or id of the column.' }),
    label: t.Optional(Line),
    help: t.Optional(t.String({ maxLength: 1000 })),
    required: t.Optional(t.Boolean()),
    default: t.Optional(t.Unknown({ description: 'A value of the column’s type, for a field that is not sent.' })),
    prefill: t.Optional(t.Boolean({ description: 'Whether the URL may contain a value: ?column=value.' })),
    shownIf: t.Optional(
      t.String({
        maxLength: 1000,
        description: 'Filters on earlier fields, with eq, neq, in and is: kind=eq.other. Several are joined by &, and all must be met.',
      }),
    ),
    choices: t.Optional(t.Boolean({ description: 'Required for links: everybody can see the names of the linked records.' })),
    files: t.Optional(FieldFiles),
  },
  noMore,
)
export type FormField = typeof FormField.static

const settings = {
  title: t.String({ minLength: 1, maxLength: 200 }),
  description: t.Optional(Text),
  fields: t.Array(FormField, { minItems: 1, maxItems: maxFormFields }),
  thanks: t.Optional(Text),
  redirect: t.Optional(t.String({ maxLength: 2000, description: 'An https URL that opens instead of the thanks.' })),
  sites: t.Optional(t.Array(t.String({ maxLength: 300 }), { maxItems: 20, description: 'Origins that may show the form in a frame.' })),
  budget: t.Optional(
    t.String({ maxLength: 20, description: 'Submissions from one IP address: 20/h by default. The units are s, m, h and d.' }),
  ),
}

const opening = {
  enabled: t.Boolean(),
  opensAt: t.Nullable(Time),
  closesAt: t.Nullable(Time),
  maxSubmissions: t.Nullable(t.Integer({ minimum: 1, maximum: 1_000_000_000 })),
}

export const NewFormDefinition = t.Object(
  {
    name: FormName,
    table: t.String({ minLength: 1, maxLength: 200, description: 'Id or name.' }),
    ...settings,
    ...t.Partial(t.Object(opening)).properties,
  },
  noMore,
)
export type NewFormDefinition = typeof NewFormDefinition.static

/** A missing member is unchanged; null removes a time or the maximum. */
export const FormDefinitionPatch = t.Partial(
  t.Object({
    name: FormName,
    ...settings,
    ...opening,
    description: t.Nullable(Text),
    thanks: t.Nullable(Text),
    redirect: t.Nullable(t.String({ maxLength: 2000 })),
  }),
  { ...noMore, minProperties: 1 },
)
export type FormDefinitionPatch = typeof FormDefinitionPatch.static

export const FormDefinition = t.Object({
  id: t.String({ format: 'uuid' }),
  name: t.String(),
  table: t.Object({ id: t.String(), name: t.Nullable(t.String({ description: 'null if the table was deleted.' })) }),
  ...settings,
  ...opening,
  submissions: t.Integer({ description: 'Records that it has created.' }),
  lastSubmissionAt: t.Nullable(Time),
  url: t.String({ description: 'The URL of the page.' }),
  isClosed: t.Boolean({ description: 'Whether it is closed: it is disabled, has ended, or has a problem that closes it.' }),
  problems: t.Array(t.String(), { description: 'Why it is closed although it is enabled, or why it may refuse submissions.' }),
  needsRule: t.Boolean({
    description: 'Whether an access rule that lets "Forms" create all records of the table would solve some of the problems.',
  }),
  createdAt: Time,
  updatedAt: Time,
})
export type FormDefinition = typeof FormDefinition.static

const PublicField = t.Object({
  name: t.String(),
  label: t.String(),
  help: t.Nullable(t.String()),
  type: t.String(),
  required: t.Boolean(),
  default: t.Unknown(),
  shownIf: t.Nullable(t.String()),
  choices: t.Optional(t.Array(t.Object({ value: t.String(), label: t.String() }))),
  files: t.Optional(t.Object({ most: t.Integer(), maxBytes: t.Integer(), accept: t.Array(t.String()) })),
})

/** A form as everyone may see it, with a challenge for one submission. */
export const PublicForm = t.Object({
  name: t.String(),
  title: t.String(),
  description: t.Nullable(t.String()),
  fields: t.Array(PublicField),
  challenge: t.String(),
  difficulty: t.Integer({ description: 'Zero bits at the beginning of SHA-256 of `{challenge}:{number}`. The proof is that text.' }),
})
export type PublicForm = typeof PublicForm.static

export const SubmissionAnswer = t.Object({ ok: t.Literal(true), thanks: t.String(), redirect: t.Optional(t.String()) })
export type SubmissionAnswer = typeof SubmissionAnswer.static
