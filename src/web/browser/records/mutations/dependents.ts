import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { fetchPage } from '../list/first-page'
import type { ColumnInfo } from '../values/column'
import { keysFilter, quoteName } from '../values/record-key'

/** More keys may be too long for a URL. */
export const maxCountedKeys = 100

/** The columns of a table whose links are emptied by a deletion in another table, or whose records are deleted. */
export const dependentColumns = ({ columns }: TableView, { id }: TableView, isDeleted: boolean): ColumnInfo[] =>
  columns.filter(
    ({ type, options: { table, onDelete } }) =>
      ['link', 'manyLinks'].includes(type) && table === id && onDelete !== 'restrict' && (onDelete === 'cascade') === isDeleted,
  )

/**
 * How many records lose links, or are deleted as well, when records are deleted: by table, without records that the
 * user may not see.
 * @param segments of the URLs of the deleted records; null for all records of the table
 */
export const dependentsQuery = (table: TableView, tables: readonly TableView[], segments: readonly string[] | null) =>
  queryOptions({
    queryKey: ['records', table.id, 'dependents', segments],
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const key = quoteName(table.primaryKey[0]!)
      const keys = segments ? keysFilter(table.primaryKey, segments)[1] : 'is.not_null'
      const counted = async (each: TableView, isDeleted: boolean) => {
        const links = dependentColumns(each, table, isDeleted).map(({ name }) => `${quoteName(name)}(${key}).${keys}`)
        if (links.length === 0) return []
        const conditions = new URLSearchParams({ or: `(${links})`, ...(each.id === table.id ? { [key]: `not.${keys}` } : {}) })
        const { totalCount } = await fetchPage(each.id, [String(conditions), 'limit=1', 'count=exact'], signal)
        return totalCount ? [{ table: each, count: totalCount, isDeleted }] : []
      }
      return (await Promise.all(tables.flatMap((each) => [counted(each, false), counted(each, true)]))).flat()
    },
  })
