import { translatable } from '../../../messages/message'
import type { Tables } from '../../../tables/catalog/catalog'
import { valueType } from '../../../tables/column-types/descriptors'
import { readsOtherRows } from '../../../tables/computed-value'
import { displayColumnOf } from '../../../tables/display-column'
import type { Column, Table } from '../../../tables/model'
import { containing } from '../literals'
import { queryFailure } from '../plan-failure'
import { longestSearch, searchPatterns } from '../search-patterns'
import { familyOf } from '../type-families'
import { findColumn } from './fields'
import type { PlannedCondition, SearchedColumn } from './types'

export type SearchCondition = Extract<PlannedCondition, { kind: 'search' }>

const isSearchedColumn = (column: Column) => column.isReadable && !column.joinTable && !column.computed

/** How the values of a column are read as text; null if they are not searched. */
function searchedAs(column: Column): 'text' | 'list' | 'value' | null {
  const { type, comparedAs } = column
  if (type === 'multiSelect') return 'list'
  if (type === 'select') return 'text'
  switch (familyOf(comparedAs)) {
    case 'text':
      return 'text'
    case 'number':
    case 'moment':
    case 'uuid':
      return 'value'
    case 'other':
      // A text of an extension, such as `citext`.
      return valueType(column) === 'text' ? 'text' : null
    default:
      return null
  }
}

/**
 * `q=`: rows in which a reader sees the text: in a text, a choice, a number or a date, or in the name of a linked
 * record or a user, if the caller may learn it; ignoring case and accents.
 */
export function planSearch(tables: Tables, table: Table, search: string): SearchCondition {
  if (search.includes('\0')) throw queryFailure('wrongValue', translatable('The value of "q" contains a NUL, which text cannot hold.'))
  if ([...search].length > longestSearch) {
    const columns = table.columns.filter((column) => isSearchedColumn(column) && searchedAs(column) === 'text')
    return { kind: 'search', columns: columns.map((column) => ({ column, as: 'text' })), pattern: { like: containing(search) } }
  }
  const pattern = searchPatterns(search)
  const columns = table.columns.flatMap((column): SearchedColumn[] => searchedColumn(tables, table, column) ?? [])
  return { kind: 'search', columns: columns.filter(({ as }) => as !== 'value' || pattern.value !== null), pattern }
}

function searchedColumn(tables: Tables, table: Table, column: Column): SearchedColumn[] | null {
  const { type, joinTable } = column
  if (!column.isReadable) return null
  if (column.computed) return searchedComputed(tables, column)
  if (userTypes.includes(type)) return tables.hidesUserNames ? null : [{ column, as: 'user' }]
  if (joinTable) {
    const target = tables.list.find(({ id }) => id === joinTable.targetTableId)
    const name = target && searchedName(target)
    const [own] = table.primaryKey.map((key) => findColumn(table, key))
    const isPlain = own && !own.operatorSchema && joinTable.ownColumns.length === 1 && joinTable.targetColumns.length === 1
    return target && name && isPlain && target.primaryKey.length === 1 ? [{ column, as: 'links', own, target, name }] : null
  }
  const as = searchedAs(column)
  const itself: SearchedColumn[] = as ? [{ column, as }] : []
  const key = type === 'link' ? table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === column.name) : undefined
  const target = key && tables.list.find(({ schema, name }) => schema === key.target.schema && name === key.target.name)
  const name = target && searchedName(target)
  if (!key || !target || !name || column.operatorSchema) return itself
  return [{ column, as: 'link', key: key.targetColumns[0]!, target, name }]
}

const userTypes: unknown[] = ['user', 'createdBy', 'updatedBy']

/**
 * A lookup, or a formula of the record alone. Rollups and counts would have to be computed over the linked records of
 * all rows, although people rarely search for them.
 */
function searchedComputed(tables: Tables, column: Column): SearchedColumn[] | null {
  const { type, options, comparedAs } = column
  if (type !== 'lookup' && (type !== 'formula' || readsOtherRows(column))) return null
  if (userTypes.includes(options.valueType)) return tables.hidesUserNames ? null : [{ column, as: 'user' }]
  const target = options.valueType === 'link' ? tables.byId.get(String(options.table)) : undefined
  const name = target && searchedName(target)
  const [key] = target?.primaryKey ?? []
  if (target && name && key && !findColumn(target, key)?.operatorSchema) return [{ column, as: 'link', key, target, name }]
  const as = searchedAs({ ...column, type: valueType(column) as Column['type'], comparedAs: comparedAs.replace(/\[\]$/, '') })
  return as && [{ column, as: as === 'text' && comparedAs.endsWith('[]') ? 'list' : as }]
}

/** The column that names a table's records, if its values are text. */
function searchedName(table: Table): Column | null {
  const column = displayColumnOf(table)
  return column?.isReadable && !column.joinTable && searchedAs(column) === 'text' ? column : null
}
