import type { PgRelation, PgTypes } from '../catalog/introspection/introspection'
import { toColumnType } from '../catalog/introspection/to-column-type'
import { isUuid } from '../column-types/uuid'
import { identifier, qualifiedName } from '../ddl'
import type { Column, Table } from '../model'

/** A table, with the facts that explain why it is not served fully. */
export type Subject = {
  relation: PgRelation
  types: PgTypes
  table: Table
  /** The role of the connection. */
  role: string
  /** The sequences of its defaults that the role may not use, quoted for SQL. */
  closedSequences: readonly string[]
}

const named = (columns: readonly Column[]): string => columns.map(({ name }) => identifier(name)).join(', ')

const letOwnerRun = (statement: string) => `Let the owner run: ${statement};`

/** Why it is not served at all; null if it is. */
export function toRefusalReason({ relation, table, role }: Subject): string | null {
  const to = identifier(role)
  if (relation.extension !== null) return `It belongs to the extension "${relation.extension}", which keeps its own data in it.`
  if (!relation.isOpen) {
    return `The role "${role}" may not use the schema. ${letOwnerRun(`GRANT USAGE ON SCHEMA ${identifier(table.schema)} TO ${to}`)}`
  }
  if (relation.isLocked) return 'Somebody is changing it in a transaction that is still open. Ask again when that has ended.'
  if (table.rights.select) return null
  return `The role "${role}" may read none of its columns. ${letOwnerRun(`GRANT SELECT ON ${qualifiedName(table)} TO ${to}`)}`
}

/** The limits of a served table, as sentences that say what to do about them. */
export const limitsOf = (subject: Subject): string[] => [
  ...nameLimits(subject.table),
  ...keyLimits(subject.table),
  ...readLimits(subject),
  ...writeLimits(subject),
  ...columnLimits(subject),
]

/** Browsers and clients remove `.` and `..` from an address before they send it. */
function nameLimits({ name, schema, id }: Table): string[] {
  if (name === '.' || name === '..') return [`No address can hold its name. Use its id, ${id}.`]
  return isUuid(name) ? [`In an address its name means the id of a table. Use "${schema}.${name}", or its id, ${id}.`] : []
}

function keyLimits({ kind, primaryKey, columns, readOnly }: Table): string[] {
  if (columns.length === 0) return ['It has no columns.']
  if (primaryKey.length > 0) return []
  const isTable = kind === 'table' || kind === 'partitionedTable'
  const what = isTable ? 'It has no primary key' : 'A view or foreign table has no primary key'
  const advice = [isTable ? 'add one' : '', readOnly ? '' : 'use /rest/v1 filters'].filter(Boolean).join(' or ')
  return [`${what}: records cannot be addressed${advice && `; ${advice}`}.`]
}

function readLimits({ table, role }: Subject): string[] {
  const unread = table.columns.filter(({ isReadable }) => !isReadable)
  if (unread.length === 0) return []
  const grant = `GRANT SELECT (${named(unread)}) ON ${qualifiedName(table)} TO ${identifier(role)}`
  return [`The role "${role}" may not read ${named(unread)}. ${letOwnerRun(grant)}`]
}

const writes = [
  { right: 'insert', bit: 8, privilege: 'INSERT', what: 'Records cannot be added' },
  { right: 'update', bit: 4, privilege: 'UPDATE', what: 'Records cannot be changed' },
  { right: 'delete', bit: 16, privilege: 'DELETE', what: 'Records cannot be deleted' },
] as const

function writeLimits({ relation, table, role, closedSequences }: Subject): string[] {
  if (table.kind === 'materializedView') return ['A materialized view is changed by REFRESH MATERIALIZED VIEW only.']
  const to = identifier(role)
  const missing = writes.filter(({ right }) => !table.rights[right])
  const impossible = missing.filter(({ bit }) => relation.events !== null && (relation.events & bit) === 0)
  const refused = missing.filter((write) => !impossible.includes(write))
  const sequences = table.rights.insert ? closedSequences : []
  return [
    ...(impossible.length ? [`${sentence(impossible)}: PostgreSQL can do it for a view of one table, or by an INSTEAD OF trigger.`] : []),
    ...refused.map(({ what, privilege }) => `${what}. ${letOwnerRun(`GRANT ${privilege} ON ${qualifiedName(table)} TO ${to}`)}`),
    ...sequences.map(
      (name) => `Records cannot be added without a number of their own. ${letOwnerRun(`GRANT USAGE ON SEQUENCE ${name} TO ${to}`)}`,
    ),
  ]
}

const sentence = (found: readonly { what: string }[]): string =>
  found.map(({ what }, index) => (index === 0 ? what : what.replace('Records cannot be ', ''))).join(', ')

function columnLimits({ relation, types, table, role }: Subject): string[] {
  if (table.readOnly) return []
  const unwritten = table.columns.filter(({ isWritable, filledBy }) => !isWritable && filledBy !== 'generated')
  const sourceOf = ({ name }: Column) => relation.columns.find((column) => column.name === name)
  const ungranted = unwritten.filter((column) => !/[aw]/.test(sourceOf(column)?.granted ?? relation.granted))
  const schemas = new Set(unwritten.flatMap((column) => closedSchemaOf(types, sourceOf(column)?.typeId)))
  const computed = unwritten.filter((column) => sourceOf(column)?.isUpdatable === false)
  const grant = `GRANT INSERT (${named(ungranted)}), UPDATE (${named(ungranted)}) ON ${qualifiedName(table)} TO ${identifier(role)}`
  return [
    ...(ungranted.length ? [`The role "${role}" may not write ${named(ungranted)}. ${letOwnerRun(grant)}`] : []),
    ...(computed.length ? [`The view computes ${named(computed)}, so that it cannot be written.`] : []),
    ...[...schemas].map((schema) => {
      const grantUsage = `GRANT USAGE ON SCHEMA ${identifier(schema)} TO ${identifier(role)}`
      return `Columns whose types lie in the schema "${schema}" can be read only. ${letOwnerRun(grantUsage)}`
    }),
  ]
}

/** The schema of a type that the role may not name. */
function closedSchemaOf(types: PgTypes, typeId: number | undefined): string[] {
  const type = typeId === undefined ? undefined : types.get(typeId)
  return type && !toColumnType(type, null).isNameable ? [(type.element ?? type).schema] : []
}
