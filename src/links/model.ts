import { t } from 'elysia'

const Time = t.String({ format: 'date-time' })
const nothingElse = { additionalProperties: false }

/** The maximum number of links per user. */
export const maxLinks = 1000
/** The number of records on one page of a list. */
export const maxPageRecords = 200
export const defaultPageRecords = 50

export const LinkKind = t.Union([t.Literal('record'), t.Literal('list'), t.Literal('file'), t.Literal('document')])
export type LinkKind = typeof LinkKind.static

const linkStates = ['active', 'expired', 'revoked', 'usedUp', 'issuerDisabled', 'tokenEnded'] as const
export type LinkState = (typeof linkStates)[number]

const LinkedDocument = t.Object(
  {
    plugin: t.String({ minLength: 1, maxLength: 200 }),
    template: t.String({ minLength: 1, maxLength: 200 }),
    format: t.Optional(t.String({ maxLength: 20, description: 'A format of the template; by default its first one.' })),
    params: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'As in POST /api/v1/documents/{plugin}/{template}.' })),
  },
  nothingElse,
)
export type LinkedDocument = typeof LinkedDocument.static

export const NewLink = t.Object(
  {
    table: t.Optional(t.String({ minLength: 1, maxLength: 200, description: 'Id or name. Required, except for documents.' })),
    pk: t.Optional(
      t.Union([t.String({ minLength: 1, maxLength: 10_000 }), t.Integer()], {
        description: 'The key of a record, as in its path. Without it the link shows a list.',
      }),
    ),
    column: t.Optional(t.String({ minLength: 1, maxLength: 200, description: 'For a file, the id or name of its column.' })),
    fileId: t.Optional(t.String({ format: 'uuid', description: 'For a file, its id.' })),
    document: t.Optional(LinkedDocument),
    query: t.Optional(
      t.String({
        maxLength: 8000,
        description:
          'As behind the `?` of the records route. Of a list: filters, select, order, q, and limit (of a page). Of a record: select.',
      }),
    ),
    expiresAt: t.Optional(
      t.Nullable(t.String({ description: 'RFC 3339, with the offset from UTC. Without it, or with null, the link does not expire.' })),
    ),
    password: t.Optional(t.String({ minLength: 8, maxLength: 256, description: 'Required before the link shows anything.' })),
    maxOpens: t.Optional(t.Integer({ minimum: 1, maximum: 1_000_000, description: 'How often the link can be opened.' })),
  },
  nothingElse,
)
export type NewLink = typeof NewLink.static

export const ShareLink = t.Object({
  id: t.String({ format: 'uuid' }),
  kind: LinkKind,
  table: t.Nullable(
    t.String({ description: 'Name of the table; null for a document without a table, and if the caller may not read the table.' }),
  ),
  tableId: t.Nullable(t.String({ format: 'uuid' })),
  pk: t.Nullable(t.String()),
  column: t.Nullable(t.String({ description: 'Id of the column of the file.' })),
  fileId: t.Nullable(t.String({ format: 'uuid' })),
  document: t.Nullable(LinkedDocument),
  query: t.Nullable(t.String()),
  state: t.Unsafe<LinkState>(
    t.Union(
      linkStates.map((state) => t.Literal(state)),
      { description: 'Only an active link can be opened, and only if its issuer may read what it shows.' },
    ),
  ),
  expiresAt: t.Nullable(Time),
  hasPassword: t.Boolean(),
  maxOpens: t.Nullable(t.Integer()),
  opens: t.Integer(),
  lastOpenedAt: t.Nullable(Time),
  createdAt: Time,
  userId: t.String({ format: 'uuid', description: 'The issuer. The link shows only what they may read.' }),
  tokenId: t.Nullable(t.String({ format: 'uuid', description: 'The API token that created the link, which ends with the token.' })),
})
export type ShareLink = typeof ShareLink.static

export const CreatedLink = t.Composite([
  ShareLink,
  t.Object({ url: t.String({ description: 'The URL of the link. It is shown only once.' }) }),
])

export const LinkFilter = t.Object(
  {
    all: t.Optional(t.Boolean({ description: 'Links of all users, for administrators.' })),
    table: t.Optional(
      t.String({ minLength: 1, maxLength: 200, description: 'Id or name. Lists only links to this table and its records.' }),
    ),
    pk: t.Optional(t.String({ minLength: 1, maxLength: 10_000, description: 'With `table`, lists only links to this record.' })),
    limit: t.Optional(t.Integer({ minimum: 1, maximum: 1000, description: 'Links in the answer (default 100).' })),
    cursor: t.Optional(t.String({ format: 'uuid', description: 'The nextCursor of the previous page.' })),
  },
  nothingElse,
)
export type LinkFilter = typeof LinkFilter.static

/** The target of a link. Tables and columns are ids, so that it survives renames. `key` is as in a path. */
export type LinkSubject = {
  kind: LinkKind
  tableId: string | null
  recordKey: string | null
  columnId: string | null
  fileId: string | null
  query: string | null
  document: LinkedDocument | null
}
