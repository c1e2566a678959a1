import { isSearchText, searchIndexName } from '../../../tables/catalog/search-text'
import type { Column, Table } from '../../../tables/model'
import type { IndexedSearch } from '../search-patterns'
import { findColumn } from './fields'
import type { SearchCondition } from './search'
import type { SearchedColumn } from './types'

/** A plan to find the candidates of a search: by the index of their table, by links and by users. */
export type SearchCandidates = { table: Table; key: Column; indexed: IndexedSearch; search: SearchCondition; trigramSchema: string }

/** Null if every record has to be read. */
export function planSearchCandidates(table: Table, search: SearchCondition): SearchCandidates | null {
  const [name, ...more] = table.primaryKey
  const key = name === undefined ? undefined : findColumn(table, name)
  const { isOn, ready } = table.searchIndex
  const indexed = 'like' in search.pattern ? null : search.pattern.indexed
  if (!isOn || ready?.name !== searchIndexName(table) || !key || more.length > 0 || key.operatorSchema || !indexed) return null
  if (!search.columns.every(isFoundByIndex) || !isOpen(table) || !search.columns.every(isNamedOpenly)) return null
  if (search.columns.some(({ column }) => column.access?.visibleIn)) return null
  return { table, key, indexed, search, trigramSchema: ready.trigramSchema }
}

/** The time of a search must not reveal values that the caller may not read. */
const isOpen = ({ access, columns }: Table): boolean => (!access || access.read === 'all') && columns.every(isVisible)

const isVisible = (column: Column): boolean => !isSearchText(column) || (column.isReadable && !column.access?.visibleIn)

/** The same for the names of linked records. A computed name would be computed for each of them. */
function isNamedOpenly(searched: SearchedColumn): boolean {
  if (!('target' in searched)) return true
  const { target, name, column } = searched
  if (name.computed || name.access?.visibleIn) return false
  return (!target.access || target.access.read === 'all') && (column.joinTable?.linkable ?? 'all') === 'all'
}

/** The index does not contain lookups, whose texts come from other tables. */
const isFoundByIndex = ({ as, column }: SearchedColumn): boolean =>
  ['text', 'list', 'value'].includes(as) ? isSearchText(column) : !column.computed
