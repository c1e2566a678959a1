import { constantDefault } from './adoption-defaults'
import { derivedId } from './adoption-ids'
import { type AdoptedType, adoptType } from './adoption-types'
import { type ColumnTypeName, columnTypes } from './column-types'
import type { ColumnNotes, PgColumn, PgRelation, PgTypes } from './introspection'
import type { Column } from './model'

export function adoptColumn(column: PgColumn, relation: PgRelation, types: PgTypes): Column {
  const adopted = adoptType(types.get(column.typeId)!, column.typeText)
  const notes = relation.notes?.columns.find(({ name }) => name === column.name)
  const { type, options } = (notes && noted(notes, adopted)) ?? adopted
  const granted = relation.isOpen ? (column.granted ?? relation.granted) : ''
  return {
    id: notes?.id ?? derivedId(relation.schema, relation.name, column.name),
    name: column.name,
    type,
    sqlType: adopted.sqlType,
    comparedAs: adopted.comparedAs,
    required: column.flags.includes('n') || adopted.isRequired,
    unique: relation.uniqueKeys.some(({ isPrimary, columns }) => !isPrimary && columns.length === 1 && columns[0] === column.number),
    default: column.flags.includes('g') ? null : defaultOf(column, type, notes),
    defaultExpression: column.flags.includes('g') ? null : column.defaultExpression,
    options,
    filledBy: filledByOf(column, adopted),
    isReadable: granted.includes('r'),
    isWritable: /[aw]/.test(granted) && adopted.isNameable && canBeWritten(column, relation),
  }
}

/** The notes on a column count as long as its type in PostgreSQL is the one that they speak of. */
function noted({ type, options }: ColumnNotes, adopted: AdoptedType): { type: ColumnTypeName; options: Record<string, unknown> } | null {
  if (!Object.hasOwn(columnTypes, type)) return null
  const definition = columnTypes[type as ColumnTypeName]
  return canonical(definition.sqlType(options)) === canonical(adopted.sqlType) ? { type: type as ColumnTypeName, options } : null
}

const aliases: Record<string, string> = {
  ...{ timestamptz: 'timestampwithtimezone', time: 'timewithouttimezone', float8: 'doubleprecision', bool: 'boolean' },
  ...{ int2: 'smallint', int4: 'integer', int8: 'bigint', varchar: 'charactervarying', decimal: 'numeric' },
}

/** Names of types that mean the same become the same text. */
function canonical(sqlType: string): string {
  const text = sqlType.toLowerCase().replaceAll(' ', '')
  return text.replace(/^[a-z0-9]+/, (word) => aliases[word] ?? word)
}

/** As it was asked for when the column was made, if PostgreSQL has the same; it may have been changed there. */
function defaultOf({ defaultExpression }: PgColumn, type: ColumnTypeName, notes: ColumnNotes | undefined): unknown {
  const found = constantDefault(defaultExpression, type)
  return found !== null && String(notes?.default) === String(found) ? notes?.default : found
}

function filledByOf({ flags, defaultExpression }: PgColumn, { hasDefault }: AdoptedType): Column['filledBy'] {
  if (flags.includes('g')) return 'generated'
  if (flags.includes('a')) return 'identityAlways'
  if (flags.includes('d')) return 'identity'
  return defaultExpression !== null || hasDefault ? 'default' : 'caller'
}

/** Of a view a column can be updated, or an INSTEAD OF trigger takes new records whole. */
function canBeWritten({ isUpdatable }: PgColumn, { kind, events, ownEvents }: PgRelation): boolean {
  if (kind === 'm') return false
  const takesAnything = ((events ?? 0) & ~(ownEvents ?? 0)) > 0
  return isUpdatable !== false || takesAnything
}
