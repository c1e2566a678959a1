import { type ColumnTypeName, columnTypes } from '../../column-types'
import { isVirtual } from '../../computed-value'
import type { ReadFormula } from '../../formulas/read-formula'
import type { Column } from '../../model'
import { isSameType } from '../../sql-types'
import { constantDefault } from './constant-default'
import { derivedId } from './derived-id'
import type { ColumnMetadata, PgColumn, PgRelation, PgTypes } from './introspection'
import { type MappedType, toColumnType } from './to-column-type'

type UnplacedColumn = Omit<Column, 'position'>

/** Ordered by the metadata; columns that psql added come last. */
export function toColumns(relation: PgRelation, types: PgTypes): Column[] {
  const notes = relation.notes?.columns ?? []
  const places = new Map(notes.map(({ name }, place) => [name, place]))
  const columns = relation.columns.map((column) => toColumn(column, relation, types))
  const names = new Set(columns.map(({ name }) => name))
  // If a real column has since got the name in psql, the name belongs to that column.
  const links = notes
    .filter(({ name }) => !names.has(name))
    .flatMap((note) => (note.joinTable ? [manyLinksColumn(note, note.joinTable)] : virtualColumn(note)))
  const placeOf = ({ name }: UnplacedColumn) => places.get(name) ?? places.size
  return [...columns, ...links].sort((one, other) => placeOf(one) - placeOf(other)).map((column, position) => ({ ...column, position }))
}

function manyLinksColumn(
  { id, name, options, description }: ColumnMetadata,
  { targetType, ...joinTable }: NonNullable<ColumnMetadata['joinTable']>,
): UnplacedColumn {
  return {
    ...{ id, name, type: 'manyLinks', options, description },
    ...{ sqlType: `${targetType}[]`, comparedAs: `${targetType}[]` },
    joinTable: { schema: 'data', ...joinTable, targetTableId: String(options.table) },
    ...{ required: false, unique: false, default: null, defaultExpression: null, filledBy: 'caller', isReadable: true, isWritable: true },
  }
}

/** The column before `withVirtualColumns` has found the source of its values. */
function virtualColumn({ id, name, type, options: { readFormula, ...options } }: ColumnMetadata): UnplacedColumn[] {
  if (!Object.hasOwn(columnTypes, type) || !isVirtual({ type: type as ColumnTypeName, options })) return []
  const known = columnTypes[type as ColumnTypeName]
  return [
    {
      ...{ id, name, type: type as ColumnTypeName, options, sqlType: 'text', comparedAs: 'text', filledBy: known.filledBy ?? 'caller' },
      // PostgreSQL has no object to attach a comment to.
      description: typeof options.description === 'string' ? options.description : null,
      ...(readFormula ? { readFormula: readFormula as ReadFormula } : {}),
      ...{ required: false, unique: false, default: null, defaultExpression: null, isReadable: true, isWritable: false },
    },
  ]
}

function toColumn(column: PgColumn, relation: PgRelation, types: PgTypes): UnplacedColumn {
  const adopted = toColumnType(types.get(column.typeId)!, column.typeText)
  const notes = relation.notes?.columns.find(({ name }) => name === column.name)
  const counting = notes && withMetadata(notes, column, relation, adopted)
  const { type, options } = counting ?? adopted
  const defaultExpression = column.defaultExpression ?? adopted.default
  const granted = relation.isOpen ? (column.granted ?? relation.granted) : ''
  const keys = relation.uniqueKeys.filter(({ isPrimary, columns }) => !isPrimary && columns.length === 1 && columns[0] === column.number)
  return {
    id: notes?.id ?? derivedId(relation.schema, relation.name, column.name),
    name: column.name,
    type,
    sqlType: adopted.sqlType,
    comparedAs: adopted.comparedAs,
    ...(adopted.operatorSchema === undefined ? {} : { operatorSchema: adopted.operatorSchema }),
    required: column.flags.includes('n') || adopted.isRequired,
    unique: keys.length > 0,
    default: column.flags.includes('g') ? null : defaultOf(column, type, notes),
    defaultExpression: column.flags.includes('g') ? null : defaultExpression,
    options: type === 'email' && keys.length > 0 ? { ...options, ignoreCase: keys.some(({ isCaseless }) => isCaseless) } : options,
    description: column.description,
    filledBy: (counting && columnTypes[type].filledBy) ?? filledByOf(column, defaultExpression),
    isReadable: granted.includes('r'),
    isWritable: /[aw]/.test(granted) && adopted.isNameable && canBeWritten(column, relation),
  }
}

/**
 * The metadata of a column applies as long as PostgreSQL still has the matching type, foreign key, expression or
 * identity.
 */
function withMetadata(
  { type, options }: ColumnMetadata,
  { number, flags }: PgColumn,
  { foreignKeys }: PgRelation,
  { sqlType }: MappedType,
): { type: ColumnTypeName; options: Record<string, unknown> } | null {
  if (!Object.hasOwn(columnTypes, type)) return null
  const definition = columnTypes[type as ColumnTypeName]
  const isThere =
    isSameType(definition.sqlType(options, sqlType), sqlType) &&
    (!linkOf.includes(type) || foreignKeys.some(({ columns }) => columns.length === 1 && columns[0] === number)) &&
    (type === 'formula') === flags.includes('g') &&
    !isVirtual({ type: type as ColumnTypeName, options }) &&
    (type === 'autoNumber') === flags.includes('a')
  return isThere ? { type: type as ColumnTypeName, options } : null
}

const linkOf = ['link', 'user', 'createdBy', 'updatedBy']

/** The default as the request set it, if PostgreSQL still has the same; it may have been changed in psql. */
function defaultOf({ defaultExpression }: PgColumn, type: ColumnTypeName, notes: ColumnMetadata | undefined): unknown {
  const found = constantDefault(defaultExpression, type)
  const isSame = typeof found !== 'object' && String(notes?.default) === String(found)
  return isSame ? notes?.default : found
}

function filledByOf({ flags }: PgColumn, defaultExpression: string | null): Column['filledBy'] {
  if (flags.includes('g')) return 'generated'
  if (flags.includes('a')) return 'identityAlways'
  if (flags.includes('d')) return 'identity'
  return defaultExpression === null ? 'caller' : 'default'
}

/**
 * A view's column can be written if PostgreSQL can update it, or if an INSTEAD OF trigger accepts whole new records.
 */
function canBeWritten({ isUpdatable }: PgColumn, { kind, events, ownEvents }: PgRelation): boolean {
  if (kind === 'm') return false
  const takesAnything = ((events ?? 0) & ~(ownEvents ?? 0)) > 0
  return isUpdatable !== false || takesAnything
}
