import { Group, GroupPatch, NewGroup } from '../../access/groups/model'
import { AuditEntry } from '../../auth/audit/audit-log'
import {
  CreatedToken,
  Credentials,
  Me,
  NewToken,
  PasswordChange,
  Session,
  SetupRequest,
  Token,
  User,
  UserWithGroups,
} from '../../auth/model'
import { RecordBody } from '../../records/model'
import { ConversionReport } from '../../tables/definitions/conversion-model'
import { AddedColumn, ColumnPatch, ColumnTypeView, ColumnView, NewColumn, NewTable, TablePatch, TableView } from '../../tables/model'
import { CreatedUser, InviteAnswer, InviteHolder, InviteLink, NewUser, UserPatch } from '../../users/model'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Schema = { [key: string]: Json }

/** TypeBox schemas as plain JSON Schema, without Elysia's own additions. */
export function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain)
  if (!isSchema(value)) return value
  return simplified(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)])))
}

const isSchema = (value: Json | undefined): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)

function simplified(schema: Schema): Schema {
  const { anyOf, patternProperties, nullable: _, ...rest } = schema
  if (isSchema(patternProperties) && '^(.*)$' in patternProperties) return { ...rest, additionalProperties: true }
  // A record whose names have a pattern, in keywords that OpenAPI tools know.
  const [named] = isSchema(patternProperties) ? Object.entries(patternProperties) : []
  if (named) return { ...rest, propertyNames: { pattern: named[0] }, additionalProperties: named[1] }
  if (!Array.isArray(anyOf) || !anyOf.every(isSchema)) return schema
  // In a query, Elysia offers the text that it converts besides the intended number.
  const kinds = anyOf.filter(({ type, format }) => !(type === 'string' && (format === 'integer' || format === 'numeric')))
  if (kinds.every((kind) => 'const' in kind)) return { ...rest, type: 'string', enum: kinds.map((kind) => kind.const!) }
  if (kinds.length === 1) return { ...rest, ...kinds[0]! }
  const [first, last] = kinds
  if (kinds.length === 2 && last!.type === 'null' && typeof first!.type === 'string')
    return { ...rest, ...first, type: [first!.type, 'null'] }
  return { ...rest, anyOf: kinds }
}

const toJson = (value: object): Schema => plain(JSON.parse(JSON.stringify(value))) as Schema

const requests = {
  Credentials,
  SetupRequest,
  PasswordChange,
  NewToken,
  NewUser,
  UserPatch,
  InviteAnswer,
  NewGroup,
  GroupPatch,
  NewTable,
  TablePatch,
  NewColumn,
  AddedColumn,
  ColumnPatch,
  Record: RecordBody,
}
const answers = {
  User,
  UserWithGroups,
  Me,
  Session,
  Token,
  CreatedToken,
  CreatedUser,
  InviteLink,
  InviteHolder,
  Group,
  AuditEntry,
  Table: TableView,
  Column: ColumnView,
  ColumnType: ColumnTypeView,
  ConversionReport,
}

/** `opened`, because Elysia closes the schemas of responses when it compiles their routes, whenever that is. */
const models: Record<string, Schema> = Object.fromEntries([
  ...Object.entries(requests).map(([name, model]) => [name, toJson(model)] as const),
  ...Object.entries(answers).map(([name, model]) => [name, opened(toJson(model)) as Schema] as const),
])

/**
 * The same text for equal schemas, whatever the order of their members. Elysia closes some schemas when it compiles
 * their routes, so that is ignored.
 */
const canonical = (value: Json): string =>
  JSON.stringify(opened(value), (_key, item: Json) =>
    isSchema(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  )

/** Without `additionalProperties: false`: a response may gain members, and clients should expect that. */
export function opened(value: Json): Json {
  if (Array.isArray(value)) return value.map(opened)
  if (!isSchema(value)) return value
  const entries = Object.entries(value).filter(([key, item]) => key !== 'additionalProperties' || item !== false)
  return Object.fromEntries(entries.map(([key, item]) => [key, opened(item)]))
}

const nameOf = new Map(Object.entries(models).map(([name, schema]) => [canonical(schema), name]))

/**
 * Replaces a schema that equals one of the models by a reference, so that clients generated from the description get
 * named types.
 */
export function named(value: Json): Json {
  if (Array.isArray(value)) return value.map(named)
  if (!isSchema(value)) return value
  const name = nameOf.get(canonical(value))
  return name ? { $ref: `#/components/schemas/${name}` } : namedInside(value)
}

const namedInside = (schema: Schema): Schema => Object.fromEntries(Object.entries(schema).map(([key, item]) => [key, named(item)]))

/** Examples that work when sent unchanged. */
const examples: Record<string, Json> = {
  Credentials: { email: 'ada@example.org', password: 'a few unrelated words' },
  PasswordChange: { currentPassword: 'a few unrelated words', newPassword: 'some other unrelated words', revokeTokens: true },
  NewToken: { name: 'Nightly import', scope: 'write' },
  NewUser: { email: 'grace@example.org', name: 'Grace', role: 'editor' },
  NewGroup: { name: 'Sales' },
  GroupPatch: { name: 'Sales team' },
  UserPatch: { role: 'viewer', disabled: true },
  NewTable: {
    name: 'books',
    columns: [
      { name: 'title', type: 'text', required: true },
      { name: 'pages', type: 'integer' },
      { name: 'price', type: 'decimal', options: { precision: 8, scale: 2 } },
    ],
  },
  NewColumn: { name: 'title', type: 'text', required: true },
  TablePatch: { name: 'novels' },
  ColumnPatch: { type: 'integer', onFailure: 'null' },
  Record: { title: 'The Art of Computer Programming', pages: 672, price: '79.99' },
}

export const namedSchemas = (): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(models).map(([name, schema]) => [
      name,
      { ...namedInside(schema), ...(examples[name] === undefined ? {} : { examples: [examples[name]] }) },
    ]),
  )
