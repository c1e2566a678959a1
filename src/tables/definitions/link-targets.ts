import type { Problem } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import { truncateBytes } from '../../truncate'
import { findTable, type Tables } from '../catalog/catalog'
import type { ColumnDescription, LinkTarget, TableDescription } from '../ddl'
import type { JoinTable, Table } from '../model'
import { nearest } from '../nearest'

/** The parts of a table that a link to it needs; for a table that does not exist yet, from its description. */
type Linkable = Pick<Table, 'id' | 'schema' | 'name' | 'primaryKey'> & { columns: Pick<Table['columns'][number], 'name' | 'sqlType'>[] }

const users: LinkTarget = { id: '', schema: 'rowhouse', name: 'users', key: 'id', keyType: 'uuid' }

/**
 * Finds the target of a column.
 * @param own the table that the column is in or will be in: a link may point to it as well
 */
export function linkTargetOf(
  { type, options }: Pick<ColumnDescription, 'type' | 'options'>,
  tables: Tables,
  own: Linkable,
): LinkTarget | Problem | null {
  if (['user', 'createdBy', 'updatedBy'].includes(type)) return users
  if (type !== 'link' && type !== 'manyLinks') return null
  const reference = String(options.table)
  const table = [own.id, own.name, `${own.schema}.${own.name}`].includes(reference) ? own : linkableTable(tables, reference)
  if (!table) return { path: '/options/table', message: unknownTable(tables, reference) }
  const [key, ...others] = table.primaryKey
  if (key === undefined)
    return { path: '/options/table', message: translatable('This table has no primary key, so nothing can point to its records.') }
  if (others.length)
    return {
      path: '/options/table',
      message: translatable('The key of this table has several columns; a link can point to a key of one column only.'),
    }
  const { id, schema, name } = table
  return { id, schema, name, key, keyType: table.columns.find((column) => column.name === key)!.sqlType }
}

function linkableTable(tables: Tables, reference: string): Table | undefined {
  const table = findTable(tables, reference)
  const isLinkable = table && (table.kind === 'table' || table.kind === 'partitionedTable') && !table.isJoinTable
  return isLinkable ? table : undefined
}

function unknownTable({ list }: Tables, reference: string): Message {
  const similar = nearest(
    reference,
    list.filter(({ isJoinTable }) => !isJoinTable).map(({ name }) => name),
  )
  return similar === undefined
    ? translatable('The table to link to does not exist.')
    : translatable('The table to link to does not exist; did you mean "{similar}"?', { similar })
}

/** The join table: named after the table and the column, its columns after the tables and their keys. */
export function joinTableFor(table: TableDescription, column: string, target: LinkTarget, isTaken: (name: string) => boolean): JoinTable {
  const ownColumns = distinct(table.primaryKey.map((key) => `${table.name}_${key}`))
  const [targetColumn] = distinct([`${target.name}_${target.key}`], ownColumns)
  return {
    schema: 'data',
    name: freeName(`${table.name}_${column}`, isTaken),
    ownColumns,
    targetColumns: [targetColumn!],
    targetTableId: target.id,
  }
}

const maxNameBytes = 63

/** The name, or the first free one of `name_2`, `name_3` …, each cut to the length that PostgreSQL allows. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `_${number}`
    const candidate = truncateBytes(name, maxNameBytes - suffix.length) + suffix
    if (!isTaken(candidate)) return candidate
  }
}

function distinct(names: string[], taken: readonly string[] = []): string[] {
  const found: string[] = []
  for (const name of names) found.push(freeName(name, (candidate) => found.includes(candidate) || taken.includes(candidate)))
  return found
}
